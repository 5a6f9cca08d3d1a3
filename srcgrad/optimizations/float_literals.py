"""Writes whole numbers beside arrays of floats as floats, which NumPy need not convert."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from srcgrad.analyses.text_calls import called_by_text, outlined
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, names_read, statements

_CONVERTING: Final = (gast.Add, gast.Sub, gast.Mult, gast.Div)
_EXACT: Final = 2**20  # so large are integers that float16 has no room for, anyway


class FloatLiterals:
    """Writes the literals of what is computed for adjoints.

    Arithmetic of a small array and an integer takes a third longer than that of the array and a
    float: NumPy looks for a type that holds both. What the user computes stays as it is written,
    and so does what is computed for numbers, where it is no matter.

    Attributes:
        is_ours: Says which statements compute adjoints.
        is_adjoint: Says which names are adjoints.
        holds_floats: Says which expressions are surely of floating-point numbers.
        is_number: Says which names surely hold numbers.
        is_matrix: Says which names surely hold arrays of two axes.

    >>> from srcgrad.codegen.printer import to_source
    >>> def floats(node):
    ...     return not {"k", "len"} & set(names_read(node))
    >>> literals = FloatLiterals(
    ...     lambda _: True, lambda name: name[0] == "g", floats, "s".__eq__, "m".__eq__)
    >>> def shown(text):
    ...     return to_source(literals.run(gast.parse(text).body))
    >>> shown("g = 1 - y * y"), shown("g = 2 * (1 + s) * y"), shown("g = 2 * s + 3 * y**2")
    ('g = 1.0 - y * y', 'g = 2 * (1 + s) * y', 'g = 2 * s + 3.0 * y**2')
    >>> shown("g = 2 * k + y[len(k) - 1]"), shown("g = 2 * m[i] + 2 * v[i] + 2 * v[1:]")
    ('g = 2 * k + y[len(k) - 1]', 'g = 2.0 * m[i] + 2 * v[i] + 2.0 * v[1:]')
    >>> shown("g = h * np.cos(2 * x) + (2 * g).sum()"), shown("g *= 2"), shown("g = 2 * s / y")
    ('g = h * np.cos(2 * x) + (2.0 * g).sum()', 'g *= 2.0', 'g = 2 * s / y')
    >>> shown("g = [0.0] * (y + 1)"), shown("g = np.reshape(g, (y + 1, 2 * y))")
    ('g = [0.0] * (y + 1)', 'g = np.reshape(g, (y + 1, 2 * y))')
    >>> shown("g = unbroadcast(2 * g, 2 * x) + g[y + 1]"), shown("add_at(g, y + 1, h)")
    ('g = unbroadcast(2.0 * g, 2 * x) + g[y + 1]', 'add_at(g, y + 1, h)')
    """

    def __init__(
        self,
        is_ours: Callable[[Any], bool],
        is_adjoint: Callable[[str], bool],
        holds_floats: Callable[[Any], bool],
        is_number: Callable[[str], bool],
        is_matrix: Callable[[str], bool],
    ) -> None:
        self._is_ours = is_ours
        self._is_adjoint = is_adjoint
        self._holds_floats = holds_floats
        self._is_number = is_number
        self._is_matrix = is_matrix

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with its literals written so."""
        for statement in statements(body):
            value = getattr(statement, "value", None)
            if not isinstance(value, gast.AST) or not self._is_ours(statement):
                continue
            if isinstance(statement, gast.AugAssign) and _converts(statement.op):
                statement.value = self._beside(statement.value, statement.target)
            for node in self._sums_and_products(value):
                node.left = self._beside(node.left, node.right)
                node.right = self._beside(node.right, node.left)
        return body

    def _sums_and_products(self, value: Any) -> Iterator[Any]:
        """Yield arithmetic of values, and not of places and lengths.

        That in calls that read no adjoint is as the user has written it.
        """
        waiting = [value]
        while waiting:
            node = waiting.pop()
            if isinstance(node, gast.BinOp):
                if isinstance(node.left, gast.List) or isinstance(node.right, gast.List):
                    continue  # a list of so many entries
                if _converts(node.op):
                    yield node
                waiting += node.left, node.right
            elif isinstance(node, gast.UnaryOp):
                waiting.append(node.operand)
            elif isinstance(node, (gast.Tuple, gast.List)):
                waiting += node.elts
            elif isinstance(node, gast.Call) and any(map(self._is_adjoint, names_read(node))):
                waiting += _operands(node)

    def _beside(self, node: Any, other: Any) -> Any:
        """Return an operand beside another one: an integer as a float, if that is an array."""
        literal = isinstance(node, gast.Constant) and type(node.value) is int
        if not literal or abs(node.value) >= _EXACT:
            return node
        floats = self._is_wide(other) and self._holds_floats(other)
        return gast.Constant(float(node.value), None) if floats else node

    def _is_wide(self, node: Any) -> bool:
        """Say whether an operand may have axes."""
        if isinstance(node, gast.Name):
            return not self._is_number(node.id)
        if isinstance(node, gast.Subscript):
            row = isinstance(node.value, gast.Name) and self._is_matrix(node.value.id)
            whole = row and not isinstance(node.slice, gast.Tuple)
            return whole or bool(found_in(node.slice, gast.Slice))
        if isinstance(node, gast.BinOp):
            return self._is_wide(node.left) or self._is_wide(node.right)
        if isinstance(node, gast.UnaryOp):
            return self._is_wide(node.operand)
        if isinstance(node, gast.Call):
            return any(map(self._is_wide, node.args))
        return isinstance(node, gast.Attribute) and node.attr == "T" and self._is_wide(node.value)


def _converts(op: Any) -> bool:
    return isinstance(op, _CONVERTING)


def _operands(node: Any) -> list[Any]:
    """Return the values that a call takes, if these are surely no places or lengths."""
    if called_by_text(node).acts_on_each_element:
        return list(node.args)
    if isinstance(node.func, gast.Attribute) and node.func.attr == "sum":
        return [node.func.value]
    shapes = outlined(node)
    return [item for item in node.args if item not in shapes] if shapes else []
