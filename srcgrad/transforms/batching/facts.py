"""Says what is known of a value: whether each example has its own, and how many axes one has.

A value of a batch has the examples along its first axis; `rank` counts the axes of one example.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from srcgrad.ir import gast
from srcgrad.runtime.objects import is_plain_object

Kind = Literal[
    "number", "array", "tuple", "list", "dict", "object", "iterator", "none", "text", "mixed",
    "picked", "unknown",
]  # fmt: skip
Site = Hashable
Sites = frozenset[Site]
NOWHERE: Final[Sites] = frozenset()
_ORDER: Final = "bifc"
_OF_TRUTHS: Final = (gast.Add, gast.Mult, gast.BitAnd, gast.BitOr, gast.BitXor)
"""Operators that give truths for two arrays of truths."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of one value.

    Attributes:
        kind: What it is. A number has no memory that could be written into, an array has;
            `mixed` is what differs from path to path, `picked` what a mask of each example picks.
        batched: Whether each example has its own.
        rank: How many axes one example has, None if that is not known.
        dtype: The kind of its elements, as NumPy abbreviates it; empty if that is not known.
        items: What a tuple, list, dict or object holds, or an iterator yields (one fact).
        keys: The keys of a dict, or the names of the fields of an object.
        constant: A tuple of the value itself, where the text tells it.
        sites: Where the memory was made that it lies in, or where the number was computed.
        read_from: Where the memory was made that a number was read from.
    """

    kind: Kind
    batched: bool = False
    rank: int | None = None
    dtype: str = ""
    items: tuple[Fact, ...] | None = None
    keys: tuple[Hashable, ...] | None = None
    constant: tuple[Any, ...] = ()
    sites: Sites = NOWHERE
    read_from: Sites = NOWHERE

    @property
    def is_numeric(self) -> bool:
        """Whether it is a number or an array."""
        return self.kind in ("number", "array")

    @property
    def is_truth(self) -> bool:
        """Whether it is one truth (for each example)."""
        return self.is_numeric and self.rank == 0 and self.dtype == "b"

    def at(self, *sites: Site) -> Fact:
        """Return the same of a value that lies elsewhere."""
        return replace(self, sites=frozenset(sites), read_from=NOWHERE)

    def held(self, key: Any) -> Fact | None:
        """Return what lies under a key, an index or the name of a field; None if unknown."""
        if self.items is None:
            return None
        if self.keys is not None:
            return self.items[self.keys.index(key)] if key in self.keys else None
        inside = isinstance(key, int) and -len(self.items) <= key < len(self.items)
        return self.items[key] if inside else None


UNKNOWN: Final = Fact("unknown")
NONE: Final = Fact("none", constant=(None,))
WHOLE: Final = Fact("number", rank=0, dtype="i")


def is_batched(fact: Fact) -> bool:
    """Say whether anything in a value is of one example each."""
    return fact.batched or any(map(is_batched, fact.items or ()))


def joined(one: Fact, other: Fact) -> Fact:
    """Return what is known of a value that is either of two.

    >>> joined(Fact("number", rank=0, dtype="i"), Fact("number", rank=0, dtype="i")).dtype
    'i'
    >>> joined(Fact("number", rank=0), Fact("text")).kind
    'mixed'
    """
    if one == other:
        return one
    sites, read = one.sites | other.sites, one.read_from | other.read_from
    constant = one.constant if one.constant == other.constant else ()
    batched = one.batched or other.batched
    if one.is_numeric and other.is_numeric:
        kind: Kind = one.kind if one.kind == other.kind else "array"
        rank = one.rank if one.rank == other.rank else None
        dtype = one.dtype if one.dtype == other.dtype else ""
        return Fact(kind, batched, rank, dtype, None, None, constant, sites, read)
    if one.kind != other.kind or one.keys != other.keys:
        return Fact("mixed", batched=is_batched(one) or is_batched(other), sites=sites)
    items = None
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        items = tuple(map(joined, one.items, other.items))
    elif is_batched(one) or is_batched(other):
        return Fact("mixed", batched=True, sites=sites)
    return Fact(one.kind, batched, None, "", items, one.keys, constant, sites, read)


def all_joined(facts: Iterable[Fact]) -> Fact | None:
    """Return what all of several values have in common; None if there are none."""
    found: Fact | None = None
    for fact in facts:
        found = fact if found is None else joined(found, fact)
    return found


def promoted(facts: Sequence[Fact]) -> str:
    """Return the kind of elements that an operation between values has."""
    kinds = [fact.dtype for fact in facts]
    return max(kinds, key=_ORDER.index) if kinds and all(kinds) else ""


def kind_of_operation(op: gast.operator, facts: Sequence[Fact]) -> str:
    """Return the kind of elements that an operator gives: two truths divide to whole numbers.

    >>> truths = [Fact("number", rank=0, dtype="b")] * 2
    >>> kind_of_operation(gast.Mod(), truths), kind_of_operation(gast.Mult(), truths)
    ('i', 'b')
    """
    kind = promoted(facts)
    if isinstance(op, gast.Div) and kind in ("b", "i"):
        return "f"
    return kind if isinstance(op, _OF_TRUTHS) else added_up(kind)


def added_up(dtype: str) -> str:
    """Return the kind of elements of sums and products of several: truths are counted."""
    return "i" if dtype == "b" else dtype


def fact_of(value: Any, site: Site = None, *, batched: bool = False) -> Fact:
    """Return what is known of a value outside of the program; `batched` holds for its leaves.

    >>> fact_of(np.ones((5, 2)), batched=True).rank
    1
    """
    sites = NOWHERE if site is None else frozenset((site,))
    if isinstance(value, np.ndarray):
        kind = value.dtype.kind.replace("u", "i")
        kind = kind if kind in _ORDER else ""
        return Fact("array", batched, value.ndim - batched, kind, sites=sites)
    if isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        kind = np.asarray(value).dtype.kind.replace("u", "i")
        return Fact("number", batched, 0, kind if kind in _ORDER else "", sites=sites)
    if value is None:
        return NONE
    if isinstance(value, str):
        return Fact("text", constant=(value,))
    named = isinstance(value, tuple) and hasattr(type(value), "_fields")
    if type(value) in (tuple, list) or named:  # an object may have an answer for any name
        kind_of: Kind = "list" if type(value) is list else "tuple"
        items = tuple(fact_of(item, site, batched=batched) for item in value)
        return Fact(kind_of, items=items, sites=sites)
    if type(value) is dict:
        items = tuple(fact_of(item, site, batched=batched) for item in value.values())
        return Fact("dict", items=items, keys=tuple(value), sites=sites)
    if is_plain_object(value) and not batched and hasattr(value, "__dict__"):
        fields = {
            name: item
            for name, item in vars(value).items()
            if isinstance(item, (np.ndarray, bool, int, float))
        }
        items = tuple(fact_of(item, site) for item in fields.values())
        return Fact("object", items=items, keys=tuple(fields), sites=sites)
    return Fact("unknown", sites=sites)
