"""Leaves out copies of adjoints that nobody else has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.ir.program import bound_by, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_read, statements


def skip_copies(body: list[Any]) -> list[Any]:
    """Return `body` without ``grad_a = copied(grad_a)`` where `grad_a` has just been computed.

    Arithmetic makes an array of its own, and so a list of parts of it holds them alone.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(skip_copies(parse('''
    ... grad_a = gathered(unstack_like(2 * b, 0), a)
    ... grad_b = grad_c
    ... grad_k = 0.0
    ... grad_a = copied(grad_a)
    ... grad_b = copied(grad_b)
    ... '''))))
    grad_a = gathered(unstack_like(2 * b, 0), a)
    grad_b = grad_c
    grad_k = 0.0
    grad_b = copied(grad_b)
    """
    wanted = {name for item in statements(body) if (name := _copied_anew(item))}
    if not wanted:
        return body
    met = {id(item): (*header_reads(item), *bound_by(item)) for item in statements(body)}
    return _skipped(body, wanted, met)


def store_directly(
    body: list[Any],
    is_array: Callable[[str], bool],
    may_share: Callable[[str, str], bool],
) -> list[Any]:
    """Return `body` without copies of what is put into a part of an array, which copies it itself.

    `is_array` says which names are surely bound to arrays, `may_share` which share memory.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("grad_x[0] = copied(grad_y); grad_x[1:] += copied(grad_x[:-1])")
    >>> print(text(store_directly(body, lambda name: True, str.__eq__)))
    grad_x[0] = grad_y
    grad_x[1:] += copied(grad_x[:-1])
    """
    for item in statements(body):
        target = targets_of(item)[0] if isinstance(item, (gast.Assign, gast.AugAssign)) else None
        copy: Any = getattr(item, "value", None)
        copies = isinstance(copy, gast.Call) and getattr(copy.func, "id", "") == "copied"
        if not copies or not isinstance(target, gast.Subscript):
            continue
        name = getattr(target.value, "id", "")
        if is_array(name) and not any(may_share(name, other) for other in names_read(copy)):
            item.value = copy.args[0]
    return body


def _skipped(body: list[Any], wanted: set[str], met: dict[int, tuple[str, ...]]) -> list[Any]:
    """Do so, given the names that are copied, and those that each statement reads and binds."""
    made: dict[str, Any] = {}
    kept: list[Any] = []
    for statement in body:
        name = _copied_anew(statement)
        if name in made and _is_own(made[name]):
            continue
        kept.append(statement)
        for part in blocks_of(statement):
            part[:] = _skipped(part, wanted, met)
        for item in statements([statement]) if made else ():
            for other in met[id(item)]:
                made.pop(other, None)
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, gast.Name) and target.id in wanted:
            made[target.id] = statement.value
    return kept


def _copied_anew(statement: Any) -> str:
    """Return the name of ``x = copied(x)``, or an empty string."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    if not isinstance(value, gast.Call) or getattr(value.func, "id", "") != "copied":
        return ""
    name = getattr(value.args[0], "id", "")
    return name if getattr(statement.targets[0], "id", "") == name else ""


def _is_own(value: Any) -> bool:
    """Say whether an expression makes an array, or a list of the parts of one."""
    for function in ("gathered", "unstack_like"):
        if getattr(getattr(value, "func", None), "id", "") == function:
            value = value.args[0]
    return isinstance(value, (gast.BinOp, gast.UnaryOp))
