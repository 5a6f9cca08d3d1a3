"""Finds where names are bound to None that hold something elsewhere: there they have no shape."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.program import Program, is_store, targets_of
from srcgrad.ir.walk import names_bound, statements


def absent_values(program: Program) -> frozenset[int]:
    """Return the identities of the statements that bind to None what gets values, too.

    Whoever computes with such a name has a value: with None it raises.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x):
    ...     best = None
    ...     for v in x:
    ...         if best is None or v > best:
    ...             best = v * 2.0
    ...     return best
    ... ''')
    >>> absent = absent_values(program)
    >>> [text([item]) for item in statements(program.body) if id(item) in absent]
    ['best_2 = best']
    """
    values: dict[str, list[Any]] = defaultdict(list)
    for name in program.parameters:
        values[name].append(name)
    for statement in statements(program.body):
        for target in targets_of(statement):
            plain = isinstance(target, gast.Name) and isinstance(statement, gast.Assign)
            for name in names_bound(target):
                values[name].append(statement.value if plain else name)
    if not any(map(_is_nothing, (value for bound in values.values() for value in bound))):
        return frozenset()
    nothing = {name for name, bound in values.items() if all(map(_may_be_nothing, bound))}
    size = -1
    while size != (size := len(nothing)):
        nothing = {n for n in nothing if all(_is_absent(value, nothing) for value in values[n])}
    return frozenset(
        id(statement)
        for statement in statements(program.body)
        if isinstance(statement, gast.Assign)
        and not is_store(statement)
        and _is_absent(statement.value, nothing)
        and getattr(statement.targets[0], "id", "") not in {*nothing, ""}
    )


def named_first(program: Program) -> frozenset[str]:
    """Return the names that are None at first, and get values later."""
    absent = program.once(absent_values)
    return frozenset(
        name
        for statement in statements(program.body)
        if id(statement) in absent
        for target in targets_of(statement)
        for name in names_bound(target)
    )


def _is_nothing(value: Any) -> bool:
    return isinstance(value, gast.Constant) and value.value is None


def _may_be_nothing(value: Any) -> bool:
    return _is_nothing(value) or isinstance(value, gast.Name)


def _is_absent(value: Any, nothing: set[str]) -> bool:
    return _is_nothing(value) or getattr(value, "id", "") in nothing
