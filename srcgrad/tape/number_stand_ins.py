"""Makes what stands in for types of numbers, `cmath` and `np.r_` in plain code on the tape."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.rules.library import canonical_name, constant_reason
from srcgrad.runtime import join_columns, join_rows
from srcgrad.tape.apply import apply, as_given, tensors_in, unwrap
from srcgrad.tape.core import Core
from srcgrad.tape.modes import STATE
from srcgrad.tape.near import note_comparison
from srcgrad.tape.nesting import as_operand, to_array
from srcgrad.tape.ops import op_for
from srcgrad.tape.pynumbers import as_python
from srcgrad.tape.refusing import refusal
from srcgrad.tape.texts import refuse_spoken


def apply_rule(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record a call by the rule of a function."""
    op = op_for(function)
    if op is None:
        raise refusal(MissingRuleError, f"{canonical_name(function)} has no derivative rule")
    return apply(op, args, kwargs)


def has_tensor(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Say whether there is a tensor among arguments."""
    return bool(tensors_in((*args, *kwargs.values())))


def number_of(value: Any) -> Any:
    """Return the float that an object says it is by a function of its class; others as they are.

    Python would take no tensor for it.
    """
    says = getattr(type(value), "__float__", None)
    if isinstance(value, Core) or not isinstance(says, types.FunctionType):
        return value
    found = says(value)
    return found if isinstance(found, float) else value  # of which Python says what is wrong


def of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for a function of Python numbers, such as those of `math`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.strict:
            args = tuple(map(number_of, args))
        if not STATE.strict or not has_tensor(args, kwargs):
            return function(*args, **kwargs)
        value = function(*as_given(args), **as_given(kwargs))  # with Python's own errors
        if constant_reason(function) is not None:
            note_comparison(function, args, value)
            return value
        return _like(apply_rule(function, args, kwargs), value)

    return call


def _like(result: Any, value: Any) -> Any:
    """Return results as what stands for the Python numbers that the function returns."""
    if isinstance(value, tuple):
        return tuple(_like(part, number) for part, number in zip(result, value, strict=True))
    return as_python(result, type(value))


class NumberType(type):
    """The type of what stands in for a type of numbers: equal to it, with the same instances."""

    __base__: type

    def __new__(
        cls, name: str, bases: tuple[Any, ...], space: dict[str, Any], **options: Any
    ) -> Any:
        """Make what stands in for its base; what a function derives from it is a class of that."""
        if not any(isinstance(base, NumberType) for base in bases):
            return super().__new__(cls, name, bases, space)
        own = tuple(base.__base__ if isinstance(base, NumberType) else base for base in bases)
        return types.new_class(name, own, options, lambda made: made.update(space))

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__base__)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return issubclass(subclass, cls.__base__)

    def __eq__(cls, other: object) -> Any:
        return other is cls or other is cls.__base__ or NotImplemented

    def __hash__(cls) -> int:
        return hash(cls.__base__)

    def __repr__(cls) -> str:
        return repr(cls.__base__)


class _ComplexType(NumberType):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        refuse_spoken(args)
        return _COMPLEX(*args, **kwargs)


_COMPLEX = of_numbers(complex)
Complex = _ComplexType(
    "complex", (complex,), {"dtype": np.dtype(complex), "__module__": "builtins"}
)


class _ScalarType(NumberType):
    """The type of what stands in for a type of NumPy's numbers, which makes arrays of arrays."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        refuse_spoken(args)
        if not STATE.strict or not tensors_in(args):
            return cls.__base__(*args, **kwargs)
        (value,) = args
        plain = cls.__base__(*unwrap(args))  # with NumPy's own errors, and as many axes
        if isinstance(value, Core) and plain is value._array:
            return value
        made = to_array(value, np.dtype(cls.__base__))
        return made[()] if not np.ndim(plain) and not made.ndim else made.reshape(np.shape(plain))


KINDS: Final = {
    kind: _ScalarType(kind.__name__, (kind,), {"__module__": "numpy"})
    for kind in {kind for kind in np.sctypeDict.values() if issubclass(kind, np.inexact)}
}
"""What stands in for the types of NumPy's numbers that are not whole."""


class Joiner:
    """What stands in for `np.r_` and `np.c_`: arrays between brackets are joined."""

    def __init__(self, original: Any, function: Callable[..., Any]) -> None:
        self._original = original
        self._function = function

    def __getitem__(self, index: Any) -> Any:
        given = list(index) if isinstance(index, tuple) else [index]
        parts = list(map(as_operand, given)) if STATE.strict else given
        told = any(isinstance(part, str) for part in parts)
        if told or not STATE.strict or not tensors_in(parts):
            return self._original[index]
        arrays = list(map(_joined, parts))
        return apply_rule(self._function, (arrays,), {})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _joined(part: Any) -> Any:
    """Return a part as an array: ``0:3`` counts as it does in `np.r_`."""
    if isinstance(part, slice):
        return np.r_[part]
    return to_array(part) if isinstance(part, (list, tuple)) else part


JOINERS = {"r_": Joiner(np.r_, join_rows), "c_": Joiner(np.c_, join_columns)}


def converting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for a function that converts to an array by its rule."""

    @functools.wraps(function)
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not STATE.strict or not tensors_in((a,)):
            return function(a, *args, **kwargs)
        if not isinstance(a, Core):
            return apply_rule(function, (to_array(a), *args), kwargs)
        same = (
            function(a._array, *args, **kwargs) is a._array
        )  # then what is written is written to a
        return a if same else apply_rule(function, (a, *args), kwargs)

    return call
