"""Writes a condition where it is asked, if that is the next thing to happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, statements


def asked_next(body: list[Any], is_temporary: Callable[[str], bool]) -> None:
    """Write ``if a > b:`` for ``test = a > b`` and ``if test:`` in a row, wherever `test` is bound.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... for i in n:
    ...     test = i != j
    ...     if test:
    ...         x = 1
    ... ''')
    >>> asked_next(body, {"test"}.__contains__)
    >>> print(text(body))
    for i in n:
        if i != j:
            x = 1
    """
    reads: Counter[str] = Counter()
    binds: Counter[str] = Counter()
    for statement in statements(body):
        reads.update(header_reads(statement))
        for target in targets_of(statement):
            binds.update(names_bound(target))
    pairs = Counter(name for name, _, _ in _pairs(body))
    wanted = {
        name
        for name, count in pairs.items()
        if is_temporary(name) and count == reads[name] == binds[name]
    }
    for name, test, condition in _pairs(body):
        if name in wanted:
            condition.test = test.value
    _drop(body, wanted)


def _pairs(block: list[Any]) -> list[tuple[str, Any, Any]]:
    """Return the assignments of a name that are followed by an `if` which asks for it."""
    found: list[tuple[str, Any, Any]] = []
    before: Any = None
    for statement in block:
        for part in blocks_of(statement):
            found.extend(_pairs(part))
        if isinstance(statement, (Blank, Comment)):
            continue
        asks = isinstance(statement, gast.If) and isinstance(statement.test, gast.Name)
        plain = isinstance(before, gast.Assign) and isinstance(before.targets[0], gast.Name)
        if asks and plain and before.targets[0].id == statement.test.id:
            found.append((statement.test.id, before, statement))
        before = statement
    return found


def _drop(block: list[Any], names: set[str]) -> None:
    for statement in block:
        for part in blocks_of(statement):
            _drop(part, names)
    block[:] = [
        item
        for item in block
        if not isinstance(item, gast.Assign) or getattr(item.targets[0], "id", "") not in names
    ]
