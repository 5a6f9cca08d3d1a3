"""Sizes of windows of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError


def window_sizes(size: Any, rank: int, *, odd: bool = False) -> tuple[int, ...]:
    """Return the size of a window along each axis; of an odd one, the pixel is in the middle.

    >>> window_sizes(3, 2), window_sizes((3, 1), 2)
    ((3, 3), (3, 1))
    """
    found = tuple(size) if hasattr(size, "__len__") else (size,) * rank
    if odd and any(n % 2 == 0 for n in found):
        raise MissingRuleError(
            "morphology with an even size has no derivative rule", hint="take an odd size"
        )
    return found


def sizes_along(size: int, axis: int, rank: int) -> tuple[int, ...]:
    """Return the size of a window that reaches along one axis alone.

    >>> sizes_along(3, -1, 2)
    (1, 3)
    """
    return tuple(size if place == axis % rank else 1 for place in range(rank))


def rank_of(percentile: float, count: int) -> int:
    """Return the place in their order at which `ndimage` finds a percentile of so many.

    >>> rank_of(50, 9), rank_of(100, 9), rank_of(-20, 10)
    (4, 8, 8)
    """
    share = percentile + 100.0 if percentile < 0 else percentile
    return count - 1 if share == 100.0 else int(count * share / 100.0)


def label_places(shape: tuple[int, ...], labels: Any, index: Any) -> tuple[Any, int]:
    """Return the place of each value among the labels asked for, and how many those are.

    Values with another label have the place behind the last one. Without labels all values have
    one, without an index those with a label above 0.

    >>> label_places((4,), np.array([2, 0, 1, 2]), np.array([1, 2]))
    (array([1, 2, 0, 1]), 2)
    """
    if labels is None:
        return np.zeros(int(np.prod(shape)), dtype=int), 1
    given = np.ravel(np.broadcast_to(labels, shape))
    if index is None:
        return np.where(given > 0, 0, 1), 1
    asked = np.ravel(index)
    if len(np.unique(asked)) < len(asked):
        raise MissingRuleError(
            "a label that is asked for twice has no derivative rule", hint="ask for it once"
        )
    order = np.argsort(asked)
    near = order[np.minimum(np.searchsorted(asked, given, sorter=order), len(asked) - 1)]
    return np.where(asked[near] == given, near, len(asked)), len(asked)


def only_one(index: Any) -> None:
    """Refuse several labels."""
    if np.ndim(index) > 0:
        raise MissingRuleError(
            "the centers of several labels have no derivative rule",
            hint="ask for them one by one",
        )


def widths_around(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return how many neighbours of a pixel a window has before and behind it.

    >>> widths_around((3, 4))
    [(1, 1), (2, 1)]
    """
    return [(n // 2, n - 1 - n // 2) for n in sizes]
