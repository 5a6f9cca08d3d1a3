"""Finds what a call of a function that was threaded gives away, and what it binds for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from srcgrad.analyses.entries import Entries
from srcgrad.analyses.memory import Problem
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program
from srcgrad.ir.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class ThreadedState:
    """What a call is given to write into, and returns as what it is from then on.

    Attributes:
        place: The place of the argument.
        given, target: The argument, and the node that the new state is bound to.
        updates: Whether what is held there may be updated in place, ``rows[i] *= v``.
    """

    place: int
    given: Any
    target: Any
    updates: bool


def threaded_states(
    statement: Any, operation: Operation, vocabulary: Vocabulary
) -> list[ThreadedState]:
    """Return the states of a call, the last of its results; none of most calls."""
    names = vocabulary.states_returned(operation.primal)
    if not names:
        return []
    target, code = statement.targets[0], operation.primal.__code__
    last = getattr(target, "elts", [target])[-len(names) :]
    updated = vocabulary.states_updated(operation.primal)
    places = [code.co_varnames.index(name) for name in names]
    return [
        ThreadedState(place, operation.args[place], bound, name in updated)
        for name, place, bound in zip(names, places, last, strict=True)
    ]


def states_that_hold(
    program: Program, shapes: Shapes, statement: Any
) -> Iterator[tuple[ThreadedState, list[Problem]]]:
    """Yield the lists and dicts given away that may hold arrays, with what is wrong with that."""
    operation = program.operation(statement)
    for state in threaded_states(statement, operation, program.reader.vocabulary):
        held = program.once(Entries).of(state.given.id)
        if held is None or shapes.are_numbers(held):
            continue
        name = operation.primal.__qualname__
        what = (
            f"the call of `{name}`, which updates what `{program.namer.base(state.given.id)}` holds"
        )
        problem = Problem(statement, what, "bind it anew: `rows[i] = rows[i] * v`")
        yield state, [problem] if state.updates else []
