"""Writes a condition where it is asked, if that is the next thing to happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import Counts, header_reads
from srcgrad.ir.walk import blocks_of


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

    A name that is bound elsewhere too may have another value there.

    >>> body = parse('''
    ... for i in n:
    ...     test = i != j
    ...     tests.append(test)
    ...     if test:
    ...         x = 1
    ... for i in n:
    ...     test = tests.pop()
    ...     if test:
    ...         x = 2
    ... ''')
    >>> asked_next(body, {"test"}.__contains__)
    >>> print(text(body))
    for i in n:
        test = i != j
        tests.append(test)
        if test:
            x = 1
    for i in n:
        if tests.pop():
            x = 2
    """
    pairs = [pair for pair in _pairs(body) if is_temporary(pair[0])]
    if not pairs:
        return
    counts, times = Counts(body), Counter(name for name, _, _ in pairs)
    wanted = {
        name for name, count in times.items() if count == counts.reads[name] == counts.binds[name]
    }
    gone: set[int] = set()
    again = _asked_again(body)
    for name, test, condition in pairs:
        last = id(condition) not in again
        if name in wanted or (last and not CLOSING.of(test)):
            condition.test = test.value
            gone.add(id(test))
    _drop(body, gone)


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


def _asked_again(body: list[Any]) -> set[int]:
    """Return each `if` that asks for a name which is read in its branches or live after it."""
    found: set[int] = set()

    def visit(statement: Any, live: set[str]) -> None:
        if isinstance(statement, gast.If) and getattr(statement.test, "id", None) in live:
            found.add(id(statement))

    walk_live(body, set(), visit)
    _read_inside(body, Counter(), found)
    return found


def _read_inside(block: list[Any], reads: Counter[str], found: set[int]) -> None:
    """Add each `if` whose branches read the name that it asks for; count all reads in `reads`.

    Those before an `if` and those after its branches differ by what is read in them.
    """
    for statement in block:
        reads.update(header_reads(statement))
        asked = statement.test if isinstance(statement, gast.If) else None
        name = asked.id if isinstance(asked, gast.Name) else ""
        before = reads[name]
        for part in blocks_of(statement):
            _read_inside(part, reads, found)
        if name and reads[name] != before:
            found.add(id(statement))


def _drop(block: list[Any], gone: set[int]) -> None:
    for statement in block:
        for part in blocks_of(statement):
            _drop(part, gone)
    block[:] = [item for item in block if id(item) not in gone]
