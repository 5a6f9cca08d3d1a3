"""Compares what two runs leave behind: in arguments, outside, in print, and in shared memory."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any, Final, NamedTuple

import numpy as np

from srcgrad.tape.userspace import KEEPERS, is_users, slots_of

_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_DEEPEST: Final = 50
Seen = dict[int, tuple[Any, Any]]
"""The pictures of values by their identities, with these, which so stay alive."""
PLAIN: Final = (bool, int, float, complex, str, bytes, type(None))


class Aftermath(NamedTuple):
    """What a run leaves behind, besides what it returns.

    Attributes:
        arguments: The contents of the arguments.
        outside: The contents of what it reaches, and the states of generators of random numbers.
        printed: What it printed.
    """

    arguments: Any
    outside: Any
    printed: str


def difference(ours: Aftermath, theirs: Aftermath, near: float) -> str:
    """Return what two runs leave differently, in words; empty if nothing."""
    if not alike(ours.arguments, theirs.arguments, near):
        return "it leaves other contents in the arguments than the function does"
    if not alike(ours.outside, theirs.outside, near):
        return "it leaves other contents outside than the function does, or draws otherwise"
    if not _reads_alike(ours.printed, theirs.printed, near):
        return "it prints something else than the function does"
    return ""


def picture(value: Any, seen: Seen | None = None, depth: int = 0) -> Any:
    """Return what a value holds, in memory of its own; of what nobody knows, its type.

    What is held in several places is gone into once, and has one picture, which `seen` keeps: there
    are objects by the thousand which all hold each other.
    """
    if isinstance(value, (*PLAIN, np.generic)):
        return value
    if depth > _DEEPEST:
        return ...
    seen = {} if seen is None else seen
    if id(value) not in seen:
        seen[id(value)] = value, ...  # which is what it is in itself
        seen[id(value)] = value, _picture(value, seen, depth + 1)
    return seen[id(value)][1]


def _picture(value: Any, seen: Seen, depth: int) -> Any:  # noqa: PLR0911 - one line a kind of value
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return [picture(item, seen, depth) for item in value.ravel().tolist()]
        return np.array(value)
    if isinstance(value, (tuple, MutableSequence)):
        return [picture(item, seen, depth) for item in value]
    if isinstance(value, dict):
        return {key: picture(item, seen, depth) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return {key for key in value if isinstance(key, PLAIN)}
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return repr(value.get_state())
    if isinstance(value, random.Random):
        return repr(value.getstate())
    fields = _fields_of(value)
    if fields is not None:
        return {name: picture(item, seen, depth) for name, item in fields.items()}
    return type(value)


def _fields_of(value: Any) -> dict[str, Any] | None:
    """Return what is in the fields of an object of the user's, also in slots; None of others."""
    if not is_users(type(value).__module__) and not isinstance(value, KEEPERS):
        return None
    fields, slots = getattr(value, "__dict__", None), slots_of(value)
    if type(fields) is not dict and not slots:
        return None
    return {**(fields or {}), **{name: getattr(value, name) for name in slots}}


def agree(pairs: list[tuple[Any, Any]], near: float, eps: float) -> bool:
    """Say whether numbers are the same, but for rounding beside the largest of their array."""
    filled = [(0.0 if a is None else a, 0.0 if b is None else b) for a, b in pairs]
    sizes = [max(_size(a), _size(b)) for a, b in filled]
    rounding = 1e4 * eps * max(sizes, default=0.0)
    return all(
        np.allclose(a, b, rtol=near, atol=near * size + rounding, equal_nan=True)
        for (a, b), size in zip(filled, sizes, strict=True)
    )


def alike(one: Any, other: Any, near: float, met: set[tuple[int, int]] | None = None) -> bool:
    """Say whether two pictures are the same, but for rounding; parts that were `met` are."""
    met = set() if met is None else met
    if isinstance(one, (dict, list)) and isinstance(other, (dict, list)):
        if (id(one), id(other)) in met:
            return True
        met.add((id(one), id(other)))
    if isinstance(one, dict) or isinstance(other, dict):
        return (
            isinstance(one, dict)
            and isinstance(other, dict)
            and one.keys() == other.keys()
            and all(alike(item, other[key], near, met) for key, item in one.items())
        )
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(alike(a, b, near, met) for a, b in zip(one, other, strict=True))
        )
    if _is_numeric(one) and _is_numeric(other):
        if np.shape(one) != np.shape(other):
            return False
        return bool(np.allclose(one, other, rtol=near, atol=near * _size(one), equal_nan=True))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.shape(one) == np.shape(other) and bool(np.all(one == other))
    return bool(one == other)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "biufc"
    return isinstance(value, (bool, int, float, complex))


def _size(value: Any) -> float:
    found = np.abs(np.asarray(value))
    largest = np.max(found, initial=0.0, where=np.isfinite(found))
    return min(float(largest), 1e300)


def _reads_alike(one: str, other: str, near: float) -> bool:
    """Say whether two texts are the same, but for the rounding of numbers in them."""
    if one == other:
        return True
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=near, abs_tol=near) for a, b in pairs)


# -- memory


def shared_memory(results: Iterable[Any], arguments: Iterable[tuple[str, Any]]) -> str:
    """Return what results share memory with that they should not; empty if there is nothing."""
    known = [(name, array) for name, value in arguments for array in _arrays(value)]
    for result in results:
        own = list(_arrays(result))
        for array in own:
            if array.size > 1 and 0 in [
                step for step, n in zip(array.strides, array.shape, strict=True) if n > 1
            ]:
                return "its entries lie in the same memory"
            for name, other in known:
                if _share(array, other):
                    return f"it shares memory with {name}"
        known += [("another of its results", array) for array in own]
    return ""


def _share(one: Any, other: Any) -> bool:
    most: Any = 10_000  # steps, since the question may take for ever
    try:
        return bool(np.shares_memory(one, other, max_work=most))
    except np.exceptions.TooHardError:
        return bool(np.may_share_memory(one, other))


def _arrays(value: Any) -> Iterator[Any]:
    """Yield the arrays that a value holds; its parts, which may hold each other, are asked once."""
    waiting, asked = [value], {id(value)}
    for _ in range(_DEEPEST + 1):
        inside: list[Any] = []
        for item in waiting:
            if isinstance(item, np.ndarray):
                if item.size:
                    yield item
                continue
            for part in _parts(item):
                if id(part) not in asked:
                    asked.add(id(part))
                    inside.append(part)
        waiting = inside


def _parts(value: Any) -> Iterable[Any]:
    fields = getattr(value, "__dict__", None)
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple)):
        return value
    if type(fields) is dict and is_users(type(value).__module__):
        return fields.values()
    return ()
