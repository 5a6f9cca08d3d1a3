"""Tells which unknowns lie at their bounds, where a solver holds them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy.optimize import Bounds

from srcgrad.errors import NotDifferentiableError

_NEAR: Final = 1e-8
"""How near to its bound an unknown counts as being there."""


def box(limits: Any) -> Any:
    """Return the bounds of `least_squares` and `curve_fit`, two arrays, as those of `minimize`."""
    return limits if isinstance(limits, Bounds) else Bounds(*limits)


def free_part(x: Any, slope: Any, bend: Any, bounds: Any) -> Any:
    """Return which unknowns are not held at a bound; None if there are no bounds.

    A minimum where a bound neither pushes nor leaves room depends on it to one side only.
    """
    if bounds is None:
        return None
    low, high = _ends(bounds, x.shape)
    at_low = np.abs(x - low) <= _NEAR * (1 + np.abs(low))
    at_high = np.abs(x - high) <= _NEAR * (1 + np.abs(high))
    stays = np.logical_and(at_low, at_high)
    pushed = np.abs(slope) > 1e-5 * np.abs(bend) * (1 + np.abs(x))
    if np.any((at_low | at_high) & ~stays & ~pushed):
        raise NotDifferentiableError(
            "an unknown just touches its bound: to one side it follows, to the other it stays",
            hint="move the bound, or leave it out",
        )
    held = stays | (at_low & (slope > 0)) | (at_high & (slope < 0))
    return np.logical_not(held)


def _ends(bounds: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    if isinstance(bounds, Bounds):
        low, high = bounds.lb, bounds.ub
    else:
        pairs = list(bounds) if np.ndim(bounds[0]) else [bounds]
        low = np.array([-np.inf if one is None else one for one, _ in pairs], dtype=float)
        high = np.array([np.inf if other is None else other for _, other in pairs], dtype=float)
    return np.broadcast_to(low, shape), np.broadcast_to(high, shape)
