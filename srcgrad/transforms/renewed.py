"""Says which names hold something new after a `try` or a trip of a loop, and what they held before.

An adjoint of such a name starts at zero there, in the shape of what the name held before, if it
held anything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from srcgrad.analyses.integers import Integers
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import ATTEMPT, RENEWED
from srcgrad.ir.program import Program, bound_names, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, names_read, statements, walk
from srcgrad.transforms.sure_numbers import is_number
from srcgrad.transforms.sweep import Sweep


def note_renewed(program: Program) -> None:
    """Note on each `try` the names that it alone binds: they have no value from before it."""
    bound = Counter(program.parameters)
    for statement in statements(program.body):
        bound.update(_bound_by(statement))
    for attempt in map(ATTEMPT.of, statements(program.body)):
        if attempt is not None:
            inside = Counter(n for item in statements(attempt.body) for n in _bound_by(item))
            RENEWED.put(attempt, {name for name, count in inside.items() if bound[name] == count})


def renewed_by(branch: Any) -> set[str]:
    """Return the names that have no value before a `try`, of the branch that asks of it."""
    attempt = ATTEMPT.of(branch)
    return set() if attempt is None else RENEWED.of(attempt)


def _bound_by(statement: Any) -> Iterator[str]:
    for target in targets_of(statement):
        yield from names_bound(target)


def may_change_shape(sweep: Sweep, name: str, loop: Any) -> bool:
    """Say whether the trips of a loop may bind a name to values of different shapes.

    So they may where these are made of parts whose bounds the trips bind, or chosen by arrays, of
    lists that grow in inner loops, or by calls that are given integers of a trip.
    """
    of_trip = bound_names([loop])
    integers = sweep.facts.integers
    made, grown = _made_in(loop.body, of_trip)
    asked: list[str] = [name]
    seen: set[str] = set()
    while asked:
        name = asked.pop()
        if name in seen or _has_one_shape(sweep, name, of_trip):
            continue
        seen.add(name)
        values = made[name]
        if name in grown or any(_takes_some(item, of_trip, integers) for item in values):
            return True
        asked += [other for value in values for other in names_read(value)]
    return False


def _made_in(body: list[Any], of_trip: set[str]) -> tuple[dict[str, list[Any]], set[str]]:
    """Return what names are bound to, and the lists that grow in loops whose trips may differ."""
    made: dict[str, list[Any]] = defaultdict(list)
    grown: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, gast.Assign):
            for name in names_bound(statement.targets[0]):
                made[name].append(statement.value)
        elif isinstance(statement, gast.While) or not of_trip.isdisjoint(header_reads(statement)):
            changes = (
                change_of(item) for part in blocks_of(statement) for item in statements(part)
            )
            grown.update(change.name for change in changes if change is not None)
    return made, grown


def _takes_some(value: Any, of_trip: set[str], integers: Integers) -> bool:
    """Say whether an expression takes as many elements as a trip says."""
    for node in walk(value):
        if isinstance(node, gast.Slice):
            if not of_trip.isdisjoint(names_read(node)):
                return True
        elif isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Name):
            if node.slice.id in of_trip and not integers.of(node.slice):
                return True
        elif isinstance(node, gast.Call):
            given = (item for item in node.args if isinstance(item, gast.Name))
            if any(item.id in of_trip and integers.of(item) for item in given):
                return True
    return False


def _has_one_shape(sweep: Sweep, name: str, of_trip: set[str]) -> bool:
    """Say whether what a name holds in each trip surely has the same shape."""
    whole = load(name)
    axes, shape = sweep.facts.dimensions.of(whole), sweep.facts.shapes.of(whole)
    if is_number(sweep, whole) or (shape and shape <= {*sweep.program.parameters}):
        return True
    return axes is not None and None not in axes and of_trip.isdisjoint(_parts(axes))


def _parts(axes: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the names and numbers that the lengths of axes are made of."""
    for part in axes:
        if isinstance(part, tuple):
            yield from _parts(part)
        else:
            yield part
