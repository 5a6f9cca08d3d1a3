"""Puts functions that write into their arguments in the place of their calls.

What such a function does to memory then shows in the caller, who knows what else reaches it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any, Final

from srcgrad.errors import SrcgradError
from srcgrad.frontend.fence import bound_place, check_statements
from srcgrad.frontend.joined_rows import join_rows
from srcgrad.frontend.named_targets import with_named_targets
from srcgrad.frontend.nested_lists import refuse_inner_joins
from srcgrad.frontend.normalize.comprehensions import names_outside, own_names, written_out
from srcgrad.frontend.normalize.desugared import desugared
from srcgrad.frontend.normalize.missing_entries import with_missing_entries
from srcgrad.frontend.normalize.nested_calls import NestedCalls, may_hold
from srcgrad.frontend.normalize.returns import single_exit
from srcgrad.frontend.normalize.threaded import Threaded
from srcgrad.frontend.normalize.threaded_calls import ThreadedCalls
from srcgrad.frontend.normalize.workspace import Varies
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.remembered import source_to_read, tree_to_read
from srcgrad.frontend.source import FunctionSource
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, may_be_literal
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.origins import note_foreign
from srcgrad.ir.program import header_of
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.walk import (
    blocks_of,
    found_in,
    names_bound,
    names_read,
    statements,
    walk,
    without_docstring,
)

_DEEPEST: Final = 6

_FOREIGN: Final = (
    gast.FunctionDef,
    gast.AsyncFunctionDef,
    gast.ClassDef,
    gast.Global,
    gast.Nonlocal,
    gast.Yield,
    gast.YieldFrom,
    gast.Await,
    gast.Import,
    gast.ImportFrom,
)
"""What may not stand in another function."""

_RUNNING: Final = (sum, max, min, sorted, list, tuple)
"""What runs through all that it is given, before anything else is done."""
_LEAVING: Final = (gast.Return, gast.Break, gast.Continue)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A function that is put in the place of a call.

    Attributes:
        tree: Its own tree, which may be changed; `scope` is what the names in it mean.
        given: What its parameters are bound to.
        results: The names of its result, if it returned at several places.
    """

    function: FunctionType
    source: FunctionSource
    tree: Any
    scope: Scope
    given: dict[str, Any]
    results: tuple[str, ...]


