"""Knows the loops over names by which attributes are asked for, as ``getattr(np, name)``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.expand.deciding import said_names
from srcgrad.ir import gast
from srcgrad.ir.walk import names_bound, names_read, walk


def names_attributes(loop: Any, *parts: Any) -> bool:
    r"""Say whether attributes are asked for by the names that a loop or comprehension runs over.

    >>> loop = gast.parse("for name in ('sin', 'cos'):\n    y += getattr(np, name)(x)").body[0]
    >>> names_attributes(loop)
    True
    """
    own = set(names_bound(loop.target))
    nodes = [node for part in (parts or loop.body) for node in walk(part)]
    return any(not own.isdisjoint(names_read(name)) for node in nodes for name in said_names(node))


def is_own(target: Any, loop: Any, tree: Any) -> bool:
    """Say whether a variable of a loop is read in the loop alone, and bound by it alone."""
    if not isinstance(target, gast.Name):
        return False
    inside, around = (list(_named(part, target.id)) for part in (loop, tree))
    bound = [item for item in inside if not isinstance(item.ctx, gast.Load)]
    return len(inside) == len(around) and len(bound) == 1


def _named(node: Any, name: str) -> Iterator[Any]:
    """Yield the places of a variable, without those of comprehensions that have their own."""
    own = [names_bound(part.target) for part in getattr(node, "generators", ())]
    if any(name in names for names in own):
        return
    if getattr(node, "id", "") == name:
        yield node
    for part in gast.iter_child_nodes(node):
        yield from _named(part, name)
