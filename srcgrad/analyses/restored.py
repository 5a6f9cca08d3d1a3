"""Finds arrays that are dearer to copy in parts than to put back number by number.

``out[i, j] += a[i + 1 :, i] @ out[i + 1 :, j]`` reads a column and writes one number of it. For the
backward pass either a copy of each column is kept, or the number that each write replaces: if the
backward pass puts that back, step by step, it meets the columns as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.analyses.final_elements import FinalElements, Known, written_names
from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.program import bound_by, is_store, store_target
from srcgrad.ir.walk import blocks_of, statements

_LOOPS: Final = (gast.For, gast.While)
_NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of the names and expressions of a function.

    Attributes:
        is_pure: Says whether an expression changes nothing.
        is_integer: Says which names are surely bound to whole numbers.
        are_integers: Says whether an index surely consists of whole numbers.
        is_number: Says which names are surely bound to numbers, none of them an array.
        is_element: Says whether a subscript surely names one number.
        is_own: Says which names are bound to memory that nobody else knows of.
    """

    is_pure: Callable[[Any], bool]
    is_integer: Callable[[str], bool]
    are_integers: Callable[[Any], bool]
    is_number: Callable[[str], bool]
    is_element: Callable[[Any], bool]
    is_own: Callable[[str], bool]


@dataclass(slots=True)
class _Found:
    """Where one function reads and writes parts of arrays, and the loops around."""

    stores: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    parts: dict[str, list[tuple[Any, tuple[Any, ...]]]] = field(default_factory=dict)
    odd: set[int] = field(default_factory=set)


def restored(
    body: list[Any], told: Told, given: Collection[str], outputs: Collection[str]
) -> frozenset[str]:
    """Return the names of arrays to put back, and of parts of them.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... y = x.copy()
    ... for i in range(n):
    ...     part = y[i:]
    ...     s = np.sum(part * part)
    ...     y[i] = s
    ... t = np.sum(y)
    ... return t
    ... ''')
    >>> every = lambda _: True
    >>> is_element = lambda node: isinstance(node.slice, gast.Name)
    >>> told = Told(every, "in".__contains__, every, "st".__contains__, is_element, every)
    >>> sorted(restored(body, told, ["x", "n"], ["t"]))
    ['part', 'y']
    """
    found = _Found()
    _look(body, told, (), found)
    chosen = [name for name in found.stores if _is_cheaper(found, name) and told.is_own(name)]
    if not chosen:
        return _NOTHING
    sharing = Sharing(body, told.is_pure, told.is_number)
    known = Known(sharing.may_share, told.is_pure, told.is_integer)
    final = FinalElements(body, known, given)
    every = {name for item in statements(body) for name in bound_by(item)}
    names: set[str] = set()
    for name in chosen:
        if all(final.is_read_for_good(read) for read, loops in found.parts[name] if loops):
            continue
        group = {other for other in [*every, *given] if sharing.may_share(other, name)} | {name}
        if _is_alone(body, name, group, told, found.odd) and group.isdisjoint([*given, *outputs]):
            names |= group
    return frozenset(names)


def _look(block: list[Any], told: Told, loops: tuple[Any, ...], found: _Found) -> None:
    """Note the stores of single numbers, the reads of parts, and what must not be undone."""
    for statement in block:
        if is_store(statement):
            target = store_target(statement)
            name = getattr(target.value, "id", "")
            if told.is_element(target):
                found.stores.setdefault(name, []).append(loops)
        elif is_part(statement, told.is_element, told.are_integers):
            found.parts.setdefault(statement.value.value.id, []).append((statement, loops))
        inner = (*loops, statement) if isinstance(statement, _LOOPS) else loops
        for part in blocks_of(statement):
            if isinstance(statement, (gast.Try, gast.With)):
                found.odd |= {id(item) for item in statements(part)}
            _look(part, told, inner, found)


def is_part(
    statement: Any, is_element: Callable[[Any], bool], are_integers: Callable[[Any], bool]
) -> bool:
    """Say whether a statement is ``t = y[1:, j]``: a name for a part of the same memory."""
    value: Any = getattr(statement, "value", None)
    if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Subscript):
        return False
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], gast.Name):
        return False
    items = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
    slices = [item for item in items if isinstance(item, gast.Slice)]
    rest = [item for item in items if not isinstance(item, gast.Slice)]
    named = isinstance(value.value, gast.Name)
    return named and bool(slices) and not is_element(value) and all(map(are_integers, rest))


def _is_cheaper(found: _Found, name: str) -> bool:
    """Say whether no number of an array is written more often than parts of it are read."""
    reads = [loops for _, loops in found.parts.get(name, ()) if loops]
    return bool(reads) and all(
        any(loops == inner[: len(loops)] for inner in reads) for loops in found.stores[name]
    )


def _is_alone(
    body: list[Any], name: str, group: set[str], told: Told, odd: Collection[int]
) -> bool:
    """Say whether an array is bound once, and whether all other names of it are parts of it.

    All that writes into it are stores of single numbers.
    """
    if sum(name in bound_by(item) for item in statements(body)) != 1:
        return False
    if not any(name in bound_by(item) for item in body if isinstance(item, gast.Assign)):
        return False
    for statement in statements(body):
        bound = group.intersection(bound_by(statement)) - {name}
        if bound and not is_part(statement, told.is_element, told.are_integers):
            return False
        if group.isdisjoint(written_names(statement, told.is_pure)):
            continue
        plain = is_store(statement) and id(statement) not in odd
        if not plain or not told.is_element(store_target(statement)):
            return False
        if getattr(store_target(statement).value, "id", "") != name:
            return False
    return True