class WritingHelpers:
    """Rewrites one function body; `varies` says which expressions may carry a derivative.

    A call inside of an expression gets a statement of its own first, one in a comprehension a loop.

    Attributes:
        hands_back: Whether there are calls of helpers that may hand back their arguments.
        inlined: The functions that were put in place.
        placed: Their names, each with the line of the call.
        names: The names of their variables in the caller.
        results: Those of the results of helpers that return at several places.
    """

    def __init__(
        self, reader: Reader, namer: Namer, varies: Varies, *, hand_back: bool = False
    ) -> None:
        self.hands_back = False
        self._with_those = hand_back  # whether helpers that hand back their arguments are, too
        self.inlined: list[FunctionType] = []
        self.placed: list[tuple[str, int]] = []
        self.names: set[str] = set()
        self.results: set[str] = set()
        self._reader = reader
        self._namer = namer
        self._varies = varies
        self._active: list[FunctionType] = []
        self._taken: set[str] = set()
        self._nested = NestedCalls(namer, weakly(self._is_rewritten))
        self.threaded = ThreadedCalls(reader, namer)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list with the bodies of helpers in the place of their calls."""
        if not self._taken:
            code = self._reader.scope.function.__code__
            self._taken = names_outside(body) | set(code.co_varnames[: code.co_argcount])
        done: list[Any] = []
        for written in body:
            statement = self._branched(written)
            for part in blocks_of(statement):
                part[:] = self.block(part)
            self._list_at_once(statement)
            lead = self._nested.before(statement)
            if lead:
                self._note_new(lead)
            for item in [*lead, statement]:
                done += self._statement(item)
        return done

    def _list_at_once(self, statement: Any) -> None:
        """Let ``sum(f(v) for v in x)`` run through a list, if `f` is such a helper.

        What is run through to its end before all else may as well be in a list.
        """
        for node in (item for part in header_of(statement) for item in found_in(part, gast.Call)):
            given = node.args[0] if len(node.args) == 1 else None
            if not isinstance(given, gast.GeneratorExp):
                continue
            listed = at(gast.ListComp(given.elt, given.generators), given)
            callee = self._reader.scope.resolve(node.func)
            if any(callee is item for item in _RUNNING) and self._nested.makes(listed):
                node.args = [listed]

    def _branched(self, statement: Any) -> Any:
        """Write ``y = f(a) if c else b`` with two branches, if there are such calls in it."""
        value = getattr(statement, "value", None)
        if not isinstance(value, gast.IfExp) or not may_hold(statement, value):
            return statement
        if not any(map(self._is_rewritten, found_in(value, gast.Call))):
            return statement
        then, other = clone(statement), clone(statement)
        then.value, other.value = value.body, value.orelse
        return at(gast.If(value.test, [then], [other]), statement)

    def _note_new(self, lead: list[Any]) -> None:
        made = {target.id for item in lead for target in item.targets}
        self._note_names(made)
        self._varies.spread(lead)

    def _note_names(self, names: set[str]) -> None:
        self.names |= names
        self._taken |= names
        self._reader.scope.local |= names

    def _is_rewritten(self, call: Any) -> bool:
        return self._in_place(call) is not None or self._threaded(call) is not None

    def _threaded(self, call: Any) -> tuple[Threaded, dict[str, Any]] | None:
        """Return what is called instead of a function that cannot be put in place, with what."""
        callee = self._reader.scope.resolve(call.func)
        if not isinstance(callee, FunctionType) or not self._is_given_what_varies(call):
            return None
        vocabulary = self._reader.vocabulary
        known = vocabulary.rule_for(callee) or vocabulary.constant_reason(callee)
        if known or vocabulary.how_written(callee) is None:
            return None
        tree = tree_to_read(callee)
        if tree is None:
            return None
        operands, elsewhere = vocabulary.written_operands(callee, call)
        if elsewhere or not (operands or _calls_itself(tree, scope_of(callee, tree))):
            return None
        args = tree.args
        given = _bind(args, call, callee)
        found = None if given is None else self.threaded.of(call, given)
        return None if found is None or given is None else (found, given)

    def _statement(self, statement: Any) -> list[Any]:
        value = getattr(statement, "value", None)
        if not may_hold(statement, value):
            return [statement]
        if self._nested.makes(value):
            return self._loop(statement)
        if not isinstance(value, gast.Call):
            return [statement]
        found = self._in_place(value)
        if found is None or not self._into_our_world(found):
            return self._thread(statement)
        self._active.append(found.function)
        body = self.block(self._place(found, statement))
        self._active.pop()
        self.placed.append((found.function.__name__, statement.lineno))
        if found.function not in self.inlined:
            self.inlined.append(found.function)
        return body

    def _thread(self, statement: Any) -> list[Any]:
        """Call what returns what it writes in the place of a function that writes, if it can be."""
        found = self._threaded(statement.value)
        if found is None:
            return [statement]
        lines = self.threaded.rewrite(statement, *found, self._new)
        self._varies.spread(lines)
        return lines

    def _loop(self, statement: Any) -> list[Any]:
        """Write out a comprehension, so that the calls in it become statements of a loop."""
        bound = {name for part in statement.value.generators for name in names_bound(part.target)}
        value = own_names(statement.value, self._taken, self._namer)
        own = {name for part in value.generators for name in names_bound(part.target)}
        self._note_names(own - bound)
        name = made = statement.targets[0].id
        if name in names_read(value):
            made = self._new("items")
        loop = written_out(made, value, statement)
        if made != name:
            loop.append(assign(name, load(made), statement))
        self._varies.spread(loop)
        return self.block(loop)

    def _in_place(self, call: Any) -> _Placed | None:
        """Return the function that a call puts in its place, or None if it stays a call."""
        callee = self._reader.scope.resolve(call.func)
        if not isinstance(callee, FunctionType) or not self._is_wanted(call, callee):
            return None
        try:
            source = source_to_read(callee)
        except SrcgradError:
            return None
        tree = with_named_targets(clone(source.tree))
        given = _bind(tree.args, call, callee)
        if given is None or any(_is_foreign(node) for item in tree.body for node in walk(item)):
            return None
        scope = scope_of(callee, tree)
        if _calls_itself(tree, scope):
            return None
        results = _made_plain(tree, source, Reader(scope, self._reader.vocabulary))
        return None if results is None else _Placed(callee, source, tree, scope, given, results)

    def _is_wanted(self, call: Any, callee: FunctionType) -> bool:
        vocabulary = self._reader.vocabulary
        if vocabulary.rule_for(callee) or vocabulary.constant_reason(callee):
            return False
        if callee in self._active or len(self._active) >= _DEEPEST:
            return False
        if not self._is_given_what_varies(call):
            return False
        operands, elsewhere = vocabulary.written_operands(callee, call)
        if not operands and not elsewhere and vocabulary.returned_operands(callee, call):
            self.hands_back = True
            return self._with_those
        return bool(operands) and not elsewhere

    def _is_given_what_varies(self, call: Any) -> bool:
        passed = [*call.args, *[item.value for item in call.keywords]]
        return bool(self._active) or any(self._varies.of(item) for item in passed)

    def _into_our_world(self, found: _Placed) -> bool:
        """Let the helper's free names mean the same in the caller; say whether they do.

        What the caller knows by no name, or by another, gets one of its own.
        """
        ours, tree, scope = self._reader.scope, found.tree, found.scope
        local = scope.local | set(_parameters(tree.args)) | _stored(tree.body)
        free = {
            node.id: scope.lookup(node.id)
            for item in tree.body
            for node in walk(item)
            if isinstance(node, gast.Name) and node.id not in local
        }
        if any(value is MISSING for value in free.values()):
            return False
        strange = [name for name in free if not _is_same(name, ours, scope)]
        self._namer.reserve(free.keys() - set(strange))  # no variable may hide them
        names = {name: self._namer.fresh(name) for name in strange}
        for name, new in names.items():
            ours.used[new] = scope.used[name]
        for item in tree.body:
            for node in walk(item):
                if isinstance(node, gast.Name):
                    node.id = names.get(node.id, node.id)
        return True

    def _place(self, found: _Placed, like: Any) -> list[Any]:
        source = found.source
        body = without_docstring(found.tree.body)
        bound = _stored(body)
        names: dict[str, str] = {}
        lead: list[Any] = []
        for name, value in found.given.items():
            if isinstance(value, gast.Name) and name not in bound:
                names[name] = value.id
            else:
                names[name] = self._new(name)
                lead.append(assign(names[name], value, like))
        names.update({name: self._new(name) for name in sorted(bound) if name not in names})
        self.results |= {names[name] for name in found.results}
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
        elif found_in(returned, gast.Call):  # which may write: ``return np.sin(x, out=out)``
            body.append(at(gast.Expr(returned), like))
        return lead + body

    def _new(self, name: str) -> str:
        new = self._namer.fresh(name)
        self.names.add(new)
        self._reader.scope.local |= {new}
        return new


def _made_plain(tree: Any, source: FunctionSource, reader: Reader) -> tuple[str, ...] | None:
    """Write a helper as statements that can stand elsewhere, and let it return at its end alone.

    The names are those of its result, if it returned at several places; None if it cannot be done.
    Names made here differ from those of the helper alone: all of them get new ones in the caller.
    """
    namer, refusals = Namer(_names_in(tree)), Refusals(source)
    scope = reader.scope
    scope.made = namer.made
    check_statements(tree, refusals)
    given = [item.id for item in found_in(tree.args, gast.Name)]
    if not refusals.found:
        tree.body = with_missing_entries(tree.body, reader, namer, given)
        join_rows(tree.body, scope, given)
        refuse_inner_joins(tree.body, scope, refusals)
    if not refusals.found:
        tree.body = desugared(tree.body, scope, namer, refusals, given)
    results: tuple[str, ...] = ()
    if not refusals.found and not _returns_last(tree.body):
        results = single_exit(tree, namer, refusals).results
    return None if refusals.found else results


def _calls_itself(tree: Any, scope: Scope) -> bool:
    """Say whether a helper names itself, so that a call would be left wherever it is put."""
    nodes = (node for item in tree.body for node in walk(item))
    names = {node.id for node in nodes if isinstance(node, gast.Name)}
    return any(scope.lookup(name) is scope.function for name in names)


def _is_same(name: str, ours: Scope, other: Scope) -> bool:
    """Say whether a free name means the same in two scopes, also once it is bound anew."""
    value = other.lookup(name)
    if ours.lookup(name) is not value:
        return False
    if callable(value) or isinstance(value, ModuleType):
        return True
    mine, its = ours.used[name], other.used[name]
    return mine.holder is its.holder and mine.name == its.name


def _stored(body: list[Any]) -> set[str]:
    """Return the names that statements bind, also for themselves as comprehensions do."""
    nodes = (node for item in body for node in walk(item))
    return {
        node.id
        for node in nodes
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)
    }


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
        if name not in given and may_be_literal(value):
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
    return isinstance(node, _FOREIGN) or bound_place(node) is not None


def _names_in(tree: Any) -> list[str]:
    names = [node.id for item in tree.body for node in walk(item) if isinstance(node, gast.Name)]
    return [*_parameters(tree.args), *names]


def _returns_last(body: list[Any]) -> bool:
    """Say whether a body returns at its end alone, or not at all, and leaves no trip of a loop."""
    leaves = [item for item in statements(body) if isinstance(item, _LEAVING)]
    loops = (item for item in statements(body) if isinstance(item, (gast.For, gast.While)))
    if any(loop.orelse for loop in loops):
        return False
    return not leaves or (len(leaves) == 1 and body[-1] is leaves[0])
