"""Writes generators as functions that return the lists of their values."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.expand.scoping import all_names, free_names, own_names, parameters
from srcgrad.frontend.expand.yielding import returns_at_end
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, method, store
from srcgrad.ir.walk import blocks_of, found_in, names_bound, statements, walk

_UNCLEAR: Final = (
    *(gast.Delete, gast.Global, gast.Nonlocal, gast.NamedExpr, gast.Lambda, gast.FunctionDef),
    *(gast.AsyncFunctionDef, gast.ClassDef, gast.With, gast.Try, gast.Import, gast.ImportFrom),
    *(gast.Await, gast.GeneratorExp, gast.Match),
)
_NEW: Final = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant)


def list_maker(tree: Any) -> Any:
    '''Return a generator as a function that returns the list of its values; None if it may differ.

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
    if not _yields_plainly(tree):
        return None
    name, number, taken = "items", 2, all_names(tree)
    while name in taken or f"{name}_item" in taken:
        name, number = f"items_{number}", number + 1
    made = clone(tree)
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


def calls_itself(tree: Any) -> bool:
    """Say whether a generator yields what a call of itself does."""
    return any(_is_of(node, tree.name) for node in found_in(tree, gast.YieldFrom))


def _is_of(node: Any, name: str) -> bool:
    """Say whether a node is ``yield from name(...)``."""
    call = node.value
    return isinstance(call, gast.Call) and getattr(call.func, "id", "") == name


def _yields_plainly(tree: Any) -> bool:
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
    if updated and not all(isinstance(item.value, _NEW) for item in yields):
        return False  # it may be the array itself that is updated later
    made = [node for node in nodes if isinstance(node, gast.Assign)]
    new = {t.id for s in made if isinstance(s.value, _NEW) for t in s.targets if _is_name(t)}
    other = [s.targets for s in made if not isinstance(s.value, _NEW)]
    other += [[node.target] for node in nodes if isinstance(node, gast.For)]
    others = {name for targets in other for target in targets for name in names_bound(target)}
    outside = {*parameters(tree.args), *free_names(tree)}
    return updated <= new - others - outside and updated <= own_names(tree)


def stores(node: Any) -> bool:
    """Say whether a node is a part, or an attribute, of something that is stored into."""
    places = isinstance(node, (gast.Subscript, gast.Attribute))
    return places and not isinstance(node.ctx, gast.Load)


def _is_name(target: Any) -> bool:
    return isinstance(target, gast.Name)
