"""Gives what a variable is by turns, a list and something else, names of their own."""

from __future__ import annotations

from collections import defaultdict
from itertools import repeat
from typing import Any

from srcgrad.frontend.normalize.writes import is_list
from srcgrad.frontend.webs import Webs, named_in_functions
from srcgrad.ir import gast
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import own_nodes, statements


def separated(body: list[Any], namer: Namer) -> set[str]:
    """Give a variable that is a list in some places, and none in others, two names, in place.

    So ``xs = np.array(xs)``, where `xs` is a list, is written as ``xs_2 = np.array(xs)``, and what
    follows reads the new name. It is done where no place may read the one or the other. Return the
    new names.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(x):
    ...     xs = [x, 2.0 * x]
    ...     xs = np.array(xs)
    ...     return np.sum(xs)
    ... ''').body))
    product = 2.0 * x
    xs = [x, product]
    xs_2 = np.array(xs)
    out = np.sum(xs_2)
    return out
    """
    bound = (item for item in statements(body) if isinstance(item, gast.Assign))
    if not any(is_list(item.value) for item in bound):
        return set()  # as in most functions
    values = _values(body)
    lists = {name for name, found in values.items() if any(map(is_list, found.values()))}
    mixed = [name for name in lists if not all(map(is_list, values[name].values()))]
    elsewhere = named_in_functions(body) if mixed else set()
    made: set[str] = set()
    for name in sorted(set(mixed) - elsewhere):
        others = _others(Webs(body, name).groups(), values[name])
        fresh = namer.fresh(name) if others else name
        for node in others:
            node.id = fresh
            made.add(fresh)
    return made


def _others(groups: list[list[Any]], values: dict[int, Any]) -> list[Any]:
    """Return the places of what is no list, if the first that is bound is a list, or the reverse.

    What may be bound before the body keeps its name.
    """
    first = next((kind for kind in map(_kind, groups, repeat(values)) if kind is not None), None)
    return [n for group in groups[1:] if _kind(group, values) is (not first) for n in group]


def _kind(group: list[Any], values: dict[int, Any]) -> bool | None:
    """Say whether what is bound in a group of places is a list; None where none is read."""
    bound = [values.get(id(node)) for node in group if not isinstance(node.ctx, gast.Load)]
    return any(map(is_list, bound)) if 0 < len(bound) < len(group) else None


def _values(body: list[Any]) -> dict[str, dict[int, Any]]:
    """Return what each name is bound to, by the places where it is; None where that is not told."""
    found: dict[str, dict[int, Any]] = defaultdict(dict)
    for statement in statements(body):
        told = isinstance(statement, gast.Assign) and len(statement.targets) == 1
        for node in own_nodes(statement):
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
                whole = told and node is statement.targets[0]
                found[node.id][id(node)] = statement.value if whole else None
    return found
