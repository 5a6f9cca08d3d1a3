"""Gives the minus of a product to a literal in it, which saves an operation on an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import constant
from srcgrad.ir.walk import statements, walk
from srcgrad.optimizations.literals import number_of

_SCALING: Final = (gast.Mult, gast.Div)
_SUMS: Final = (gast.Add, gast.Sub)


def sign_literals(body: list[Any], is_ours: Callable[[Any], bool]) -> list[Any]:
    """Return `body` with negative literals in products; `is_ours` says which statements to change.

    >>> from srcgrad.codegen.printer import to_source
    >>> def signed(text):
    ...     return to_source(sign_literals(gast.parse(text).body, lambda _: True))
    >>> signed("a = -g * 0.5"), signed("a = f(2.0 * x * -g / y)"), signed("a = -g * y / 2.0")
    ('a = g * -0.5', 'a = f(-2.0 * x * g / y)', 'a = -g * y / 2.0')
    >>> signed("a = -g * y"), signed("a = -(g - 2.0 * y)"), signed("a = -2.0 * g")
    ('a = -g * y', 'a = -(g - 2.0 * y)', 'a = -2.0 * g')
    >>> signed("a = -g * -0.5"), signed("a = -g * f(-0.5 * y)"), signed("a = -0.5")
    ('a = g * 0.5', 'a = -g * f(-0.5 * y)', 'a = -0.5')

    An update takes it itself, and so does a sum.

    >>> signed("a += 2.0 * y * -g"), signed("a *= 2.0 * -g"), signed("a = b - 2.0 * y * -g")
    ('a -= 2.0 * y * g', 'a *= -2.0 * g', 'a = b + 2.0 * y * g')
    """
    for statement in statements(body):
        if isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)) and is_ours(statement):
            _sign(statement)
    return body


def _sign(statement: Any) -> None:
    inside: set[int] = set()
    for node in walk(statement):
        for field in ("value", "operand", "left", "right"):
            part = getattr(node, field, None)
            if _is_product(part) and id(part) not in inside:
                inside.update(map(id, _chain(part)))
                _sign_product(node, field)
        for place, part in enumerate(node.args if isinstance(node, gast.Call) else ()):
            if _is_product(part) and id(part) not in inside:
                _sign_product(node.args, place)


def _is_product(node: Any) -> bool:
    scales = isinstance(node, gast.BinOp) and isinstance(node.op, _SCALING)
    return scales or (isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub))


def _chain(node: Any) -> Iterator[Any]:
    """Yield the products and minus signs that a product consists of."""
    if _is_product(node):
        yield node
        for field in _fields(node):
            yield from _chain(getattr(node, field))


def _fields(node: Any) -> tuple[str, ...]:
    """Return where the factors of a product are; what it is divided by is one of its own."""
    if isinstance(node, gast.UnaryOp):
        return ("operand",)
    return ("left", "right") if isinstance(node.op, gast.Mult) else ("left",)


def _sign_product(holder: Any, field: Any) -> None:
    """Take one minus out of a product, and negate a literal in it."""
    minus: list[tuple[Any, Any]] = []
    literals: list[tuple[Any, Any]] = []
    waiting = [(holder, field)]
    while waiting:
        place = waiting.pop()
        node = _at(*place)
        if _is_literal(node):
            literals.append(place)
        elif _is_product(node):
            if isinstance(node, gast.UnaryOp):
                minus.append(place)
            waiting += [(node, item) for item in reversed(_fields(node))]
    if not minus or not literals:
        return
    if field in ("value", "right") and isinstance(getattr(holder, "op", None), _SUMS):
        holder.op = gast.Sub() if isinstance(holder.op, gast.Add) else gast.Add()
    else:
        number = number_of(_at(*literals[0])) or 0
        literal = constant(abs(number))
        _put(*literals[0], literal if number < 0 else gast.UnaryOp(gast.USub(), literal))
    _put(*minus[0], _at(*minus[0]).operand)


def _is_literal(node: Any) -> bool:
    """Say whether an expression is a number that is written out, and not zero."""
    return isinstance(node, (gast.Constant, gast.UnaryOp)) and bool(number_of(node))


def _at(holder: Any, field: Any) -> Any:
    return holder[field] if isinstance(holder, list) else getattr(holder, field)


def _put(holder: Any, field: Any, node: Any) -> None:
    if isinstance(holder, list):
        holder[field] = node
    else:
        setattr(holder, field, node)
