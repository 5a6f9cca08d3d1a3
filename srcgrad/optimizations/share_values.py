"""Computes once what a function computes twice, where its derivative asks for the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from srcgrad.analyses.text_calls import makes_new
from srcgrad.ir import gast
from srcgrad.ir.program import header_reads
from srcgrad.ir.putting import put
from srcgrad.ir.walk import blocks_of, spelled, statements
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.share_calls import binds_alone

_ARITHMETIC: Final = (gast.Add, gast.Sub, gast.Mult, gast.Div)
_PRODUCTS: Final = (gast.Mult, gast.Div, gast.Pow)


def share_values(body: list[Any], is_temporary: Callable[[str], bool], purity: Purity) -> list[Any]:
    """Return a body in normal form in which temporaries stand for what is computed twice.

    That goes for arithmetic of two names whose value is multiplied, divided or raised to a power:
    the backward pass needs it anyway. Nothing is done where a body may write into an array, or has
    loops.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of("def f(x, m): return np.mean((x - m) ** 2) + np.sum(x - m)")
    >>> purity = Purity(program.reader, frozenset())
    >>> def is_temporary(name):
    ...     return name.startswith("x_minus_m")
    >>> print(text(share_values(program.body, is_temporary, purity)))
    x_minus_m = x - m
    power = x_minus_m**2
    mean = np.mean(power)
    sum_2 = np.sum(x_minus_m)
    out = mean + sum_2
    return out
    """
    if not all(map(binds_alone, statements(body))):
        return body
    readers: dict[str, list[Any]] = {}
    for statement in statements(body):
        for name in header_reads(statement):
            readers.setdefault(name, []).append(statement)
    twins: dict[str, str] = {}
    for first, second in _twins(body, is_temporary, purity):
        used = [*readers.get(first, []), *readers.get(second, [])]
        if all(map(_makes_new, used)) and any(_multiplies(item, {first, second}) for item in used):
            twins[second] = first
    if not twins:
        return body
    values = {name: gast.Name(twin, gast.Load(), None, None) for name, twin in twins.items()}
    return [put(statement, values) for statement in _without(body, twins)]


def _twins(
    body: list[Any], is_temporary: Callable[[str], bool], purity: Purity
) -> Iterator[tuple[str, str]]:
    """Yield pairs of temporaries of one block that are bound to the same arithmetic."""
    for block in [body, *(part for item in statements(body) for part in blocks_of(item))]:
        seen: dict[str, str] = {}
        for statement in block:
            if not isinstance(statement, gast.Assign) or not purity.of(statement.value):
                seen = {}
                continue
            name = getattr(statement.targets[0], "id", "")
            if is_temporary(name) and _is_arithmetic(statement.value):
                first = seen.setdefault(spelled(statement.value), name)
                if first != name:
                    yield first, name


def _is_arithmetic(node: Any) -> bool:
    sides = (node.left, node.right) if isinstance(node, gast.BinOp) else ()
    named = all(isinstance(side, gast.Name) for side in sides)
    return bool(sides) and named and isinstance(node.op, _ARITHMETIC)


def _makes_new(statement: Any) -> bool:
    """Say whether what a statement computes is an array or number of its own."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    if isinstance(value, gast.BinOp):
        return True
    return makes_new(value)


def _multiplies(statement: Any, names: set[str]) -> bool:
    """Say whether a statement multiplies, divides by, or raises to a power what is named."""
    value = statement.value
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, _PRODUCTS):
        return False
    if isinstance(value.op, gast.Pow):
        return getattr(value.left, "id", "") in names
    other = value.right if getattr(value.left, "id", "") in names else value.left
    return isinstance(other, gast.Name) and not isinstance(value.op, gast.Div)


def _without(block: list[Any], gone: dict[str, str]) -> list[Any]:
    kept: list[Any] = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _without(part, gone)
        bound = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if getattr(bound, "id", "") not in gone:
            kept.append(statement)
    return kept
