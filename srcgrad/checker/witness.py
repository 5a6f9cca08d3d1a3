"""Keeps what reversal says of each statement: a witness that the checker does not trust.

An entry says which expression each operand's adjoint gets of the adjoints of the results. The
checker makes sure that the expressions are those of one statement, reads them at that statement's
own time, and adds up by itself.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.marks import EDIT, IN_PLACE, REPEATS, Mark
from srcgrad.ir.program import Program
from srcgrad.ir.walk import blocks_of, statements

OBSERVERS: Final[list[Callable[..., None]]] = []
VARIABLE: Final = "SRCGRAD_PROVE"
"""The variable of the environment that switches the check of derivatives off, if it is 0."""


@dataclass(slots=True)
class Entry:
    """The contributions of one statement.

    Attributes:
        statement: The statement as it is run forward.
        before: What is run before it.
        grads: The adjoints of the results, as the expressions name them.
        emitted: Statements that are run before the contributions are read.
        contributions: The name of each operand and the expression that its adjoint gets.
        in_place: The name of the operand's old value, if the statement is an update in place.
        silent: The operands that get nothing, since nothing is said to vary with them.
    """

    statement: Any
    before: list[Any]
    grads: list[Any]
    emitted: list[Any]
    contributions: list[tuple[str, Any]]
    in_place: tuple[str, str] | None = None
    silent: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Witness:
    """The primal of one derivative, and the contributions of its statements.

    Attributes:
        body: The primal in normal form, by itself.
        places: The identity of each statement of the program, and the one of `body` it stands for.
        entries: The contributions, by the identity of the statement of `body`.
        names: The copies that expressions read, and the names whose values they have.
    """

    body: list[Any]
    places: dict[int, int] = field(default_factory=dict)
    entries: dict[int, Entry] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    before: dict[int, list[Any]] = field(default_factory=dict)
    forward: dict[int, tuple[list[Any], Any]] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)

    def note(
        self,
        statement: Any,
        grads: list[Any],
        emitted: list[Any],
        contributions: list[tuple[str, Any]],
        in_place: tuple[str, str] | None = None,
        *,
        silent: Iterable[str] = (),
    ) -> None:
        """Keep the contributions of a statement."""
        place = self.places.get(id(statement))
        if place is None:
            return
        self.entries[place] = Entry(
            clone(statement),
            [clone(item) for item in self.before.get(id(statement), [])],
            [None if item is None else clone(item) for item in grads],
            [clone(item) for item in emitted],
            [(name, clone(value)) for name, value in contributions],
            in_place,
            list(silent),
        )

    def run_as(self, statement: Any, before: list[Any]) -> None:
        """Note what is run in the place of a statement, by its rule."""
        place = self.places.get(id(statement))
        if place is not None:
            self.forward[place] = [clone(item) for item in before], clone(statement)

    def stands_for(self, statement: Any, original: Any) -> None:
        """Note that a statement stands for one of the program."""
        place = self.places.get(id(original))
        if place is not None:
            self.places[id(statement)] = place
            self.kept.append(statement)

    def rename(self, copies: dict[str, str]) -> None:
        """Note the names of copies, by what they are copies of."""
        self.copies.update((copy, name) for name, copy in copies.items())


@contextlib.contextmanager
def observed(observer: Callable[..., None]) -> Iterator[None]:
    """Check what is compiled inside the block, and tell of each derivative what is found."""
    OBSERVERS.append(observer)
    try:
        yield
    finally:
        OBSERVERS.remove(observer)


def is_wanted() -> bool:
    """Say whether derivatives are to be checked."""
    return bool(OBSERVERS) or os.environ.get(VARIABLE, "").lower() not in ("0", "false", "no")


def begun(program: Program, names: dict[str, str]) -> Witness:
    """Begin the witness of a program, if derivatives are to be checked; else one of nothing."""
    if not is_wanted():
        return Witness([])
    program.witness = made = witness_of(program.body)
    made.names = names
    return made


def witness_of(body: list[Any]) -> Witness:
    """Begin the witness of a program in normal form."""
    made = Witness([clone(item) for item in body])
    _pair(body, made.body, made)
    return made


def _pair(ours: list[Any], theirs: list[Any], made: Witness) -> None:
    for first, second in zip(ours, theirs, strict=True):
        made.places[id(first)] = id(second)
        made.kept.append(first)
        carried: tuple[Mark[Any], ...] = (IN_PLACE, EDIT, REPEATS)
        for mark in carried:
            if mark.is_on(first):
                mark.put(second, mark.of(first))
        for one, other in zip(blocks_of(first), blocks_of(second), strict=True):
            _pair(one, other, made)


def writes(witness: Witness) -> bool:
    """Say whether a program may write into memory: lanes may take a copy for a view there."""
    return any(map(_writes, statements(witness.body)))


def _writes(node: Any) -> bool:
    if isinstance(node, gast.Assign):
        plain = isinstance(node.targets[0], (gast.Name, gast.Tuple))
        return not plain or IN_PLACE.of(node) or _has_target(node.value)
    effect = isinstance(node, gast.Expr) and isinstance(node.value, gast.Call)
    return effect or isinstance(node, gast.AugAssign)


def _has_target(value: Any) -> bool:
    return isinstance(value, gast.Call) and any(item.arg == "out" for item in value.keywords)
