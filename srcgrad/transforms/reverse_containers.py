"""Reverses what makes and changes lists and dicts.

The adjoint of a list is a list of adjoints with the entries that the list has at that time: what
the program appends, the backward pass pops, and the other way round.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.points_to import PointsTo
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, method, store, subscript
from srcgrad.ir.changes import Change, change_of
from srcgrad.ir.marks import IS_ENTRY, KEEPS_SHAPE, UPDATES_ENTRY
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import direct_names, store_target
from srcgrad.ir.walk import names_bound
from srcgrad.transforms.contributions import Contributions
from srcgrad.transforms.sure_numbers import is_number, keeps_number
from srcgrad.transforms.sweep import Sweep


class ContainerSteps:
    """The steps of statements on lists and dicts that the program has made."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._kept: list[Any] = []  # whose identities are keys

    # -- changes

    def prepare_change(self, statement: Any) -> list[Any]:
        """Keep how to reverse ``xs.append(v)``, ``xs.insert(i, v)`` and ``v = xs.pop(i)``."""
        change = change_of(statement)
        if change is None or change.name not in self._sweep.facts.activity.active:
            return [statement]
        self._sweep.steps[id(statement)] = lambda: self._reverse_change(statement, change)
        return [statement]

    def _reverse_change(self, statement: Any, change: Change) -> list[Any]:
        if change.method == "pop":
            return self._put_back(statement, change)
        done = self._sweep.adjoints.need(change.name, statement)
        grads = load(self._sweep.adjoints.name(change.name))
        index = [] if change.index is None else [clone(change.index)]
        return [*done, *self._give(statement, change.value, method(grads, "pop", *index))]

    def _give(self, statement: Any, value: Any, entry: Any) -> list[Any]:
        """Pass an entry that was taken out of an adjoint on to what was put in."""
        if not self._sweep.is_active(value):
            return [at(gast.Expr(entry), statement)]
        IS_ENTRY.put(entry, True)
        return self._sweep.contribute(statement, [], [(value.id, entry)], inherits=False)

    def _put_back(self, statement: Any, change: Change) -> list[Any]:
        """The adjoint of ``v = xs.pop()`` goes to the end of the adjoint of `xs`."""
        adjoints = self._sweep.adjoints
        target = change.target or ""
        lead: list[Any] = []
        if target in adjoints.state and target not in adjoints.parts:
            lead = adjoints.need(target, statement)
            del adjoints.state[target]
            entry: Any = load(adjoints.release(target))
        else:
            adjoints.state.pop(target, None)
            entry = self._zero(target)
        lead += adjoints.need(change.name, statement)
        grads = load(adjoints.name(change.name))
        if change.index is None:
            return [*lead, at(gast.Expr(method(grads, "append", entry)), statement)]
        if self._is_dict(change.name, change.index):
            return [*lead, assign(_place(grads, change.index), entry, statement)]
        put = method(grads, "insert", clone(change.index), entry)
        return [*lead, at(gast.Expr(put), statement)]

    def _is_dict(self, name: str, key: Any) -> bool:
        """Say whether what is read or taken out is an entry of a dict."""
        is_word = isinstance(key, gast.Constant) and isinstance(key.value, str)
        program = self._sweep.program
        return is_word or self._sweep.entries.is_dict(name) or program.once(PointsTo).is_dict(name)

    def _zero(self, name: str) -> Any:
        if is_number(self._sweep, load(name)):
            return gast.Constant(0.0, None)
        return self._sweep.zeros_like(load(name))

    # -- stores

    def put(self, statement: Any, shadow: list[Any], before: list[Any]) -> list[Any]:
        """Return the forward statements of a store, and of the one that puts its shadow there."""
        if isinstance(statement, gast.AugAssign):  # of a number, which has no shadow of its own
            return [*self.prepare_store(statement), statement]
        if shadow and id(statement) not in self._sweep.facts.storage.mirror.replaced:
            return [statement, *shadow]
        done = self.prepare_store(statement)
        if shadow or not UPDATES_ENTRY.of(statement):
            return [*done, statement, *shadow]
        return [*done, self.in_place(statement, [*before, *done])]

    def prepare_store(self, statement: Any) -> list[Any]:
        """Keep how to reverse ``xs[i] = v``; what stood there may be needed for its shape."""
        sweep = self._sweep
        target = store_target(statement)
        name = target.value.id
        if name not in sweep.facts.activity.active:
            return []
        adds = isinstance(statement, gast.AugAssign)
        replaced = sweep.facts.storage.mirror.replaced.get(id(statement))
        kills = not adds and (replaced is not None or sweep.overwrites.of(statement))
        numbers = keeps_number(sweep, target)
        lead: list[Any] = []
        zero: Any = gast.Constant(0.0, None)
        if kills and not numbers:
            before = sweep.namer.fresh(f"{sweep.namer.base(name)}_before")
            old: Any = subscript(load(name), clone(target.slice))
            if replaced == "dict" or self._is_dict(name, target.slice):
                old = method(load(name), "get", clone(target.slice))
            lead.append(assign(before, old, statement))
            zero = sweep.zeros_like(load(before))
        sweep.steps[id(statement)] = lambda: self._reverse_store(
            statement, target, zero if kills else None, broadcasts=adds and not numbers
        )
        return lead

    def in_place(self, stored: Any, before: list[Any]) -> Any:
        """Return ``xs[i] *= v`` for a store of ``xs[i] * v``, which writes into an array.

        A number is bound anew either way.
        """
        if not UPDATES_ENTRY.of(stored) or not isinstance(stored.value, gast.Name):
            return stored
        makers = (s for s in reversed(before) if isinstance(s, gast.Assign))
        made = next((s for s in makers if names_bound(s.targets[0]) == [stored.value.id]), None)
        value = getattr(made, "value", None)
        if not isinstance(value, gast.BinOp):
            return stored
        update = at(gast.AugAssign(clone(stored.targets[0]), value.op, clone(value.right)), stored)
        sweep, storage = self._sweep, self._sweep.facts.storage
        sweep.witness.stands_for(update, stored)
        storage.order[id(update)] = storage.order[id(stored)]
        storage.own.add(id(update))
        if id(stored) in sweep.steps:
            sweep.steps[id(update)] = sweep.steps[id(stored)]
        self._kept += [update, stored]
        return update

    def _reverse_store(
        self, statement: Any, target: Any, zero: Any, *, broadcasts: bool
    ) -> list[Any]:
        """The adjoint of ``xs[i] = v`` moves the adjoint of that entry to v.

        What is added to an entry may be broadcast, as a number is that is added to an array.
        """
        adjoints = self._sweep.adjoints
        cell = target.value.id
        if not adjoints.exists(cell):
            return []
        done = adjoints.need(cell, statement)
        entry = subscript(load(adjoints.name(cell)), clone(target.slice))
        if self._sweep.is_active(statement.value):
            value: Any = entry
            if broadcasts:
                unbroadcast = self._sweep.externals.use_runtime("unbroadcast")
                value = call(unbroadcast, value, load(statement.value.id))
                KEEPS_SHAPE.put(value, True)  # nothing else of what was added is needed
            if isinstance(statement, gast.AugAssign) and isinstance(statement.op, gast.Sub):
                value = gast.UnaryOp(gast.USub(), value)
            given = [(statement.value.id, value)]
            done += self._sweep.contribute(statement, [], given, inherits=False)
        if zero is not None:
            done.append(assign(_place(load(adjoints.name(cell)), target.slice), zero, statement))
        return done

    # -- displays

    def prepare_display(
        self, statement: Any, operation: Operation, targets: list[str]
    ) -> list[Any]:
        """Keep how to reverse ``xs = [a, b]``: each entry gets its part of the adjoint."""
        value = statement.value
        mirror = self._sweep.facts.storage.mirror
        shared = mirror.entries if mirror.makers.get(id(statement)) == "display" else set()
        lead: list[Any] = []
        if isinstance(value, gast.Dict):
            keys: list[Any] = [clone(key) for key in value.keys]
        else:
            lead, keys = self._positions(value.elts, statement)

        def rule(grads: list[Any]) -> tuple[list[Any], Contributions]:
            return [], [
                (name, self._part(item, load(name), grads[0], key))
                for key, item in zip(keys, operation.args, strict=True)
                for name in direct_names(item)
                if not shared.issuperset(
                    (name, *targets)
                )  # one has a shadow that is in the other's
            ]

        self._sweep.steps[id(statement)] = lambda: self._sweep.pass_on(statement, targets, rule)
        return [*lead, statement]

    def _part(self, item: Any, cell: Any, grads: Any, key: Any) -> Any:
        """Return what an entry, or the entries of what is starred, gets of an adjoint."""
        if key is None:  # ``{**p}``
            name = self._sweep.namer.fresh("key")
            each = gast.comprehension(store(name), clone(cell), [], 0)
            return gast.DictComp(load(name), subscript(clone(grads), load(name)), [each])
        whole = isinstance(key, gast.Slice) and key.lower is None and key.upper is None
        part = clone(grads) if whole else subscript(clone(grads), clone(key))
        if not isinstance(item, gast.Starred) or cell.id in self._sweep.containers:
            return part
        return call(self._sweep.externals.use_runtime("gathered"), part, cell)

    def _positions(self, items: list[Any], statement: Any) -> tuple[list[Any], list[Any]]:
        """Return the index or slice of each item, and statements that keep lengths for them."""
        stars = [i for i, item in enumerate(items) if isinstance(item, gast.Starred)]
        last = stars[-1] if stars else len(items)
        lead: list[Any] = []
        keys: list[Any] = []
        known = 0
        sizes: list[str] = []
        for position, item in enumerate(items):
            before = _sum(known, sizes)
            if position > last:
                keys.append(constant(position - len(items)))
            elif position == last:
                after = len(items) - 1 - position
                upper = constant(-after) if after else None
                keys.append(gast.Slice(before if known or sizes else None, upper, None))
            elif isinstance(item, gast.Starred):
                size = self._sweep.namer.fresh(f"{_word(item)}_len")
                lead.append(assign(size, call("len", clone(item.value)), statement))
                sizes.append(size)
                start = before if known or len(sizes) > 1 else None
                keys.append(gast.Slice(start, _sum(known, sizes), None))
            else:
                keys.append(before)
                known += 1
        return lead, keys


def _sum(known: int, sizes: list[str]) -> Any:
    """Return the expression of a number and sizes added up."""
    total: Any = constant(known) if known or not sizes else None
    for size in sizes:
        part = load(size)
        total = part if total is None else gast.BinOp(part, gast.Add(), total)
    return total


def _word(item: Any) -> str:
    return str(getattr(item.value, "id", "items"))


def _place(grads: Any, index: Any) -> Any:
    return subscript(grads, clone(index), storing=True)
