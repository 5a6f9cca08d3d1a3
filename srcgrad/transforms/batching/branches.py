"""Writes branches that some examples take: both sides are computed, and one is selected of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import found_in, is_same, names_bound
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.indexing import Place
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.picking import is_picked, whole_of
from srcgrad.transforms.batching.statements import leaves
from srcgrad.transforms.batching.terms import Term, indexed, none, whole_slice, widened


class Branches(Part):
    """Rewrites branches on a test of each example, and writes into arrays."""

    def new_name(self, name: str) -> str:
        """Return the name that a variable has where it is bound: of its own in such a branch."""
        if not self.writer.masks:
            self.writer.alias.pop(name, None)
            return name
        if name in self.writer.branch_names:
            return self.writer.alias[name]
        new = self.writer.alias[name] = self.writer.namer.fresh(f"{name}_{self.writer.side}")
        self.writer.branch_names.add(name)
        return new

    def branch(self, statement: Any, test: Term) -> None:
        """Write ``if test: ... else: ...`` for a test of each example."""
        self.writer.note_risk(statement, (Exception,))  # both sides are run, for all examples
        if self._short_branch(statement, test):
            return
        if not isinstance(test.node, gast.Name):
            name = self.writer.namer.fresh("holds")
            self.writer.emit(assign(name, test.node), statement)
            test = Term(load(name), test.fact)
        start = len(self.writer.out)
        first = self._side(statement.body, test, "then")
        other = Term(gast.UnaryOp(gast.Invert(), clone(test.node)), test.fact)
        second = self._side(statement.orelse, other, "else")
        self._select(statement, test, (first, second), start)

    def _short_branch(self, statement: Any, test: Term) -> bool:
        """Write a branch of one assignment to the same name on both sides as one statement."""
        sides = [statement.body, statement.orelse]
        if not all(len(b) == 1 and isinstance(b[0], gast.Assign) for b in sides):
            return False
        (one,), (other,) = statement.body[0].targets, statement.orelse[0].targets
        if isinstance(one, gast.Subscript) and is_same(one, other):
            return self._short_store(statement, test, one)
        if not isinstance(one, gast.Name) or not isinstance(other, gast.Name) or one.id != other.id:
            return False
        values = [self.writer.kept(self.writer.term(b[0].value)) for b in sides]
        if not all(v.fact.is_numeric and v.rank == values[0].rank for v in values):
            return False
        if values[0].rank is None:
            return False
        new = self.writer.expressions.selected(test, values[0], values[1], statement)
        self.writer.emit(assign(self.new_name(one.id), new.node), statement)
        self.writer.bind(one.id, new.fact)
        return True

    def _short_store(self, statement: Any, test: Term, target: Any) -> bool:
        """Write a branch that stores into the same place on both sides as one statement."""
        base = self.writer.term(target.value)
        if (
            base.fact.kind != "array"
            or self.writer.indexing.reads_batch(target.slice)
            or self.writer.masks
        ):
            return False
        values = [
            self.writer.kept(self.writer.term(b[0].value))
            for b in (statement.body, statement.orelse)
        ]
        self._ready(base, [test], target, statement)
        if not all(v.fact.is_numeric and v.rank == values[0].rank for v in values):
            return False
        if values[0].rank is None:
            return False
        new = self.writer.expressions.selected(test, values[0], values[1], statement)
        self.store_at(target, base, new, statement)
        return True

    def _side(
        self, body: list[Any], test: Term, side: str
    ) -> tuple[dict[str, Fact], dict[str, str]]:
        """Write the statements of one side; return what its names mean and are called."""
        kept = (
            dict(self.writer.env),
            dict(self.writer.alias),
            self.writer.branch_names,
            self.writer.side,
        )
        self.writer.masks.append(test)
        self.writer.branch_names, self.writer.side = set(), side
        try:
            self.writer.block(body)
            return self.writer.env, self.writer.alias
        finally:
            self.writer.masks.pop()
            self.writer.env, self.writer.alias, self.writer.branch_names, self.writer.side = kept

    def _select(self, statement: Any, test: Term, sides: Any, start: int) -> None:
        """Give each name that a side binds the value of the side that holds."""
        (env, alias), (other_env, other_alias) = sides
        names = [
            name
            for name in {**env, **other_env}
            if alias.get(name, name) != self.writer.alias.get(name, name)
            or other_alias.get(name, name) != self.writer.alias.get(name, name)
        ]
        names.sort(
            key=lambda name: self.writer.alias.get(name, name) == getattr(test.node, "id", None)
        )
        made = list(self.writer.out[start:])
        for name in names:  # what the test reads is bound anew after all else
            bound = all(self._is_bound(name, side, made) for side in (alias, other_alias))
            if name not in env or name not in other_env or not bound:
                self.writer.env[name] = Fact("mixed", batched=True)
                continue
            one = Term(self._last_value(alias.get(name, name), start), env[name])
            other = Term(self._last_value(other_alias.get(name, name), start), other_env[name])
            alike = one.fact.is_numeric and other.fact.is_numeric and one.rank == other.rank
            if not alike or one.rank is None:
                self.writer.env[name] = Fact("mixed", batched=True)
                continue
            new = self.writer.expressions.selected(test, one, other, statement)
            self.writer.emit(assign(self.new_name(name), new.node), statement)
            self.writer.bind(name, new.fact)

    def _is_bound(self, name: str, alias: dict[str, str], made: list[Any]) -> bool:
        """Say whether a variable has a value on a side of a branch, whatever runs there."""
        called = alias.get(name, name)
        return called == self.writer.alias.get(name, name) or surely_binds(made, called)

    def _last_value(self, name: str, start: int) -> Any:
        """Return the expression that a name of a branch is bound to, if that is all it is for."""
        made = self.writer.out[start:]
        place = next((i for i, s in enumerate(made) if list(bound_names([s])) == [name]), None)
        if place is None or not isinstance(made[place], gast.Assign):
            return load(name)
        after = made[place + 1 :]
        plain = all(isinstance(s, gast.Assign) and names_bound(s.targets[0]) for s in after)
        read = {n.id for n in found_in(made[place].value, gast.Name)}
        if (
            not plain
            or read & set(bound_names(after))
            or name in {n.id for s in after for n in found_in(s, gast.Name)}
        ):
            return load(name)
        del self.writer.out[start + place]
        return made[place].value

    # -- writes into arrays

    def test_of_masks(self) -> Any:
        """Return the test of the branches that a statement is in."""
        total = clone(self.writer.masks[0].node)
        for mask in self.writer.masks[1:]:
            total = gast.BinOp(total, gast.BitAnd(), clone(mask.node))
        return total

    def store_at(self, target: Any, base: Term, term: Term, statement: Any) -> None:
        """Write ``x[i] = v``."""
        mask = self.writer.indexing.mask_of_each(target.slice, base)
        self._ready(base, [term], target, statement)
        if mask is not None:
            self._store_by_mask(target, base, mask, term, statement, None)
            return
        place = self.writer.indexing.place(target, base)
        value = self._value_for(place, base, term, statement)
        if self.writer.masks:
            value = self._masked(place, value, clone(place.node), statement)
        self._emit_store(place, value, statement)

    def update_at(self, target: Any, base: Term, term: Term, statement: Any) -> None:
        """Write ``x[i] += v``."""
        mask = self.writer.indexing.mask_of_each(target.slice, base)
        self._ready(base, [term], target, statement)
        if mask is not None:
            self._store_by_mask(target, base, mask, term, statement, statement.op)
            return
        place = self.writer.indexing.place(target, base)
        value = self._value_for(place, base, term, statement)
        if self.writer.masks:
            old = clone(place.node)
            new = gast.BinOp(clone(place.node), statement.op, value)
            self._emit_store(place, self._masked(place, new, old, statement), statement)
            return
        node = clone(place.node)
        node.ctx = gast.Store()
        self.writer.emit(gast.AugAssign(node, statement.op, value), statement)

    def _ready(self, base: Term, values: list[Term], target: Any, statement: Any) -> None:
        """Let each example have its own of an array that something of it is written to."""
        self.writer.note_written(
            base.fact.sites | base.fact.read_from, statement, batched=base.batched
        )
        own = any(value.batched for value in values) or self.writer.indexing.reads_batch(
            target.slice
        )
        if (own or self.writer.masks) and not base.batched:
            self.writer.force(base.fact, statement)

    def _value_for(self, place: Place, base: Term, term: Term, statement: Any) -> Any:
        """Return a value with its axes where those of the place are."""
        if not base.batched:
            return term.node
        if term.fact.kind in ("list", "tuple"):
            if self.writer.holds_batch(term.fact):
                self.writer.refuse(
                    statement, "a write of a list of values of examples", "make it an array"
                )
            return term.node
        rank = self.writer.rank_of(term, statement)
        if place.rank is None or rank > place.rank:
            self.writer.refuse(
                statement, "a write of a value with more axes than its place", "check them"
            )
        return widened(term, place.rank)

    def _masked(self, place: Place, value: Any, old: Any, statement: Any) -> Any:
        rank = place.rank
        if rank is None:
            self.writer.refuse(statement, "a write of which the axes are not known", "use numbers")
        test = widened(Term(self.test_of_masks(), Fact("number", True, 0, "b")), rank)
        return call(self.writer.numpy("where"), test, value, old)

    def _emit_store(self, place: Place, value: Any, statement: Any) -> None:
        node = clone(place.node)
        node.ctx = gast.Store()
        self.writer.emit(gast.Assign([node], value, None), statement)

    def _store_by_mask(
        self, target: Any, base: Term, mask: Term, term: Term, statement: Any, op: Any
    ) -> None:
        """Write ``x[mask] = v``, where ``mask`` is another for each example."""
        rank = self.writer.rank_of(base, statement)
        picked = is_picked(term.fact) and term.fact.keys == (gast.dump(mask.node),)
        if mask.rank != rank or (term.rank != 0 and not picked):
            self.writer.refuse(
                statement, "a write by a mask of each example", "use np.where(mask, v, x)"
            )
        term = whole_of(term)
        if self.writer.masks:
            test = widened(Term(self.test_of_masks(), Fact("number", True, 0, "b")), rank)
            mask = Term(gast.BinOp(test, gast.BitAnd(), mask.node), mask.fact)
        if not term.batched:
            node = indexed(base.node, [mask.node])
            node.ctx = gast.Store()
            value = term.node
            made = (
                gast.Assign([node], value, None) if op is None else gast.AugAssign(node, op, value)
            )
            self.writer.emit(made, statement)
            return
        value = widened(term, rank)
        new = value if op is None else gast.BinOp(clone(base.node), op, value)
        chosen = call(self.writer.numpy("where"), mask.node, new, clone(base.node))
        node = indexed(base.node, [whole_slice()])
        node.ctx = gast.Store()
        self.writer.emit(gast.Assign([node], chosen, None), statement)

    def write_call(self, statement: Any) -> bool:
        """Write a call for its effect, such as ``np.add.at(x, i, v)``; say whether it was one."""
        value = statement.value
        if not isinstance(value, gast.Call):
            return False
        if isinstance(value.func, gast.Attribute) and value.func.attr == "fill":
            base = self.writer.term(value.func.value)
            if base.fact.kind == "array" and len(value.args) == 1:
                whole = gast.Slice(None, None, None)
                target = at(gast.Subscript(value.func.value, whole, gast.Store()), statement)
                self.store_at(target, base, self.writer.term(value.args[0]), statement)
                return True
        if not self._is_add_at(value):
            return False
        self._add_at(value, statement)
        return True

    def is_ufunc_at(self, func: Any) -> bool:
        """Say whether a function is ``np.add.at`` or its like."""
        named = isinstance(func, gast.Attribute) and func.attr == "at"
        return named and isinstance(self.writer.resolved(func.value), np.ufunc)

    def _is_add_at(self, value: Any) -> bool:
        func = value.func
        if len(value.args) == 3 and self.is_ufunc_at(func):
            return True
        function = self.writer.resolved(func)
        path = f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', '')}"
        return path == "srcgrad.runtime.indexing.add_at"

    def _add_at(self, value: Any, statement: Any) -> None:
        index = _as_index(value.args[1])
        target = at(gast.Subscript(value.args[0], index, gast.Store()), statement)
        base, term = self.writer.term(value.args[0]), self.writer.term(value.args[2])
        if base.fact.kind in ("list", "dict") and not self.is_ufunc_at(value.func):
            self.writer.statements.add_to_item(target, base, term, statement)
            return
        if base.fact.kind != "array" or self.writer.masks or value.keywords:
            self.writer.refuse(statement, "np.add.at here", "use a loop")
        self._ready(base, [term], target, statement)
        place = self.writer.indexing.place(target, base)
        node = self._value_for(place, base, term, statement)
        index = place.node.slice
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        said = [_as_value(part) for part in parts]
        new = said[0] if len(said) == 1 else gast.Tuple(said, gast.Load())
        self.writer.emit(
            gast.Expr(gast.Call(clone(value.func), [base.node, new, node], [])), statement
        )


def _as_index(node: Any) -> Any:
    """Return an index that is said outside of brackets as it is said in them."""
    if isinstance(node, gast.Tuple):
        return gast.Tuple([_as_index(item) for item in node.elts], gast.Load())
    is_slice = isinstance(node, gast.Call) and getattr(node.func, "id", None) == "slice"
    if not is_slice or node.keywords or not node.args:
        return node
    low, high, step = {1: (None, 0, None), 2: (0, 1, None), 3: (0, 1, 2)}[len(node.args)]
    bounds = [None if i is None else node.args[i] for i in (low, high, step)]
    plain = [None if isinstance(b, gast.Constant) and b.value is None else b for b in bounds]
    return at(gast.Slice(*plain), node)


def _as_value(part: Any) -> Any:
    """Return an entry of an index as it is said outside of brackets."""
    if not isinstance(part, gast.Slice):
        return part
    bounds = [b if b is not None else none() for b in (part.lower, part.upper, part.step)]
    if part.step is None:
        bounds = bounds[1:] if part.lower is None else bounds[:2]
        bounds = bounds[:1] if part.lower is None else bounds
    return call("slice", *bounds)


def surely_binds(block: list[Any], name: str) -> bool:
    r"""Say whether statements bind a name, whatever branches are taken, even if no loop runs.

    >>> from srcgrad.compiler.doctesting import parse
    >>> sides = ("y = 1", "x = 2")
    >>> [surely_binds(parse(f"if c: x = 1\nelse: {other}"), "x") for other in sides]
    [False, True]
    """
    return any(_binds(statement, name) for statement in block)


def _binds(statement: Any, name: str) -> bool:
    if isinstance(statement, gast.If):
        sides = (statement.body, statement.orelse)
        return all(leaves(side) or surely_binds(side, name) for side in sides)
    if isinstance(statement, (gast.For, gast.While)):
        return False  # it may have no trip
    return name in bound_names([statement])
