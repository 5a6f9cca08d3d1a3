"""Says how many axes values have and which of their lengths agree, under assumptions on the inputs.

The text of a function says ``x @ w + b`` and not what `x`, `w` and `b` are. One who writes a
gradient by hand takes them for two matrices and a bias, and so does this analysis; it lists what it
took for granted, to be checked at every call. A second text without assumptions serves all other
inputs.
"""

from __future__ import annotations

from typing import Any, Final

import gast
import numpy as np

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program
from srcgrad.ir.walk import names_bound, statements

Dimension = tuple[str, int] | int | None
"""The length of an axis: that of an axis of an input, the number 1, or unknown."""

Vector = tuple[Dimension, ...]

_REDUCTIONS: Final = frozenset(
    f"numpy.{name}"
    for name in ("sum mean max min amax amin prod std var any all argmax argmin").split()
)
_SAME: Final = frozenset(
    f"numpy.{name}" for name in ["zeros_like", "ones_like", "empty_like", "copy", "nan_to_num"]
)
_PRODUCTS: Final = frozenset({"numpy.matmul", "numpy.dot"})


class Dimensions:
    """The axes of the names of a program in normal form.

    Attributes:
        conditions: What is assumed of the inputs, as Python expressions in the parameters' names.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of('''
    ... def f(w, b, x):
    ...     return np.sum(x @ w + b, axis=0)
    ... ''', "w", "b")
    >>> print(text(program.body))
    x_at_w = x @ w
    total = x_at_w + b
    out = np.sum(total, axis=0)
    return out
    >>> integers = Integers(program)
    >>> shapes = Shapes(program, integers)
    >>> dimensions = Dimensions(program, integers, shapes, assume=True)
    >>> dimensions.conditions
    ('x.ndim == 2', 'w.ndim == 2', 'b.shape == w.shape[1:]')
    >>> dimensions.of(program.body[1].targets[0])
    (('x', 0), ('w', 1))
    """

    def __init__(
        self, program: Program, integers: Integers, shapes: Shapes, *, assume: bool
    ) -> None:
        self._program = program
        self._integers = integers
        self._assume = assume
        self._roots: dict[str, str] = {name: name for name in program.parameters}
        self._given = _given_vectors(program, integers)
        self._conditions: dict[str, None] = {}
        self._known: dict[str, Vector | None] = {}
        self._products: set[str] = set()
        self._vectors = _surely_vectors(program, shapes)
        varying: set[str] = set()
        while conflicts := self._sweep(varying):
            varying |= conflicts

    @property
    def assumes(self) -> bool:
        """Whether anything may be taken for granted of the arguments."""
        return self._assume

    @property
    def conditions(self) -> tuple[str, ...]:
        """What is assumed, in the order in which it was needed."""
        return tuple(self._conditions)

    def of(self, node: Any) -> Vector | None:
        """Return the axes of an operand, or None where nothing is known."""
        if isinstance(node, gast.Name):
            if node.id in self._known:
                return self._known[node.id]
            value = self._program.reader.scope.lookup(node.id)
            return () if isinstance(value, (int, float, np.number)) else None
        if isinstance(node, gast.Constant):
            return () if isinstance(node.value, (int, float)) else None
        if isinstance(node, gast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, gast.Attribute):
            value = self._program.reader.scope.resolve(node)
            return () if isinstance(value, (int, float)) else None
        return () if self._integers.of(node) else None

    def of_expression(self, node: Any, given: dict[str, Vector | None]) -> Vector | None:
        """Return the axes of an expression of elementwise steps; those of some names are given."""
        if isinstance(node, gast.Name) and node.id in given:
            return given[node.id]
        if isinstance(node, gast.BinOp):
            ours = self.of_expression(node.left, given)
            theirs = self.of_expression(node.right, given)
            plain = not isinstance(node.op, gast.MatMult) and ours is not None
            return _join(ours or (), theirs) if plain and theirs is not None else None
        if isinstance(node, gast.UnaryOp):
            return self.of_expression(node.operand, given)
        return self.of(node)

    def rank(self, node: Any) -> int | None:
        """Return how many axes an operand has, or None."""
        vector = self.of(node)
        return None if vector is None else len(vector)

    # -- one pass over the program

    def _sweep(self, varying: set[str]) -> set[str]:
        self._known = dict(self._given)
        conflicts: set[str] = set()
        for statement in statements(self._program.body):
            if isinstance(statement, gast.For):
                for name in names_bound(statement.target):
                    self._known[name] = () if self._integers.of(statement.target) else None
            elif isinstance(statement, gast.Assign):
                for target in statement.targets:
                    for name in names_bound(target):
                        whole = isinstance(target, gast.Name)
                        vector = self._of_value(name, statement) if whole else None
                        self._note(name, vector, varying, conflicts)
        return conflicts

    def _note(
        self, name: str, vector: Vector | None, varying: set[str], conflicts: set[str]
    ) -> None:
        new = None if name in varying else vector
        if name in self._known and name not in self._given and self._known[name] != new:
            if name not in varying:
                conflicts.add(name)
            return
        if name not in self._given:
            self._known[name] = new

    def _of_value(self, name: str, statement: Any) -> Vector | None:
        operation = self._program.operation(statement)
        if operation.kind == "copy":
            return self.of(statement.value)
        if isinstance(statement.value, gast.Compare):
            return self._broadcast((statement.value.left, *statement.value.comparators))
        if operation.kind not in ("primitive", "constant") or operation.primal is None:
            return self.of(statement.value)
        if operation.primal is self._program.reader.vocabulary.getitem:
            return self._of_subscript(name, statement.value)
        return self._of_operation(name, operation)

    def _of_operation(self, name: str, operation: Operation) -> Vector | None:
        primal, args = operation.primal, operation.args
        canonical = self._program.reader.vocabulary.canonical_name(primal)
        if canonical in _PRODUCTS:
            return self._of_product(name, args)
        if isinstance(primal, np.ufunc):
            plain = primal.signature is None and primal.nout == 1 and not operation.keywords
            return (
                self._broadcast(args, may_add_bias=primal in (np.add, np.subtract))
                if plain
                else None
            )
        whole = canonical in ("numpy.where", "numpy.clip") and len(args) == 3
        if whole and not operation.keywords:
            return self._broadcast(args)
        if canonical in _REDUCTIONS:
            return self._of_reduction(operation)
        if canonical in _SAME:
            return self.of(args[0])
        if canonical == "numpy.transpose" and len(args) == 1 and not operation.keywords:
            vector = self.of(args[0])
            return None if vector is None else vector[::-1]
        return None

    def _of_product(self, name: str, args: tuple[Any, ...]) -> Vector | None:
        both = {item.id for item in args[:2] if isinstance(item, gast.Name)} <= self._vectors
        is_vector = name in self._vectors
        left = self._with_rank(args[0], 1 if both else 2)
        right = self._with_rank(args[1], 1 if both or is_vector else 2)
        if left is None or right is None:
            return None
        ranks = len(left), len(right)
        if ranks in ((2, 2), (2, 1)):
            self._products.add(name)
            return (left[0], right[1]) if ranks == (2, 2) else left[:1]
        return () if ranks == (1, 1) else None

    def _with_rank(self, node: Any, rank: int) -> Vector | None:
        vector = self.of(node)
        root = self._root(node)
        if vector is None and root is not None and self._assume:
            vector = tuple((root, axis) for axis in range(rank))
            self._give(node.id, vector, f"{root}.ndim == {rank}")
        return vector

    def _give(self, name: str, vector: Vector, condition: str) -> None:
        self._given[name] = self._known[name] = vector
        self._conditions[condition] = None

    def _root(self, node: Any) -> str | None:
        """Return the expression of an input of which nothing is known yet."""
        if not isinstance(node, gast.Name) or node.id in self._given:
            return None
        return self._roots.get(node.id)

    def _broadcast(self, operands: tuple[Any, ...], *, may_add_bias: bool = False) -> Vector | None:
        vectors = [self.of(item) for item in operands]
        if may_add_bias and self._assume and len(operands) == 2:
            vectors = self._with_bias(operands, vectors)
        if any(vector is None for vector in vectors):
            return self._rank_only(operands, vectors)
        total: Vector = ()
        for vector in vectors:
            total = _join(total, vector or ())
        return total

    def _with_bias(
        self, operands: tuple[Any, ...], vectors: list[Vector | None]
    ) -> list[Vector | None]:
        """In ``x @ w + b``, take `b` for one row."""
        for product, bias in ((0, 1), (1, 0)):
            node, vector = operands[product], vectors[product]
            root = self._root(operands[bias])
            made = isinstance(node, gast.Name) and node.id in self._products
            if made and vector is not None and vectors[bias] is None and root is not None:
                last = vector[-1]
                if isinstance(last, tuple):
                    row: Vector = (last,)
                    part = "shape[1:]" if last[1] == 1 else "shape[:1]"
                    self._give(operands[bias].id, row, f"{root}.shape == {last[0]}.{part}")
                    vectors = list(vectors)
                    vectors[bias] = row
        return vectors

    def _rank_only(self, operands: tuple[Any, ...], vectors: list[Vector | None]) -> Vector | None:
        """Take an unknown input for one that does not add axes to a known value."""
        ranks = [len(vector) for vector in vectors if vector is not None]
        most = max(ranks, default=0)
        if most < 2 or not self._assume:
            return None
        for node, vector in zip(operands, vectors, strict=True):
            if vector is None:
                root = self._root(node)
                if root is None:
                    return None
                self._conditions[f"np.ndim({root}) <= {most}"] = None
        return (None,) * most

    def _of_reduction(self, operation: Operation) -> Vector | None:
        vector = self.of(operation.args[0])
        axis = operation.args[1] if len(operation.args) > 1 else operation.keywords.get("axis")
        keep = operation.keywords.get("keepdims")
        others = set(operation.keywords) - {"axis", "keepdims"}
        if (
            others
            or len(operation.args) > 2
            or (keep is not None and not isinstance(keep, gast.Constant))
        ):
            return None
        keepdims = bool(keep.value) if keep is not None else False
        if axis is None:
            return () if not keepdims else None
        axes = _axes(axis)
        if vector is None or axes is None or any(not -len(vector) <= a < len(vector) for a in axes):
            return None
        gone = {a % len(vector) for a in axes}
        if keepdims:
            return tuple(1 if i in gone else d for i, d in enumerate(vector))
        return tuple(d for i, d in enumerate(vector) if i not in gone)

    def _of_subscript(self, name: str, node: Any) -> Vector | None:
        key = getattr(node.slice, "value", None)
        base = node.value.id if isinstance(node.value, gast.Name) else ""
        if isinstance(key, str) and base in self._program.parameters:
            self._roots[name] = f"{base}[{key!r}]"
            return self._given.get(name)
        vector = self.of(node.value)
        if vector is None:
            return None
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        done: list[Dimension] = []
        taken = 0
        for part in parts:
            if isinstance(part, gast.Constant) and part.value is None:
                done.append(1)
                continue
            if taken >= len(vector):
                return None
            if isinstance(part, gast.Slice):
                whole = part.lower is None and part.upper is None and part.step is None
                done.append(vector[taken] if whole else None)
            elif not self._integers.of(part):
                return None
            taken += 1
        return (*done, *vector[taken:])


