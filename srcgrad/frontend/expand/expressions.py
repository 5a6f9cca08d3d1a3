"""Rewrites expressions: what they mean as static values, and what is left of them as text."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.expand.literals import part_of_text
from srcgrad.frontend.expand.lookup import Live
from srcgrad.frontend.expand.making import as_lambda
from srcgrad.frontend.expand.members import is_enumeration
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import free_names, parameters, renamed
from srcgrad.frontend.expand.values import (
    Choice,
    Code,
    Frozen,
    Instance,
    Items,
    Known,
    Local,
    Lost,
    Object,
    Partial,
    Recorded,
    Static,
    Value,
    is_negative,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, load
from srcgrad.ir.handlers import expression

_MOST_UNROLLED = 32


class Expressions(Part):
    """The part of the expansion that deals with expressions."""

    _is_end: bool = False
    """Whether what is evaluated next is an end of a choice that evaluates the tests inside."""

    def rebuilt(self, node: Any) -> Any:
        """Rewrite what an expression consists of."""
        for name, part in gast.iter_fields(node):
            if isinstance(part, gast.expr):
                setattr(node, name, self.plain(self.frame.value(part), part))
            elif isinstance(part, list):
                setattr(node, name, [self._part(item) for item in part])
            elif isinstance(part, gast.AST):
                self.rebuilt(part)
        return node

    def _part(self, item: Any) -> Any:
        if isinstance(item, gast.expr):
            return self.plain(self.frame.value(item), item)
        return self.rebuilt(item) if isinstance(item, gast.AST) else item

    # -- back to text

    def plain(self, value: Value, node: Any) -> Any:
        if not isinstance(value, Static):
            return value
        if isinstance(value, Known):
            wish = getattr(value.value, "__name__", "value")
            wish = wish if wish.isidentifier() else "function"
            return value.expression or self.frame.constant(value.value, wish)
        if isinstance(value, Instance):
            return self.frame.fields.argument(value, node)
        if isinstance(value, Items):
            return self._display_of(value, node)
        if isinstance(value, Choice) and not isinstance(value.then, Static):
            return gast.IfExp(clone(value.test), value.then, self.plain(value.other, node))
        if isinstance(value, Local):
            return self._lambda(value, node)
        if isinstance(value, (Object, Recorded)):
            return self.frame.objects.plain(value, node)
        if isinstance(value, Lost):
            self.frame.refuse(
                node,
                "a function or object that is another one on another path",
                "use it in each of the branches that bind it",
            )
        self.session.records.leak(value)
        kept = value.expression if isinstance(value, (Partial, Frozen)) else None
        if isinstance(value, Frozen) and value.method:
            kept = gast.Attribute(kept, value.method, gast.Load())
        return (
            clone(kept)
            if kept is not None
            else self.frame.refuse(
                node,
                "a function that is kept as a value is not differentiated by source",
                "call it where it is defined, or pass it to a Python function",
            )
        )

    def _display_of(self, value: Items, node: Any) -> Any:
        if self.frame.held_entries.is_held_by_entries(value):
            what = "a dict or list whose entries are written, passed on or kept,"
            self.frame.refuse(node, what, "pass its entries")
        if value.is_own:
            return clone(value.expression)
        values = [self.plain(item, node) for item in value.values]
        if value.keys is not None:
            return at(gast.Dict([gast.Constant(key, None) for key in value.keys], values), node)
        kind = gast.Tuple if value.kind == "tuple" else gast.List
        return at(kind(values, gast.Load()), node)

    def _lambda(self, value: Local, node: Any) -> Any:
        """Return a local function as a lambda, for what takes functions without source."""
        tree = value.code.tree
        single = len(tree.body) == 1 and isinstance(tree.body[0], gast.Return)
        if not single or value.defaults or not isinstance(value.captured, Live):
            return self.frame.refuse(
                node,
                "a nested function that is kept as a value is not differentiated by source",
                "call it, or pass it to a Python function",
            )
        inner = set(parameters(tree.args))
        if self.frame.held_entries.reads_held(
            tree.body[0].value, inner
        ):  # it is run with what is there by then
            return self.frame.refuse(node, "a lambda that is kept as a value", "call it instead")
        names = {name: self.frame.fresh(name) for name in inner if name in self.frame.own}
        for name in free_names(tree):
            found = self.frame.env.get(name)
            if found is None:
                continue
            if not isinstance(found, gast.Name) or found.id in inner - set(names):
                return self.frame.refuse(
                    node, "a lambda that is kept as a value", "call it instead"
                )
            names[name] = found.id
        return as_lambda(renamed(tree, names), node)

    # -- names and displays

    @expression(gast.Name)
    def _name(self, node: Any) -> Value:
        found = self.frame.look(node.id)
        return found if isinstance(found, Static) else at(found, node)

    @expression(gast.NamedExpr)
    def _walrus(self, node: Any) -> Value:
        """Only the value is an expression: the target stays a target."""
        node.value = self.frame.expression(node.value)
        found = self.frame.look(node.target.id)
        if not isinstance(found, gast.Name):
            return self.frame.refuse(
                node, "`:=` of a name that means something known", "assign before"
            )
        node.target.id = found.id
        return node

    @expression(gast.Constant)
    def _literal(self, node: Any) -> Value:
        return node

    @expression(gast.Lambda)
    def _made_lambda(self, node: Any) -> Value:
        body = at(gast.Return(node.body), node.body)
        tree = gast.FunctionDef("function", node.args, [body], [], None, None, [])
        return self.local_function(at(tree, node))

    def local_function(self, tree: Any) -> Local:
        """Return the value of a definition, its defaults evaluated."""
        code = Code(tree, self.frame.home, self.frame.code.source, self.frame.code.owner)
        args = tree.args
        plain = [item.id for item in [*args.posonlyargs, *args.args]]
        pairs = list(zip(reversed(plain), reversed(args.defaults), strict=False))
        pairs += [(i.id, d) for i, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
        defaults = {name: self._default(name, default) for name, default in pairs}
        return Local(code, Live(self.frame), defaults)  # type: ignore[arg-type]

    def _default(self, name: str, node: Any) -> Value:
        """Evaluate a default now: its variables may mean something else when the call comes."""
        value = self.frame.value(node)
        if isinstance(value, (Static, gast.Constant)):
            return self.frame.record_names.settled(value, node)
        return self.frame.keep(name, value, node)

    @expression(gast.Tuple)
    def _tuple(self, node: Any) -> Value:
        return self._value_display(node, "tuple")

    @expression(gast.List)
    def _list(self, node: Any) -> Value:
        return self._value_display(node, "list")

    def _value_display(self, node: Any, kind: str) -> Value:
        values: list[Value] = []
        for item in node.elts:
            if isinstance(item, gast.Starred):
                inner = self.frame.value(item.value)
                if isinstance(inner, Items) and inner.keys is None:
                    values.extend(inner.values)
                else:
                    item.value = self.plain(inner, item.value)
                    values.append(item)
            else:
                values.append(self.frame.value(item))
        held = self.frame.records.display(kind, values, node)
        if held is not None:
            return held
        if any(isinstance(value, Static) for value in values):
            return Items(kind, [self.frame.bound_now(value, "part", node) for value in values])
        node.elts = values
        return node

    @expression(gast.Dict)
    def _dict(self, node: Any) -> Value:
        starred = node is self.frame.tables.starred_twice or self.frame.wished in self.frame.starred
        values = [
            self.frame.tables.opened(item, self.frame.value(item))
            if key is None and starred
            else self.frame.value(item)
            for key, item in zip(node.keys, node.values, strict=True)
        ]
        held = self.frame.records.dict_display(node, values)
        if held is not None:
            return held
        keys = [getattr(key, "value", None) for key in node.keys]
        literal = all(isinstance(key, gast.Constant) for key in node.keys)
        if literal and any(isinstance(value, Static) for value in values):
            return Items(
                "dict", [self.frame.bound_now(value, "part", node) for value in values], keys
            )
        merged = self._merged(node, values)
        if merged is not None:
            return merged
        node.keys = [key and self.frame.expression(key) for key in node.keys]
        node.values = [self.plain(v, i) for v, i in zip(values, node.values, strict=True)]
        return node

    def _merged(self, node: Any, values: list[Value]) -> Value | None:
        """Return ``{**options, "a": b}`` with options that are known by key."""
        found: dict[Any, Value] = {}
        for key, value in zip(node.keys, values, strict=True):
            if key is None and isinstance(value, Items) and value.keys is not None:
                found.update(zip(value.keys, value.values, strict=True))
            elif isinstance(key, gast.Constant):
                found[key.value] = value
            else:
                return None
        if all(key is not None for key in node.keys):
            return None
        return Items("dict", list(found.values()), list(found))

    # -- what is evaluated under a condition

    @expression(gast.IfExp)
    def _either(self, node: Any) -> Value:
        is_end, self._is_end = self._is_end, False
        decided = self.frame.deciding.decide(node.test)
        if decided is not None:
            self._is_end = is_end
            return self._end(node.body if decided else node.orelse, settled=is_end)
        opened = self.frame.record_loops.opened_choice(node)
        if opened is not None:
            return opened
        settled = is_end or self.frame.hoistable
        test = self.frame.asking.test(node.test)
        with self.frame.conditional(), self.frame.record_loops.within(node):
            then, other = self._end(node.body, settled), self._end(node.orelse, settled)
        either = self.frame.records.either(test, then, other, node)
        if either is not None:
            return either
        if isinstance(then, Static) or isinstance(other, Static):
            chosen = test if is_end else self.stable(test, node)
            choice = Choice(chosen, then, other)
            if not is_end:
                self._settle_ends(choice, [], node)
            return choice
        node.test, node.body, node.orelse = test, then, other
        return node

    def _end(self, node: Any, settled: bool) -> Value:
        """Return what one end of a choice means; if `settled`, tests inside wait for the choice."""
        self._is_end = settled and isinstance(node, gast.IfExp)
        return self.frame.value(node)

    def _settle_ends(self, choice: Choice, guards: list[Any], node: Any) -> None:
        """Evaluate the tests of the choices that are ends of one, where they are come by."""
        left = gast.UnaryOp(gast.Not(), clone(choice.test))
        for end, around in ((choice.then, [choice.test]), (choice.other, [*guards, left])):
            known = getattr(getattr(end, "test", None), "id", "") in self.frame.temporaries
            if isinstance(end, Choice) and not known:
                if not isinstance(end.test, gast.Constant):
                    tests = [*map(clone, around), end.test]
                    end.test = self.stable(at(gast.BoolOp(gast.And(), tests), node), node)
                self._settle_ends(end, around, node)

    def stable(self, test: Any, node: Any) -> Any:
        """Return a test that may be evaluated later."""
        if isinstance(test, gast.Constant):
            return test
        return self.frame.keep("chosen", test, node)

    # -- subscripts

    @expression(gast.Subscript)
    def _subscript(self, node: Any) -> Value:
        owner = self.frame.value(node.value)
        if isinstance(owner, Object):
            return self.frame.objects.element(owner, node)
        if isinstance(owner, Recorded):
            return self.frame.records.element(owner, node)
        if not isinstance(owner, Items):
            node.slice = self.frame.expression(node.slice)
            member = part_of_text(owner, node.slice)
            member = self.frame.members.by_key(owner, node.slice) if member is None else member
            if member is not None:
                return member
            node.value = self.plain(owner, node.value)
            return self.frame.tables.from_table(owner, node)
        index = self.frame.value(node.slice)
        key = _literal(index)
        found = owner.get(key) if key is not None else None
        if found is not None:
            return found if isinstance(found, Static) else clone(found)
        if isinstance(index, gast.Slice) and owner.keys is None:
            return self._sliced(owner, index, node)
        if any(isinstance(item, Static) for item in owner.values) and key is None:
            return self._chosen(owner, self.plain(index, node.slice), node)
        node.value, node.slice = self.plain(owner, node.value), self.plain(index, node.slice)
        return node

    def _sliced(self, owner: Items, index: Any, node: Any) -> Value:
        ends = [index.lower, index.upper, index.step]
        parts = [part if part is None else _literal(part) for part in ends]
        if any(e is not None and p is None for e, p in zip(ends, parts, strict=True)):
            self.session.records.leak(owner)
            return self.frame.refuse(node, "a slice of a list of functions", "index it instead")
        return Items(owner.kind, owner.values[slice(*parts)])

    def _chosen(self, owner: Items, index: Any, node: Any) -> Value:
        """Return the function that a run-time index or key chooses."""
        keys = owner.keys if owner.keys is not None else list(range(len(owner.values)))
        if not isinstance(index, gast.Name):
            index = self.frame.keep("key", index, node)
        error, text = ("KeyError", None) if owner.keys is not None else ("IndexError", "list index")
        shown = load(index.id) if text is None else gast.Constant(f"{text} out of range", None)
        listed = gast.Tuple([self._literal_key(key) for key in keys], gast.Load())
        outside: Any = gast.Compare(load(index.id), [gast.NotIn()], [listed])
        if owner.keys is None:
            low, high = self._literal_key(-len(keys)), self._literal_key(len(keys))
            inside = gast.Compare(low, [gast.LtE(), gast.Lt()], [load(index.id), high])
            outside = gast.UnaryOp(gast.Not(), inside)
        if not self.frame.hoistable:
            self.frame.open_next_time(always=True)
            self.session.records.leak(owner)
            self.frame.refuse(node, "a choice of functions here", "choose in a statement before")
        raised = at(gast.Raise(call(error, shown), None), node)
        self.frame.out.append(at(gast.If(outside, [raised], []), node))
        *others, last = zip(keys, owner.values, strict=True)
        choice = last[1]
        for key, value in reversed(others):
            wanted = [self._literal_key(key)]
            if owner.keys is None:
                wanted = [gast.Tuple([*wanted, self._literal_key(key - len(keys))], gast.Load())]
            op = gast.Eq() if owner.keys is not None else gast.In()
            choice = Choice(gast.Compare(load(index.id), [op], wanted), value, choice)
        return choice

    def _literal_key(self, key: Any) -> Any:
        if type(key) is int and key < 0:
            return gast.UnaryOp(gast.USub(), gast.Constant(-key, None))
        return gast.Constant(key, None)

    def bind_target(self, target: Any, value: Value, node: Any) -> None:
        """Let a loop variable mean an element."""
        if isinstance(target, gast.Name):
            self.frame.env[target.id] = value
        elif isinstance(value, Items) and _fit(target, value):
            for part, item in zip(target.elts, value.values, strict=True):
                self.bind_target(part, item, node)
        else:
            self.frame.refuse(
                node, "unpacking what is not known to fit", "unpack in the loop's body"
            )

    def elements(self, items: Value) -> list[Value] | None:
        """Return the elements of a known list or tuple of functions or objects, if it is one."""
        if isinstance(items, Object):
            return self.frame.objects.object_items(items)
        if isinstance(items, Recorded):
            return self.frame.records.parts(items)
        kind: Any = items.value if isinstance(items, Known) else None
        if is_enumeration(kind):
            return [Known(member) for member in kind]
        if not isinstance(items, Items) or len(items.values) > _MOST_UNROLLED:
            return None
        if items.keys is not None:
            return [gast.Constant(key, None) for key in items.keys]
        return list(items.values)


def _fit(target: Any, value: Items) -> bool:
    """Say whether targets take the elements of a display one by one."""
    starred = any(isinstance(part, gast.Starred) for part in target.elts)
    return not starred and len(value.values) == len(target.elts)


def _literal(node: Any) -> Any:
    if is_negative(node):
        return -node.operand.value
    return node.value if isinstance(node, gast.Constant) else None
