"""Takes products apart, and says which two are the same."""

from __future__ import annotations

import functools
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, spelled
from srcgrad.optimizations.literals import exact_product, number_of

_LEAVES: Final = frozenset({gast.Name, gast.Constant})


def factors_of(node: Any) -> list[Any]:
    """Return what is multiplied in a product, in order: the expression itself if it is none."""
    found: list[Any] = []
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if item.__class__ is gast.BinOp and item.op.__class__ is gast.Mult:
            waiting += item.right, item.left
        else:
            found.append(item)
    return found


def product_of(factors: list[Any]) -> Any:
    """Return the product of some factors, from left to right."""
    return functools.reduce(lambda a, b: gast.BinOp(a, gast.Mult(), b), factors)


def into_quotients(factors: list[Any]) -> list[Any]:
    """Return factors with a literal put into a quotient that begins with one.

    >>> def put(text):
    ...     found = into_quotients(factors_of(gast.parse(text).body[0].value))
    ...     return [gast.unparse(item).strip() for item in found]
    >>> put("2 * (0.5 / s) * x"), put("2 * (0.5 * g / s)"), put("-2 * (1.0 / s)")
    (['1.0 / s', 'x'], ['1.0 * g / s'], ['-2.0 / s'])
    >>> put("3 * (0.1 / s)"), put("2 * (g / s)"), put("3 * (1.0 / 3)")
    (['3', '0.1 / s'], ['2', 'g / s'], ['3', '1.0 / 3'])
    """
    literal = next((item for item in factors if number_of(item) is not None), None)
    for item in factors if literal is not None else ():
        holder = _first_of_quotient(item)
        total = None if holder is None else exact_product(literal, holder.left)
        if total is not None:
            holder.left = total
            return [other for other in factors if other is not literal]
    return factors


def _first_of_quotient(node: Any) -> Any:
    """Return the operation that a quotient begins with, if its first operand is a literal."""
    if node.__class__ is not gast.BinOp or node.op.__class__ is not gast.Div:
        return None
    while node.left.__class__ is gast.BinOp and isinstance(node.left.op, (gast.Mult, gast.Div)):
        node = node.left
    plain = number_of(node.right) is not None  # as in a third, ``1.0 / 3``
    return None if plain or number_of(node.left) is None else node


def is_same_product(first: Any, second: Any, *, with_lookups: bool) -> bool:
    """Say whether two terms are the same product of names and literals, in whatever order.

    So may elements that are looked up be, where nobody asks for that to be done twice.

    >>> def same(text, with_lookups=True):
    ...     pair = gast.parse(text).body[0].value
    ...     return is_same_product(pair.left, pair.right, with_lookups=with_lookups)
    >>> same("a * b + b * a"), same("g[i] * b + b * g[i]"), same("g[i] * b + b * g[j]")
    (True, True, False)
    >>> same("f(a) * b + f(a) * b"), same("g[i] * b + b * g[i]", False), same("g[f()] + g[f()]")
    (False, False, False)
    """

    def is_plain(node: Any) -> bool:
        if node.__class__ is gast.Subscript:
            return with_lookups and not found_in(node, gast.Call)
        return node.__class__ in _LEAVES

    ours = factors_of(first)
    if not all(map(is_plain, ours)):
        return False
    theirs = factors_of(second)
    plain = len(ours) == len(theirs) and all(map(is_plain, theirs))
    return plain and sorted(map(spelled, ours)) == sorted(map(spelled, theirs))
