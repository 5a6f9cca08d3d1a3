"""Takes products apart, and says which two are the same."""

from __future__ import annotations

import functools
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, spelled

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