def _surely_vectors(program: Program, shapes: Shapes) -> set[str]:
    """Return the names with one axis, by steps that are run whatever path is taken.

    A product that is a number has two vectors for operands; an elementwise step whose result has
    one axis is taken to have operands with one.
    """
    found: set[str] = set()
    for statement in reversed(program.body):
        if not isinstance(statement, gast.Assign) or not isinstance(
            statement.targets[0], gast.Name
        ):
            continue
        operation = program.operation(statement)
        if operation.kind not in ("primitive", "copy"):
            continue
        operands = {item.id for item in operation.args if isinstance(item, gast.Name)}
        name = ""
        if operation.primal is not None:
            name = program.reader.vocabulary.canonical_name(operation.primal)
        if name in _PRODUCTS:
            if shapes.is_number(statement.targets[0]):
                found |= operands
        elif statement.targets[0].id in found and _keeps_axes(operation):
            found |= {
                item
                for item in operands
                if not shapes.is_number(gast.Name(item, gast.Load(), None, None))
            }
    return found


def _keeps_axes(operation: Operation) -> bool:
    primal = operation.primal
    elementwise = isinstance(primal, np.ufunc) and primal.signature is None
    return operation.kind == "copy" or elementwise


def _given_vectors(program: Program, integers: Integers) -> dict[str, Vector]:
    ranks = {"int": 0, "number": 0, "vector": 1, "matrix": 2}
    given: dict[str, Vector] = {}
    for name in program.parameters:
        fact = "int" if name in integers.names else program.given.get(name)
        if fact in ranks:
            given[name] = tuple((name, axis) for axis in range(ranks[fact]))
    return given


