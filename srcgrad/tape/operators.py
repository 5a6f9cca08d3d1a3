"""Gives tensors Python's operators, indexing and conversions."""

from __future__ import annotations

import dis
import math
import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedError
from srcgrad.runtime import getitem, item_index
from srcgrad.runtime.own_arithmetic import calculates_otherwise, own_arithmetic
from srcgrad.tape.apply import apply, binary, unary, unwrap
from srcgrad.tape.core import USUAL_OPERANDS, Core, raw_of, requires_grad
from srcgrad.tape.inplace import apply_inplace, check_writable, copy_in, set_item
from srcgrad.tape.modes import STATE
from srcgrad.tape.near import compared, note_distance
from srcgrad.tape.ops import require_op
from srcgrad.tape.plain import call_constant
from srcgrad.tape.refusing import detaching, refusal, user_frame
from srcgrad.tape.selection import note_selection
from srcgrad.tape.texts import ANY_TEXT, hashed, spoken

ADD = require_op(np.add)
SUBTRACT = require_op(np.subtract)
MULTIPLY = require_op(np.multiply)
DIVIDE = require_op(np.divide)
REMAINDER = require_op(np.remainder)
DIVMOD = require_op(np.divmod)
POWER = require_op(np.power)
MATMUL = require_op(np.matmul)
NEGATIVE = require_op(np.negative)
POSITIVE = require_op(np.positive)
ABSOLUTE = require_op(np.absolute)
GETITEM = require_op(getitem)

_OPERANDS = (Core, np.ndarray, np.generic, int, float, complex, list, tuple)


def is_operand(value: Any) -> bool:
    """Return whether tensors may be added to `value`.

    Raises:
        UnsupportedError: It is a number or an array with operators of its own.
    """
    kind = type(value)
    if kind in USUAL_OPERANDS:
        return True
    refuse_own_arithmetic(kind)
    return isinstance(value, _OPERANDS)


def refuse_own_arithmetic(kind: type) -> None:
    """Raise if a type of numbers or arrays calculates otherwise than a tensor would.

    Raises:
        UnsupportedError: It does.
    """
    if calculates_otherwise(kind):
        raise refusal(UnsupportedError, *own_arithmetic(kind))


def guard(tensor: Core, what: str) -> None:
    """Refuse, in strict mode, to turn a tensor that requires grad into a plain value."""
    if STATE.strict and requires_grad(tensor):
        raise detaching(tensor, what)


def plain_value(tensor: Core) -> Any:
    """Return what NumPy has in the place of a tensor: a number of its own if there are no axes."""
    raw = raw_of(tensor)
    return raw[()] if isinstance(raw, np.ndarray) and not raw.ndim else raw


_FORMATTING = {dis.opmap.get(name) for name in ("BINARY_OP", "BINARY_MODULO")}


def _is_formatting() -> bool:
    """Return whether the user's code is at ``text % value``, which asks the value for a number."""
    frame = user_frame()
    found = frame is not None and frame.f_code.co_code[frame.f_lasti] in _FORMATTING
    if found and STATE.spoken is not None:
        STATE.spoken.add(ANY_TEXT)
    return found


