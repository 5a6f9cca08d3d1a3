"""Finds where names are bound to None that hold something elsewhere: there they have no shape."""

from __future__ import annotations

from collections import Counter

from srcgrad.ir import gast
from srcgrad.ir.program import Program, targets_of
from srcgrad.ir.walk import names_bound, statements


def absent_values(program: Program) -> frozenset[int]:
    """Return the identities of the statements ``best = None`` of names that get values, too.

    Whoever computes with such a name has a value: with None it raises.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     best = None
    ...     for v in x:
    ...         best = v * 2.0
    ...     nothing = None
    ...     return best, nothing
    ... ''')
    >>> len(absent_values(program))
    1
    """
    bound = Counter(
        name
        for statement in statements(program.body)
        for target in targets_of(statement)
        for name in names_bound(target)
    )
    nothing = [item for item in statements(program.body) if _is_nothing(item)]
    empty = Counter(item.targets[0].id for item in nothing)
    return frozenset(
        id(item) for item in nothing if bound[item.targets[0].id] > empty[item.targets[0].id]
    )


def _is_nothing(statement: gast.AST) -> bool:
    if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
        return False
    return isinstance(statement.value, gast.Constant) and statement.value.value is None
