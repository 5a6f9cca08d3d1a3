"""Reads what tuples hold one by one, where lists or dicts in them are written beside other values.

The shadow of such a tuple holds shadows of the lists, and adjoints of the other values. To these is
added in their place, which unpacking does not name. What such a tuple shows without a name and is
written by another one gets a name, by which it has a shadow.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.points_to import PointsTo
from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone, constant, load, subscript
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import parts_of_tuple
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.walk import blocks_of, root_name, statements


def unpacked_apart(program: Program) -> list[Any]:
    """Return the body of a program in normal form, with such tuples read by index.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(x):
    ...     body = [x], 2.0
    ...     place, mass = body
    ...     place[0] = x * mass
    ...     return place[0]
    ... ''')
    >>> print(text(program.body[:5]))
    value = [x]
    body = value, 2.0
    place = body[0]
    mass = body[1]
    x_times_mass = x * mass
    """
    points = program.once(PointsTo)
    written = {name for item in statements(program.body) for name in _written(item)}
    changed = {display for name in written for display in points.of(name)}
    return _Apart(program, points, changed).block(program.body) if changed else program.body


class _Apart:
    """Takes apart what is unpacked, and names lists in displays that are changed by other names."""

    def __init__(self, program: Program, points: PointsTo, changed: set[int]) -> None:
        self._program = program
        self._points = points
        self._changed = changed
        self._near: dict[frozenset[int], bool] = {}  # whether anything near to some is changed

    def block(self, block: list[Any]) -> list[Any]:
        """Return a list of statements."""
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self.block(part)
            if isinstance(statement, gast.Assign) and self._mixes(statement):
                done += _reads(statement)
                continue
            if isinstance(statement, gast.Assign) and id(statement) in self._points.displays:
                self._name_inner(statement.value, statement, done)
            done.append(statement)
        return done

    def _name_inner(self, display: Any, statement: Any, done: list[Any]) -> None:
        """Bind displays in another one to names, if what they make is changed by other names."""
        items = display.values if isinstance(display, gast.Dict) else getattr(display, "elts", [])
        for place, item in enumerate(items):
            if id(item) not in self._points.displays:
                continue
            self._name_inner(item, statement, done)
            if not any(isinstance(node, gast.Tuple) for node in (display, item)):
                continue  # rows of a table need no names
            if self._changed.isdisjoint(self._points.within(id(item))):
                continue
            name = self._program.namer.fresh("value")
            done.append(assign(name, item, statement))
            items[place] = load(name)

    def _mixes(self, statement: Any) -> bool:
        """Say whether tuples are unpacked of which some entries are lists or dicts, others not."""
        target, points = statement.targets[0], self._points
        source = getattr(statement.value, "id", "")
        if not isinstance(target, gast.Tuple) or not points.is_container(source):
            return False
        if not all(isinstance(item, gast.Name) for item in target.elts):
            return False
        shown = [parts_of_tuple(points.displays[display]) for display in points.of(source)]
        if any(parts is None or len(parts) != len(target.elts) for parts in shown):
            return False  # what does not fit raises
        inner = [points.may_be_container(item.id) for item in target.elts]
        if not any(inner) or all(inner):
            return False
        displays = points.of(source)
        if displays not in self._near:
            self._near[displays] = not self._changed.isdisjoint(points.connected({source}))
        return self._near[displays]


def _reads(statement: Any) -> list[Any]:
    return [
        assign(item, subscript(clone(statement.value), constant(place)), statement)
        for place, item in enumerate(statement.targets[0].elts)
    ]


def _written(statement: Any) -> list[str]:
    """Return the names of what a statement stores into, or changes."""
    change = change_of(statement)
    if change is not None:
        return [change.name]
    name = root_name(store_target(statement)) if is_store(statement) else None
    return [] if name is None else [name]
