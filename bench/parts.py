"""Times small parts that every gradient goes through: a helper of generated code, and printing."""

from __future__ import annotations

import ast

import srcgrad.runtime as rt
from bench.timing import in_words, measure
from srcgrad.codegen.printer import to_source


def long_function() -> ast.Module:
    """Return the tree of a function of a thousand statements."""
    lines = [f"    t{i} = np.sin(a) * x + (b - 0.5) * w[{i}:, None]" for i in range(1000)]
    return ast.parse("\n".join(["def f(x):", *lines]))


def main() -> None:
    """Print the times, the printer's beside that of Python's own."""
    print("Parts (targets: 0.5 µs for unbroadcast, twice the time of ast.unparse for printing)")
    tree = long_function()
    timings = measure(
        {
            "unbroadcast of floats": lambda: rt.unbroadcast(1.0, 2.0),
            "printing 1,000 statements": lambda: to_source(tree),
            "ast.unparse of those": lambda: ast.unparse(tree),  # noqa: TID251 - to compare with
        },
        turns=20,
    )
    for name, timing in timings.items():
        print(f"  {name:28}{in_words(timing.median):>12}{in_words(timing.best):>12}")
    print(flush=True)


if __name__ == "__main__":
    main()
