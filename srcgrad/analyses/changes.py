"""Judges the changes that a program makes to lists and dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.analyses.containers import kinds
from srcgrad.analyses.entries import Entries
from srcgrad.analyses.lent import lent
from srcgrad.analyses.memory import Problem
from srcgrad.analyses.number_tables import number_tables
from srcgrad.analyses.objects import objects
from srcgrad.analyses.points_to import PointsTo
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import RESCUED, UNSEEN, UPDATES_ENTRY
from srcgrad.ir.program import Program, direct_names, is_store, store_target
from srcgrad.ir.walk import statements


class ContainerChanges:
    """The changes of the lists and dicts that a program has made itself, or may take for such.

    Attributes:
        own: Their statements, by identity; what else looks like a change writes into an array.
        lent: The names of lists and dicts of the caller or of the module that are changed.
    """

    def __init__(self, program: Program, shapes: Shapes) -> None:
        self._program = program
        self._shapes = shapes
        self._entries = program.once(Entries)
        others = lent(program)
        self._found = objects(program, kinds(program).arrays, others)
        self.own = self._found.own
        self.lent = others.changed | others.holders

    def aliases(self, statement: Any) -> set[str]:
        """Return the names that may be bound to what a statement changes."""
        return self._found.aliases.get(id(statement), set())

    def puts_entry(self, statement: Any, name: str) -> bool:
        """Say whether a store binds an entry of a list or dict of the program's own making.

        ``xs[i] += v`` (or ``*=``) writes into the entry itself, unless that is a number.
        """
        if id(statement) not in self.own:
            return False
        values = self._entries.of(name)
        numbers = values is not None and self._shapes.are_numbers(values)
        updates = "op" in statement._fields or UPDATES_ENTRY.of(statement)
        return numbers or not updates

    def grown_row(self, statement: Any) -> str | None:
        """Return the name of the row of a table that a change cannot be followed of otherwise."""
        change = change_of(statement)
        if change is None or change.method != "append":
            return None
        if id(statement) not in self._found.conflicts:
            return None
        tables = self._program.once(number_tables)
        is_row = change.name in tables.rows and change.name not in tables.tables
        return change.name if is_row else None

    def contested(self, statement: Any) -> Problem | None:
        """Return what is wrong with a change of what other names reach, too, unless by shadows."""
        found = self._found.conflicts.get(id(statement))
        if found is None or self.grown_row(statement):
            return None
        change = change_of(statement)
        base = load(change.name) if change is not None else store_target(statement).value
        points = self._program.once(PointsTo)
        name = getattr(base, "id", "")
        if not points.is_container(name) or not points.escaped.isdisjoint(points.of(name)):
            return None
        return self._conflict(*found)

    def _conflict(self, statement: Any, other: str | None) -> Problem:
        if other is None:
            message = "this changes a list or dict that may be reached from elsewhere"
            return Problem(statement, message, "change a copy of it, such as `list(xs)`")
        name = self._program.namer.base(other)
        message = f"this changes a list or dict that is also reached as `{name}`"
        return Problem(statement, message, "make a copy before changing it, or build a new one")

    def held(self, statement: Any) -> Iterator[tuple[str, str]]:
        """Yield the pairs of names that share memory since one holds the other."""
        change = change_of(statement)
        if change is not None and change.target is not None:
            yield change.target, change.name
        if change is not None and change.value is not None:
            for name in self.entry_names(change.value):
                yield change.name, name

    def entry_names(self, value: Any) -> list[str]:
        """Return the names whose memory is kept with an entry; numbers have none."""
        return [] if self._shapes.is_number(value) else direct_names(value)

    def problems(self) -> Iterator[Problem]:
        """Yield the changes that cannot be followed, each with a message and a hint."""
        for attempt in statements(self._program.body):
            if isinstance(attempt, gast.Try) and RESCUED.of(attempt):  # else it ends or leaves
                yield from self._attempted(attempt)
        for statement in statements(self._program.body):
            slices = is_store(statement) and isinstance(store_target(statement).slice, gast.Slice)
            if slices and id(statement) in self.own:
                message = "this assigns to a slice of a list, which may change its length"
                hint = "assign entry by entry, or join the parts with `+`"
                yield Problem(statement, message, hint)
        for statement, other in self._found.conflicts.values():
            if not self.grown_row(statement) and self.contested(statement) is None:
                yield self._conflict(statement, other)  # else it is judged like a write

    def _attempted(self, attempt: Any) -> Iterator[Problem]:
        for statement in statements(attempt.body):
            if UNSEEN.of(statement):  # nobody reads it once the body has failed
                continue
            if change_of(statement) is not None or id(statement) in self.own:
                message = "this changes a list or dict in a `try`, which may be left half-way"
                yield Problem(statement, message, "change it after the `try`")
