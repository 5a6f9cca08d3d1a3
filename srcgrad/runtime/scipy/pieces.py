"""Finds the pieces of splines in which points lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError


def pieces_of(knots: Any, x: Any) -> Any:
    """Return the piece of each point; the first and the last go on outside.

    >>> pieces_of(np.array([0.0, 1.0, 3.0]), np.array([-1.0, 0.5, 1.0, 3.0]))
    array([0, 0, 1, 1])
    """
    found = np.searchsorted(knots, np.asarray(getattr(x, "_array", x)), "right") - 1
    return np.clip(found, 0, len(knots) - 2)


pieces_of.__srcgrad_constant__ = True  # type: ignore[attr-defined]


def refuse_options(nu: int) -> None:
    """Refuse further derivatives of pieces whose values vary."""
    if nu != 1:
        raise MissingRuleError(
            "a second derivative of these pieces has no derivative rule",
            hint="use CubicSpline, or keep the values constant",
        )


def check_row(shape: tuple[int, ...]) -> None:
    """Refuse values with several axes."""
    if len(shape) != 1:
        raise MissingRuleError(
            "values with several axes that vary have no derivative rule here",
            hint="interpolate row by row, or use CubicSpline",
        )
