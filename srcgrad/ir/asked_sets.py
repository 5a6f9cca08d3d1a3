"""Knows the sets that are asked for what is in them, and for nothing else.

Whatever is put into such a set has no derivative there: ``u in done`` is the same for numbers
that are close, but for those that are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.pairs import bound_pairs
from srcgrad.ir.program import targets_of
from srcgrad.ir.walk import found_in, names_bound, statements, walk

_PUTS: Final = frozenset("add discard remove clear".split())


def asked_sets(body: list[Any]) -> set[str]:
    r"""Return the names of sets that are changed, and asked for what is in them, and no more.

    >>> made = "s = set(); t = {1}; u = set(); u.add(1); v = u"
    >>> asked = "s.add(x)\nif x in s and len(t) > 1: t.discard(x)"
    >>> sorted(asked_sets(gast.parse(f"{made}\n{asked}").body))
    ['s', 't']
    """
    every = list(statements(body))
    found: dict[str, bool] = {}
    for statement in every:
        plain = isinstance(statement, gast.Assign)
        value = statement.value if plain else None
        pairs = [pair for target in targets_of(statement) for pair in bound_pairs(target, value)]
        for target, given in pairs:
            for name in names_bound(target):
                is_set = isinstance(target, gast.Name) and _makes_set(given)
                found[name] = found.get(name, True) and is_set
    sets = {name for name, is_set in found.items() if is_set}
    if not sets:
        return sets
    known = {id(node) for statement in body for node in _asking(statement)}
    names = (node for statement in body for node in found_in(statement, gast.Name))
    return sets - {
        node.id for node in names if isinstance(node.ctx, gast.Load) and id(node) not in known
    }


def _makes_set(value: Any) -> bool:
    made = isinstance(value, gast.Call) and getattr(value.func, "id", "") == "set"
    return isinstance(value, gast.Set) or (made and not value.args)


def _asking(statement: Any) -> Iterator[Any]:
    """Yield what names a set where it is changed by a method, or asked for what is in it."""
    for node in walk(statement):
        if isinstance(node, gast.Attribute) and node.attr in _PUTS:
            yield node.value
        elif isinstance(node, gast.Compare):
            for op, other in zip(node.ops, node.comparators, strict=True):
                if isinstance(op, (gast.In, gast.NotIn)):
                    yield other
        elif isinstance(node, gast.Call) and getattr(node.func, "id", "") == "len":
            yield from node.args
        elif isinstance(node, (gast.If, gast.While)):
            yield node.test