class Operators(Core):
    """Arithmetic, comparison, indexing, iteration and conversion."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return binary(ADD, self, other) if is_operand(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return binary(ADD, other, self) if is_operand(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return binary(SUBTRACT, self, other) if is_operand(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return binary(SUBTRACT, other, self) if is_operand(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        return binary(MULTIPLY, self, other) if is_operand(other) else NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return binary(MULTIPLY, other, self) if is_operand(other) else NotImplemented

    def __truediv__(self, other: Any) -> Any:
        return binary(DIVIDE, self, other) if is_operand(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return binary(DIVIDE, other, self) if is_operand(other) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        return binary(REMAINDER, self, other) if is_operand(other) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        return binary(REMAINDER, other, self) if is_operand(other) else NotImplemented

    def __pow__(self, other: Any) -> Any:
        return binary(POWER, self, other) if is_operand(other) else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        return binary(POWER, other, self) if is_operand(other) else NotImplemented

    def __matmul__(self, other: Any) -> Any:
        return binary(MATMUL, self, other) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        return binary(MATMUL, other, self) if is_operand(other) else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return apply(DIVMOD, (self, other)) if is_operand(other) else NotImplemented

    def __rdivmod__(self, other: Any) -> Any:
        return apply(DIVMOD, (other, self)) if is_operand(other) else NotImplemented

    def __neg__(self) -> Any:
        return unary(NEGATIVE, self)

    def __pos__(self) -> Any:
        return unary(POSITIVE, self)

    def __abs__(self) -> Any:
        return unary(ABSOLUTE, self)

    # -- in place ----------------------------------------------------------------------------------

    def __iadd__(self, other: Any) -> Any:
        return _augmented(ADD, self, other)

    def __isub__(self, other: Any) -> Any:
        return _augmented(SUBTRACT, self, other)

    def __imul__(self, other: Any) -> Any:
        return _augmented(MULTIPLY, self, other)

    def __itruediv__(self, other: Any) -> Any:
        return _augmented(DIVIDE, self, other)

    def __imod__(self, other: Any) -> Any:
        return _augmented(REMAINDER, self, other)

    def __ipow__(self, other: Any) -> Any:
        return _augmented(POWER, self, other)

    def __imatmul__(self, other: Any) -> Any:
        return _augmented(MATMUL, self, other)

    def __ifloordiv__(self, other: Any) -> Any:
        return _augmented_constant(np.floor_divide, self, other)

    def __iand__(self, other: Any) -> Any:
        return _augmented_constant(np.bitwise_and, self, other)

    def __ior__(self, other: Any) -> Any:
        return _augmented_constant(np.bitwise_or, self, other)

    def __ixor__(self, other: Any) -> Any:
        return _augmented_constant(np.bitwise_xor, self, other)

    def __ilshift__(self, other: Any) -> Any:
        return _augmented_constant(np.left_shift, self, other)

    def __irshift__(self, other: Any) -> Any:
        return _augmented_constant(np.right_shift, self, other)

    # -- without derivative ------------------------------------------------------------------------

    def __floordiv__(self, other: Any) -> Any:
        return call_constant(np.floor_divide, (self, other), {})

    def __rfloordiv__(self, other: Any) -> Any:
        return call_constant(np.floor_divide, (other, self), {})

    def __eq__(self, other: object) -> Any:
        if STATE.strict:  # also with None and texts, to which arrays have an answer
            return compared(self, other, plain_value(self) == unwrap(other))
        return call_constant(np.equal, (self, other), {})

    def __ne__(self, other: object) -> Any:
        if STATE.strict:
            return compared(self, other, plain_value(self) != unwrap(other), equal=False)
        return call_constant(np.not_equal, (self, other), {})

    def __lt__(self, other: Any) -> Any:
        return call_constant(np.less, (self, other), {})

    def __le__(self, other: Any) -> Any:
        return call_constant(np.less_equal, (self, other), {})

    def __gt__(self, other: Any) -> Any:
        return call_constant(np.greater, (self, other), {})

    def __ge__(self, other: Any) -> Any:
        return call_constant(np.greater_equal, (self, other), {})

    def __and__(self, other: Any) -> Any:
        return call_constant(np.bitwise_and, (self, other), {})

    def __rand__(self, other: Any) -> Any:
        return call_constant(np.bitwise_and, (other, self), {})

    def __or__(self, other: Any) -> Any:
        return call_constant(np.bitwise_or, (self, other), {})

    def __ror__(self, other: Any) -> Any:
        return call_constant(np.bitwise_or, (other, self), {})

    def __xor__(self, other: Any) -> Any:
        return call_constant(np.bitwise_xor, (self, other), {})

    def __rxor__(self, other: Any) -> Any:
        return call_constant(np.bitwise_xor, (other, self), {})

    def __invert__(self) -> Any:
        return call_constant(np.invert, (self,), {})

    def __lshift__(self, other: Any) -> Any:
        return call_constant(np.left_shift, (self, other), {})

    def __rshift__(self, other: Any) -> Any:
        return call_constant(np.right_shift, (self, other), {})

    def __hash__(self) -> int:
        return hashed(self, plain_value(self)) if STATE.strict else id(self)

    # -- elements ----------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        if not STATE.strict and _is_element(index, self._array.ndim):
            # PyTorch's elements are views; NumPy's, and those of strict mode, are values
            index = (*index, ...) if isinstance(index, tuple) else (index, ...)
        part = apply(GETITEM, (self, whole_index(index) if STATE.strict else index))
        note_selection(part, index)
        return part

    def __setitem__(self, index: Any, value: Any) -> None:
        if STATE.strict and not self._array.ndim and not self._is_array:
            raise TypeError(
                f"'{self.__class__.__module__}.{self.__class__.__name__}' object does "
                "not support item assignment"
            )
        set_item(self, whole_index(index) if STATE.strict else index, value)

    def __len__(self) -> int:
        if not self._array.ndim:
            if STATE.strict:
                return len(self._array if self._is_array else plain_value(self))  # their own error
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            if STATE.strict:
                return iter(self._array if self._is_array else plain_value(self))  # as well
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self._array)))

    def __contains__(self, value: Any) -> bool:
        return bool((self._array == unwrap(value)).any())

    # -- conversion --------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        if STATE.strict:
            found = bool(self._array)  # or NumPy's own error
            if STATE.spoken is not None:
                note_distance(self, 0.0)
            return found
        if self._array.size > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        return bool(self._array.reshape(())[()])

    def _scalar(self, what: str, constant: bool = False) -> Any:
        if not constant and not (STATE.strict and _is_formatting()):
            guard(self, what)
        if self._array.size != 1:
            if STATE.strict:
                return float(self._array)  # NumPy's own error
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.reshape(())[()]

    def __float__(self) -> float:
        value = float(self._scalar("float()"))
        if requires_grad(self) and not STATE.strict:
            _warn_scalar()
        return value

    def __int__(self) -> int:
        value = int(self._scalar("int()", constant=STATE.strict))  # constant between jumps
        if requires_grad(self) and not STATE.strict:
            _warn_scalar()
        return value

    def __complex__(self) -> complex:
        return complex(self._scalar("complex()"))

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iu" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.reshape(())[()])

    def __round__(self, digits: Any = None) -> Any:
        if STATE.strict:
            return round(plain_value(self), digits)
        return call_constant(np.round, (self, digits or 0), {})

    def __floor__(self) -> Any:
        return math.floor(self._scalar("", constant=True))

    def __ceil__(self) -> Any:
        return math.ceil(self._scalar("", constant=True))

    def __trunc__(self) -> Any:
        return math.trunc(self._scalar("", constant=True))

    def __format__(self, spec: str) -> str:
        if not self._array.ndim:
            return spoken(self, format(plain_value(self), spec))
        return format(self._array if STATE.strict and spec else str(self), spec)

    def item(self, *index: Any) -> Any:
        """Return the one element as a Python number; in strict mode with its history.

        With an index it is the element there, counted along all axes if it is one number.
        """
        if index:
            return self[item_index(self._array.shape, index)].item()
        if STATE.strict and requires_grad(self) and self._array.size == 1:
            return self._python_numbers(self.reshape(()))
        if self._array.size != 1 and not STATE.strict:  # else it is NumPy's own error
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self._array.item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers; in strict mode with history."""
        if STATE.strict and requires_grad(self):
            return self._python_numbers(self)
        return self._array.tolist()

    def _python_numbers(self, value: Any) -> Any:
        """Return nested lists of what stands for Python numbers; set where those are defined."""
        raise NotImplementedError("Python numbers that carry derivatives are defined later")


