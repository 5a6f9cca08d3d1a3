"""Writes statements of generated functions as one does by hand, once nothing else reads them."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, constant
from srcgrad.ir.walk import blocks_of


def spell_out(body: list[Any]) -> None:
    r"""Write statements as one does by hand, in place.

    What is told to `setattr` and `__setitem__` becomes the assignment that it is, and a loop that
    counts down and is turned round counts up.

    >>> tree = gast.parse("tell(setattr, model, 't', t)\ntell(state.__setitem__, 't', t)")
    >>> spell_out(tree.body)
    >>> print(gast.unparse(tree))
    model.t = t
    state['t'] = t
    >>> tree = gast.parse("for i in reversed(range(n - 1, k, -1)): pass")
    >>> spell_out(tree.body)
    >>> print(gast.unparse(tree))
    for i in range(k + 1, n):
        pass
    """
    for place, statement in enumerate(body):
        if isinstance(statement, gast.For):
            statement.iter = _counting_up(statement.iter)
        for block in blocks_of(statement):
            spell_out(block)
        target = _told(statement)
        if target is not None:
            body[place] = at(assign(target, statement.value.args[-1], statement), statement)


def _counting_up(iterable: Any) -> Any:
    """Return the range that goes through the numbers of one that counts down by one, turned."""
    turned: Any = iterable.args[0] if _calls(iterable, "reversed", 1) else None
    if not _calls(turned, "range", 3) or _whole(turned.args[2]) != -1:
        return iterable
    first, last = (_one_more(item) for item in turned.args[:2])
    from_zero = getattr(last, "value", None) == 0
    return call("range", *([first] if from_zero else [last, first]))


def _calls(node: Any, name: str, count: int) -> bool:
    plain = isinstance(node, gast.Call) and not node.keywords and len(node.args) == count
    return plain and getattr(node.func, "id", "") == name


def _whole(node: Any) -> int | None:
    """Return the whole number that is written down, or None."""
    negative = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)
    value = getattr(node.operand if negative else node, "value", None)
    return None if type(value) is not int else -value if negative else value


def _one_more(node: Any) -> Any:
    """Return an expression of the number after a whole number."""
    value = _whole(node)
    if value is not None:
        return constant(value + 1)
    less = isinstance(node, gast.BinOp) and isinstance(node.op, gast.Sub)
    if less and getattr(node.right, "value", None) == 1:
        return node.left
    return gast.BinOp(node, gast.Add(), constant(1))


def _told(statement: Any) -> Any:
    """Return what a statement binds by telling; None if it does not."""
    telling: Any = statement.value if isinstance(statement, gast.Expr) else None
    if getattr(getattr(telling, "func", None), "id", "") != "tell":
        return None
    told, *given = telling.args
    if getattr(told, "id", "") == "setattr" and len(given) == 3:
        return gast.Attribute(given[0], given[1].value, gast.Store())
    if getattr(told, "attr", "") == "__setitem__" and len(given) == 2:
        return gast.Subscript(told.value, given[0], gast.Store())
    return None
