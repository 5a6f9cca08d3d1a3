"""Rewrites loops and comprehensions over lists and dicts of objects that the run keeps as dicts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.frontend.expand.order import place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.record_kinds import Holder, Kind
from srcgrad.frontend.expand.scoping import renamed_in
from srcgrad.frontend.expand.values import Known, Recorded, RecordMethod, Value
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, method, subscript
from srcgrad.ir.displays import integer_of
from srcgrad.ir.walk import found_in, names_bound

_PLAIN: Final = (gast.Name, gast.Attribute, gast.Subscript)
_COMPREHENSIONS: Final = (gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp)
_SAME: Final = (reversed, list, tuple, iter)
_TOGETHER: Final = (zip, itertools.product)
_CHOOSING: Final = (
    *(itertools.combinations, itertools.permutations),
    itertools.combinations_with_replacement,
)
"""They give tuples of so many entries of what they are given."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a loop runs through, as text, and the kind of what it gives each time."""

    iterable: Any
    kind: Kind


class RecordLoops(Part):
    """The part of the expansion that runs through objects that are dicts of the run."""

    def run_through(self, node: Any) -> Run | None:
        """Return how to run through an iterable that gives objects; None if it gives none."""
        if not self.session.records.on:
            return None
        run = self._run(node)
        return None if run is None or run.kind is None else run

    def _run(self, node: Any) -> Run | None:
        """Return how to run through an iterable, if that is looked into."""
        if isinstance(node, _PLAIN):
            return self.held_in(self.frame.value(clone(node)))
        if not isinstance(node, gast.Call) or any(k.arg != "strict" for k in node.keywords):
            return None
        callee = self.frame.looked_at(node.func)
        if isinstance(callee, RecordMethod):
            return self._of_dict(callee, node)
        function = callee.value if isinstance(callee, Known) else None
        if function not in (enumerate, *_TOGETHER, *_CHOOSING, *_SAME) or not node.args:
            return None
        chosen = integer_of(node.args[-1]) if function in _CHOOSING else None
        if function in _CHOOSING and (chosen is None or len(node.args) != len(("of", "many"))):
            return None
        places = node.args if function in _TOGETHER else node.args[:1]
        runs = [self._run(item) for item in places]
        if all(run is None or run.kind is None for run in runs):
            return None
        kinds = [None if run is None else run.kind for run in runs]
        texts = [
            run.iterable
            if run is not None and run.kind is not None
            else self.frame.expression(item)
            for run, item in zip(runs, places, strict=True)
        ]
        texts += [self.frame.expression(item) for item in node.args[len(places) :]]
        func = self.frame.plain(callee, node.func)
        made = at(gast.Call(func, texts, list(map(clone, node.keywords))), node)
        if function in _TOGETHER or chosen is not None:
            return Run(made, tuple(kinds) * (chosen or 1))
        return Run(made, (None, kinds[0]) if function is enumerate else kinds[0])

    def _of_dict(self, callee: RecordMethod, node: Any) -> Run | None:
        """Return how to run through ``d.items()`` or ``d.values()``."""
        kind = callee.owner.kind
        if not isinstance(kind, Holder) or node.args:
            return None
        given = {"items": (None, kind.entry), "values": kind.entry}.get(callee.name)
        return None if given is None else Run(method(callee.owner.expression, callee.name), given)

    def held_in(self, value: Value) -> Run | None:
        """Return how to run through a list or dict of objects; None of anything else."""
        if not isinstance(value, Recorded) or not isinstance(value.kind, Holder):
            return None
        if not value.kind.form:
            self.frame.records.refuse_leak(value, value.expression)
        entry = value.kind.entry if value.kind.form == "list" else None
        return Run(clone(value.expression), entry)

    # -- comprehensions

    @contextmanager
    def within(self, node: Any) -> Iterator[None]:
        """Say that a comprehension is being rewritten that stays one."""
        self.frame.comprehensions.append(place(node))
        try:
            yield
        finally:
            self.frame.comprehensions.pop()

    def opened(self, node: Any) -> Value | None:
        """Write a comprehension that makes objects, or runs through some, as a loop before.

        None of others. What a generator gives is computed at once then.
        """
        known = place(node) in self.session.records.opened
        if not (known or self.session.records.on) or not self.frame.hoistable:
            return None
        if isinstance(node, gast.SetComp) or not (known or self._meets_objects(node)):
            return None
        if self.frame.disturbs(node):
            self.frame.refuse_order(node)
        name = self.frame.variable(self.frame.wished or self.frame.bound_field or "part")
        self.frame.wished = ""
        bound = [n for part in node.generators for n in names_bound(part.target)]
        own = {old: self.frame.fresh(old) for old in bound}
        self._begin(name, node)
        self.frame.statement(self._loop(name, renamed_in(node, own)))
        return self.frame.look(name)

    def opened_choice(self, node: Any) -> Value | None:
        """Write ``a if test else b`` that makes objects as a branch before; None of others."""
        if place(node) not in self.session.records.opened or not self.frame.hoistable:
            return None
        if self.frame.disturbs(node):
            self.frame.refuse_order(node)
        name = self.frame.variable(self.frame.wished or "part")
        ends = [[assign(name, value, node)] for value in (node.body, node.orelse)]
        self.frame.wished = ""
        self.frame.statement(at(gast.If(node.test, *ends), node))
        return self.frame.look(name)

    def _begin(self, name: str, node: Any) -> None:
        empty = gast.Dict([], []) if isinstance(node, gast.DictComp) else gast.List([], gast.Load())
        self.frame.statements.assign_name(name, at(empty, node), node)

    def _loop(self, name: str, node: Any) -> Any:
        """Return the loop of a comprehension, which puts its entries into a variable."""
        if isinstance(node, gast.DictComp):
            entry = subscript(load(name), node.key, storing=True)
            body = [assign(entry, node.value, node)]
        else:
            lead, entry = self._entry(node.elt, node)
            body = [*lead, at(gast.Expr(method(load(name), "append", entry)), node)]
        for part in reversed(node.generators):
            for test in reversed(part.ifs):
                body = [at(gast.If(test, body, []), node)]
            body = [at(gast.For(part.target, part.iter, body, [], None), node)]
        return body[0]

    def _entry(self, value: Any, node: Any) -> tuple[list[Any], Any]:
        """Return an entry that is put into a list; calls in it are in a statement before."""
        inner = value.args if isinstance(value, gast.Call) and self._makes(value) else [value]
        if not any(found_in(item, gast.Call, *_COMPREHENSIONS) for item in inner):
            return [], value
        entry = self.frame.fresh("entry")
        return [assign(entry, value, node)], load(entry)

    def _meets_objects(self, node: Any) -> bool:
        """Say whether a comprehension makes objects, or runs through what holds some."""
        kinds: list[Any] = []
        for part in node.generators:
            for item in found_in(part.iter, *_PLAIN):
                value = self.frame.looked_at(item)
                kinds.append(getattr(value, "kind", None) if isinstance(value, Recorded) else None)
        elt = getattr(node, "elt", None)
        for item in getattr(elt, "elts", [elt]):
            value = self.frame.looked_at(item) if isinstance(item, _PLAIN) else None
            kinds.append(value.kind if isinstance(value, Recorded) else None)
        if any(kind is not None for kind in kinds):
            return True
        return any(map(self._makes, found_in(node, gast.Call)))

    def _makes(self, call: Any) -> bool:
        """Say whether a call makes an object that is a dict of the run."""
        callee, records = self.frame.looked_at(call.func), self.session.records
        cls = callee.value if isinstance(callee, Known) else None
        return isinstance(cls, type) and cls in records.made and records.keeps(cls)
