"""Says which values carry derivatives from the inputs to the outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.analyses.entries import Entries
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, direct_names, is_store, operand_names, store_target
from srcgrad.ir.walk import names_bound, statements

Edges = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Activity:
    """The names that vary with an input and that an output depends on.

    Since every name has one meaning in normal form, no flow is needed: activity is reachability.
    """

    varied: frozenset[str]
    active: frozenset[str]


def activity(
    program: Program,
    outputs: tuple[str, ...],
    shared: Sequence[tuple[str, str]] = (),
    idle: frozenset[str] = frozenset(),
) -> Activity:
    """Return the active names of a program, for derivatives of `outputs`.

    `shared` are pairs of names of the same memory: what flows into one flows into the other. On
    those that are `idle` the outputs do not depend, whatever is computed from them.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, y):
    ...     a = x * y
    ...     b = y * y
    ...     c = np.cos(x)
    ...     print(c)
    ...     return a + b
    ... ''')
    >>> found = activity(program, program.outputs)
    >>> sorted(found.varied), sorted(found.active)
    (['a', 'c', 'out', 'x'], ['a', 'out', 'x'])
    """
    forward, backward = _edges(program)
    for first, second in [*shared, *[(second, first) for first, second in shared]]:
        forward[first].append(second)
        backward[second].append(first)
    for name in idle:
        for source in backward.pop(name, ()):
            forward[source] = [target for target in forward[source] if target != name]
    varied = _reach(program.inputs, forward)
    useful = _reach(outputs, backward)
    return Activity(frozenset(varied), frozenset(varied & useful))


def varied_names(program: Program, classes: Iterable[set[str]] = ()) -> frozenset[str]:
    """Return the names that depend on an input.

    With classes of names that may share memory, also those that share it with such a name.
    """
    edges, _ = _edges(program)
    reached = _reach(program.inputs, edges)
    waiting = list(classes)
    while met := [members for members in waiting if not reached.isdisjoint(members)]:
        waiting = [members for members in waiting if reached.isdisjoint(members)]
        reached = _reach((*reached, *(name for members in met for name in members)), edges)
    return frozenset(reached)


def flows(program: Program, body: list[Any]) -> Iterator[tuple[Any, list[str], list[str]]]:
    """Yield each statement that binds or writes, with its targets and the sources of derivatives.

    A constant has no sources: what it mentions passes no derivative on.
    """
    vocabulary = program.reader.vocabulary
    for statement in statements(body):
        change = change_of(statement)
        if change is not None:
            targets = [change.name] if change.target is None else [change.target]
            sources = direct_names(change.value) if change.target is None else [change.name]
        elif is_store(statement):
            base = store_target(statement).value
            targets = [base.id] if isinstance(base, gast.Name) else []
            sources = direct_names(statement.value)
        elif isinstance(statement, gast.Assign):
            targets = [name for target in statement.targets for name in names_bound(target)]
            sources = list(operand_names(program.operation(statement), vocabulary))
        else:
            continue
        yield statement, targets, sources


def _edges(program: Program) -> tuple[Edges, Edges]:
    forward: Edges = defaultdict(list)
    backward: Edges = defaultdict(list)
    for _, targets, sources in flows(program, program.body):
        for target in targets:
            for source in sources:
                forward[source].append(target)
                backward[target].append(source)
    for source, target in _same_objects(program):
        forward[target].append(source)
        backward[source].append(target)
    for holder, held in _updated_entries(program):
        forward[holder].append(held)
    return forward, backward


def _updated_entries(program: Program) -> Iterator[tuple[str, str]]:
    """Yield the containers of which entries are updated in place, each with what is put in."""
    updated = {
        getattr(store_target(statement).value, "id", "")
        for statement in statements(program.body)
        if isinstance(statement, gast.AugAssign) and is_store(statement)
    }
    updated = {name for name in updated if program.once(Entries).of(name) is not None}
    for statement in statements(program.body) if updated else ():
        change = change_of(statement)
        if change is not None and change.value is not None and change.name in updated:
            yield from ((change.name, name) for name in direct_names(change.value))
        elif isinstance(statement, gast.Assign) and is_store(statement):
            holder = getattr(store_target(statement).value, "id", "")
            if holder in updated:
                yield from ((holder, name) for name in direct_names(statement.value))


def _same_objects(program: Program) -> list[tuple[str, str]]:
    """Return the copies between names of lists that are changed: all of them are active or none.

    The adjoint of a list has its length at that time, which the reversal of every change keeps up.
    """
    changed = {c.name for s in statements(program.body) if (c := change_of(s)) is not None}
    copies = [
        (statement.value.id, name)
        for statement in (statements(program.body) if changed else ())
        if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Name)
        for target in statement.targets
        for name in names_bound(target)
    ]
    size = -1
    while len(changed) != size:
        size = len(changed)
        for pair in copies:
            if not changed.isdisjoint(pair):
                changed.update(pair)
    return [pair for pair in copies if pair[0] in changed]


def _reach(starts: tuple[str, ...], edges: Edges) -> set[str]:
    reached = set(starts)
    stack = list(starts)
    while stack:
        for name in edges.get(stack.pop(), ()):
            if name not in reached:
                reached.add(name)
                stack.append(name)
    return reached
