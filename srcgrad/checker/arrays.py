"""Says what names of outside mean where NumPy's own arrays hold elements of the field."""

from __future__ import annotations

import builtins
import functools
import math
import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.checker.arithmetic import canonical
from srcgrad.checker.elements import BY_ENTRY, Element, applied, element_of
from srcgrad.checker.field import code_of, hashed
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.rules.library import constant_reason, is_draw, rule_for
from srcgrad.rules.nondiff import REPORT
from srcgrad.runtime.wrappers import module_of

_TELLS: Final = ("set", "show", "info")  # how functions begin that change or tell something
_LARGEST: Final = 20_000  # elements of an array, or values of outside
_PLAIN: Final = (bool, int, float, str, bytes, range, slice, type(None), type(...))
_MEANINGS: Final[dict[int, tuple[Any, Any]]] = {}
"""Functions and what they mean, by identity: to ask for a hash may run code of the user's."""


def means(*functions: Any) -> Callable[[Any], Any]:
    """Make the decorated function the meaning of others."""

    def add(function: Any) -> Any:
        for other in functions:
            _MEANINGS[id(other)] = other, function
        return function

    return add


def meaning_of(function: Any) -> Any:
    """Return what a function means; itself if nobody said."""
    return _MEANINGS.get(id(function), (function, function))[1]


def lifted(array: Any) -> Any:
    """Return floats as elements; other arrays, and what is none, as they are."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fO":
        return array
    if not array.ndim:
        return np.array(element_of(array), object)
    refuse_large(array.size)
    made = np.empty(array.shape, object)
    flat = [element_of(item) for item in array.ravel().tolist()]
    made[...] = np.array([*flat, None], object)[:-1].reshape(array.shape)
    return made


def refuse_large(*sizes: Any) -> None:
    """Raise NotCovered where there are more entries than one can look at."""
    if any(isinstance(size, (int, float)) and abs(size) > _LARGEST for size in sizes):
        raise NotCovered("there is too much to be looked at entry by entry")


# -- values of outside


def outside(value: Any) -> Any:
    """Return a value of outside, with memory of its own for this run."""
    if isinstance(value, types.ModuleType):
        return _module(value)
    if isinstance(value, type) and (issubclass(value, BaseException) or value is np.ndarray):
        return value
    if isinstance(value, type) and value.__module__ in ("collections.abc", "numbers"):
        return value
    if id(value) in _MEANINGS:
        return meaning_of(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (*_PLAIN, Element, Module)):
        return value
    if callable(value) and not _is_holder(value):
        return _function(value)
    return _data(value)


class Module:
    """A module of outside."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        found = outside(getattr(self._real, name))
        if callable(found):
            setattr(self, name, found)
        return found


_LASTING: Final = ("numpy", "math", "srcgrad.runtime")
_MODULES: Final[dict[str, Module]] = {}


def _module(value: types.ModuleType) -> Module:
    """Return a module; one that nobody changes keeps the functions that were asked for."""
    name = value.__name__
    if name not in _LASTING:
        return Module(value)
    if name not in _MODULES:
        _MODULES[name] = Module(value)
    return _MODULES[name]


def _function(value: Any) -> Any:
    own = getattr(Now.run, "own", None)
    home = module_of(value)
    if isinstance(value, np.ufunc) and _is_for_numbers_alone(value):
        return _by_entry(value)
    if isinstance(value, np.ufunc) or home.partition(".")[0] == "numpy":
        return value if _has_no_effects(value) else _opaque(value)
    if home.startswith(("srcgrad.runtime", "srcgrad.rules")) or home in (
        "_operator",
        "operator",
        "_functools",
    ):
        return value
    if getattr(builtins, getattr(value, "__name__", ""), None) is value:
        return value
    found = None if own is None else own.meaning(value)
    return _opaque(value) if found is None else found


def _is_for_numbers_alone(ufunc: np.ufunc) -> bool:
    """Say whether a function of each element, of which a rule is known, does not take objects."""
    rule = rule_for(ufunc)
    of_each = ufunc.nout == 1 and ufunc.signature is None and rule is not None
    return of_each and not any("O" in item for item in ufunc.types)


def _has_no_effects(function: Any) -> bool:
    """Say whether a function of NumPy is one of its operands alone: one that the rules know.

    `as_strided` is told where the bytes of numbers lie, and elements lie elsewhere.
    """
    if function is np.lib.stride_tricks.as_strided:
        return False
    reason = constant_reason(function)
    if is_draw(function) or reason == REPORT or function.__name__.startswith(_TELLS):
        return False
    return rule_for(function) is not None or reason is not None


