"""Visits statements and names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

_BLOCKS = ("body", "orelse", "finalbody")


def blocks_of(statement: Any) -> Iterator[list[Any]]:
    """Yield the statement lists directly inside a statement."""
    for name in _BLOCKS:
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def statements(block: list[Any]) -> Iterator[Any]:
    r"""Yield every statement of a block in source order, those of inner blocks included.

    >>> tree = gast.parse("if a:\n    b = 1\nc = 2")
    >>> [type(s).__name__ for s in statements(tree.body)]
    ['If', 'Assign', 'Assign']
    """
    stack = [iter(block)]
    while stack:
        for statement in stack[-1]:
            yield statement
            inner = [item for part in blocks_of(statement) for item in part]
            if inner:
                stack.append(iter(inner))
                break
        else:
            stack.pop()


def names_read(node: Any) -> list[str]:
    """Return the names that an expression reads, in order, with repetitions.

    >>> names_read(gast.parse("a + f(b)[a]").body[0].value)
    ['a', 'f', 'b', 'a']
    """
    found: list[str] = []
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, gast.Name):
            if isinstance(item.ctx, gast.Load):
                found.append(item.id)
        elif isinstance(item, gast.AST):
            children = [getattr(item, name, None) for name in item._fields]
            stack.extend(reversed([child for child in children if child is not None]))
        elif isinstance(item, list):
            stack.extend(reversed(item))
    return found


def names_bound(target: Any) -> list[str]:
    """Return the names that an assignment target binds (not those it writes into).

    >>> names_bound(gast.parse("a, (b, c[0]) = x").body[0].targets[0])
    ['a', 'b']
    """
    if isinstance(target, gast.Name):
        return [target.id]
    if isinstance(target, (gast.Tuple, gast.List)):
        return [name for item in target.elts for name in names_bound(item)]
    if isinstance(target, gast.Starred):
        return names_bound(target.value)
    return []


def root_name(node: Any) -> str | None:
    """Return the variable at the root of ``x[i].a[j]``, or None.

    >>> root_name(gast.parse("x[1:].T[0]").body[0].value)
    'x'
    """
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None
