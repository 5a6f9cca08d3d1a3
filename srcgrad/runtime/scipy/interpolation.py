"""Evaluates the interpolating objects of ``scipy.interpolate``, and what they depend on."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.dispatch import recordable, records
from srcgrad.runtime.interpolators import is_linear_in_values
from srcgrad.runtime.scipy.sparse import fixed_product

_MADE_ON_A_LINE = (
    *(interpolate.InterpolatedUnivariateSpline, interpolate.UnivariateSpline),
    *(interpolate.LSQUnivariateSpline, interpolate.make_smoothing_spline),
)
_BY_METHOD = (interpolate.BarycentricInterpolator, interpolate.KroghInterpolator)
"""Objects whose derivatives are a method of theirs."""
_INTERP1D = interpolate.interp1d


def interpolated(spline: Any, x: Any, nu: int = 0) -> Any:
    """Return ``spline(x, nu)``; also objects of `interp1d` are asked for derivatives so."""
    if records(x):
        return type(x).__array_function__(x, interpolated, (type(x),), (spline, x, nu), {})
    if isinstance(spline, _INTERP1D):
        return spline(x) if nu == 0 else _steepness(spline, np.asarray(x), nu)
    if nu and isinstance(spline, _BY_METHOD):
        return spline.derivative(x, nu)
    return spline(x, nu) if nu else spline(x)


def interpolation(make: Any, knots: Any, values: Any, x: Any, nu: int = 0) -> Any:
    """Return ``make(knots, values)(x, nu)``: what a new object interpolates."""
    for item in (values, x, knots):
        if records(item):
            args = (make, knots, values, x, nu)
            return type(item).__array_function__(item, interpolation, (type(item),), args, {})
    return interpolated(make(knots, values), x, nu)


def _steepness(spline: Any, x: Any, nu: int) -> Any:
    """Return a derivative of what an object of `interp1d` interpolates."""
    kind, last = vars(spline)["_kind"], len(spline.x) - 1
    y = np.moveaxis(np.asarray(spline.y), spline.axis, 0)
    if kind == "linear" and nu == 1:
        right = np.clip(np.searchsorted(spline.x, x), 1, last)
        run = np.reshape(spline.x[right] - spline.x[right - 1], x.shape + (1,) * (y.ndim - 1))
        slope = (y[right] - y[right - 1]) / run
    elif kind in ("linear", "nearest", "nearest-up", "previous", "next"):
        slope = np.zeros(x.shape + y.shape[1:])
    else:
        slope = np.reshape(vars(spline)["_spline"](np.ravel(x), nu), x.shape + y.shape[1:])
    if not isinstance(spline.fill_value, str):
        outside = np.logical_or(x < spline.x[0], x > spline.x[-1])
        slope = np.where(np.reshape(outside, x.shape + (1,) * (y.ndim - 1)), 0, slope)
    ends = range(x.ndim), range(spline.axis, spline.axis + x.ndim)
    return np.moveaxis(slope, *ends)


def bspline(t: Any, c: Any, k: int, x: Any, nu: int = 0) -> Any:
    """Return what splines with coefficients c say at points, as ``splev`` does."""
    for item in (c, x):
        if records(item):
            args = (t, c, k, x, nu)
            return type(item).__array_function__(item, bspline, (type(item),), args, {})
    if nu > k:
        return np.zeros(np.shape(x))[()]
    return np.asarray(interpolate.splev(x, (t, c, k), nu))[()]


@recordable
def spline_basis(t: Any, k: int, x: Any, nu: int = 0) -> Any:
    """Return what each spline on some knots says at points, or at the end that is next to them.

    >>> spline_basis(np.array([0.0, 0.0, 1.0, 1.0]), 1, np.array([0.25, 2.0]))
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    count = len(t) - k - 1
    if nu > k:
        return np.zeros((*np.shape(x), count))
    inside = np.clip(x, t[k], t[count])
    return interpolate.BSpline(np.asarray(t), np.eye(count), k)(inside, nu)


