"""Gives names that are bound to new memory other names from there on.

After ``p = p.copy()`` what is written into `p` is not the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone, load
from srcgrad.ir.walk import blocks_of, found_in, own_nodes, root_name, statements


def named_apart(
    tree: Any, parameters: Sequence[str], makes_new: Callable[[Any], bool]
) -> list[Any]:
    r"""Return the body of a function, with other names for what is bound anew to new memory.

    So it is with parameters, and with variables that are written into. `makes_new` says whether the
    result of a call is new memory.

    >>> text = "def f(p, q): p = copy(p); q[0] = 1.0; a = q; a = copy(a); a /= p"
    >>> tree = gast.parse(text).body[0]
    >>> body = named_apart(tree, ["p", "q"], lambda call: True)
    >>> [name.id for name in found_in(body[-1], gast.Name)]
    ['a (anew)', 'p (anew)']
    >>> [name.id for name in found_in(body[1], gast.Name)]
    ['q']
    >>> tree = gast.parse("def f(p, c):\n  if c: p = copy(p); p *= 2; return p\n  p += 1").body[0]
    >>> body = named_apart(tree, ["p", "c"], lambda call: True)
    >>> [name.id for name in found_in(body[0].body[2], gast.Name)]
    ['p (anew)']
    >>> [name.id for name in found_in(body[1], gast.Name)]
    ['p']
    """
    body: list[Any] = tree.body
    wanted = {*parameters, *_written(body)} - _of_others(tree)
    if wanted.isdisjoint(_bound(item, makes_new) for item in statements(body)):
        return body
    body = clone(body)
    _Apart(wanted, makes_new).block(body, set(parameters), {}, inner=False)
    return body


class _Apart:
    """Gives other names, in place, to what is bound anew."""

    def __init__(self, wanted: set[str], makes_new: Callable[[Any], bool]) -> None:
        self._wanted = wanted
        self._makes_new = makes_new

    def block(
        self, block: list[Any], known: set[str], names: dict[str, str], *, inner: bool
    ) -> None:
        """Rename in a block; `known` are the names bound before, `names` what they are called now.

        After an inner block, which may not run, a name means what it meant before or this.
        """
        done: list[Any] = []
        for statement in block:
            parts = [item for item in own_nodes(statement) if isinstance(item, gast.Name)]
            name = _bound(statement, self._makes_new)
            target = statement.targets[0] if name in known & self._wanted else None
            bound = {item.id for item in parts if not isinstance(item.ctx, gast.Load)}
            for item in parts:
                if item is not target:
                    item.id = names.get(item.id, item.id)
            done.append(statement)
            if target is not None:
                before = names.get(name, name)
                names[name] = target.id = f"{before} (anew)"
                if inner:
                    done.append(assign(before, load(target.id), statement))
            known |= bound
            for part in blocks_of(statement):
                self.block(part, known, dict(names), inner=True)
        block[:] = done


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


def targets_of(node: Any) -> list[Any]:
    """Return what a node binds or writes: a statement, a comprehension, an item of a ``with``."""
    if isinstance(node, gast.withitem):
        return [node.optional_vars] if node.optional_vars is not None else []
    if isinstance(node, (gast.For, gast.comprehension, gast.AnnAssign, gast.NamedExpr)):
        return [node.target]
    return list(node.targets) if isinstance(node, (gast.Assign, gast.Delete)) else []
