"""Tells which samples the integral of each interval by a parabola takes."""

from __future__ import annotations

from typing import Any

import numpy as np


def near_and_far(count: int) -> tuple[Any, Any, Any, Any]:
    """Return for each interval the other one of its parabola, and the places of three samples.

    These are, of the three samples of the parabola, the one at the end of the interval, the one in
    the middle, and the one at the far end of the other interval.

    >>> [places.tolist() for places in near_and_far(4)]
    [[1, 0, 1], [0, 2, 3], [1, 1, 2], [2, 0, 1]]
    """
    own = np.arange(count - 1)
    onward = np.logical_and(own % 2 == 0, own < count - 2)
    before, after = own - 1, own + 1
    outer = np.where(onward, after, before)
    near, middle = np.where(onward, own, after), np.where(onward, after, own)
    return outer, near, middle, np.where(onward, own + 2, before)
