"""Writes generators that are used up where they are called as functions that return a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import gast

from srcgrad.frontend.expand.control import Control
from srcgrad.frontend.expand.scoping import all_names, free_names, own_names, parameters
from srcgrad.frontend.expand.values import Code, Known, Local
from srcgrad.frontend.looking import is_harmless
from srcgrad.ir.build import at, clone, load, method, store
from srcgrad.ir.program import header_of
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.walk import blocks_of, found_in, names_bound, statements, walk

_USERS: Final = (sum, list, tuple, max, min, sorted)
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.DictComp)
_UNCLEAR: Final = (
    *(gast.Delete, gast.Global, gast.Nonlocal, gast.NamedExpr, gast.Lambda, gast.FunctionDef),
    *(gast.AsyncFunctionDef, gast.ClassDef, gast.With, gast.Try, gast.Import, gast.ImportFrom),
    *(gast.YieldFrom, gast.Await, gast.GeneratorExp, gast.Match),
)
_HEADED: Final = (
    *(gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Return, gast.Expr, gast.If, gast.While),
    gast.For,
)
_NEW: Final = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant)


class Generators(Control):
    """The part of the expansion that deals with calls of generators.

    A generator runs while its values are used. Where all of them are used at once, as in
    ``sum(steps(x))`` and ``[v * v for v in steps(x)]``, and neither side changes what the other
    sees, they may as well be made first.
    """

    def use_up(self, statement: Any) -> None:
        """Let the generators that a statement uses up be functions that return lists."""
        if not isinstance(statement, _HEADED):
            return
        makers = {
            name: replace(value, code=replace(value.code, tree=tree))
            for name, value in self.env.items()
            if isinstance(value, Local) and (tree := self._maker(value.code, value.captured))
        }
        parts = [part for part in header_of(statement) if part is not None] if makers else []
        nodes = [node for part in parts for node in walk(part)]
        for node in nodes:
            if isinstance(node, gast.comprehension):  # there the names mean something else
                makers = {n: v for n, v in makers.items() if n not in names_bound(node.target)}
            elif isinstance(node, gast.Lambda):
                makers = {n: v for n, v in makers.items() if n not in parameters(node.args)}
        for node in nodes:
            made = self._used_up_by(node)
            if isinstance(made, gast.Call) and getattr(made.func, "id", "") in makers:
                self._make_list(made, makers[made.func.id])

    def _used_up_by(self, node: Any) -> Any:
        """Return what a comprehension, or a call of `sum` or the like, takes all values of."""
        if isinstance(node, _COMPREHENSIONS):
            return self._taken_by(node)
        if not isinstance(node, gast.Call) or not node.args or node.keywords:
            return None
        user = self.look(node.func.id) if isinstance(node.func, gast.Name) else None
        if not isinstance(user, Known) or not any(user.value is item for item in _USERS):
            return None
        first = node.args[0]
        return self._taken_by(first) if isinstance(first, gast.GeneratorExp) else first

    def _taken_by(self, comprehension: Any) -> Any:
        """Return what a comprehension runs over, if what it does with that changes nothing."""
        first, *others = comprehension.generators
        names = ("elt", "key", "value")
        parts = [getattr(comprehension, name) for name in names if hasattr(comprehension, name)]
        parts += [*first.ifs, *others]
        known = {*self.own, *self.env, *names_bound(first.target)}
        scope = scope_of(self.code.source.function, self.code.tree)
        scope = replace(scope, local=scope.local | known)
        for node in [node for part in parts for node in walk(part)]:
            writes = isinstance(node, gast.Call) and not is_harmless(
                node, scope, self.session.vocabulary
            )
            if writes or isinstance(node, gast.NamedExpr):
                return None
        return first.iter

    def _make_list(self, call: Any, function: Local) -> None:
        """Let a call of a generator be one of a function that returns the list of its values."""
        name = self.fresh(function.code.tree.name)
        self.env[name] = function
        call.func = at(load(name), call.func)
        self.changed = True

    def _maker(self, code: Code, captured: Mapping[str, Any]) -> Any:
        """Return the definition that makes the list of what a generator yields, if it may."""
        kept = self.session.list_makers
        if id(code.tree) not in kept and not found_in(code.tree, gast.Yield):
            kept[id(code.tree)] = (None, code.tree)
        if id(code.tree) not in kept:
            outer = {name for name in free_names(code.tree) if captured.get(name) is not None}
            scope = scope_of(code.source.function, code.tree)
            scope = replace(scope, local=scope.local | outer)
            calls = found_in(gast.Module(code.tree.body, []), gast.Call)
            plain = all(is_harmless(item, scope, self.session.vocabulary) for item in calls)
            kept[id(code.tree)] = (list_maker(code.tree) if plain else None, code.tree)
        return kept[id(code.tree)][0]


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
    name, number = "items", 2
    while name in all_names(tree):
        name, number = f"items_{number}", number + 1
    made = clone(tree)
    if not _leaves_at_end(made.body):
        return None
    for statement in statements(made.body):
        value = getattr(statement, "value", None)
        if isinstance(statement, gast.Expr) and isinstance(value, gast.Yield):
            item = gast.Constant(None, None) if value.value is None else value.value
            statement.value = at(method(load(name), "append", item), value)
    first = at(gast.Assign([store(name)], gast.List([], gast.Load()), None), tree)
    last = at(gast.Return(load(name)), tree)
    made.body = [first, *made.body, last]
    return made


def _yields_plainly(tree: Any) -> bool:
    """Say whether a definition is a generator that changes nothing but its own variables."""
    nodes = [node for statement in tree.body for node in walk(statement)]
    yields = [node for node in nodes if isinstance(node, gast.Yield)]
    plain = [s.value for s in statements(tree.body) if isinstance(s, gast.Expr)]
    if not yields or any(all(item is not value for value in plain) for item in yields):
        return False
    if any(isinstance(node, _UNCLEAR) or _stores(node) for node in nodes):
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


def _stores(node: Any) -> bool:
    places = isinstance(node, (gast.Subscript, gast.Attribute))
    return places and not isinstance(node.ctx, gast.Load)


def _is_name(target: Any) -> bool:
    return isinstance(target, gast.Name)


def _leaves_at_end(body: list[Any], *, in_loop: bool = False) -> bool:
    """Write each `return` as what leads to the end of the body; say whether that could be done."""
    for place, statement in enumerate(body):
        if not found_in(statement, gast.Return):
            continue
        inner = isinstance(statement, (gast.For, gast.While))
        if not in_loop and place < len(body) - 1:
            return False  # something would follow
        if inner and (in_loop or statement.orelse):
            return False  # it would leave the inner loop alone, or run what comes after it
        if isinstance(statement, gast.Return):
            body[place] = at(gast.Break() if in_loop else gast.Pass(), statement)
        elif not isinstance(statement, (gast.If, gast.For, gast.While)) or not all(
            _leaves_at_end(part, in_loop=in_loop or inner) for part in blocks_of(statement)
        ):
            return False
    return True
