"""Tells derivatives where eigenvalues or singular values are equal, by runs along directions.

There the gradients of the vectors leave the limit open, and which vectors there are depends on the
direction. A loss that does not depend on the choice has a derivative all the same: a tangent is
exact if the vectors are first turned to suit its direction (see `srcgrad.runtime.turning`).
So what met equal values is compared with such tangents, and made of them if it differs. NaN
says that there is no derivative: the value depends on the choice, or slopes do not add up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from srcgrad.api.stacking import count_of, seed_of
from srcgrad.api.structures import copied, float_leaves, leaves_as_in, mapped
from srcgrad.api.values import conform
from srcgrad.errors import TieWarning

How = Literal["plain", "turned", "mixed"]
Push = Callable[[How, dict[str, Any], Sequence[Any]], tuple[Any, Any]]
"""Runs a tangent function with the vectors as they are, turned to suit, or turned anyhow."""

_MOST: Final = 1024  # numbers of the arguments, each of which takes a run
_CHOICE: Final = "the value depends on which of their vectors were chosen"
_KINK: Final = "the function has a kink there"
_DRAWN: Final = "each run gives another value"
_MANY: Final = f"there are more than {_MOST} numbers to take slopes by"


@dataclass(frozen=True, slots=True)
class Directions:
    """Exact slopes of a function at arguments where values are equal.

    Attributes:
        push: Its tangent function.
        arguments: All arguments by name, as they were before the function ran.
        names: Those that tangents are of.
        label: What the function is called.
    """

    push: Push
    arguments: dict[str, Any]
    names: Sequence[str]
    label: str

    def tangent(self, tangents: Sequence[Any], value: Any, tangent: Any) -> Any:
        """Return the tangent that a plain run gave, or what it should have been."""
        found = leaves_as_in(value, tangent)
        kept = self._kept(float_leaves(value), tangents)
        if kept is None or (all(kept) and all(map(_is_finite, found))):
            return tangent
        exact = self._along(tangents)
        for place, there in enumerate(kept):
            if not there or not _is_finite(found[place]):
                found[place] = exact[place] if there else found[place] * np.nan
                if not _is_finite(found[place]):
                    self._say(_KINK if there else _CHOICE)
        parts = iter(found)
        return mapped(lambda _: next(parts), value)

    def gradients(
        self,
        grads: Sequence[Any],
        adjoints: Sequence[Any],
        value: Any = None,
        *,
        guessed: bool = False,
    ) -> Sequence[Any]:
        """Return gradients that a backward run gave, or what they should have been.

        `adjoints` are those of the first parts of the value, None for a part without. What is
        `guessed` and cannot be compared with slopes is NaN.
        """
        given = [self.arguments[name] for name in self.names]
        drawn = np.random.default_rng(7)
        direction = [_drawn(item, drawn) for item in given]
        parts = self._run("plain", direction)[0] if value is None else float_leaves(value)
        kept = self._kept(parts, direction)
        if kept is None:
            return self._without(grads, _DRAWN) if guessed else grads
        if not all(kept[i] for i, adjoint in enumerate(adjoints) if adjoint is not None):
            return self._without(grads, _CHOICE)
        slope = _paired(adjoints, self._along(direction))
        if not np.isfinite(slope):
            told = _finite(grads) and not guessed
            return grads if told else self._without(grads, _KINK)
        if _near(_slope(given, grads, direction), slope):
            return grads
        if sum(map(count_of, given)) > _MOST:
            return self._without(grads, _MANY)
        found = [self._gradient(place, given, adjoints) for place in range(len(given))]
        if not _near(_slope(given, found, direction), slope):
            return self._without(grads, _KINK)
        return found

    def _kept(self, value: list[Any], tangents: Sequence[Any]) -> list[bool] | None:
        """Say of each part of a value whether it is the same for any choice of vectors.

        None says that no run gives the value again, as where it is drawn at random.
        """
        again, mixed = self._run("plain", tangents)[0], self._run("mixed", tangents)[0]
        if len(again) != len(value) or not all(map(_alike, again, value)):
            return None
        if len(mixed) != len(value):
            return [False] * len(value)
        return list(map(_alike, mixed, value))

    def _along(self, tangents: Sequence[Any]) -> list[Any]:
        """Return the tangents of the value along a direction, NaN where there is a kink."""
        ahead = self._run("turned", tangents)[1]
        back = self._run("turned", [mapped(np.negative, tangent) for tangent in tangents])[1]
        pairs = zip(ahead, back, strict=True)
        return [one if _alike(one, -other) else one * np.nan for one, other in pairs]

    def _gradient(self, place: int, given: Sequence[Any], adjoints: Sequence[Any]) -> Any:
        """Return the gradient by one argument, of the slopes along each of its numbers."""
        item = given[place]
        parts: list[Any] = []
        for unit in np.eye(count_of(item)):
            slopes = 0.0
            for factor in _factors(item):
                tangents = [mapped(np.zeros_like, other) for other in given]
                tangents[place] = seed_of(item, factor * unit)
                slopes += factor * _paired(adjoints, self._run("turned", tangents)[1])
            parts.append(slopes)
        return conform(seed_of(item, np.array(parts)), item)

    def _run(self, how: How, tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the parts of the value and their tangents."""
        with np.errstate(all="ignore"):
            value, tangent = self.push(how, copied(self.arguments), tangents)
        return float_leaves(value), leaves_as_in(value, tangent)

    def without(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        """Return NaN for gradients that cannot be compared with slopes."""
        return tuple(self._without(grads, "its slopes are not known"))

    def _without(self, grads: Sequence[Any], why: str) -> Sequence[Any]:
        self._say(why)
        return [mapped(lambda leaf: leaf * np.nan, grad, lambda rest: rest) for grad in grads]

    def _say(self, why: str) -> None:
        warnings.warn(
            f"a derivative of `{self.label}` is NaN: eigenvalues or singular values are equal, "
            f"and {why}",
            TieWarning,
            stacklevel=5,
        )


def _factors(item: Any) -> tuple[Any, ...]:
    """Return the directions of one number: the imaginary one, too, if it is complex."""
    return (1.0, 1j) if any(map(np.iscomplexobj, float_leaves(item))) else (1.0,)


def _drawn(item: Any, drawn: np.random.Generator) -> Any:
    """Return a random direction of the structure and types of an argument."""
    numbers = [factor * drawn.normal(size=count_of(item)) for factor in _factors(item)]
    return seed_of(item, sum(numbers))


def _slope(given: Sequence[Any], grads: Sequence[Any], direction: Sequence[Any]) -> Any:
    """Return the slope along a direction that gradients tell."""
    triples = zip(given, grads, direction, strict=True)
    return sum(_paired(leaves_as_in(i, g), leaves_as_in(i, d)) for i, g, d in triples)


def _paired(grads: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the change that tangents make, as gradients tell it."""
    pairs = zip(grads, tangents, strict=False)  # what is auxiliary comes last
    both = ((g, t) for g, t in pairs if g is not None and t is not None)
    return sum(np.sum(np.real(np.conj(g) * t)) for g, t in both)


def _near(found: Any, expected: Any) -> bool:
    return bool(np.isfinite(found)) and _alike(found, expected)


def _alike(first: Any, second: Any) -> bool:
    """Say whether two arrays have one shape, and the same numbers to rounding."""
    if np.shape(first) != np.shape(second):
        return False
    size = np.max(np.nan_to_num(np.absolute(second), posinf=0.0), initial=0.0)
    precision = np.finfo(np.result_type(second, np.float16)).eps
    allowed = precision**0.4 * (size + 1e-3)
    return bool(np.allclose(first, second, rtol=0, atol=allowed, equal_nan=True))


def _is_finite(value: Any) -> bool:
    return bool(np.isfinite(value).all())


def _finite(grads: Sequence[Any]) -> bool:
    return all(_is_finite(leaf) for grad in grads for leaf in float_leaves(grad))
