"""Says which names are bound to numbers that the program itself writes out, and so to no memory."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from srcgrad.analyses.constant_rows import constants_of, runs_over_constants
from srcgrad.analyses.points_to import PointsTo
from srcgrad.ir import gast
from srcgrad.ir.build import subscript
from srcgrad.ir.displays import integer_of, parts_of_tuple
from srcgrad.ir.program import Program, is_store, targets_of
from srcgrad.ir.walk import names_bound, statements

_NUMBERS: Final = (bool, int, float, complex)


def written_numbers(program: Program) -> frozenset[str]:
    """Return the names that are bound to nothing but numbers that stand in the text.

    They may stand in displays, and are read out of those by index or by unpacking.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     table = [("a", 1.3), ("b", -0.4)]
    ...     for name, rate in table:
    ...         v = rate
    ...         v *= x[0]
    ...         x = x * v
    ...     return x
    ... ''')
    >>> sorted(written_numbers(program))
    ['rate', 'v']
    """
    if not program.once(PointsTo).displays:
        return frozenset()
    bound = program.once(BoundValues).bound
    found = set(bound)
    size = -1
    while size != (size := len(found)):
        asked: dict[int, bool] = {}
        for name, groups in bound.items():
            for values in groups:
                if id(values) not in asked:
                    asked[id(values)] = all(_is_number(value, found) for value in values)
            if not all(asked[id(values)] for values in groups):
                found.discard(name)
    return frozenset(found)


class BoundValues:
    """What each name of a program in normal form may be bound to.

    Attributes:
        bound: Lists of values, by the name; None among them is one not known. What reads the same
            entries has the same list.
        unpacked: Those of the names that lists and tuples are unpacked into, or entries of tuples
            are read into, where all is known.
    """

    def __init__(self, program: Program) -> None:
        self._points, self._scope = program.once(PointsTo), program.reader.scope
        self._read: dict[tuple[frozenset[int], Any], list[Any]] = {}
        self.bound: dict[str, list[list[Any]]] = defaultdict(list)
        for name in program.parameters:
            self.bound[name].append([None])
        self.unpacked: dict[str, list[Any]] = {}
        for statement in statements(program.body):
            self._visit(statement)
        self.unpacked = {
            name: values for name, values in self.unpacked.items() if len(self.bound[name]) == 1
        }

    def _visit(self, statement: Any) -> None:
        assigns = isinstance(statement, gast.Assign) and not is_store(statement)
        target = statement.targets[0] if assigns else None
        if isinstance(target, gast.Name):
            self._bind_name(target.id, statement.value)
        elif isinstance(target, gast.Tuple) and isinstance(statement.value, gast.Name):
            for place, item in enumerate(target.elts):
                values = self._unpacked(statement.value, place)
                for name in names_bound(item):
                    self.bound[name].append(values)
                if isinstance(item, gast.Name) and None not in values:
                    self.unpacked[item.id] = values
        elif runs_over_constants(statement, self._points, self._scope):
            parts = getattr(statement.target, "elts", [statement.target])
            for place, item in enumerate(parts):
                at = None if item is statement.target else place
                for name in names_bound(item):
                    self.bound[name].append(constants_of(statement, self._points, at))
        else:
            for part in targets_of(statement):
                for name in names_bound(part):
                    self.bound[name].append([None])

    def _bind_name(self, name: str, value: Any) -> None:
        place = integer_of(value.slice) if isinstance(value, gast.Subscript) else None
        if place is None or not self._are_tuples(value.value):
            self.bound[name].append(self._values(value))
            return
        self.bound[name].append(values := self._unpacked(value.value, place))
        if None not in values:
            self.unpacked[name] = values

    def _values(self, value: Any) -> list[Any]:
        if not isinstance(value, gast.Subscript) or isinstance(value.slice, gast.Slice):
            return [value]
        word = value.slice.value if isinstance(value.slice, gast.Constant) else None
        key = self._displays(value.value), word if isinstance(word, str) else None
        if key not in self._read:
            self._read[key] = self._points.read(value) or [None]
        return self._read[key]

    def _unpacked(self, container: Any, place: int) -> list[Any]:
        """Return what unpacking may give in one place: of tuples it is told apart."""
        key = self._displays(container), place if self._are_tuples(container) else None
        if key not in self._read:
            read = subscript(container, gast.Constant(place, None))
            self._read[key] = self._points.read(read) or [None]
        return self._read[key]

    def _are_tuples(self, container: Any) -> bool:
        """Say whether a name means tuples that are written out whole, if anything that is known."""
        shown = [self._points.displays[display] for display in self._displays(container)]
        return bool(shown) and all(parts_of_tuple(item) is not None for item in shown)

    def _displays(self, container: Any) -> frozenset[int]:
        return self._points.of(getattr(container, "id", ""))


def _is_number(value: Any, names: set[str]) -> bool:
    if isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        return _is_number(value.operand, names)
    if isinstance(value, gast.Constant):
        return isinstance(value.value, _NUMBERS)
    return isinstance(value, gast.Name) and value.id in names
