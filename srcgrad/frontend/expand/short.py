"""Says which functions read better in the place of their calls than as functions of their own."""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.returned_lists import returns_list
from srcgrad.ir import gast
from srcgrad.ir.walk import without_docstring

_STEPS: Final = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Compare, gast.Subscript)
_FOREIGN: Final = (
    gast.FunctionDef,
    gast.Lambda,
    gast.ClassDef,
    gast.NamedExpr,
    gast.Yield,
    gast.YieldFrom,
    gast.Await,
    gast.Starred,
)
_OPERATIONS: Final = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
}
_MOST_STEPS: Final = 16
_MOST_LINES: Final = 6


def reads_better_in_place(tree: Any, node: Any, caller: Any) -> bool:
    r"""Say whether a function is one short expression, or a few lines that are run at one call.

    >>> f, g = gast.parse("def f(x):\n    return x * x\ndef g(x):\n    return f(x) + f(3)").body
    >>> reads_better_in_place(f, g.body[0].value.left, g)
    True
    """
    body = without_docstring(tree.body)
    if not body or len(body) > _MOST_LINES or not _is_straight(body):
        return False
    calls = _count_calls(node, caller)
    return calls <= 1 or (len(body) == 1 and _steps(body) * calls <= _MOST_STEPS)


def gives_rows_to_write(function: FunctionType, node: Any, caller: Any) -> bool:
    """Say whether a call gives a new list, into whose rows the caller writes.

    In its place it is seen that no other name reaches them.
    """
    return writes_rows_of(node, caller) and returns_list(function)


def writes_rows_of(node: Any, caller: Any) -> bool:
    r"""Say whether a function writes into rows of what it calls a function for.

    >>> f = gast.parse("def f(x):\n    m = eye(2)\n    m[0][1] = x\n    return m").body[0]
    >>> writes_rows_of(f.body[0].value, f)
    True
    """
    name = _called(node)
    nodes = gast.walk(caller)
    given = [
        item for item in nodes if isinstance(item, gast.Assign) and _called(item.value) == name
    ]
    names = {target.id for item in given for target in item.targets if _is_variable(target)}
    return bool(name and names) and any(
        isinstance(item, gast.Subscript)
        and not isinstance(item.ctx, gast.Load)
        and isinstance(item.value, gast.Subscript)
        and getattr(item.value.value, "id", "") in names
        for item in gast.walk(caller)
    )


def _is_variable(target: Any) -> bool:
    return isinstance(target, gast.Name)


def short_number(node: Any) -> Any:
    """Return what two literals make, if that is as short as they are; else the operation itself.

    >>> lines = gast.parse("0.5 * 0.1; 1 / 3").body
    >>> [type(short_number(line.value)).__name__ for line in lines]
    ['Constant', 'BinOp']
    """
    parts = (node.left, node.right)
    operation = _OPERATIONS.get(type(node.op))
    if operation is None or not all(isinstance(part, gast.Constant) for part in parts):
        return node
    if not all(type(part.value) in (int, float) for part in parts):
        return node
    try:
        result = operation(node.left.value, node.right.value)
    except ArithmeticError:
        return node
    longest = sum(len(repr(part.value)) for part in parts)
    return gast.Constant(result, None) if len(repr(result)) <= longest else node


def _is_straight(body: list[Any]) -> bool:
    """Say whether statements bind names and return a value, one after the other."""
    *lines, last = body
    if not isinstance(last, gast.Return) or last.value is None:
        return False
    plain = all(
        isinstance(line, gast.Assign)
        and all(map(_is_name, line.targets))
        and not _unpacks_into_itself(line)
        for line in lines
    )
    nodes = (item for line in body for item in gast.walk(line))
    return plain and not any(isinstance(item, _FOREIGN) for item in nodes)


def _unpacks_into_itself(line: Any) -> bool:
    """Say whether a name that was bound to a tuple is bound to a part of it."""
    parts = [
        part.id for target in line.targets if isinstance(target, gast.Tuple) for part in target.elts
    ]
    return any(getattr(item, "id", "") in parts for item in gast.walk(line.value))


def _is_name(target: Any) -> bool:
    parts = target.elts if isinstance(target, gast.Tuple) else [target]
    return all(isinstance(part, gast.Name) for part in parts)


def _steps(body: list[Any]) -> int:
    return sum(isinstance(item, _STEPS) for line in body for item in gast.walk(line))


def _count_calls(node: Any, caller: Any) -> int:
    """Count the calls in a function that look as this one does."""
    name = _called(node)
    return sum(_called(item) == name for item in gast.walk(caller)) if name else 2


def _called(node: Any) -> str:
    if isinstance(node, gast.Attribute):  # a property
        return str(node.attr)
    func = node.func if isinstance(node, gast.Call) else None
    return str(getattr(func, "id", "") or getattr(func, "attr", ""))
