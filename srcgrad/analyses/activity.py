"""Says which values carry derivatives from the inputs to the outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import gast

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
    program: Program, outputs: tuple[str, ...], shared: Sequence[tuple[str, str]] = ()
) -> Activity:
    """Return the active names of a program, for derivatives of `outputs`.

    `shared` are pairs of names of the same memory: what flows into one flows into the other.

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
    varied = _reach(program.inputs, forward)
    useful = _reach(outputs, backward)
    return Activity(frozenset(varied), frozenset(varied & useful))


def varied_names(program: Program) -> frozenset[str]:
    """Return the names that depend on an input."""
    return frozenset(_reach(program.inputs, _edges(program)[0]))


def _edges(program: Program) -> tuple[Edges, Edges]:
    forward: Edges = defaultdict(list)
    backward: Edges = defaultdict(list)
    getitem = program.reader.vocabulary.getitem
    for statement in statements(program.body):
        if is_store(statement):
            base = store_target(statement).value
            targets = [base.id] if isinstance(base, gast.Name) else []
            sources = direct_names(statement.value)
        elif isinstance(statement, gast.Assign):
            targets = [name for target in statement.targets for name in names_bound(target)]
            sources = operand_names(program.operation(statement), getitem)
        else:
            continue
        for target in targets:
            for source in sources:
                forward[source].append(target)
                backward[target].append(source)
    return forward, backward


def _reach(starts: tuple[str, ...], edges: Edges) -> set[str]:
    reached = set(starts)
    stack = list(starts)
    while stack:
        for name in edges.get(stack.pop(), ()):
            if name not in reached:
                reached.add(name)
                stack.append(name)
    return reached
