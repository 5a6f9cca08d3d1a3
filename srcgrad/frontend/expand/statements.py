"""Rewrites the statements of one function: the entry of the expansion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.expand.assumptions import Outside
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.keeping import hands_out
from srcgrad.frontend.expand.order import is_idle
from srcgrad.frontend.expand.own_targets import with_names
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import binds_imported, parameters
from srcgrad.frontend.expand.stars import returns_star
from srcgrad.frontend.expand.values import (
    Choice,
    Instance,
    Items,
    Known,
    Local,
    Lost,
    Object,
    Recorded,
    Static,
    Value,
    is_named,
    places_for,
)
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load
from srcgrad.ir.handlers import statement
from srcgrad.ir.imports import imported
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import blocks_of, names_bound, places_in, walk

_LOOPS = (gast.For, gast.While)


class Statements(Part):
    """The part of the expansion that deals with statements."""

    _end: Any  # the `return` that was met last

    def function_body(self, body: list[Any]) -> list[Any]:
        self._end = body[-1]
        result = self.run(body)
        if isinstance(result, Recorded) and self.frame.record_calls.returns_objects:
            result = self.frame.record_calls.returned(result, self._end)
        elif isinstance(result, Static):
            if not isinstance(result, Items) or self._must_be_known(result):
                self.session.records.leak(result)
                raise NeedsInlineError
            result = self.frame.plain(result, self._end)
        elif result is not None:
            if self._must_be_known(result):
                raise NeedsInlineError
            self.frame.record_calls.note_plain(result, self._end)
        if result is not None:
            self.frame.out.append(at(gast.Return(result), self._end))
        return self.frame.out or [at(gast.Pass(), body[0])]

    def _must_be_known(self, value: Value) -> bool:
        return not self.frame.begins and hands_out(value)

    def run(self, body: list[Any]) -> Value | None:
        queue = list(body)
        while queue:
            node = queue.pop(0)
            chosen = self.frame.control.decided(node)
            if chosen is not None:
                self.frame.changed = True
                queue[:0] = chosen
                continue
            if isinstance(node, gast.Return):
                if node.value is None:
                    self._end = node
                    return at(gast.Constant(None, None), node)
                self.begin(node)
                value = self.frame.value(node.value)
                self._end = node  # not before: a helper may return on the way
                return value if isinstance(value, Static) else at(self._whole(value, node), node)
            if self.frame.inlined and _returns(node):
                queue = self.frame.placing.with_one_exit([node, *queue])
                continue
            self.frame.statement(node)
        return None

    def block(self, body: list[Any]) -> list[Any]:
        """Rewrite the statements of an inner block."""
        outer, self.frame.out = self.frame.out, []
        self.frame.depth += 1
        try:
            for node in body:
                self.frame.statement(node)
            return self.frame.out
        finally:
            self.frame.depth -= 1
            self.frame.out = outer

    def begin(self, node: Any) -> None:
        """Note what a statement evaluates first, after what must be a statement before it."""
        self.frame.generators.use_up(node)
        self.frame.sequencing.sequence(node)
        parts = (getattr(node, name, None) for name in ("value", "test", "iter"))
        value = next((part for part in parts if isinstance(part, gast.AST)), None)
        update = isinstance(node, gast.AugAssign)  # the target is read before
        first = None if update and not self.frame.may_wait(node.target) else value
        self.frame.begin(first, value)

    def other(self, node: Any) -> None:
        """Rewrite a statement of a kind without a method of its own."""
        for name, part in gast.iter_fields(node):
            if isinstance(part, gast.expr) and not isinstance(
                getattr(part, "ctx", None), gast.Store
            ):
                setattr(node, name, self.frame.expression(part))
        before = dict(self.frame.env)
        for part in (*blocks_of(node), *(case.body for case in getattr(node, "cases", []))):
            self.frame.control.forget(part)
            part[:] = self.block(part) or ([at(gast.Pass(), node)] if part else [])
        for item in getattr(node, "items", []):
            item.context_expr = self._manager(item.context_expr)
        for item in getattr(node, "handlers", []):
            item.type = item.type and self.frame.expression(item.type)
        if not isinstance(node, gast.With):  # its body runs; of others not all parts may
            changed = [n for n, value in self.frame.env.items() if before.get(n) is not value]
            self.frame.env.update({name: Lost() for name in changed})
        self.frame.out.append(node)

    def _manager(self, node: Any) -> Any:
        """Return a context manager; one that is made of nothing that varies is left to the run."""
        callee = self.frame.looked_at(node.func) if isinstance(node, gast.Call) else None
        if not isinstance(callee, Known) or self.frame.varies(node):
            return self.frame.expression(node)
        node.func = self.frame.plain(callee, node.func)
        node.args = [self.frame.given.plain_argument(item) for item in node.args]
        for item in node.keywords:
            item.value = self.frame.expression(item.value)
        return node

    # -- simple statements

    @statement(gast.Assert)
    def _assertion(self, node: Any) -> None:
        node.test = self.frame.asking.test(node.test)
        node.msg = node.msg and self.frame.expression(node.msg)
        self.frame.out.append(node)

    @statement(gast.Return)
    def _return(self, node: Any) -> None:
        if node.value is not None:
            value = self.frame.value(node.value)
            if isinstance(value, Recorded) and self.frame.record_calls.returns_objects:
                value = self.frame.record_calls.returned(value, node)
            elif isinstance(value, Static) and (
                not isinstance(value, (Items, Instance)) or self._must_be_known(value)
            ):
                self.session.records.leak(value)
                raise NeedsInlineError
            else:
                self.frame.record_calls.note_plain(value, node)
            node.value = self._whole(self.frame.plain(value, node), node)
        self.frame.out.append(node)

    def _whole(self, value: Any, node: Any) -> Any:
        """Return a tuple by one name, where one with a star is returned, of which nobody counts."""
        if not isinstance(value, gast.Tuple) or not returns_star(self.frame.code.tree):
            return value
        self.frame.bind(name := self.frame.variable("result"), value, node)
        return load(name)

    @statement(gast.Pass)
    def _pass(self, node: Any) -> None:
        if not self.frame.inlined:
            self.frame.out.append(node)

    @statement(gast.Nonlocal)
    def _nonlocal(self, node: Any) -> None:
        if not self.frame.inlined:
            self.frame.out.append(node)

    @statement(gast.Global)
    def _global(self, node: Any) -> None:
        node.names = [name for name in node.names if not self.frame.held_names.is_held(name)]
        if node.names and not self.frame.inlined:
            self.frame.out.append(node)

    @statement(gast.Import, gast.ImportFrom)
    def _import(self, node: Any) -> None:
        """Let names mean the functions and modules that an import binds, if it surely runs."""
        relative = bool(self.frame.inlined) and bool(getattr(node, "level", 0))
        found = {} if relative else imported(node, self.frame.code.source.function)
        if self._names_apart(found):
            for name, (_, value, _) in found.items():
                self.frame.env[name] = Known(value)
            self.frame.changed = True
            return
        if not self.frame.depth:
            for name, binding in found.items():
                self._bind_import(name, Binding(*binding))
        self.frame.out.append(node)

    def _names_apart(self, found: dict[str, Any]) -> bool:
        """Say whether an import that may not run binds names to functions and modules alone.

        So where it binds a parameter. A name that a loop binds otherwise may mean either.
        """
        tree = self.frame.tree
        given = () if self.frame.inlined else parameters(tree.args)
        apart = self.frame.depth > 0 or not found.keys().isdisjoint(given)
        known = all(is_named(value) for _, value, _ in found.values())
        return bool(found) and apart and known and not binds_imported(tree)

    def _bind_import(self, name: str, binding: Binding) -> None:
        """Let a name mean what an import binds it to; data is read where the text runs."""
        value = binding.value
        if is_named(value):
            self.frame.env[name] = Known(value, load(name))
            return
        self.frame.imports[name] = binding
        if self.session.reading(binding, self.frame.code.source) is None:
            found = self.frame.lookup.outside(value, load(name), Outside(binding))
            if isinstance(found, Static):
                self.frame.env[name] = found

    @statement(gast.FunctionDef)
    def _function(self, node: Any) -> None:
        self.frame.changed = True
        function: Value = self.frame.expressions.local_function(node)
        for decorator in reversed(node.decorator_list):
            deco = self.frame.value(decorator)
            if not isinstance(deco, Static):
                self.frame.refuse(node, "a decorator that only the run tells", "leave it out")
            function = self.frame.call(deco, [function], {}, decorator)
        node.decorator_list = []
        self.assign_name(node.name, function, node)

    @statement(gast.Expr)
    def _evaluated(self, node: Any) -> None:
        if isinstance(node.value, gast.Constant):
            if not self.frame.inlined:
                self.frame.out.append(node)
            return
        if self.frame.named_attributes.sets(node) or self.frame.static_items.grows(node.value):
            return
        if self.frame.options.puts_options(node.value, node) or self.frame.fields.tells(node):
            return
        self.frame.dropped = node.value
        value = self.frame.value(node.value)
        if isinstance(value, Static) or is_idle(value):
            return
        node.value = value
        self.frame.out.append(node)

    @statement(gast.Assign)
    def _assignment(self, node: Any) -> None:
        target = node.targets[0]
        self.frame.wished = target.id if isinstance(target, gast.Name) else ""
        self.frame.bound_field = getattr(target, "attr", "")
        self.frame.assigned = (self.frame.wished, node.value)
        written = node.value
        if self.frame.wished in self.frame.starred and not self.frame.depth:
            node.value = self.frame.told_names.as_names(node.value)
        made = self.frame.options.copied_options(target, node) or self.frame.control.grown(node)
        value = made or self.frame.value(node.value)
        self.frame.wished = ""
        self.frame.held_fields.name_field(target, value)
        if self.frame.literals.names(node.targets, written, value):
            return
        if len(node.targets) > 1 and isinstance(value, Static):
            for item in node.targets:
                self._assign_to(item, value, node)
            return
        if len(node.targets) > 1:
            if any(self._is_special(item) for item in node.targets):
                name = self.frame.keep("value", value, node)
                for item in node.targets:
                    self._assign_to(item, clone(name), node)
                return
            node.value = value
            for item in node.targets:
                self.written(item, value)
            self.frame.out.append(node)
            return
        if isinstance(target, gast.Name):
            value = self.frame.options.opened_display(target.id, value, node)
        self._assign_to(target, value, node)

    def _is_special(self, target: Any) -> bool:
        names = set(names_bound(target))
        known = bool(names & set(self.frame.env)) or bool(names & self.frame.globals)
        stored = self.frame.held_entries.is_entry, self.frame.registers.is_entry
        entry = any(is_it(target) for is_it in (*stored, self.frame.indexing.stores))
        return known or entry or isinstance(target, gast.Attribute)

    @statement(gast.AnnAssign)
    def _annotated(self, node: Any) -> None:
        if node.value is None:
            return
        self.frame.wished = node.target.id if isinstance(node.target, gast.Name) else ""
        value = self.frame.value(node.value)
        self.frame.wished = ""
        self._assign_to(node.target, value, node)

    def _assign_to(self, target: Any, value: Value, node: Any) -> None:
        if isinstance(target, gast.Name):
            if not self.frame.held_names.bind_outside(target.id, value, node):
                self.assign_name(target.id, value, node)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self.unpack(target, value, node)
        elif any(puts(target, value, node) for puts in self._putting):
            self.frame.changed = True
        else:
            self.written(target, value)
            self.frame.out.append(assign(target, self.frame.plain(value, node), node))

    @property
    def _putting(self) -> tuple[Callable[[Any, Value, Any], bool], ...]:
        parts = self.frame.options, self.frame.indexing, self.frame.records, self.frame.registers
        return parts[0].puts, parts[1].store, parts[2].store, parts[3].store

    def unpack(self, target: Any, value: Value, node: Any) -> None:
        if isinstance(value, Recorded) and isinstance(value.expression, gast.Call):
            value = self.frame.record_names.keep(value, "part", node)
        items = self.frame.expressions.elements(value) if isinstance(value, Static) else None
        if items is None and isinstance(value, Object):
            items = self.frame.iterating.unpacked(value, node)
        if items is None or places_for(target, items) is None:
            plain = self.frame.plain(value, node)
            target = self.frame.held_fields.with_variables(target, plain)
            items = list(plain.elts) if isinstance(plain, gast.Tuple) else []
            known = places_for(target, items) is not None
            if not known or not any(map(self._is_special, target.elts)):
                target, later = with_names(target, self._is_own_field, self.frame.variable)
                self.written(target, plain)
                self.frame.out.append(assign(target, plain, node))
                for place, name in later:
                    self.frame.temporaries.add(name)
                    self._assign_to(place, load(name), node)
                return
        values = [self._kept_part(item, node) for item in items]
        for item, place in zip(target.elts, places_for(target, values) or (), strict=True):
            part = values[place]
            if isinstance(item, gast.Starred):
                self._assign_to(item.value, self._rest(item.value, part), node)
            else:
                self.frame.held_fields.name_field(item, part[0])
                self._assign_to(item, part[0], node)

    def _is_own_field(self, target: Any) -> bool:
        """Say whether a target is a field of an object whose fields are variables, or entries."""
        if self.frame.indexing.stores(target):
            return True
        if not isinstance(target, gast.Attribute):
            return False
        return isinstance(self.frame.looked_at(target.value), (Object, Recorded))

    def _kept_part(self, value: Value, node: Any) -> Value:
        if isinstance(value, Recorded):
            return self.frame.record_names.keep(value, "part", node)
        if isinstance(value, (Static, gast.Constant)):
            return value
        kept = self.frame.keep(getattr(value, "id", "part"), value, node)
        self.frame.held_fields.name_field(kept, value)
        return kept

    def _rest(self, target: Any, values: list[Value]) -> Value:
        """Return the list that a starred target gets."""
        known = any(isinstance(item, Static) for item in values)
        name = getattr(target, "id", "")
        if known or (
            name in self.frame.starred and name not in self.frame.rewritten and not self.frame.depth
        ):
            return Items("list", values)
        return gast.List(values, gast.Load())

    def assign_name(self, name: str, value: Value, node: Any) -> None:
        """Let a name mean a static value, or bind a variable."""
        self.frame.present.discard(name)
        if isinstance(value, Recorded):
            self.frame.record_names.bind(name, value, node)
            return
        if isinstance(value, Items) and name in self.frame.rewritten:
            value = value.as_written() or value
        if isinstance(value, Static) and not self._has_name(value):
            self.frame.changed = True
            value = self.frame.record_names.settled(value, node)
            if isinstance(value, Object) and self.frame.control.rebinds(name, value, node):
                return
            if isinstance(value, Choice):
                self.frame.control.settle(value, node)
            if isinstance(value, Local) and value.code.tree.name == "function":
                value.code.tree.name = name
            self.frame.env[name] = value
            return
        self.frame.env.pop(name, None)
        self.frame.imports.pop(name, None)
        self.frame.own.add(name)
        self.frame.record_names.note_plain(name, value, node)
        self.frame.bind(name, self.frame.plain(value, node), node)
        if isinstance(value, Instance):
            self.frame.env[name] = Instance(value.value, load(name), value.root)

    def _has_name(self, value: Static) -> bool:
        """Say whether a value is an object that a variable of the text may mean."""
        if not isinstance(value, Instance) or value.leaves is not None:
            return False
        return self.session.holding.of(value.value) is None

    def written(self, target: Any, value: Value | None = None) -> None:
        """Note that names are bound to values that only the run tells."""
        for name in names_bound(target):
            self.frame.env.pop(name, None)
            self.frame.imports.pop(name, None)
            self.frame.present.discard(name)
            self.frame.own.add(name)
            bound = _bound_to(name, target, value)
            self.frame.record_names.note_plain(name, bound, target)
            self.frame.note_bound(name, bound, target)
        for part in places_in(target):
            if isinstance(part, gast.Subscript):
                self.frame.held_fields.store_into_field(part, value, target)
            self._written_place(part, target)

    def _written_place(self, place: Any, target: Any) -> None:
        for item in walk(place):
            if isinstance(item, gast.Subscript):
                owner = item.value
                held = self.frame.env.get(getattr(owner, "id", ""))
                known = self.frame.value(clone(owner))
                self.frame.indexing.refuse_here(known, target)
                if isinstance(known, (Items, Object)):
                    self.frame.constructing.keep_as_list(owner, known)
                    self.session.records.leak(known)
                    self.frame.refuse(target, "a write into a list of functions", "make a new one")
                item.slice = self.frame.expression(item.slice)
                outside = getattr(owner, "id", "") not in self.frame.own
                if not isinstance(owner, gast.Name) or held is not None or outside:
                    item.value = self.frame.expression(owner)
                return
            if isinstance(item, gast.Attribute):
                item.value = self.frame.expression(item.value)
                return

    @statement(gast.Delete)
    def _deletion(self, node: Any) -> None:
        delete = self.frame.indexing.delete
        node.targets = [t for t in node.targets if not delete(t, node) and not self._forgotten(t)]
        for target in node.targets:
            self._written_place(target, node)
        if node.targets:
            self.frame.out.append(node)

    def _forgotten(self, target: Any) -> bool:
        if isinstance(target, gast.Attribute):
            owner = self.frame.value(clone(target.value))
            if isinstance(owner, Instance) and self.session.holding.of(owner.value) is not None:
                self.frame.refuse(target, "deleting a field that may be written", "set it to None")
        held = isinstance(target, gast.Subscript) and self.frame.value(clone(target.value))
        if self.frame.held_entries.is_held_by_entries(held):
            self.frame.refuse(target, "deleting an entry of what is written", "set it to None")
        return self.frame.env.pop(getattr(target, "id", ""), None) is not None


def _bound_to(name: str, target: Any, value: Value | None) -> Value | None:
    """Return what a name among targets is bound to, as far as a display of values tells."""
    parts, values = getattr(target, "elts", ()), getattr(value, "elts", ())
    if any(isinstance(part, gast.Starred) and name in names_bound(part) for part in parts):
        return None  # a list, into which anything may be put later on
    if not parts or len(parts) != len(values):
        return value
    pairs = zip(parts, values, strict=True)
    return next((_bound_to(name, *pair) for pair in pairs if name in names_bound(pair[0])), value)


def _returns(node: Any) -> bool:
    """Say whether a statement holds a `return` of the function that it is in."""
    if isinstance(node, (gast.FunctionDef, gast.ClassDef)):
        return False
    if isinstance(node, gast.Return):
        return True
    blocks = [*blocks_of(node), *[item.body for item in getattr(node, "cases", [])]]
    return any(_returns(item) for block in blocks for item in block)
