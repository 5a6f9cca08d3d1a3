"""Calls what is bound and never read `_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.ir.build import at
from srcgrad.ir.walk import blocks_of, names_bound, names_read, nodes_in, statements, walk


def name_unused_parts(body: list[Any], is_temporary: Callable[[str], bool]) -> None:
    """Write ``_, grad_b = both`` where nothing reads `grad_a` of ``grad_a, grad_b = both``.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("a, b = f(x); return b")
    >>> name_unused_parts(body, lambda name: True)
    >>> print(text(body))
    _, b = f(x)
    return b

    What is computed only because it may raise an error, or takes an entry out of a list, is kept:

    >>> body = parse("top = xs.pop(); rest = 6 // n; return xs")
    >>> name_unused_parts(body, lambda name: True)
    >>> print(text(body))
    xs.pop()
    _ = 6 // n
    return xs
    >>> body = parse("grad_a = v[1:]; grad_a += 1.0; return v")
    >>> name_unused_parts(body, lambda name: True)
    >>> print(text(body[:1]))
    grad_a = v[1:]
    """
    read: set[str] = set()
    bound: list[str] = []
    for statement in statements(body):
        read.update(name for part in _read_parts(statement) for name in names_read(part))
        if isinstance(statement, gast.AugAssign):
            read.update(names_bound(statement.target))
        for target in getattr(statement, "targets", []):
            bound.extend(names_bound(target))
    if "_" in read:
        return
    _leave_out_names(body, read)
    for statement in statements(body):
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, (gast.Tuple, gast.List)):
            for node in walk(target):
                unused = isinstance(node, gast.Name) and node.id not in read
                if unused and bound.count(node.id) == 1 and is_temporary(node.id):
                    node.id = "_"


def _leave_out_names(block: list[Any], read: set[str]) -> None:
    """Let values that nothing reads be bound to `_`, or to nothing if they are calls."""
    for place, statement in enumerate(block):
        for part in blocks_of(statement):
            _leave_out_names(part, read)
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if not isinstance(target, gast.Name) or target.id in read or len(statement.targets) > 1:
            continue
        if isinstance(statement.value, gast.Call):
            block[place] = at(gast.Expr(statement.value), statement)
        else:
            target.id = "_"


def _read_parts(statement: Any) -> list[Any]:
    """Return the expressions of a statement itself, without those of inner blocks."""
    return [node for node in nodes_in(statement) if not isinstance(node, gast.stmt)]
