"""Makes what stands in for NumPy's, Python's and math's functions in plain code on the tape.

NumPy tells tensors of most calls. It does not of those that make new arrays (``np.zeros(3)``,
``np.array([t, u])``), and Python does not of ``float(t)``, ``type(t)`` and ``math.sin(t)``.
Outside strict mode every stand-in does what it stands for.
"""

from __future__ import annotations

import ast
import cmath
import functools
import json
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.backends.jit import is_jitted, of_elements
from srcgrad.tape.core import USUAL_OPERANDS, Core, make
from srcgrad.tape.extremes import sharing
from srcgrad.tape.lacking import has, hidden, lacking
from srcgrad.tape.loops import LOOPS, Interpreted, InterpretedElements, Vectorized
from srcgrad.tape.modes import STATE
from srcgrad.tape.nesting import as_operand, gives_array, to_array
from srcgrad.tape.number_stand_ins import (
    JOINERS,
    KINDS,
    Complex,
    NumberType,
    apply_rule,
    converting,
    has_tensor,
    number_of,
    of_numbers,
)
from srcgrad.tape.protocols import call_function
from srcgrad.tape.pynumbers import as_python, plain
from srcgrad.tape.scipy_calls import is_scipy, named_class, recording
from srcgrad.tape.texts import OF_NUMPY, READERS, reading, refuse_spoken

FRESH = (
    "zeros", "ones", "empty", "full", "eye", "identity", "tri", "arange", "linspace", "logspace",
    "geomspace", "zeros_like", "ones_like", "empty_like", "full_like", "fromiter", "copy", "tile",
    "repeat", "concatenate", "stack", "vstack", "hstack", "column_stack", "diag", "array",
    "asarray", "asanyarray", "ascontiguousarray", "asfortranarray",
)  # fmt: skip
TAKING = (
    "sum", "mean", "prod", "max", "min", "amax", "amin", "std", "var", "median", "average", "ptp",
    "dot", "inner", "outer", "vdot", "cross", "kron", "cumsum", "cumprod", "diff", "sort",
    "argmax", "argmin", "argsort", "clip", "interp", "percentile", "quantile", "trapezoid",
    "any", "all", "nansum", "nanmean", "nanmax", "nanmin", "reshape", "transpose", "ravel",
    "convolve", "polyval", "where", "round", "real", "imag", "flip", "roll", "size", "shape",
    "ndim", "array_equal", "allclose", "isclose", "trace", "broadcast_to", "expand_dims",
)  # fmt: skip
_OF_TEXTS = frozenset(("array", "asarray", "asanyarray", "full", "full_like"))
_CONVERSIONS = frozenset(("asarray", "asanyarray", "ascontiguousarray", "asfortranarray"))


def buffer(result: Any, args: tuple[Any, ...]) -> Any:
    """Return a new array of floats as a tensor, since active values may be written into it."""
    if type(result) is not np.ndarray or result.dtype.kind not in "fc":
        return result
    for arg in args:
        if isinstance(arg, np.ndarray) and np.may_share_memory(arg, result):
            return result
    made = make(result)
    made._is_array = not result.ndim
    return made


