"""Says how many axes values have and which of their lengths agree, under assumptions on the inputs.

The text of a function says ``x @ w + b`` and not what `x`, `w` and `b` are. One who writes a
gradient by hand takes them for two matrices and a bias, and so does this analysis; it lists what it
took for granted, to be checked at every call. A second text without assumptions serves all other
inputs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcgrad.analyses.absent_values import absent_values
from srcgrad.analyses.cells import Cells
from srcgrad.analyses.constants import bounds_of
from srcgrad.analyses.counts import Counts
from srcgrad.analyses.elements import ANY, Elements, numbers_given
from srcgrad.analyses.index_arrays import compared, given_masks, index_arrays, is_index_array
from srcgrad.analyses.indexed_axes import taken_axes
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.knowledge import NOTHING, Knowledge, axes_of_data, rank_condition
from srcgrad.analyses.lengths import Lengths
from srcgrad.analyses.listed_results import ListedResults
from srcgrad.analyses.result_axes import by_signature, product_axes, result_axes
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.spans import Spans
from srcgrad.analyses.spelled_lengths import Length, Vector, sliced, upto
from srcgrad.analyses.surely_vectors import surely_vectors
from srcgrad.analyses.windows import Windows
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.operations import Operation, broadcast_together, broadcasts
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.walk import names_bound, names_read, statements

_MOST_LISTS: Final = 12
"""How often lists are looked for that functions return, given other such lists."""


class Dimensions:
    """The axes of the names of a program in normal form.

    Attributes:
        conditions: What is assumed of the inputs, as Python expressions in the parameters' names.
        lengths: Which of their lengths agree.

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
        self,
        program: Program,
        integers: Integers,
        shapes: Shapes,
        *,
        assume: bool,
        knowledge: Knowledge = NOTHING,
    ) -> None:
        self._program = program
        self._integers = integers
        self._assume = assume
        self._knowledge = knowledge
        self._seen = knowledge.seen
        self._roots: dict[str, str] = {name: name for name in program.parameters}
        self._items = {**numbers_given(program), **self._seen}
        self._elements = Elements(program, integers, self._items)
        self._given = knowledge.vectors(program, integers)
        self._conditions: dict[str, None] = {}
        self._known: dict[str, Vector | None] = {}
        self._counts = Counts(program, integers, weakly(self.of))
        self._spans = Spans(program, integers)
        self._windows = Windows(program, integers, self._counts, weakly(self.found))
        self._absent = program.once(absent_values)
        self._products: set[str] = set()
        self._called_for: list[str] = []
        self._inner: dict[int, Operation] = {}
        self._vectors = surely_vectors(program, shapes)
        self._whole, self._truths = index_arrays(program), given_masks(program) | compared(program)
        self.lengths = knowledge.lengths or Lengths(self._seen)
        self._weak: dict[str, Vector | None] = {}
        self.cells = Cells(program, weakly(self.of))
        self._listed = ListedResults(program)
        self._settle()
        self._settle_lists()

    @property
    def assumes(self) -> bool:
        """Whether anything may be taken for granted of the arguments."""
        return self._assume

    @property
    def conditions(self) -> tuple[str, ...]:
        """What is assumed, in the order in which it was needed."""
        return (*self._conditions, *self.lengths.conditions)

    def of(self, node: Any) -> Vector | None:
        """Return the axes of an operand, or None where nothing is known."""
        if isinstance(node, gast.Name):
            if node.id in self._known:
                return self.lengths.settled(self._known[node.id])
            return axes_of_data(self._program.reader.scope.lookup(node.id))
        if isinstance(node, gast.Constant) and isinstance(node.value, (int, float)):
            return ()
        if isinstance(node, gast.UnaryOp):
            return self.of(node.operand)
        if isinstance(node, gast.Attribute):
            value = self._program.reader.scope.resolve(node)
            return () if isinstance(value, (int, float)) or self._integers.of(node) else None
        if self._integers.of(node):
            return ()
        if isinstance(node, (gast.BinOp, gast.Call, gast.Compare)):
            return self._of_inner(node)
        part = isinstance(node, gast.Subscript) and self.of_place(node)
        return () if self._is_number(node) else part or None  # an element may be an array

    def _is_number(self, node: Any) -> bool:
        """Say whether an operand is one of two numbers, or is read from a list of numbers."""
        if isinstance(node, gast.IfExp):
            return self.of(node.body) == self.of(node.orelse) == ()
        if not isinstance(node, gast.Subscript) or not self._integers.of(node.slice):
            return False
        if (root := self._elements.root(node)) is not None:
            return self._of_item(root) == ()
        return isinstance(node.value, gast.Name) and self.cells.hold_numbers(node.value.id)

    def _of_inner(self, node: Any) -> Vector | None:
        """Return the axes of an operand that is an expression: one without a derivative."""
        if isinstance(node, gast.Compare):
            return self._broadcast([node.left, *node.comparators])
        if id(node) not in self._inner:
            self._inner[id(node)] = self._program.reader.read(node)
        operation = self._inner[id(node)]
        plain = operation.kind in ("primitive", "constant") and operation.primal is not None
        return self._of_operation("", operation) if plain else None

    def numbers_in(self, node: Any) -> str:
        """Return what leads from a list to the numbers in it: ``[*][*]``.

        For a call whose results are being found, a list seems to hold numbers if it holds nothing
        else that is known by now.
        """
        text, found = self._elements.numbers_in(node)
        self._of_item(text)  # which is asked at each call, if it is of an argument
        found = found or self.cells.numbers_in(node)
        if found or not self._called_for or not isinstance(node, gast.Name):
            return found
        tried = any(self._weak.get(name, ()) is None for name in self._called_for)
        seem = [self.cells.are_numbers(n, node.id, self._known) for n in self._called_for]
        return ANY if all(seem) and not tried else ""

    def agree(self, first: Any, second: Any) -> bool:
        """Say whether two operands have the same axes, and some, of known lengths."""
        ours = self.of(first)
        return bool(ours) and None not in (ours or ()) and ours == self.of(second)

    def is_integer(self, node: Any) -> bool:
        """Say whether an operand is surely an integer."""
        return self._integers.of(node)

    def of_place(self, place: Any) -> Vector | None:
        """Return the axes of a part of an array, into which something is stored."""
        vector = self.of(place.value)
        whole = isinstance(place.slice, gast.Constant) and place.slice.value is Ellipsis
        within = vector if whole or vector is None else self._of_index(vector, place.slice)
        return self.lengths.settled(within)

    def of_expression(self, node: Any, given: dict[str | int, Vector | None]) -> Vector | None:
        """Return the axes of an expression of elementwise steps.

        Those of some names are given, and of some of its parts, by their identities.
        """
        if isinstance(node, gast.Name) and node.id in given:
            return given[node.id]
        if id(node) in given:
            return given[id(node)]
        if isinstance(node, gast.BinOp):
            ours = self.of_expression(node.left, given)
            theirs = self.of_expression(node.right, given)
            plain = not isinstance(node.op, gast.MatMult) and ours is not None
            return self.lengths.join(ours or (), theirs) if plain and theirs is not None else None
        if isinstance(node, gast.UnaryOp):
            return self.of_expression(node.operand, given)
        return None if given.keys() & set(names_read(node)) else self.of(node)

    @property
    def numbers(self) -> frozenset[str]:
        """The names of values without axes."""
        return frozenset(name for name, vector in self._known.items() if vector == ())

    @property
    def ranks(self) -> dict[str, int]:
        """The numbers of axes of the names of which they are known."""
        return {name: len(vector) for name, vector in self._known.items() if vector is not None}

    def rank(self, node: Any) -> int | None:
        """Return how many axes an operand has, or None."""
        vector = self.of(node)
        return None if vector is None else len(vector)

    # -- one pass over the program

    def _settle_lists(self) -> None:
        """Settle again with the lists that functions return, which may be given to others."""
        told, known = self._items, dict[str, Any]()
        for left in reversed(range(_MOST_LISTS)):
            made = self._listed.names() if left else {}
            if made == known:
                return
            known = made
            self._items = told | {name + ends: () for name, (_, ends) in made.items()}
            makers = {name: maker for name, (maker, _) in made.items()}
            self._elements = Elements(self._program, self._integers, self._items, makers)
            self._settle()

    def _settle(self) -> None:
        while self._sweep():
            pass

    def _sweep(self) -> bool:
        """Go through the program once; say whether a name was taken for more than it is."""
        self._known = dict(self._given)
        self.cells.begin()
        self.lengths = self._knowledge.lengths or Lengths(self._seen)
        weaker, given = False, len(self._given)
        for statement in statements(self._program.body):
            if isinstance(statement, gast.For):
                for name, root in self._elements.of_loop(statement).items():
                    known = self._of_entry(statement) if root is None else self._of_item(root)
                    self._known[name] = known
            elif isinstance(statement, gast.Assign) and id(statement) not in self._absent:
                self._counts.note(statement)
                for target in statement.targets:
                    for name, vector in self._bound(target, statement):
                        weaker |= self._note(name, vector)
            if is_store(statement):
                stored = self.of(statement.value)
                self.lengths.fit(stored, self.of_place(store_target(statement)))
        mistaken = [name for name in self.cells.mistaken() if self._weak.get(name, ()) is not None]
        self._weak.update(dict.fromkeys(mistaken))
        return weaker or bool(mistaken) or len(self._given) > given

    def _bound(self, target: Any, statement: Any) -> list[tuple[str, Vector | None]]:
        """Return the names that an assignment binds, with the axes of what each gets."""
        if isinstance(target, gast.Name):
            return [(target.id, self._of_value(target.id, statement))]
        if isinstance(target, gast.Tuple) and all(isinstance(n, gast.Name) for n in target.elts):
            results = self._of_call(statement) or self._of_parts(statement, target.elts)
            vector = None if results else self.of(statement.value)
            results = (vector[1:],) * len(target.elts) if vector else results
            if len(results) == len(target.elts):
                return [(n.id, v) for n, v in zip(target.elts, results, strict=True)]
        return [(name, None) for name in names_bound(target)]

    def _of_call(self, statement: Any) -> tuple[Vector | None, ...]:
        """Return the axes of all results of a call of a user's function, or nothing."""
        operation = self._program.operation(statement)
        follow = self._knowledge.follow
        if follow is None or operation.kind != "user":
            return ()
        self._called_for = names_bound(statement.targets[0])
        results = follow(statement, operation, self, self.lengths)
        self._called_for = []
        return self._listed.told(statement, results)

    def _of_parts(self, statement: Any, names: list[Any]) -> tuple[Vector | None, ...]:
        """Return the axes of the parts of an argument that holds them, or of several results."""
        value = statement.value
        root = self._elements.root(value)
        if root is not None:
            return tuple(self._of_item(self._elements.at(root, i)) for i, _ in enumerate(names))
        if isinstance(value, gast.Name) and self.cells.hold_numbers(value.id):
            return ((),) * len(names)
        operation = self._program.operation(statement)
        if operation.kind != "primitive" or operation.primal is None:
            return ()
        known = self._program.reader.vocabulary.primitive(operation.primal)
        return by_signature(known.signature, operation, self) if known.signature else ()

    def _of_entry(self, loop: Any) -> Vector | None:
        """Return the axes of what a loop runs over."""
        if self._integers.of(loop.target):
            return ()
        if isinstance(loop.target, gast.Name) and isinstance(loop.iter, (gast.Tuple, gast.List)):
            return () if {self.of(item) for item in loop.iter.elts} == {()} else None
        named = isinstance(loop.target, gast.Name) and isinstance(loop.iter, gast.Name)
        return (self.of(loop.iter) or (None,))[1:] if named and self.of(loop.iter) else None

    def _note(self, name: str, vector: Vector | None) -> bool:
        """Keep what a name was found to be; say whether that is less than was thought before."""
        if name in self._given:
            return False
        if vector is None and self._integers.of(load(name)):
            vector = ()
        vector = self._spans.believed(name, vector)
        if name not in self._known:
            self._known[name] = self._weak.get(name, vector)
        before = self._known[name]
        if before == vector:
            return False
        common, settled = self.lengths.meet(before, vector), self.lengths.settled
        if settled(common) == settled(before):
            return False
        self._weak[name] = common
        return True

    def _sliced(self, length: Length, part: Any) -> Length:
        """Return what a slice leaves of a length."""
        bounds = bounds_of(part)
        if bounds is not None:
            return sliced(length, bounds)
        shared = self._shared(length, part)
        if shared is None and isinstance(part, gast.Slice):
            shared = self._windows.length(length, part)
        return self._spans.length(length, part) if shared is None else shared

    def _shared(self, length: Length, part: Any) -> Length:
        """Return the length of a slice from some share of a length, or a number, to another."""
        given = (part.lower, part.upper)
        lower, upper = (None if item is None else self._counts.length(item) for item in given)
        if part.step is not None or (lower, upper) == (None, None):
            return None
        if (part.lower is not None and lower is None) or (part.upper is not None and upper is None):
            return None
        return self.lengths.between(length, lower, upper) or upto(length, lower, upper)

    def _of_value(self, name: str, statement: Any) -> Vector | None:
        operation = self._program.operation(statement)
        if operation.kind == "copy":
            return self.of(statement.value)
        if IN_PLACE.of(statement) and (vector := self.of(operation.args[0])):
            self.lengths.fit(self.of(operation.args[1]), vector)
            return vector  # of an array with axes, it is still that array
        if operation.kind == "user":
            results = self._of_call(statement)
            return results[0] if len(results) == 1 else None
        if isinstance(statement.value, gast.Compare):
            return self._broadcast([statement.value.left, *statement.value.comparators])
        if operation.kind not in ("primitive", "constant") or operation.primal is None:
            return self.of(statement.value)
        if operation.primal is self._program.reader.vocabulary.getitem:
            return self._of_subscript(name, statement.value)
        return self._of_operation(name, operation)

    def _of_operation(self, name: str, operation: Operation) -> Vector | None:
        known = self._program.reader.vocabulary.primitive(operation.primal)
        if known.shape == "product":
            return self._of_product(name, operation.args, operation.primal)
        if known.shape == "number":
            return ()
        if broadcasts(known, operation):
            may_add_bias = operation.primal in (np.add, np.subtract)
            return self._broadcast(broadcast_together(operation.args), may_add_bias=may_add_bias)
        return result_axes(known, operation, self) if operation.args else None

    def found(self, length: Length) -> Length:
        """Return the length that stands for those that agree with a given one by now."""
        return self.lengths.find(length)

    def counted(self, node: Any) -> Length:
        """Return the length that an integer is, or None."""
        return self._counts.length(node)

    def made(self, node: Any) -> Length:
        """Return the length of an axis that is made as long as an integer is, or None."""
        length = self._counts.length(node)
        return self._windows.made(node) if length is None else length

    def _of_product(self, name: str, args: tuple[Any, ...], primal: Any) -> Vector | None:
        if len(args) < 2:  # a constant, whose operands are given by name
            return None
        both = {item.id for item in args[:2] if isinstance(item, gast.Name)} <= self._vectors
        is_vector = name in self._vectors
        left = self._with_rank(args[0], 1 if both else 2)
        right = self._with_rank(args[1], 1 if both or is_vector else 2)
        if left is None or right is None:
            return None
        if len(left) == 2 and len(right) in (1, 2):
            self._products.add(name)
        return product_axes(left, right, of_stacks=primal is np.matmul, lengths=self.lengths)

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

    def _broadcast(self, operands: list[Any], *, may_add_bias: bool = False) -> Vector | None:
        vectors = [self.of(item) for item in operands]
        if may_add_bias and self._assume and len(operands) == 2:
            vectors = self._with_bias(operands, vectors)
        if any(vector is None for vector in vectors):
            return self._rank_only(operands, vectors)
        total: Vector = ()
        for vector in vectors:
            total = self.lengths.join(total, vector or ())
        return total

    def _with_bias(self, operands: list[Any], vectors: list[Vector | None]) -> list[Vector | None]:
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

    def _rank_only(self, operands: list[Any], vectors: list[Vector | None]) -> Vector | None:
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

    def _of_subscript(self, name: str, node: Any) -> Vector | None:
        key = getattr(node.slice, "value", None)
        base = node.value.id if isinstance(node.value, gast.Name) else ""
        if isinstance(key, str) and base in self._program.parameters:
            self._roots[name] = f"{base}[{key!r}]"
            return self._given.get(name) or self._of_item(self._roots[name])
        if self._integers.of(node.slice) and self.cells.are_numbers(name, base, self._known):
            return ()
        root = self._elements.root(node)
        vector = self.of(node.value) if root is None else self._of_item(root)
        return vector if vector is None or root is not None else self._of_index(vector, node.slice)

    def _of_index(self, vector: Vector, index: Any) -> Vector | None:
        """Return the axes of what an index takes out of an array."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        if len(vector) >= len(parts) and all(is_index_array(p, self._whole) for p in parts):
            places = self._broadcast(parts)
            return None if places is None else (*places, *vector[len(parts) :])
        return taken_axes(vector, parts, self._of_places, self._sliced, self._integers.of)

    def _of_places(self, part: Any) -> tuple[Vector, int] | None:
        """Return the axes of an array of places, and of how many axes it names entries."""
        if isinstance(part, gast.UnaryOp) and isinstance(part.op, gast.Invert):
            part = part.operand if getattr(part.operand, "id", "") in self._truths else part
        axes = self.of(part) if isinstance(part, gast.Name) else None
        if axes and part.id in self._truths:
            return (None,), len(axes)
        return (axes, 1) if axes and part.id in self._whole else None

    def _of_item(self, root: str) -> Vector | None:
        """Return the axes of an array or number that an argument holds."""
        shape = self._items.get(root)
        if not isinstance(shape, tuple):
            return None
        if root in self._seen:  # what a caller knows need not be asked
            self._conditions[rank_condition(root, shape)] = None
        if ANY in root:  # each element has its own lengths
            return (None,) * len(shape)
        return tuple((root, axis) for axis in range(len(shape)))
