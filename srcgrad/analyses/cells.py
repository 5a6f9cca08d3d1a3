"""Says which reads of lists that a program makes are numbers, while the axes of names are found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from srcgrad.analyses.elements import ANY
from srcgrad.analyses.entries import Entries
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.ir import gast
from srcgrad.ir.displays import makes_row
from srcgrad.ir.program import Program, bound_names, targets_of
from srcgrad.ir.walk import names_bound, statements


class Cells:
    """The reads of lists of numbers; `axes_of(operand)` are the axes that are known by now.

    What is put into a list may be computed from what is read there. So a read is taken for a number
    if all is that is known before it, and is looked at again when all of the program is known.
    """

    def __init__(self, program: Program, axes_of: Callable[[Any], Any]) -> None:
        self._entries = program.once(Entries)
        self._scope = program.reader.scope
        self._made = bound_names(program.body)
        self._rows = program.once(_rows_read)
        self._axes_of = axes_of
        self._read_from: dict[str, str] = {}
        self._open: dict[str, list[Any]] = {}
        self._asked: set[str] = set()

    def begin(self) -> None:
        """Forget which entries were found to be numbers: the axes of names are found anew."""
        self._open = {}

    def are_numbers(self, name: str, source: str, known: Collection[str]) -> bool:
        """Say whether `name`, read from a list, seems to be a number; `known` names have axes."""
        values = self._held(source) or ()
        later = self._waiting(source, lambda v: v.id in self._made and v.id not in known)
        if later is None or later == len(values):
            return False
        self._read_from[name] = source
        return True

    def hold_numbers(self, source: str) -> bool:
        """Say whether all that a list holds is known to be numbers.

        What is made of its own entries is a number if they are.
        """
        if source in self._asked:
            return True
        self._asked.add(source)
        try:
            return bool(self._held(source)) and self._waiting(source, lambda _: False) == 0
        finally:
            self._asked.discard(source)

    def axes_of_entries(self, node: Any) -> Vector | None:
        """Return the axes that all entries of a list have; a length that may differ is None."""
        values = self._entries.of(node.id) if isinstance(node, gast.Name) else None
        vectors = [self._axes_of(value) for value in values or ()]
        if not vectors or None in vectors or len({len(vector) for vector in vectors}) > 1:
            return None
        lengths = zip(*vectors, strict=True)
        return tuple(of[0] if len(set(of)) == 1 else None for of in lengths)

    def _held(self, name: str) -> list[Any] | None:
        """Return what a list may hold, if anything but given numbers; None if unknown."""
        found = self._entries.of(name)
        return self._entries.beside_given(name) if found is None else found

    def numbers_in(self, node: Any, depth: int = 3) -> str:
        """Return what leads from a list that the program makes to numbers, if it holds these."""
        if makes_row(node, self._scope):
            return ANY
        name = getattr(node, "id", "")
        held = self._held(name)
        if not held and depth and name in self._rows:
            ends = {self.numbers_in(table, depth - 1) for table in self._rows[name]}
            end = ends.pop() if len(ends) == 1 else ""
            return end.removeprefix(ANY) if end.startswith(ANY * 2) else ""
        if not held or not depth or self._entries.is_dict(name):
            return ""
        if self.hold_numbers(name):
            return ANY
        inner = {self.numbers_in(value, depth - 1) for value in held}
        return ANY + inner.pop() if len(inner) == 1 and "" not in inner else ""

    def _waiting(self, source: str, is_later: Callable[[Any], bool]) -> int | None:
        """Return how many names in a list are found later; None if anything else is no number.

        A name that is a number remains one, and is not asked for again: many may read a long list.
        """
        asked = self._open.setdefault(source, [*(self._held(source) or ())])
        left: list[Any] = []
        later = 0
        for place, value in enumerate(asked):
            is_name = isinstance(value, gast.Name)
            if is_name and is_later(value):
                later += 1
                left.append(value)
            elif self._axes_of(value) != ():
                if place > len(left):
                    self._open[source] = left + asked[place:]
                return None
            elif not is_name and not isinstance(value, gast.Constant):
                left.append(value)
        self._open[source] = left
        return later

    def mistaken(self) -> Iterator[str]:
        """Yield the names that were taken for numbers, and may be none after all."""
        wrong: dict[str, bool] = {}
        for name, source in self._read_from.items():
            if source not in wrong:
                wrong[source] = any(
                    self._axes_of(value) != () for value in self._held(source) or ()
                )
            if wrong[source]:
                yield name


def _rows_read(program: Program) -> dict[str, list[Any]]:
    """Return the names that are bound to single entries of what has names, with all of those."""
    rows: dict[str, list[Any]] = {}
    others: set[str] = set()
    for statement in statements(program.body):
        for target in targets_of(statement):
            value: Any = statement.value if isinstance(statement, gast.Assign) else None
            reads = isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name)
            if isinstance(target, gast.Name) and reads and not isinstance(value.slice, gast.Slice):
                rows.setdefault(target.id, []).append(value.value)
            else:
                others.update(names_bound(target))
    return {name: tables for name, tables in rows.items() if name not in others}
