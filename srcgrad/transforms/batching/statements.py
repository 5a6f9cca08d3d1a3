"""Rewrites statements, with the values of names from one to the next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, store
from srcgrad.ir.handlers import statement
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.walk import found_in
from srcgrad.transforms.batching.attempts import risks_of_division, write_try
from srcgrad.transforms.batching.facts import UNKNOWN, Fact, joined, kind_of_operation
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.picking import is_picked
from srcgrad.transforms.batching.terms import Term, copy_of


class Statements(Part):
    """Rewrites the statements of one function."""

    def inner(self, body: list[Any]) -> list[Any]:
        """Return a block rewritten on its own."""
        outer, self.writer.out = self.writer.out, []
        try:
            self.writer.block(body)
            return self.writer.out or [gast.Pass()]
        finally:
            self.writer.out = outer

    def other(self, statement: Any) -> None:
        names = [n.id for n in found_in(statement, gast.Name)]
        if (
            any(self.writer.holds_batch(self.writer.env.get(name, UNKNOWN)) for name in names)
            or self.writer.masks
        ):
            self.writer.refuse(
                statement,
                f"`{type(statement).__name__.lower()}` with values of examples",
                "write it with NumPy's functions",
            )
        self.writer.refuse(statement, f"`{type(statement).__name__.lower()}`", "leave it out")

    @statement(gast.Pass)
    def _do_pass(self, statement: Any) -> None:
        self.writer.emit(clone(statement), statement)

    @statement(gast.Import, gast.ImportFrom)
    def _do_import(self, statement: Any) -> None:
        self.writer.emit(clone(statement), statement)

    @statement(gast.Expr)
    def _do_expr(self, statement: Any) -> None:
        value = statement.value
        if isinstance(value, gast.Constant):
            return  # a docstring
        if self.writer.branches.write_call(statement):
            return
        term = self.writer.term(value)
        self.writer.emit(gast.Expr(term.node), statement)

    @statement(gast.Assert)
    def _do_assert(self, statement: Any) -> None:
        test = self.writer.term(statement.test)
        node = test.node
        if self.writer.masks:
            self.writer.refuse(
                statement, "an `assert` in a branch that not all examples take", "move it out"
            )
        if test.batched:
            node = call(
                self.writer.numpy("all"), self.writer.comparisons.truth(test, statement).node
            )
            self.writer.note_risk(statement, (AssertionError,))
        message = statement.msg
        text = None if message is None else self.writer.term(message).node
        self.writer.emit(gast.Assert(node, text), statement)

    @statement(gast.Raise)
    def _do_raise(self, statement: Any) -> None:
        if self.writer.masks:
            self.writer.refuse(
                statement, "`raise` for some of the examples", "look at the batch before"
            )
        for name in found_in(statement, gast.Name):
            if self.writer.holds_batch(self.writer.env.get(name.id, UNKNOWN)):
                self.writer.refuse(statement, "`raise` with values of examples", "leave them out")
        for seen in self.writer.watched:
            seen.append(dict(self.writer.env))
        self.writer.emit(clone(statement), statement)

    @statement(gast.Return)
    def _do_return(self, statement: Any) -> None:
        if self.writer.masks:
            self.writer.refuse(statement, "a return for some of the examples", "return at the end")
        value = statement.value or gast.Constant(None, None)
        term = self.writer.kept(self.writer.term(value))
        node = (
            term.node
            if self.writer.ending is None
            else self.writer.ending(self.writer, term, statement)
        )
        self.writer.returned = self.writer.closed(term.fact)
        last = self.writer.out[-1] if self.writer.out else None
        if isinstance(last, gast.Assign) and isinstance(node, gast.Name):
            (target,) = last.targets
            if isinstance(target, gast.Name) and target.id == node.id:
                node = self.writer.out.pop().value  # `out = value; return out`
        self.writer.emit(gast.Return(node), statement)

    @statement(gast.Try)
    def _do_try(self, statement: Any) -> None:
        write_try(self.writer, statement)

    @statement(gast.With)
    def _do_with(self, statement: Any) -> None:
        items = []
        for item in statement.items:
            if item.optional_vars is not None:
                self.writer.refuse(statement, "`with ... as`", "leave the name out")
            items.append(gast.withitem(self.writer.term(item.context_expr).node, None))
        body = self.writer.inner(statement.body)
        self.writer.emit(gast.With(items, body, None), statement)

    @statement(gast.AnnAssign)
    def _do_ann_assign(self, statement: Any) -> None:
        if statement.value is not None:
            self._assign(statement.target, self.writer.term(statement.value), statement)

    # -- assignments

    @statement(gast.Assign)
    def _do_assign(self, statement: Any) -> None:
        stored = all(isinstance(target, gast.Subscript) for target in statement.targets)
        if stored:
            self.writer.taken.add(id(statement.value))
        term = self.writer.term(statement.value)
        if not stored or term.fact.kind == "number":  # of an array, what is stored is a copy
            term = self.writer.kept(term)
        if len(statement.targets) > 1:
            name = self.writer.namer.fresh("value")
            self.writer.emit(assign(name, term.node), statement)
            term = Term(load(name), term.fact)
            for target in statement.targets:
                self._assign(target, Term(load(name), term.fact), statement)
            return
        self._assign(statement.targets[0], term, statement)

    def _assign(self, target: Any, term: Term, statement: Any) -> None:
        if isinstance(target, gast.Name):
            name = self.writer.branches.new_name(target.id)
            self.writer.emit(assign(name, term.node), statement)
            self.writer.bind(target.id, term.fact)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self._unpack(target, term, statement)
        elif isinstance(target, gast.Subscript):
            self._store(target, term, statement)
        else:
            self.writer.refuse(statement, "a write into an object", "return the value")

    def _unpack(self, target: Any, term: Term, statement: Any) -> None:
        node, fact, item = term.node, term.fact, UNKNOWN
        starred = any(isinstance(inner, gast.Starred) for inner in target.elts)
        if isinstance(node, (gast.Tuple, gast.List)) and all(
            isinstance(item, gast.Subscript) for item in target.elts
        ):
            self._swap(target, term, statement)
            return
        if fact.kind == "array" and fact.batched:
            node, item = self.writer.expressions.iterated(term, statement)
            fact = Fact("tuple", items=(item,) * len(target.elts))
        elif starred and fact.kind in ("list", "tuple") and self.writer.holds_batch(fact):
            item = self.writer.element_of(fact) or UNKNOWN
        elif fact.kind == "list" and self.writer.holds_batch(fact):
            items = [self.writer.item_of(fact, i) or UNKNOWN for i in range(len(target.elts))]
            fact = Fact("tuple", items=tuple(items))
        plain = [t.value if isinstance(t, gast.Starred) else t for t in target.elts]
        if not all(isinstance(t, gast.Name) for t in plain) and self.writer.holds_batch(fact):
            self._unpack_through_names(target, node, fact, statement)
            return
        if starred and self.writer.holds_batch(fact):
            self._bind_around_star(target, item, statement)
        else:
            self.writer.expressions.bind_target(target, fact, statement)
        new = clone(target)
        for item in found_in(new, gast.Name):
            if not isinstance(item.ctx, gast.Load):
                item.id = self.writer.branches.new_name(item.id)
        self.writer.emit(gast.Assign([new], node, None), statement)
        self.copy_read(target, statement)

    def _bind_around_star(self, target: Any, item: Fact, statement: Any) -> None:
        """Note what names get of items that are alike: that with a star, a list of the rest."""
        if item.read_from & self.writer.known.written or not item.is_numeric:
            self.writer.refuse(statement, "taking this apart", "take the parts by index")
        rows = self.writer.container("list", {"*": item}, statement)
        self.writer.known.held[id(statement)].items = None
        for inner in target.elts:
            if isinstance(inner, gast.Starred):
                self.writer.expressions.bind_target(inner.value, rows, statement)
            else:
                self.writer.expressions.bind_target(inner, item, statement)

    def _swap(self, target: Any, term: Term, statement: Any) -> None:
        """Write ``x[i], x[j] = x[j], x[i]``: all is read before the first is written."""
        names = []
        facts = self.writer.closed(term.fact).items or ()
        for item, fact in zip(term.node.elts, facts, strict=True):
            name = self.writer.namer.fresh("value")
            kept = self.kept_for_now(Term(item, fact))
            self.writer.emit(assign(name, kept.node), statement)
            names.append(Term(load(name), kept.fact))
        for inner, value in zip(target.elts, names, strict=True):
            self._assign(inner, value, statement)

    def kept_for_now(self, term: Term) -> Term:
        """Return a number that does not change with what it was read from; an array as it is."""
        fact = term.fact
        if not fact.batched or fact.kind != "number" or not fact.read_from:
            return self.writer.kept(term)
        return Term(copy_of(term.node), replace(fact, read_from=frozenset()))

    def _unpack_through_names(self, target: Any, node: Any, fact: Fact, statement: Any) -> None:
        items = fact.items or ()
        if len(items) != len(target.elts) or any(isinstance(t, gast.Starred) for t in target.elts):
            self.writer.refuse(statement, "taking this apart", "take the parts by index")
        names = [self.writer.namer.fresh("value") for _ in items]
        new = gast.Tuple([store(name) for name in names], gast.Store())
        self.writer.emit(gast.Assign([new], node, None), statement)
        for inner, name, item in zip(target.elts, names, items, strict=True):
            self._assign(inner, self.writer.kept(Term(load(name), item)), statement)

    def copy_read(self, target: Any, statement: Any) -> None:
        """Copy the numbers among the names of a target that were read from what is written."""
        for item in found_in(target, gast.Name):
            fact = self.writer.env.get(item.id, UNKNOWN)
            term = Term(load(self.writer.alias.get(item.id, item.id)), fact)
            kept = self.writer.kept(term)
            if kept is not term:
                self.writer.emit(assign(term.node.id, kept.node), statement)
                self.writer.bind(item.id, kept.fact)

    # -- writes

    def _store(self, target: Any, term: Term, statement: Any) -> None:
        base = self.writer.term(target.value)
        if base.fact.kind in ("list", "dict"):
            self._store_item(target, base, term, statement)
            return
        if base.fact.kind != "array":
            self.writer.refuse(statement, "a write into this", "write into an array or a list")
        if not (term.fact.is_numeric or is_picked(term.fact)) and self.writer.holds_batch(
            term.fact
        ):
            self.writer.refuse(
                statement, "a write of a list of values of examples", "make it an array"
            )
        self.writer.branches.store_at(target, base, term, statement)

    def _store_item(self, target: Any, base: Term, term: Term, statement: Any) -> None:
        if self.writer.masks:
            self.writer.refuse(
                statement, "a write into a list in a branch that not all take", "use np.where"
            )
        index = self.writer.term(target.slice)
        if index.batched or isinstance(target.slice, gast.Slice):
            self.writer.refuse(statement, "a list that is indexed by example", "make it an array")
        if UPDATES_ENTRY.of(statement) and term.fact.kind != "number":
            self.writer.refuse(
                statement, "an update of an array in a list", "give the array a name"
            )
        key = index.fact.constant
        term = self.writer.put_in(base.fact, term, statement, key[:1])
        new = gast.Subscript(base.node, index.node, gast.Store())
        self.writer.emit(gast.Assign([new], term.node, None), statement)

    @statement(gast.AugAssign)
    def _do_aug_assign(self, statement: Any) -> None:
        target = statement.target
        if isinstance(target, gast.Subscript):
            self.writer.taken.add(id(statement.value))
        value = self.writer.term(statement.value)
        if isinstance(target, gast.Subscript):
            base = self.writer.term(target.value)
            if base.fact.kind in ("list", "dict"):
                self._update_item(target, base, value, statement)
                return
            if base.fact.kind != "array":
                self.writer.refuse(statement, "a write into this", "write into an array or a list")
            self.writer.branches.update_at(target, base, value, statement)
            return
        if not isinstance(target, gast.Name):
            self.writer.refuse(statement, "a write into an object", "return the value")
        self._update_name(target, value, statement)

    def _update_item(self, target: Any, base: Term, value: Term, statement: Any) -> None:
        old = self.writer.term(gast.Subscript(target.value, target.slice, gast.Load()))
        if self.writer.masks or not old.fact.is_numeric:
            self.writer.refuse(
                statement, "an update of an item of a list", "write it as d[k] = d[k] + v"
            )
        if old.fact.kind == "array":
            self._update_array(old, value, statement)
            return
        self._store_item(
            target, base, self._item_after(old, statement.op, value, statement), statement
        )

    def add_to_item(self, target: Any, base: Term, value: Term, statement: Any) -> None:
        """Write ``d[k] = d[k] + v`` of a list or dict of adjoints."""
        old = self.writer.term(gast.Subscript(target.value, target.slice, gast.Load()))
        if self.writer.masks or not old.fact.is_numeric or not value.fact.is_numeric:
            self.writer.refuse(
                statement, "an update of an item of a list", "write it as d[k] = d[k] + v"
            )
        new = self._item_after(old, gast.Add(), value, statement)
        self._store_item(target, base, new, statement)

    def _item_after(self, old: Term, op: Any, value: Term, statement: Any) -> Term:
        """Return what an item is after an update."""
        self.writer.note_risk(statement, risks_of_division(op, [old.fact, value.fact]))
        dtype = kind_of_operation(op, [old.fact, value.fact])
        (a, b), fact = self.writer.elementwise([old, value], statement, dtype=dtype)
        fact = fact.at(id(statement))
        new = Term(gast.BinOp(a, op, b), fact)
        needs = id(statement) in self.writer.known.forced and not fact.batched
        return self.writer.as_batched(new) if needs else new

    def _update_name(self, target: Any, value: Term, statement: Any) -> None:
        name = target.id
        old = self.writer.term(at(gast.Name(name, gast.Load(), None, None), statement))
        if old.fact.kind in ("list", "tuple", "text", "dict"):
            if (
                self.writer.holds_batch(old.fact)
                or self.writer.holds_batch(value.fact)
                or self.writer.masks
            ):
                self.writer.refuse(statement, "`+=` of a list", "use `append`")
            self.writer.emit(gast.AugAssign(store(name), statement.op, value.node), statement)
            return
        if old.fact.kind == "array" and not self.writer.masks:
            self._update_array(old, value, statement)
            return
        if old.fact.kind == "array":  # as ``x[...] += v`` would be
            whole = gast.Constant(Ellipsis, None)
            place = at(gast.Subscript(clone(target), whole, gast.Store()), statement)
            place.value.ctx = gast.Load()
            self.writer.branches.update_at(place, old, value, statement)
            return
        if not (old.batched or value.batched):
            dtype = kind_of_operation(statement.op, [old.fact, value.fact])
            _, fact = self.writer.elementwise([old, value], statement, dtype=dtype)
            fact = fact.at(id(statement))
            free = not self.writer.masks and not self.writer.alias.get(name)
            if id(statement) not in self.writer.known.forced and free:
                kind = fact if old.fact.is_numeric else UNKNOWN
                self.writer.emit(gast.AugAssign(store(name), statement.op, value.node), statement)
                self.writer.bind(name, kind)
                return
        new = self._operation(old, statement.op, value, statement)
        self._assign(target, new, statement)

    def _operation(self, old: Term, op: Any, value: Term, statement: Any) -> Term:
        if isinstance(op, gast.MatMult):
            self.writer.refuse(statement, "`@=`", "write it with @")
        dtype = kind_of_operation(op, [old.fact, value.fact])
        self.writer.note_risk(statement, risks_of_division(op, [old.fact, value.fact]))
        (a, b), fact = self.writer.elementwise([old, value], statement, dtype=dtype)
        return self.writer.made(gast.BinOp(a, op, b), fact, statement)

    def _update_array(self, old: Term, value: Term, statement: Any) -> None:
        """Write ``x += v`` or ``d[k] += v`` into the memory of an array."""
        self.writer.note_written(
            old.fact.sites | old.fact.read_from, statement, batched=old.batched
        )
        if value.batched and not old.batched:
            self.writer.force(old.fact, statement)
        node = value.node
        if value.batched:
            rank = self.writer.rank_of(old, statement)
            if self.writer.rank_of(value, statement) > rank:
                self.writer.refuse(
                    statement, "an update by a value with more axes", "check the axes"
                )
            (_, node), _ = self.writer.elementwise([old, value], statement)
        elif old.batched and (
            value.rank is None or value.rank > self.writer.rank_of(old, statement)
        ):
            self.writer.refuse(statement, "an update by a value with more axes", "check the axes")
        target = clone(old.node)
        target.ctx = gast.Store()
        self.writer.emit(gast.AugAssign(target, statement.op, node), statement)

    # -- loops and branches that all examples take alike

    @statement(gast.If)
    def _do_if(self, statement: Any) -> None:
        test = self.writer.term(statement.test)
        if test.batched:
            self.writer.branches.branch(
                statement, self.writer.comparisons.truth(test, statement.test)
            )
            return
        if _is_literal(test.node):  # of a question of types or axes: the other side need not fit
            self.writer.block(statement.body if test.node.value else statement.orelse)
            return
        self.writer.loops.settle_names([*statement.body, *statement.orelse], statement)
        before = dict(self.writer.env)
        body = self.writer.inner(statement.body)
        after = self.writer.env
        self.writer.env = dict(before)
        orelse = self.writer.inner(statement.orelse) if statement.orelse else []
        self.writer.env = self.merged(
            after, self.writer.env, statement, (statement.body, statement.orelse)
        )
        node = test.node
        if orelse and all(isinstance(item, gast.Pass) for item in body):
            node, body, orelse = gast.UnaryOp(gast.Not(), node), orelse, []
        self.writer.emit(gast.If(node, body, orelse), statement)

    def merged(
        self, one: dict[str, Fact], other: dict[str, Fact], node: Any, blocks: Any
    ) -> dict[str, Fact]:
        """Return what names mean after either of two blocks."""
        one_leaves, other_leaves = (leaves(block) for block in blocks)
        if one_leaves:
            return other
        if other_leaves:
            return one
        found = {}
        for name in {**one, **other}:
            a, b = one.get(name), other.get(name)
            if a is None or b is None:
                found[name] = a if a is not None else b if b is not None else UNKNOWN
                continue
            if a.is_numeric and b.is_numeric and a.batched != b.batched:
                self.writer.force(b if a.batched else a, node)
            found[name] = joined(a, b)
        return found


def _is_literal(test: Any) -> bool:
    """Say whether a test tells its answer without being run."""
    return isinstance(test, gast.Constant) and isinstance(test.value, (bool, int))


def leaves(block: list[Any]) -> bool:
    """Say whether a block ends by a jump, so that nothing follows it."""
    return bool(block) and isinstance(
        block[-1], (gast.Return, gast.Raise, gast.Break, gast.Continue)
    )
