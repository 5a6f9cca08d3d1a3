"""Writes functions whose results are kept by a decorator as functions that keep them themselves."""

from __future__ import annotations

from types import CellType, FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.making import definition, make_function
from srcgrad.frontend.expand.scoping import free_names, parameters
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.source import find_source
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, subscript, tuple_of
from srcgrad.ir.jumps import falls_through
from srcgrad.ir.walk import blocks_of, root_name, statements, walk
from srcgrad.primitives.methods import WRITING

_INNER: Final = (
    *(gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda),
    *(gast.Yield, gast.YieldFrom, gast.Global, gast.Nonlocal),
)


def with_memo(tree: Any) -> tuple[Any, str] | None:
    r"""Return a function that looks its results up in a dict, and the parameter of that.

    The dict is its last parameter, which its calls of itself hand on. What they all hand on as it
    is does not belong to the key. None if it may end without a result, or binds its arguments anew.

    >>> from srcgrad.compiler.doctesting import text
    >>> tree = gast.parse("def f(n, x): return f(n - 1, x) + f(n - 2, x) if n > 2 else x").body[0]
    >>> print(text([with_memo(tree)[0]]))
    def f(n, x, known):
        if n in known:
            return known[n]
        known[n] = f(n - 1, x, known=known) + f(n - 2, x, known=known) if n > 2 else x
        return known[n]
    """
    names = parameters(tree.args)
    nodes = [node for line in tree.body for node in walk(line)]
    plain = not (tree.args.vararg or tree.args.kwarg or tree.args.defaults or tree.args.kwonlyargs)
    stored = (n for n in nodes if isinstance(n, gast.Name))
    bound = {n.id for n in stored if not isinstance(n.ctx, gast.Load)}
    inner = any(isinstance(node, _INNER) for node in nodes)
    returns = [item for item in statements(tree.body) if isinstance(item, gast.Return)]
    valued = all(item.value is not None for item in returns) and not falls_through(tree.body)
    if inner or not plain or not valued or not bound.isdisjoint(names):
        return None
    known = _fresh("known", {n.id for n in nodes if isinstance(n, gast.Name)} | {*names})
    body = clone(tree.body)
    calls = [c for line in body for c in walk(line) if _calls(c, tree.name)]
    if any(len(call.args) != len(names) or call.keywords for call in calls):
        return None
    key = _key([n for i, n in enumerate(names) if not _is_handed_on(n, i, calls)] or names)
    for call in calls:
        call.keywords = [gast.keyword(known, load(known))]
    _keep(body, known, key)
    found = subscript(load(known), clone(key))
    test = gast.Compare(clone(key), [gast.In()], [load(known)])
    lead = at(gast.If(test, [at(gast.Return(found), tree)], []), tree)
    return definition(tree.name, [*names, known], [lead, *body], tree), known


def _calls(node: Any, name: str) -> bool:
    return isinstance(node, gast.Call) and getattr(node.func, "id", "") == name


def _is_handed_on(name: str, place: int, calls: list[Any]) -> bool:
    return all(getattr(call.args[place], "id", "") == name for call in calls)


def _key(names: list[str]) -> Any:
    return load(names[0]) if len(names) == 1 else tuple_of([load(name) for name in names])


def _keep(block: list[Any], known: str, key: Any) -> None:
    """Put what a block returns under its key first."""
    for place in reversed(range(len(block))):
        statement = block[place]
        for inner in blocks_of(statement):
            _keep(inner, known, key)
        if isinstance(statement, gast.Return):
            target = subscript(load(known), clone(key), storing=True)
            kept = assign(target, statement.value, statement)
            found = at(gast.Return(subscript(load(known), clone(key))), statement)
            block[place : place + 1] = [kept, found]


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _remembering(function: FunctionType) -> FunctionType | None:
    source = find_source(function)
    found = with_memo(source.tree)
    if found is None:
        return None
    home = Home.of(function)
    itself = CellType()
    home.cells = {**home.cells, function.__name__: itself}
    made = make_function(found[0], home, source, source.temporaries)
    itself.cell_contents = made
    return made


remembering: Final = PerFunction(_remembering)
"""The function that keeps its results itself, for one that `functools.lru_cache` decorates."""


def changing_around(tree: Any, outer: Any) -> str | None:
    r"""Return a name around a cached function that changes once it is defined, or by its calls.

    What the cache keeps of before then differs from what the function would compute.

    >>> (outer,) = gast.parse("def f(x):\n  k = 1\n  def g(n): return x[n] * k\n  k = 2").body
    >>> changing_around(outer.body[1], outer)
    'k'
    """
    around = set(free_names(tree))
    for node in walk(outer):
        place = _changed(node)
        name = None if place is None else root_name(place)
        if name in around and node.lineno >= tree.lineno:
            return name
    return None


def _changed(node: Any) -> Any:
    """Return the place that a node binds, stores into, or changes by a method; None of others."""
    places = isinstance(node, (gast.Name, gast.Subscript, gast.Attribute))
    if places and not isinstance(node.ctx, (gast.Load, gast.Param)):
        return node
    func: Any = getattr(node, "func", None)
    changes = isinstance(func, gast.Attribute) and func.attr in WRITING
    return func.value if changes else None
