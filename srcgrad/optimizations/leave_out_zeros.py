"""Leaves out what adds nothing: additions of a literal zero to an adjoint."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.nodes import is_backward
from srcgrad.ir.program import targets_of
from srcgrad.ir.walk import blocks_of, names_bound, statements

_OPERATIONS: Final[dict[type, Callable[[float, float], float]]] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
}


def leave_out_zeros(
    body: list[Any], is_adjoint: Callable[[str], bool], parameters: Collection[str] = ()
) -> list[Any]:
    """Return `body` without the additions of its backward pass whose terms are zero.

    A term is zero if it is arithmetic of literals and of adjoints that are bound to literals.
    `is_adjoint(name)` says which names are adjoints.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> from srcgrad.ir.nodes import Comment
    >>> body = parse('''
    ... y = 0.0 * a
    ... grad_y = 1.0
    ... if x > 0:
    ...     grad_a += grad_y * 0.0
    ... grad_a += grad_y * b
    ... ''')
    >>> body[1:1] = [Comment("backward")]
    >>> print(text(leave_out_zeros(body, lambda name: name.startswith("grad_"))))
    y = 0.0 * a
    # backward
    grad_y = 1.0
    if x > 0:
        pass
    grad_a += grad_y * b
    """
    start = next((i for i, item in enumerate(body) if is_backward(item)), len(body))
    after = body[start:]
    binds = Counter(parameters)
    known: dict[str, float] = {}
    for statement in statements(after):
        for target in targets_of(statement):
            binds.update(names_bound(target))
        if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            value = _value(statement.value, {})
            if value is not None:
                known[statement.targets[0].id] = value
    known = {name: value for name, value in known.items() if is_adjoint(name) and binds[name] == 1}
    return [*body[:start], *_without(after, known, is_adjoint)]


def _without(
    block: list[Any], known: Mapping[str, float], is_adjoint: Callable[[str], bool]
) -> list[Any]:
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _without(part, known, is_adjoint)
    return [
        statement
        for statement in block
        if not (is_adjoint(_added_to(statement)) and _value(statement.value, known) == 0)
    ]


def _added_to(statement: Any) -> str:
    """Return the variable that a statement adds to, or an empty string."""
    adds = isinstance(statement, gast.AugAssign) and type(statement.op) in (gast.Add, gast.Sub)
    return getattr(statement.target, "id", "") if adds else ""


def _value(node: Any, known: Mapping[str, float]) -> float | None:
    """Return the value of arithmetic of floating-point literals and known names, or None."""
    if isinstance(node, gast.Constant):
        return node.value if type(node.value) in (int, float) else None
    if isinstance(node, gast.Name):
        return known.get(node.id)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _value(node.operand, known)
        return None if value is None else -value
    if isinstance(node, gast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left, known), _value(node.right, known)
        if left is not None and right is not None:
            return _OPERATIONS[type(node.op)](left, right)
    return None
