"""Tells the interpolating objects of SciPy, which is not imported for it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

_MAKERS: Final = frozenset(
    {
        "Akima1DInterpolator",
        "BarycentricInterpolator",
        "CubicSpline",
        "InterpolatedUnivariateSpline",
        "KroghInterpolator",
        "LSQUnivariateSpline",
        "PchipInterpolator",
        "UnivariateSpline",
        "interp1d",
        "make_interp_spline",
        "make_lsq_spline",
        "make_smoothing_spline",
    }
)
_LINEAR: Final = _MAKERS - {"Akima1DInterpolator", "PchipInterpolator"}
_IF_GIVEN: Final = {"UnivariateSpline": "s", "make_smoothing_spline": "lam"}
"""What must be given so that the object is linear in its values: no smoothing, or a fixed one."""
_KINDS: Final = frozenset(name for name in _MAKERS if name[0].isupper() or name == "interp1d") | {
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


def law_of(frozen: Any) -> Any:
    """Return the distribution of SciPy that a frozen one has a copy of, None if it is another's."""
    law = getattr(sys.modules["scipy.stats"], frozen.dist.name, None)
    return law if type(law) is type(frozen.dist) else None


def stands_for_object(value: Any) -> bool:
    """Say whether a class of SciPy is read as one of ours, whatever it is made of."""
    module = getattr(value, "__module__", None)
    known = isinstance(module, str) and module.startswith(("scipy.stats", "scipy.interpolate"))
    return known and isinstance(value, type) and value.__name__ in _OBJECTS


_OBJECTS: Final = frozenset(
    {"gaussian_kde", "RegularGridInterpolator", "BSpline", "PPoly", "CubicHermiteSpline"}
)


def estimates_density(value: Any) -> bool:
    """Say whether a value is an estimate of a density by kernels."""
    return stands_for_object(type(value)) and type(value).__name__ == "gaussian_kde"


def interpolates_on_grid(value: Any) -> bool:
    """Say whether a value is an object that interpolates on a rectangular grid."""
    return _is_of(type(value), frozenset({"RegularGridInterpolator"}))


def is_linear_in_values(make: Any, options: Mapping[str, Any]) -> bool:
    """Say whether what an object interpolates is linear in the values that it is made of.

    Options that are no numbers of Python are read from the syntax of a constant.
    """
    name = make.__name__
    given = options.get(_IF_GIVEN.get(name, ""))
    given = getattr(given, "value", given)
    if name == "UnivariateSpline":
        return given == 0
    return name in _LINEAR and (name not in _IF_GIVEN or given is not None)


def _is_of(value: Any, names: frozenset[str]) -> bool:
    module = getattr(value, "__module__", None)
    known = isinstance(module, str) and module.startswith("scipy.interpolate")
    return known and getattr(value, "__name__", None) in names