def _making(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for a function that makes arrays."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not STATE.strict:
            return function(*args, **kwargs)
        if args and gives_array(type(args[0])):
            args = (as_operand(args[0]), *args[1:])
        if name == "fromiter":
            items = list(args[0])[: kwargs.pop("count", None)]
            refuse_spoken(items)
            return to_array(items, *args[1:2], **kwargs)
        if not has_tensor(args, kwargs):
            if STATE.spoken and name in _OF_TEXTS:
                refuse_spoken(args)
            return buffer(function(*args, **kwargs), args)
        if name == "array":
            return to_array(*args, **kwargs)
        if name in _CONVERSIONS:
            return _converted(function, *args, **kwargs)
        if name == "arange":
            args, kwargs = _spread_range(args, kwargs)
        result = call_function(function, args, kwargs)
        return result if isinstance(result, Core) else buffer(result, args)

    return call


def _spread_range(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Give the start of `arange`, which may be called with the stop alone."""
    starts = len(args) > 1 or "start" in kwargs or (len(args) == 1 and "stop" in kwargs)
    return (args, kwargs) if starts else ((0, *args), kwargs)


def _converted(function: Callable[..., Any], a: Any, dtype: Any = None, **kw: Any) -> Any:
    """Convert to an array: the same object if it is one of that type and order, else a copy."""
    if not isinstance(a, Core) or not isinstance(a, np.ndarray):
        made = to_array(a, dtype, **kw)
        is_vector = np.ndim(made) or not np.ndim(function(0.0))  # some make a vector of a number
        return made if is_vector else call_function(np.atleast_1d, (made,), {})
    if function(a._array, dtype, **kw) is a._array:
        return a
    return apply_rule(function, (a, dtype), kw)


def _taking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for a function of arrays, for which lists of tensors may stand."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.strict:
            args = tuple(map(as_operand, args))
            kwargs = {key: as_operand(value) for key, value in kwargs.items()}
        return function(*args, **kwargs)

    return call


class TakingUfunc:
    """What stands in for a ufunc, to which NumPy hands lists of tensors as arrays of objects."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.__wrapped__ = ufunc
        self.reduce = _taking(ufunc.reduce)
        self.accumulate = _taking(ufunc.accumulate)
        self.outer = _taking(ufunc.outer)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if STATE.strict and any(type(arg) not in USUAL_OPERANDS for arg in args):
            args = tuple(map(as_operand, args))
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __eq__(self, other: object) -> bool:
        return other is self.__wrapped__ or other is self

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    __class__ = property(lambda _: np.ufunc)


# -- float and type --------------------------------------------------------------------------------


class _FloatType(NumberType):
    def __call__(self, value: Any = 0.0, /) -> Any:
        value = number_of(value) if STATE.strict else value
        if STATE.strict and isinstance(value, Core):
            return _to_float(value)
        if STATE.spoken and isinstance(value, str):
            refuse_spoken(value)
        return float(value)


Float = _FloatType("float", (float,), {"dtype": np.dtype(float), "__module__": "builtins"})


def _to_float(value: Core) -> Any:
    if value._array.size != 1 or value._array.dtype.kind == "c":
        return float(value._array)  # Python's or NumPy's own error
    return as_python(value)


class _Type:
    """What stands in for `type`: a question about a tensor gets the answer for its array."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or not STATE.strict:
            return type(*args, **kwargs)
        (value,) = args
        kind = value.__class__ if isinstance(value, Core) else named_class(value)
        return Float if kind is float else kind

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, type)

    def __subclasscheck__(self, subclass: Any) -> bool:
        return issubclass(subclass, type)

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (type,)

    def __getattr__(self, name: str) -> Any:
        return getattr(type, name)

    def __eq__(self, other: object) -> bool:
        return other is self or other is type

    def __hash__(self) -> int:
        return hash(type)


# a tensor has methods that the number it stands for has not, so its own type tells too much


def _isinstance(value: Any, kinds: Any) -> bool:
    if not STATE.strict or not isinstance(value, Core):
        return isinstance(value, kinds)
    return issubclass(value.__class__, kinds)


def _hasattr(value: Any, name: str) -> bool:
    stands = STATE.strict and isinstance(value, Core)
    return has(value.__class__, name) if stands else hasattr(value, name)


def _getattr(value: Any, name: str, *default: Any) -> Any:
    if isinstance(value, Core) and hidden(value, name):
        if not default:
            raise lacking(value, name)
        return default[0]
    return getattr(value, name, *default)


def _setattr(value: Any, name: str, new: Any) -> None:
    if isinstance(value, Core) and hidden(value, name):
        raise lacking(value, name)
    setattr(value, name, new)


class Uncached:
    """What stands in for a function under `lru_cache`: values of other runs must not be met.

    Within one run the same objects give the same result, as they do without a tape.
    """

    def __init__(self, cached: Any) -> None:
        self._cached = cached
        self._runs: list[Any] = [None, {}]  # of which run, and its results

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself, once for the same arguments."""
        if not STATE.strict:
            return self._cached(*args, **kwargs)
        if self._runs[0] is not STATE.spoken:
            self._runs = [STATE.spoken, {}]
        known: dict[Any, Any] = self._runs[1]
        items = tuple(kwargs.items())
        key = tuple((id(v), Core) if isinstance(v, Core) else (v, type(v)) for v in (*args, *items))
        if key not in known:
            known[key] = self._cached.__wrapped__(*args, **kwargs), args, items
        return known[key][0]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cached, name)


# -- tables ----------------------------------------------------------------------------------------


def _numpy_functions() -> dict[str, Any]:
    made = {name: _making(name, getattr(np, name)) for name in FRESH}
    taking = {name: _taking(getattr(np, name)) for name in TAKING}
    ufuncs = {n: TakingUfunc(f) for n, f in vars(np).items() if isinstance(f, np.ufunc)}
    converted = {"require": converting(np.require)}
    converted["asarray_chkfinite"] = converting(np.asarray_chkfinite)
    of_modules = {"linalg": _LINALG, "ma": recording(np.ma)}
    readers = {name: reading(getattr(np, name)) for name in OF_NUMPY}
    return {**ufuncs, **made, **taking, **readers, **converted, **JOINERS, **LOOPS, **of_modules}


def _copied_module(module: types.ModuleType, changed: dict[str, Any]) -> types.ModuleType:
    twin = types.ModuleType(module.__name__, module.__doc__)
    vars(twin).update({**vars(module), **changed})
    return twin


def _is_kind(value: Any) -> bool:
    return isinstance(value, type) and value in KINDS


def _by_name(module: types.ModuleType) -> dict[str, Any]:
    """Return the functions of a module that read numbers from text, by their names."""
    return {
        name: READERS[function]
        for name, function in vars(module).items()
        if isinstance(function, types.FunctionType) and function in READERS
    }


_IN_LINALG = {
    name: _taking(function)
    for name, function in vars(np.linalg).items()
    if callable(function) and name in np.linalg.__all__ and name not in ("multi_dot", "LinAlgError")
}
_LINALG = _copied_module(np.linalg, _IN_LINALG)
_NUMPY = _numpy_functions()
_MATH = {
    name: of_numbers(function)
    for name, function in vars(math).items()
    if isinstance(function, types.BuiltinFunctionType)
}
_CMATH = {
    name: of_numbers(function)
    for name, function in vars(cmath).items()
    if isinstance(function, types.BuiltinFunctionType)
}

BY_IDENTITY: dict[int, Any] = {
    id(np): _copied_module(np, _NUMPY),
    id(math): _copied_module(math, _MATH),
    id(cmath): _copied_module(cmath, _CMATH),
    id(ast): _copied_module(ast, _by_name(ast)),
    id(json): _copied_module(json, _by_name(json)),
    id(float): Float,
    id(complex): Complex,
    id(type): _Type(),
    id(isinstance): _isinstance,
    id(hasattr): _hasattr,
    id(getattr): _getattr,
    id(setattr): _setattr,
    **{id(function): stands_in for function, stands_in in READERS.items()},
    id(max): sharing(max),
    id(min): sharing(min),
    **{id(getattr(np, name)): function for name, function in _NUMPY.items()},
    **{id(getattr(np.linalg, name)): function for name, function in _IN_LINALG.items()},
    **{id(getattr(math, name)): function for name, function in _MATH.items()},
    **{id(getattr(cmath, name)): function for name, function in _CMATH.items()},
}

_KINDS = {
    id(np): _copied_module(np, _NUMPY | {n: KINDS[v] for n, v in vars(np).items() if _is_kind(v)}),
    **{id(kind): stands_in for kind, stands_in in KINDS.items()},
}
_CACHED = type(functools.lru_cache(plain))


def stand_in(value: Any, *, kinds: bool = False) -> Any:
    """Return what stands in for a value that plain code uses, or None if it may use it itself.

    With `kinds`, something stands in for NumPy's types of numbers, too.
    """
    found = _KINDS.get(id(value)) if kinds else None
    found = BY_IDENTITY.get(id(value)) if found is None else found
    if found is not None:
        return found
    if is_scipy(value):
        found = recording(value)
        return None if found is value else found
    if type(value) is _CACHED:
        return Uncached(value)
    if is_jitted(value):
        return Interpreted(value)
    if of_elements(value) is not None:
        return InterpretedElements(value)
    if isinstance(value, staticmethod):
        inside = stand_in(value.__func__, kinds=kinds)
        return None if inside is None else staticmethod(inside)
    return Vectorized(value) if isinstance(value, np.vectorize) else None
