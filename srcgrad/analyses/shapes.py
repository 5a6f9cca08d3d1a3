"""Says which values surely have the same shape, by symbols.

A shape is a set of symbols that are broadcast together; the empty set is that of a single number.
Broadcasting is then the union of sets, and two values of equal sets have equal shapes. A symbol is
a name ("the shape of what this name is bound to now") or what a slice leaves of a shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.analyses.absent_values import absent_values, named_first
from srcgrad.analyses.entries import UNSEEN, Entries
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.text_calls import called, called_by_text
from srcgrad.analyses.written_numbers import BoundValues, written_numbers
from srcgrad.ir import gast
from srcgrad.ir.operations import Operation, broadcast_together, broadcasts
from srcgrad.ir.program import Program, targets_of
from srcgrad.ir.walk import names_bound, names_read, statements, walk
from srcgrad.locks import kept_property
from srcgrad.primitives import Primitive

Shape = frozenset[Hashable]
SCALAR: Final[Shape] = frozenset()

_OF_ARRAYS: Final = frozenset("shape ndim T size dtype sum mean dot max min reshape ravel".split())
_ORDER: Final = (gast.Lt, gast.LtE, gast.Gt, gast.GtE, gast.Eq, gast.NotEq)


class Shapes:
    """The shapes of the names of a program in normal form.

    Attributes:
        agree: Says whether the lengths of two operands are known otherwise, and the same.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, y):
    ...     a = np.sin(x) * 2
    ...     b = a * y
    ...     return np.sum(b)
    ... ''')
    >>> shapes = Shapes(program, Integers(program))
    >>> [sorted(shapes.of(line.targets[0])) for line in program.body[:-1]]
    [['x'], ['x'], ['x', 'y'], []]
    """

    def __init__(
        self,
        program: Program,
        integers: Integers,
        numbers: frozenset[str] = frozenset(),
        ranks: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._numbers = numbers | {n for n, fact in program.given.items() if fact == "number"}
        self._numbers |= program.once(written_numbers)
        matrices = [name for name, fact in program.given.items() if fact == "matrix"]
        self._ranks = {**dict.fromkeys(matrices, 2), **ranks}
        self._program = program
        self._absent, self._late = program.once(absent_values), program.once(named_first)
        self._integers = integers
        self._entries = program.once(Entries)
        self._unpacked = program.once(BoundValues).unpacked
        unpacked = {n for values in self._unpacked.values() for v in values for n in names_read(v)}
        self._in_entries = self._entries.names() | unpacked
        self._of_values: dict[int, frozenset[Shape | None]] = {}  # by the values, while these hold
        self.agree: Callable[[Any, Any], bool] = lambda *_: False
        self._known: dict[str, Shape] = self._of_parameters()
        self.vectors = {name for name, fact in program.given.items() if fact == "vector"}
        self._settled = False  # of the numbers in lists all must be known
        varying: set[str] = set()
        while conflicts := self._sweep(varying):
            varying |= conflicts
        self._settled = True
        self._numeric: dict[int, tuple[list[Any], bool]] = {}
        self._first: dict[Shape, str] = {}
        for name in [*program.parameters, *program.once(_top_variables)]:
            if name not in self._late:
                self._first.setdefault(self._known[name], name)

    def _of_parameters(self) -> dict[str, Shape]:
        given = self._program.given
        return {
            name: SCALAR
            if given.get(name) in ("int", "number")
            or name in self._integers.names
            or name in self._numbers
            else frozenset({name})
            for name in self._program.parameters
        }

    def of(self, node: Any) -> Shape | None:
        """Return the shape of an operand, or None where nothing is known of it."""
        if isinstance(node, gast.Name):
            if node.id in self._known:
                return self._known[node.id]
            return self._of_object(self._program.reader.scope.lookup(node.id))
        if isinstance(node, gast.Constant):
            return SCALAR if isinstance(node.value, (int, float, complex)) else None
        if isinstance(node, gast.UnaryOp):
            return self.of(node.operand)
        if self._integers.of(node):
            return SCALAR
        if isinstance(node, (gast.BinOp, gast.Call, gast.Compare, gast.Subscript)):
            return self.of_expression(node, set())
        if isinstance(node, gast.Attribute):
            return self._of_object(self._program.reader.scope.resolve(node))
        return None

    def of_expression(self, node: Any, numbers: set[str]) -> Shape | None:
        """Return the shape of an expression of elementwise steps; `numbers` are known ones."""
        if isinstance(node, gast.Name) and node.id in numbers:
            return SCALAR
        if isinstance(node, gast.BinOp):
            sides = [self.of_expression(side, numbers) for side in (node.left, node.right)]
            if isinstance(node.op, gast.MatMult) or None in sides:
                return None
            return frozenset().union(*[side for side in sides if side is not None])
        if isinstance(node, gast.UnaryOp):
            return self.of_expression(node.operand, numbers)
        if isinstance(node, gast.Subscript):
            return self._of_subscript(node)
        if isinstance(node, gast.Compare):
            return self._of_comparison(node, numbers)
        if isinstance(node, gast.Call):
            return SCALAR if self._integers.of(node) else self._of_plain_call(node, numbers)
        return self.of(node)

    def _of_plain_call(self, node: Any, numbers: set[str]) -> Shape | None:
        known = called_by_text(node) if numbers else called(node)  # the user's may have our names
        if node.keywords:
            return None
        if known.shape == "number":
            return SCALAR
        if known.shape == "each":
            return self._joined(node.args[:1], numbers)
        fits = broadcasts(known, Operation("constant", None, (*node.args,)))
        return self._joined(broadcast_together(node.args), numbers) if fits else None

    def _of_comparison(self, node: Any, numbers: set[str]) -> Shape | None:
        if len(node.ops) > 1 or not isinstance(node.ops[0], _ORDER):
            return None
        return self._joined([node.left, *node.comparators], numbers)

    def _joined(self, operands: list[Any], numbers: set[str]) -> Shape | None:
        parts = [self.of_expression(item, numbers) for item in operands]
        known = [part for part in parts if part is not None]
        return frozenset().union(*known) if len(known) == len(parts) else None

    def same(self, first: Any, second: Any) -> bool:
        """Say whether two operands surely have the same shape."""
        ours, theirs = self.of(first), self.of(second)
        return (ours is not None and ours == theirs) or self.agree(first, second)

    def representative(self, node: Any) -> Any:
        """Return the first name that surely has the shape of an operand, or the operand."""
        shape = self.of(node)
        if not shape or not isinstance(node, gast.Name):
            return node
        first = self._first.get(shape)
        return node if first is None else gast.Name(first, gast.Load(), None, None)

    def is_number(self, node: Any) -> bool:
        """Say whether an operand is surely a single number, not an array with axes."""
        return self.of(node) == SCALAR

    def are_numbers(self, values: list[Any]) -> bool:
        """Say whether all entries of a container are surely single numbers."""
        if id(values) not in self._numeric:  # they are kept, so that no others get their identity
            self._numeric[id(values)] = values, all(map(self.is_number, values))
        return self._numeric[id(values)][1]

    def fact(self, node: Any) -> str | None:
        """Return what a function that gets this operand may know of it."""
        if self._integers.of(node):
            return "int"
        if self.is_number(node):
            return "number"
        if not isinstance(node, gast.Name):
            return None
        rank = 1 if node.id in self.vectors else self._ranks.get(node.id)
        return {1: "vector", 2: "matrix"}.get(rank or 0)

    def element_is_number(self, subscript: Any) -> bool:
        """Say whether reading (or writing) ``x[i]`` or ``x[i, j]`` surely touches one number."""
        value, index = subscript.value, subscript.slice
        row = self._entries.row(value) if self._settled else None
        if row is not None:
            values = self._entries.of(row)
            is_cell = self._integers.of(index) or self._entries.is_keyed(value)
            return is_cell and self._of_entries(values, frozenset()) == SCALAR
        if not isinstance(value, gast.Name):
            return False
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        rank = 1 if value.id in self.vectors else self._ranks.get(value.id)
        return len(parts) == rank and all(map(self._integers.of, parts))

    def _of_object(self, value: Any) -> Shape | None:
        return SCALAR if isinstance(value, (int, float, complex, np.number)) else None

    def _sweep(self, varying: set[str]) -> set[str]:
        """Go through the program once; return the names that got two different shapes."""
        self._known = self._of_parameters()
        self._of_values = {}
        conflicts: set[str] = set()
        for statement in statements(self._program.body):
            if isinstance(statement, gast.For):
                numbers = self._integers.of(statement.target)
                self._of_values = {}
                for name in names_bound(statement.target):
                    known = numbers or name in self._numbers
                    self._known[name] = SCALAR if known else frozenset({name})
            elif isinstance(statement, gast.Assign) and id(statement) not in self._absent:
                for target in statement.targets:
                    for name in names_bound(target):
                        whole = isinstance(target, gast.Name)
                        of_entries = self._of_unpacked(name, frozenset({None}))
                        part = SCALAR if name in self._integers.names else of_entries
                        whole = whole and name not in self._unpacked
                        shape = self._of_value(name, statement) if whole else part
                        self._note(name, shape, varying, conflicts)
        return conflicts | self._mistaken(varying)

    def _mistaken(self, varying: set[str]) -> set[str]:
        """Return the names read from lists that turn out to hold other shapes than was thought."""
        found: set[str] = set()
        for name in self._unpacked.keys() - varying - self._numbers - self._integers.names:
            shape = self._of_unpacked(name, frozenset())
            if self._known[name] != (frozenset({name}) if shape is None else shape):
                found.add(name)
        if not self._entries.holds_known:
            return found
        for statement in statements(self._program.body):
            values = self._entries.read(statement)
            if values is None:
                continue
            if not isinstance(statement.targets[0], gast.Name):
                continue  # what is unpacked has a shape of its own
            name = statement.targets[0].id
            if name not in varying and name not in self._numbers and name not in self._unpacked:
                shape = self._of_entries(values, frozenset())
                if self._known[name] != (frozenset({name}) if shape is None else shape):
                    found.add(name)
        return found

    def _of_unpacked(self, name: str, skipped: frozenset[None]) -> Shape | None:
        values = self._unpacked.get(name)
        return None if values is None else self._of_entries(values, skipped)

    def _of_entries(self, values: list[Any] | None, skipped: frozenset[None]) -> Shape | None:
        """Return the shape of what is in a list that the program makes, if all of it has one."""
        values = [] if values is None else values
        known = self._of_values.get(id(values))
        if known is None:
            known = frozenset(self.of(value) for value in values if value is not UNSEEN)
            self._of_values[id(values)] = known
        shapes = known - skipped
        if not shapes and any(value is UNSEEN for value in values):
            return SCALAR
        (shape,) = shapes if len(shapes) == 1 else (None,)
        if shape is None:
            return None
        return shape if all(symbol in self._program.parameters for symbol in shape) else None

    def _note_vector(self, name: str) -> None:
        if name not in self.vectors:
            self.vectors.add(name)
            self._of_values = {}

    def _note(self, name: str, shape: Shape | None, varying: set[str], conflicts: set[str]) -> None:
        own: Shape = frozenset({name})
        new = own if shape is None or name in varying else shape
        if name in self._late and not new.issubset(self._program.parameters):
            new = own  # it may hold what another trip made
        new = SCALAR if name in self._numbers else new
        if name not in self._known and name in self._in_entries:
            self._of_values = {}
        old = self._known.setdefault(name, new)
        if old != new and name not in varying:
            conflicts.add(name)

    def _of_value(self, name: str, statement: Any) -> Shape | None:
        operation = self._program.operation(statement)
        value = statement.value
        entries = self._entries.read(statement)
        if entries is not None:
            return self._of_entries(entries, frozenset({None}))  # those not met yet
        if operation.kind == "copy":
            source = value.id
            if source in self.vectors:
                self._note_vector(name)
            return self.of(value)
        if operation.kind in ("primitive", "constant"):
            return self._of_operation(name, operation, value)
        return self.of(value)

    def _of_operation(self, name: str, operation: Operation, value: Any) -> Shape | None:
        primal = operation.primal
        if primal is self._program.reader.vocabulary.getitem:
            if not isinstance(value, gast.Subscript):
                return None
            part_of_vector = getattr(value.value, "id", "") in self.vectors
            if part_of_vector and isinstance(value.slice, gast.Slice) and name in self._bound_once:
                self._note_vector(name)
            return self._of_subscript(value)
        if primal is None:
            return self.of(value)
        known = self._program.reader.vocabulary.primitive(primal)
        if known.shape == "number" or known.is_of_numbers:
            return SCALAR
        if broadcasts(known, operation):
            return self._union(broadcast_together(operation.args))
        return self._of_first(name, known, operation) if operation.args else None

    def _of_first(self, name: str, known: Primitive, operation: Operation) -> Shape | None:
        """Return the shape of a result that has to do with the first operand's, or one's of all."""
        if known.chooses and len(operation.args) > 1 and not operation.keywords:
            shapes = {self.of(item) for item in operation.args}
            return shapes.pop() if len(shapes) == 1 else None
        first = operation.args[0]
        if known.shape == "reduced":
            return SCALAR if len(operation.args) == 1 and not operation.keywords else None
        if known.shape in ("first", "each"):
            reshapes = "shape" in operation.keywords or len(operation.args) > 4
            return None if reshapes else self.of(first)
        if known.shape == "told" and self._integers.of(first):
            self._note_vector(name)
        return None

    def _union(self, operands: list[Any]) -> Shape | None:
        total: set[Hashable] = set()
        for operand in operands:
            shape = self.of(operand)
            if shape is None:
                return None
            total |= shape
        return frozenset(total)

    def _of_subscript(self, node: Any) -> Shape | None:
        if self.element_is_number(node):
            return SCALAR
        base = self.of(node.value)
        index = node.slice
        if isinstance(index, gast.Constant) and index.value is Ellipsis:
            return base
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        steps = [self._part(part) for part in parts]
        if base is None or None in steps:
            return None
        if all(step == 0 for step in steps):
            return base
        if steps == ["drop"] and self._is_list_of_any(node.value):
            return None
        if steps == ["drop"] and not base.isdisjoint(self._mixed):
            # entries of a list or tuple have shapes of their own
            steps = [index.value if isinstance(index, gast.Constant) else None]
            return None if steps == [None] else frozenset({("entry", base, *steps)})
        return frozenset({("slice", base, tuple(steps))})

    def _is_list_of_any(self, node: Any) -> bool:
        """Say whether a value is a list that the program makes of entries that nobody knows."""
        name = getattr(node, "id", "")
        return name in self._entries.sequences and self._entries.of(name) is None

    @kept_property
    def _bound_once(self) -> frozenset[str]:
        """The names that one statement binds."""
        bound = [
            n for s in statements(self._program.body) for t in targets_of(s) for n in names_bound(t)
        ]
        return frozenset(name for name, count in Counter(bound).items() if count == 1)

    @kept_property
    def _mixed(self) -> frozenset[str]:
        """The names that may hold entries of several shapes, for all that is known."""
        given = self._program.given
        kinds = (None, "list", "tuple", "dict")
        found = {n for n in self._program.parameters if given.get(n) in kinds}
        even = {
            part.id
            for statement in statements(self._program.body)
            for node in walk(statement)
            for part in _of_equal_entries(node)
            if isinstance(part, gast.Name)
        }
        mixed = {name for name in found - even if name not in self._ranks}
        return frozenset(mixed.union(*map(self._several_in, statements(self._program.body))))

    def _several_in(self, statement: Any) -> list[str]:
        """Return the name that is bound to all the results of a function that has several."""
        if not isinstance(statement, gast.Assign) or not isinstance(
            statement.targets[0], gast.Name
        ):
            return []
        operation = self._program.operation(statement)
        vocabulary = self._program.reader.vocabulary
        if operation.kind != "primitive" or vocabulary.results(operation.primal, 2) == 1:
            return []
        alone = vocabulary.primitive(operation.primal).viewed == "any" and len(operation.args) == 1
        return [] if alone else [statement.targets[0].id]

    def _part(self, part: Any) -> int | str | None:
        """Return how much a slice cuts off an axis, ``drop`` for an integer, None if unknown."""
        if not isinstance(part, gast.Slice):
            return "drop" if self._integers.of(part) else None
        if part.step is not None:
            return None
        lower, upper = _number(part.lower), _number(part.upper)
        if lower is None or upper is None or lower < 0 or (part.upper is not None and upper >= 0):
            return None
        return lower - upper


def _of_equal_entries(node: Any) -> list[Any]:
    """Return the operands of a node that are arrays, or lists that NumPy makes arrays of."""
    if isinstance(node, gast.BinOp):
        sides = [node.left, node.right]
        joins = isinstance(node.op, gast.Add) or (  # of lists
            isinstance(node.op, gast.Mult)
            and any(type(getattr(side, "value", None)) is int for side in sides)
        )
        return [] if joins else sides
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        return list(node.args) if getattr(node.func.value, "id", "") == "np" else []
    if isinstance(node, gast.Attribute):
        return [node.value] if node.attr in _OF_ARRAYS else []
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Tuple):
        return [node.value]
    return []


def _number(node: Any) -> int | None:
    if node is None:
        return 0
    if isinstance(node, gast.Constant) and type(node.value) is int:
        return int(node.value)
    negative = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)
    if negative and isinstance(node.operand, gast.Constant) and type(node.operand.value) is int:
        return -int(node.operand.value)
    return None


def _top_variables(program: Program) -> list[str]:
    """Return the user's variables that are bound whatever path is taken."""
    names = [
        name
        for statement in program.body
        if isinstance(statement, gast.Assign)
        for target in statement.targets
        for name in names_bound(target)
    ]
    local = program.reader.scope.local
    return [name for name in names if program.namer.base(name) in local]
