"""Turns checkpointed loops into functions: one of the whole loop, and one of a single trip."""

from __future__ import annotations

import builtins
import itertools
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from srcgrad.errors import MutationError
from srcgrad.frontend.callees import ELSEWHERE
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.making import cell, definition, make_function
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.long_loops import LongLoop, mark_loop
from srcgrad.frontend.normalize.counting import bind_outside, is_checkpointed, plainly
from srcgrad.frontend.normalize.freshness import Freshness
from srcgrad.frontend.normalize.loops import IndexLoops
from srcgrad.frontend.normalize.trips import (
    binds,
    filled,
    flagging,
    has_keys,
    is_sliced,
    rebinding,
    rebinds,
    stored,
    sure,
    without_jumps,
)
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.repeatable import not_repeatable
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, method, names_tuple, store, subscript
from srcgrad.ir.jumps import breaks_out
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import blocks_of, names_bound, names_read, statements
from srcgrad.runtime import copied, refuse_array

Names = list[str]


@dataclass(slots=True)
class _Trip:
    """One loop on its way to its functions."""

    loop: Any
    budget: Any
    states: Names
    constants: Names
    after: set[str]
    written: Names = field(default_factory=list)
    copies: Names = field(default_factory=list)
    numbers: set[str] = field(default_factory=set)


