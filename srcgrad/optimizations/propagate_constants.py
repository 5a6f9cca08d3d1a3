"""Writes a number where a temporary or an adjoint stands that is bound to nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.program import count_binds
from srcgrad.ir.putting import put
from srcgrad.ir.walk import blocks_of, statements

_WRITTEN: Final = frozenset({gast.Constant, gast.UnaryOp})


def propagate_constants(
    body: list[Any], is_ours: Callable[[str], bool], parameters: tuple[str, ...]
) -> list[Any]:
    """Return `body` without names of ours that are floating-point literals.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... grad_out = 1.0
    ... grad_a = grad_out * b
    ... grad_b = grad_out * a
    ... ''')
    >>> print(text(propagate_constants(body, {"grad_out"}.__contains__, ())))
    grad_a = 1.0 * b
    grad_b = 1.0 * a
    """
    literals: dict[str, Any] = {}
    for statement in statements(body):
        name = _literal(statement)
        if name and is_ours(name):
            literals[name] = statement.value
    if not literals:
        return body
    binds = count_binds(body)
    binds.update(parameters)
    literals = {name: value for name, value in literals.items() if binds[name] == 1}
    if not literals:
        return body
    kept = _without(body, literals)
    for statement in kept:
        put(statement, literals)
    return kept


def _literal(statement: Any) -> str:
    """Return the name that a statement binds to a floating-point literal, or an empty string."""
    if statement.__class__ is not gast.Assign or statement.value.__class__ not in _WRITTEN:
        return ""  # as most
    if len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if value.__class__ is gast.UnaryOp and isinstance(value.op, gast.USub):
            value = value.operand
        plain = value.__class__ is gast.Constant and type(value.value) is float
        if plain and isinstance(target, gast.Name) and not CLOSING.of(statement):
            return str(target.id)
    return ""


def _without(block: list[Any], gone: dict[str, Any]) -> list[Any]:
    kept = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _without(part, gone)
        if _literal(statement) not in gone:
            kept.append(statement)
    return kept
