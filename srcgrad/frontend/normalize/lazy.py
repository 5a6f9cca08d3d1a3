"""Writes what is made item by item, as a loop asks for it, into that loop.

A generator expression, `map` or `filter` runs between the trips of a loop over it, so what the loop
changes is seen by what is made next. So a list of its items, made before, would not do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any, Final

from srcgrad.frontend.normalize.comprehensions import (
    comprehension_of,
    inlined,
    is_plain_lambda,
    loops,
    names_outside,
    own_names,
)
from srcgrad.frontend.normalize.loops import may_change
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load, store
from srcgrad.ir.jumps import breaks_out, inner_blocks
from srcgrad.ir.names import Namer
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import found_in, names_bound, names_read, nodes_in, walk

_LAZY: Final = (map, filter, zip, enumerate, reversed)
_KEPT: Final = (gast.Name, gast.Constant)
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_HEADS: Final = ("value", "iter", "test")


class Lazy:
    """Rewrites one function body.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> scope = program_of("def f(x): squares = x; return squares").reader.scope
    >>> body = parse('''
    ... squares = map(lambda v: v * v, x[1:])
    ... for i, s in enumerate(squares):
    ...     y = y + i * s
    ... for s in (v * y for v in x if v > y):
    ...     y = y * 2
    ... ''')
    >>> namer = Namer(["x", "y", "i", "s", "squares", "v"])
    >>> print(text(Lazy(scope, namer, None).function(body)))
    items = x[1:]
    for i, v_2 in enumerate(items):
        s = v_2 * v_2
        y = y + i * s
    for v_3 in x:
        if v_3 > y:
            s = v_3 * y
            y = y * 2
    """

    def __init__(
        self, scope: Scope, namer: Namer, refusals: Refusals, parameters: Collection[str] = ()
    ) -> None:
        self._scope = scope
        self._namer = namer
        self._refusals = refusals
        self._parameters = parameters
        self._taken: set[str] = set()
        self._mentioned: Counter[str] = Counter()

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function in which what is lazy runs where it is used up."""
        whole = gast.Module(body, [])
        if not any(map(self._is_lazy, found_in(whole, gast.GeneratorExp, gast.Call))):
            return body
        self._taken = names_outside(body)
        self._mentioned = Counter(item.id for item in found_in(whole, gast.Name))
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        block = self._without_names(block)
        done: list[Any] = []
        for statement in block:
            for part in inner_blocks(statement):
                part[:] = self._block(part)
            done.append(self._looped(statement) if isinstance(statement, gast.For) else statement)
        return done

    def _is_lazy(self, node: Any) -> bool:
        if isinstance(node, gast.GeneratorExp):
            return True
        callee = self._scope.resolve(node.func) if isinstance(node, gast.Call) else MISSING
        return any(callee is kind for kind in _LAZY) and not node.keywords

    # -- names that are used up once

    def _without_names(self, block: list[Any]) -> list[Any]:
        """Put what is lazy in the place of its name, where that is read once, behind it."""
        done: list[Any] = []
        block = list(block)
        for place, statement in enumerate(block):
            name = self._name_of(statement)
            user = self._user_of(name, block[place + 1 :]) if name else None
            if user is None:
                done.append(statement)
                continue
            done += self._kept_sources(statement, block[place + 1 : place + 2 + user])
            put = _Put(name, statement.value)
            reader = block[place + 1 + user]
            for field in _HEADS:
                if isinstance(getattr(reader, field, None), gast.AST):
                    setattr(reader, field, put.visit(getattr(reader, field)))
        return done

    def _name_of(self, statement: Any) -> str:
        """Return the name that a statement gives to what is lazy, if it is read once in all."""
        if not isinstance(statement, gast.Assign) or len(statement.targets) > 1:
            return ""
        name = getattr(statement.targets[0], "id", "")
        once = name and self._mentioned[name] == len(("bound", "read"))
        own = once and name in self._scope.local and name not in self._parameters
        return name if own and self._is_lazy(statement.value) else ""

    def _user_of(self, name: str, block: list[Any]) -> int | None:
        """Return which statement of a block reads a name in a place that is come by once."""
        for place, statement in enumerate(block):
            if name in (item.id for item in found_in(statement, gast.Name)):
                heads = [getattr(statement, field, None) for field in _HEADS]
                if isinstance(statement, gast.While):
                    return None
                return place if any(_reads_once(head, name) for head in heads) else None
        return None

    def _kept_sources(self, statement: Any, until: list[Any]) -> list[Any]:
        """Bind what is evaluated where something lazy is made, and would be another later."""
        done: list[Any] = []
        bound = {name for item in until for name in _bound_in(item)}

        def kept(node: Any) -> Any:
            if self._is_lazy(node):
                keep_sources(node)
                return node
            plain = isinstance(node, _KEPT) and getattr(node, "id", "") not in bound
            plain = plain or self._scope.resolve(node) is not MISSING
            if plain or (isinstance(node, gast.Lambda) and not node.args.defaults):
                return node
            done.append(assign(self._namer.fresh("items"), node, statement))
            return load(done[-1].targets[0].id)

        def keep_sources(node: Any) -> None:
            if isinstance(node, gast.GeneratorExp):
                node.generators[0].iter = kept(node.generators[0].iter)
            else:
                node.args = [kept(item) for item in node.args]

        keep_sources(statement.value)
        return done

    # -- loops

    def _looped(self, loop: Any) -> Any:
        """Return a loop over what items are made of, which are made in its body."""
        made = self._as_generator(loop.iter)
        if made is None:
            lead: list[Any] = []
            bound = {*names_bound(loop.target)}
            loop.iter, loop.target = self._through(loop.iter, loop.target, bound, lead)
            loop.body[:0] = lead
            return loop
        if len(made.generators) > 1 and (breaks_out(loop) or loop.orelse):
            if changes_between(made, loop):
                what = "a loop that changes what its generator reads, and may leave two loops"
                self._refusals.add(loop.iter, what, "write both loops out")
            return loop
        made = own_names(made, self._taken, self._namer)
        first = assign(loop.target, made.elt, loop)
        (done,) = loops(made.generators, [first, *loop.body], loop)
        done.orelse = loop.orelse
        return self._looped(done)

    def _through(
        self, iterable: Any, target: Any, bound: set[str], lead: list[Any]
    ) -> tuple[Any, Any]:
        """Return what is run over and its target; `lead` gets what makes items of that.

        `bound` are the names that the loop binds, none of which has its new value by then.
        """
        made = self._as_generator(iterable)
        if made is not None:
            part = made.generators[0]
            read = {*names_read(made.elt)} - {*names_bound(part.target)}
            if len(made.generators) > 1 or part.ifs or not bound.isdisjoint(read):
                return iterable, target
            made = own_names(made, self._taken, self._namer)
            part = made.generators[0]
            found = self._through(part.iter, part.target, bound, lead)
            lead.append(assign(target, made.elt, iterable))
            return found
        callee = self._callee(iterable)
        items = target.elts if isinstance(target, (gast.Tuple, gast.List)) else []
        if callee is enumerate and len(items) == len(("number", "item")) and iterable.args:
            found = self._through(iterable.args[0], items[1], bound, lead)
            iterable.args[0], items[1] = found
        elif callee is zip and len(items) == len(iterable.args):
            for place, (inner, item) in enumerate(zip(iterable.args, items, strict=True)):
                iterable.args[place], items[place] = self._through(inner, item, bound, lead)
        return iterable, target

    def _callee(self, node: Any) -> Any:
        plain = isinstance(node, gast.Call) and not node.keywords
        if not plain or any(isinstance(item, gast.Starred) for item in node.args):
            return MISSING
        return self._scope.resolve(node.func)

    def _as_generator(self, node: Any) -> Any | None:
        """Return a generator expression for one, and for `map` and `filter`; None of others."""
        if isinstance(node, gast.GeneratorExp):
            return node
        callee = self._callee(node)
        if callee not in (map, filter) or len(node.args) < len(("function", "items")):
            return None
        function, *sources = node.args
        plain = isinstance(function, (gast.Name, gast.Attribute))
        nothing = callee is filter and getattr(function, "value", function) is None
        if not plain and not nothing and not is_plain_lambda(function, len(sources)):
            return None
        told = (
            function.args.args
            if isinstance(function, gast.Lambda)
            else [load("item")] * len(sources)
        )
        names = [self._namer.fresh(item.id) for item in told or [load("item")]]
        value = load(names[0])
        if not nothing:
            value = inlined(function, [load(name) for name in names])
        if callee is filter:
            made = comprehension_of(load(names[0]), names[0], sources[0], value)
        elif len(sources) == 1:
            made = comprehension_of(value, names[0], sources[0])
        else:
            made = comprehension_of(value, "_", at(gast.Call(load("zip"), sources, []), node))
            made.generators[0].target = gast.Tuple([store(n) for n in names], gast.Store())
        return at(gast.GeneratorExp(made.elt, made.generators), node)


def changes_between(made: Any, loop: Any) -> bool:
    """Say whether the body of a loop may change what a generator expression over it reads."""
    read = {*names_read(made)}
    nodes = [node for statement in loop.body for node in walk(statement)]
    bound = {*names_bound(loop.target)}.union(*map(_bound_in, loop.body))
    return not bound.isdisjoint(read) or any(may_change(node, read) for node in nodes)


class _Put(Rewriter):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: Any) -> None:
        self._name = name
        self._value = value

    def visit_Name(self, node: Any) -> Any:
        """Return the expression for the name."""
        return self._value if node.id == self._name else node


def _reads_once(node: Any, name: str) -> bool:
    """Say whether an expression reads a name in a place that is evaluated once at the most."""
    if isinstance(node, gast.Name):
        return bool(node.id == name)
    if isinstance(node, gast.Lambda) or not isinstance(node, gast.AST):
        return False
    if isinstance(node, _COMPREHENSIONS):
        return _reads_once(node.generators[0].iter, name)
    return any(_reads_once(part, name) for part in nodes_in(node))


def _bound_in(node: Any) -> set[str]:
    """Return the names that a statement binds."""
    return {item.id for item in found_in(node, gast.Name) if not isinstance(item.ctx, gast.Load)}
