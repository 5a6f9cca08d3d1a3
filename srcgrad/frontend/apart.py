"""Gives names that are bound to new memory other names from there on.

After ``p = p.copy()`` what is written into `p` is not the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast

from srcgrad.ir.build import clone
from srcgrad.ir.walk import found_in, root_name


def named_apart(
    tree: Any, parameters: Sequence[str], makes_new: Callable[[Any], bool]
) -> list[Any]:
    """Return the body of a function, with other names for what is bound anew to new memory.

    So it is with parameters, and with variables that are written into. `makes_new` says whether the
    result of a call is new memory.

    >>> text = "def f(p, q): p = copy(p); q[0] = 1.0; a = q; a = copy(a); a /= p"
    >>> tree = gast.parse(text).body[0]
    >>> body = named_apart(tree, ["p", "q"], lambda call: True)
    >>> [name.id for name in found_in(body[-1], gast.Name)]
    ['a (anew)', 'p (anew)']
    >>> [name.id for name in found_in(body[1], gast.Name)]
    ['q']
    """
    body: list[Any] = tree.body
    wanted = {*parameters, *_written(body)} - _of_others(tree)
    fresh = [_bound(statement, makes_new) for statement in body]
    if wanted.isdisjoint(fresh):
        return body
    body, known, names = clone(body), set(parameters), dict[str, str]()
    for statement, name in zip(body, fresh, strict=True):
        parts = found_in(statement, gast.Name)
        again = name in known and name in wanted
        target = statement.targets[0] if again else None
        bound = {item.id for item in parts if not isinstance(item.ctx, gast.Load)}
        for item in parts:
            if item is not target:
                item.id = names.get(item.id, item.id)
        if target is not None:
            names[name] = target.id = f"{names.get(name, name)} (anew)"
        known |= bound
    return body


def _bound(statement: Any, makes_new: Callable[[Any], bool]) -> str:
    """Return the name that a statement binds to new memory; empty if it does nothing like it."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return ""
    target, value = statement.targets[0], statement.value
    made = isinstance(target, gast.Name) and isinstance(value, gast.Call) and makes_new(value)
    return str(target.id) if made else ""


def _written(body: list[Any]) -> Iterator[str]:
    """Yield the names that are updated, and those that something is stored into."""
    for statement in body:
        for node in found_in(statement, gast.AugAssign, gast.Subscript, gast.Attribute):
            place = node.target if isinstance(node, gast.AugAssign) else node
            name = None if isinstance(place.ctx, gast.Load) else root_name(place)
            if name is not None:
                yield name


def _of_others(tree: Any) -> set[str]:
    """Return the names that functions inside bind, that are the module's, or that cases bind."""
    found = {name for node in found_in(tree, gast.Global, gast.Nonlocal) for name in node.names}
    return found.union(*map(names_captured, found_in(tree, gast.Match)))


def names_captured(match: Any) -> set[str]:
    r"""Return the names that the cases of a ``match`` bind.

    >>> match = gast.parse("match x:\n    case [a, *b] | {'c': a, **b}: pass").body[0]
    >>> sorted(names_captured(match))
    ['a', 'b']
    """
    found = {getattr(item, "name", None) for item in found_in(match, gast.MatchAs, gast.MatchStar)}
    found |= {item.rest for item in found_in(match, gast.MatchMapping)}
    return {name for name in found if name}
