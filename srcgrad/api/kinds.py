"""Says of what kinds the arguments of a call are, so that another of those needs no more checks."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import numpy as np

from srcgrad.backends import is_array
from srcgrad.runtime.tables import depth_of_table

Kinds = tuple[Any, ...]
Call = TypeVar("Call")

_MOST: Final = 16
_NUMBERS: Final = frozenset((float, int, np.float64, type(None)))


def kinds_of(values: Iterable[Any]) -> Kinds | None:
    """Return the types and shapes of real arrays and numbers; None if anything else is there.

    All that is asked of arguments before a derivative runs (whether they have derivatives, hold
    complex numbers, fit their tangents) is the same for arguments of the same kinds.

    >>> kinds_of((np.ones(3), 2.0, None))
    (dtype('float64'), (3,), <class 'float'>, <class 'NoneType'>)
    >>> kinds_of(([1.0],)), kinds_of((np.ones(3, complex),))
    (None, None)
    """
    found: list[Any] = []
    for item in values:
        kind = type(item)
        if kind is np.ndarray:
            if item.dtype.kind not in "fiub":
                return None
            found += (item.dtype, item.shape)
        elif kind in _NUMBERS:
            found.append(kind)
        else:
            return None
    return tuple(found)


def kind_of(datum: Any, *, is_table: bool = False) -> Any:
    """Return what a text may take for granted of data that it reads, whatever the values are.

    A text made for a number is not one for an array in its place: the array may spread the result
    over axes of its own.

    >>> kind_of(2.0) == kind_of(np.float64(3.0)), kind_of(2.0) == kind_of(np.ones(3))
    (True, False)
    >>> kind_of([2.0], is_table=True) == kind_of([np.ones(3)], is_table=True)
    False

    Of a table of numbers it is taken for granted that it is one, and how deep they lie.
    """
    if is_table:
        return type(datum), depth_of_table(datum)
    if is_array(datum):
        return type(datum), datum.ndim, datum.dtype.kind
    return float if isinstance(datum, np.floating) else type(datum)


def is_bound_in_order(args: Iterable[Any], bound: Mapping[str, Any]) -> bool:
    """Say whether positional arguments are all arguments, one for each parameter."""
    given = list(args)
    return len(given) == len(bound) and all(map(operator.is_, given, bound.values()))


def remember(calls: dict[Kinds, Call], kinds: Kinds, call: Call) -> None:
    """Keep a call by the kinds of its arguments, and forget all if there are too many."""
    if len(calls) >= _MOST:
        calls.clear()
    calls[kinds] = call
