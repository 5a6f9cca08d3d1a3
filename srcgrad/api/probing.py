"""Measures functions along directions: where to move, what to weigh, and what differences tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.api.stacking import still
from srcgrad.api.structures import float_leaves, leaves_as_in, mapped
from srcgrad.runtime.containers import is_registered, taken_apart
from srcgrad.runtime.objects import field_names, is_plain_object

_STEPS: Final = (-1.0, -0.5, 0.0, 0.5, 1.0)
Leaves = list[Any]
"""One array for each float leaf of a structure, in order."""


def drawn(leaves: Leaves, seed: int, *, to_scale: bool, of_each: bool = False) -> Leaves:
    """Return numbers like those in leaves, always the same.

    They are of about the size of the largest number of each leaf, or of each number, if asked.
    """
    rng = np.random.default_rng(seed)
    found = [_drawn_like(rng, leaf, to_scale) for leaf in leaves]
    if not of_each:
        return found
    pairs = zip(leaves, found, strict=True)
    return [np.where(leaf == 0, way, way * _share(leaf)) for leaf, way in pairs]


def _share(leaf: Any) -> Any:
    """Return how large each number of a leaf is beside the largest."""
    sizes = np.abs(leaf)
    largest = np.max(sizes, initial=0.0)
    return sizes / largest if 0.0 < largest < math.inf else np.ones_like(sizes)


def _drawn_like(rng: np.random.Generator, leaf: Any, to_scale: bool) -> Any:
    shape = np.shape(leaf)
    found: Any = rng.uniform(0.5, 1.0, shape) * rng.choice((-1.0, 1.0), shape)
    if np.result_type(leaf).kind == "c":
        found = found + 1j * rng.uniform(-1.0, 1.0, shape)
    if not to_scale:
        return found
    largest = float(np.max(np.abs(leaf), initial=0.0))
    return found * (largest if 1e-30 < largest < math.inf else 1.0)


def inner(one: Leaves, other: Leaves) -> tuple[float, float]:
    """Return the inner product of two sets of leaves, and the sum of the sizes of its terms.

    Leaves of complex numbers are pairs of real ones.
    """
    total = size = 0.0
    with np.errstate(all="ignore"):
        for a, b in zip(one, other, strict=True):
            if b is not None:
                terms = np.real(np.conj(a) * b)
                total, size = total + float(np.sum(terms)), size + float(np.sum(np.abs(terms)))
    return total, size


def filled(value: Any, leaves: Leaves) -> Any:
    """Return a structure like `value` with other numbers in its float leaves, in their types."""
    parts = iter(leaves)

    def fill(leaf: Any) -> Any:
        part = next(parts)
        if isinstance(leaf, np.ndarray):
            return np.array(part, dtype=leaf.dtype).reshape(leaf.shape)
        return type(leaf)(part)

    return mapped(fill, value, still)


def moved(value: Any, directions: Iterator[Any], step: float) -> Any:
    """Return a structure whose floats are moved along directions, each in memory of its own."""

    def move(leaf: Any) -> Any:
        change = step * next(directions)
        if not isinstance(leaf, np.ndarray):
            return type(leaf)(leaf + change)
        own = np.array(leaf, order="K")
        own += change.astype(leaf.dtype)
        return own

    return mapped(move, value, lambda leaf: leaf)


def precision(*values: Any) -> float:
    """Return the rounding of the least precise float in values."""
    kinds = {np.result_type(leaf) for value in values for leaf in float_leaves(value)}
    return max((float(np.finfo(kind).eps) for kind in kinds), default=2e-16)


def paths(value: Any, path: str) -> Iterator[str]:
    """Yield how Python calls each float leaf of a structure.

    >>> list(paths({"w": [np.ones(2), 1.0]}, "p"))
    ["p['w'][0]", "p['w'][1]"]
    """
    if is_registered(value):
        yield from paths(taken_apart(value)[0], f"{path}.parts")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, f"{path}[{key!r}]")
    elif hasattr(value, "_fields") or is_plain_object(value):
        for name in field_names(value):
            yield from paths(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from paths(item, f"{path}[{place}]")
    elif float_leaves(value):
        yield path


@dataclass(frozen=True, slots=True)
class Slope:
    """The derivative of a function along a direction, by differences at two steps and two sides.

    Attributes:
        value: What they come to.
        error: How far it may be off: what two steps, the two sides and rounding leave open.
        low: The least of the slopes to either side.
        high: The largest of them.
        size: How large the function's values are.
    """

    value: float
    error: float = math.inf
    low: float = math.nan
    high: float = math.nan
    size: float = 0.0

    def tells(self, gap: float) -> bool:
        """Say whether it is sure to less than a gap."""
        return math.isfinite(self.value) and 4 * self.error < gap

    def holds(self, slope: float, slack: float) -> bool:
        """Say whether a slope lies between those of the two sides, as at a kink."""
        return self.low - slack <= slope <= self.high + slack


NO_SLOPE: Final = Slope(math.nan)


def slope_of(at: Callable[[float], tuple[float, float]], step: float, eps: float) -> Slope:
    """Return the slope at 0 of a function, which returns a number and the size of its terms.

    Central differences of two steps are joined to one of fourth order. At a kink both may agree on
    the mean of its two slopes; there the difference between the sides stays as large as it is.
    """
    found = [at(place * step) for place in _STEPS]
    values, size = [item[0] for item in found], max(item[1] for item in found)
    if not all(map(math.isfinite, values)):
        return NO_SLOPE
    far_below, below, here, above, far_above = values
    wide, near = (far_above - far_below) / (2 * step), (above - below) / step
    sides = [(far_above - here) / step, (here - far_below) / step]
    sides += [2 * (above - here) / step, 2 * (here - below) / step]
    kink = abs(2 * (sides[2] - sides[3]) - (sides[0] - sides[1]))
    error = abs(wide - near) + kink + 4 * eps * size / step
    return Slope((4 * near - wide) / 3, error, min(sides), max(sides), size)


def parts_like(value: Any, found: Any) -> Leaves:
    """Return the leaves of a derivative where `value`, of the same structure, has floats."""
    return leaves_as_in(value, found)


def places(values: Sequence[Any], names: Sequence[str]) -> list[str]:
    """Return how Python calls each float leaf of several arguments."""
    return [path for value, name in zip(values, names, strict=True) for path in paths(value, name)]
