"""Defines the tensors that stand for Python's own numbers while plain code runs on the tape."""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import NotDifferentiableError
from srcgrad.tape import operators
from srcgrad.tape.apply import apply
from srcgrad.tape.core import Core, array_in, edge_of, requires_grad
from srcgrad.tape.modes import STATE
from srcgrad.tape.near import compared, note_distance
from srcgrad.tape.ops import Op
from srcgrad.tape.refusing import refusal
from srcgrad.tape.tensor import Tensor
from srcgrad.tape.texts import hashed

_PYTHON = (float, int, bool, complex)
# what arrays have and floats have not: a function may ask for it, and must get float's answer;
# but for what `copy` asks, which knows floats by themselves
_COPIES = ("__copy__", "__deepcopy__")
_ONLY_ARRAYS = frozenset(n for n in dir(np.ndarray) if not hasattr(float, n)) - {*_COPIES}


class PythonFloat(Tensor):
    """A tensor that stands for a Python number: it divides, fails and answers as one.

    Arithmetic with other Python numbers gives Python numbers and their errors; with NumPy's
    values it gives NumPy's, to whose types a Python number yields.
    """

    __slots__ = ()
    _weak = True
    _python: type = float

    def _pretend(self) -> type[Any]:
        return self._python if STATE.strict else type(self)

    __class__ = property(_pretend)

    def __getattribute__(self, name: str) -> Any:
        if name in _ONLY_ARRAYS and STATE.strict:
            python = object.__getattribute__(self, "_python")
            if not hasattr(python, name):
                raise AttributeError(f"'{python.__name__}' object has no attribute '{name}'")
        return object.__getattribute__(self, name)

    def __hash__(self) -> int:
        return hashed(self, plain(self)) if STATE.strict else id(self)

    def __bool__(self) -> bool:
        if STATE.spoken is not None:
            note_distance(self, 0.0)
        return bool(self._array)

    def __index__(self) -> int:
        if self._python is not int:
            raise TypeError("'float' object cannot be interpreted as an integer")
        return int(self._array)

    def __round__(self, digits: Any = None) -> Any:
        return round(plain(self), digits)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def is_integer(self) -> bool:
        """Return whether the number is whole."""
        return float(self._array).is_integer()

    def conjugate(self) -> Any:
        """Return the conjugate: of real numbers the number itself."""
        return as_python(np.conjugate(self), complex) if self._python is complex else self

    @property  # type: ignore[misc]
    def real(self) -> Any:
        """The real part: of real numbers the number itself."""
        return as_python(np.real(self)) if self._python is complex else self

    @property  # type: ignore[misc]
    def imag(self) -> Any:
        """The imaginary part: of real numbers zero."""
        return as_python(np.imag(self)) if self._python is complex else self._python(0)


def plain(value: Any) -> Any:
    """Return the Python number that a value is or stands for."""
    if type(value) is not PythonFloat:
        return value
    number = array_in(value).item()
    return number if type(number) is float is value._python else value._python(number)


def as_python(value: Any, python: type = float) -> Any:
    """Return a tensor of one element as one that stands for a Python number.

    It keeps its value where the tensor is written later.
    """
    if not isinstance(value, Core):
        return python(value)
    if value._array.ndim:
        value = value.reshape(())
    made = object.__new__(PythonFloat)
    made._array = value._array.copy()
    made._edge = edge_of(value)
    made._flag = False
    made._grad = None
    made._counter = [0]
    made._leaf = None
    made._view = None
    level = STATE.dual_level
    if level is not None and (tangent := level.tangent_of(value)) is not None:
        made._tangent = (level, tangent)
    if python is not float:
        made._python = python
    return made


def _python_numbers(_: Any, value: Any) -> Any:
    if value._array.ndim:
        return [_python_numbers(_, part) for part in value]
    return as_python(value, complex if value._array.dtype.kind == "c" else float)


def _is_python(value: Any) -> bool:
    return type(value) in _PYTHON or isinstance(value, PythonFloat)


