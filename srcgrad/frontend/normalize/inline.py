"""Puts functions that write into their arguments in the place of their calls.

What such a function does to memory then shows in the caller, who knows what else reaches it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

import gast

from srcgrad.errors import SrcgradError
from srcgrad.frontend.source import FunctionSource, find_source
from srcgrad.ir.build import assign, at, clone
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.origins import note_foreign
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.walk import blocks_of, names_bound, statements, walk

_DEEPEST: Final = 6

_FOREIGN: Final = (
    gast.FunctionDef,
    gast.AsyncFunctionDef,
    gast.ClassDef,
    gast.Lambda,
    gast.ListComp,
    gast.SetComp,
    gast.DictComp,
    gast.GeneratorExp,
    gast.Global,
    gast.Nonlocal,
    gast.Yield,
    gast.YieldFrom,
    gast.Await,
    gast.Try,
    gast.With,
    gast.Delete,
    gast.Import,
    gast.ImportFrom,
    gast.NamedExpr,
    gast.Starred,
    gast.Break,
    gast.Continue,
    gast.Match,
    gast.Assert,
    gast.Raise,
)


class WritingHelpers:
    """Rewrites one function body; `varies` says which expressions may carry a derivative.

    Attributes:
        inlined: The functions that were put in place.
        placed: Their names, each with the line of the call.
        names: The names of their variables in the caller.
    """

    def __init__(self, reader: Reader, namer: Namer, varies: Callable[[Any], bool]) -> None:
        self.inlined: list[FunctionType] = []
        self.placed: list[tuple[str, int]] = []
        self.names: set[str] = set()
        self._reader = reader
        self._namer = namer
        self._varies = varies
        self._active: list[FunctionType] = []

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list with the bodies of helpers in the place of their calls."""
        done: list[Any] = []
        for statement in body:
            for part in blocks_of(statement):
                part[:] = self.block(part)
            done += self._statement(statement)
        return done

    def _statement(self, statement: Any) -> list[Any]:
        call = getattr(statement, "value", None)
        if not _may_hold(statement) or not isinstance(call, gast.Call):
            return [statement]
        callee = self._reader.scope.resolve(call.func)
        if not isinstance(callee, FunctionType) or not self._is_wanted(call, callee):
            return [statement]
        try:
            source = find_source(callee)
        except SrcgradError:
            return [statement]
        tree = clone(source.tree)
        given = _bind(tree.args, call, callee)
        scope = scope_of(callee, tree)
        if given is None or not _is_plain(tree.body) or not self._same_world(tree, scope):
            return [statement]
        self._active.append(callee)
        body = self._place(tree, given, statement, source)
        body = self.block(body)
        self._active.pop()
        self.placed.append((callee.__name__, statement.lineno))
        if callee not in self.inlined:
            self.inlined.append(callee)
        return body

    def _is_wanted(self, call: Any, callee: FunctionType) -> bool:
        vocabulary = self._reader.vocabulary
        if vocabulary.rule_for(callee) or vocabulary.constant_reason(callee):
            return False
        if callee in self._active or len(self._active) >= _DEEPEST:
            return False
        passed = [*call.args, *[item.value for item in call.keywords]]
        if not self._active and not any(self._varies(item) for item in passed):
            return False
        operands, elsewhere = vocabulary.written_operands(callee, call)
        return bool(operands) and not elsewhere

    def _same_world(self, tree: Any, scope: Scope) -> bool:
        """Say whether the helper's free names mean the same in the caller."""
        ours = self._reader.scope
        local = scope.local | set(_parameters(tree.args))
        free = {
            node.id
            for item in tree.body
            for node in walk(item)
            if isinstance(node, gast.Name) and node.id not in local
        }
        return all(
            ours.lookup(name) is not MISSING and ours.lookup(name) is scope.lookup(name)
            for name in free
        )

    def _place(
        self, tree: Any, given: dict[str, Any], like: Any, source: FunctionSource
    ) -> list[Any]:
        body = _without_docstring(tree.body)
        bound = {n for s in statements(body) for t in _targets(s) for n in names_bound(t)}
        names: dict[str, str] = {}
        lead: list[Any] = []
        for name, value in given.items():
            if isinstance(value, gast.Name) and name not in bound:
                names[name] = value.id
            else:
                names[name] = self._new(name)
                lead.append(assign(names[name], value, like))
        names.update({name: self._new(name) for name in sorted(bound) if name not in names})
        for item in body:
            for node in walk(item):
                if isinstance(node, gast.Name):
                    node.id = names.get(node.id, node.id)
                if hasattr(node, "lineno"):
                    note_foreign(node, source.file, source.line)
                    at(node, like)
        returned: Any = gast.Constant(None, None)
        if body and isinstance(body[-1], gast.Return):
            returned = body.pop().value or returned
        if isinstance(like, gast.Assign):
            body.append(at(gast.Assign(like.targets, returned, None), like))
        elif isinstance(like, gast.AugAssign):
            body.append(at(gast.AugAssign(like.target, like.op, returned), like))
        return lead + body

    def _new(self, name: str) -> str:
        new = self._namer.fresh(name)
        self.names.add(new)
        self._reader.scope.local |= {new}
        return new


def _may_hold(statement: Any) -> bool:
    """Say whether a call that is the value of a statement is the first thing that it does."""
    if isinstance(statement, gast.AugAssign):
        return isinstance(statement.target, gast.Name)
    return isinstance(statement, (gast.Expr, gast.Assign))


def _parameters(args: Any) -> list[str]:
    return [item.id for item in [*args.posonlyargs, *args.args, *args.kwonlyargs]]


def _bind(args: Any, call: Any, callee: FunctionType) -> dict[str, Any] | None:
    """Return what each parameter is bound to, or None if that is not plain."""
    names = _parameters(args)
    if args.vararg is not None or args.kwarg is not None or len(call.args) > len(names):
        return None
    given = dict(zip(names, call.args, strict=False))
    for item in call.keywords:
        if item.arg not in names or item.arg in given:
            return None
        given[item.arg] = item.value
    for name, value in _defaults(args, callee):
        if name not in given and (value is None or isinstance(value, (bool, int, float, str))):
            given[name] = gast.Constant(value, None)
    return {name: given[name] for name in names} if set(names) == set(given) else None


def _defaults(args: Any, callee: FunctionType) -> list[tuple[str, Any]]:
    plain = [item.id for item in [*args.posonlyargs, *args.args]]
    values = callee.__defaults__ or ()
    return [
        *zip(plain[len(plain) - len(values) :], values, strict=True),
        *(callee.__kwdefaults__ or {}).items(),
    ]


def _is_plain(body: list[Any]) -> bool:
    """Say whether a body can stand in another function: one return at most, at its end."""
    if any(isinstance(node, _FOREIGN) for item in body for node in walk(item)):
        return False
    if any(isinstance(s, (gast.For, gast.While)) and s.orelse for s in statements(body)):
        return False
    returns = [item for item in statements(body) if isinstance(item, gast.Return)]
    return not returns or (len(returns) == 1 and body[-1] is returns[0])


def _without_docstring(body: list[Any]) -> list[Any]:
    first = body[0] if body else None
    is_text = isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant)
    return body[1:] if is_text else body


def _targets(statement: Any) -> list[Any]:
    if isinstance(statement, (gast.For, gast.AugAssign, gast.AnnAssign)):
        return [statement.target]
    return getattr(statement, "targets", [])
