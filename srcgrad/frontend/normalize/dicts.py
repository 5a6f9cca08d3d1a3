"""Writes dicts that `dict`, `dict.fromkeys` and `|` make as displays of their entries."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.told_containers import ANY, ToldContainers, entries_of, is_of_pairs
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, constant, load, method, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in

_SEQUENCES = (gast.Tuple, gast.List)
_FROM_KEYS = dict.fromkeys


def makes_dict(call: Any, scope: Scope) -> bool:
    """Say whether a call is one of `dict` or of `dict.fromkeys`."""
    callee = scope.resolve(call.func)
    return callee is dict or (isinstance(call.func, gast.Attribute) and callee == _FROM_KEYS)


def treats_as_dict(node: Any) -> bool:
    """Say whether a node is ``p["key"]``, ``p.items`` or the like, with a name for `p`."""
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        return isinstance(getattr(node.slice, "value", None), str)
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.attr in ("items", "keys", "values", "get", "setdefault", "update")
    )


def loops_over_inner_dicts(body: list[Any]) -> bool:
    """Say whether loops may run over dicts that were taken out of something, or over lists."""
    if not any(found_in(statement, gast.Dict, gast.DictComp) for statement in body):
        return False
    return any(
        isinstance(loop.iter, (gast.Name, gast.Subscript))
        or getattr(getattr(loop.iter, "func", None), "attr", "") == "get"
        for statement in body
        for loop in found_in(statement, gast.For, gast.comprehension)
    )


def may_join_dicts(body: list[Any]) -> bool:
    """Say whether `|` may join dicts that are made in a body, or held by something there."""
    if not any(found_in(statement, gast.Dict, gast.DictComp, gast.Call) for statement in body):
        return False
    joined = (
        node for statement in body for node in found_in(statement, gast.BinOp, gast.AugAssign)
    )
    return any(isinstance(node.op, gast.BitOr) for node in joined)


class Dicts(Rewriter):
    """Rewrites one function body; what is read twice gets a name by ``:=``.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> scope = program_of("def f(x): return x").reader.scope
    >>> body = parse('''
    ... a = dict(w=x, b=x * x)
    ... c = dict(zip(("w", "b"), (x, y)), b=x)
    ... d = dict(zip(keys, rows))
    ... f = dict(enumerate(x))
    ... e = dict.fromkeys(("w", "b"), np.sin(x))
    ... a |= c | d
    ... ''')
    >>> print(text(Dicts(scope, Namer(["x", "y"])).block(body)))
    a = {"w": x, "b": x * x}
    c = {"w": x, "b": y, "b": x}
    d = {key: value for key, value in zip(keys, rows)}
    f = {key_2: value_2 for key_2, value_2 in enumerate(x)}
    e = {"w": (value_3 := np.sin(x)), "b": value_3}
    a.update({**c, **d})
    """

    def __init__(self, scope: Scope, namer: Namer) -> None:
        self._scope = scope
        self._namer = namer
        self._told = ToldContainers([])

    def block(self, body: list[Any]) -> list[Any]:
        """Return the body with its dicts written out."""
        self._told = ToldContainers(body)
        return [self.visit(statement) for statement in body]

    def visit_Call(self, node: Any) -> Any:
        """Write a call as a display, if its entries are seen."""
        self.generic_visit(node)
        callee = self._scope.resolve(node.func)
        made = None
        if callee is dict:
            made = self._made(node)
        elif isinstance(node.func, gast.Attribute) and callee == _FROM_KEYS:
            made = self._filled(node)
        return node if made is None else at(made, node)

    def visit_BinOp(self, node: Any) -> Any:
        """Write ``p | q`` of dicts as a display of both."""
        joins = self._joins_dicts(node, node.left) or self._joins_dicts(node, node.right)
        self.generic_visit(node)
        return at(_joined(node.left, node.right), node) if joins else node

    def visit_AugAssign(self, node: Any) -> Any:
        """Write ``p |= q`` of dicts as ``p.update(q)``, since other names of it see that, too."""
        joins = self._joins_dicts(node, node.target)
        self.generic_visit(node)
        if not joins:
            return node
        node.target.ctx = gast.Load()
        return at(gast.Expr(method(node.target, "update", node.value)), node)

    def _joins_dicts(self, node: Any, side: Any) -> bool:
        """Say whether an operation joins dicts, as what is told of one side shows."""
        if not isinstance(node.op, gast.BitOr):
            return False
        return {part.kind for part in self._told.of(side) if not part.steps} == {"dict"}

    def visit_For(self, node: Any) -> Any:
        """Write a loop over a dict that was taken out of something as one over its keys."""
        self.generic_visit(node)
        node.iter = self._keys_of(node.iter)
        return node

    def visit_comprehension(self, node: Any) -> Any:
        """Write the same in a comprehension."""
        self.generic_visit(node)
        node.iter = self._keys_of(node.iter)
        return node

    def _keys_of(self, node: Any) -> Any:
        if isinstance(node, gast.Call):
            return self._held_or(node)
        if not isinstance(node, (gast.Name, gast.Subscript)):
            return node
        whole = {part.kind for part in self._told.of(node) if part.is_taken and not part.steps}
        return at(method(node, "keys"), node) if whole == {"dict"} else node

    def _held_or(self, call: Any) -> Any:
        """Write ``d.get(k, [])`` as ``d[k] if k in d else []``, if `d` is told to hold lists."""
        owner = call.func.value if isinstance(call.func, gast.Attribute) else None
        if not isinstance(owner, gast.Name) or call.func.attr != "get" or len(call.args) != 2:
            return call
        key, default = call.args
        simple = isinstance(key, (gast.Name, gast.Constant))
        parts = entries_of(self._told.of(owner), ANY)
        held = {part.kind for part in parts if not part.steps}
        if not simple or not isinstance(default, gast.List) or held != {"list"}:
            return call
        test = gast.Compare(clone(key), [gast.In()], [clone(owner)])
        return at(gast.IfExp(test, subscript(owner, key), default), call)

    def _made(self, node: Any) -> Any:
        """Return the display of ``dict(...)``, or None."""
        options = [(item.arg, item.value) for item in node.keywords]
        if len(node.args) > 1 or any(name is None for name, _ in options):
            return None
        first = self._entries(node.args[0]) if node.args else gast.Dict([], [])
        if isinstance(first, gast.DictComp):
            return None if options else first
        if first is None and self._is_mapping(node.args[0]):
            first = gast.Dict([None], [node.args[0]])
        if first is None:
            return None
        keys = [constant(name) for name, _ in options]
        return gast.Dict([*first.keys, *keys], [*first.values, *[value for _, value in options]])

    def _is_mapping(self, node: Any) -> bool:
        """Say whether `dict` copies a value, which it does if nothing tells that it has pairs.

        Of an argument nothing tells; a copy fails with pairs then, and so tells at the run.
        """
        if not isinstance(node, (gast.Name, gast.Subscript)):
            return False
        return not is_of_pairs(self._told.of(node))

    def _entries(self, node: Any) -> Any:
        """Return the display of what ``dict`` is given, or None."""
        if isinstance(node, gast.Dict):
            return node
        if isinstance(node, _SEQUENCES):
            return _of_pairs(node.elts)
        if isinstance(node, (gast.GeneratorExp, gast.ListComp)):
            pair = node.elt
            if isinstance(pair, _SEQUENCES) and _count(pair) == 2:
                return gast.DictComp(*pair.elts, node.generators)
        callee = self._scope.resolve(node.func) if isinstance(node, gast.Call) else None
        if callee is not enumerate:
            if callee is not zip or len(node.args) != 2 or node.keywords:
                return None
            keys, values = node.args
            if _count(keys) is not None and _count(keys) == _count(values):
                return gast.Dict([*keys.elts], [*values.elts])
        if any(isinstance(item, gast.Starred) for item in node.args):
            return None
        key, value = self._namer.fresh("key"), self._namer.fresh("value")
        target = gast.Tuple([store(key), store(value)], gast.Store())
        part = gast.comprehension(target, node, [], 0)
        return gast.DictComp(load(key), load(value), [part])

    def _filled(self, node: Any) -> Any:
        """Return the display of ``dict.fromkeys(keys, value)``, or None."""
        if node.keywords or len(node.args) not in (1, 2):
            return None
        keys = node.args[0]
        value = node.args[1] if len(node.args) == 2 else constant(None)
        plain = isinstance(value, (gast.Name, gast.Constant))
        if not _count(keys):
            key = self._namer.fresh("key")
            part = gast.comprehension(store(key), keys, [], 0)
            whole = isinstance(keys, gast.Starred) or not plain
            return None if whole else gast.DictComp(load(key), value, [part])
        if plain:
            return gast.Dict([*keys.elts], [clone(value) for _ in keys.elts])
        name = self._namer.fresh("value")
        first = gast.NamedExpr(store(name), value)
        return gast.Dict([*keys.elts], [first, *[load(name) for _ in keys.elts[1:]]])


def _joined(*parts: Any) -> Any:
    """Return the display of a dict of the entries of several."""
    shown = [part if isinstance(part, gast.Dict) else gast.Dict([None], [part]) for part in parts]
    keys = [key for part in shown for key in part.keys]
    return gast.Dict(keys, [value for part in shown for value in part.values])


def _of_pairs(items: list[Any]) -> Any:
    if not all(isinstance(item, _SEQUENCES) and _count(item) == 2 for item in items):
        return None
    return gast.Dict([item.elts[0] for item in items], [item.elts[1] for item in items])


def _count(node: Any) -> int | None:
    """Return how many entries a tuple or list that is written out has; None if it is not."""
    if not isinstance(node, _SEQUENCES):
        return None
    starred = any(isinstance(item, gast.Starred) for item in node.elts)
    return None if starred else len(node.elts)
