"""Says which names of a definition are its own and which are free, nested definitions included."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import INNER, found_in, names_bound, nodes_in, walk

_SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)
_SCOPED = frozenset(_SCOPES)
_BINDERS = frozenset(
    (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Import, gast.ImportFrom)
).union((gast.ExceptHandler, gast.MatchAs, gast.MatchStar))
_NAMING = gast.Name, gast.FunctionDef, gast.ClassDef, gast.Global, gast.Nonlocal
_PASSING = gast.Starred, gast.keyword, gast.Attribute, gast.Subscript
_LINKING = (
    *(gast.FunctionDef, gast.Lambda, gast.withitem, gast.Call, gast.For, gast.comprehension),
    *(gast.Assign, gast.AugAssign, gast.AnnAssign, gast.NamedExpr),
)
_LINKS = frozenset(_LINKING)
_TELLING = tuple(dict.fromkeys([*_NAMING, *_PASSING, *_LINKING]))
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def parameters(arguments: Any) -> list[str]:
    """Return the names of all parameters, starred ones last."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    return [item.id for item in [*named, *starred]]


Links = list[tuple[set[str], set[str]]]


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a function definition, as the functions of this module find them.

    Attributes:
        own: The names that it binds.
        assigned: Those of them that it does not import.
        every: Every name, whatever its scope.
        starred: The names that are passed on with stars.
        rewritten: Those whose elements or attributes are written.
        once: The names that are bound once, outside of loops.
        links: What lets depend on what.
        inner: The parameters of nested functions.
    """

    own: set[str]
    assigned: set[str]
    every: set[str]
    starred: set[str]
    rewritten: set[str]
    once: set[str]
    links: Links
    inner: set[str]

    @classmethod
    def of(cls, tree: Any) -> Names:
        """Find the names of a definition."""
        nodes = _own_nodes(tree)
        own = _own_among(nodes, tree)
        assigned = own - _imported(tree)
        every = found_in(tree, *_TELLING)
        names = (
            assigned,
            _names_among(every),
            *_starred_among(every),
            _once_among(nodes, tree),
        )
        return cls(own, *names, *_dependences(tree, every))


def nonlocals(tree: Any) -> set[str]:
    """Return the names that a function declares to be somebody else's."""
    return _declared(_own_nodes(tree))


