"""Takes containers and objects of numbers and arrays apart, and puts them together again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import byte_bounds

from srcgrad.api.values import is_float, rebuilt_dict
from srcgrad.backends import is_array
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.runtime.containers import is_registered, remade, taken_apart
from srcgrad.runtime.copies import same_layout
from srcgrad.runtime.objects import (
    field_names,
    is_plain_object,
    rebuilt,
    with_fields,
    without_fields,
)

_NUMBERS: Final = frozenset((float, int, complex, bool, str, bytes, type(None), np.bool_))


def float_leaves(value: Any) -> list[Any]:
    """Return the floats and float arrays of nested dicts, lists, tuples and objects, in order."""
    if type(value) is np.ndarray:  # the usual case first, here and below: an array by itself
        return [value] if value.dtype.kind in "fc" else []
    found: list[Any] = []
    mapped(found.append, value)
    return found


def _nothing(leaf: Any) -> None:
    del leaf


def mapped(
    function: Callable[[Any], Any], value: Any, other: Callable[[Any], Any] = _nothing
) -> Any:
    """Return a container like `value` with `function` of each float leaf, and `other` of the rest.

    The rest becomes None unless told otherwise.
    """
    if type(value) is np.ndarray:
        return function(value) if value.dtype.kind in "fc" else other(value)
    if is_registered(value):
        return remade(value, lambda part: mapped(function, part, other))
    if isinstance(value, dict):
        items = {key: mapped(function, item, other) for key, item in value.items()}
        return rebuilt_dict(value, items)
    if isinstance(value, (list, tuple)):
        parts = [mapped(function, item, other) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if is_plain_object(value):
        fields = {name: getattr(value, name) for name in field_names(value)}
        return rebuilt(value, mapped(function, fields, other))
    return function(value) if is_float(value) else other(value)


def leaves_as_in(like: Any, value: Any) -> list[Any]:
    """Return the entries of `value` where `like`, of the same structure, has floats."""
    if type(like) is np.ndarray:
        return [value] if like.dtype.kind in "fc" else []
    if is_registered(like):
        return leaves_as_in(taken_apart(like)[0], taken_apart(value)[0])
    if isinstance(like, dict):
        return [leaf for key, item in like.items() for leaf in leaves_as_in(item, value[key])]
    if isinstance(like, (list, tuple)):
        pairs = zip(like, value, strict=True)
        return [leaf for item, part in pairs for leaf in leaves_as_in(item, part)]
    if is_plain_object(like):
        names = field_names(like)
        fields = [(getattr(like, name), getattr(value, name)) for name in names]
        return [leaf for item, part in fields for leaf in leaves_as_in(item, part)]
    return [value] if is_float(like) else []


def copied(value: Any, outside: Sequence[Any] = ()) -> Any:
    """Return nested containers with copies of all arrays in them.

    What is `outside`, or shares memory with an array there, stays what it is.

    They lie in memory as those do, and what shares memory does so in the copy, too: what a function
    gives, or whether it may be run at all, can depend on both.

    >>> x = np.asfortranarray(np.ones((2, 3)))
    >>> mine, row = copied([x, x[1]])
    >>> row += 1
    >>> mine.flags.f_contiguous, mine[1], x[1]
    (True, array([2., 2., 2.]), array([1., 1., 1.]))
    >>> one, other = copied([x, x])
    >>> one is other
    True
    """
    found: list[Any] = []

    arrays = [item for item in outside if isinstance(item, np.ndarray)]

    def alone(array: Any) -> Any:
        if any(np.may_share_memory(array, other) for other in arrays):
            return array
        found.append(array)
        return same_layout(array)

    def together(array: Any) -> Any:
        return copies.copy(array) if id(array) in own else array

    made = _copied(value, alone, {id(item): item for item in outside})
    if not _meet(found):
        return made
    copies, own = _Together(found), set(map(id, found))
    return _copied(value, together, {id(item): item for item in outside})


def _copied(value: Any, copy: Callable[[Any], Any], known: dict[int, Any]) -> Any:
    """Return a copy, of the same thing the same; `known` are those that were made."""
    if id(value) not in known:
        made = _copied_anew(value, copy, known)
        if made is value:
            return value
        known[id(value)] = made
    return known[id(value)]


def _copied_anew(value: Any, copy: Callable[[Any], Any], known: dict[int, Any]) -> Any:
    if type(value) is np.ndarray:
        return copy(value)
    inside = functools.partial(_copied, copy=copy, known=known)
    if is_registered(value):
        return remade(value, inside)
    if isinstance(value, dict):
        return rebuilt_dict(value, {key: inside(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        parts = [inside(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if is_plain_object(value):
        made = known[id(value)] = without_fields(type(value))  # what it holds may hold it, too
        return with_fields(made, {n: inside(getattr(value, n)) for n in field_names(value)})
    return value.copy() if is_array(value) else value


def _meet(arrays: Sequence[Any]) -> bool:
    """Say whether arrays may share memory."""
    if len(arrays) < 2:
        return False
    bounds = sorted(byte_bounds(array) for array in arrays if array.size)
    return any(low < before for (_, before), (low, _) in pairwise(bounds))


class _Together:
    """Copies of arrays that share memory as those do."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self._stretches: list[tuple[int, int, Any]] = []
        shared = [array for array in arrays if array.size and not array.dtype.hasobject]
        low = high = 0
        for first, end in sorted(map(byte_bounds, shared)):
            if first < high:
                self._stretches.pop()
            else:
                low = first
            high = max(high, end)
            self._stretches.append((low, high, np.empty(high - low, np.uint8)))
        for array in shared:
            self._there(array)[...] = array

    def copy(self, array: Any) -> Any:
        return self._there(array) if array.size and not array.dtype.hasobject else array.copy()

    def _there(self, array: Any) -> Any:
        start, end = byte_bounds(array)
        low, memory = next(
            (low, memory) for low, high, memory in self._stretches if low <= start and end <= high
        )
        offset = array.__array_interface__["data"][0] - low
        return np.ndarray(array.shape, array.dtype, memory.data, offset, array.strides)


def holds_more_than_numbers(values: Iterable[Any]) -> bool:
    """Say whether nested containers hold anything but NumPy's arrays, numbers, texts and None.

    >>> holds_more_than_numbers([np.ones(3), {"a": (1.0, None)}]), holds_more_than_numbers([print])
    (False, True)
    """
    for value in values:
        kind = type(value)
        if kind in (list, tuple, dict):
            if holds_more_than_numbers(value.values() if kind is dict else value):
                return True
        elif kind is np.ndarray:
            if value.dtype.kind not in "biufcSU":
                return True
        elif kind not in _NUMBERS and not isinstance(value, np.number):
            return True
    return False


def refuse_objects(result: Any) -> None:
    """Raise if there is an object of a class of the user's in a result.

    Raises:
        UnsupportedError: There is one.
    """
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, (list, tuple)):
        for item in result:
            refuse_objects(item)
    elif is_plain_object(result):
        raise UnsupportedError(
            f"the function returns an object of the class {type(result).__name__}",
            hint="return its fields in a tuple or a dict",
        )


def split(value: Any, *, has_aux: bool) -> tuple[Any, Any]:
    """Return a result and what comes with it.

    Raises:
        ArgumentError: `has_aux` asks for a pair, and it is none.
    """
    if not has_aux:
        return value, None
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ArgumentError(
            "has_aux=True needs a function that returns a pair: the result, and one thing more",
            hint="return a pair, putting several things into a tuple or dict",
        )
    return value[0], value[1]
