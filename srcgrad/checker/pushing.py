"""Checks a finished tangent function against its primal: runs both over lanes, along some paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.checker import tangents
from srcgrad.checker.check import (
    Checker,
    Subject,
    has_branches,
    lanes_of,
    outcome,
    state_of,
    whole,
)
from srcgrad.checker.field import code_of, hashed
from srcgrad.checker.lanes import Disagreement, Lane, NotCovered, Now, Run
from srcgrad.checker.tangent_witness import Push, TangentWitness
from srcgrad.checker.tangents import Tangents, tangent_of
from srcgrad.ir.build import assign, at, call, clone, index_value, load, store
from srcgrad.ir.walk import blocks_of, names_bound, walk


@dataclass(slots=True)
class TangentSubject(Subject):
    """One tangent function to be checked: it takes the arguments, and a tangent for each input.

    Attributes:
        keeps: Whether it leaves the tangents that it is given as they are.
    """

    keeps: bool = True


class Carrying:
    """The primal as a tree that can be run, and that gives each result the tangent of its rule."""

    def __init__(self, witness: TangentWitness, parameters: list[str], name: str) -> None:
        self._witness = witness
        self._dots = witness.dots
        self._local = {*parameters, *_bound(witness.body)}
        for item in witness.pushes.values():
            self._local.update(_bound([*item.before, item.statement]))
        self.functions: list[Any] = []
        body = self._block([clone(item) for item in witness.body], witness.body)
        arguments = gast.arguments([_parameter(p) for p in parameters], [], None, [], [], None, [])
        self.main = gast.FunctionDef(name, arguments, body, [], None, None)

    def _block(self, block: list[Any], originals: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement, original in zip(block, originals, strict=True):
            pushed = self._witness.pushes.get(id(original))
            if pushed is not None:
                done.extend(at(item, statement) for item in self._pushed(pushed, statement))
                continue
            for part, theirs in zip(blocks_of(statement), blocks_of(original), strict=True):
                inner = self._block(part, theirs)
                part[:] = inner or ([gast.Pass()] if part is statement.body else [])
            done.append(at(self._plain(statement, original), statement))
        return done

    def _plain(self, statement: Any, original: Any) -> Any:
        """Return a statement that does to tangents what it does to values."""
        if isinstance(statement, gast.AugAssign):
            return _update(statement.target, statement.op, statement.value) or statement
        if not isinstance(statement, gast.Assign):
            return statement
        (target,) = statement.targets
        if getattr(original, "updates_entry", False):
            return self._entry(statement)
        if isinstance(target, gast.Tuple) and isinstance(statement.value, gast.Name):
            count = gast.Constant(len(target.elts), None)
            if not any(isinstance(item, gast.Starred) for item in target.elts):
                statement.value = call("__unpacked__", statement.value, count)
        return statement

    def _entry(self, statement: Any) -> Any:
        """Return ``xs[i] op= v`` for an entry that is updated, in place if a list holds it."""
        name = getattr(statement.value, "id", "")
        for item in walk(gast.Module(self._witness.body, [])):
            if isinstance(item, gast.Assign) and name in names_bound(item.targets[0]):
                if not isinstance(item.value, gast.BinOp):
                    break
                made = _update(statement.targets[0], item.value.op, item.value.right)
                return made or statement
        raise NotCovered("an entry is updated by what is not an operation")

    def _pushed(self, pushed: Push, original: Any) -> list[Any]:
        targets = _read_back(original.targets[0])
        run = pushed.statement
        if pushed.is_call:
            return self._call(run, targets)
        if pushed.tangent is None:
            return [run, gast.Expr(call("__constant__", targets))]
        name = f"__push_{len(self.functions)}"
        inner = [*pushed.after, gast.Return(pushed.tangent)]
        bound = _bound(pushed.after)
        read = dict.fromkeys(n for item in inner for n in _names(item) if n not in bound)
        needed = [n for n in read if n in self._dots or n in self._local]
        arguments = [_parameter(n) for n in needed]
        signature = gast.arguments(arguments, [], None, [], [], None, [])
        self.functions.append(gast.FunctionDef(name, signature, inner, [], None, None))
        given = [self._given(n) for n in needed]
        silent = [load(n) for n in pushed.silent if n in self._local]
        carried = call(
            "__push__", load(name), targets, gast.Tuple(silent, gast.Load()),
            gast.Tuple(given, gast.Load()),
        )  # fmt: skip
        return [*pushed.before, run, gast.Expr(carried)]

    def _given(self, name: str) -> Any:
        if name in self._dots:
            return call("__tangent__", load(self._dots[name]))
        return load(name)

    def _call(self, run: Any, targets: Any) -> list[Any]:
        """Return a call of a tangent function, whose results are given the tangents it returns."""
        run.targets[0].elts[1] = store("__dot")
        for place, item in enumerate(run.value.args):
            run.value.args[place] = _Given(self._given, self._dots).visit(item)
        return [run, gast.Expr(call("__settle__", targets, load("__dot")))]


class _Given(gast.NodeTransformer):  # type: ignore[misc]
    """Puts the tangents of names in the place of the names of tangents."""

    def __init__(self, given: Any, dots: dict[str, str]) -> None:
        self._of, self._dots = given, dots

    def visit_Name(self, node: Any) -> Any:
        return self._of(node.id) if node.id in self._dots else node


def _update(target: Any, op: Any, value: Any) -> Any:
    sign = gast.Constant(type(op).__name__, None)
    if isinstance(target, gast.Name):
        return assign(target.id, call("__update__", load(target.id), sign, clone(value)))
    if isinstance(target, gast.Subscript):
        index = index_value(clone(target.slice))
        return gast.Expr(call("__entry__", clone(target.value), index, sign, clone(value)))
    return None


def _names(node: Any) -> list[str]:
    return [item.id for item in walk(node) if isinstance(item, gast.Name)]


def _read_back(target: Any) -> Any:
    """Return a target as an expression of the same structure."""
    if isinstance(target, gast.Starred):
        return _read_back(target.value)
    if isinstance(target, gast.Tuple):
        return gast.Tuple([_read_back(item) for item in target.elts], gast.Load())
    return load(target.id) if isinstance(target, gast.Name) else gast.Constant(None, None)


def _bound(block: list[Any]) -> set[str]:
    return {
        node.id
        for item in block
        for node in walk(item)
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)
    }


def _parameter(name: str) -> Any:
    node = store(name)
    node.ctx = gast.Param()
    return node


class TangentChecker(Checker):
    """The check of one tangent function; further texts of it may be checked, too."""

    _subject: TangentSubject

    def _instrumented(self) -> Carrying:
        witness: Any = self._subject.witness
        return Carrying(witness, self._subject.parameters, "__primal__")

    def _run(self, seed: int) -> tuple[bool, bool]:
        """Run along one path; say whether it came to an end, and whether it is the only one."""
        subject = self._subject
        run = Now.run = Run(seed)
        carried = run.tape = Tangents()
        own = self._primal_namespace(self._namespace())
        own.update(_HELPERS)
        given = self._arguments(seed)
        seeds = {name: _seed(name, given[name]) for name in subject.inputs}
        for name, dot in seeds.items():
            _begin(given[name], dot)
        expected = outcome(lambda: own["__primal__"](*given.values()))
        moved = tangent_of(expected[1]) if expected[0] == "returned" else None
        left = {name: tangent_of(given[name]) for name in seeds}
        states = {name: state_of(value) for name, value in given.items()}
        other = Now.run = Run(seed)
        other.steps = run.steps
        args = self._arguments(seed)
        dots = {name: _seed(name, args[name]) for name in subject.inputs}
        space = self._namespace()
        found = outcome(lambda: space[subject.name](*args.values(), *dots.values()))
        if expected[0] == "raised" or found[0] == "raised":
            return self._both_raise(expected, found), False
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
        return True, not has_branches(subject.witness.body)

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


_HELPERS = {
    "__tangent__": tangent_of,
    "__push__": tangents.push,
    "__settle__": tangents.settle,
    "__constant__": tangents.constant,
    "__unpacked__": tangents.unpacked,
    "__update__": tangents.update,
    "__entry__": tangents.update_entry,
}