def _declared(nodes: Iterable[Any]) -> set[str]:
    """Return the names that `global` and `nonlocal` name among the nodes of a function."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            found.update(node.names)
    return found


def assigned_names(tree: Any) -> set[str]:
    r"""Return the names that a function binds, but for what it imports.

    >>> tree = gast.parse("def f(a):\n    from math import pi\n    b = a * pi").body[0]
    >>> sorted(assigned_names(tree))
    ['a', 'b']
    """
    return own_names(tree) - _imported(tree)


def _imported(tree: Any) -> set[str]:
    """Return the names that a function imports."""
    items = [item for node in found_in(tree, gast.Import, gast.ImportFrom) for item in node.names]
    return {(item.asname or item.name).partition(".")[0] for item in items}


def binds_imported(tree: Any) -> bool:
    r"""Say whether loops of a function import names that it also binds otherwise.

    >>> tree = gast.parse("def f(a):\n    for i in a:\n        import math as i").body[0]
    >>> binds_imported(tree)
    True
    """
    names = _imported(tree)
    loops = [item for item in found_in(tree, gast.For, gast.While) if _imported(item)]
    return bool(loops) and any(
        isinstance(item, gast.Name) and item.id in names and not isinstance(item.ctx, gast.Load)
        for item in walk(tree)
    )


def own_names(tree: Any) -> set[str]:
    r"""Return the names that a function binds, its parameters and comprehensions' names included.

    >>> tree = gast.parse("def f(a):\n    b = [c for c in a]\n    return lambda d: d + e").body[0]
    >>> sorted(own_names(tree))
    ['a', 'b', 'c']
    """
    return _own_among(_own_nodes(tree), tree)


def _own_among(nodes: list[Any], tree: Any) -> set[str]:
    """Return the names that a function binds, whose own nodes these are."""
    found = set(parameters(tree.args))
    for node in nodes:
        if node.__class__ is gast.Name:
            if node.ctx.__class__ is not gast.Load:
                found.add(node.id)
        elif node.__class__ not in _BINDERS:
            continue
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, gast.ExceptHandler) and node.name:
            found.add(node.name if isinstance(node.name, str) else node.name.id)
        elif isinstance(node, (gast.MatchAs, gast.MatchStar)) and node.name:
            found.add(node.name)
    return found - _declared(nodes)


def free_names(tree: Any) -> list[str]:
    r"""Return the names that a function, or one nested in it, takes from outside; in order.

    >>> tree = gast.parse("def f(a):\n    return (lambda d: d + e + a)(g)").body[0]
    >>> free_names(tree)
    ['e', 'g']
    """
    own = own_names(tree)
    found: dict[str, None] = {}
    for node in _own_nodes(tree):
        if isinstance(node, gast.Name) and node.id not in own:
            found[node.id] = None
        elif isinstance(node, _SCOPES) and node is not tree:
            inner = [] if isinstance(node, gast.ClassDef) else free_names(node)
            found.update(dict.fromkeys(name for name in inner if name not in own))
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            found.update(dict.fromkeys(node.names))
    return list(found)


def reached(links: Links, seeds: Iterable[str], inner: Iterable[str] = ()) -> set[str]:
    r"""Return the names that links let depend on some, those in nested functions included.

    >>> tree = gast.parse("def f(a, b):\n    c = a + 1\n    d = b\n    e = [c]").body[0]
    >>> sorted(reached(Names.of(tree).links, ["a"]))
    ['a', 'c', 'e']
    """
    found = {*seeds, *inner}
    size = -1
    while size != len(found):
        size = len(found)
        for targets, sources in links:
            if not found.isdisjoint(sources):
                found |= targets
    return found


def spread(tree: Any, seeds: set[str]) -> set[str]:
    """Return the names of a definition that may depend on some, as `reached` does."""
    links, inner = _dependences(tree, found_in(tree, *_LINKING))
    return reached(links, seeds, inner)


def _dependences(tree: Any, nodes: list[Any]) -> tuple[Links, set[str]]:
    """Return what in a function lets depend on what, and the parameters of nested functions."""
    inner: set[str] = set()
    links: list[tuple[set[str], set[str]]] = []
    for node in nodes:
        if node.__class__ not in _LINKS:
            continue
        if isinstance(node, (gast.FunctionDef, gast.Lambda)) and node is not tree:
            inner.update(parameters(node.args))
            if isinstance(node, gast.FunctionDef):
                links.append(({node.name}, set(free_names(node))))
        else:
            links.extend(_links(node))
    return links, inner


def _links(node: Any) -> Links:
    """Return what one node lets depend on what."""
    if isinstance(node, gast.withitem):
        pairs = [(node.optional_vars, node.context_expr)]
    elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        pairs = [(node.func.value, item) for item in node.args]  # as of `items.append(x)`
    elif isinstance(node, (gast.For, gast.comprehension)):
        pairs = [(node.target, node.iter)]
    elif (value := getattr(node, "value", None)) is None:
        return []
    else:
        targets = list(getattr(node, "targets", None) or [getattr(node, "target", None)])
        pairs = [(target, value) for target in targets]
    return [(_mentioned(a), _mentioned(b)) for a, b in pairs if a is not None and b is not None]


def bound_once(tree: Any) -> set[str]:
    """Return the names that a function binds once, outside of loops: they mean one value."""
    return _once_among(_own_nodes(tree), tree)


def _once_among(nodes: list[Any], tree: Any) -> set[str]:
    """Return the names that a function binds once, whose own nodes these are."""
    counts: Counter[str] = Counter(parameters(tree.args))
    for node in nodes:
        if node.__class__ is gast.Name:
            if node.ctx.__class__ is not gast.Load:
                counts[node.id] += 1
        elif isinstance(node, (gast.For, gast.While)):
            inner = found_in(node, gast.Name)
            counts.update(item.id for item in inner if not isinstance(item.ctx, gast.Load))
        elif isinstance(node, gast.FunctionDef):
            counts.update(
                name
                for item in walk(node)
                for name in getattr(item, "names", [])
                if isinstance(name, str)
            )
    return {name for name, count in counts.items() if count == 1}


def starred_names(tree: Any) -> tuple[set[str], set[str]]:
    """Return the names that are passed on with stars, and those whose elements are written."""
    return _starred_among(found_in(tree, *_PASSING))


def _starred_among(nodes: list[Any]) -> tuple[set[str], set[str]]:
    starred: set[str] = set()
    written: set[str] = set()
    for node in nodes:
        value = node.value if node.__class__ in _PASSING else None
        if not isinstance(value, gast.Name):
            continue
        if isinstance(node, gast.Starred) or (isinstance(node, gast.keyword) and node.arg is None):
            starred.add(value.id)
        elif isinstance(node, gast.Attribute) or (
            isinstance(node, gast.Subscript) and not isinstance(node.ctx, gast.Load)
        ):
            written.add(value.id)
    return starred, written


def calls_variables(tree: Any) -> bool:
    r"""Say whether a function calls what is in its variables, as ``dtype(a)`` does.

    >>> tree = gast.parse("def f(a, dtype=None):\n    return (dtype or float)(a)").body[0]
    >>> calls_variables(tree)
    False
    >>> calls_variables(gast.parse("def f(a, dtype):\n    return dtype(a)").body[0])
    True
    """
    bound = {
        node.id
        for node in walk(tree)
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)
    }
    return any(
        isinstance(node, gast.Call) and getattr(node.func, "id", None) in bound
        for node in walk(tree)
    )


def _mentioned(node: Any) -> set[str]:
    return {item.id for item in found_in(node, gast.Name)}


def all_names(tree: Any) -> set[str]:
    """Return every name in a tree, whatever its scope."""
    return _names_among(found_in(tree, *_NAMING))


def _names_among(nodes: list[Any]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if node.__class__ is gast.Name:
            found.add(node.id)
        elif isinstance(node, (gast.FunctionDef, gast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            found.update(node.names)
    return found


def _own_nodes(tree: Any) -> list[Any]:
    """Return the nodes of a function's body; of nested functions only their defaults."""
    found: list[Any] = []
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    stack = list(reversed(body))
    while stack:
        node = stack.pop()
        found.append(node)
        kind = node.__class__
        if kind in _SCOPED:
            stack.extend(reversed(_outside(node)))
        elif kind is not gast.Name and INNER[kind]:  # names and literals hold none
            stack += nodes_in(node)[::-1]
    return found


