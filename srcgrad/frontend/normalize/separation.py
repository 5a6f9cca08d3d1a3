"""Gives what a variable is by turns names of their own: a list or not, what varies or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from itertools import repeat
from typing import Any

from srcgrad.frontend.normalize.writes import is_list
from srcgrad.frontend.webs import Webs, named_in_functions
from srcgrad.ir import gast
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import own_nodes, statements


def lists_apart(body: list[Any], namer: Namer) -> set[str]:
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


def constants_apart(
    body: list[Any], namer: Namer, parameters: Collection[str], varies: Callable[[Any], bool]
) -> set[str]:
    """Give a variable another name where it holds what passes no derivative on, in place.

    So ``x = x.astype(bool)``, where `x` is a parameter, is written as ``x_2 = x.astype(bool)``, and
    what follows reads the new name, so that no more is said of it than of a mask. `varies` says
    whether an expression may carry a derivative, whatever names hold. Return the new names.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("y = x * x; x = x > 0.5; z = label(x); x = y")
    >>> constants_apart(body, Namer("xyz"), "x", lambda value: not isinstance(value, gast.Compare))
    {'x_2'}
    >>> print(text(body))
    y = x * x
    x_2 = x > 0.5
    z = label(x_2)
    x = y
    """
    values = _values(body)
    settled = {
        name: {key for key, value in found.items() if _computes(value) and not varies(value)}
        for name, found in values.items()
    }
    mixed = [
        n for n, keys in settled.items() if keys and (n in parameters or values[n].keys() > keys)
    ]
    elsewhere = named_in_functions(body) if mixed else set()
    made: set[str] = set()
    for name in sorted(set(mixed) - elsewhere):
        for group in Webs(body, name).groups()[1:]:
            bound = {id(node) for node in group if not isinstance(node.ctx, gast.Load)}
            if bound and bound <= settled[name] and len(group) > len(bound):
                fresh = namer.version(name)
                made.add(fresh)
                for node in group:
                    node.id = fresh
    return made


def _computes(value: Any) -> bool:
    return isinstance(value, (gast.Call, gast.Compare, gast.BinOp, gast.UnaryOp))


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
