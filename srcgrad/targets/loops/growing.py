"""Finds sums and products of integers that grow from trip to trip, or call to call, by themselves.

What counts, or adds up what loops count, stays within 64 bits as long as anyone waits; what is
added to its own kind, as Fibonacci's numbers are, or multiplied, does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.edges import followed
from srcgrad.ir.walk import found_in, root_name, statements, walk

_SUMS: Final = (gast.Add, gast.Sub)
_LOOPS: Final = (gast.For, gast.While)
_ADDERS: Final = frozenset({"append", "insert", "extend"})


def growing(function: Any, recursive: Collection[str]) -> set[int]:
    """Return the operations, by identity, whose operands depend on what their results go to.

    `recursive` are the functions that call themselves; what these return depends on itself.
    """
    whole = [function] if function.name in recursive else found_in(function, *_LOOPS)
    bound = [item for part in whole for item in _bound(part, function.name, recursive)]
    edges: dict[str, set[str]] = {}
    for target, value in bound:
        edges.setdefault(target, set()).update(_names(value, recursive))
    reached = {name: followed([name], edges) for name in edges}
    found: set[int] = set()
    for target, value in bound:
        carried = {name for name in reached[target] if target in reached.get(name, ())}
        for node in walk(value):
            if _grows(node, carried, recursive):
                found.add(id(node))
    return found


def _bound(owner: Any, name: str, recursive: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the names that the statements of a loop or function bind, with their values."""
    for statement in statements(owner.body):
        if isinstance(statement, gast.Assign):
            yield from _pairs(statement.targets[0], statement.value)
        elif isinstance(statement, gast.AugAssign):
            if (target := root_name(statement.target)) is not None:
                yield target, statement  # which reads its target, too
        elif isinstance(statement, gast.For):
            yield from _pairs(statement.target, statement.iter)
        elif isinstance(statement, gast.Return) and statement.value is not None:
            if name in recursive:
                yield name, statement.value
        elif isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
            function = statement.value.func
            if isinstance(function, gast.Attribute) and function.attr in _ADDERS:
                for value in statement.value.args if root_name(function.value) else ():
                    yield root_name(function.value) or "", value
    if isinstance(owner, gast.For):
        yield from _pairs(owner.target, owner.iter)


def _pairs(target: Any, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(target, (gast.Tuple, gast.List)):
        values = value.elts if isinstance(value, (gast.Tuple, gast.List)) else []
        each = values if len(values) == len(target.elts) else [value] * len(target.elts)
        for item, part in zip(target.elts, each, strict=True):
            yield from _pairs(item, part)
    elif (name := root_name(target)) is not None:
        yield name, value


def _names(node: Any, recursive: Collection[str]) -> set[str]:
    """Return the names on which a value depends, without those of indices and other functions."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, gast.Name):
            found.add(item.id)
        elif isinstance(item, gast.Subscript):
            waiting.append(item.value)
        elif isinstance(item, gast.Call):
            waiting += item.args
            if getattr(item.func, "id", None) in recursive:
                found.add(item.func.id)
            elif isinstance(item.func, gast.Attribute):
                waiting.append(item.func.value)
        elif isinstance(item, gast.AugAssign):
            waiting += [item.target, item.value]
        else:
            waiting += [part for part in gast.iter_child_nodes(item) if isinstance(part, gast.expr)]
    return found


def _grows(node: Any, carried: set[str], recursive: Collection[str]) -> bool:
    if isinstance(node, gast.AugAssign):
        if isinstance(node.op, _SUMS):
            return bool(carried & _names(node.value, recursive))
        return _multiplies(node.op)
    if not isinstance(node, gast.BinOp):
        return False
    left, right = (bool(carried & _names(side, recursive)) for side in (node.left, node.right))
    if isinstance(node.op, _SUMS):
        return left and right
    return _multiplies(node.op) and (left or (right and isinstance(node.op, gast.Mult)))


def _multiplies(operator: Any) -> bool:
    return isinstance(operator, (gast.Mult, gast.LShift, gast.Pow))
