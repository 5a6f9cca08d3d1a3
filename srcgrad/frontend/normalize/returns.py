"""Gives a function one exit: early returns become branches that assign the result."""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.build import assign, at, clone, load
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import statements

_MOST_COPIED = 20


def single_exit(tree: Any, namer: Namer, refusals: Refusals) -> Any:
    """Return `tree` with one `return`, of a name or a tuple of names, as its last statement.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (tree,) = parse('''
    ... def f(x):
    ...     if x > 0:
    ...         return x
    ...     return -x
    ... ''')
    >>> print(text([single_exit(tree, Namer(), None)]))
    def f(x):
        if x > 0:
            out = x
        else:
            out = -x
        return out
    """
    body = list(tree.body)
    if not any(isinstance(item, gast.Return) for item in statements(body)):
        body.append(at(gast.Return(None), tree))
    arities = {_arity(item.value) for item in statements(body) if isinstance(item, gast.Return)}
    if len(arities) > 1:
        refusals.add(
            tree,
            "the function returns tuples of different lengths",
            "return the same number of values on every path",
        )
        return tree
    arity = arities.pop()
    names = _result_names(arity, namer)
    tree.body = _close(body, [], names, arity is not None, refusals)
    values = [load(name) for name in names]
    value = gast.Tuple(values, gast.Load()) if arity is not None else values[0]
    tree.body.append(at(gast.Return(value), tree.body[-1]))
    return tree


def _arity(value: Any) -> int | None:
    return len(value.elts) if isinstance(value, gast.Tuple) else None


def _result_names(arity: int | None, namer: Namer) -> list[str]:
    if arity is None:
        return [namer.fresh("out")]
    return [namer.fresh(f"out_{i + 1}") for i in range(arity)]


def _close(
    block: list[Any], rest: list[Any], names: list[str], is_tuple: bool, refusals: Refusals
) -> list[Any]:
    """Return `block` followed by `rest`, with returns turned into assignments of the result."""
    done: list[Any] = []
    for position, item in enumerate(block):
        if isinstance(item, gast.Return):
            return done + _assign_result(item, names, is_tuple)
        if isinstance(item, gast.If) and _returns(item):
            following = block[position + 1 :] + rest
            copied = sum(_falls_through(part) for part in (item.body, item.orelse))
            if copied > 1 and len(list(statements(following))) > _MOST_COPIED:
                refusals.add(
                    item,
                    "an early `return` that only some of the inner paths take, before a long rest",
                    "move the rest into a function of its own",
                )
                return done
            item.body = _close(item.body, _copy(following), names, is_tuple, refusals)
            item.orelse = _close(item.orelse, _copy(following), names, is_tuple, refusals)
            return [*done, item]
        done.append(item)
    return done + (_close(rest, [], names, is_tuple, refusals) if rest else [])


def _assign_result(item: Any, names: list[str], is_tuple: bool) -> list[Any]:
    if is_tuple:
        pairs = zip(names, item.value.elts, strict=True)
        return [assign(name, value, item) for name, value in pairs]
    value = item.value if item.value is not None else gast.Constant(None, None)
    return [assign(names[0], value, item)]


def _returns(item: Any) -> bool:
    return any(isinstance(inner, gast.Return) for inner in statements([item]))


def _falls_through(block: list[Any]) -> bool:
    if not block:
        return True
    last = block[-1]
    if isinstance(last, (gast.Return, gast.Raise)):
        return False
    if isinstance(last, gast.If):
        return _falls_through(last.body) or _falls_through(last.orelse)
    return True


def _copy(block: list[Any]) -> list[Any]:
    copies: list[Any] = clone(block)
    return copies
