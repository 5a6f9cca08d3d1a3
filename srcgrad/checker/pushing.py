"""Checks a finished tangent function against its primal: runs both over lanes, along some paths."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from srcgrad.checker import tangents
from srcgrad.checker.check import (
    Checker,
    Subject,
    lanes_of,
    outcome,
    state_of,
    whole,
)
from srcgrad.checker.field import code_of, hashed
from srcgrad.checker.fields import Fields
from srcgrad.checker.lanes import Lane
from srcgrad.checker.runs import Disagreement, NotCovered
from srcgrad.checker.tangent_witness import Push, TangentWitness
from srcgrad.checker.tangents import Tangents, tangent_of
from srcgrad.checker.walking import STATEMENTS, Frame, Returned, Walker, taken
from srcgrad.checker.witnessed import bound_in, names_in
from srcgrad.ir import gast
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.walk import names_bound, statements


@dataclass(slots=True)
class TangentSubject(Subject):
    """One tangent function to be checked: it takes the arguments, and a tangent for each input.

    Attributes:
        keeps: Whether it leaves the tangents that it is given as they are.
    """

    keeps: bool = True


class Carrying(Walker):
    """The primal, run so that each result is given the tangent of its rule."""

    def __init__(self, witness: TangentWitness, parameters: list[str]) -> None:
        super().__init__({*parameters, *bound_in(witness.body)})
        self._witness = witness
        self._own = {id(item) for item in statements(witness.body)}
        self._dots: dict[int, list[str]] = {}
        for item in witness.pushes.values():
            self.local.update(bound_in([*item.before, item.statement]))

    def run(self, names: Any, given: dict[str, Any]) -> Any:
        """Run it for the values of its parameters, where `names` say what all other names mean."""
        self.names = names
        left = self.block(self._witness.body, Frame(dict(given)))
        return left.value if isinstance(left, Returned) else None

    def statement(self, node: Any, frame: Frame) -> Any:
        """Run a statement, which does to tangents what it does to values."""
        pushed = self._witness.pushes.get(id(node))
        if pushed is not None:
            return self._push(pushed, node, frame)
        kind = node.__class__
        if id(node) in self._own:
            if kind is gast.AugAssign:
                target, sign = node.target, type(node.op).__name__
                return self._update(target, sign, node.value, frame)
            if kind is gast.Assign:
                return self._assign(node, frame)
        return STATEMENTS[kind](self, node, frame)

    def _update(self, target: Any, sign: str, value: Any, frame: Frame) -> None:
        """Do ``target op= value``."""
        if isinstance(target, gast.Name):
            former = self.named(target.id, frame)
            frame.bind(target.id, tangents.update(former, sign, self.value(value, frame)))
        elif isinstance(target, gast.Subscript):
            holder, key = self.value(target.value, frame), self.value(target.slice, frame)
            tangents.update_entry(holder, key, sign, self.value(value, frame))
        else:
            raise NotCovered("an attribute is updated")

    def _assign(self, node: Any, frame: Frame) -> None:
        if UPDATES_ENTRY.of(node):
            self._update_entry(node, frame)
            return
        (target,) = node.targets
        value = self.value(node.value, frame)
        several = isinstance(target, gast.Tuple) and isinstance(node.value, gast.Name)
        if several and not any(isinstance(item, gast.Starred) for item in target.elts):
            value = tangents.unpacked(value, len(target.elts))
        self.assign(target, value, frame)

    def _update_entry(self, node: Any, frame: Frame) -> None:
        """Do ``xs[i] op= v`` for an entry that is updated, in place if a list holds it."""
        name = getattr(node.value, "id", "")
        for item in statements(self._witness.body):
            if isinstance(item, gast.Assign) and name in names_bound(item.targets[0]):
                change = item.value
                if not isinstance(change, gast.BinOp):
                    break
                sign = type(change.op).__name__
                self._update(node.targets[0], sign, change.right, frame)
                return
        raise NotCovered("an entry is updated by what is not an operation")

    def _push(self, pushed: Push, node: Any, frame: Frame) -> None:
        run = pushed.statement
        if pushed.is_call:
            self._call(run, node, frame)
            return
        self._plainly([*pushed.before, run], frame)
        targets = self._read_back(node.targets[0], frame)
        if pushed.tangent is None:
            tangents.constant(targets)
            return
        own = Frame(self._given([*pushed.after, pushed.tangent], frame), frame)

        def tangent() -> Any:
            self._plainly(pushed.after, own)
            return self.value(pushed.tangent, own)

        silent = [self.named(name, frame) for name in pushed.silent if name in self.local]
        tangents.push(tangent, targets, silent, ())

    def _plainly(self, block: list[Any], frame: Frame) -> None:
        for item in block:
            STATEMENTS[item.__class__](self, item, frame)

    def _given(self, said: list[Any], frame: Frame) -> dict[str, Any]:
        """Return the tangents that statements read, by their names."""
        place = id(said[-1])
        if place not in self._dots:
            bound = bound_in(said[:-1])
            dots = self._witness.dots
            self._dots[place] = [n for n in names_in(said) if n in dots and n not in bound]
        named = self._witness.dots
        return {name: tangent_of(self.named(named[name], frame)) for name in self._dots[place]}

    def _call(self, run: Any, node: Any, frame: Frame) -> None:
        """Call a tangent function, whose results are given the tangents it returns."""
        given = self._given([run.value], frame)
        value, dot = taken(self.value(run.value, Frame(given, frame)), 2)
        self.assign(run.targets[0].elts[0], value, frame)
        tangents.settle(self._read_back(node.targets[0], frame), dot)

    def _read_back(self, target: Any, frame: Frame) -> Any:
        """Return what a target holds, in its structure."""
        if isinstance(target, gast.Starred):
            return self._read_back(target.value, frame)
        if isinstance(target, gast.Tuple):
            return tuple(self._read_back(item, frame) for item in target.elts)
        return self.named(target.id, frame) if isinstance(target, gast.Name) else None


class TangentChecker(Checker):
    """The check of one tangent function; further texts of it may be checked, too."""

    _subject: TangentSubject

    def _instrumented(self) -> Carrying:
        witness: Any = self._subject.witness
        return Carrying(witness, self._subject.parameters)

    def _run(self, seed: int) -> bool:
        """Run along one path; say whether it came to an end."""
        subject = self._subject
        run = self._begin(seed)
        carried = run.tape = Tangents()
        names = self._names()
        given = self._arguments()
        seeds = {name: _seed(name, given[name]) for name in subject.inputs}
        for name, dot in seeds.items():
            _begin(given[name], dot)
        expected = outcome(lambda: self._made.run(names, given))
        moved = tangent_of(expected[1]) if expected[0] == "returned" else None
        left = {name: tangent_of(given[name]) for name in seeds}
        states = {name: state_of(value) for name, value in given.items()}
        other = self._begin(seed, run)
        args = self._arguments()
        dots = {name: _seed(name, args[name]) for name in subject.inputs}
        space, fields = self._namespace(), Fields(subject.fields)
        taken_by = functools.partial(fields.given, subject.parameters)
        moved_by = functools.partial(fields.given, subject.outer)
        found = outcome(lambda: space[subject.name](*taken_by(args), *moved_by(dots)))
        if expected[0] == "raised" or found[0] == "raised":
            return self._both_raise(expected, found)
        value, tangent = found[1]
        if whole(value) != whole(expected[1]):
            raise Disagreement("the value is another")
        if whole(tangent) != whole(moved):
            _refuse_unknown(carried)
            raise Disagreement("the tangent is another")
        self._compare_memory(args, value, tangent)
        for name, dot in dots.items():
            want = seeds[name] if subject.keeps else left[name]
            if state_of(dot) != state_of(want):
                raise Disagreement(f"the tangent of `{name}` is left with other contents")
        for name, state in states.items():
            if state_of(args[name]) != state:
                raise Disagreement(f"the argument `{name}` is left with other contents")
        if run.trace != other.trace:
            raise Disagreement("what can be seen from outside is not the same")
        return True

    def _compare_memory(self, args: dict[str, Any], value: Any, tangent: Any) -> None:
        """Refuse tangents that lie in the memory of values."""
        values = {id(lane.root) for lane in lanes_of([*args.values(), value]) if not lane.number}
        for lane in lanes_of(tangent):
            if not lane.number and id(lane.root) in values:
                raise Disagreement("a tangent shares memory with a value")


def _seed(name: str, like: Any) -> Any:
    """Return the tangent that an argument is given."""
    if not isinstance(like, Lane):
        return () if isinstance(like, tuple) else {}
    entry = hashed(code_of(f"tangent of {name}"))
    pair = (entry, entry if like.number else hashed(entry, 1))
    return Lane(pair, like.token, number=like.number, dims=like.dims)


def _begin(value: Any, dot: Any) -> None:
    if isinstance(value, Lane):
        value.adjoint.put(dot.pair)


def _refuse_unknown(carried: Tangents) -> None:
    if carried.unknown:
        raise NotCovered(carried.unknown[0])
