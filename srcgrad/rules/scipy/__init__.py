"""Finds the rules of SciPy's functions; SciPy is imported when its first function comes in."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from srcgrad.errors import InternalError

FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scipy.special": (
            "bessel",
            "bessel_relatives",
            "convenience",
            "distribution_functions",
            "elliptic",
            "error_functions",
            "gamma_functions",
            "polynomials",
            "quantile_functions",
        ),
        "scipy.stats": (
            "discrete_distributions",
            "joint_distributions",
            "location_distributions",
            "normal_distributions",
            "other_distributions",
            "positive_distributions",
            "sample_statistics",
            "student_distribution",
        ),
        "scipy.fft": ("transforms",),
        "scipy.signal": ("signals",),
        "scipy.ndimage": ("images", "image_maps"),
        "scipy.interpolate": ("grids", "interpolation"),
        "scipy.integrate": ("integrals", "equations"),
        "scipy.optimize": ("roots", "solutions"),
        "scipy": ("sparse_questions",),
        "scipy.sparse": ("sparse_questions",),
        "scipy.sparse.linalg": ("sparse_systems",),
        "scipy.spatial.distance": ("distances",),
        "scipy.linalg": ("factorisations", "linear_systems", "matrix_functions"),
    }
)
"""The files of rules of each of SciPy's packages."""

WRITTEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scipy.fft": ("transform_functions",),
        "scipy.fftpack": ("transform_functions",),
        "scipy.integrate": ("parabolas", "quadratures"),
        "scipy.interpolate": ("grids", "hermite_splines"),
        "scipy.linalg": ("matrix_forms",),
        "scipy.ndimage": ("image_functions", "image_statistics", "ranked_filters"),
        "scipy.optimize": ("solved_systems",),
        "scipy.signal": ("filter_functions", "ranked_filters", "spectra"),
        "scipy.spatial": ("distance_functions",),
        "scipy.special": ("special_functions",),
        "scipy.stats": (
            "kernel_density",
            "law_functions",
            "law_moments",
            "sample_functions",
            "sample_tests",
        ),
    }
)
"""The files of functions of each package that are written out with others."""


class Tables(NamedTuple):
    """The rules of one package, and its functions without a derivative with the reason."""

    RULES: Mapping[Any, Any]
    CONSTANT: Mapping[Any, str]


_EMPTY = Tables(MappingProxyType({}), MappingProxyType({}))


def tables(name: str) -> Tables:
    """Return the tables of the package that the function with a canonical name belongs to."""
    return package_tables(name.rpartition(".")[0])


@functools.cache
def package_tables(package: str) -> Tables:
    """Return the tables of a package such as ``scipy.special``, or of what is part of one."""
    while package not in FILES:
        package = package.rpartition(".")[0]
        if not package:
            return _EMPTY
    rules: dict[Any, Any] = {}
    constants: dict[Any, str] = {}
    for file in FILES[package]:
        module = importlib.import_module(f"{__name__}.{file}")
        for primal, rule in module.RULES.items():
            if primal in rules:
                raise InternalError(f"{primal!r} has two entries in the rule tables")
            rules[primal] = rule
        constants.update(getattr(module, "CONSTANT", {}))
    return Tables(MappingProxyType(rules), MappingProxyType(constants))


@functools.cache
def written_functions(package: str) -> Mapping[Any, Any]:
    """Return the equivalents of the functions of a package such as ``scipy.signal``."""
    while package not in WRITTEN and package:
        package = package.rpartition(".")[0]
    found: dict[Any, Any] = {}
    for file in WRITTEN.get(package, ()):
        found |= importlib.import_module(f"{__name__}.{file}").EQUIVALENTS
    return MappingProxyType(found)


def every_written_function() -> dict[Any, Any]:
    """Return the equivalents of all packages; this imports SciPy."""
    return {fn: entry for package in WRITTEN for fn, entry in written_functions(package).items()}


def every_rule() -> dict[Any, Any]:
    """Return the rules of all packages; this imports SciPy."""
    return {fn: rule for package in FILES for fn, rule in package_tables(package).RULES.items()}


def is_special(ufunc: Any) -> bool:
    """Say whether a ufunc is one of ``scipy.special``."""
    special = sys.modules.get("scipy.special")
    return getattr(special, ufunc.__name__, None) is ufunc


def public_name(fn: Any, module: str, name: str) -> str:
    """Return the public name of a function of SciPy, given where it is defined."""
    parts = module.split(".")
    private = next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))
    package = ".".join(parts[:private])
    owner = getattr(fn, "__self__", None)
    if owner is None:
        return f"{package}.{name}"
    stats = sys.modules.get("scipy.stats")
    known = (getattr(owner, "name", None), type(owner).__name__.removesuffix("_gen"))
    for each in known:
        if isinstance(each, str) and getattr(stats, each, None) is owner:
            return f"{package}.{each}.{fn.__name__}"
    return f"{package}.{name}"
