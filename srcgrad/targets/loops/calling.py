"""Writes what takes arguments to a compiled function and its result back, by what these are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.targets.loops.border import are_floats, brought_back, converted, returner
from srcgrad.targets.loops.derivative import Derivative, Made
from srcgrad.targets.loops.long_lists import is_many

Runs = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Ways:
    """What a caller of compiled functions does where they do not serve.

    Attributes:
        subject: What is compiled.
        by_numpy: Runs arguments by NumPy.
        failed: Runs arguments, of some kind, on which a compiled function has raised.
        with_lists: Writes lists that came back into those that were given; returns the result.
    """

    subject: Derivative
    by_numpy: Callable[[tuple[Any, ...]], Any]
    failed: Callable[[Exception, Any, tuple[Any, ...]], Any]
    with_lists: Callable[[Any, tuple[Any, ...]], Any]


def runner(ways: Ways, made: Made, expected: Any) -> Runs:
    """Return what runs a compiled function, whose result is to have the types of another."""
    is_plain = not any(made.converts) and not made.text.has_records
    kind = type(expected[0]) if type(expected) is tuple and len(expected) == 2 else type(expected)
    if is_plain and ways.subject.retyped and kind in (float, np.float64, np.float32):
        return _of_pair(ways, made, kind) if type(expected) is tuple else _of_number(ways, made)
    has_lists = any(type(kind) is tuple and is_many(kind) for kind in made.key)
    if is_plain and not (ways.subject.lists or has_lists):
        if made.arrays is not None and made.arrays == _types_of(expected):
            return _of_arrays(ways, made)
        if are_floats(expected):
            return _of_floats(ways, made)
    return _of_any(ways, made, expected)


def _types_of(value: Any) -> Any:
    """Return the type of the numbers of an array, or those of a tuple of arrays; None of others.

    >>> _types_of((np.ones(2), 1.0)), _types_of(np.ones(2))
    (None, dtype('float64'))
    """
    if type(value) is np.ndarray:
        return value.dtype
    if type(value) is not tuple:
        return None
    found = tuple(map(_types_of, value))
    return found if all(isinstance(item, np.dtype) for item in found) else None


def _of_arrays(ways: Ways, made: Made) -> Runs:
    """Return the runner of what returns arrays, which go back as they are."""
    dispatcher, failed, key = made.dispatcher, ways.failed, made.key

    def run_arrays(*args: Any) -> Any:
        try:
            return dispatcher(*args)
        except Exception as error:  # noqa: BLE001 - NumPy runs it then
            return failed(error, key, args)

    return run_arrays


def _of_number(ways: Ways, made: Made) -> Runs:
    """Return the runner of what returns a number."""
    dispatcher, failed, key = made.dispatcher, ways.failed, made.key
    by_numpy, written = ways.by_numpy, ways.subject.written

    def run_number(*args: Any) -> Any:
        try:
            found = dispatcher(*args)
        except Exception as error:  # noqa: BLE001 - NumPy runs it then
            return failed(error, key, args)
        if found - found == 0.0 or written:
            return found
        return by_numpy(args)  # infinite or NaN, where Python may raise

    return run_number


def _of_pair(ways: Ways, made: Made, kind: type) -> Runs:
    """Return the runner of what returns a number of some type, and something else."""
    dispatcher, failed, key = made.dispatcher, ways.failed, made.key
    by_numpy, written = ways.by_numpy, ways.subject.written

    def run_pair(*args: Any) -> Any:
        try:
            head, grad = dispatcher(*args)
        except Exception as error:  # noqa: BLE001 - NumPy runs it then
            return failed(error, key, args)
        if head - head == 0.0 or written:
            return (head if kind is float else kind(head)), grad
        return by_numpy(args)

    return run_pair


def _of_floats(ways: Ways, made: Made) -> Runs:
    """Return the runner of what returns a tuple of floats."""
    dispatcher, failed, key = made.dispatcher, ways.failed, made.key
    by_numpy, written = ways.by_numpy, ways.subject.written

    def run_numbers(*args: Any) -> Any:
        try:
            found = dispatcher(*args)
        except Exception as error:  # noqa: BLE001 - NumPy runs it then
            return failed(error, key, args)
        if found[0] - found[0] == 0.0 or written:
            return found
        return by_numpy(args)

    return run_numbers


def _of_any(ways: Ways, made: Made, expected: Any) -> Runs:
    """Return the runner for arguments and results of any structure."""
    dispatcher, converts, key = made.dispatcher, made.converts, made.key
    lists = [k for k, kind in enumerate(key) if type(kind) is tuple and is_many(kind)]
    changed, written = ways.subject.lists, ways.subject.written
    is_plain, has_records = not any(converts), made.text.has_records
    returned = returner(expected)

    def run(*args: Any) -> Any:
        if lists and len({id(args[k]) for k in lists}) < len(lists):
            return ways.by_numpy(args)  # one list under two names
        try:
            result = dispatcher(*(args if is_plain else converted(converts, args)))
            result = brought_back(result) if has_records else result
            result = ways.with_lists(result, args) if changed else result
        except Exception as error:  # noqa: BLE001 - NumPy runs it then
            return ways.failed(error, key, args)
        head = result[0] if type(result) is tuple and result else result
        if type(head) is float and head - head != 0.0 and not written:
            return ways.by_numpy(args)
        return returned(result)

    return run
