"""Says what a step of the backward pass adds to an adjoint, and writes sums of it short."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.walk import names_read

Contributions = list[tuple[str, Any]]
"""Names, each with what is added to its adjoint."""


def is_uniform(value: Any) -> bool:
    """Say whether a value is ``np.broadcast_to(entries, np.shape(x))``."""
    func = getattr(value, "func", None)
    return isinstance(func, gast.Attribute) and func.attr == "broadcast_to"


def merged(contributions: Contributions) -> Contributions:
    """Write twice the same contribution, as of ``x * x``, as one with a factor of two."""
    if len(contributions) != 2 or contributions[0][0] != contributions[1][0]:
        return contributions
    (cell, first), (_, second) = contributions
    if gast.dump(first) != gast.dump(second):
        return contributions
    twice = _twice(first)
    return contributions if twice is None else [(cell, twice)]


def _twice(value: Any) -> Any:
    """Return an expression times two, or None if that is no shorter than adding it twice."""
    two = gast.Constant(2, None)
    if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult):
        factor = gast.BinOp(two, gast.Mult(), value.left)
        return gast.BinOp(factor, gast.Mult(), value.right)
    if isinstance(value, gast.BinOp):
        return gast.BinOp(two, gast.Mult(), value)
    func = getattr(value, "func", None)
    name = str(getattr(func, "attr", getattr(func, "id", "")))
    places = {"where": (1, 2), "unbroadcast": (0,)}.get(name, ())
    for place in places:  # the selected or summed value itself
        if not isinstance(value.args[place], gast.Constant):
            inner = _twice(value.args[place])
            if inner is not None:
                value.args[place] = inner
                return value
    return None


def written_out(value: Any, emitted: list[Any]) -> Any:
    """Return a value with what assignments before it bind in the place of the names.

    >>> value, *before = [line.value if i == 0 else line for i, line in enumerate(
    ...     gast.parse("g / b * b; a = x * x; b = a + y").body)]
    >>> gast.unparse(written_out(value, before))
    'g / (x * x + y) * (x * x + y)'
    """
    for statement in reversed(emitted):
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, gast.Name) and target.id in names_read(value):
            value = _Written(target.id, statement.value).visit(clone(value))
    return value


class _Written(Rewriter):
    """Writes an expression in the place of a name."""

    def __init__(self, name: str, value: Any) -> None:
        self._name = name
        self._value = value

    def visit_Name(self, node: Any) -> Any:
        """Return the expression, or another name as it is."""
        return clone(self._value) if node.id == self._name else node


def is_entry(value: Any, entries: set[str]) -> bool:
    """Say whether a value is a number itself, or a name among those of one."""
    return isinstance(value, gast.Constant) or getattr(value, "id", "") in entries
