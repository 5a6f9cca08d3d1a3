"""Reads which axes are transformed, and to which sizes."""

from __future__ import annotations

from typing import Any


def axes_and_sizes(shape: Any, s: Any, axes: Any) -> list[tuple[int, int]]:
    """Return the axes of a transform of several, each with the size of its result.

    >>> axes_and_sizes((3, 4, 5), None, None)
    [(0, 3), (1, 4), (2, 5)]
    >>> axes_and_sizes((3, 4, 5), (6, 7), None)
    [(1, 6), (2, 7)]
    """
    if axes is None:
        axes = range(len(shape)) if s is None else range(len(shape) - len(s), len(shape))
    chosen = [axes] if isinstance(axes, int) else list(axes)
    places = [axis % len(shape) for axis in chosen]
    sizes = [shape[axis] for axis in places] if s is None else [s] if isinstance(s, int) else s
    return list(zip(places, sizes, strict=True))


axes_and_sizes.__srcgrad_constant__ = True  # type: ignore[attr-defined]
