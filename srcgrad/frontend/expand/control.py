"""Rewrites branches and loops: what their paths agree on is known after them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from srcgrad.frontend.expand.changing_fields import ChangingFieldError
from srcgrad.frontend.expand.cursors import Cursor
from srcgrad.frontend.expand.keeping import (
    grows_by_functions,
    keeps_functions,
    known_elements,
)
from srcgrad.frontend.expand.literals import chosen_case
from srcgrad.frontend.expand.local_classes import local_class
from srcgrad.frontend.expand.named_loops import names_attributes
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import parameters, renamed_in
from srcgrad.frontend.expand.values import (
    Choice,
    Instance,
    Items,
    Known,
    Local,
    Lost,
    Method,
    Object,
    Partial,
    Static,
    Value,
    is_dtype,
    is_literal,
)
from srcgrad.frontend.normalize.matching import Matching, captures, leaking
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone
from srcgrad.ir.handlers import statement
from srcgrad.ir.imports import imported, is_there
from srcgrad.ir.jumps import falls_through, without_continue
from srcgrad.ir.liveness import first_reads
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import scope_of
from srcgrad.ir.walk import blocks_of, found_in, names_bound, places_in, statements, walk

_LOOPS = (gast.For, gast.While)

_CHANGING: Final = "`{}`, which changes from trip to trip"


class Control(Part):
    """The part of the expansion that deals with branches and loops."""

    _stable_test: Any = None

    @statement(gast.Try)
    def _try(self, node: Any) -> None:
        """Do what a `try` around imports does: which of them are there does not change."""
        chosen = None if node.finalbody else self._imported(node)
        if chosen is None:
            self._attempt(node)
            return
        self._run(chosen)

    def _attempt(self, node: Any) -> None:
        """Rewrite a `try`: what all of its ways agree on is known after it.

        Where its handlers begin, a name may mean what it did before or what the body let it mean.
        """
        for part in blocks_of(node):
            self.forget(part, functions=False)
        before = dict(self.frame.env)
        node.body = self.frame.block(node.body) or [at(gast.Pass(), node)]
        stopped = {**before, **_lost_among(self.frame.env, before)}
        node.orelse = self.frame.block(node.orelse)
        ways = [self.frame.env] if falls_through([*node.body, *node.orelse]) else []
        handled = []
        for item in node.handlers:
            self.frame.env = dict(stopped)
            item.type = item.type and self.frame.expression(item.type)
            item.body = self.frame.block(item.body) or [at(gast.Pass(), node)]
            handled.append(self.frame.env)
            ways += [self.frame.env] if falls_through(item.body) else []
        after = _agreed(ways) if ways else stopped
        if node.finalbody:  # it runs after any part of the others
            uncertain: dict[str, Value] = {**after, **_lost_among(stopped, before)}
            for env in (*ways, *handled):
                uncertain.update(_lost_among(env, before))
            self.frame.env = dict(uncertain)
            node.finalbody = self.frame.block(node.finalbody) or [at(gast.Pass(), node)]
            after = {**after, **_lost_among(self.frame.env, uncertain)}
        self.frame.env = after
        if not _does_something(node.body) and all(map(self._only_tells, node.handlers)):
            self.frame.out += [*node.orelse, *node.finalbody]
        elif _only_returns_literals(node.body) and not node.finalbody:
            self.frame.out += node.body
        else:
            self.frame.out.append(node)

    def _only_tells(self, handler: Any) -> bool:
        """Say whether a handler does nothing to values, as one that warns."""
        told = [item for item in handler.body if not isinstance(item, gast.Pass)]
        return not any(not isinstance(n, gast.Expr) or self.frame.varies(n.value) for n in told)

    def _imported(self, node: Any) -> list[Any] | None:
        """Return what is run of a `try` that only imports; None if that is not clear."""
        if not all(isinstance(item, (gast.Import, gast.ImportFrom)) for item in node.body):
            return None
        if all(imported(item, self.frame.code.source.function) for item in node.body):
            return [*node.body, *node.orelse]
        if len(node.body) > 1 or node.handlers[0].name or not node.handlers[0].type:
            return None
        kind = self.frame.value(clone(node.handlers[0].type))
        missing = not is_there(node.body[0])
        caught = isinstance(kind, Known) and kind.value in (ImportError, ModuleNotFoundError)
        return list(node.handlers[0].body) if missing and caught else None

    def decided(self, node: Any) -> list[Any] | None:
        """Return what is run of a branch or a `match` whose outcome is known; None of others."""
        if isinstance(node, gast.If):
            holds = self.frame.deciding.decide(node.test)
            return None if holds is None else (node.body if holds else node.orelse)
        if not isinstance(node, gast.Match):
            return None
        subject = self.frame.looked_at(node.subject)
        return chosen_case(subject, node.cases) if is_literal(subject) else None

    @statement(gast.Match)
    def _match(self, node: Any) -> None:
        chosen = self.decided(node)
        if chosen is None and self._is_taken_apart(node.subject):
            chosen = self._tests_of(node)
        if chosen is None:
            self.frame.statements.other(node)
            return
        self._run(chosen)

    def _is_taken_apart(self, subject: Any) -> bool:
        """Say whether the subject of a `match` is an object by its fields.

        Beside it in a loop may be others, which the run tells apart.
        """
        loops = found_in(self.frame.tree, gast.For)
        beside = {name for loop in loops for name in names_bound(loop.target)}
        alone = isinstance(subject, gast.Name) and subject.id not in beside
        return alone and isinstance(self.frame.looked_at(subject), (Object, Instance))

    def _tests_of(self, node: Any) -> list[Any] | None:
        """Return a `match` of an object as tests of its class and its fields, if it is clear."""
        source, namer = self.frame.code.source, cast("Namer", self.frame)
        refusals = Refusals(source)
        scope = scope_of(source.function, self.frame.code.tree)
        seen = leaking(self.frame.tree.body)
        own = clone(node)
        own.cases = [self._with_own_names(case, seen) for case in own.cases]
        lowered = Matching(self.frame.tree.body, namer, scope, refusals).block([own])
        return None if refusals.found else lowered

    def _with_own_names(self, case: Any, seen: set[str]) -> Any:
        """Return a case that binds names of its own, but for those that others read."""
        own = {n: self.frame.fresh(n) for n in captures(case.pattern) if n not in seen}
        for part in walk(case.pattern):
            for field in ("name", "rest"):
                if getattr(part, field, None) in own:
                    setattr(part, field, own[getattr(part, field)])
        case.guard = case.guard and renamed_in(case.guard, own)
        case.body = [renamed_in(item, own) for item in case.body]
        return case

    def _run(self, chosen: list[Any]) -> None:
        self.frame.changed = True
        for item in chosen:
            self.frame.statement(item)

    @statement(gast.If)
    def _if(self, node: Any) -> None:
        chosen = self.decided(node)
        if chosen is not None:
            self._run(chosen)
            return
        node.test = self.frame.asking.test(node.test)
        before = dict(self.frame.env)
        node.body = self.frame.block(node.body)
        then, self.frame.env = self.frame.env, before
        node.orelse = self.frame.block(node.orelse)
        if not falls_through(node.orelse):
            self.frame.env = then
        elif falls_through(node.body):
            self._join(node, then)
        if node.body or node.orelse:
            node.body = node.body or [at(gast.Pass(), node)]
            self.frame.out.append(node)

    def _join(self, node: Any, then: dict[str, Value]) -> None:
        """Keep what both branches agree on, and make choices of functions."""
        joined: dict[str, Value] = {}
        for name in [*then, *[name for name in self.frame.env if name not in then]]:
            first, second = then.get(name), self.frame.env.get(name)
            if first is second or _same(first, second):
                joined[name] = first
            elif isinstance(first, Object) and isinstance(second, Object):
                joined[name] = self._joined_object(name, first, second, node)
                if isinstance(joined[name], Lost):
                    self.session.records.leak(first, second)
            elif _is_function(first) and _is_function(second):
                if node.test is not self._stable_test:
                    node.test = self._stable_test = self.frame.expressions.stable(node.test, node)
                joined[name] = Choice(clone(node.test), first, second)
            elif any(map(_may_be_written, (first, second))):
                branches = ((node.body, first), (node.orelse, second))
                self._bind_in_each(name, branches, joined, node)
            elif isinstance(first, Static) or isinstance(second, Static):
                self.session.records.leak(first, second)
                joined[name] = Lost()
            else:  # a parameter that is a literal, or a variable under another name
                block, alias = (node.body, first) if second is None else (node.orelse, second)
                block.append(assign(name, clone(alias), node))
                self.frame.own.add(name)
        self.frame.env = joined

    def _bind_in_each(self, name: str, branches: Any, joined: dict[str, Value], node: Any) -> None:
        """Let a variable hold what is a type of numbers, or a tuple, on one path, and what else."""
        bound = [(block, value) for block, value in branches if value is not None]
        if any(isinstance(value, Static) and not _may_be_written(value) for _, value in bound):
            joined[name] = Lost()
            return
        for block, value in bound:
            block.append(assign(name, clone(self.frame.plain(value, node)), node))
        self.frame.own.add(name)

    def _joined_object(self, name: str, first: Object, second: Object, node: Any) -> Value:
        """Let two objects of one class share the variables of the first."""
        alike = first.cls is second.cls and list(first.fields) == list(second.fields)
        if not alike or self._is_shared(first, name) or self._is_shared(second, name):
            return Lost()
        return first if self._copy_fields(second, first, node.orelse, node) else Lost()

    def _copy_fields(self, source: Object, target: Object, block: list[Any], node: Any) -> bool:
        pairs = [(target.fields[name], source.fields[name]) for name in target.fields]
        for name, pair in zip(target.fields, pairs, strict=True):
            told = [isinstance(value, gast.Constant) for value in pair]
            variable = any(isinstance(value, gast.Name) for value in pair)
            if not _same(*pair) and (all(told) or (any(told) and variable)):
                raise ChangingFieldError(target.cls, name)
        if not all(_same(a, b) or _are_variables(a, b) for a, b in pairs):
            return False
        block.extend(assign(a.id, clone(b), node) for a, b in pairs if _are_variables(a, b))
        return True

    def _is_shared(self, value: Object, name: str) -> bool:
        """Say whether an object may be reached under another name."""
        held = [item for key, item in self.frame.env.items() if key != name]
        return any(_holds(item, value) for item in held)

    def forget(self, body: list[Any], *, functions: bool = True) -> None:
        """Forget what a loop or a block that may not run binds, also functions and objects."""
        for item in statements(body):
            targets = list(getattr(item, "targets", []))
            targets += [getattr(item, "target", None)]
            names = [name for t in targets if t is not None for name in names_bound(t)]
            if isinstance(item, gast.FunctionDef):
                continue
            for name in names:
                self.frame.present.discard(name)
                held = self.frame.env.get(name)
                if isinstance(held, Static) and not (functions and _may_be_written(held)):
                    if functions and not isinstance(held, Object):
                        self.frame.env[name] = Lost()
                elif held is not None:
                    value = clone(self.frame.plain(held, item))
                    self.frame.out.append(assign(name, value, item))
                    del self.frame.env[name]
                    self.frame.own.add(name)

    @statement(gast.While)
    def _while(self, node: Any) -> None:
        self.forget(node.body)
        with self.frame.conditional():
            node.test = self.frame.asking.test(node.test)
        node.body = self._loop_body(node.body, node)
        node.orelse = self.frame.block(node.orelse)
        self.frame.out.append(node)

    def _loop_body(self, body: list[Any], node: Any) -> list[Any]:
        before, first = dict(self.frame.env), first_reads(body)
        self.frame.plain_values.loops += 1
        done = self.frame.block(body)
        self.frame.plain_values.loops -= 1
        for name, value in before.items():
            after = self.frame.env.get(name)
            if after is not value and not _same(after, value):
                self.session.records.leak(after, value)
                self.frame.refuse(node, _CHANGING.format(name), "use two names")
        for name in set(self.frame.env) - set(before):
            self.session.records.leak(self.frame.env[name])
            if name in first and name in {*self.frame.own, *parameters(self.frame.tree.args)}:
                self.frame.refuse(node, _CHANGING.format(name), "use two names")
            before[name] = Lost()
        self.frame.env = before
        return done or [at(gast.Pass(), node)]

    @statement(gast.For)
    def _for(self, node: Any) -> None:
        node.iter = self.frame.iterating.iterated(node.iter)
        if self.frame.generators.run_through(node):
            return
        run, entries = self.frame.record_loops.run_through(node.iter), None
        if run is None:
            registers = self.frame.registers
            entries = registers.options(node) or registers.entries(node.iter)
        if run is None and entries is None and self.frame.told_names.wants(node):
            node.iter = self.frame.told_names.opened(node.iter)
        items = self.frame.value(node.iter) if run is None else run.iterable
        items = self.frame.cursors.looped(items, node) if isinstance(items, Cursor) else items
        run = self.frame.record_loops.held_in(items) if run is None else run
        elements: Iterable[Value] | None = entries
        if elements is None and isinstance(items, Static):
            elements = self.frame.expressions.elements(items)
        if elements is None and (keeps_functions(self.frame, node.body) or names_attributes(node)):
            elements = known_elements(self.frame, items)
        if elements is None:
            elements = self.frame.held_entries.entries_chosen(node, items)
        body = None if elements is None or node.orelse else without_continue(node.body)
        if elements is not None and body is not None and not _leaves_loop(body):
            self.frame.changed = True
            for element in elements:
                self._bind_loop(*self.frame.registers.numbered(node.target, element), node)
                for item in clone(body):
                    self.frame.statement(item)
            return
        node.iter = self.frame.plain(items, node.iter) if run is None else run.iterable
        self.forget(node.body)
        if run is not None:
            self.frame.record_names.bind_targets(node.target, run.kind, node)
        named = run is None and all(isinstance(p, gast.Name) for p in places_in(node.target))
        each = self.frame.plain_values.each_of(node.iter) if named else None
        self.frame.statements.written(node.target, each)
        self.frame.held_fields.name_field(node.target, node.iter)
        node.body = self._loop_body(node.body, node)
        node.orelse = self.frame.block(node.orelse)
        self.frame.out.append(node)

    def grown(self, node: Any) -> Value | None:
        """Return an empty list into which functions are put later on, else None."""
        empty = isinstance(node.value, gast.List) and not node.value.elts and self.frame.wished
        tree = self.frame.tree
        grows = (
            empty
            and not self.frame.depth
            and grows_by_functions(self.frame, self.frame.wished, tree)
        )
        return Items("list", []) if grows else None

    @statement(gast.ClassDef)
    def _class(self, node: Any) -> None:
        """Make a class that the function defines, if it is the same at each call."""
        made = local_class(self.frame, node)
        if made is None:
            self.frame.out.append(node)  # it is refused later on
            return
        self.frame.changed = True
        self.frame.env[node.name] = Known(made)

    def _bind_loop(self, target: Any, value: Value, node: Any) -> None:
        if self.frame.held_entries.names_entry(target, value):
            return
        if self.frame.told_names.binds(target, value, node):
            return
        if isinstance(target, gast.Name):
            self.frame.statements.assign_name(
                target.id, value if isinstance(value, Static) else clone(value), node
            )
            return
        parts = self.frame.told_names.pairs(target, value)
        if parts is None:
            self.frame.statements.unpack(target, value, node)
        for part, item in parts or ():
            self._bind_loop(part, item, node)

    def rebinds(self, name: str, value: Object, node: Any) -> bool:
        """Write a new object of the same class over the old one, where paths or trips meet."""
        old = self.frame.env.get(name)
        if not isinstance(old, Object) or old.cls is not value.cls or old is value:
            return False
        if self.frame.depth <= self.frame.depths.get(id(old), 0) or list(old.fields) != list(
            value.fields
        ):
            return False
        if self._is_shared(old, name) or self._is_shared(value, name):
            return False
        return self._copy_fields(value, old, self.frame.out, node)

    def settle(self, value: Choice, node: Any) -> None:
        """Evaluate the tests of a choice now: their variables may change before the call."""
        if getattr(value.test, "id", "") not in self.frame.temporaries:
            value.test = self.frame.expressions.stable(value.test, node)
        for part in (value.then, value.other):
            if isinstance(part, Choice):
                self.settle(part, node)


def _may_be_written(value: Value | None) -> bool:
    """Say whether a variable may hold what is known: a type of numbers, or a tuple of values."""
    if isinstance(value, Items) and value.kind == "tuple" and not value.is_own:
        return not any(isinstance(item, Static) for item in value.values)
    return is_dtype(value)


def _leaves_loop(body: list[Any]) -> bool:
    """Say whether a loop's body may break, continue or return."""
    for node in body:
        if isinstance(node, (gast.Break, gast.Continue, gast.Return)):
            return True
        if isinstance(node, gast.FunctionDef):
            continue
        for part in blocks_of(node):
            if not isinstance(node, _LOOPS) and _leaves_loop(part):
                return True
            if any(isinstance(item, gast.Return) for item in statements(part)):
                return True
    return False


