"""Merges the rules of all files, read-only, and finds the rule of a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, MappingProxyType, NoneType
from typing import Any, Final

import numpy as np

from srcgrad.errors import InternalError
from srcgrad.primitives import PACKAGES, constants
from srcgrad.rules import (
    adjoints,
    arithmetic,
    arranging,
    binary,
    builtin,
    calculus,
    casting,
    complex_parts,
    creation,
    cumulative,
    decompositions,
    diagonals,
    distinct,
    draws,
    elementwise,
    extremes,
    fitting,
    fourier,
    idioms,
    indexing,
    internal,
    joining,
    linalg,
    mathematics,
    nondiff,
    number_pairs,
    ordering,
    products,
    reductions,
    scipy,
    shapes,
    sharing,
    solving,
    special,
    statistics,
    ufunc_methods,
)
from srcgrad.rules.base import Function
from srcgrad.runtime.reporters import is_reporter
from srcgrad.runtime.wrappers import module_of

Primal = Callable[..., Any]
_PLAIN: Final = (NoneType, bool, int, float, str)

_MODULES = (
    adjoints,
    arithmetic,
    arranging,
    binary,
    builtin,
    calculus,
    casting,
    complex_parts,
    creation,
    cumulative,
    decompositions,
    diagonals,
    distinct,
    draws,
    elementwise,
    extremes,
    fitting,
    fourier,
    idioms,
    indexing,
    internal,
    joining,
    linalg,
    mathematics,
    number_pairs,
    ordering,
    products,
    reductions,
    shapes,
    sharing,
    solving,
    special,
    statistics,
    ufunc_methods,
)


def _merge() -> dict[Primal, type[Function]]:
    """Put the tables together; a function with two rules is a mistake."""
    merged: dict[Primal, type[Function]] = {}
    for module in _MODULES:
        for primal, rule in module.RULES.items():
            if primal in merged or primal in nondiff.CONSTANT:
                raise InternalError(f"{primal!r} has two entries in the rule tables")
            merged[primal] = rule
    return merged


RULES: Mapping[Primal, type[Function]] = MappingProxyType(_merge())
CONSTANT: Mapping[Primal, str] = nondiff.CONSTANT


def canonical_name(fn: Any) -> str:
    """Return the public name of `fn`, by which functions of other array libraries are found.

    >>> canonical_name(np.tanh), canonical_name(np.linalg.inv), canonical_name(abs)
    ('numpy.tanh', 'numpy.linalg.inv', 'builtins.abs')
    >>> canonical_name(np.add.reduce)
    'numpy.add.reduce'
    """
    try:
        known = _NAMES.get(fn)
    except TypeError:  # not hashable, so none that has a rule
        known = None
    return _name_of(fn) if known is None else known


def _name_of(fn: Any) -> str:
    owner = getattr(fn, "__self__", None)
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    if _is_ufunc(owner):
        return f"{_name_of(owner)}.{getattr(fn, '__name__', name)}"
    if _is_ufunc(fn):
        return _ufunc_name(fn)
    module = module_of(fn) or type(fn).__module__
    if module.startswith("scipy."):
        return scipy.public_name(fn, module, name)
    return f"{module}.{name}"


def _is_ufunc(fn: Any) -> bool:
    """Say whether `fn` is a ufunc, of NumPy or another library: what has a number of inputs.

    An object that answers to any name by `__getattr__` is none.
    """
    return isinstance(fn, np.ufunc) or inspect.getattr_static(fn, "nin", None) is not None


def _ufunc_name(fn: Any) -> str:
    """Return the name of a ufunc, which does not know its module."""
    name = getattr(fn, "__name__", "ufunc")
    if name.startswith("cupy_"):
        return f"cupy.{name.removeprefix('cupy_')}"
    if getattr(np, name, None) is fn:
        return f"numpy.{name}"
    return f"scipy.special.{name}" if scipy.is_special(fn) else f"{type(fn).__module__}.{name}"


def numpy_name(name: str) -> str:
    """Read the name of a CuPy function as that of NumPy's function of the same meaning.

    >>> numpy_name("cupy._math.sumprod.sum"), numpy_name("cupy.linalg._solve.inv")
    ('numpy.sum', 'numpy.linalg.inv')
    """
    if not name.startswith("cupy."):
        return name
    parts = name.split(".")
    space = [part for part in parts[1:2] if part in {"linalg", "fft", "random"}]
    return ".".join(("numpy", *space, parts[-1]))


_NAMES: Mapping[Primal, str] = {primal: _name_of(primal) for primal in [*RULES, *CONSTANT]}
_RULES_BY_NAME = {_NAMES[primal]: rule for primal, rule in RULES.items()}
_CONSTANT_BY_NAME = {_NAMES[primal]: reason for primal, reason in CONSTANT.items()}


def rule_for(fn: Any) -> type[Function] | None:
    """Return the rule of `fn`: by the object, its own, or by its canonical name; None for none."""
    try:
        found = RULES.get(fn)
    except TypeError:  # not hashable, so no key of the table
        return None
    if found is None and is_draw(fn):
        found = RULES.get(draws.DRAWS.get(fn.__name__, fn))
    if found is None:
        found = vars(fn).get("__srcgrad_rule__") if hasattr(fn, "__dict__") else None
    return found if found is not None else _foreign(fn, _RULES_BY_NAME, "RULES")


def calculates_in_integers(fn: Any, dtype: Any) -> bool:
    """Say whether a function that takes this dtype calculates in it, and it is one of integers.

    Conversions, as of `np.asarray`, have rules that know of dtypes.
    """
    rule = rule_for(fn)
    if dtype is None or rule is None or rule.__module__ in (casting.__name__, creation.__name__):
        return False
    try:
        return np.dtype(dtype).kind in "iub"
    except TypeError:
        return False


def is_default(fn: Any, name: str, value: Any) -> bool:
    """Say whether a call that gives an argument this value does what it does without it.

    >>> is_default(np.sum, "out", None), is_default(np.sum, "axis", 0)
    (True, False)
    """
    default = _defaults_of(fn).get(name, inspect.Parameter.empty)
    return type(value) is type(default) and value == default


@functools.cache
def _defaults_of(fn: Any) -> Mapping[str, Any]:
    """Return what a function takes for arguments that are left out, where that is plain."""
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):  # of some functions in C nobody knows it
        return {}
    defaults = {name: item.default for name, item in parameters.items()}
    return {k: v for k, v in defaults.items() if isinstance(v, _PLAIN)}


def is_draw(fn: Any) -> bool:
    """Say whether a function is a method of one of NumPy's random generators."""
    owner = getattr(fn, "__self__", None)
    return isinstance(owner, (np.random.Generator, np.random.RandomState))


def is_report(fn: Any) -> bool:
    """Say whether a function has no result but what it tells: to a log, a file, or a reader."""
    return constant_reason(fn) == constants.REPORT


def constant_reason(fn: Any) -> str | None:
    """Return why `fn` has no derivative, or None if it is not known to have none."""
    try:
        found = CONSTANT.get(fn)
    except TypeError:
        return None
    if found is None and hasattr(fn, "__srcgrad_constant__"):
        found = constants.PYTHON
    if found is None and is_reporter(getattr(fn, "__self__", None)):
        found = constants.REPORT
    if found is None and isinstance(fn, (FunctionType, BuiltinFunctionType)):
        said = PACKAGES.get(module_of(fn))
        found = None if said is None else said.reason
    return found if found is not None else _foreign(fn, _CONSTANT_BY_NAME, "CONSTANT")


def _foreign(fn: Any, by_name: Mapping[str, Any], table: str) -> Any:
    """Look up a function of CuPy or SciPy.

    Functions of NumPy and Python are found by the object: a user's `sum` is not ours.
    """
    name = canonical_name(fn)
    if name.startswith("scipy."):
        return getattr(scipy.tables(name), table).get(fn)
    return by_name.get(numpy_name(name)) if name.startswith("cupy.") else None
