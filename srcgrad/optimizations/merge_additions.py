"""Adds in one statement what two in a row add to the same adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.lines import take_lines
from srcgrad.ir.walk import blocks_of, is_same, names_read, root_name, walk
from srcgrad.optimizations.width import WIDEST


def merge_additions(
    body: list[Any],
    width: Callable[[Any], int],
    is_adjoint: Callable[[str], bool],
    may_share: Callable[[str, str], bool] = lambda *_: False,
) -> list[Any]:
    """Return `body` with ``grad_a = b; grad_a += c`` written as ``grad_a = b + c``.

    Only statements of one line of the user's are put together. `width(node)` is the printed width
    of an expression, and `is_adjoint(name)` says which names are adjoints. `may_share` says whether
    two names may lie in the same memory: what an update changes is not read by what is added to it,
    and where ``grad_part = grad_rows[i]; grad_part += b`` writes into memory of another it stays.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> from srcgrad.optimizations.width import width
    >>> def merged(source):
    ...     body = parse(source)
    ...     for statement in body:
    ...         statement.lineno = 1
    ...     return text(merge_additions(body, width, lambda name: name.startswith("grad_")))
    >>> print(merged("grad_x = 2 * a; grad_x += b; grad_x += c; grad_y += grad_x"))
    grad_x = 2 * a + b + c
    grad_y += grad_x
    >>> print(merged("grad_x = a; grad_x -= b * c"))
    grad_x = a - b * c
    >>> print(merged("grad_x[i] += a; grad_x[i] += b; grad_x[i] += grad_x[j]"))
    grad_x[i] += a + b
    grad_x[i] += grad_x[j]
    """
    kept: list[Any] = []
    for statement in body:
        for part in blocks_of(statement):
            part[:] = merge_additions(part, width, is_adjoint, may_share)
        before: Any = kept[-1] if kept else None
        ours = before is not None and is_adjoint(
            root_name(getattr(statement, "target", None)) or ""
        )
        updates = isinstance(before, gast.AugAssign)
        if ours and _goes_on(before, statement) and _fits(before, statement, width):
            if _overlaps(statement, may_share) if updates else _is_of_another(before, may_share):
                kept.append(statement)
                continue
            before.value = gast.BinOp(before.value, statement.op, statement.value)
            take_lines(before, statement)
        else:
            kept.append(statement)
    return kept


def _goes_on(first: Any, second: Any) -> bool:
    """Say whether a statement adds to what the one before it has computed."""
    adds = isinstance(second, gast.AugAssign) and isinstance(second.op, (gast.Add, gast.Sub))
    if not adds or getattr(first, "lineno", 0) != getattr(second, "lineno", 0):
        return False
    if isinstance(first, gast.AugAssign):
        target = first.target if isinstance(first.op, gast.Add) else None
    else:
        whole = isinstance(first, gast.Assign) and len(first.targets) == 1
        target = first.targets[0] if whole and isinstance(first.targets[0], gast.Name) else None
    name = root_name(second.target)
    return (
        target is not None
        and name is not None
        and _is_plain(second.target)
        and is_same(target, second.target)
        and name not in names_read(second.value)
        and not any(isinstance(node, gast.Call) for node in walk(second.target))
        and is_sum(first.value)
    )


def _is_of_another(first: Any, may_share: Callable[[str, str], bool]) -> bool:
    """Say whether a name is bound to memory of another, into which an update writes."""
    source = root_name(first.value) if isinstance(first.value, (gast.Name, gast.Subscript)) else ""
    return bool(source) and may_share(first.targets[0].id, source or "")


def _overlaps(addition: Any, may_share: Callable[[str, str], bool]) -> bool:
    """Say whether what is added may lie in the memory that it is added to."""
    name = root_name(addition.target) or ""
    read = names_read(addition.value)
    if not isinstance(addition.target, gast.Name):  # what was taken out of it is no view of it now
        parts = [node for node in walk(addition.value) if isinstance(node, gast.Subscript)]
        read = [item for part in parts for item in names_read(part.value)]
    return any(may_share(name, item) for item in read)


def _is_plain(target: Any) -> bool:
    """Say whether a target is a name, or an element or slice of one."""
    return isinstance(target, gast.Name) or (
        isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name)
    )


def is_sum(value: Any) -> bool:
    """Say whether an expression is a number or an array, so that a sum with it is one."""
    if isinstance(value, gast.Call):
        func = value.func
        module = func.value if isinstance(func, gast.Attribute) else None
        return getattr(module, "id", "") in ("np", "math")
    return isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Constant, gast.Name, gast.Subscript))


def _fits(first: Any, second: Any, width: Callable[[Any], int]) -> bool:
    target = first.target if isinstance(first, gast.AugAssign) else first.targets[0]
    return width(target) + width(first.value) + width(second.value) <= WIDEST
