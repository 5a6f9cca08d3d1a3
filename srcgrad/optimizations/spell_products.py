"""Writes sums of products along an axis by a function that need not make the product."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import load


def spell_products(calls: Iterable[Any]) -> bool:
    """Replace sums of products with adjoints along any but the first axis, in place.

    `calls` are those for adjoints. Returns whether there are any. Rows are added by one pass of the
    processor, columns are not.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> from srcgrad.optimizations.spell_selections import calls_for_adjoints
    >>> body = parse('''
    ... grad_a = (grad_y * x).sum(axis=1)
    ... grad_b = grad_y - (grad_y * y * z).sum(axis=-1, keepdims=True)
    ... grad_c = (grad_y * x).sum(axis=0)
    ... z = (x * y).sum(axis=1)
    ... ''')
    >>> spell_products(calls_for_adjoints(body, lambda name: name.startswith("grad_")))
    True
    >>> print(text(body))
    grad_a = dot_along(grad_y, x, axis=1)
    grad_b = grad_y - dot_along(grad_y * y, z, axis=-1, keepdims=True)
    grad_c = (grad_y * x).sum(axis=0)
    z = (x * y).sum(axis=1)
    """
    found = False
    for node in calls:
        if _sums_product(node):
            product = node.func.value
            node.func, node.args = load("dot_along"), [product.left, product.right]
            found = True
    return found


def _sums_product(node: Any) -> bool:
    """Say whether a call is a sum of a product along an axis that is not the first."""
    func = node.func
    if not isinstance(func, gast.Attribute) or func.attr != "sum" or node.args:
        return False
    given = {item.arg: item.value for item in node.keywords}
    product, axis = func.value, _number(given.get("axis"))
    if not given.keys() <= {"axis", "keepdims"} or axis is None or axis == 0:
        return False
    return isinstance(product, gast.BinOp) and isinstance(product.op, gast.Mult)


def _number(node: Any) -> int | None:
    """Return an axis that is written out."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        number = _number(node.operand)
        return None if number is None else -number
    value = getattr(node, "value", None)
    return value if isinstance(node, gast.Constant) and type(value) is int else None
