"""Puts functions that write into their arguments in the place of their calls.

What such a function does to memory then shows in the caller, who knows what else reaches it.
"""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any, Final

import gast

from srcgrad.errors import SrcgradError
from srcgrad.frontend.fence import bound_place
from srcgrad.frontend.normalize.nested_calls import NestedCalls
from srcgrad.frontend.normalize.returns import single_exit
from srcgrad.frontend.normalize.workspace import Varies
from srcgrad.frontend.refusals import Refusals
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
    gast.Match,
)

_LEAVING: Final = (gast.Return, gast.Break, gast.Continue)


class WritingHelpers:
    """Rewrites one function body; `varies` says which expressions may carry a derivative.

    A call inside of an expression gets a statement of its own first.

    Attributes:
        inlined: The functions that were put in place.
        placed: Their names, each with the line of the call.
        names: The names of their variables in the caller.
        results: Those of the results of helpers that return at several places.
    """

    def __init__(self, reader: Reader, namer: Namer, varies: Varies) -> None:
        self.inlined: list[FunctionType] = []
        self.placed: list[tuple[str, int]] = []
        self.names: set[str] = set()
        self.results: set[str] = set()
        self._reader = reader
        self._namer = namer
        self._varies = varies
        self._active: list[FunctionType] = []
        self._nested = NestedCalls(namer, self._is_put_in_place)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list with the bodies of helpers in the place of their calls."""
        done: list[Any] = []
        for statement in body:
            for part in blocks_of(statement):
                part[:] = self.block(part)
            lead = self._nested.before(statement)
            self._note_new(lead)
            for item in [*lead, statement]:
                done += self._statement(item)
        return done

    def _note_new(self, lead: list[Any]) -> None:
        made = {target.id for item in lead for target in item.targets}
        self.names |= made
        self._reader.scope.local |= made
        self._varies.spread(lead)

    def _is_put_in_place(self, call: Any) -> bool:
        callee = self._reader.scope.resolve(call.func)
        if not isinstance(callee, FunctionType) or not self._is_wanted(call, callee):
            return False
        try:
            source = find_source(callee)
        except SrcgradError:
            return False
        tree = clone(source.tree)
        plain = self._with_one_exit(tree, source) is not None
        return plain and _bind(tree.args, call, callee) is not None

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
        results = self._with_one_exit(tree, source)
        scope = scope_of(callee, tree)
        if given is None or results is None or not self._into_our_world(tree, scope):
            return [statement]
        self._active.append(callee)
        body = self._place(tree, given, statement, source, results)
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
        if not self._active and not any(self._varies.of(item) for item in passed):
            return False
        operands, elsewhere = vocabulary.written_operands(callee, call)
        return bool(operands) and not elsewhere

    def _with_one_exit(self, tree: Any, source: FunctionSource) -> tuple[str, ...] | None:
        """Let a helper return at its end alone; None if its statements cannot stand elsewhere.

        The names are those of its result, if it returned at several places.
        """
        if any(_is_foreign(node) for item in tree.body for node in walk(item)):
            return None
        if _returns_last(tree.body):
            return ()
        self._namer.reserve(_names_in(tree))
        refusals = Refusals(source)
        exits = single_exit(tree, self._namer, refusals)
        return None if refusals.found else exits.results

    def _into_our_world(self, tree: Any, scope: Scope) -> bool:
        """Let the helper's free names mean the same in the caller; say whether they do.

        A function or a module that the caller knows by no name, or by another, gets one of its own.
        """
        ours = self._reader.scope
        local = scope.local | set(_parameters(tree.args))
        free = {
            node.id: scope.lookup(node.id)
            for item in tree.body
            for node in walk(item)
            if isinstance(node, gast.Name) and node.id not in local
        }
        strange = {n: value for n, value in free.items() if ours.lookup(n) is not value}
        if any(value is MISSING for value in free.values()) or not all(
            isinstance(value, (FunctionType, ModuleType)) for value in strange.values()
        ):
            return False
        self._namer.reserve(free.keys() - strange.keys())  # no variable may hide them
        names = {name: self._namer.fresh(name) for name in strange}
        for name, new in names.items():
            ours.used[new] = scope.used[name]
        for item in tree.body:
            for node in walk(item):
                if isinstance(node, gast.Name):
                    node.id = names.get(node.id, node.id)
        return True

    def _place(
        self,
        tree: Any,
        given: dict[str, Any],
        like: Any,
        source: FunctionSource,
        results: tuple[str, ...],
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
        self.results |= {names[name] for name in results}
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
    starred = any(isinstance(item, gast.Starred) for item in call.args)
    starred = starred or any(item.arg is None for item in call.keywords)
    taken = args.vararg is not None or args.kwarg is not None
    if starred or taken or len(call.args) > len(names):
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


def _is_foreign(node: Any) -> bool:
    """Say whether a node may not stand in the normal form of another function."""
    loops = isinstance(node, (gast.For, gast.While)) and node.orelse
    return isinstance(node, _FOREIGN) or bound_place(node) is not None or bool(loops)


def _names_in(tree: Any) -> list[str]:
    names = [node.id for item in tree.body for node in walk(item) if isinstance(node, gast.Name)]
    return [*_parameters(tree.args), *names]


def _returns_last(body: list[Any]) -> bool:
    """Say whether a body returns at its end alone, or not at all, and leaves no trip of a loop."""
    leaves = [item for item in statements(body) if isinstance(item, _LEAVING)]
    return not leaves or (len(leaves) == 1 and body[-1] is leaves[0])


def _without_docstring(body: list[Any]) -> list[Any]:
    first = body[0] if body else None
    is_text = isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant)
    return body[1:] if is_text else body


def _targets(statement: Any) -> list[Any]:
    if isinstance(statement, (gast.For, gast.AugAssign, gast.AnnAssign)):
        return [statement.target]
    return getattr(statement, "targets", [])