def _does_something(body: list[Any]) -> bool:
    return not all(isinstance(item, gast.Pass) for item in body)


def _only_returns_literals(body: list[Any]) -> bool:
    """Say whether statements return a literal, so that nothing can be raised."""
    return all(isinstance(item, gast.Return) and is_literal(item.value) for item in body)


def _lost_among(env: dict[str, Value], before: dict[str, Value]) -> dict[str, Value]:
    """Return as lost the names that mean something else than before."""
    return {name: Lost() for name, value in env.items() if before.get(name) is not value}


def _agreed(ways: list[dict[str, Value]]) -> dict[str, Value]:
    """Return what names mean after several ways: a function or module if it is one on all."""
    first, *others = ways
    every = dict.fromkeys(name for env in ways for name in env)
    agree = {n: all(_is_one(first.get(n), env.get(n)) for env in others) for n in every}
    return {name: first[name] if agree[name] else Lost() for name in every}


def _is_one(first: Value, second: Value) -> bool:
    return first is second or (isinstance(first, Known) and _same(first, second))


def _same(first: Value, second: Value) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, Static):
        kind = getattr(first, "value", None)
        return kind is not None and kind is getattr(second, "value", None)
    return first is not None and gast.dump(first) == gast.dump(second)


def _is_function(value: Value) -> bool:
    return isinstance(value, (Known, Local, Partial, Method, Choice))


def _are_variables(first: Value, second: Value) -> bool:
    return isinstance(first, gast.Name) and isinstance(second, gast.Name)


def _holds(value: Value, wanted: Object) -> bool:
    """Say whether a static value is or has an object."""
    if value is wanted:
        return True
    if isinstance(value, Items):
        return any(_holds(item, wanted) for item in value.values)
    if isinstance(value, Object):
        return any(_holds(item, wanted) for item in value.fields.values())
    if isinstance(value, Method):
        return _holds(value.owner, wanted)
    if isinstance(value, Partial):
        return any(_holds(item, wanted) for item in [*value.args, *value.keywords.values()])
    return False
