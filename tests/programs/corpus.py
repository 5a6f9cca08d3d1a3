"""Collects the programs that every engine must agree on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Kind = str | tuple[Any, ...]
PROGRAMS: dict[str, Program] = {}


@dataclass(frozen=True, slots=True)
class Program:
    """A function with the kinds of its arguments.

    The kinds are: s a positive float, v a vector, m and M matrices that can be multiplied, n a
    small int, d a dict of arrays, t a tuple of arrays. ``("v", 8)`` and ``("m", 2, 3)`` say the
    size; ``("w", (3, 4), (4, 4))`` is a tuple of matrices. All but ints are differentiated.
    """

    function: Callable[..., Any]
    kinds: tuple[Kind, ...]

    def arguments(self, seed: int = 0) -> tuple[Any, ...]:
        """Return fresh arguments."""
        rng = np.random.default_rng(seed)
        return tuple(_make(kind, rng) for kind in self.kinds)

    @property
    def argnums(self) -> tuple[int, ...]:
        """The arguments to differentiate with respect to."""
        return tuple(i for i, kind in enumerate(self.kinds) if kind != "n")


def _make(kind: Kind, rng: np.random.Generator) -> Any:
    if isinstance(kind, tuple):
        letter, *sizes = kind
        if letter == "w":
            return tuple(rng.normal(size=shape) for shape in sizes)
        return rng.normal(size=tuple(sizes))
    if kind == "s":
        return float(rng.uniform(0.6, 2.0))
    if kind == "n":
        return 3
    if kind == "d":
        return {"w": rng.normal(size=(2, 3)), "b": rng.normal(size=2)}
    if kind == "t":
        return rng.normal(size=3), rng.normal(size=3)
    shapes = {"v": 4, "m": (3, 4), "M": (4, 2)}
    return rng.normal(size=shapes[kind])


def program(*kinds: Kind) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the decorated function to the corpus."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = Program(function, kinds)
        return function

    return add
