"""Calculates derivatives of values between the points of a rectangular grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.dispatch import recordable, records


def checked(points: Any, values: Any, method: str, *, extrapolates: bool, inside: Any) -> None:
    """Refuse what has no rule: other methods than lines, more axes, and what is extrapolated."""
    problem = ""
    if method != "linear":
        problem = f"by the method {method!r}"
    elif np.ndim(values) != len(points):
        problem = "of values with more axes than the grid"
    elif extrapolates and not np.all(inside):
        problem = "outside of the grid"
    if problem:
        raise MissingRuleError(
            f"the interpolation on a grid {problem} has no derivative rule",
            hint="interpolate numbers by method='linear' and within the grid",
        )


@recordable
def grid_inside(
    points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = np.nan
) -> Any:
    """Return which points lie within a grid."""
    x = _as_points(points, xi)
    pairs = zip(points, np.moveaxis(x, -1, 0), strict=True)
    inside = np.all([(np.min(p) <= part) & (part <= np.max(p)) for p, part in pairs], axis=0)
    checked(points, values, method, extrapolates=fill_value is None, inside=inside)
    return inside


grid_inside.__srcgrad_constant__ = True  # type: ignore[attr-defined]


@recordable
def grid_places(points: Any, xi: Any) -> Any:
    """Return where points lie in a grid, counted from its first point along each axis."""
    x = _as_points(points, xi)
    found = []
    for line, part in zip(points, np.moveaxis(x, -1, 0), strict=True):
        left = _left(line, part)
        found.append(left + (part - np.asarray(line)[left]) / np.diff(line)[left])
    return np.stack(found)


@recordable
def grid_places_back(grad: Any, points: Any, xi: Any) -> Any:
    """Return the gradient of the points in ``grid_places``."""
    moved = np.moveaxis(grad * grid_runs(points, xi), 0, -1)
    return np.reshape(moved, np.shape(xi))


@recordable
def grid_runs(points: Any, xi: Any) -> Any:
    """Return one over the distances of the points of a grid, around each point."""
    parts = np.moveaxis(_as_points(points, xi), -1, 0)
    pairs = zip(points, parts, strict=True)
    return np.stack([1 / np.diff(line)[_left(line, part)] for line, part in pairs])


grid_runs.__srcgrad_constant__ = True  # type: ignore[attr-defined]


def grid_push(points: Any, xi_dot: Any, xi: Any) -> Any:
    """Return the tangent of ``grid_places``, given that of the points, or None."""
    if xi_dot is None:
        return None
    return grid_runs(points, xi) * np.moveaxis(_as_points(points, xi_dot), -1, 0)


def _as_points(points: Any, xi: Any) -> Any:
    x = xi if records(xi) else np.asarray(xi)
    return x[..., None] if len(points) == 1 and (x.ndim == 0 or x.shape[-1] != 1) else x


def _left(line: Any, part: Any) -> Any:
    return np.clip(np.searchsorted(line, part, "right") - 1, 0, len(line) - 2)


@recordable
def grid_values(
    points: Any, values: Any, xi: Any, method: str, bounds_error: bool, fill_value: Any
) -> Any:
    """Return ``interpolate.interpn(points, values, xi, method, bounds_error, fill_value)``."""
    return interpolate.interpn(points, values, xi, method, bounds_error, fill_value)