def _opaque(value: Any) -> Any:
    """Return a function of which nothing is known but that equal numbers give equal numbers."""
    name = str(getattr(value, "__qualname__", value))

    def function(*args: Any, **keywords: Any) -> Any:
        every = [*args, *keywords.values()]
        if not all(isinstance(item, (int, float, Element)) for item in every):
            raise NotCovered(f"`{name}` is called, which nobody can look into")
        numbers = [element_of(item) for item in every]
        if any(item.dot for item in numbers):
            raise NotCovered(f"`{name}` is called with what varies")
        names = canonical(tuple(keywords))
        return Element(hashed(code_of(name), names, *[item.value for item in numbers]))

    return function


def _data(value: Any) -> Any:
    memo = Now.run.memo
    if id(value) in memo:
        return memo[id(value)][1]
    made: Any = None
    refuse_large(len(memo), len(value) if isinstance(value, (list, dict, tuple, set)) else 0)
    if type(value) is np.ndarray and value.dtype.kind in "fiub":
        made = lifted(value.copy())
    elif type(value) is list:
        made = []
    elif type(value) is dict:
        made = {}
    elif type(value) is tuple:
        return tuple(outside(item) for item in value)
    elif type(value) in (set, frozenset) and all(isinstance(item, _PLAIN) for item in value):
        made = type(value)(value)
    elif _is_holder(value):
        made = Holder()
    else:
        return Unknown(value)
    memo[id(value)] = value, made
    if isinstance(made, Holder):
        made.take(value)
    if type(value) is list:
        made.extend(outside(item) for item in value)
    elif type(value) is dict:
        made.update((key, outside(item)) for key, item in value.items())
    return made


def _is_holder(value: Any) -> bool:
    """Say whether a value is an object of a plain class, which may hold others."""
    return type(getattr(value, "__dict__", None)) is dict and not hasattr(value, "__qualname__")


class Holder:
    """An object of outside, with memory of its own for this run."""

    def take(self, value: Any) -> None:
        """Hold what an object holds; methods are none of it."""
        for name, item in vars(type(value)).items():
            if not name.startswith("__") and not callable(item) and not hasattr(item, "__get__"):
                setattr(self, name, outside(item))
        for name, item in vars(value).items():
            setattr(self, name, outside(item))


class Unknown:
    """A value of outside that may be handed on, but not used."""

    def __init__(self, value: Any) -> None:
        self._kind = type(value).__name__

    def __getattr__(self, name: str) -> Any:
        raise NotCovered(f"`{name}` of a {self._kind} is asked for")


# -- functions entry by entry


def _by_entry(function: Any) -> Callable[..., Any]:
    each = np.frompyfunc(functools.partial(applied, function), function.nin, 1)

    def call(*args: Any, out: Any = None, **options: Any) -> Any:
        if options:
            raise NotCovered(f"`{function.__name__}` has options")
        found = each(*args) if any(map(_is_many, args)) else _constant(function, args)
        if out is None:
            return found
        out[...] = found
        return out

    return call


def _constant(function: Any, args: Any) -> Any:
    """Return what a function makes of constants: where that is rounded, nothing is known of it.

    Text may calculate with it in another order than a rule does.
    """
    found = function(*args)
    if isinstance(found, float) and math.isfinite(found) and found % 0.25:
        return applied(function, *args)
    return found


def _is_many(value: Any) -> bool:
    return isinstance(value, Element) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "fO"
    )


for _name in BY_ENTRY:
    means(getattr(np, _name))(_by_entry(getattr(np, _name)))
_OF_MATH: Final = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "atan2": "arctan2", "radians": "deg2rad", "degrees": "rad2deg",
}  # fmt: skip


def _of_math(real: Any, function: Any) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        return applied(function, *args) if any(map(_is_many, args)) else _constant(real, args)

    return call


for _name, _real in vars(math).items():
    _other = _OF_MATH.get(_name, _name)
    if _other in BY_ENTRY:
        means(_real)(_of_math(_real, getattr(np, _other)))
    elif callable(_real):
        means(_real)(_real)


@means(math.pow)
def power(a: Any, b: Any) -> Any:
    """Return a power."""
    return a**b


@means(math.fabs)
def fabs(a: Any) -> Any:
    """Return a size."""
    return abs(a)


@means(np.isnan, np.isinf, math.isnan, math.isinf)
def never(value: Any) -> Any:
    """Return that no number is such."""
    return np.zeros(np.shape(value), bool) if np.ndim(value) else False


@means(np.isfinite, math.isfinite)
def always(value: Any) -> Any:
    """Return that each number is such."""
    return np.ones(np.shape(value), bool) if np.ndim(value) else True