def _outside(node: Any) -> list[Any]:
    """Return the parts of a nested definition that are evaluated where it stands."""
    if isinstance(node, gast.ClassDef):
        return [*node.decorator_list, *node.bases]
    defaults = [item for item in [*node.args.defaults, *node.args.kw_defaults] if item is not None]
    return [*getattr(node, "decorator_list", []), *defaults]


def renamed(tree: Any, names: Mapping[str, str]) -> Any:
    r"""Return a copy of a function in which its own and free names have other names.

    >>> from srcgrad.compiler.doctesting import text
    >>> tree = gast.parse("def f(a):\n    return a + (lambda a: a * b)(2)").body[0]
    >>> print(text([renamed(tree, {"a": "c", "b": "d"})]))
    def f(c):
        return c + (lambda a: a * d)(2)
    """
    tree = clone(tree)
    _rename(tree, dict(names))
    return tree


def renamed_in(expression: Any, names: Mapping[str, str]) -> Any:
    """Return a copy of an expression in which names of the function around it are others.

    >>> from srcgrad.compiler.doctesting import text
    >>> made = renamed_in(gast.parse("lambda y, k=k: y * k * n").body[0].value, {"k": "k_2"})
    >>> print(text([gast.Expr(made)]))
    lambda y, k=k_2: y * k * n
    """
    args = gast.arguments([], [], None, [], [], None, [])
    whole = gast.FunctionDef("function", args, [gast.Return(clone(expression))], [], None, None, [])
    _rename(whole, dict(names))
    return whole.body[0].value


