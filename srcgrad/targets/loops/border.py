"""Takes arguments to compiled functions, and brings back what they return.

Numba knows numbers, arrays and tuples of them. A list goes in as a tuple, a dict or a plain object
as a named tuple.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.runtime.objects import field_names, is_plain_object
from srcgrad.targets.loops.kind import UNKNOWN, Array, Items
from srcgrad.targets.loops.long_lists import (
    SHORT,
    described_many,
    into_arrays,
    is_many,
    kind_of_list,
)
from srcgrad.targets.loops.words import word_of

_WORDS: Final[dict[type, str]] = {
    **{kind: kind.__name__ for kind in (float, int, bool, complex, np.float32, np.float64)},
    **{kind: kind.__name__ for kind in (np.int64, np.complex64, np.complex128)},
    np.bool_: "bool",
}
_TYPES: Final = {word: kind for kind, word in _WORDS.items()}
_NAME: Final = re.compile(r"[A-Za-z]\w*", re.ASCII)
OF_OBJECTS: Final = "Fields"  # of the names of classes that stand for objects
OWNED: Final = 4  # of an array's flags: whether its memory is its own, which Numba does not ask


class RefusedArgumentError(Exception):
    """An argument that is not taken to compiled functions."""


def kind_of(value: Any) -> Any:
    """Return what tells apart the arguments that need different compiled functions, or refuse.

    Raises:
        RefusedArgumentError: There is none for such a value.
    """
    kind = type(value)
    if kind in _WORDS or value is None:
        return kind
    if kind is np.ndarray:
        return _kind_of_array(value)
    if kind is tuple or kind is list:
        if not value and kind is list:
            raise RefusedArgumentError("an empty list")
        return (kind, *map(kind_of, value))
    if kind is dict:
        if not value:
            raise RefusedArgumentError("an empty dict")
        for key in value:
            if type(key) is not str or not _NAME.fullmatch(key):
                raise RefusedArgumentError(f"a dict with the key {key!r}")
        return (dict, *((key, kind_of(item)) for key, item in value.items()))
    if is_plain_object(value):
        return (kind, *((name, kind_of(getattr(value, name))) for name in _fields_of(value)))
    if kind is str:
        return (str, value)
    raise RefusedArgumentError(f"a value of type {kind.__module__}.{kind.__qualname__}")


def kind_in_part(value: Any) -> Any:
    """Return the same for an argument of a part, whose lists of numbers may be long.

    Raises:
        RefusedArgumentError: There is none for such a value.
    """
    many = kind_of_list(value, _WORDS)
    if many is not None:
        return many
    _refuse_long_lists(value)
    return kind_of(value)


def kind_of_fixed(value: Any) -> Any:
    """Return the same for an argument that a part writes into, other than by methods of lists.

    Raises:
        RefusedArgumentError: There is none for such a value.
    """
    _refuse_long_lists(value)
    return kind_of(value)


def _refuse_long_lists(value: Any) -> None:
    """Refuse what would be compiled anew for each number of trips.

    Raises:
        RefusedArgumentError: There is a long list in a value.
    """
    if type(value) is list and len(value) > SHORT:
        raise RefusedArgumentError("a long list of other things than numbers")
    if type(value) in (list, tuple):
        for item in value:
            _refuse_long_lists(item)


def without_lists(key: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """Return arguments without lists that go as arrays, into which a part does not write."""
    pairs = zip(key, args, strict=False)
    return [value for kind, value in pairs if type(kind) is type or not is_many(kind)]


def _fields_of(value: Any) -> list[str]:
    """Return the names of the fields of an object, or refuse it.

    Raises:
        RefusedArgumentError: It has none, or one of a name that a named tuple cannot have.
    """
    names = field_names(value)
    for name in names or [""]:
        if not _NAME.fullmatch(name):
            kind = type(value).__qualname__
            raise RefusedArgumentError(f"a value of type {kind} with the field {name!r}")
    return names


def _kind_of_array(value: Any) -> Any:
    if word_of(value.dtype) is None:
        raise RefusedArgumentError(
            f"an array of {value.dtype}, which Numba calculates with otherwise"
        )
    if value.ndim == 0:
        raise RefusedArgumentError("an array without axes")
    return value.dtype, value.ndim, value.flags.num | OWNED


def is_plain(kind: Any) -> bool:
    """Say whether arguments of a kind are handed on as they are."""
    return type(kind) is type or (isinstance(kind, tuple) and isinstance(kind[0], np.dtype))


def described(kind: Any) -> Any:
    """Return the kind of an argument as `kinds` has it."""
    if type(kind) is type:
        return _WORDS.get(kind, UNKNOWN)
    if isinstance(kind[0], np.dtype):
        return Array(str(word_of(kind[0])), kind[1])
    if is_record(kind):
        return Items(tuple(described(part) for _, part in kind[1:]), tuple(k for k, _ in kind[1:]))
    if is_many(kind):
        return described_many(kind)
    return UNKNOWN if kind[0] is str else Items(tuple(map(described, kind[1:])))


def is_record(kind: Any) -> bool:
    """Say whether arguments of a kind, which are not plain, go as named tuples."""
    return kind[0] not in (tuple, list, str)


class Records:
    """The classes of named tuples that stand for dicts and objects among some arguments.

    Attributes:
        fields: The fields of each class that stands for dicts, also for those that a text makes.
        objects: The same of those for objects, which no text makes.
    """

    def __init__(self, kinds: Sequence[Any]) -> None:
        self.fields: dict[str, tuple[str, ...]] = {}
        self.objects: dict[str, tuple[str, ...]] = {}
        self._names: dict[tuple[bool, tuple[str, ...]], str] = {}
        for kind in kinds:
            self._collect(kind)

    def _collect(self, kind: Any) -> None:
        if is_plain(kind) or kind[0] is str or is_many(kind):
            return
        parts = kind[1:]
        if is_record(kind):
            key = kind[0] is dict, tuple(name for name, _ in parts)
            parts = tuple(item for _, item in parts)
            if key not in self._names:
                of = self.fields if key[0] else self.objects
                stem = "Record" if key[0] else OF_OBJECTS
                name = self._names[key] = f"{stem}{len(of) + 1 if of else ''}"
                of[name] = key[1]
        for part in parts:
            self._collect(part)

    def into(self, kind: Any, classes: Mapping[str, Any]) -> Callable[[Any], Any] | None:
        """Return what makes an argument of some kind one that Numba takes; None if it is one."""
        if is_plain(kind) or kind[0] is str:
            return None
        if is_many(kind):
            return into_arrays(kind)
        if is_record(kind):
            made = classes[self._names[kind[0] is dict, tuple(key for key, _ in kind[1:])]]
            inner = [(key, self.into(part, classes)) for key, part in kind[1:]]
            if kind[0] is not dict:
                return lambda value: made(*[_given(c, getattr(value, key)) for key, c in inner])
            return lambda value: made(*[_given(convert, value[key]) for key, convert in inner])
        converts = [self.into(part, classes) for part in kind[1:]]
        if kind[0] is tuple and not any(converts):
            return None
        return lambda value: tuple(map(_given, converts, value))


def converted(converts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    """Return arguments as compiled functions take them."""
    return [
        value if convert is None else convert(value)
        for convert, value in zip(converts, args, strict=True)
    ]


def _given(convert: Callable[[Any], Any] | None, value: Any) -> Any:
    return value if convert is None else convert(value)


def brought_back(value: Any) -> Any:
    """Return what a compiled function has returned, with dicts for named tuples.

    Raises:
        TypeError: It returns an object that was given, which only NumPy can.
    """
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            if type(value).__name__.startswith(OF_OBJECTS):
                raise TypeError("an object that was given is returned")
            return {key: brought_back(item) for key, item in zip(value._fields, value, strict=True)}
        return tuple(map(brought_back, value))
    return [brought_back(item) for item in value] if type(value) is list else value


def as_returned(found: Any, expected: Any) -> Any:
    """Return a result with the types of numbers that the text for NumPy gives."""
    is_sequence = type(expected) in (list, tuple) and type(found) is type(expected)
    if is_sequence and len(found) == len(expected):
        return type(found)(map(as_returned, found, expected))
    if type(expected) is dict and type(found) is dict and found.keys() == expected.keys():
        return {key: as_returned(found[key], item) for key, item in expected.items()}
    if isinstance(expected, np.generic) and type(found) in (float, int, bool, complex):
        return type(expected)(found)
    is_pair = isinstance(expected, np.ndarray) and isinstance(found, np.ndarray)
    if is_pair and found.dtype.kind == expected.dtype.kind:
        return found.astype(expected.dtype, copy=False)
    return found


def returner(expected: Any) -> Callable[[Any], Any]:
    """Return what gives results the types of numbers that one for NumPy has, and its structure.

    >>> returner((np.float64(1.0), np.ones(2)))((2.0, np.zeros(2)))
    (np.float64(2.0), array([0., 0.]))
    """
    if type(expected) is np.ndarray:
        dtype = expected.dtype

        def as_array(found: Any) -> Any:
            is_one = type(found) is np.ndarray and found.dtype is dtype
            return found if is_one else as_returned(found, expected)

        return as_array
    if type(expected) is float:
        return lambda found: found
    if type(expected) is not tuple:
        return lambda found: as_returned(found, expected)
    parts = [returner(item) for item in expected]
    count = len(parts)

    def as_tuple(found: Any) -> Any:
        if type(found) is not tuple or len(found) != count:
            return as_returned(found, expected)
        return tuple([part(item) for part, item in zip(parts, found, strict=True)])

    return as_tuple


def are_floats(value: Any) -> bool:
    """Say whether a value is a tuple of floats, or of one and more such tuples."""
    if type(value) is not tuple or not value or type(value[0]) is not float:
        return False
    return all(type(item) is float or are_floats(item) for item in value[1:])


def prototype(kind: Any) -> Any:
    """Return a value of a kind, for its types alone; None where that is not known.

    >>> prototype("float32"), prototype("float"), prototype("unknown")
    (np.float32(0.0), 0.0, None)
    """
    if isinstance(kind, Array):
        return np.empty((0,) * kind.ndim, np.dtype(kind.dtype))
    if isinstance(kind, Items):
        parts = map(prototype, kind.items)
        return dict(zip(kind.fields, parts, strict=True)) if kind.fields else tuple(parts)
    made = _TYPES.get(kind) if isinstance(kind, str) else None
    return None if made is None else made()


def is_known(kind: Any) -> bool:
    """Say whether the types of all numbers in a value of some kind are known."""
    if isinstance(kind, Items):
        return all(map(is_known, kind.items))
    return isinstance(kind, Array) or (isinstance(kind, str) and kind in _TYPES)


def differs(found: Any, expected: Any, *, narrow: bool = False) -> bool:
    """Say whether two results differ by more than rounding, or in their structure.

    Of those that are calculated from `narrow` numbers, rounding is that of 32 bits.

    >>> differs((1.0, np.ones(2)), (1.0 + 1e-12, np.ones(2))), differs([1.0], [1.1])
    (False, True)
    """
    differ = functools.partial(differs, narrow=narrow)
    if isinstance(expected, dict):
        if not isinstance(found, dict) or found.keys() != expected.keys():
            return True
        return any(differ(found[key], item) for key, item in expected.items())
    if isinstance(expected, (list, tuple)):
        if not isinstance(found, (list, tuple)) or len(found) != len(expected):
            return True
        return any(map(differ, found, expected))
    if expected is None or isinstance(expected, str):
        return bool(found != expected)
    if is_plain_object(expected):
        return type(found) is not type(expected) or differ(_parts(found), _parts(expected))
    return _numbers_differ(np.asarray(found), np.asarray(expected), narrow=narrow)


def is_alike(found: Any, expected: Any) -> bool:
    """Say whether lists and tuples are where they are in another value.

    >>> is_alike((1.0, [2.0]), (1.0, [3.0])), is_alike((1.0, (2.0,)), (1.0, [2.0]))
    (True, False)
    """
    if type(expected) in (list, tuple) or type(found) in (list, tuple):
        return type(found) is type(expected) and all(map(is_alike, found, expected))
    return True


def _parts(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in field_names(value)}


def _numbers_differ(one: Any, other: Any, *, narrow: bool) -> bool:
    if one.shape != other.shape or (one.dtype != other.dtype and other.ndim > 0):
        return True
    if other.dtype.kind not in "fc":
        return not np.array_equal(one, other)
    finite = np.abs(other[np.isfinite(other)])
    scale = float(finite.max()) if finite.size else 0.0
    if narrow or np.finfo(other.dtype).eps > _EPS:
        limits: dict[str, float] = {"rtol": 1e-3, "atol": 1e-4 * scale + 1e-9}
    else:
        limits = {"rtol": 1e-7, "atol": 1e-9 * scale + 1e-14}
    return not np.allclose(one, other, **limits, equal_nan=True)


_EPS: Final = 1e-12  # between the steps of numbers of 32 bits and those of 64


def as_numbers(value: Any) -> Any:
    """Return nested containers with numbers for arrays without axes.

    >>> as_numbers((np.array(2.0), {"a": [np.ones(1)]}))
    (np.float64(2.0), {'a': [array([1.])]})
    """
    if isinstance(value, np.ndarray):
        return value if value.ndim else value[()]
    if type(value) in (list, tuple):
        return type(value)(map(as_numbers, value))
    if type(value) is dict:
        return {key: as_numbers(item) for key, item in value.items()}
    return value


def put_back(args: Any, found: Any) -> None:
    """Write into arrays what the text for NumPy has written into copies of them."""
    if isinstance(args, np.ndarray):
        if args.flags.writeable:
            args[...] = found
    elif isinstance(args, dict):
        for key, item in args.items():
            put_back(item, found[key])
    elif isinstance(args, (list, tuple)):
        for item, other in zip(args, found, strict=True):
            put_back(item, other)
    elif is_plain_object(args):
        for name in field_names(args):
            put_back(getattr(args, name), getattr(found, name))
