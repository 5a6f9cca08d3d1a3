"""Says which integers of a program are lengths of axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.spelled_lengths import Length, Vector, less, share
from srcgrad.ir import gast
from srcgrad.ir.program import Program, targets_of
from srcgrad.ir.walk import names_bound, statements


class Counts:
    """The integer variables that are lengths; `of` returns the axes of an operand."""

    def __init__(
        self, program: Program, integers: Integers, of: Callable[[Any], Vector | None]
    ) -> None:
        self._program = program
        self._integers = integers
        self._of = of
        self._known: dict[str, Length] = {}
        bound = Counter(
            name
            for statement in statements(program.body)
            for target in targets_of(statement)
            for name in names_bound(target)
        )
        self._changing = {name for name, count in bound.items() if count > 1}

    def note(self, statement: Any) -> None:
        """Keep which integers are lengths of axes."""
        target, value = statement.targets[0], statement.value
        if isinstance(target, gast.Name) and self._integers.of(target):
            self._known[target.id] = self.length(value)
        elif isinstance(target, gast.Tuple) and _asks_shape(value):
            vector = self._of(value.value)
            if vector is not None and len(vector) == len(target.elts):
                for item, length in zip(target.elts, vector, strict=True):
                    self._known[item.id] = length

    def length(self, node: Any) -> Length:
        """Return the length that an integer is, or None."""
        if isinstance(node, gast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, gast.Name):
            if node.id in self._program.parameters:
                return (node.id, "value") if self._integers.of(node) else None
            return None if node.id in self._changing else self._known.get(node.id)
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
            left, right = self.length(node.left), getattr(node.right, "value", None)
            sign = 1 if isinstance(node.op, gast.Sub) else -1
            return less(left, sign * right) if type(right) is int else None
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.FloorDiv, gast.Mult)):
            return self._share(node)
        return self._of_array(node)

    def _of_array(self, node: Any) -> Length:
        """Return the length of an axis that is asked for, as ``x.shape[0]`` and ``len(x)`` do."""
        if isinstance(node, gast.Subscript) and _asks_shape(node.value):
            axis = getattr(node.slice, "value", None)
            vector = self._of(node.value.value)
            if vector is None or not isinstance(axis, int) or axis >= len(vector):
                return None
            return vector[axis]
        if isinstance(node, gast.Call) and getattr(node.func, "id", "") == "len":
            vector = self._of(node.args[0]) if len(node.args) == 1 else None
            return vector[0] if vector else None
        return None

    def _share(self, node: Any) -> Length:
        """Return the length that ``n // 4`` or ``3 * (n // 4)`` is."""
        left, right = getattr(node.left, "value", None), getattr(node.right, "value", None)
        if isinstance(node.op, gast.FloorDiv):
            return share(self.length(node.left), 1, right) if type(right) is int else None
        count, other = (left, node.right) if type(left) is int else (right, node.left)
        length = self.length(other)
        if type(count) is not int or not isinstance(length, tuple) or length[0] != "share":
            return None
        return share(length[1], count * length[2][0], length[2][1])


def _asks_shape(node: Any) -> bool:
    return (
        isinstance(node, gast.Attribute)
        and node.attr == "shape"
        and isinstance(node.value, gast.Name)
    )
