"""Answers for every public name of NumPy and SciPy whether it is differentiated, and if not why."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Mapping
from fnmatch import fnmatchcase
from types import ModuleType
from typing import Any

import numpy as np
import scipy

from srcgrad.rules.equivalents.table import EQUIVALENTS
from srcgrad.rules.library import canonical_name, constant_reason, rule_for
from srcgrad.rules.scipy import every_written_function
from srcgrad.rules.scipy.sparse_matrices import WRITTEN
from srcgrad.runtime.interpolators import makes_interpolator

ANSWERS = ("differentiable", "constant", "does not exist", "not yet")

NUMPY = (
    *("numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.lib", "numpy.emath"),
    *("numpy.lib.stride_tricks", "numpy.polynomial", "numpy.polynomial.polynomial", "numpy.char"),
    *("numpy.ma", "numpy.rec", "numpy.strings", "numpy.ctypeslib", "numpy.testing", "numpy.dtypes"),
    *("numpy.exceptions", "numpy.typing"),
)
SCIPY = (
    *("scipy.cluster", "scipy.cluster.hierarchy", "scipy.cluster.vq", "scipy.constants"),
    *("scipy.datasets", "scipy.differentiate", "scipy.fft", "scipy.fftpack", "scipy.integrate"),
    *("scipy.interpolate", "scipy.io", "scipy.linalg", "scipy.ndimage", "scipy.odr"),
    *("scipy.optimize", "scipy.signal", "scipy.signal.windows", "scipy.sparse", "scipy.spatial"),
    *("scipy.sparse.csgraph", "scipy.sparse.linalg", "scipy.spatial.distance", "scipy.special"),
    *("scipy.spatial.transform", "scipy.stats", "scipy.stats.mstats", "scipy.stats.qmc"),
)
PYTHON = ("math", "operator", "builtins")
NO_FUNCTIONS = {"core", "f2py", "ctypeslib"}
"""Public modules of NumPy that hold nothing to calculate with."""

BY_LANGUAGE = {f"numpy.{name}" for name in ("copyto", "fill_diagonal", "place", "put", "putmask")}
"""Functions that write into an array, which the compiler reads as stores."""

FROM_SOURCE = (
    *(np.piecewise, np.frompyfunc, np.fromfunction, np.fromiter, np.vectorize, np.poly1d),
    *(np.polynomial.Polynomial, *WRITTEN),
)
"""What the compiler reads as what it stands for."""

FILES = "reads or writes files"
SETUP = "is about types, memory, messages or the installation"
DATES = "is about dates"
TEXT = "is about text"
BITS = "is about bits, sets or counts"
WHOLE = "returns whole numbers or an order that jumps"
RANDOM = "draws whole numbers, bits or an order"
GRAPHS = "is about graphs or groups of points"
OUTSIDE: Mapping[str, str] = {
    **dict.fromkeys(("*.load", "*.loadtxt", "*.save", "*.savez*", "*.savetxt"), FILES),
    **dict.fromkeys(("*.genfromtxt", "*.fromfile", "*.fromregex", "*.memmap", "*.fromtxt"), FILES),
    **dict.fromkeys(("scipy.io.*", "scipy.datasets.*"), FILES),
    **dict.fromkeys(("*.show_*", "*.info", "*.test", "*.get_include", "*.*printoptions"), SETUP),
    **dict.fromkeys(("*.*etbufsize", "*.*eterrcall", "*.geterr", "*.seterr", "*.errstate"), SETUP),
    **dict.fromkeys(("*.isdtype", "*.typename", "*.mintypecode", "*.einsum_path"), SETUP),
    **dict.fromkeys(("*.frombuffer", "*.from_dlpack", "*.isfortran", "*.nested_iters"), SETUP),
    **dict.fromkeys(("*.nditer", "*.flatiter", "*.broadcast", "*.ufunc", "*.ndarray"), SETUP),
    **dict.fromkeys(("numpy.testing.*", "numpy.typing.*", "numpy.ctypeslib.*"), SETUP),
    **dict.fromkeys(("numpy.dtypes.*", "numpy.exceptions.*", "numpy.lib.[!s]*"), SETUP),
    **dict.fromkeys(("scipy.special.errprint", "scipy.constants.*"), SETUP),
    **dict.fromkeys(("*busday*", "*.datetime*", "*.timedelta64"), DATES),
    **dict.fromkeys(("numpy.char.*", "numpy.strings.*", "*.base_repr", "*.binary_repr"), TEXT),
    **dict.fromkeys(("*.fromstring", "*.format_float_scientific"), TEXT),
    **dict.fromkeys(("*.packbits", "*.unpackbits", "*.bitwise_count"), BITS),
    **dict.fromkeys(("*.stirling2", "*.bernoulli", "*.euler", "*.rankdata", "*.mode"), WHOLE),
    **dict.fromkeys(("*.find_peaks*", "*.argrel*", "scipy.ndimage.label"), WHOLE),
    **dict.fromkeys(("scipy.ndimage.binary_*", "scipy.ndimage.find_objects"), WHOLE),
    **dict.fromkeys(("*.linear_sum_assignment", "*.Delaunay", "*.ConvexHull", "*.KDTree"), WHOLE),
    **dict.fromkeys(("*.cKDTree", "*.Voronoi", "*.tsearch", "*.Rectangle"), WHOLE),
    **{
        f"numpy.random.{name}": RANDOM
        for name in (
            *("binomial", "bytes", "geometric", "get_state", "hypergeometric", "logseries"),
            *("multinomial", "negative_binomial", "poisson", "random_integers", "set_state"),
            *("zipf", "SeedSequence", "MT19937", "Philox", "PCG64", "PCG64DXSM", "SFC64"),
            *("BitGenerator", "ranf", "sample", "standard_*", "Generator"),
        )
    },
    **dict.fromkeys(("scipy.stats.qmc.*", "scipy.stats.random_*"), RANDOM),
    **dict.fromkeys(("scipy.sparse.csgraph.*", "scipy.cluster.*"), GRAPHS),
}
"""Names that have no derivative, by patterns, with the reason; later patterns do not count."""


def members(module: str) -> dict[str, Any]:
    """Return the public functions and classes of a module; no constants, modules and errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of modules that are to go
        owner = np.emath if module == "numpy.emath" else importlib.import_module(module)
    found: dict[str, Any] = {}
    for name in sorted(set(getattr(owner, "__all__", dir(owner)))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = getattr(owner, name, None)
        is_error = isinstance(value, type) and issubclass(value, Exception)
        if not (name.startswith("_") or is_error) and callable(value):
            found[name] = value
    return found


def outside(path: str, value: Any) -> str | None:
    """Return why a function has no derivative that the tables do not know of, if it has none."""
    if isinstance(value, type) and issubclass(value, np.generic):
        return SETUP
    return next((why for pattern, why in OUTSIDE.items() if fnmatchcase(path, pattern)), None)


@functools.cache
def written_names() -> frozenset[str]:
    """Return the names of SciPy's functions and methods that are written out with others."""
    return frozenset(map(canonical_name, every_written_function()))


def answer(module: str, name: str, value: Any, described: Mapping[str, Any]) -> str:
    """Return one of the four answers for a public name; `described` are the names with specs."""
    known = name in described or any(item.startswith(f"{name}.") for item in described)
    known = known or any(
        value is item for item in (*EQUIVALENTS, *every_written_function(), *FROM_SOURCE)
    )
    path = f"{module}.{name}"
    known = known or any(f"{item}.".startswith(f"{path}.") for item in written_names())
    if known or rule_for(value) or makes_interpolator(value) or f"{module}.{name}" in BY_LANGUAGE:
        return "differentiable"
    if constant_reason(value) is not None:
        return "constant"
    return "not yet" if outside(f"{module}.{name}", value) is None else "does not exist"


def answers(module: str, described: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the public names of a module by their answers."""
    found: dict[str, list[str]] = {word: [] for word in ANSWERS}
    for name, value in members(module).items():
        found[answer(module, name, value, described)].append(name)
    return found


def unlisted_modules() -> set[str]:
    """Return public modules of NumPy and SciPy that the lists above do not name."""
    listed = {*NUMPY, *SCIPY}
    of_numpy = {
        f"numpy.{name}"
        for name in dir(np)
        if isinstance(getattr(np, name, None), ModuleType) and not name.startswith("_")
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # some say that they will go
        of_scipy = {
            f"scipy.{name}"
            for name in scipy.__all__
            if isinstance(getattr(scipy, name, None), ModuleType)
        }
    return (of_numpy | of_scipy) - listed - {f"numpy.{name}" for name in NO_FUNCTIONS}
