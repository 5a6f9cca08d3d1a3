"""Notes which lines of the user's a statement belongs to beside its own.

What stands where it is read, or is added up in one statement, may come from several lines.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.marks import ALSO, IS_PRIMAL


def take_lines(statement: Any, source: Any) -> None:
    """Note that a statement does what another, `source`, did before for lines of the user's.

    Primal statements speak for themselves.

    >>> from srcgrad.compiler.doctesting import parse
    >>> source, statement = parse('''
    ... grad_b = 2 * b
    ... grad_a = grad_b * c
    ... ''')
    >>> take_lines(statement, source)
    >>> statement.lineno, other_lines(statement)
    (3, ((2, 2),))
    """
    first = getattr(source, "lineno", 0) or 0
    own = [(first, getattr(source, "end_lineno", None) or first)] if first else []
    if IS_PRIMAL.of(source):
        own = []
    found = dict.fromkeys([*other_lines(source), *own, *other_lines(statement)])
    mine = getattr(statement, "lineno", 0)
    ALSO.put(statement, tuple(item for item in found if item[0] != mine))


def other_lines(statement: Any) -> tuple[tuple[int, int], ...]:
    """Return the lines beside its own that a statement belongs to: first and last ones."""
    found: tuple[tuple[int, int], ...] = ALSO.of(statement)
    return found
