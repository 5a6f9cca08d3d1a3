"""Says which names are bound to tables: lists of lists of numbers, each row a list of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast

from srcgrad.analyses.displays import makes_table
from srcgrad.ir.program import Program
from srcgrad.ir.walk import names_bound, own_nodes, statements


@dataclass(slots=True)
class NumberTables:
    """The tables of a program.

    Attributes:
        tables: The names that are bound to tables.
        rows: The tables whose rows a name may be bound to, by the name.
    """

    tables: set[str] = field(default_factory=set)
    rows: dict[str, set[str]] = field(default_factory=dict)


def number_tables(program: Program) -> NumberTables:
    """Return the tables of a program in normal form, and the names of their rows.

    A table is made at once, of constants, and used for its rows and its length alone; so is a row
    used for its cells. Then no row is in two places, and no list but the table holds it.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> found = number_tables(program_of('''
    ... def f(x):
    ...     best = [[0.0] * 4 for _ in range(3)]
    ...     best[1][2] = x[0]
    ...     same = [[0.0] * 4] * 3
    ...     same[1][2] = x[0]
    ...     return best[1][2] * same[0][2]
    ... '''))
    >>> sorted(found.tables), *found.rows.values()
    (['best'], {'best'}, {'best'})
    """
    found = NumberTables()
    scope = program.reader.scope
    for statement in statements(program.body):
        if isinstance(statement, gast.Assign) and makes_table(statement.value, scope):
            for name in names_bound(statement.targets[0]):
                found.tables.add(name)
    for name in program.parameters:
        found.tables.discard(name)
    if found.tables:
        _Uses(program, found).drop_others()
    return found


class _Uses:
    """Leaves those tables whose names, and whose rows' names, are used as such alone."""

    def __init__(self, program: Program, found: NumberTables) -> None:
        self._program = program
        self._found = found

    def drop_others(self) -> None:
        """Drop tables until all that is left is used as such."""
        while True:
            self._find_rows()
            spoilt = self._spoilt()
            if not spoilt:
                return
            for name in spoilt:
                self._found.tables.discard(name)

    def _find_rows(self) -> None:
        rows: dict[str, set[str]] = {}
        size = -1
        while size != (size := sum(map(len, rows.values()))):
            for statement in statements(self._program.body):
                if isinstance(statement, gast.Assign):
                    read = self._row_read(statement.value, rows)
                    if read and isinstance(statement.targets[0], gast.Name):
                        rows.setdefault(statement.targets[0].id, set()).update(read)
        self._found.rows = rows

    def _row_read(self, value: Any, rows: dict[str, set[str]]) -> set[str]:
        if isinstance(value, gast.Name):
            return rows.get(value.id, set())
        if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
            name = value.value.id
            return {name} if name in self._found.tables else set()
        return set()

    def _spoilt(self) -> set[str]:
        """Return the tables that are used otherwise, or whose rows' names may mean other things."""
        spoilt: set[str] = set()
        rows = self._found.rows
        for statement in statements(self._program.body):
            allowed = self._allowed(statement)
            for node in own_nodes(statement):
                if not isinstance(node, gast.Name) or id(node) in allowed:
                    continue
                if node.id in self._found.tables:
                    spoilt.add(node.id)
                spoilt |= rows.get(node.id, set())
        return spoilt

    def _allowed(self, statement: Any) -> set[int]:
        """Return the identities of the names that stand in a statement as tables and rows may."""
        tables, rows = self._found.tables, self._found.rows
        allowed: set[int] = set()
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            target, value = statement.targets[0], statement.value
            makes = target.id in tables and makes_table(value, self._program.reader.scope)
            reads = target.id in rows and self._row_read(value, rows)
            if makes or reads:
                allowed.add(id(target))
            if reads and isinstance(value, gast.Name):
                allowed.add(id(value))
        for node in own_nodes(statement):
            if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
                allowed.add(id(node.value))
            elif isinstance(node, gast.Call) and self._only_reads(node):
                allowed.update(map(id, node.args))
        return allowed - self._stored_rows(statement)

    def _only_reads(self, call: Any) -> bool:
        """Say whether a call neither writes into its operands nor returns one of them."""
        operation = self._program.reader.read(call)
        if operation.kind == "primitive":
            known = self._program.reader.vocabulary.primitive(operation.primal)
            return not known.may_view and not known.writes and not known.stores
        return getattr(call.func, "id", "") == "len"

    def _stored_rows(self, statement: Any) -> set[int]:
        """Return the identity of a table whose row a statement replaces."""
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        target = statement.target if isinstance(statement, gast.AugAssign) else target
        base = getattr(target, "value", None) if isinstance(target, gast.Subscript) else None
        return {id(base)} if getattr(base, "id", "") in self._found.tables else set()