def whole_index(index: Any) -> Any:
    """Return an index with integers in the place of what stands for Python's integers."""
    if isinstance(index, tuple):
        return tuple(map(whole_index, index))
    return operator.index(index) if isinstance(index, Core) and index._weak else index


def _is_element(index: Any, ndim: int) -> bool:
    """Return whether `index` selects one element by integers alone."""
    if isinstance(index, tuple):
        return len(index) == ndim and all(isinstance(i, (int, np.integer)) for i in index)
    return ndim == 1 and isinstance(index, (int, np.integer)) and not isinstance(index, bool)


def _warn_scalar() -> None:
    warnings.warn(
        "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
        "Consider using tensor.detach() first.",
        UserWarning,
        stacklevel=3,
    )


def _augmented(op: Any, target: Operators, other: Any) -> Any:
    if not _is_written(target, other):
        return NotImplemented
    return apply_inplace(op, target, other)


def _augmented_constant(function: Any, target: Operators, other: Any) -> Any:
    """Do ``target = function(target, other)``, which has no slope, in the memory of `target`."""
    if not _is_written(target, other):
        return NotImplemented
    check_writable(target, requires_grad(target))
    updated = target._array.copy()
    function(updated, unwrap(other), out=updated)  # raises what the update itself does
    return copy_in(target, updated)


def _is_written(target: Operators, other: Any) -> bool:
    """Say whether an update writes: NumPy's numbers get a new value."""
    is_array = target._is_array or bool(target._array.ndim)
    return isinstance(other, _OPERANDS) and (is_array or not STATE.strict)
