"""Derives what the backward pass runs again: checkpointed functions, and the trips of loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.analyses.variation import Variation
from srcgrad.compiler.following import Passed
from srcgrad.compiler.module_text import wrapped
from srcgrad.compiler.normal_form import arity, parameter_names
from srcgrad.compiler.parameters import positional
from srcgrad.compiler.reserved import own_names
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.subjects import add_pullback
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.scoping import without_collisions
from srcgrad.frontend.long_loops import LongLoop, is_repeated, loop_of
from srcgrad.frontend.normalize.counting import plainly
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.repeatable import not_repeatable
from srcgrad.frontend.source import FunctionSource, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load
from srcgrad.ir.program import Program, direct_names
from srcgrad.runtime import copied
from srcgrad.transforms.sweep import Facts, RepeatedCall, SteppedLoop

if TYPE_CHECKING:
    from srcgrad.compiler.module import Module

Known = dict[str, str]

_TRIP: Final = """Run one trip of the loop in line {}.

    The states before some of the trips are kept; the trips between them are run again on the way
    back.
    """


@dataclass(slots=True)
class Repeats:
    """The part of a module that is run again."""

    module: Module
    _made: dict[Any, tuple[str, str]] = field(default_factory=dict)

    def derive(
        self, caller: FunctionSource, statement: Any, call: tuple[FunctionSource, Any], facts: Facts
    ) -> RepeatedCall | SteppedLoop | None:
        """Return what a call that is run again needs; None for other calls."""
        source, passed = call
        loop = loop_of(source.function)
        if loop is not None:
            return self._loop(source, loop, passed, facts)
        if is_repeated(source.function):
            self._check(caller, statement, source)
            return self._call(source, passed, facts)
        return None

    def _check(self, caller: FunctionSource, statement: Any, source: FunctionSource) -> None:
        """Refuse a function that may do something else when it is run again."""
        problem = not_repeatable(source.function, VOCABULARY)
        if problem is None and written_parameters(source.function, VOCABULARY):
            problem = "what writes into memory that it did not make"
        if problem is not None:
            refusals = Refusals(caller)
            what = f"the call of a checkpointed function that calls {problem}"
            refusals.add(statement, what, "leave out `checkpoint`")
            refusals.raise_if_any()

    def _call(self, source: FunctionSource, passed: list[Any], facts: Facts) -> RepeatedCall:
        names = parameter_names(source.tree)
        given = dict(zip(names, passed, strict=True))
        active = facts.activity.active
        wrt = [n for n, item in given.items() if not active.isdisjoint(direct_names(item))]
        known = {n: fact for n, item in given.items() if (fact := facts.shapes.fact(item))}
        key = (source.function, tuple(wrt), tuple(known.items()))
        if key not in self._made:
            forward, backward = f"{source.name}_forward", f"{source.name}_backward"
            doc = f"Run `{source.name}`, of which nothing is kept: `{backward}` runs it again."
            forward = self._plain(source, forward, doc)
            both = backward, forward
            self._made[key] = forward, self._pullback(source, both, wrt, (known, Passed()))
            self.module.externals.repeated.add(self._made[key][0])
        forward, backward = self._made[key]
        wanted = [given[name] for name in wrt]
        return RepeatedCall(forward, backward, wanted, passed, arity(source.tree))

    def _loop(
        self, source: FunctionSource, loop: LongLoop, passed: list[Any], facts: Facts
    ) -> SteppedLoop:
        indices, *rest = passed
        count = len(loop.states)
        operands = dict(zip([*loop.states, *loop.constants], rest, strict=False))
        active = facts.activity.active
        seeds = [n for n, item in operands.items() if not active.isdisjoint(direct_names(item))]
        step = find_source(loop.step)
        known = {
            name: fact
            for name in loop.constants
            if (fact := facts.shapes.fact(operands[name])) is not None
        }
        known.update(dict.fromkeys(loop.numbers & set(loop.constants), "number"))
        (target, *_) = [item.id for item in step.tree.args.args]
        known[target] = "int"
        numbers = [n for n in loop.states if facts.shapes.is_number(operands[n])]
        varied = self._varied(step, loop, seeds)
        known.update(self._numbers(step, loop, varied, known, numbers))
        told = self._axes(step, loop, varied, known, (operands, facts))
        wrt = [n for n in operands if n in varied]
        added = [n for n in loop.constants if n in varied]
        plain = self._plain(step, step.name, _TRIP.format(step.tree.lineno))
        names = f"{step.name}_back", plain
        return SteppedLoop(
            plain,
            self._pullback(step, names, wrt, (known, told), added, loop.states),
            indices,
            rest[:count],
            rest[count : len(operands)],
            rest[len(operands) :],
            [n in varied for n in loop.states],
            [n in varied for n in loop.constants],
            loop.written,
            loop.stops,
        )

    def _varied(self, step: FunctionSource, loop: LongLoop, seeds: Sequence[str]) -> set[str]:
        """Return the states and constants that vary with some of them, after any trips."""
        varied = set(seeds)
        size = -1
        while len(varied) != size:
            size = len(varied)
            derivation = self.module.begin(step, sorted(varied), Stages())
            variation = Variation(sorted(varied), derivation.program.reader)
            variation.spread(step.tree.body)
            varied |= variation.names & {*loop.states, *loop.constants}
        return varied

    def _numbers(
        self,
        step: FunctionSource,
        loop: LongLoop,
        varied: set[str],
        known: Known,
        numbers: list[str],
    ) -> Known:
        """Return the states that are numbers before the loop, and stay numbers."""
        while numbers:
            program = self.module.begin(step, sorted(varied), Stages()).program
            _know(program, {**known, **dict.fromkeys(numbers, "number")})
            shapes = Shapes(program, Integers(program))
            outputs = dict(zip(loop.states, program.outputs, strict=False))
            stay = [name for name in numbers if shapes.is_number(load(outputs[name]))]
            if stay == numbers:
                return dict.fromkeys(numbers, "number")
            numbers = stay
        return {}

    def _axes(
        self,
        step: FunctionSource,
        loop: LongLoop,
        varied: set[str],
        known: Known,
        before: tuple[dict[str, Any], Facts],
    ) -> Passed:
        """Return the axes of what a trip is given, which those of a state are if they stay.

        `before` is what the loop is given, and what is known of that.
        """
        operands, facts = before
        told = Passed()
        moved: set[str] = set()
        while self.module.seen:
            given = {name: item for name, item in operands.items() if name not in moved}
            told = Passed.of(facts.dimensions, given, loop.step)
            program = self.module.begin(step, sorted(varied), Stages()).program
            _know(program, known)
            integers = Integers(program)
            shapes = Shapes(program, integers)
            knowledge = told.knowledge({}, self.module.follow(step))
            found = Dimensions(program, integers, shapes, assume=False, knowledge=knowledge)
            axes = dict(told.axes)
            outputs = zip(loop.states, program.outputs, strict=False)
            more = {n for n, out in outputs if n in axes and not _has(found, out, axes[n])}
            if not more:
                break
            moved |= more
        return told

    def _plain(self, source: FunctionSource, name: str, doc: str) -> str:
        """Add a function to the module as it stands, and return its name."""
        module = self.module
        name = module.name_function(name, source)
        derivation = module.begin(source, [], Stages())
        body = plainly(clone(source.tree.body), derivation.program.reader)
        derivation.name_externals(body, derivation.program.parameters)
        module.end(derivation, name, clone(source.tree.args), body, doc)
        return name

    def _pullback(
        self,
        source: FunctionSource,
        names: tuple[str, str],
        wrt: list[str],
        facts: tuple[Known, Passed],
        added: Sequence[str] = (),
        states: Sequence[str] = (),
    ) -> str:
        """Add a function that runs forward and takes adjoints back, and return its name.

        `names` are the one it is to have, and that of the function which runs forward alone;
        `facts` are what is known of its arguments.
        """
        module, (known, told) = self.module, facts
        wanted, forward = names
        name = module.name_function(wanted, source)
        module.externals.derived.add(name)
        source, renamed = without_collisions(source, own_names())
        inner = [renamed.get(item, item) for item in wrt]
        derivation = module.begin(source, inner, module.stages.inner())
        _know(derivation.program, {renamed.get(k, k): fact for k, fact in known.items()})
        if told.axes:
            derivation.knowledge = told.knowledge(renamed, module.follow(source))
        start = [renamed.get(item, item) for item in added]
        body, adjoints = derivation.pullback(
            module.call_pair(source), start, [renamed.get(item, item) for item in states]
        )
        parameters = [item.id for item in source.tree.args.args]
        reads = ", ".join(f"`{item}`" for item in adjoints[len(adjoints) - len(added) :])
        doc = f"Take adjoints back through `{source.name}`."
        if added:
            doc = wrapped(doc[:-1], f"and add to {reads}.")
        module.end(derivation, name, positional([*parameters, *adjoints]), body, doc)
        add_pullback(module.proofs, derivation, (name, forward), adjoints, start)
        return name


def _know(program: Program, known: Known) -> None:
    """Note what is known of the arguments of a step, and so of the copies that it begins with."""
    program.given.update(known)
    for statement in program.body:
        operation = program.operation(statement) if isinstance(statement, gast.Assign) else None
        if operation is not None and operation.primal is copied:
            name = getattr(operation.args[0], "id", "")
            if known.get(name) == "number":
                program.given[statement.targets[0].id] = "number"


def _has(found: Dimensions, name: str, wanted: Vector) -> bool:
    """Say whether a variable surely has some axes, of any lengths where those are not known."""
    axes = found.of(load(name))
    if axes is None or len(axes) != len(wanted):
        return False
    pairs = zip(axes, wanted, strict=True)
    return all(length is None or found.lengths.agree(own, length) for own, length in pairs)
