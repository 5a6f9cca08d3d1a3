"""Rewrites the statements of one function: the entry of the expansion."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.expand.assumptions import Outside
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.options import Options
from srcgrad.frontend.expand.order import is_idle
from srcgrad.frontend.expand.placing import makes_functions
from srcgrad.frontend.expand.values import (
    Choice,
    Instance,
    Items,
    Known,
    Local,
    Lost,
    Object,
    Static,
    Value,
    is_literal,
    places_for,
)
from srcgrad.ir.build import assign, at, clone, load, store
from srcgrad.ir.imports import imported
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import blocks_of, names_bound, places_in, walk
from srcgrad.runtime.objects import is_plain_object

_LOOPS = (gast.For, gast.While)


class Body(Options):
    """The part of the expansion that deals with statements."""

    def function_body(self, body: list[Any]) -> list[Any]:
        result = self.run(body)
        if isinstance(result, Static):
            if not isinstance(result, Items):
                raise NeedsInlineError
            result = self.plain(result, body[-1])
        if result is not None:
            self.out.append(at(gast.Return(result), body[-1]))
        return self.out or [at(gast.Pass(), body[0])]

    def run(self, body: list[Any]) -> Value | None:
        queue = list(body)
        while queue:
            node = queue.pop(0)
            if isinstance(node, gast.If):
                decided = self.decide(node.test)
                if decided is not None:
                    self.changed = True
                    queue[:0] = node.body if decided else node.orelse
                    continue
            if isinstance(node, gast.Return):
                if node.value is None:
                    return at(gast.Constant(None, None), node)
                self._begin(node)
                value = self.value(node.value)
                return value if isinstance(value, Static) else at(value, node)
            if self.inlined and _returns(node):
                queue = self.with_one_exit([node, *queue])
                continue
            self.statement(node)
        return None

    def block(self, body: list[Any]) -> list[Any]:
        """Rewrite the statements of an inner block."""
        outer, self.out = self.out, []
        self.depth += 1
        try:
            for node in body:
                self.statement(node)
            return self.out
        finally:
            self.depth -= 1
            self.out = outer

    def statement(self, node: Any) -> None:
        self._begin(node)
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is not None:
            method(node)
        else:
            self.other(node)

    def _begin(self, node: Any) -> None:
        """Note what a statement evaluates first, after what must be a statement before it."""
        self.use_up(node)
        self.sequence(node)
        parts = (getattr(node, name, None) for name in ("value", "test", "iter"))
        value = next((part for part in parts if isinstance(part, gast.AST)), None)
        update = isinstance(node, gast.AugAssign)  # the target is read before
        first = None if update and not self.may_wait(node.target) else value
        self.begin(first, value)

    def other(self, node: Any) -> None:
        """Rewrite a statement of a kind without a method of its own."""
        for name, part in gast.iter_fields(node):
            if isinstance(part, gast.expr) and not isinstance(
                getattr(part, "ctx", None), gast.Store
            ):
                setattr(node, name, self.expression(part))
        before = dict(self.env)
        for part in (*blocks_of(node), *(case.body for case in getattr(node, "cases", []))):
            self.forget(part)
            part[:] = self.block(part) or ([at(gast.Pass(), node)] if part else [])
        for item in getattr(node, "items", []):
            item.context_expr = self._manager(item.context_expr)
        for item in getattr(node, "handlers", []):
            item.type = item.type and self.expression(item.type)
        if not isinstance(node, gast.With):  # its body runs; of others not all parts may
            changed = [n for n, value in self.env.items() if before.get(n) is not value]
            self.env.update({name: Lost() for name in changed})
        self.out.append(node)

    def _manager(self, node: Any) -> Any:
        """Return a context manager; one that is made of nothing that varies is left to the run."""
        callee = self.value(clone(node.func)) if isinstance(node, gast.Call) else None
        if not isinstance(callee, Known) or self.varies(node):
            return self.expression(node)
        node.func = self.plain(callee, node.func)
        node.args = [self._plain_argument(item) for item in node.args]
        for item in node.keywords:
            item.value = self.expression(item.value)
        return node

    # -- simple statements

    def _Assert(self, node: Any) -> None:
        node.test = self.test(node.test)
        node.msg = node.msg and self.expression(node.msg)
        self.out.append(node)

    def _Return(self, node: Any) -> None:
        if node.value is not None:
            value = self.value(node.value)
            if isinstance(value, Static) and not isinstance(value, (Items, Instance)):
                raise NeedsInlineError
            node.value = self.plain(value, node)
        self.out.append(node)

    def _Pass(self, node: Any) -> None:
        if not self.inlined:
            self.out.append(node)

    def _Nonlocal(self, node: Any) -> None:
        if not self.inlined:
            self.out.append(node)

    def _Global(self, node: Any) -> None:
        node.names = [name for name in node.names if not self.is_held(name)]
        if node.names and not self.inlined:
            self.out.append(node)

    def _Import(self, node: Any) -> None:
        """Let names mean the functions and modules that an import binds, if it surely runs."""
        relative = bool(self.inlined) and bool(getattr(node, "level", 0))
        if not self.depth and not relative:
            for name, found in imported(node, self.code.source.function).items():
                self._bind_import(name, Binding(*found))
        self.out.append(node)

    _ImportFrom = _Import

    def _bind_import(self, name: str, binding: Binding) -> None:
        """Let a name mean what an import binds it to; data is read where the text runs."""
        value = binding.value
        if (callable(value) and not is_plain_object(value)) or isinstance(value, ModuleType):
            self.env[name] = Known(value, load(name))
            return
        self.imports[name] = binding
        if self.session.reading(binding, self.code.source) is None:
            found = self.outside(value, load(name), Outside(binding))
            if isinstance(found, Static):
                self.env[name] = found

    def _FunctionDef(self, node: Any) -> None:
        self.changed = True
        function: Value = self.local_function(node)
        for decorator in reversed(node.decorator_list):
            deco = self.value(decorator)
            if not isinstance(deco, Static):
                self.refuse(node, "a decorator that only the run tells", "leave it out")
            function = self.call(deco, [function], {}, decorator)
        node.decorator_list = []
        self.assign_name(node.name, function, node)

    def _Expr(self, node: Any) -> None:
        if isinstance(node.value, gast.Constant):
            if not self.inlined:
                self.out.append(node)
            return
        if self._sets(node) or self._appends(node.value):
            return
        if self.puts_options(node.value, node) or self.tells(node):
            return
        value = self.value(node.value)
        if isinstance(value, Static):
            return
        if is_idle(value):
            return
        node.value = value
        self.out.append(node)

    def _sets(self, node: Any) -> bool:
        """Write ``setattr(owner, "name", value)`` as the assignment that it is, of an object."""
        call = node.value
        named = isinstance(call, gast.Call) and isinstance(call.func, gast.Name)
        callee = self.value(clone(call.func)) if named else None
        given = call.args if isinstance(callee, Known) and not call.keywords else []
        if not isinstance(callee, Known) or callee.value is not setattr or len(given) != 3:
            return False
        owner, name, value = given
        plain = isinstance(name, gast.Constant) and isinstance(name.value, str)
        if not plain or not isinstance(self.value(clone(owner)), (Instance, Object)):
            return False
        target = gast.Attribute(owner, name.value, gast.Store())
        self.statement(at(gast.Assign([target], value, None), node))
        return True

    def _appends(self, call: Any) -> bool:
        """Add a function to a list of functions."""
        if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute):
            return False
        owner = self.env.get(getattr(call.func.value, "id", ""))
        if call.func.attr != "append" or not isinstance(owner, Items) or owner.keys is not None:
            return False
        if owner.lent:
            raise NeedsInlineError
        if self.depth or owner.kind != "list":
            self.refuse(call, "a list of functions that grows on some paths", "write a display")
        owner.values.append(self.value(call.args[0]))
        return True

    def _Assign(self, node: Any) -> None:
        target = node.targets[0]
        self.wished = target.id if isinstance(target, gast.Name) else ""
        self.assigned = (self.wished, node.value)
        written = isinstance(node.value, gast.Constant)
        made = self.copied_options(target, node) or self.grown(node)
        value = made or self.value(node.value)
        self.wished = ""
        self.name_field(target, value)
        if not written and self._is_found_out(node.targets, value):
            self.env[target.id] = value
            return
        if len(node.targets) > 1 and isinstance(value, Static):
            for item in node.targets:
                self._assign_to(item, value, node)
            return
        if len(node.targets) > 1:
            if any(self._is_special(item) for item in node.targets):
                name = self.keep("value", value, node)
                for item in node.targets:
                    self._assign_to(item, clone(name), node)
                return
            node.value = value
            for item in node.targets:
                self.written(item, value)
            self.out.append(node)
            return
        if isinstance(target, gast.Name):
            value = self.opened_display(target.id, value, node)
        self._assign_to(target, value, node)

    def _is_found_out(self, targets: list[Any], value: Value) -> bool:
        """Say whether a variable is bound to a literal that is known where a text is for flags."""
        name = getattr(targets[0], "id", "") if len(targets) == 1 else ""
        own = name in self.locals or name in self.env
        surely = own and not self.depth and self.session.settled
        tree = self.inlined[-1] if self.inlined else self.code.tree
        return surely and is_literal(value) and not makes_functions(tree)

    def _is_special(self, target: Any) -> bool:
        names = set(names_bound(target))
        known = bool(names & set(self.env)) or bool(names & self.globals)
        return known or isinstance(target, gast.Attribute) or self.is_entry(target)

    def _AnnAssign(self, node: Any) -> None:
        if node.value is None:
            return
        self.wished = node.target.id if isinstance(node.target, gast.Name) else ""
        value = self.value(node.value)
        self.wished = ""
        self._assign_to(node.target, value, node)

    def _assign_to(self, target: Any, value: Value, node: Any) -> None:
        if isinstance(target, gast.Name):
            if not self.bind_outside(target.id, value, node):
                self.assign_name(target.id, value, node)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self.unpack(target, value, node)
        elif self.puts(target, value, node):
            self.changed = True
        else:
            self.written(target, value)
            self.out.append(assign(target, self.plain(value, node), node))

    def unpack(self, target: Any, value: Value, node: Any) -> None:
        items = self.elements(value) if isinstance(value, Static) else None
        if items is None or places_for(target, items) is None:
            plain = self.plain(value, node)
            target = self.with_variables(target, plain)
            items = list(plain.elts) if isinstance(plain, gast.Tuple) else []
            known = places_for(target, items) is not None
            if not known or not any(map(self._is_special, target.elts)):
                self.written(target, plain)
                self.out.append(assign(target, plain, node))
                return
        values = [self._kept_part(item, node) for item in items]
        for item, place in zip(target.elts, places_for(target, values) or (), strict=True):
            part = values[place]
            if isinstance(item, gast.Starred):
                self._assign_to(item.value, self._rest(item.value, part), node)
            else:
                self.name_field(item, part[0])
                self._assign_to(item, part[0], node)

    def _kept_part(self, value: Value, node: Any) -> Value:
        if isinstance(value, (Static, gast.Constant)):
            return value
        kept = self.keep(getattr(value, "id", "part"), value, node)
        self.name_field(kept, value)
        return kept

    def _rest(self, target: Any, values: list[Value]) -> Value:
        """Return the list that a starred target gets."""
        known = any(isinstance(item, Static) for item in values)
        name = getattr(target, "id", "")
        if known or (name in self.starred and name not in self.rewritten and not self.depth):
            return Items("list", values)
        return gast.List(values, gast.Load())

    def assign_name(self, name: str, value: Value, node: Any) -> None:
        """Let a name mean a static value, or bind a variable."""
        if isinstance(value, Static) and not self._has_name(value):
            self.changed = True
            if isinstance(value, Object) and self.rebinds(name, value, node):
                return
            if isinstance(value, Choice):
                self.settle(value, node)
            if isinstance(value, Local) and value.code.tree.name == "function":
                value.code.tree.name = name
            self.env[name] = value
            return
        self.env.pop(name, None)
        self.imports.pop(name, None)
        self.own.add(name)
        self.bind(name, self.plain(value, node), node)
        if isinstance(value, Instance):
            self.env[name] = Instance(value.value, load(name), value.root)

    def _has_name(self, value: Static) -> bool:
        """Say whether a value is an object that a variable of the text may mean."""
        if not isinstance(value, Instance) or value.leaves is not None:
            return False
        return self.session.holding.of(value.value) is None

    def written(self, target: Any, value: Value | None = None) -> None:
        """Note that names are bound to values that only the run tells."""
        for name in names_bound(target):
            self.env.pop(name, None)
            self.imports.pop(name, None)
            self.own.add(name)
            self.note_bound(name, value, target)
        for part in places_in(target):
            if isinstance(part, gast.Subscript):
                self.store_into_field(part, value, target)
            self._written_place(part, target)

    def _written_place(self, place: Any, target: Any) -> None:
        for item in walk(place):
            if isinstance(item, gast.Subscript):
                owner = item.value
                held = self.env.get(getattr(owner, "id", ""))
                if isinstance(self.value(clone(owner)), (Items, Object)):
                    self.refuse(target, "a write into a list of functions", "make a new one")
                item.slice = self.expression(item.slice)
                outside = getattr(owner, "id", "") not in self.own
                if not isinstance(owner, gast.Name) or held is not None or outside:
                    item.value = self.expression(owner)
                return
            if isinstance(item, gast.Attribute):
                item.value = self.expression(item.value)
                return

    def _AugAssign(self, node: Any) -> None:
        target = node.target
        if isinstance(target, gast.Attribute) and self._updates_attribute(target, node):
            return
        if isinstance(target, gast.Subscript) and self.update_entry(target, node):
            return
        if isinstance(target, gast.Name) and self.update_outside(target.id, node):
            return
        held = self.env.get(getattr(target, "id", ""))
        updated = self.updated(held, node.op, node.value, node)
        if updated is not None:
            self.assign_name(target.id, updated, node)
            return
        if isinstance(held, (Object, Items)):
            binary = at(gast.BinOp(load(target.id), node.op, node.value), node)
            self._assign(target, binary, node)
            return
        node.value = self.expression(node.value)
        if not isinstance(target, gast.Name):
            self.written(target, node.value)
        elif held is not None:
            value = at(gast.BinOp(self.plain(held, node), node.op, node.value), node)
            self.assign_name(target.id, value, node)
            return
        else:
            self.note_bound(target.id, gast.BinOp(load(target.id), node.op, node.value), node)
            if target.id in self.named_fields:
                self.store_into_field(target, node.value, node)
        self.out.append(node)

    def _updates_attribute(self, target: Any, node: Any) -> bool:
        """Write an update of an attribute; False if it is one as any other."""
        owner = self.value(clone(target.value))
        if isinstance(owner, Instance) and self._counts(owner, target.attr):
            value = gast.BinOp(self._read(target), node.op, node.value)
            self.statement(at(gast.Assign([target], at(value, node), None), node))
            return True
        if isinstance(owner, Instance) and owner.lent:
            raise NeedsInlineError
        if isinstance(owner, Instance) and self.update_field(owner, target.attr, node):
            return True
        if isinstance(owner, Instance) and self.inlined:
            self.refuse(node, "an update of an object's attribute", "work on a copy")
        if not isinstance(owner, Object) or target.attr not in owner.fields:
            return False
        self._refuse_lent(owner)
        self.changed = True
        field = owner.fields[target.attr]
        if not isinstance(field, gast.Name):
            self.refuse(node, "an update of a function", "assign it anew")
        node.target = store(field.id)
        node.value = self.expression(node.value)
        self.out.append(node)
        return True

    def _counts(self, owner: Instance, name: str) -> bool:
        """Say whether an attribute is a number, which an update binds anew, as of a counter."""
        held, root = getattr(owner.value, "__dict__", {}).get(name), owner.root
        if owner.leaves is not None or not isinstance(held, (int, float, np.number)):
            return False
        self.session.assume(lambda a: type(vars(root(a)).get(name)), type(held))
        return True

    def _read(self, target: Any) -> Any:
        """Return the expression that reads what a target binds."""
        read = clone(target)
        read.ctx = gast.Load()
        return read

    def _assign(self, target: Any, value: Any, node: Any) -> None:
        self.wished = target.id
        found = self.value(value)
        self.wished = ""
        self.assign_name(target.id, found, node)

    def _refuse_lent(self, owner: Object) -> None:
        if owner.lent:
            raise NeedsInlineError

    def _Delete(self, node: Any) -> None:
        node.targets = [t for t in node.targets if not self._forgotten(t)]
        if node.targets:
            self.out.append(node)

    def _forgotten(self, target: Any) -> bool:
        if isinstance(target, gast.Attribute):
            owner = self.value(clone(target.value))
            if isinstance(owner, Instance) and self.session.holding.of(owner.value) is not None:
                self.refuse(target, "deleting a field that may be written", "set it to None")
        held = isinstance(target, gast.Subscript) and self.value(clone(target.value))
        if self.is_held_by_entries(held):
            self.refuse(target, "deleting an entry of what is written", "set it to None")
        return self.env.pop(getattr(target, "id", ""), None) is not None


def _returns(node: Any) -> bool:
    """Say whether a statement holds a `return` of the function that it is in."""
    if isinstance(node, (gast.FunctionDef, gast.ClassDef)):
        return False
    if isinstance(node, gast.Return):
        return True
    blocks = [*blocks_of(node), *[item.body for item in getattr(node, "cases", [])]]
    return any(_returns(item) for block in blocks for item in block)