@recordable
def bspline_back(grad: Any, t: Any, shape: Any, k: int, x: Any, nu: int) -> Any:
    """Return the gradient of the coefficients of splines."""
    count = len(t) - k - 1
    if nu > k:
        return np.zeros(shape)
    flat = np.ravel(x)
    if nu == 0:
        basis = interpolate.BSpline.design_matrix(flat, t, k, extrapolate=True)
        found = fixed_product(basis.T.tocsr(), np.ravel(grad))
    else:
        rows = [interpolate.splev(flat, (t, unit, k), nu) for unit in np.eye(count)]
        found = np.stack(rows) @ np.ravel(grad)
    return np.concatenate([found, np.zeros_like(found, shape=(shape[0] - count,))])


def summed_to_points(whole: Any, x: Any, axis: int) -> Any:
    """Sum a gradient of interpolated values over all axes but those of the points."""
    rest = np.ndim(whole) - np.ndim(x)
    if rest == 0:
        return whole
    others = (*range(axis), *range(axis + np.ndim(x), np.ndim(whole)))
    return np.sum(whole, axis=others)


def axis_of(spline: Any) -> int:
    """Return the axis along which an object interpolates."""
    return int(getattr(spline, "axis", 0))


def axis_made(make: Any, values: Any) -> int:
    """Return the axis along which an object that `make` makes interpolates."""
    given = inspect.signature(_made_by(make)).parameters.get("axis")
    axis = 0 if given is None else _options(make).get("axis", given.default)
    return int(axis) % max(np.ndim(values), 1)


def unknown_knots(make: Any) -> Any:
    """Refuse the gradient of knots."""
    raise MissingRuleError(
        f"`{_made_by(make).__name__}` has no derivative rule in its knots",
        hint="keep the knots constant, or interpolate with np.interp",
    )


def values_back(grad: Any, make: Any, knots: Any, values: Any, x: Any, nu: int) -> Any:
    """Return the gradient of the values between which is interpolated."""
    _check_linear(make)
    axis, points = axis_made(make, values), np.ndim(x)
    weights = _weights(make, knots, np.shape(values)[axis], x, nu)
    moved = np.moveaxis(grad, tuple(range(axis, axis + points)), tuple(range(points)))
    pulled = np.tensordot(weights, moved, (tuple(range(points)), tuple(range(points))))
    return np.moveaxis(pulled, 0, axis)


def _weights(make: Any, knots: Any, count: int, x: Any, nu: int) -> Any:
    """Return what each of `count` values contributes to what is interpolated."""
    units = np.eye(count)
    if _made_by(make) in _MADE_ON_A_LINE:
        return np.stack([interpolation(make, knots, unit, x, nu) for unit in units], axis=-1)
    along = functools.partial(make, axis=0)
    whole = interpolation(along, knots, units, x, nu)
    if nu or isinstance(_options(make).get("fill_value", ""), str):
        return whole
    return whole - interpolation(along, knots, 0 * units, x, nu)


def _made_by(make: Any) -> Any:
    return make.func if isinstance(make, functools.partial) else make


def _options(make: Any) -> Any:
    return make.keywords if isinstance(make, functools.partial) else {}


def _check_linear(make: Any) -> None:
    name = _made_by(make).__name__
    if not is_linear_in_values(_made_by(make), _options(make)):
        raise MissingRuleError(
            f"`{name}` has no derivative rule in the values between which it interpolates",
            hint="use CubicSpline or make_interp_spline, or say how smooth (s=0, lam=...)",
        )
    ends = _options(make).get("bc_type")
    if not (ends is None or (isinstance(ends, str) and ends != "periodic")):
        raise MissingRuleError(
            f"`{name}` with bc_type={ends!r} has no derivative rule in its values",
            hint="use a bc_type such as 'natural', 'clamped' or 'not-a-knot'",
        )
