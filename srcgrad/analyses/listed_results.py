"""Knows the lists of numbers, or of such lists, that functions of the user's return."""

from __future__ import annotations

from collections import Counter
from typing import Any

from srcgrad.analyses.elements import ANY
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.ir import gast
from srcgrad.ir.program import Program, targets_of
from srcgrad.ir.walk import names_bound, statements


class ListedResults:
    """The names that are bound to such a list, by one statement each."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._made: dict[str, tuple[Any, str]] = {}

    def told(self, statement: Any, results: tuple[Any, ...]) -> tuple[Vector | None, ...]:
        """Return the axes of the results of a call, of which a list is taken apart or noted.

        Such a list is told by what leads to its numbers, ``[*]`` or ``[*][*]``.
        """
        target = statement.targets[0]
        ends = results[0] if len(results) == 1 and isinstance(results[0], str) else ""
        if isinstance(target, gast.Name):
            self._made.pop(target.id, None)
        if not ends:
            return results
        if isinstance(target, gast.Tuple):
            return (() if ends == ANY else None,) * len(target.elts)
        if isinstance(target, gast.Name):
            self._made[target.id] = statement, ends
        return (None,)

    def names(self) -> dict[str, tuple[Any, str]]:
        """Return the names of lists, with the one statement that binds each, and those texts."""
        if not self._made:
            return {}
        every = statements(self._program.body)
        targets = [target for statement in every for target in targets_of(statement)]
        bound = Counter(name for target in targets for name in names_bound(target))
        return {name: made for name, made in self._made.items() if bound[name] == 1}
