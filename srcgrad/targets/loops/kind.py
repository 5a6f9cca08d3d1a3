"""Kinds of values: numbers, arrays, tuples and lists of those."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.targets.loops.words import NUMBERS, calculated, either, held


@dataclass(frozen=True, slots=True)
class Array:
    """An array: its numbers, how many axes it has, and which are surely of length one."""

    dtype: str
    ndim: int
    ones: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple of known length, or a named one."""

    items: tuple[Any, ...]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Many:
    """A list of values of one kind; None if nothing is in it yet."""

    item: Any


UNKNOWN: Final = "unknown"
Kind = Any  # a word, or one of these; None where nothing is known yet


def joined(one: Kind, other: Kind) -> Kind:
    """Return the kind of what is of one kind or of another."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if is_number(one) and is_number(other):
        return either(one, other) or UNKNOWN
    if isinstance(one, Array) and isinstance(other, Array) and one.ndim == other.ndim:
        dtype = joined(one.dtype, other.dtype)
        return Array(dtype, one.ndim, one.ones & other.ones) if dtype in NUMBERS else UNKNOWN
    if isinstance(one, Many) and isinstance(other, Many):
        return Many(joined(one.item, other.item))
    if isinstance(one, Items) and isinstance(other, Items) and len(one.items) == len(other.items):
        if one.fields and other.fields and one.fields != other.fields:
            return UNKNOWN  # dicts of other keys
        return Items(tuple(map(joined, one.items, other.items)), one.fields or other.fields)
    return UNKNOWN


def is_number(kind: Kind) -> bool:
    """Say whether a kind is that of numbers."""
    return isinstance(kind, str) and kind in NUMBERS


def word_in(kind: Kind) -> str | None:
    """Return the word for a number, or for those of an array; None for other kinds."""
    found = kind.dtype if isinstance(kind, Array) else kind
    return found if is_number(found) else None


def beside(function: Any, *kinds: Kind) -> Kind:
    """Return the kind of what a function of NumPy calculates entry by entry."""
    if any(kind is None for kind in kinds):
        return None
    words = [word_in(kind) for kind in kinds]
    dtype = calculated(function, tuple(map(str, words))) if all(words) else None
    return UNKNOWN if dtype is None else spread(dtype, kinds)


def spread(dtype: str, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of numbers calculated of some kinds: of an array, if there is one among them.

    >>> spread("bool", ["float", Array("float64", 1)])
    Array(dtype='bool', ndim=1, ones=frozenset())
    """
    arrays = [kind for kind in kinds if isinstance(kind, Array)]
    if not arrays:
        return dtype
    ndim = max(item.ndim for item in arrays)
    ones = [
        {axis + ndim - item.ndim for axis in item.ones} | set(range(ndim - item.ndim))
        for item in arrays
    ]
    return Array(held(dtype), ndim, frozenset(set.intersection(*ones)))
