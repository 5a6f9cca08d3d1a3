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


def product(a, b, c, d, e):
    """Return a small function of five numbers."""
    return a * b + c * d * e


def joined(p):
    """Return a small function of ten arrays in a dict."""
    first = p["a"] * p["b"] + p["c"] * p["d"] + p["e"] * p["f"]
    return np.sum(first + p["g"] * p["h"] + p["i"] * p["j"])


def chosen(x):
    """Return a small function that selects."""
    return np.sum(np.where(x > 0, x, 0.0) * x)


def main() -> None:
    """Print the difference of both calls for numbers and for dicts of arrays."""
    print("Overhead of g(x) over the generated function itself")
    print("(targets: 0.5 µs for five floats, 2 µs for ten arrays in a dict)")
    small = {"a": np.ones(3), "b": np.ones(3)}
    ten = {name: np.ones(3) for name in "abcdefghij"}
    every = (0, 1, 2, 3, 4)
    cases = {
        "a float": (sg.grad(square), (3.0,)),
        "five floats": (sg.grad(product, argnums=every), (1.0, 2.0, 3.0, 4.0, 5.0)),
        "a dict of two arrays": (sg.grad(distance), (small, np.ones(3))),
        "a dict of ten arrays": (sg.grad(joined), (ten,)),
        "an array, with a selection": (sg.grad(chosen), (np.ones(3),)),
    }
    for name, (gradient, args) in cases.items():
        gradient(*args)
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
