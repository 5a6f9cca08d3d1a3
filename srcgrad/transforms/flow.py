"""Foresees which adjoints exist before a block, given those that exist after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import ATTEMPT, RESCUED
from srcgrad.ir.program import direct_names, is_store, store_target
from srcgrad.ir.walk import names_bound, statements
from srcgrad.transforms.renewed import renewed_by

Operands = Callable[[Any], tuple[list[str], list[str]]]
Asked = dict[tuple[int, frozenset[str]], tuple[Any, set[str], set[str]]]
"""What was found for each `if` and the adjoints after it: that statement, and the two results."""


def touched(
    block: list[Any],
    cells: set[str],
    operands: Operands,
    always: frozenset[str] = frozenset(),
    asked: Asked | None = None,
) -> set[str]:
    """Return the names with an adjoint before `block`, given those with one after it.

    `operands(assignment)` returns its targets and its active operands; `always` have an adjoint
    from the start. `asked` remembers, while the block stays as it is, what it was asked before:
    whoever asks for each `elif` asks for all that follow it.

    >>> from srcgrad.compiler.doctesting import parse
    >>> def operands(line):
    ...     return names_bound(line.targets[0]), [line.value.id]
    >>> body = parse('''
    ... a = x
    ... if c:
    ...     b = a
    ... y = b
    ... ''')
    >>> sorted(touched(body, {"y"}, operands))
    ['b', 'x']
    """
    asked = {} if asked is None else asked
    for statement in reversed(block):
        if isinstance(statement, gast.If):
            then, other = touched_in_branches(statement, cells, operands, always, asked)
            cells = then | other
        elif isinstance(statement, gast.Try):
            here = [*run_here(statement), *statement.finalbody]
            cells = touched(here, cells, operands, always, asked)
        elif isinstance(statement, (gast.For, gast.While)):
            size = -1
            cells = set(cells)
            while len(cells) != size:
                size = len(cells)
                cells |= touched(statement.body, set(cells), operands, always, asked)
        elif isinstance(statement, gast.With):
            cells = touched(statement.body, cells, operands, always, asked)
        else:
            cells = _simple(statement, cells, operands, always)
    return cells


def touched_in_branches(
    statement: Any, cells: set[str], operands: Operands, always: frozenset[str], asked: Asked
) -> tuple[set[str], set[str]]:
    """Return the names with an adjoint before each branch of an `if`; see `touched`."""
    key = id(statement), frozenset(cells)
    if key not in asked:
        then, other = (
            set() if raises(block) else touched(block, set(cells), operands, always, asked)
            for block in (statement.body, other_branch(statement))
        )
        then, other = then - renewed_by(statement), other - renewed_by(statement)
        asked[key] = statement, then, other  # the statement, so that no other gets its identity
    _, then, other = asked[key]
    return then, other


def raises(block: list[Any]) -> bool:
    """Say whether a block raises at its end: it is never run backwards."""
    return bool(block) and isinstance(block[-1], gast.Raise)


def other_branch(statement: Any) -> list[Any]:
    """Return what is run where the condition of an `if` fails.

    For one that follows a `try` and asks whether it failed, that begins with the body of the `try`.
    """
    attempt = ATTEMPT.of(statement)
    before = attempt.body if attempt is not None else []
    return [*before, *statement.orelse]


def run_here(attempt: Any) -> list[Any]:
    """Return the body of a `try`, unless it belongs to the `if` after it."""
    return [] if RESCUED.of(attempt) else list(attempt.body)


def fed_in(block: list[Any], operands: Operands) -> set[str]:
    """Return the names whose adjoints the statements of a block add to."""
    fed: set[str] = set()
    for statement in statements(block):
        if change_of(statement) is not None:
            fed.update(operands(statement)[1])
        elif is_store(statement):
            fed.update(names_bound(store_target(statement).value))
            fed.update(direct_names(statement.value))
        elif isinstance(statement, gast.AugAssign):
            fed.update(direct_names(statement.value))
        elif isinstance(statement, gast.Assign):
            fed.update(operands(statement)[1])
    return fed


def _simple(
    statement: Any, cells: set[str], operands: Operands, always: frozenset[str]
) -> set[str]:
    if change_of(statement) is not None:
        return _change(statement, cells, operands)
    if is_store(statement):
        base = names_bound(store_target(statement).value)
        if base and base[0] in cells and isinstance(statement.value, gast.Name):
            cells = cells | {statement.value.id}
    elif isinstance(statement, gast.AugAssign):
        if statement.target.id in cells and isinstance(statement.value, gast.Name):
            cells = cells | {statement.value.id}
    elif isinstance(statement, gast.Assign):
        cells = _assignment(statement, cells, operands) | always
    return cells


def _change(statement: Any, cells: set[str], operands: Operands) -> set[str]:
    """The adjoint of a list that is changed is always made, to be changed back."""
    targets, sources = operands(statement)
    return (cells - set(targets)) | set(sources)


def _assignment(statement: Any, cells: set[str], operands: Operands) -> set[str]:
    targets, sources = operands(statement)
    if not cells.intersection(targets):
        return cells
    return (cells - set(targets)) | set(sources)