def without_collisions(
    source: FunctionSource, taken: Iterable[str]
) -> tuple[FunctionSource, dict[str, str]]:
    """Return a function whose parameters have none of the names `taken`, and their new names.

    Nor have its variables those of `taken` that passes write before variables get their versions:
    a call of the builtin `range` is one of the user's variable there, if that is called so, too.
    Those of a comprehension are among them: it becomes a loop of the function.
    """
    given = set(parameters(source.tree.args))
    names = found_in(source.tree, gast.Name)
    bound = {node.id for node in names if node.ctx.__class__ is not gast.Load}
    if not (given | bound).intersection(taken):
        return source, {}
    inner = {name for node in found_in(source.tree, *_COMPREHENSIONS) for name in _bound_by(node)}
    stored = _stored(source.tree)
    early = {name for name in stored | inner if name == "np" or hasattr(builtins, name)}
    met = (given | early).intersection(taken)
    if not met:
        return source, {}
    there = all_names(source.tree) | set(taken)
    fresh: dict[str, str] = {}
    for name in sorted(met):
        number = 2
        while f"{name}_{number}" in there:
            number += 1
        fresh[name] = f"{name}_{number}"
    leaves = tuple(
        replace(item, parameter=fresh.get(item.parameter, item.parameter)) for item in source.leaves
    )
    known = {name: new for name, new in fresh.items() if name in given}
    whole = {name: new for name, new in fresh.items() if name in given | stored}
    tree = renamed(source.tree, whole)
    return replace(source, tree=_comprehensions_renamed(tree, fresh), leaves=leaves), known


def _bound_by(comprehension: Any) -> set[str]:
    """Return the variables of a comprehension."""
    return {name for part in comprehension.generators for name in names_bound(part.target)}


def _comprehensions_renamed(tree: Any, names: Mapping[str, str]) -> Any:
    r"""Rename the variables of comprehensions, in place.

    >>> from srcgrad.compiler.doctesting import text
    >>> tree = gast.parse("def f(a):\n    return min(*[min for min in [min(a)]])").body[0]
    >>> print(text([_comprehensions_renamed(tree, {"min": "min_2"})]))
    def f(a):
        return min(*[min_2 for min_2 in [min(a)]])
    """
    for node in found_in(tree, *_COMPREHENSIONS):
        bound = _bound_by(node).intersection(names)
        first = node.generators[0].iter  # it alone is read outside of that scope
        kept = {id(item) for item in walk(first)}
        for item in walk(node):
            if isinstance(item, gast.Name) and item.id in bound and id(item) not in kept:
                item.id = names[item.id]
    return tree


def _stored(tree: Any) -> set[str]:
    r"""Return the variables that a function binds as names in statements, and in no other way.

    >>> tree = gast.parse("def f(a):\n    b = [c for c in a]\n    for d, e in a: pass").body[0]
    >>> sorted(_stored(tree))
    ['b', 'd', 'e']
    """
    nodes = _own_nodes(tree)
    targets = [node.target for node in nodes if isinstance(node, gast.comprehension)]
    inner = {id(item) for target in targets for item in walk(target)}
    names = [node for node in nodes if isinstance(node, gast.Name) and id(node) not in inner]
    found = {node.id for node in names if not isinstance(node.ctx, gast.Load)}
    captured = {getattr(node, "name", None) for node in nodes if not isinstance(node, gast.alias)}
    return found - captured - _declared(nodes)


def _rename(tree: Any, names: dict[str, str]) -> None:
    for item in walk(tree.args):
        if isinstance(item, gast.Name) and isinstance(item.ctx, gast.Param):
            item.id = names.get(item.id, item.id)
    for node in _own_nodes(tree):
        if isinstance(node, gast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [names.get(name, name) for name in node.names]
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            _rename_imported(node, names)
        elif isinstance(node, (gast.FunctionDef, gast.Lambda)) and node is not tree:
            if isinstance(node, gast.FunctionDef):
                node.name = names.get(node.name, node.name)
            inner = own_names(node)
            _rename_inner(node, {k: v for k, v in names.items() if k not in inner})


def _rename_imported(statement: Any, names: dict[str, str]) -> None:
    for alias in statement.names:
        bound = alias.asname or alias.name
        if names.get(bound, bound) != bound:
            alias.asname = names[bound]


def _rename_inner(node: Any, names: dict[str, str]) -> None:
    """Rename what a nested function takes from outside, and nothing that is its own."""
    for item in _own_nodes(node):
        if isinstance(item, gast.Name):
            item.id = names.get(item.id, item.id)
        elif isinstance(item, (gast.Global, gast.Nonlocal)):
            item.names = [names.get(name, name) for name in item.names]
        elif isinstance(item, (gast.FunctionDef, gast.Lambda)):
            inner = own_names(item)
            _rename_inner(item, {k: v for k, v in names.items() if k not in inner})


def in_users_words(names: Iterable[str], renamed: dict[str, str]) -> frozenset[str]:
    """Return the names that the user has for those of a text, given what was renamed."""
    back = {new: old for old, new in renamed.items()}
    return frozenset(back.get(name, name) for name in names)
