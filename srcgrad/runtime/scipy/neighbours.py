"""Finds the pixels near points of an image and their weights in a spline through the image."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


@functools.cache
def _coefficients(order: int, turns: int) -> Any:
    """Return the weights of ``order + 1`` neighbours, polynomials of the way from one to the next.

    They are the pieces of the B-spline, by the recursion of de Boor, last piece first, or
    derivatives of them. There is a row for each power.
    """
    pieces = [np.polynomial.Polynomial([1.0])]
    t, none = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([0.0])
    for n in range(1, order + 1):
        above, below = [*pieces, none], [none, *pieces]
        pieces = [((t + j) * above[j] + (n + 1 - j - t) * below[j]) / n for j in range(n + 1)]
    rows = np.zeros((order + 1, order + 1))
    for k, piece in enumerate(reversed(pieces)):
        found = piece.deriv(turns).coef
        rows[: len(found), k] = found
    return rows


class Axis:
    """The neighbours of points along one axis.

    Attributes:
        size: How many pixels the axis has.
        inside: Which points are in the image.
        places: The pixels near each point, with a row for each of them.
        known: Which of those are in the image; None if all.
    """

    def __init__(self, points: Any, size: int, margin: int, how: dict[str, Any]) -> None:
        """Find the pixels of an axis of a size, with a margin, near points without it."""
        self._order, self.size, mode = how["order"], size, how["mode"]
        x = points + margin
        self.inside, last = np.ones(np.shape(x), dtype=bool), size - 1
        if mode == "constant":
            self.inside = (x >= 0) & (x <= last)
            x = np.where(self.inside, x, 0.0)
        elif mode == "wrap":
            x = _wrapped(x, last)
        first = np.floor(x if self._order % 2 else x + 0.5)
        if self._order == 1 and mode in ("constant", "nearest"):
            first = np.where(x == last, max(last - 1, 0), first)  # at the last pixel, from the left
        self._way = x - first if self._order % 2 else x + 0.5 - first
        places = first.astype(int) - self._order // 2 + np.arange(self._order + 1)[:, np.newaxis]
        self.known = (places >= 0) & (places <= last) if mode == "grid-constant" else None
        self.places = _folded(places, size, mode)

    def weights(self, turns: int = 0) -> Any:
        """Return the weights of all neighbours, differentiated some times."""
        powers = _coefficients(self._order, turns)[..., np.newaxis]
        total = np.zeros(np.shape(self.places)) + powers[-1]
        for row in powers[-2::-1]:
            total *= self._way
            total += row
        return total


def _wrapped(x: Any, period: int) -> Any:
    """Return coordinates within one period; those that are within it stay."""
    if period == 0:
        return 0.0 * x
    return np.where((x < 0) | (x > period), x - period * np.floor(x / period), x)


def _folded(place: Any, size: int, mode: str) -> Any:
    """Return the pixels that stand for those beyond the ends of an image."""
    if size == 1:
        return np.zeros_like(place)
    if mode in ("nearest", "grid-constant"):
        return np.clip(place, 0, size - 1)
    if not np.size(place) or (np.min(place) >= 0 and np.max(place) < size):
        return place
    if mode == "grid-wrap":
        return np.mod(place, size)
    if mode in ("reflect", "grid-mirror"):
        place = np.mod(place, 2 * size)
        return np.where(place < size, place, 2 * size - 1 - place)
    place = np.mod(place, 2 * size - 2)
    return np.where(place < size, place, 2 * size - 2 - place)


class Piece(NamedTuple):
    """The neighbours in one line along the last axis.

    Attributes:
        places: Their numbers in the image, with a row for each of them.
        weights: The weights of the line and of the pixels in it, for each way to differentiate.
        known: Which of them are in the image; None if all.
    """

    places: Any
    weights: list[tuple[Any, Any]]
    known: Any


class Neighbours:
    """The neighbours of all points in an image of a shape, margins and all."""

    def __init__(self, shape: Any, coordinates: Any, how: dict[str, Any], margin: int) -> None:
        """Find the neighbours of points, of which there is a row for each axis."""
        points = np.reshape(np.asarray(coordinates, dtype=float), (len(shape), -1))
        self._axes = [Axis(points[i], size, margin, how) for i, size in enumerate(shape)]
        self._steps = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
        self.inside = functools.reduce(np.logical_and, [axis.inside for axis in self._axes])

    def lines(self, *ways: tuple[int, ...]) -> Iterator[Piece]:
        """Yield all neighbours, with weights differentiated by the axes that each way lists."""
        weights = [
            [axis.weights(turns) for turns in range(max(way.count(i) for way in ways) + 1)]
            for i, axis in enumerate(self._axes)
        ]
        *before, last = self._axes
        for place in itertools.product(*(range(len(axis.places)) for axis in before)):
            numbers, known = last.places, last.known
            for axis, step, k in zip(before, self._steps, place, strict=False):
                numbers = numbers + step * axis.places[k]
                if axis.known is not None:
                    known = known & axis.known[k]
            yield Piece(numbers, [_line(weights, way, place) for way in ways], known)


def _line(weights: Any, way: tuple[int, ...], place: tuple[int, ...]) -> tuple[Any, Any]:
    line = 1.0
    for i, k in enumerate(place):
        line = line * weights[i][way.count(i)][k]
    return line, weights[-1][way.count(len(place))]
