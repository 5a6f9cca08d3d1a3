"""Rewrites branches and loops: what their paths agree on is known after them."""

from __future__ import annotations

import contextlib
from typing import Any

import gast

from srcgrad.frontend.expand.asking import Asking
from srcgrad.frontend.expand.keeping import (
    grows_by_functions,
    keeps_functions,
    known_elements,
    makes_function,
)
from srcgrad.frontend.expand.local_classes import local_class
from srcgrad.frontend.expand.scoping import renamed_in
from srcgrad.frontend.expand.values import (
    Choice,
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
)
from srcgrad.ir.build import assign, at, clone
from srcgrad.ir.walk import blocks_of, names_bound, statements

_LOOPS = (gast.For, gast.While)


class Control(Asking):
    """The part of the expansion that deals with branches and loops."""

    stable: Any = None

    def block(self, body: list[Any]) -> list[Any]:
        """Rewrite the statements of an inner block."""
        raise NotImplementedError("defined by `Body`")

    def statement(self, node: Any) -> None:
        """Rewrite one statement."""
        raise NotImplementedError("defined by `Body`")

    def other(self, node: Any) -> None:
        """Rewrite a statement of a kind without a method of its own."""
        raise NotImplementedError("defined by `Body`")

    def _With(self, node: Any) -> None:
        """Write ``with suppress(KeyError):`` as the `try` that it stands for."""
        call = node.items[0].context_expr
        known = self.value(clone(call.func)) if isinstance(call, gast.Call) else None
        suppresses = isinstance(known, Known) and known.value is contextlib.suppress
        if not suppresses or len(node.items) > 1 or node.items[0].optional_vars or call.keywords:
            self.other(node)
            return
        if not call.args:
            for item in node.body:
                self.statement(item)
            return
        caught = call.args[0] if len(call.args) == 1 else gast.Tuple(call.args, gast.Load())
        handler = gast.ExceptHandler(caught, None, [at(gast.Pass(), node)])
        self.statement(at(gast.Try(node.body, [at(handler, node)], [], []), node))

    def assign_name(self, name: str, value: Value, node: Any) -> None:
        """Let a name mean a static value, or bind a variable."""
        raise NotImplementedError("defined by `Body`")

    def unpack(self, target: Any, value: Value, node: Any) -> None:
        """Bind several targets."""
        raise NotImplementedError("defined by `Body`")

    def written(self, target: Any) -> None:
        """Note that names are bound to values that only the run tells."""
        raise NotImplementedError("defined by `Body`")

    def _If(self, node: Any) -> None:
        decided = self.decide(node.test)
        if decided is not None:
            self.changed = True
            for item in node.body if decided else node.orelse:
                self.statement(item)
            return
        node.test = self.test(node.test)
        before = dict(self.env)
        node.body = self.block(node.body)
        then, self.env = self.env, before
        node.orelse = self.block(node.orelse)
        self._join(node, then)
        if node.body or node.orelse:
            node.body = node.body or [at(gast.Pass(), node)]
            self.out.append(node)

    def _join(self, node: Any, then: dict[str, Value]) -> None:
        """Keep what both branches agree on, and make choices of functions."""
        joined: dict[str, Value] = {}
        for name in [*then, *[name for name in self.env if name not in then]]:
            first, second = then.get(name), self.env.get(name)
            if first is second or _same(first, second):
                joined[name] = first
            elif isinstance(first, Object) and isinstance(second, Object):
                joined[name] = self._joined_object(name, first, second, node)
            elif _is_function(first) and _is_function(second):
                if node.test is not self.stable:
                    node.test = self.stable = self._stable(node.test, node)
                joined[name] = Choice(clone(node.test), first, second)
            elif is_dtype(first) or is_dtype(second):
                branches = ((node.body, first), (node.orelse, second))
                self._bind_in_each(name, branches, joined, node)
            elif isinstance(first, Static) or isinstance(second, Static):
                joined[name] = Lost()
            else:  # a parameter that is a literal, or a variable under another name
                block, alias = (node.body, first) if second is None else (node.orelse, second)
                block.append(assign(name, clone(alias), node))
                self.own.add(name)
        self.env = joined

    def _bind_in_each(self, name: str, branches: Any, joined: dict[str, Value], node: Any) -> None:
        """Let a variable hold what is the type of numbers on one path, and something else else."""
        bound = [(block, value) for block, value in branches if value is not None]
        if any(isinstance(value, Static) and not is_dtype(value) for _, value in bound):
            joined[name] = Lost()
            return
        for block, value in bound:
            block.append(assign(name, clone(self.plain(value, node)), node))
        self.own.add(name)

    def _joined_object(self, name: str, first: Object, second: Object, node: Any) -> Value:
        """Let two objects of one class share the variables of the first."""
        alike = first.cls is second.cls and list(first.fields) == list(second.fields)
        if not alike or self._is_shared(first, name) or self._is_shared(second, name):
            return Lost()
        return first if self._copy_fields(second, first, node.orelse, node) else Lost()

    def _copy_fields(self, source: Object, target: Object, block: list[Any], node: Any) -> bool:
        pairs = [(target.fields[name], source.fields[name]) for name in target.fields]
        if not all(_same(a, b) or _are_variables(a, b) for a, b in pairs):
            return False
        block.extend(assign(a.id, clone(b), node) for a, b in pairs if _are_variables(a, b))
        return True

    def _is_shared(self, value: Object, name: str) -> bool:
        """Say whether an object may be reached under another name."""
        held = [item for key, item in self.env.items() if key != name]
        return any(_holds(item, value) for item in held)

    def forget(self, body: list[Any]) -> None:
        """Forget what a loop or a block that may not run binds."""
        for statement in statements(body):
            targets = list(getattr(statement, "targets", []))
            targets += [getattr(statement, "target", None)]
            names = [name for t in targets if t is not None for name in names_bound(t)]
            if isinstance(statement, gast.FunctionDef):
                continue
            for name in names:
                held = self.env.get(name)
                if isinstance(held, Static):
                    self.env[name] = held if isinstance(held, Object) else Lost()
                elif held is not None:
                    self.out.append(assign(name, clone(held), statement))
                    del self.env[name]
                    self.own.add(name)

    def _While(self, node: Any) -> None:
        self.forget(node.body)
        with self.conditional():
            node.test = self.test(node.test)
        node.body = self._loop_body(node.body, node)
        node.orelse = self.block(node.orelse)
        self.out.append(node)

    def _loop_body(self, body: list[Any], node: Any) -> list[Any]:
        before = dict(self.env)
        done = self.block(body)
        for name, value in before.items():
            after = self.env.get(name)
            if after is not value and not _same(after, value):
                self.refuse(node, f"`{name}`, which changes from trip to trip", "use two names")
        for name in set(self.env) - set(before):
            before[name] = Lost()
        self.env = before
        return done or [at(gast.Pass(), node)]

    # -- comprehensions

    def _value_ListComp(self, node: Any) -> Value:
        return self._comprehension(node)

    _value_SetComp = _value_GeneratorExp = _value_DictComp = _value_ListComp

    def _comprehension(self, node: Any) -> Value:
        first = node.generators[0]
        items = self.value(first.iter)
        unrolled = self._unrolled(node, items)
        if unrolled is not None:
            return unrolled
        first.iter = self.plain(items, first.iter)
        bound = [name for part in node.generators for name in names_bound(part.target)]
        hidden = {name: self.env.pop(name) for name in bound if name in self.env}
        with self.conditional():
            for part in node.generators:
                if part is not first:
                    part.iter = self.expression(part.iter)
                part.ifs = [self.test(item) for item in part.ifs]
            for field in ("elt", "key", "value"):
                if hasattr(node, field):
                    setattr(node, field, self.expression(getattr(node, field)))
        self.env.update(hidden)
        return node

    def _unrolled(self, node: Any, items: Value) -> Value | None:
        """Return a comprehension over a list of functions or objects as a display."""
        first = node.generators[0]
        elements = self.elements(items)
        simple = len(node.generators) == 1 and not first.ifs and not isinstance(node, gast.DictComp)
        elt, target = getattr(node, "elt", None), first.target
        makes = simple and elements is None and makes_function(self, elt)
        if makes:
            elements = known_elements(self, items)
        if elements is None or not simple or isinstance(node, gast.SetComp):
            return None
        if makes:  # the functions read the variables of the comprehension when they are called
            own = {name: self.fresh(name) for name in names_bound(target)}
            elt, target = renamed_in(elt, own), renamed_in(target, own)
        values = []
        before = dict(self.env)
        for element in elements:
            self.bind_target(target, element, node)
            values.append(self.value(clone(elt)))
        for name in [] if makes else names_bound(target):
            self.env.pop(name, None)
            if name in before:
                self.env[name] = before[name]
        return self._display_or_items(values, node)

    def _display_or_items(self, values: list[Value], node: Any) -> Value:
        if any(isinstance(value, Static) for value in values):
            return Items("list", values)
        return at(gast.List(values, gast.Load()), node)

    def run_through(self, node: Any) -> bool:
        """Run a generator in the place of a loop over it; say whether that may be done."""
        raise NotImplementedError("defined by `Generators`")

    def _For(self, node: Any) -> None:
        if self.run_through(node):
            return
        items = self.value(node.iter)
        elements = self.elements(items) if isinstance(items, Static) else None
        if elements is None and keeps_functions(self, node.body):
            elements = known_elements(self, items)
        if elements is None:
            elements = self.entries_chosen(node, items)
        if elements is not None and not node.orelse and not _leaves_loop(node.body):
            self.changed = True
            for element in elements:
                self._bind_loop(node.target, element, node)
                for item in clone(node.body):
                    self.statement(item)
            return
        node.iter = self.plain(items, node.iter)
        self.forget(node.body)
        self.written(node.target)
        self.name_field(node.target, node.iter)
        node.body = self._loop_body(node.body, node)
        node.orelse = self.block(node.orelse)
        self.out.append(node)

    def grown(self, node: Any) -> Value | None:
        """Return an empty list into which functions are put later on, else None."""
        empty = isinstance(node.value, gast.List) and not node.value.elts and self.wished
        tree = self.inlined[-1] if self.inlined else self.code.tree
        grows = empty and not self.depth and grows_by_functions(self, self.wished, tree)
        return Items("list", []) if grows else None

    def _ClassDef(self, node: Any) -> None:
        """Make a class that the function defines, if it is the same at each call."""
        made = local_class(self, node)
        if made is None:
            self.out.append(node)  # it is refused later on
            return
        self.changed = True
        self.env[node.name] = Known(made)

    def _bind_loop(self, target: Any, value: Value, node: Any) -> None:
        if self.names_entry(target, value):
            return
        if isinstance(target, gast.Name):
            self.assign_name(target.id, value if isinstance(value, Static) else clone(value), node)
            return
        self.unpack(target, value, node)

    def rebinds(self, name: str, value: Object, node: Any) -> bool:
        """Write a new object of the same class over the old one, where paths or trips meet."""
        old = self.env.get(name)
        if not isinstance(old, Object) or old.cls is not value.cls or old is value:
            return False
        if self.depth <= self.depths.get(id(old), 0) or list(old.fields) != list(value.fields):
            return False
        if self._is_shared(old, name) or self._is_shared(value, name):
            return False
        return self._copy_fields(value, old, self.out, node)

    def settle(self, value: Choice, node: Any) -> None:
        """Evaluate the tests of a choice now: their variables may change before the call."""
        if getattr(value.test, "id", "") not in self.temporaries:
            value.test = self._stable(value.test, node)
        for part in (value.then, value.other):
            if isinstance(part, Choice):
                self.settle(part, node)


def _leaves_loop(body: list[Any]) -> bool:
    """Say whether a loop's body may break, continue or return."""
    for statement in body:
        if isinstance(statement, (gast.Break, gast.Continue, gast.Return)):
            return True
        if isinstance(statement, gast.FunctionDef):
            continue
        for part in blocks_of(statement):
            if not isinstance(statement, _LOOPS) and _leaves_loop(part):
                return True
            if any(isinstance(item, gast.Return) for item in statements(part)):
                return True
    return False


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
