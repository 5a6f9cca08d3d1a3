"""Tells the interpolating objects of SciPy, which is not imported for it."""

from __future__ import annotations

from typing import Any, Final

_MAKERS: Final = frozenset(
    {
        "Akima1DInterpolator",
        "CubicSpline",
        "InterpolatedUnivariateSpline",
        "PchipInterpolator",
        "UnivariateSpline",
        "interp1d",
        "make_interp_spline",
    }
)
_LINEAR: Final = frozenset(
    {"CubicSpline", "InterpolatedUnivariateSpline", "interp1d", "make_interp_spline"}
)
_KINDS: Final = (_MAKERS - {"make_interp_spline"}) | {
    "BSpline",
    "CubicHermiteSpline",
    "LSQUnivariateSpline",
    "PPoly",
}


def makes_interpolator(value: Any) -> bool:
    """Say whether a class or function makes an object that interpolates values at knots."""
    return _is_of(value, _MAKERS) and callable(value)


def is_interpolator(value: Any) -> bool:
    """Say whether a value is an object that interpolates along one axis."""
    return _is_of(type(value), _KINDS)


def is_distribution(value: Any) -> bool:
    """Say whether a value is a distribution of SciPy, such as ``stats.norm``."""
    module = getattr(type(value), "__module__", "")
    return isinstance(module, str) and module.startswith("scipy.stats") and hasattr(value, "rvs")


def is_frozen_law(value: Any) -> bool:
    """Say whether a value is a distribution of one variable that holds its parameters."""
    return is_distribution(value) and {"dist", "args", "kwds"} <= vars(value).keys()


def stands_for_object(value: Any) -> bool:
    """Say whether a class of SciPy is read as one of ours, whatever it is made of."""
    module = getattr(value, "__module__", None)
    known = isinstance(module, str) and module.startswith(("scipy.stats", "scipy.interpolate"))
    return known and isinstance(value, type) and value.__name__ in _OBJECTS


_OBJECTS: Final = frozenset({"gaussian_kde", "RegularGridInterpolator"})


def estimates_density(value: Any) -> bool:
    """Say whether a value is an estimate of a density by kernels."""
    return stands_for_object(type(value)) and type(value).__name__ == "gaussian_kde"


def interpolates_on_grid(value: Any) -> bool:
    """Say whether a value is an object that interpolates on a rectangular grid."""
    return _is_of(type(value), frozenset({"RegularGridInterpolator"}))


def is_linear_in_values(make: Any) -> bool:
    """Say whether what an object interpolates is linear in the values that it is made of."""
    return make.__name__ in _LINEAR


def _is_of(value: Any, names: frozenset[str]) -> bool:
    module = getattr(value, "__module__", None)
    known = isinstance(module, str) and module.startswith("scipy.interpolate")
    return known and getattr(value, "__name__", None) in names
