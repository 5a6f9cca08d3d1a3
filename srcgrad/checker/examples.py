"""Makes of the arguments of a call what a derivative is run with, entry by entry: their structure.

Of numbers that vary nothing is taken but how many there are. What cannot vary, such as whole
numbers, truths and words, is taken as it is.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.checker.field import hashed
from srcgrad.checker.runs import NotCovered
from srcgrad.checker.values import filled, unknown

_PLAIN: Final = (str, bytes, bool, type(None), slice)
_LONGEST: Final = 5  # axes that are longer are shortened
_MOST: Final = 100  # numbers in one array
_ROWS: Final = 3
_WHOLE: Final = (2, 3, 5)

Arguments = Mapping[str, Any] | tuple[tuple[Any, ...], Mapping[str, Any]]
"""Those of a call: by the names of the parameters, or as they were given."""


def example_of(given: Sequence[Any], *, divided: bool = False) -> list[Any] | None:
    """Return the structure of the arguments of a call.

    None if there is anything among them of which nothing is known here, as of objects and complex
    numbers, and of arrays without axes, which a text may be for or not.

    Long axes are as many as before and as they were ordered, or, if `divided`, all divided by one
    number: then sums of lengths agree that agreed before, and halves and quarters.

    >>> example = example_of([np.ones(200), {"w": 1.5}, 3])
    >>> example[0].shape, example[1:]
    ((6,), [{'w': 0.0}, 3])
    >>> example = example_of([np.ones((24, 64)), [np.ones(8)] * 30], divided=True)
    >>> example[0].shape, [row.shape for row in example[1]]
    ((6, 16), [(2,), (2,), (2,)])
    """
    try:
        found = {length for value in given for length in _lengths_in(value)}
        lengths = _divided(found) if divided else _shortened(found)
        return [_outline(_few_rows(value) if divided else value, lengths) for value in given]
    except NotCovered:
        return None


def made_of(like: Any, code: int, *, moving: bool, stretched: bool = False) -> Any:
    """Return unknown numbers in the structure of an argument, with a direction if they move.

    `stretched` makes each axis longer by one that is longer than one.
    """
    return filled(like, code, moving=moving, leaf=_longer if stretched else _given)


def _given(like: Any, code: int, moving: bool) -> Any:
    """Return an unknown number where one is given, and what cannot vary as it is."""
    if isinstance(like, np.ndarray):
        return unknown(like, code, moving) if like.dtype == object else like.copy()
    return unknown(like, code, moving) if type(like) is float else like


def _longer(like: Any, code: int, moving: bool) -> Any:
    if isinstance(like, np.ndarray) and like.dtype == object:
        like = np.empty([length + (length > 1) for length in like.shape], object)
    return _given(like, code, moving)


def places_of(kind: tuple[str, int], lengths: Sequence[int], code: int) -> Any:
    """Return an array of places, as an index has them, with some lengths.

    >>> places_of(("integers", 1), (3,), 7).dtype.kind, places_of(("truths", 2), (3,), 7).shape
    ('i', (3, 3))
    """
    what, rank = kind
    shape = (tuple(lengths) * 8)[: max(rank, len(lengths))][-rank:]
    made = np.array([hashed(code, place) for place in range(math.prod(shape))]) % min(lengths)
    made = made.reshape(shape).astype(int)
    return made % 2 == 0 if what == "truths" else made


def bound_arguments(function: FunctionType, arguments: Arguments) -> dict[str, Any] | None:
    """Return the arguments of a call by name, in the order of the parameters; None if not known."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 0x0C:
        return None  # any number of them
    try:
        if isinstance(arguments, tuple):
            bound = inspect.signature(function).bind(*arguments[0], **arguments[1])
            bound.apply_defaults()
            arguments = bound.arguments
        return {name: arguments[name] for name in code.co_varnames[:count]}
    except (TypeError, KeyError):
        return None


def _lengths_in(value: Any) -> Iterator[int]:
    if isinstance(value, np.ndarray):
        yield from value.shape
    elif isinstance(value, dict):
        for item in value.values():
            yield from _lengths_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _lengths_in(item)


def _shortened(lengths: set[int]) -> dict[int, int]:
    """Return what stands for each length: as many are equal, and as they are ordered."""
    long = sorted(length for length in lengths if length > _LONGEST)
    return {length: _LONGEST + 1 + place for place, length in enumerate(long)}


def _divided(lengths: set[int]) -> dict[int, int]:
    """Return each length over the largest number that leaves none of the long ones below two.

    Raises:
        NotCovered: There is no such number.
    """
    long = [length for length in lengths if length > _LONGEST]
    most = math.gcd(*long)
    by = next((n for n in range(most, 1, -1) if most % n == 0 and min(long) >= 2 * n), None)
    if by is None:
        raise NotCovered("lengths have nothing in common")
    return {length: length // by for length in long}


def _few_rows(value: Any) -> Any:
    """Return a list of arrays of one shape with the first of them alone."""
    if type(value) is not list or len(value) <= _ROWS:
        return value
    rows = {item.shape if type(item) is np.ndarray else None for item in value}
    return value[:_ROWS] if len(rows) == 1 and None not in rows else value


def _outline(value: Any, lengths: Mapping[int, int]) -> Any:
    kind = type(value)
    if kind is np.ndarray:
        return _array(value, lengths)
    if kind is dict:
        return {key: _outline(item, lengths) for key, item in value.items()}
    if kind is list or kind is tuple:
        if len(value) > _MOST:
            raise NotCovered("it is too long")
        made = [_outline(item, lengths) for item in value]
        return made if kind is list else tuple(made)
    if isinstance(value, (float, np.floating)):
        return 0.0
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        number = int(value)
        return value if abs(number) <= _LONGEST else _WHOLE[number % len(_WHOLE)]
    if isinstance(value, (*_PLAIN, np.bool_)):
        return value
    raise NotCovered(f"a `{kind.__name__}` is given")


def _array(value: np.ndarray[Any, Any], lengths: Mapping[int, int]) -> np.ndarray[Any, Any]:
    shape = tuple(lengths.get(length, length) for length in value.shape)
    if value.dtype.kind == "b":
        return value[tuple(map(slice, shape))].copy()  # a part of a mask is one, too
    if value.dtype.kind in "iu":
        if shape != value.shape:
            raise NotCovered("whole numbers are given that would have to be left out")
        return value.copy()
    if value.dtype.kind != "f":
        raise NotCovered("complex numbers are given, or objects")
    made = np.empty(shape, object)
    if made.size > _MOST or not shape:
        raise NotCovered("it is too large, or may be a number")
    return made
