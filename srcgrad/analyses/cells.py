"""Says which reads of lists that a program makes are numbers, while the axes of names are found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from srcgrad.analyses.entries import Entries
from srcgrad.ir.program import Program, bound_names


class Cells:
    """The reads of lists of numbers; `axes_of(operand)` are the axes that are known by now.

    What is put into a list may be computed from what is read there. So a read is taken for a number
    if all is that is known before it, and is looked at again when all of the program is known.
    """

    def __init__(self, program: Program, axes_of: Callable[[Any], Any]) -> None:
        self._entries = program.once(Entries)
        self._made = bound_names(program.body)
        self._axes_of = axes_of
        self._read_from: dict[str, str] = {}

    def are_numbers(self, name: str, source: str, known: Collection[str]) -> bool:
        """Say whether `name`, read from a list, seems to be a number; `known` names have axes."""
        found = [
            self._axes_of(value)
            for value in self._entries.of(source) or ()
            if getattr(value, "id", "") not in self._made or value.id in known
        ]
        if not found or any(axes != () for axes in found):
            return False
        self._read_from[name] = source
        return True

    def hold_numbers(self, source: str) -> bool:
        """Say whether all that a list holds is known to be numbers."""
        values = self._entries.of(source)
        return bool(values) and all(self._axes_of(value) == () for value in values or ())

    def mistaken(self) -> Iterator[str]:
        """Yield the names that were taken for numbers, and may be none after all."""
        for name, source in self._read_from.items():
            values = self._entries.of(source) or ()
            if any(self._axes_of(value) != () for value in values):
                yield name
