"""Writes loops that bind places of arrays and lists as loops that bind names."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, load, store
from srcgrad.ir.names import free_name
from srcgrad.ir.walk import found_in, statements


def with_named_targets(tree: Any) -> Any:
    """Return a definition, changed in place, whose loops store into memory by assignments.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... for i, y[0] in enumerate(x):
    ...     total += y[0]
    ... ''')
    >>> print(text(with_named_targets(gast.Module(body, [])).body))
    for i, item in enumerate(x):
        y[0] = item
        total += y[0]
    """
    taken: set[str] = set()
    for loop in statements(tree.body):
        if isinstance(loop, gast.For) and found_in(loop.target, gast.Subscript, gast.Attribute):
            taken = taken or {item.id for item in found_in(tree, gast.Name)}
            lead: list[Any] = []
            loop.target = _named(loop.target, taken, lead, loop)
            loop.body[:0] = lead
    return tree


def _named(target: Any, taken: set[str], lead: list[Any], loop: Any) -> Any:
    """Return a target with names for its places, which `lead` stores into them, in their order."""
    if isinstance(target, (gast.Subscript, gast.Attribute)):
        name = free_name("item", taken)
        lead.append(assign(target, load(name), loop))
        return store(name)
    if isinstance(target, gast.Starred):
        target.value = _named(target.value, taken, lead, loop)
    elif isinstance(target, (gast.Tuple, gast.List)):
        target.elts = [_named(item, taken, lead, loop) for item in target.elts]
    return target