def _calculate(op: Op | None, compute: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Do what Python does with two of its numbers, errors included, and record it by `op`."""
    x, y = plain(a), plain(b)
    value = compute(x, y)
    if isinstance(value, complex) and not isinstance(x, complex) and not isinstance(y, complex):
        raise refusal(
            NotDifferentiableError,
            "a power of a negative Python number, which is complex",
            "make the base complex first, or take the power of its absolute value",
        )
    if op is None or not any(isinstance(v, Core) and requires_grad(v) for v in (a, b)):
        return value
    if compute is operator.pow and isinstance(a, PythonFloat):
        a = as_python(a, complex if isinstance(x, complex) else float)  # 3 ** -1 is no integer
    if cmath.isfinite(value):
        result = apply(op, (a, b))
    else:
        with np.errstate(all="ignore"):  # Python's floats overflow without a word
            result = apply(op, (a, b))
    return as_python(result, type(value))


def _binary(name: str, op: Op | None, compute: Callable[[Any, Any], Any]) -> None:
    forward, reflected = f"__{name}__", f"__r{name}__"
    usual, usual_reflected = getattr(Tensor, forward), getattr(Tensor, reflected)

    def method(self: Any, other: Any) -> Any:
        if STATE.strict and _is_python(other):
            return _calculate(op, compute, self, other)
        return usual(self, other)

    def mirrored(self: Any, other: Any) -> Any:
        if STATE.strict and _is_python(other):
            return _calculate(op, compute, other, self)
        return usual_reflected(self, other)

    setattr(PythonFloat, forward, method)
    setattr(PythonFloat, reflected, mirrored)


def _unary(name: str, op: Op, compute: Callable[[Any], Any]) -> None:
    usual = getattr(Tensor, name)

    def method(self: Any) -> Any:
        if not STATE.strict:
            return usual(self)
        value = compute(plain(self))
        return as_python(apply(op, (self,)), type(value)) if requires_grad(self) else value

    setattr(PythonFloat, name, method)


def _comparison(name: str, compute: Callable[[Any, Any], Any]) -> None:
    usual = getattr(Tensor, name)

    def method(self: Any, other: Any) -> Any:
        if not STATE.strict or isinstance(other, (np.ndarray, np.generic)):
            return usual(self, other)
        if isinstance(other, Core) and not _is_python(other):
            return usual(self, other)
        found = compute(plain(self), plain(other))
        if STATE.spoken is not None:
            _note_comparison(name, self, other, found)
        return found

    setattr(PythonFloat, name, method)


def _note_comparison(name: str, one: Any, other: Any, found: bool) -> None:
    if name in ("__eq__", "__ne__"):
        compared(one, other, found, equal=name == "__eq__")
    else:
        note_distance(one, other)


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _rdivmod(self: Any, other: Any) -> Any:
    return other // self, other % self


def _in_place(self: Any, other: Any) -> Any:
    """Python's numbers are never changed in place."""
    return NotImplemented


def _install() -> None:
    setattr(Tensor, "_python_numbers", _python_numbers)  # noqa: B010 - mypy sees a method
    _binary("add", operators.ADD, operator.add)
    _binary("sub", operators.SUBTRACT, operator.sub)
    _binary("mul", operators.MULTIPLY, operator.mul)
    _binary("truediv", operators.DIVIDE, operator.truediv)
    _binary("mod", operators.REMAINDER, operator.mod)
    _binary("pow", operators.POWER, operator.pow)
    _binary("floordiv", None, operator.floordiv)
    _unary("__neg__", operators.NEGATIVE, operator.neg)
    _unary("__pos__", operators.POSITIVE, operator.pos)
    _unary("__abs__", operators.ABSOLUTE, operator.abs)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        _comparison(f"__{name}__", getattr(operator, name))
    for name in ("add", "sub", "mul", "truediv", "mod", "pow", "matmul", "floordiv"):
        setattr(PythonFloat, f"__i{name}__", _in_place)
    added: dict[str, Any] = {"__divmod__": _divmod, "__rdivmod__": _rdivmod}
    for name, function in added.items():
        setattr(PythonFloat, name, function)


_install()
