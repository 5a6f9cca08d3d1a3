"""Asks differences where a step is infinitely steep, and the function may be smooth all the same.

In ``np.abs(x[:, None] - x) ** 0.5`` the slope of the root is infinite on the diagonal, which stays
zero whichever way `x` moves; ``np.arccos(np.clip(c, -1, 1))`` is constant where `c` is 1 for all
arguments. A derivative that is NaN there (0 times infinity) is guessed once more, as if what is
infinitely steep were held, and believed if differences confirm it along random directions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.api.probing import Leaves, Slope, drawn, inner, moved, precision, slope_of
from srcgrad.api.structures import copied, float_leaves, leaves_as_in, mapped
from srcgrad.api.surroundings import trying
from srcgrad.api.traps import has_nan
from srcgrad.insight.switch import CHECKS

_MOST: Final = 32  # numbers that are looked at one by one
_NEAR: Final = 1e-5
_SURE: Final = 1e-4
_POWERS: Final = (0.25, 0.375, 0.5)  # of the rounding: steps, the wide ones first

Grads = Sequence[Any]


class Steep:
    """A function at its arguments as they were before it ran.

    Attributes:
        function: The user's function.
        names: The parameters that gradients are of.
        arguments: Copies of all arguments.
        has_aux: The first part of what it returns is differentiated.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        names: Sequence[str],
        arguments: Mapping[str, Any],
        *,
        has_aux: bool = False,
    ) -> None:
        self.function = function
        self.names = names
        self.arguments = copied(dict(arguments))
        self.has_aux = has_aux
        self._value = functools.cache(lambda: trying(function, self.arguments))

    def told(self, grads: Grads, adjoint: Any, value: Any, held: Callable[[], Grads]) -> Grads:
        """Return gradients, with numbers for NaN where differences confirm those of `held`."""
        if CHECKS.nans or not has_nan(list(grads)) or has_nan(value) or has_nan(adjoint):
            return grads
        try:
            return self._told(grads, adjoint, held())
        except Exception:  # noqa: BLE001 - what the user's function raises nearby tells nothing
            return grads

    def _told(self, grads: Grads, adjoint: Any, guessed: Grads) -> Grads:
        found = self._leaves(grads)
        other = self._leaves(guessed)
        unknown = [np.isnan(leaf) for leaf in found]
        if self._confirms(other, adjoint, unknown):
            right = unknown
        elif sum(int(np.sum(mask)) for mask in unknown) <= _MOST:
            right = [np.zeros_like(mask) for mask in unknown]
            for place, one in _singles(unknown):
                right[place] |= one[place] & self._confirms(other, adjoint, one)
        else:
            return grads
        parts = iter(map(np.where, right, other, found))
        return [mapped(lambda leaf: _like(leaf, next(parts)), grad, _same) for grad in grads]

    def _leaves(self, grads: Grads) -> Leaves:
        pairs = zip(self.names, grads, strict=True)
        return [leaf for name, grad in pairs for leaf in leaves_as_in(self.arguments[name], grad)]

    def _confirms(self, grads: Leaves, adjoint: Any, moving: Leaves) -> bool:
        """Say whether differences confirm gradients along two directions of what moves."""
        given = [leaf for name in self.names for leaf in float_leaves(self.arguments[name])]
        return all(self._agrees(grads, adjoint, moving, given, seed) for seed in (3, 4))

    def _agrees(
        self, grads: Leaves, adjoint: Any, moving: Leaves, given: Leaves, seed: int
    ) -> bool:
        ways = drawn(given, seed, to_scale=True)
        ways = [np.where(mask, way, 0) for mask, way in zip(moving, ways, strict=True)]
        told = inner(grads, ways)
        eps = precision(given, adjoint)
        slopes = (slope_of(lambda h: self._at(h, ways, adjoint), eps**p, eps) for p in _POWERS)
        return any(_near(slope, *told) for slope in slopes)

    def _at(self, step: float, ways: Leaves, adjoint: Any) -> tuple[float, float]:
        """Return what the function gives nearby, weighed, and the size of its terms."""
        given, rest = dict(self.arguments), iter(ways)
        for name in self.names:
            given[name] = moved(given[name], rest, step)
        value = self._value()(given)
        value = value[0] if self.has_aux else value
        return inner(float_leaves(value), leaves_as_in(value, adjoint))


def _near(slope: Slope, expected: float, scale: float) -> bool:
    """Say whether differences are sure of a slope: there is no kink, and little noise."""
    if not slope.error <= _SURE * max(abs(slope.value), scale, slope.size):
        return False
    allowed = _NEAR * max(abs(slope.value), scale) + 10 * slope.error
    return abs(slope.value - expected) <= allowed


def _singles(masks: Leaves) -> Iterator[tuple[int, Leaves]]:
    """Yield for each number that masks choose its leaf, and masks that choose it alone."""
    for place, mask in enumerate(masks):
        for number in np.flatnonzero(mask):
            one = [np.zeros_like(other) for other in masks]
            one[place].flat[number] = True
            yield place, one


def _like(leaf: Any, part: Any) -> Any:
    return np.asarray(part, leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(part)


def _same(rest: Any) -> Any:
    return rest
