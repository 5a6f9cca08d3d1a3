"""Assigns what is the first that is added to a part of an adjoint of zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analyses.touched_elements import TouchedElements, part_written
from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of, names_read, statements
from srcgrad.optimizations.fill_cleared import as_assignment
from srcgrad.optimizations.purity import Purity


def assign_first(
    body: list[Any],
    purity: Purity,
    is_array: Callable[[str], bool],
    look: Callable[[list[Any]], TouchedElements],
) -> list[Any]:
    """Return `body` with ``grad_y[i] += v`` written as ``grad_y[i] = v`` where that was zero.

    `is_array` says which names are surely bound to arrays, and `look` what touches their elements.

    >>> from srcgrad.analyses.sharing import Sharing
    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset(["zeros_like"]))
    >>> def look(body):
    ...     return TouchedElements(body, (), lambda name: False, Sharing(body, purity.of))
    >>> body = parse('''
    ... grad_y = zeros_like(y)
    ... for i in reversed(range(3)):
    ...     grad_y[i] -= a * k
    ...     grad_y[i] += b
    ... grad_z = zeros_like(z)
    ... grad_z[1:] -= c; grad_z[:-1] += c
    ... grad_z[0] += c[0]
    ... ''')
    >>> print(text(assign_first(body, purity, lambda name: True, look)))
    grad_y = zeros_like(y)
    for i in reversed(range(3)):
        grad_y[i] = -a * k
        grad_y[i] += b
    grad_z = zeros_like(z)
    grad_z[:-1] = c
    grad_z[1:] -= c
    grad_z[0] += c[0]
    """
    found = [item for item in statements(body) if _adds(item, purity, is_array)]
    if found:
        _assign_in(body, {id(item) for item in found}, look(body))
    return body


def _assign_in(block: list[Any], found: set[int], touched: TouchedElements) -> None:
    for place, statement in enumerate(block):
        for part in blocks_of(statement):
            _assign_in(part, found, touched)
        if id(statement) not in found or not touched.is_first(statement):
            continue
        later = block[place + 1] if place + 1 < len(block) else None
        swaps = isinstance(statement.op, gast.Sub) and id(later) in found
        if swaps and _may_swap(statement, later) and touched.is_first(later, {id(statement)}):
            block[place : place + 2] = as_assignment(later), statement
            found.discard(id(statement))  # it comes second now
        else:
            block[place] = as_assignment(statement)


def _adds(statement: Any, purity: Purity, is_array: Callable[[str], bool]) -> bool:
    """Say whether a statement adds to a part of an adjoint array that it does not read."""
    if not isinstance(statement, gast.AugAssign):
        return False
    target, adds = part_written(statement), isinstance(statement.op, (gast.Add, gast.Sub))
    name = target.value.id if adds and target is not None else ""
    ours = purity.is_adjoint(name) and is_array(name) and purity.of(statement.value)
    return ours and name not in names_read(statement.value)


def _may_swap(first: Any, second: Any) -> bool:
    """Say whether a statement takes away what the next one adds, of one line of the user's."""
    if not isinstance(first.value, gast.Name) or not isinstance(second.op, gast.Add):
        return False
    same = first.target.value.id == second.target.value.id
    return same and getattr(first, "lineno", 0) == getattr(second, "lineno", 0)
