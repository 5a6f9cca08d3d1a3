"""Gives elements of arrays the meaning of NumPy, where they are arrays themselves.

``x[0]`` is a number in NumPy. In CuPy it is an array without axes that lies in the memory of `x`:
it changes when `x` is written into, and ``s = x[0]; s += 1`` changes `x`. The text that runs on
such a library calls these functions where that matters (`srcgrad.targets.arrays`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.backends import is_array
from srcgrad.errors import LibraryGapError

_IN_PLACE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
    "<<": operator.ilshift,
    ">>": operator.irshift,
}
_APART: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def is_element(value: Any) -> bool:
    """Say whether a value is an array without axes where NumPy has a number.

    >>> is_element(np.float64(2.0)), is_element(np.array(2.0)), is_element(np.ones(2))
    (False, False, False)
    """
    if isinstance(value, (np.ndarray, np.generic)) or getattr(value, "ndim", 1) != 0:
        return False
    return is_array(value)


def has_axes_elsewhere(value: Any) -> bool:
    """Say whether a value is an array of another library than NumPy, and no element of one."""
    if isinstance(value, (np.ndarray, np.generic)) or getattr(value, "ndim", 0) == 0:
        return False
    return is_array(value)


def element(part: Any) -> Any:
    """Return what a subscript has given: an element as a value of its own, not as a view."""
    return part.copy() if is_element(part) else part


def with_axes(value: Any) -> Any:
    """Return an array that may be updated in place under several names, which has axes.

    Raises:
        LibraryGapError: It has none: elsewhere that is taken for a number, and those do not change.
    """
    if is_element(value):
        raise LibraryGapError(
            "an array without axes is updated in place or asked for its type, and is taken for a "
            "number on this library",
            hint="give it an axis, or write `y = y + v` for `y += v`",
        )
    return value


def elements(values: Any) -> Any:
    """Return what a loop goes over: of a vector elsewhere the elements, each a value of its own.

    >>> elements([1.0, 2.0])
    [1.0, 2.0]
    """
    if not has_axes_elsewhere(values) or values.ndim > 1:
        return values
    return [item.copy() for item in values]


def updated(sign: str, old: Any, value: Any) -> Any:
    """Return ``old`` after ``old += value``, or another sign's: a number is made anew.

    >>> updated("-", 5.0, 2.0)
    3.0
    """
    if is_element(old):
        return _APART[sign](old, value)
    if sign == "@" and is_array(old):  # not all libraries do this in place
        old[...] = old @ value
        return old
    return _IN_PLACE[sign](old, value)


def update_at(sign: str, holder: Any, index: Any, value: Any) -> None:
    """Do ``holder[index] += value``, or another sign's: a number in a list or dict is made anew.

    >>> held = [1.0, 2.0]
    >>> update_at("*", held, 1, 3.0)
    >>> held
    [1.0, 6.0]
    """
    old = holder[index]
    if is_array(holder):
        holder[index] = _IN_PLACE[sign](old, value)
    else:
        holder[index] = updated(sign, old, value)


def kind_of(value: Any) -> type:
    """Return ``type(value)``, of an element that of the number that NumPy has in its place.

    >>> kind_of(2.0), kind_of(np.ones(2))
    (<class 'float'>, <class 'numpy.ndarray'>)
    """
    kind: type = value.dtype.type if is_element(value) else type(value)
    return kind


def is_instance(value: Any, kinds: Any) -> bool:
    """Return ``isinstance(value, kinds)``, of an element for the number that NumPy has there.

    >>> is_instance(2.0, (int, float)), is_instance(np.ones(2), float)
    (True, False)
    """
    return issubclass(value.dtype.type, kinds) if is_element(value) else isinstance(value, kinds)
