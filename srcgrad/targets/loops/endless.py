"""Finds values that would hold themselves, in tuples: for their types Numba looks for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.edges import followed
from srcgrad.ir.walk import found_in, statements
from srcgrad.targets.loops.exposed import stored_in
from srcgrad.targets.loops.kinds import Kinds


def endless(functions: Mapping[str, Any], kinds: Kinds) -> list[tuple[str, int]]:
    """Return what holds itself as deep as loops or calls go, with its line."""
    found = []
    if kinds.endless is not None:
        name, own = kinds.endless
        found.append((own or name, _line_of(functions[name], own)))
    for function in functions.values():
        found += [(name, _line_of(function, name)) for name in _grown(function)]
    return [(f"`{name}`, which holds what it was before in a tuple", line) for name, line in found]


def _line_of(function: Any, name: str) -> int:
    uses = [item for item in statements(function.body) if name in stored_in([item])]
    return getattr(uses[0] if uses else function, "lineno", None) or 0


def _grown(function: Any) -> list[str]:
    """Return the names that loops bind to tuples of what they, or names bound to them, were."""
    edges: dict[str, set[str]] = {}
    held: list[tuple[str, str]] = []
    for loop in found_in(function, gast.For, gast.While):
        for statement in found_in(loop, gast.Assign):
            target = getattr(statement.targets[0], "id", None)
            if target is None or not isinstance(statement.value, (gast.Tuple, gast.Name)):
                continue
            sources = {item.id for item in _whole(statement.value)}
            edges.setdefault(target, set()).update(sources)
            if isinstance(statement.value, gast.Tuple):
                held += [(target, source) for source in sources]
    return sorted({target for target, source in held if target in followed([source], edges)})


def _whole(node: Any) -> list[Any]:
    """Return the names in a display of tuples that stand there for all that they hold."""
    if isinstance(node, gast.Name):
        return [node]
    items = node.elts if isinstance(node, gast.Tuple) else []
    return [name for item in items for name in _whole(item)]
