"""Writes generators as functions that return the lists of their values."""

from __future__ import annotations

import inspect
from typing import Any, Final, Literal

from srcgrad.frontend.expand.scoping import all_names, free_names, own_names, parameters
from srcgrad.frontend.expand.values import Code
from srcgrad.frontend.expand.yielding import returns_at_end
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, method, store
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, statements, walk

_UNCLEAR: Final = (
    *(gast.Delete, gast.Global, gast.Nonlocal, gast.NamedExpr, gast.Lambda, gast.FunctionDef),
    *(gast.AsyncFunctionDef, gast.ClassDef, gast.With, gast.Try, gast.Import, gast.ImportFrom),
    *(gast.Await, gast.GeneratorExp, gast.Match),
)
NEW: Final = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant)
Taken = Literal["all", "each", ""]
"""How values are taken: first all of them, each before the next is made, or what nobody knows."""


def list_maker(tree: Any, taken: Taken = "") -> Any:
    '''Return a generator as a function that returns the list of its values; None if it may differ.

    What it has yielded it may update in place, if that is an array. Who takes all values first gets
    the same array again, and so does a list; who is done with each before the next one sees it as
    it was, so it must be another one.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (tree,) = parse("""
    ... def halves(x):
    ...     for v in x:
    ...         yield v * 0.5
    ...         if v > 1.0:
    ...             return
    ... """)
    >>> print(text([list_maker(tree)]))
    def halves(x):
        items = []
        for v in x:
            items.append(v * 0.5)
            if v > 1.0:
                break
        return items
    '''
    if not _yields_plainly(tree, taken):
        return None
    name, number, known = "items", 2, all_names(tree)
    while name in known or f"{name}_item" in known:
        name, number = f"items_{number}", number + 1
    made = clone(tree)
    if taken == "each":
        _bind_anew(made.body)
    _go_on_in_else(made.body)
    if not returns_at_end(made.body):
        return None
    _collect(made.body, name)
    first = at(gast.Assign([store(name)], gast.List([], gast.Load()), None), tree)
    last = at(gast.Return(load(name)), tree)
    made.body = [first, *made.body, last]
    return made


def _go_on_in_else(body: list[Any]) -> None:
    """Put what follows a branch that returns at its end into the other branch."""
    for place, statement in enumerate(body):
        ends = isinstance(statement, gast.If) and isinstance(statement.body[-1], gast.Return)
        if ends and not statement.orelse and body[place + 1 :]:
            statement.orelse = body[place + 1 :]
            del body[place + 1 :]
            _go_on_in_else(statement.orelse)
            return


def _collect(block: list[Any], items: str) -> None:
    """Let a block put what it yields into a list, and what the generator itself yields for it."""
    for place, statement in enumerate(block):
        for inner in blocks_of(statement):
            _collect(inner, items)
        value = getattr(statement, "value", None) if isinstance(statement, gast.Expr) else None
        if isinstance(value, gast.Yield):
            item = gast.Constant(None, None) if value.value is None else value.value
            statement.value = at(method(load(items), "append", item), value)
        elif isinstance(value, gast.YieldFrom):
            put = at(gast.Expr(method(load(items), "append", load(f"{items}_item"))), statement)
            loop = gast.For(store(f"{items}_item"), value.value, [put], [], None)
            block[place] = at(loop, statement)


def _bind_anew(block: list[Any]) -> None:
    """Write updates of variables as what binds them anew."""
    for place, statement in enumerate(block):
        for inner in blocks_of(statement):
            _bind_anew(inner)
        if isinstance(statement, gast.AugAssign):
            value = gast.BinOp(load(statement.target.id), statement.op, statement.value)
            bound = gast.Assign([statement.target], at(value, statement), None)
            block[place] = at(bound, statement)


def calls_itself(tree: Any) -> bool:
    """Say whether a generator yields what a call of itself does."""
    return any(_is_of(node, tree.name) for node in found_in(tree, gast.YieldFrom))


def ends_by_itself(code: Code, owner: Any) -> bool:
    """Say whether a generator ends: all its loops run over ranges, displays and known containers.

    Those may be kept outside, or by the class `owner` of which it is a method.
    """
    scope = scope_of(code.source.function, code.tree)
    receiver = next(iter(parameters(code.tree.args)), "")

    def is_short(items: Any) -> bool:
        if isinstance(items, (gast.Tuple, gast.List)):
            return True
        if isinstance(items, gast.Call):
            return getattr(items.func, "id", "") == "range"
        if not isinstance(items, (gast.Name, gast.Attribute)):
            return False
        if getattr(getattr(items, "value", None), "id", "-") != receiver:
            held = scope.resolve(items)
        else:
            held = inspect.getattr_static(owner, items.attr, None) if owner else None
        return type(held) in (tuple, list, str, dict)

    nodes = [node for statement in code.tree.body for node in walk(statement)]
    loops = [node.iter for node in nodes if isinstance(node, (gast.For, gast.comprehension))]
    other = any(isinstance(node, (gast.While, gast.YieldFrom)) for node in nodes)
    return not other and all(map(is_short, loops))


def _is_of(node: Any, name: str) -> bool:
    """Say whether a node is ``yield from name(...)``."""
    call = node.value
    return isinstance(call, gast.Call) and getattr(call.func, "id", "") == name


def _yields_plainly(tree: Any, taken: Taken) -> bool:
    """Say whether a definition is a generator that changes nothing but its own variables."""
    nodes = [node for statement in tree.body for node in walk(statement)]
    yields = [node for node in nodes if isinstance(node, gast.Yield)]
    plain = [s.value for s in statements(tree.body) if isinstance(s, gast.Expr)]
    if not yields or any(all(item is not value for value in plain) for item in yields):
        return False
    handed_on = [node for node in nodes if isinstance(node, gast.YieldFrom)]
    if not all(_is_of(node, tree.name) and any(node is v for v in plain) for node in handed_on):
        return False
    if any(isinstance(node, _UNCLEAR) or stores(node) for node in nodes):
        return False
    updated = {node.target.id for node in nodes if isinstance(node, gast.AugAssign)}
    if updated and not taken and not all(isinstance(item.value, NEW) for item in yields):
        return False  # it may be the array itself that is updated later
    made = [node for node in nodes if isinstance(node, gast.Assign)]
    new = {t.id for s in made if isinstance(s.value, NEW) for t in s.targets if _is_name(t)}
    other = [s.targets for s in made if not isinstance(s.value, NEW)]
    other += [[node.target] for node in nodes if isinstance(node, gast.For)]
    others = {name for targets in other for target in targets for name in names_bound(target)}
    if taken == "each":  # nothing else may know what is updated: it is bound anew
        others |= {name for s in made if not isinstance(s.value, NEW) for name in names_read(s)}
        others |= {name for s in nodes if isinstance(s, gast.For) for name in names_read(s.iter)}
    outside = {*parameters(tree.args), *free_names(tree)}
    return updated <= new - others - outside and updated <= own_names(tree)


def stores(node: Any) -> bool:
    """Say whether a node is a part, or an attribute, of something that is stored into."""
    places = isinstance(node, (gast.Subscript, gast.Attribute))
    return places and not isinstance(node.ctx, gast.Load)


def _is_name(target: Any) -> bool:
    return isinstance(target, gast.Name)
