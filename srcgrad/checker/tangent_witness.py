"""Keeps what forward mode says of each statement: a witness that the checker does not trust.

It says which tangent a rule gives the results of one statement, of the tangents of its operands.
What happens to memory, to containers and along paths, the checker finds out by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.checker.witness import is_wanted
from srcgrad.ir.build import clone
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.program import Program
from srcgrad.ir.walk import statements


@dataclass(slots=True)
class Push:
    """The tangent of one statement.

    Attributes:
        statement: The statement as it is run.
        before: What is run before it.
        after: What is run after it, and before the tangent is read.
        tangent: The tangent of its results; None if they have none, whatever they are made of.
        silent: The operands that the tangent leaves out, since nothing is said to vary with them.
        is_call: Whether the statement returns its results and their tangent, as a pair.
    """

    statement: Any
    before: list[Any] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    tangent: Any = None
    silent: list[str] = field(default_factory=list)
    is_call: bool = False


@dataclass(slots=True)
class TangentWitness:
    """The primal of one tangent function, and the tangents of its statements.

    Attributes:
        body: The primal in normal form, by itself.
        pushes: The tangents, by the identity of the statement of `body`.
        dots: The names of tangents, and the names whose tangents they are.
    """

    body: list[Any]
    pushes: dict[int, Push] = field(default_factory=dict)
    dots: dict[str, str] = field(default_factory=dict)
    _places: dict[int, int] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def note(
        self,
        statement: Any,
        tangent: Any,
        around: tuple[list[Any], list[Any]] = ([], []),
        *,
        silent: list[str],
    ) -> None:
        """Keep the tangent of a statement, with what is run before and after that."""
        before, after = around
        self._keep(
            statement,
            Push(
                clone(statement),
                [clone(item) for item in before],
                [clone(item) for item in after],
                clone(tangent),
                silent,
            ),
        )

    def note_call(self, statement: Any, call: Any) -> None:
        """Keep what is run for a call of the user's function: it returns the tangent, too."""
        self._keep(statement, Push(clone(call), is_call=True))

    def note_constant(self, statement: Any) -> None:
        """Note that the results of a statement have no derivative, by its rule."""
        self._keep(statement, Push(clone(statement)))

    def _keep(self, statement: Any, push: Push) -> None:
        place = self._places.get(id(statement))
        if place is not None:
            self.pushes[place] = push


def begun_forwards(program: Program) -> TangentWitness | None:
    """Begin the witness of a program's tangents, if derivatives are to be checked."""
    if not is_wanted():
        return None
    made = TangentWitness([clone(item) for item in program.body])
    for ours, theirs in zip(statements(program.body), statements(made.body), strict=True):
        made._places[id(ours)] = id(theirs)  # noqa: SLF001 - of one being made
        made._kept.append(ours)  # noqa: SLF001
        if UPDATES_ENTRY.of(ours):
            UPDATES_ENTRY.put(theirs, True)
    program.witness = made
    return made