def _join(first: Vector, second: Vector) -> Vector:
    size = max(len(first), len(second))
    ours = (1,) * (size - len(first)) + first
    theirs = (1,) * (size - len(second)) + second
    return tuple(_longer(a, b) for a, b in zip(ours, theirs, strict=True))


def _longer(a: Dimension, b: Dimension) -> Dimension:
    if b in (a, 1):
        return a
    return b if a == 1 else None


def _axes(node: Any) -> tuple[int, ...] | None:
    items = node.elts if isinstance(node, gast.Tuple) else [node]
    axes: list[int] = []
    for item in items:
        sign = -1 if isinstance(item, gast.UnaryOp) and isinstance(item.op, gast.USub) else 1
        value = getattr(item.operand if sign < 0 else item, "value", None)
        if type(value) is not int:
            return None
        axes.append(sign * value)
    return tuple(axes)


def summed_axes(result: Vector, operand: Vector) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the axes over which broadcasting is undone: those it added, and those it stretched.

    None if the lengths are not known well enough.
    """
    lead = len(result) - len(operand)
    if lead < 0:
        return None
    stretched: list[int] = []
    for position, (ours, theirs) in enumerate(zip(result[lead:], operand, strict=True)):
        if theirs == 1:
            if ours != 1:
                stretched.append(lead + position)
        elif ours is None or ours != theirs:
            return None
    return tuple(range(lead)), tuple(stretched)
