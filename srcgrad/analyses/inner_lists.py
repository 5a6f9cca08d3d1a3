"""Says which names may be bound to lists that were read out of lists."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.entries import Entries
from srcgrad.ir import gast
from srcgrad.ir.build import subscript
from srcgrad.ir.displays import makes_list
from srcgrad.ir.program import Program, is_store
from srcgrad.ir.walk import names_bound, statements


def inner_lists(program: Program) -> set[str]:
    """Return the names that are bound to an entry of a display which may be a list itself.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> sorted(inner_lists(program_of('''
    ... def f(x):
    ...     row = [x, x]
    ...     rows = (row, [x])
    ...     first = rows[0]
    ...     other, last = rows
    ...     entry = row[0]
    ...     return first[1] + last[0] + entry
    ... ''')))
    ['first', 'last', 'other']
    """
    entries = program.once(Entries)
    reads = [
        (name, _entry_of(statement))
        for statement in statements(program.body)
        if isinstance(statement, gast.Assign) and not is_store(statement)
        for name in names_bound(statement.targets[0])
    ]
    lists = {name: [name] for name, value in reads if makes_list(value)}
    held: dict[str, list[str]] = {}  # the lists or tuples that a name may be bound to
    for name, value in reads:
        if makes_list(value) or isinstance(value, gast.Tuple):
            held.setdefault(name, []).append(name)
    inner: set[str] = set()
    size = -1
    while size != (size := len(inner) + sum(map(len, held.values()))):
        for name, value in reads:
            found = _read_from(value, held, entries)
            is_copy = isinstance(value, gast.Name)
            if any(item in lists for item in found) and (not is_copy or value.id in inner):
                inner.add(name)
            known = held.setdefault(name, [])
            known += [item for item in dict.fromkeys(found) if item not in known]
    return inner


def _entry_of(statement: Any) -> Any:
    """Return what a statement binds its names to: some entry ``xs[...]`` for ``a, b = xs``."""
    unpacks = not isinstance(statement.targets[0], gast.Name)
    return subscript(statement.value, gast.Constant(0, None)) if unpacks else statement.value


def _read_from(value: Any, held: dict[str, list[str]], entries: Entries) -> list[str]:
    """Return the displays that an expression may give: those of a name, or entries of them."""
    if isinstance(value, gast.Name):
        return list(held.get(value.id, ()))
    if not isinstance(value, gast.Subscript) or not isinstance(value.value, gast.Name):
        return []
    return [
        display
        for container in held.get(value.value.id, ())
        for entry in entries.of(container) or ()
        for display in held.get(getattr(entry, "id", ""), ())
    ]
