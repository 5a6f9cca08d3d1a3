"""Derives one function: analyses, reversal, records and clean-up, as one row of passes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.activity import activity
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.elements import numbers_given
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.knowledge import NOTHING, Knowledge
from srcgrad.analyses.numbers import numbers
from srcgrad.analyses.precision import mark_guarded
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.shifts import taken_off
from srcgrad.analyses.storage import storage
from srcgrad.codegen.comments import comment_lines
from srcgrad.compiler.asking import ask_for_less
from srcgrad.compiler.assuming import assume_ranks, assume_vectors
from srcgrad.compiler.field_reads import fields_read, stored_fields
from srcgrad.compiler.free_names import FreeNames
from srcgrad.compiler.given_away import states_among, take_over
from srcgrad.compiler.handing import Handed, nested
from srcgrad.compiler.lasting import Lasting
from srcgrad.compiler.list_depths import refuse_inner_lists
from srcgrad.compiler.lost_slopes import refuse_lost_slopes, refuse_nothing
from srcgrad.compiler.name_kinds import NOTHING_KNOWN, NameKinds
from srcgrad.compiler.polishing import Polishing
from srcgrad.compiler.restoring import restored_arrays
from srcgrad.compiler.splitting import hand_over, kept_between
from srcgrad.compiler.stages import Stages
from srcgrad.errors import Diagnostic, MissingRuleError, MutationError, NonScalarOutputError
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.remembered import steady
from srcgrad.frontend.source import FunctionSource, Path
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load
from srcgrad.ir.marks import VECTOR
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.origins import spread_origins
from srcgrad.ir.program import Program, bound_names
from srcgrad.optimizations.dead_contents import Contents
from srcgrad.optimizations.dead_contents import Known as Outlines
from srcgrad.optimizations.drop_dead_stores import DeadStores
from srcgrad.optimizations.idle_guards import drop_idle_guards
from srcgrad.optimizations.leave_out_zeros import leave_out_zeros
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.raising import Raising
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.float_checks import check_floats
from srcgrad.transforms.fusing import Fusing, still_there
from srcgrad.transforms.last_trips import leave_out_last_trips
from srcgrad.transforms.pulling import selection_of
from srcgrad.transforms.recording import Recorder
from srcgrad.transforms.repeats import spell_repeats
from srcgrad.transforms.reverse import Reverser
from srcgrad.transforms.runtime_calls import EXPORTED
from srcgrad.transforms.shape_records import keep_shapes
from srcgrad.transforms.sweep import CallPair, Facts, Reversed, Sweep
from srcgrad.transforms.templates import Inliner

Finish = Callable[[list[Any]], list[Any]]
Halves = tuple[list[Any], list[Any], list[str]]


@dataclass(slots=True)
class Derivation:
    """One function on its way to its derivative; a caller may catch what it raises if `caught`."""

    source: FunctionSource
    program: Program
    refusals: Refusals
    externals: Externals
    stages: Stages
    keep_complex: bool
    assume: bool = False
    scalars: frozenset[str] = frozenset()
    conditions: tuple[str, ...] = ()
    taped: list[Diagnostic] = field(default_factory=list)
    written: frozenset[str] = frozenset()
    stored: frozenset[tuple[str, Path, Any]] = frozenset()
    caught: bool = False
    rebinds: bool = False
    copied: frozenset[str] = frozenset()
    kinds: NameKinds = NOTHING_KNOWN
    knowledge: Knowledge = NOTHING
    facts: Facts | None = None
    seed: Any = None

    def joint(
        self, derive_call: CallPair, wrt: Sequence[str], *, value: bool, aux: bool
    ) -> list[Any]:
        """Return the body of one function that runs forward and backward."""
        refuse_nothing(self.source, self.refusals)
        facts = self._facts(self.program.outputs[:1], is_number=True)
        (output, *rest) = self.program.outputs
        if aux and len(rest) != 1:
            self.refusals.add(
                self.program.body[-1],
                "has_aux=True needs a function that returns a pair: the number, and one thing more",
                "return a pair, putting several things into a tuple or dict",
                NonScalarOutputError,
            )
            self.refusals.raise_if_any()
        if rest and not aux:
            self.refusals.add(
                self.program.body[-1],
                "the function returns a tuple, but a gradient needs one real number",
                "return the number alone, or pass has_aux=True to hand on the rest",
                NonScalarOutputError,
            )
            self.refusals.raise_if_any()
        self.facts, self.seed = facts, self._seed(output, facts)
        facts.restored = restored_arrays(self.program, facts, self.externals)
        sweep = self._sweep(facts, derive_call, output)
        seed, active = clone(self.seed), output in facts.activity.active
        halves = Reverser(sweep).run([(output, seed)] if active else [])
        self._refuse_missing(sweep)
        grads, extra = self._gradients(sweep, halves, wrt)
        if not active:
            extra.insert(0, at(gast.Expr(seed), self.program.body[-1]))
        result = self._result(grads, [load(name) for name in rest], output, value=value, aux=aux)
        end = [*halves.backward, *extra, gast.Return(result)]
        body = [*halves.forward, Blank(), Comment("backward"), *end]
        body = self.with_fields(drop_idle_guards(self._finish(body, halves, facts)))
        self._comment(body)
        return body

    def with_fields(self, body: list[Any]) -> list[Any]:
        """Return a body that begins with the fields that it reads."""
        read = fields_read(self.program.reads, body)
        if read:
            self.name_externals(read, (*self.program.parameters, *bound_names(body)))
        return [*read, *body]

    def halves(self, derive_call: CallPair, wrt: Sequence[str]) -> Halves:
        """Return the bodies of `name_forward` and `name_backward`, and the latter's parameters.

        The forward half returns the value and what the backward half reads.
        """
        outputs = self.program.outputs
        facts = self._facts(outputs, is_number=self.program.given.get("return") == "number")
        sweep = self._sweep(facts, derive_call)
        active = [o for o in outputs if o in facts.activity.active]
        reverser, given = Reverser(sweep), sweep.adjoints.given_for(outputs)
        seeds = [(o, load(given[o])) for o in active if o in sweep.adjoints.mirrored]
        plain = [o for o in active if o not in sweep.adjoints.mirrored]
        states = states_among(self.program, self.source.function, plain)
        sweep.adjoints.own = frozenset(given[o] for o in states)
        halves = reverser.run(seeds, [o for o in plain if o not in states], states)
        self._refuse_missing(sweep)
        taken = [name for name in given.values() if name not in sweep.adjoints.own]
        grads, extra = self._gradients(sweep, halves, wrt, taken, [*sweep.adjoints.own])
        taken = list(given.values())
        value = gast.Expr(gast.Tuple([load(name) for name in outputs], gast.Load()))
        result = gast.Return(grads[0] if len(grads) == 1 else gast.Tuple(grads, gast.Load()))
        marker = Comment("backward")
        body = [*halves.forward, value, marker, *halves.backward, *extra, result]
        return self._split(self._finish(body, halves, facts, taken), value, marker, taken, facts)

    def pullback(
        self, derive_call: CallPair, added: Sequence[str], states: Sequence[str]
    ) -> tuple[list[Any], list[str]]:
        """Return the body of one function that runs forward, then takes adjoints back.

        It takes the arguments, an adjoint for each output that varies, and those of the inputs
        `added`, to which it adds. The second result has the names of the adjoints. The outputs may
        be the next values of variables, the `states`.
        """
        for name, output in zip(states, self.program.outputs, strict=False):
            self.program.namer.name_adjoint(output, name)
        facts = self._facts(self.program.outputs, is_number=False)
        sweep = self._sweep(facts, derive_call)
        outputs = [o for o in self.program.outputs if not states or o in facts.activity.varied]
        given = [self.program.namer.adjoint(name) for name in outputs]
        start = [self.program.namer.adjoint(name) for name in added]
        active = [o for o in outputs if o in facts.activity.active]
        own = bool(states)  # the adjoints are handed on from trip to trip
        halves = Reverser(sweep).run([], [] if own else active, [*added, *(active if own else [])])
        self._refuse_missing(sweep)
        inputs, ours = self.program.inputs, [*start, *(given if own else [])]
        grads, extra = self._gradients(sweep, halves, inputs, [] if own else given, ours)
        result = gast.Return(grads[0] if len(grads) == 1 else gast.Tuple(grads, gast.Load()))
        marker = [Blank(), Comment("backward")]
        body = [*halves.forward, *marker, *halves.backward, *extra, result]
        body = drop_idle_guards(self._finish(body, halves, facts, [*given, *start]))
        self._comment(body)
        if body[:1] == marker[:1]:
            del body[:2]  # nothing is run forward
        return body, [*given, *start]

    def note_written(self, names: Collection[str]) -> None:
        """Note the names whose memory is written; of fields, those of what holds them."""
        self.stored = stored_fields(self.source, names)
        holders = {name for name, _, _ in self.stored}
        self.written = frozenset({self.source.fields.get(name, name) for name in names} | holders)

    # -- passes

    def _facts(self, outputs: tuple[str, ...], *, is_number: bool) -> Facts:
        """Run the analyses; `is_number` says that the first output is known to be one number."""
        self.refusals.raise_if_any()
        assumed = assume_ranks(self.program, self.knowledge.seen)
        if self.assume:
            assumed += assume_vectors(self.program, self.source.function, self.knowledge.seen)
        integers = Integers(self.program)
        known = frozenset(numbers(self.program, outputs[0])) if is_number else frozenset()
        shapes = Shapes(self.program, integers, known)
        dimensions = Dimensions(
            self.program, integers, shapes, assume=self.assume, knowledge=self.knowledge
        )
        if self.knowledge is not NOTHING or numbers_given(self.program):
            shapes = Shapes(self.program, integers, known | dimensions.numbers, dimensions.ranks)
        shapes.agree = dimensions.agree
        refuse_inner_lists(self.program, dimensions.rank, self.refusals)
        self.kinds = NameKinds.of(self.program, shapes, dimensions.rank, integers)
        with steady():
            memory = storage(self.program, shapes, dimensions, integers)
        self.conditions = (*assumed, *dimensions.conditions, *memory.mirror.conditions)
        for problem in memory.problems:
            self.refusals.add(problem.statement, problem.message, problem.hint, MutationError)
        self.scalars |= memory.scalars
        given = memory.mirror.names & set(self.program.parameters)
        self.note_written(given | memory.outside | memory.mirror.outside)
        idle = taken_off(self.program, dimensions.rank, memory.mutated)
        reached = activity(self.program, outputs, memory.mirror.links, idle)
        refuse_lost_slopes(self.program, reached.varied, outputs, self.refusals)
        self.refusals.raise_if_any()
        if self.stages.account is not None:
            self.stages.account.note_activity(self.program, reached.active, memory.mirror.links)
        mark_guarded(self.program, shapes, reached.varied, dimensions)
        check_floats(self.program, self.externals, reached.active, reached.varied, memory.own)
        inliner = Inliner(self.program.namer, self.externals, keep_complex=False)
        selection = selection_of(self.program, reached, shapes, memory, inliner)
        return Facts(reached, shapes, dimensions, integers, memory, selection)

    def _sweep(self, facts: Facts, derive_call: CallPair, result: str | None = None) -> Sweep:
        inliner = Inliner(self.program.namer, self.externals, self.keep_complex)
        inliner.rebinds = self.rebinds
        sweep = Sweep(self.program, facts, inliner, self.externals, derive_call, result)
        inliner.known_rank = weakly(sweep.rank)
        return sweep

    def _refuse_missing(self, sweep: Sweep) -> None:
        for statement, callee in sweep.taped:
            name = getattr(callee, "__qualname__", None) or type(callee).__qualname__
            self.taped.append(
                Diagnostic(
                    MissingRuleError.code,
                    f"the call of `{name}`, which has neither a derivative rule nor source",
                    self.source.span(statement),
                    "define it in a file, or write a `Function` and call `apply`",
                )
            )
        if sweep.of_generated and sweep.kinds.either & sweep.adjoints.mirrored:
            self.refusals.add(
                self.source.tree,
                "writing into an adjoint that may be a list is not differentiated by source",
                "take forward mode of the gradient: sg.hvp, or sg.jvp of sg.grad",
            )
        for refused in sweep.refused:
            self.refusals.add(*refused)
        for statement, function, operand in sweep.missing:
            self.refusals.add(
                statement,
                f"the derivative of `{function}` with respect to `{operand}` is not known",
                "write a `Function` with its forward and backward and call `apply`",
                MissingRuleError,
            )
        self.refusals.raise_if_any()

    def _seed(self, output: str, facts: Facts) -> Any:
        if (
            not self.keep_complex
            and output in facts.activity.active
            and (output in facts.dimensions.numbers or self._is_number(output, facts))
        ):
            return gast.Constant(1.0, None)
        return call(self.externals.use_runtime("scalar_seed"), load(output))

    def _is_number(self, output: str, facts: Facts) -> bool:
        return Shapes(self.program, facts.integers).is_number(load(output))  # without the seed

    def _finish(
        self, body: list[Any], halves: Reversed, facts: Facts, given: Sequence[str] = ()
    ) -> list[Any]:
        self.stages.note("reverse", body)
        spread_origins(body)
        known = EXPORTED | self.externals.repeated
        purity = Purity(self.program.reader, known, self.program.namer.is_adjoint)
        body = leave_out_zeros(body, purity.is_adjoint, (*self.program.parameters, *given))
        ask_for_less(body, facts, self.program.namer, purity, (*self.program.parameters, *given))
        outside = (*self.program.parameters, *given)
        ranks = facts.dimensions.rank
        told = Outlines(purity.of, facts.shapes.is_number, lambda name: bool(ranks(load(name))))
        body = self._drop_dead(body, purity, Contents(body, told, outside))
        self.stages.note("drop dead stores", body)

        changed = facts.storage.mutated | facts.storage.reshaped
        changed |= set(map(self.program.namer.adjoint, facts.storage.mirror.changing))

        def is_stable(name: str) -> bool:
            return name not in changed

        filled = facts.storage.reshaped - facts.storage.mutated
        fusing = Fusing(
            body, is_stable, purity.of, filled.__contains__, self.program.namer.is_adjoint
        )
        pairs = leave_out_last_trips(fusing.run(still_there(halves.pairs, body)))
        lasting = Lasting(self.program, body, purity, facts, keep_complex=self.keep_complex)
        lasting.read_in_place()
        recorder = Recorder(
            self.program.namer,
            body,
            is_stable,
            self.program.results,
            lambda name: facts.shapes.is_number(load(name)),
            lasting.is_read_for_good,
        )
        recorder.parameters = self.program.parameters
        recorder.stored, recorder.copies = lasting.stored(), lasting.changed_copies()
        for pair in pairs:
            if pair.kind == "loop" and keep_shapes(
                pair.primal.body, pair.adjoint.body, self.program.namer
            ):
                self.externals.use_numpy()
        recorder.orders.use = self.externals.use_runtime
        recorder.run(pairs)
        self.stages.note("record", body)
        keep = recorder.recorded | facts.storage.mutated
        is_float = self.is_float(facts.activity.varied)
        return self.polished(body, purity, keep, is_float, (*self.program.parameters, *given))

    def polished(
        self,
        body: list[Any],
        purity: Purity,
        keep: set[str],
        is_float: Callable[[str], bool],
        parameters: tuple[str, ...],
    ) -> list[Any]:
        """Return a derivative's body, made short: the passes that come last for all of them."""
        polishing = Polishing(
            self.program,
            purity,
            self.kinds,
            self._is_temporary,
            is_float,
            keep,
            parameters,
            self.externals,
            self.stages,
        )
        body = polishing.run(self._drop_dead(polishing.without_idle_clears(body), purity))
        spelled = spell_repeats(body)
        if "ufunc" in spelled:
            self.externals.use_numpy()
        if "add_at" in spelled:
            self.externals.use_runtime("add_at")
        self.name_externals(body, parameters)
        self.stages.note("coalesce names", body)
        return body

    def is_float(self, varying: frozenset[str]) -> Callable[[str], bool]:
        """Adjoints are floating-point numbers, and so is what varies with the inputs."""
        varied = {self.program.namer.base(name) for name in varying}
        namer = self.program.namer
        return lambda name: namer.is_adjoint(name) or namer.base(name) in varied

    def _drop_dead(
        self, body: list[Any], purity: Purity, contents: Contents | None = None
    ) -> list[Any]:
        unbound = self.program.unbound
        raising = Raising(self.program.reader.scope, self.kinds.numbers.__contains__)
        dead = DeadStores(purity, unbound=unbound, raising=raising, contents=contents)
        return dead.drop(body, caught=self.caught)

    def _is_temporary(self, name: str) -> bool:
        variable = self.program.namer.variable_of(name)
        local = self.program.reader.scope.local
        return variable in self.source.temporaries or variable not in local

    def name_externals(self, body: list[Any], parameters: Iterable[str]) -> None:
        """Replace the user's free names by those that the generated module knows them under."""
        scope = self.program.reader.scope
        FreeNames(self.source, scope, self.externals, self.refusals).replace(body, parameters)

    # -- the results

    def _gradients(
        self,
        sweep: Sweep,
        halves: Reversed,
        wrt: Sequence[str],
        taken: Sequence[str] = (),
        added: Sequence[str] = (),
    ) -> tuple[list[Any], list[Any]]:
        """Return one expression for the gradient of each input, and statements it needs before."""
        handed = Handed(halves.backward, self.externals, taken, sweep.adjoints.roots, added)
        grads: list[Any] = []
        extra: list[Any] = []
        fields = {item.parameter: item.names for item in self.source.leaves if not item.is_held}
        for name in wrt:
            if name in fields:
                inner = nested(fields[name])
                grads.append(self._fields(sweep, halves, inner, handed, extra))
            elif name in sweep.paths:
                grads.append(self._dictionary(sweep, halves, name, handed, extra))
            else:
                grads.append(self._gradient(sweep, halves, name, handed, extra))
        return grads, extra

    def _gradient(
        self,
        sweep: Sweep,
        halves: Reversed,
        cell: str,
        handed: Handed,
        extra: list[Any],
    ) -> Any:
        """Return the expression of one gradient, in memory that is nobody else's."""
        uniform = sweep.uniform.get(cell)
        model = sweep.model(cell)
        adjoint = sweep.adjoint_name(cell)
        if uniform is not None:
            self.externals.use_numpy()
            full = call("np.array", uniform)
            if VECTOR.of(uniform) == ():
                full = call("np.full_like", model, uniform.args[0])
            extra.append(assign(adjoint, full))
            return load(adjoint)
        if cell in sweep.adjoints.mirrored:
            return handed.take(adjoint)
        if cell not in halves.state:
            if sweep.adjoints.is_plain_number(cell):
                return gast.Constant(0.0, None)
            return call(self.externals.use_runtime("zeros_like"), model)
        plain = cell in sweep.containers or sweep.facts.shapes.is_number(load(cell))
        return load(adjoint) if plain else handed.take(adjoint)

    def _fields(
        self, sweep: Sweep, halves: Reversed, fields: Any, handed: Handed, extra: list[Any]
    ) -> Any:
        """Return the gradient of an object: a dict of the gradients of its fields."""
        if isinstance(fields, str):
            if fields in sweep.paths:
                return self._dictionary(sweep, halves, fields, handed, extra)
            return self._gradient(sweep, halves, fields, handed, extra)
        values = [self._fields(sweep, halves, f, handed, extra) for f in fields.values()]
        return gast.Dict([gast.Constant(key, None) for key in fields], values)

    def _dictionary(
        self,
        sweep: Sweep,
        halves: Reversed,
        name: str,
        handed: Handed,
        extra: list[Any],
    ) -> Any:
        keys: list[Any] = []
        values: list[Any] = []
        for key, cell in sweep.paths[name].items():
            if cell in halves.state:
                keys.append(gast.Constant(key, None))
                values.append(self._gradient(sweep, halves, cell, handed, extra))
        return gast.Dict(keys, values)

    def _result(
        self, grads: list[Any], rest: list[Any], output: str, *, value: bool, aux: bool
    ) -> Any:
        result = grads[0] if len(grads) == 1 else gast.Tuple(grads, gast.Load())
        extras = rest[0] if len(rest) == 1 else gast.Tuple(rest, gast.Load())
        if value:
            first = load(output)
            head = gast.Tuple([first, extras], gast.Load()) if aux else first
            return gast.Tuple([head, result], gast.Load())
        return gast.Tuple([result, extras], gast.Load()) if aux else result

    def _split(
        self, body: list[Any], value: Any, marker: Any, given: list[str], facts: Facts
    ) -> tuple[list[Any], list[Any], list[str]]:
        cut = next(i for i, item in enumerate(body) if item is value)
        forward = body[:cut]
        backward = [item for item in body[cut + 1 :] if item is not marker]
        saved = kept_between(forward, backward, self.program.parameters)
        forward = drop_idle_guards(forward)
        take_over(forward, self.program, self.source.function, saved, self.externals, facts)
        out = value.value if self.program.returns_tuple else value.value.elts[0]
        hand_over(forward, backward, gast.copy_location(out, value), saved)
        self._comment(backward)
        return forward, backward, ["saved", *given]

    def _comment(self, body: list[Any]) -> None:
        start = next((i for i, s in enumerate(body) if isinstance(s, Comment)), -1)
        tail = body[start + 1 :]
        comment_lines(tail, self.source.lines)
        body[start + 1 :] = tail
