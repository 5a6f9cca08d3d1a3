"""Sizes of windows of neighbours."""

from __future__ import annotations

from typing import Any


def window_sizes(size: Any, rank: int) -> tuple[int, ...]:
    """Return the size of a window along each axis.

    >>> window_sizes(3, 2), window_sizes((3, 1), 2)
    ((3, 3), (3, 1))
    """
    return tuple(size) if hasattr(size, "__len__") else (size,) * rank


def widths_around(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return how many neighbours of a pixel a window has before and behind it.

    >>> widths_around((3, 4))
    [(1, 1), (2, 1)]
    """
    return [(n // 2, n - 1 - n // 2) for n in sizes]
