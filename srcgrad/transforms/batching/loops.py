"""Writes loops: of as many trips for all examples, or of trips that some of them take no more.

A loop that some examples leave earlier than others runs on for the rest: what a trip does is a
branch that those take that are still `going`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load
from srcgrad.ir.handlers import statement
from srcgrad.ir.jumps import jumps
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import found_in
from srcgrad.transforms.batching.facts import Fact, joined
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.state import AgainError, PartsError
from srcgrad.transforms.batching.terms import Term


@dataclass(frozen=True, slots=True)
class Parted:
    """A loop that some examples leave earlier than others.

    Attributes:
        going: The name of what says which examples take the next trip.
        start: The statement that gives it its first value.
        trip: What a trip does for those that are going.
    """

    going: str
    start: Any
    trip: Any


class Loops(Part):
    """Rewrites the loops of one function."""

    @statement(gast.Break)
    def _do_break(self, statement: Any) -> None:
        loop, depth = self.writer.open_loops[-1]
        if len(self.writer.masks) > depth:
            self._part(loop)
        self.writer.jumped[-1].append(dict(self.writer.env))
        self.writer.emit(clone(statement), statement)

    @statement(gast.Continue)
    def _do_continue(self, statement: Any) -> None:
        if len(self.writer.masks) > self.writer.open_loops[-1][1]:
            raise PartsError
        self.writer.jumped[-1].append(dict(self.writer.env))
        self.writer.emit(clone(statement), statement)

    @statement(gast.For)
    def _do_for(self, statement: Any) -> None:
        if statement.orelse:
            raise PartsError
        source = self.writer.kept(self.writer.term(statement.iter))
        iterable, element = self.writer.expressions.iterated(source, statement.iter)
        parted = self.writer.known.parted.get(id(statement))
        body = statement.body if parted is None else [parted.trip]
        if parted is not None:
            self.writer.block([parted.start])
        around = [statement] if self.writer.masks and self._has_targets_elsewhere(statement) else []
        self.settle_names([*around, *body], statement)
        target = clone(statement.target)
        for item in found_in(target, gast.Name):
            item.id = self.writer.alias.get(item.id, item.id)

        def trip() -> list[Any]:
            self.writer.expressions.bind_target(statement.target, element, statement)
            outer, self.writer.out = self.writer.out, []
            try:
                self.writer.statements.copy_read(statement.target, statement)
                self.writer.block(body)
                if parted is not None:
                    ended = gast.UnaryOp(gast.Not(), self._some_go(parted))
                    self.writer.emit(gast.If(ended, [gast.Break()], []), statement)
                return self.writer.out or [gast.Pass()]
            finally:
                self.writer.out = outer

        new = self._trips(trip, statement, _variables(statement))
        self.writer.emit(gast.For(target, iterable, new, [], None), statement)

    @statement(gast.While)
    def _do_while(self, statement: Any) -> None:
        if statement.orelse:
            raise PartsError
        parted = self.writer.known.parted.get(id(statement))
        if parted is not None:
            self._parted_while(statement, parted)
            return
        self.settle_names([statement], statement)
        test: Any = None

        def trip() -> list[Any]:
            nonlocal test
            term = self.writer.term(statement.test)
            if term.batched:
                self._part(statement)
            test = term.node
            return self.writer.inner(statement.body)

        body = self._trips(trip, statement, set())
        self.writer.emit(gast.While(test, body, []), statement)

    def _trips(self, trip: Callable[[], list[Any]], statement: Any, own: set[str]) -> list[Any]:
        """Return the body of a loop, once names mean at its start what they mean at its end."""
        self.writer.open_loops.append((statement, len(self.writer.masks)))
        self.writer.jumped.append([])
        try:
            return self._settled_trips(trip, statement, own)
        finally:
            self.writer.open_loops.pop()
            self.writer.jumped.pop()

    def _settled_trips(
        self, trip: Callable[[], list[Any]], statement: Any, own: set[str]
    ) -> list[Any]:
        for _ in range(20):
            start, namer = dict(self.writer.env), self.writer.namer.copied()
            self.writer.jumped[-1].clear()
            body = trip()
            joint = dict(start)
            ends = [self.writer.env, *self.writer.jumped[-1]]
            for name, fact in (pair for end in ends for pair in end.items()):
                old = joint.get(name)
                if old is None or name in own:
                    joint[name] = fact
                    continue
                if old.is_numeric and fact.is_numeric and old.batched != fact.batched:
                    self.writer.force(fact if old.batched else old, statement)
                joint[name] = joined(old, fact)
            self.writer.env = joint
            if joint == start:
                return body
            self.writer.namer = namer
        return self.writer.refuse(
            statement, "a loop in which values keep changing their axes", "fix them"
        )

    def settle_names(self, body: list[Any], statement: Any) -> None:
        """Give the names that a block binds their names in the branch that it is in, if any."""
        if not self.writer.masks:
            return
        for name in sorted(bound_names(body)):
            if name in self.writer.branch_names:
                continue
            old = self.writer.alias.get(name, name)
            new = self.writer.branches.new_name(name)
            if name in self.writer.env and self.writer.env[name].kind != "mixed":
                self.writer.emit(assign(new, load(old)), statement)

    # -- loops that some examples leave earlier than others

    def _part(self, loop: Any) -> None:
        """Let a loop run on for those examples that do not leave it.

        Raises:
            AgainError: The function has to be written again, with that known.
            PartsError: It has to be written again with one exit of each block.
        """
        if not self.writer.has_one_exit:
            raise PartsError
        self._refuse_targets(loop)
        going = self.writer.namer.fresh("going")
        self.writer.known.names.add(going)
        is_for = isinstance(loop, gast.For)
        first = at(gast.Constant(True, None), loop) if is_for else loop.test
        again = [] if is_for else [assign(going, clone(loop.test), loop)]
        body = _closed(clone(loop.body), going, again, loop)
        if any(isinstance(item, gast.Break) for item in jumps(body)):
            self.writer.refuse(
                loop,
                "a loop that some examples leave earlier than others, out of a block,",
                "run all trips for all, and use np.where(done, old, new)",
            )
        trip = at(gast.If(at(load(going), loop), body, []), loop)
        start = assign(going, first, loop)
        self.writer.known.parted[id(loop)] = Parted(going, start, trip)
        raise AgainError

    def _refuse_targets(self, loop: Any) -> None:
        """Refuse a loop whose variable is read behind it: it is another for each example then."""
        if isinstance(loop, gast.For) and self._has_targets_elsewhere(loop):
            self.writer.refuse(
                loop,
                "a loop that some examples leave earlier, whose variable is read elsewhere,",
                "give the variable of the loop a name of its own",
            )

    def _has_targets_elsewhere(self, loop: Any) -> bool:
        """Say whether variables of a loop are more than those of loops, each in itself."""
        own = _variables(loop)
        others = [item for item in found_in(self.writer.tree, gast.For) if item is not loop]
        alike = [o for o in others if own <= _variables(o)]
        parts = [loop, *(o.target if _rebinds(o, own) else o for o in alike)]
        inside = {id(n) for part in parts for n in found_in(part, gast.Name)}
        return any(
            n.id in own and id(n) not in inside for n in found_in(self.writer.tree, gast.Name)
        )

    def _some_go(self, parted: Parted) -> Any:
        """Return the expression of whether a loop goes on for some of the examples."""
        term = self.writer.term(load(parted.going))
        return call(self.writer.numpy("any"), term.node) if term.batched else term.node

    def _parted_while(self, statement: Any, parted: Parted) -> None:
        self.writer.block([parted.start])
        if self.writer.masks:  # those that are not in the branch must not keep the loop going
            term = self.writer.term(load(parted.going))
            fact = Fact("number", True, 0, "b", sites=term.fact.sites)
            name = self.writer.branches.new_name(parted.going)
            both = gast.BinOp(
                self.writer.branches.test_of_masks(), gast.BitAnd(), self.as_truth(term, statement)
            )
            self.writer.emit(assign(name, both), statement)
            self.writer.bind(parted.going, fact)
        self.settle_names([parted.trip], statement)
        test: Any = None

        def trip() -> list[Any]:
            nonlocal test
            test = self._some_go(parted)
            return self.writer.inner([parted.trip])

        body = self._trips(trip, statement, set())
        self.writer.emit(gast.While(test, body, []), statement)

    def as_truth(self, term: Term, node: Any) -> Any:
        """Return one truth for each example, or one for all."""
        return self.writer.comparisons.truth(term, node).node


def _closed(body: list[Any], going: str, again: list[Any], loop: Any) -> list[Any]:
    """Return a block with what stands for a `break` at its ends, and `again` where it goes on."""
    if not body:
        return list(map(clone, again))
    *head, last = body
    if isinstance(last, gast.Break):
        return [*head, assign(going, at(gast.Constant(False, None), loop), loop)]
    if isinstance(last, gast.If) and any(isinstance(i, gast.Break) for i in jumps([last])):
        last.body = _closed(last.body, going, again, loop)
        last.orelse = _closed(last.orelse, going, again, loop)
        return body
    return [*body, *map(clone, again)]


def _variables(loop: Any) -> set[str]:
    return {item.id for item in found_in(loop.target, gast.Name)}


def _rebinds(loop: Any, names: set[str]) -> bool:
    """Say whether a loop inside of one has variables of the same names."""
    return any(
        not names.isdisjoint(_variables(inner))
        for part in loop.body
        for inner in found_in(part, gast.For)
    )
