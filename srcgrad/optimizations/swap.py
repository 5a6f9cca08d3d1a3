"""Writes ``a, b = b, a`` for copies that go through a third name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from srcgrad.ir.build import assign, at, names_tuple
from srcgrad.ir.marks import IS_PRIMAL
from srcgrad.ir.program import Counts
from srcgrad.ir.walk import blocks_of
from srcgrad.optimizations.propagate_copies import copy_in


def write_swaps(body: list[Any]) -> list[Any]:
    """Return `body` with rows of copies written as one assignment where names change places.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(write_swaps(parse('''
    ... for _ in range(n):
    ...     c = a
    ...     a = b
    ...     b = c
    ...     x = y
    ... '''))))
    for _ in range(n):
        a, b = b, a
        x = y
    >>> print(text(write_swaps(parse("c = a; a = b; b = c; d = c"))))
    c = a
    a = b
    b = c
    d = c
    """
    return _block(body, Counts(body))


def _block(block: list[Any], counts: Counts) -> list[Any]:
    kept: list[Any] = []
    row: list[Any] = []
    for statement in [*block, None]:
        if statement is not None and copy_in(statement)[0]:
            row.append(statement)
            continue
        kept += _shorter(row, counts) if len(row) > 1 else row
        row = []
        if statement is not None:
            for part in blocks_of(statement):
                part[:] = _block(part, counts)
            kept.append(statement)
    return kept


def _shorter(row: list[Any], counts: Counts) -> list[Any]:
    """Return a row of copies with as few statements as possible."""
    copies = [copy_in(statement) for statement in row]
    inside = Counter(source for _, source in copies)
    values: dict[str, str] = {}
    before: set[str] = set()  # names whose values from before the row are read
    for name, source in copies:
        before.update({source} - values.keys())
        values[name] = values.get(source, source)
    once = [name for name in values if counts.binds[name] == 1 and name not in before]
    between = [name for name in once if 0 < inside[name] == counts.reads[name]]
    last = {name: value for name, value in values.items() if name not in between and name != value}
    moved = [s for s, (name, _) in zip(row, copies, strict=True) if name in last]
    written: list[Any] = []
    for names in _groups(last):
        first = next(s for s in moved if copy_in(s)[0] in names)
        sources = [last[name] for name in names]
        if len(names) > 1 and sorted(sources) != sorted(names):
            return row
        target = names_tuple(names, storing=True)
        new = assign(target, names_tuple(sources))
        IS_PRIMAL.put(new, IS_PRIMAL.of(first))
        written.append(at(new, first))
    return written if 0 < len(written) < len(row) else row


def _groups(values: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the names that have to be bound at once: each needs what others held."""
    left = dict(values)
    while left:
        group = [next(iter(left))]
        for name in group:  # it grows
            others = [n for n, value in left.items() if value == name or left.get(name) == n]
            group += [n for n in others if n not in group]
        for name in group:
            del left[name]
        yield group
