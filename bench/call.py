"""Times what calling a derivative costs beyond the generated function that it calls."""

from __future__ import annotations

import numpy as np

import srcgrad as sg
from bench.timing import in_words, measure


def square(x):
    """Return the square of a number."""
    return x * x


def distance(params, x):
    """Return a small function of arrays in a dict."""
    return np.sum((params["a"] * x - params["b"]) ** 2)


def main() -> None:
    """Print the difference of both calls for a number and for a dict of arrays."""
    print("Overhead of g(x) over the generated function itself (target: under 1 µs)")
    small = {"a": np.ones(3), "b": np.ones(3)}
    cases = {
        "a float": (sg.grad(square), (3.0,)),
        "a dict of two arrays": (sg.grad(distance), (small, np.ones(3))),
    }
    for name, (gradient, args) in cases.items():
        generated = gradient.generated
        timings = measure(
            {
                "whole": lambda gradient=gradient, args=args: gradient(*args),
                "inner": lambda generated=generated, args=args: generated(*args),
            }
        )
        whole, inner = timings["whole"], timings["inner"]
        medians = in_words(whole.median - inner.median)
        best = in_words(whole.best - inner.best)
        total = f"{in_words(whole.median)} against {in_words(inner.median)}"
        print(f"  {name:28}{medians:>12}{best:>12}  ({total})")
    print(flush=True)


if __name__ == "__main__":
    main()