class Stepping:
    """Rewrites the checkpointed loops of one function.

    What a trip may change is its state; what it only reads is constant. A trip works on copies of
    the arrays that it writes into, so that a state that is kept stays as it was.
    """

    def __init__(
        self, source: FunctionSource, reader: Reader, namer: Namer, refusals: Refusals
    ) -> None:
        self._source = source
        self._reader = reader
        self._namer = namer
        self._refusals = refusals
        self._after: dict[int, set[str]] = {}
        self._known: set[str] = set()

    def block(self, body: list[Any], parameters: Names, varied: set[str]) -> list[Any]:
        """Return the function's body with calls of functions in the place of the loops.

        A loop that changes nothing that is `varied` has no derivative, and becomes a plain one.
        """
        loops = [s for s in statements(body) if self._is_long(s)]
        for loop in loops:
            if varied.isdisjoint(bound_names([loop]) | stored(loop)):
                plainly([loop], self._reader)
        if not any(map(self._is_long, loops)):
            return body
        self._known = bound_names(body) | set(parameters)
        self._fresh = Freshness(body, parameters, self._reader)
        body = self._by_index(body)
        walk_live(body, set(), self._note)
        return self._block(body, set(parameters))

    def _is_long(self, statement: Any) -> bool:
        return isinstance(statement, gast.For) and is_checkpointed(statement.iter, self._reader)

    def _note(self, statement: Any, live: set[str]) -> None:
        if self._is_long(statement):
            self._after[id(statement)] = set(live)

    # -- what a loop runs over

    def _by_index(self, block: list[Any]) -> list[Any]:
        """Let loops over sequences run over their indices."""
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._by_index(part)
            done += self._indexed(statement) if self._is_long(statement) else [statement]
        return done

    def _indexed(self, loop: Any) -> list[Any]:
        steps = loop.iter
        inner = steps.args[0]
        callee = self._reader.scope.resolve(getattr(inner, "func", inner))
        if callee is range and isinstance(loop.target, gast.Name):
            return [loop]
        if callee is itertools.count and isinstance(loop.target, gast.Name):
            steps.args[0] = self._endless(inner)
            return [loop]
        lead: list[Any] = []

        def simple(value: Any) -> Any:
            if isinstance(value, gast.Name) and value.id not in bound_names([loop]):
                return value
            name = self._new("items")
            lead.append(assign(name, value, loop))
            return load(name)

        def never(_: Any) -> bool:
            return False

        loop.iter = inner
        made = IndexLoops(self._reader, self._namer, simple, never, never, never).rewritten(loop)
        if (
            made is None
            or self._reader.scope.resolve(getattr(made.iter, "func", None)) is not range
        ):
            self._refusals.add(
                inner, "a checkpointed loop over this iterable", "loop over `range(len(x))`"
            )
            return [loop]
        self._reader.scope.local |= set(names_bound(made.target))
        made.iter = at(gast.Call(steps.func, [made.iter, *steps.args[1:]], steps.keywords), steps)
        return [*lead, made]

    def _endless(self, count: Any) -> Any:
        start = [*count.args[:1], *[k.value for k in count.keywords if k.arg == "start"]]
        step = [*count.args[1:], *[k.value for k in count.keywords if k.arg == "step"]]
        args = [start[0] if start else gast.Constant(0, None), _largest()]
        return call("range", *args, *step) if step or start else call("range", _largest())

    def _new(self, wish: str) -> str:
        name = self._namer.fresh(wish)
        self._reader.scope.local |= {name}
        self._known.add(name)
        return name

    # -- from loops to functions

    def _block(self, block: list[Any], bound: set[str]) -> list[Any]:
        """Rewrite a block, given the names that are surely bound before it."""
        done: list[Any] = []
        bound = set(bound)
        for statement in block:
            if self._is_long(statement):
                done += self._stepped(statement, bound)
                bound |= bound_names([statement]) & self._after[id(statement)]
                continue
            inner = bound | set(binds(statement))
            for part in blocks_of(statement):
                part[:] = self._block(part, inner)
            bound |= sure(statement)
            done.append(statement)
        return done

    def _stepped(self, loop: Any, bound: set[str]) -> list[Any]:
        trip = self._trip(loop)
        if set(names_bound(loop.target)) & set(trip.states):
            self._keep_index(loop)
            trip = self._trip(loop)
        lead = self._start_unbound(trip, bound)
        if self._refusals.found:
            return [loop]
        self._find_writes(trip)
        return self._called(trip, lead)

    def _called(self, trip: _Trip, lead: list[Any]) -> list[Any]:
        """Return a call in the place of the loop."""
        loop = trip.loop
        step = self._function(self._step_tree(trip))
        problem = not_repeatable(step, self._reader.vocabulary)
        if problem is not None:
            self._refusals.add(
                loop.iter,
                f"a checkpointed loop that calls {problem}",
                "draw before the loop, into an array, or drop `checkpointed`",
            )
        if self._refusals.found:
            return [loop]
        shape = LongLoop(
            step,
            tuple(trip.states),
            tuple(trip.constants),
            len(trip.written),
            breaks_out(loop),
            frozenset(trip.numbers),
        )
        function = self._function(self._loop_tree(trip))
        mark_loop(function, shape)
        return [*lead, *self._call(trip, function)]

    def _keep_index(self, loop: Any) -> None:
        """Let the index be a state, since it is read after the loop or changed inside of it."""
        index = self._new("index")
        loop.body.insert(0, assign(clone(loop.target), load(index), loop))
        loop.target = store(index)

    def _trip(self, loop: Any) -> _Trip:
        """Say what a trip changes and what it reads."""
        after = self._after[id(loop)]
        head = set(after)
        target = set(names_bound(loop.target))
        size = -1
        while len(head) != size:
            size = len(head)
            head |= walk_live(loop.body, set(head), None, after) - target
        order = [n for s in statements([loop]) for n in binds(s)]
        states = [n for n in dict.fromkeys(order) if n in head]
        reads = [n for s in loop.body for n in names_read(s)]
        reads = [n for n in dict.fromkeys(reads) if n in head and n in self._known]
        constants = [n for n in reads if n not in states and n not in target]
        steps = loop.iter
        given = [*steps.args[1:], *[k.value for k in steps.keywords if k.arg == "budget"]]
        return _Trip(loop, given[0] if given else None, states, constants, after)

    def _start_unbound(self, trip: _Trip, bound: set[str]) -> list[Any]:
        """Bind what only the loop binds, since it is part of the state."""
        lead: list[Any] = []
        reads = walk_live(trip.loop.body, set(), None, ())
        for name in [n for n in [*trip.states, *trip.constants] if n not in bound]:
            if name in reads or name in trip.constants or self._fresh.binds_before(name, trip.loop):
                self._refusals.add(
                    trip.loop,
                    f"a checkpointed loop before which `{name}` may not be bound",
                    f"bind `{name}` before the loop",
                )
            lead.append(assign(name, gast.Constant(None, None), trip.loop))
        return lead

    # -- what a trip writes into

    def _find_writes(self, trip: _Trip) -> None:
        """Decide for each variable whose memory a trip writes into how that is kept apart."""
        updated = {
            s.target.id
            for s in statements(trip.loop.body)
            if isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Name)
        }
        stored = self._written(trip, set())
        copies = set(stored)
        kept: set[str] = set()
        for name in sorted(updated):
            reached = self._written(trip, {name}) - stored
            loose = {n for n in reached if not self._fresh.at(n, trip.loop)}
            trip.numbers |= loose
            if not loose and not self._fresh.counts(name):
                kept.add(name)
                copies |= reached
        trip.loop.body = rebinding(trip.loop.body, updated - kept)
        rebound = {n for s in statements(trip.loop.body) for n in rebinds(s)}
        for name in sorted(stored):
            if not self._fresh.at(name, trip.loop):
                if name in rebound or has_keys(trip.loop.body, name):
                    self._refusals.add(
                        trip.loop,
                        f"a checkpointed loop that writes into `{name}`, which may have another "
                        "name",
                        f"copy it before the loop: `{name} = {name}.copy()`",
                        MutationError,
                    )
                trip.copies.append(name)
        trip.written = [n for n in [*trip.states, *trip.constants] if n in copies]
        trip.states = [*trip.written, *[n for n in trip.states if n not in copies]]
        trip.constants = [n for n in trip.constants if n not in copies]

    def _written(self, trip: _Trip, kept: set[str]) -> set[str]:
        """Return the variables whose memory a trip writes into; of updates only those of `kept`."""
        body = clone(trip.loop.body)
        updates = {
            s.target.id
            for s in statements(body)
            if isinstance(s, gast.AugAssign) and isinstance(s.target, gast.Name)
        }
        names = [*names_bound(trip.loop.target), *trip.states, *trip.constants]
        body = without_jumps(rebinding(body, updates - kept))
        tree = definition("step", list(dict.fromkeys(names)), body, trip.loop)
        found = written_parameters(self._function(tree), self._reader.vocabulary)
        if not kept:
            self._refuse_elsewhere(trip, ELSEWHERE in found)
        return set(found) - {ELSEWHERE}

    def _refuse_elsewhere(self, trip: _Trip, elsewhere: bool) -> None:
        if elsewhere:
            self._refusals.add(
                trip.loop,
                "a checkpointed loop that writes into memory from outside of the function",
                "return the new value instead",
                MutationError,
            )

    # -- the functions

    def _copies(self, trip: _Trip, names: dict[str, str]) -> list[Any]:
        """Return copies of the arrays that are written into; `names` are those of the originals."""
        done: list[Any] = []
        for name in trip.written:
            given = names.get(name, name)
            copy = call("copied", load(given))
            if is_sliced(trip.loop.body, name):
                copy = method(load(given), "copy")
            done.append(assign(name, copy, trip.loop))
        return done

    def _step_tree(self, trip: _Trip) -> Any:
        loop = trip.loop
        target = names_bound(loop.target)
        body = clone(loop.body)
        results = list(trip.states)
        if breaks_out(loop):
            left = self._namer.fresh("left")
            body = [assign(left, gast.Constant(False, None), loop), *flagging(body, left)]
            results.append(left)
        result = at(gast.Return(names_tuple(results)), loop)
        arguments = [*target, *[n for n in [*trip.states, *trip.constants] if n not in target]]
        return definition(
            self._namer.fresh(f"{self._source.name}_step"),
            arguments,
            [*self._copies(trip, {}), *body, result],
            loop,
        )

    def _loop_tree(self, trip: _Trip) -> Any:
        loop = trip.loop
        indices = self._namer.fresh("indices")
        budget = [self._namer.fresh("budget")] if trip.budget is not None else []
        same = at(gast.For(clone(loop.target), load(indices), clone(loop.body), [], None), loop)
        result = at(gast.Return(names_tuple(trip.states)), loop)
        given = {name: self._namer.fresh(f"{name}_before") for name in trip.written}
        states = [given.get(name, name) for name in trip.states]
        return definition(
            f"{self._source.name}_loop",
            [indices, *states, *trip.constants, *budget],
            [*self._copies(trip, given), plainly([same], self._reader)[0], result],
            loop,
        )

    def _function(self, tree: Any) -> FunctionType:
        home = Home.of(self._source.function)
        outside = (home.globals, vars(builtins))
        inside = {
            name: cell(binding.value)
            for name, binding in self._reader.scope.used.items()
            if not any(binding.holder is item for item in outside)
        }
        home.cells = {**inside, "copied": cell(copied), **home.cells}
        tree.body = filled(tree.body)
        return make_function(tree, home, self._source, self._source.temporaries)

    def _call(self, trip: _Trip, function: FunctionType) -> list[Any]:
        """Return the call of a loop's function, and what it needs before and after."""
        loop = trip.loop
        name = self._namer.fresh(function.__name__)
        bind_outside(self._reader, name, function)
        given = [load(n) for n in [*trip.states, *trip.constants]]
        budget = [trip.budget] if trip.budget is not None else []
        value = at(call(name, loop.iter.args[0], *given, *budget), loop)
        targets = [self._new(f"{n}_after") if n in trip.copies else n for n in trip.states]
        done = []
        for item in sorted(trip.numbers):
            check = bind_outside(self._reader, "refuse_array", refuse_array)
            guard = call(check, load(item), gast.Constant(item, None))
            done.append(at(gast.Expr(guard), loop))
        done.append(assign(names_tuple(targets, storing=True), value, loop))
        for state, target in zip(trip.states, targets, strict=True):
            if state != target:
                whole = subscript(load(state), gast.Constant(..., None), storing=True)
                done.append(assign(whole, load(target), loop))
        return done


def _largest() -> Any:
    return gast.BinOp(gast.Constant(10, None), gast.Pow(), gast.Constant(15, None))
