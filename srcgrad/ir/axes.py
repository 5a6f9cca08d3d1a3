"""Reads literals that name axes, and says which names a function hands on as axes."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in
from srcgrad.primitives import named

AXIS_PARAMETERS = frozenset({"axis", "axes", "axis1", "axis2"})
"""What NumPy calls parameters that name axes."""


def axes_of(node: Any) -> tuple[int, ...] | None:
    """Return the axes that a literal names, or None if it is not one.

    >>> axes_of(gast.parse("(0, -1)").body[0].value), axes_of(gast.parse("n").body[0].value)
    ((0, -1), None)
    """
    items = node.elts if isinstance(node, gast.Tuple) else [node]
    axes: list[int] = []
    for item in items:
        sign = -1 if isinstance(item, gast.UnaryOp) and isinstance(item.op, gast.USub) else 1
        literal = item.operand if sign < 0 else item
        if not isinstance(literal, gast.Constant) or type(literal.value) is not int:
            return None
        axes.append(sign * literal.value)
    return tuple(axes)


def told_axes(tree: Any) -> set[str]:
    r"""Return the names that the calls in a function hand on as axes, whatever is called.

    >>> tree = gast.parse("def f(x, i, j, k):\n    return x.max(axis=i) + np.sum(x, j) + g(x, k)")
    >>> sorted(told_axes(tree) - {"x"})
    ['i', 'j']
    """
    told = [
        item
        for call in found_in(tree, gast.Call)
        for item in [*_reduced_over(call), *_named_axes(call)]
    ]
    return {item.id for item in told if isinstance(item, gast.Name)}


def _named_axes(call: Any) -> list[Any]:
    """Return what a call hands on as axes by name."""
    return [item.value for item in call.keywords if item.arg in AXIS_PARAMETERS]


def _reduced_over(call: Any) -> list[Any]:
    """Return the arguments that may tell the axis of a reduction, as a function or a method."""
    attribute = getattr(call.func, "attr", None)
    places = {item.axis for item in named(attribute or "") if item.shape == "reduced"}
    return [item for place in places for item in call.args[place - 1 : place + 1]]
