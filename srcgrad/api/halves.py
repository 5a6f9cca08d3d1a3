"""Keeps the generated halves of a function, and runs them: the value, then its pullback."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from srcgrad.api.along_blocks import Blocks
from srcgrad.api.blame import Asked, refusing_alone
from srcgrad.api.checking import runs
from srcgrad.api.claims import Subject, in_stack, out_of_stack, verify_adjoints
from srcgrad.api.elsewhere import refuse_tape, say_what_lacks
from srcgrad.api.gradient import Gradient
from srcgrad.api.keeping import apart, held_by
from srcgrad.api.making import made_once
from srcgrad.api.on_tensors import reads_tensors
from srcgrad.api.paths import NewBranchError
from srcgrad.api.plan import HalvesPlan, compile_both_ways, load_halves
from srcgrad.api.planning import Plans
from srcgrad.api.policy import USUAL, Policy
from srcgrad.api.proofs import (
    Comparing,
    is_settled,
    proven,
    stop_before_new,
    stopping,
    stopping_stacks,
)
from srcgrad.api.refused import Refusals
from srcgrad.api.rescue import instead_of
from srcgrad.api.sharing import KindsOfArrays
from srcgrad.api.snapshots import AsItWas, as_it_was, changed_since, outside_of, with_data_as_now
from srcgrad.api.stacking import StackedPlans
from srcgrad.api.structures import copied, leaves_as_in, mapped
from srcgrad.api.surroundings import Surroundings, once_more
from srcgrad.api.tape_gradient import on_tape
from srcgrad.api.tape_pull import pull_on_tape
from srcgrad.api.tied_plans import directions_of, watched
from srcgrad.api.traps import has_nan, unless_nan
from srcgrad.api.underlying import (
    called,
    held_for_text,
    plain,
    signature,
    to_differentiate,
)
from srcgrad.api.values import as_now, conform, is_complex
from srcgrad.api.whole import refusal_of
from srcgrad.compiler import Request, compile_halves
from srcgrad.compiler.stages import Stages
from srcgrad.errors import UnsupportedError
from srcgrad.insight.switch import CHECKS
from srcgrad.runtime.stacks import CannotStackError
from srcgrad.tape import call_strictly

R = TypeVar("R")
Aux = TypeVar("Aux")
Pull = Callable[[Any], tuple[Any, ...]]


class Adjoints:
    """A function with its generated halves, for derivatives by some of its parameters.

    Attributes:
        primal: The user's function.
        names: The parameters that adjoints are asked of.
        policy: How the derivative is taken.
    """

    def __init__(
        self, primal: Callable[..., Any], names: Sequence[str], policy: Policy = USUAL
    ) -> None:
        self.primal = primal
        self.policy = policy
        self.names = tuple(names)
        self._refusals = Refusals()
        self._plans = Plans(primal, self.make_plan, policy, writes=True)
        self.blocks = Blocks(primal, self.names, policy, self.make_plan)
        self._stacked = StackedPlans(primal, self.make_plan, policy)

    def __call__(self, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        """Return the value and its pullback, which may be called any number of times."""
        arguments = self.policy.with_own_containers(arguments, self.primal)
        keep_complex = any(map(is_complex, arguments.values()))
        found = self._plans.or_tape(arguments, keep_complex=keep_complex)
        numbers = self._numbers(self._run, arguments)
        plan = proven(found, numbers, self._plans.fall_back)
        if plan is None:
            return self._on_tape(arguments)
        run = functools.partial(self._run, plan, arguments)
        on_tape = functools.partial(self._on_tape, arguments)
        return stopping(plan, run, numbers, self._plans.fall_back, on_tape)

    def _numbers(self, run: Callable[..., Any], arguments: dict[str, Any]) -> Comparing:
        """Return how texts are compared at the arguments of a call."""
        return Comparing(self.policy, functools.partial(self._verify, run, arguments), arguments)

    def _verify(self, run: Callable[..., Any], arguments: dict[str, Any], plan: HalvesPlan) -> None:
        """Compare a new text with the other engine and with differences."""
        run = functools.partial(run, plan)
        verify_adjoints(Subject(self.primal, self.names, policy=self.policy), plan, run, arguments)

    def _run(self, plan: HalvesPlan, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        asks = plan.meets or plan.traps or not plan.has_pulled or not is_settled(plan)
        before = as_it_was(plan, copied(arguments) if asks else arguments, copies=asks)
        compiles = plan.is_compiled and not plan.meets and not CHECKS.nans
        inputs = [as_now(arguments[name]) for name in self.names]  # it may add entries to dicts
        try:
            value, kept = (plan.there if compiles else runs(plan, plan.forward))(
                *arguments.values()
            )
        except Exception as error:  # noqa: BLE001 - it is raised, or what it hides is
            return self._otherwise(error, plan, arguments)
        before.has_run()
        # the caller may write into its arrays, and those outside, before the pullback runs
        kept = apart(kept, held_by([*arguments.values(), value, *outside_of(plan)]))
        then = with_data_as_now(plan)
        raw, value = value, self._conformed(value, arguments)
        if plan.traps and isinstance(self.primal, Gradient) and has_nan(value):
            value, other = unless_nan(0.0, (value, None), functools.partial(self._afresh, before))
            if other is not None:
                return value, other

        # branches are told here, where all outside is as it was on the way there
        stop_before_new(plan, functools.partial(self._gone_back, then, kept, value, raw))

        @self._compared_as_new(plan, before)
        def pull(wanted: Any) -> tuple[Any, ...]:
            adjoint = self._raw_adjoint(wanted, raw)
            given = list(adjoint) if plan.gives_tuple else [adjoint]
            met: list[str] = []
            name = plan.backward.__name__
            backward = watched(then, name, met) if plan.meets else then.backward
            try:
                backward = then.there_and_back if compiles else runs(then, backward)
                with np.errstate(all="ignore"):  # no warnings that the function would not give
                    result = backward(plan.again(kept), *map(_copied_containers, given))
                plan.has_pulled = True
            except Exception as error:  # noqa: BLE001 - it is raised, or what it hides is
                say_what_lacks(error, plan)
                # what is not copied may have changed, but for what has no elements
                kept_so = before.arguments is not arguments or any(
                    map(_is_empty, arguments.values())
                )
                again = functools.partial(self._once_on_tape, before, wanted)
                return instead_of(error, again, self._plans.fall_back, now=kept_so)
            parts = result if len(inputs) > 1 else (result,)
            done = tuple(conform(part, item) for part, item in zip(parts, inputs, strict=True))
            if met:
                teller = self._teller(before.arguments, before.start, guessed=True)
                return teller(raw, adjoint, done)
            if plan.traps:
                again = functools.partial(self._once_on_tape, before, wanted)
                return tuple(unless_nan(value, done, again))
            return done

        return value, pull

    def _otherwise(
        self, error: Exception, plan: HalvesPlan, arguments: dict[str, Any]
    ) -> tuple[Any, Pull]:
        """Return what another text, or the tape, gives where one has raised an error."""
        left_out = plan.generated.left_out
        if not plan.written and refusal_of(error, left_out) is not None:
            keep_complex = plan.generated.keep_complex
            if self._plans.begin_for_flags(arguments, keep_complex=keep_complex):
                return self(arguments)
        say_what_lacks(error, plan)
        again = functools.partial(self._on_tape, arguments)
        told: dict[str, Any] = {"subject": self._subject(arguments), "left_out": left_out}
        return instead_of(error, again, self._plans.fall_back, now=not plan.written, **told)

    def _compared_as_new(self, plan: HalvesPlan, before: AsItWas) -> Callable[[Pull], Pull]:
        """Return what lets a pullback stop where numbers have to be compared first."""
        numbers = self._numbers(self._run, before.arguments)

        def decorated(pull: Pull) -> Pull:
            def stops(wanted: Any) -> tuple[Any, ...]:
                on_tape = functools.partial(self._once_on_tape, before, wanted)
                run = functools.partial(pull, wanted)
                refuse = self._plans.fall_back
                return stopping(plan, run, numbers, refuse, on_tape, still=before.is_still)

            return pull if is_settled(plan) else stops

        return decorated

    def _once_on_tape(self, before: AsItWas, adjoint: Any) -> tuple[Any, ...]:
        if not before.is_still():
            raise changed_since(plain(self.primal).__name__)
        return self._afresh(before)[1](adjoint)

    def _afresh(self, before: AsItWas) -> tuple[Any, Pull]:
        """Run the function once more, on the tape and as if it had not run."""
        with once_more(before.start):
            return self._on_tape(copied(before.arguments))

    def _subject(self, arguments: dict[str, Any]) -> Asked:
        return functools.partial(called, plain(self.primal)), (arguments,), {}

    @refusing_alone(lambda self, arguments: self._subject(arguments))
    def _on_tape(self, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        refuse_tape(arguments.values())
        arguments = self.policy.lent(arguments, self.primal)
        if reads_tensors(plain(self.primal), arguments.values()):
            value, other = call_strictly(self._on_tape, arguments)
            return value, other
        form, before = signature(self.primal), as_now(arguments)
        told = None if isinstance(self.primal, Gradient) else self._teller(dict(arguments))
        value, pull = pull_on_tape(on_tape(self.primal), form, self.names, arguments, told)
        pull = refusing_alone(lambda _: self._subject(arguments))(pull)
        if isinstance(self.primal, Gradient):
            value = self.primal.conformed(value, before, generated=False)
        return value, pull

    def _teller(
        self, before: dict[str, Any], start: Surroundings | None = None, *, guessed: bool = False
    ) -> Callable[..., tuple[Any, ...]]:
        """Return what makes adjoints right that met equal eigenvalues or singular values."""

        def told(value: Any, adjoint: Any, done: tuple[Any, ...]) -> tuple[Any, ...]:
            slopes = directions_of(self.primal, self.names, before, start)
            try:
                seeds = leaves_as_in(value, adjoint)
                return tuple(slopes.gradients(done, seeds, value, guessed=guessed))
            except UnsupportedError:  # a gradient whose tangents are refused
                return slopes.without(done) if guessed else done

        return told

    def rows(self, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        """Return the value and its pullback, which takes stacks of adjoints and gives such.

        Both raise `CannotStackError` where the function must be run once for each adjoint.
        """
        if self.policy.compiles:
            raise CannotStackError("loops are compiled for one seed")
        plan = self._stacked.plan(arguments, keep_complex=any(map(is_complex, arguments.values())))
        return self._run_rows(plan, arguments)

    def rows_again(self, arguments: dict[str, Any]) -> tuple[Any, Pull] | None:
        """Do the same for kinds of arguments that were there; None if it must be new."""
        plan = None if CHECKS.nans else self._stacked.still()
        return None if plan is None else self._run_rows(plan, arguments)

    def writes_rows(self) -> bool:
        """Say whether the text for stacks may write into them, or nobody knows."""
        plan = self._stacked.still()
        return plan is None or plan.in_place

    def _run_rows(self, plan: HalvesPlan, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        run = functools.partial(self._run_rows_once, plan, arguments)
        numbers = self._numbers(self._run_first_row, arguments)
        return stopping_stacks(plan, run, numbers)

    def _run_rows_once(self, plan: HalvesPlan, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        given = copied(arguments) if plan.in_place else arguments
        return self._rows_of(plan, arguments, given)

    def _rows_of(
        self, plan: HalvesPlan, arguments: dict[str, Any], given: dict[str, Any]
    ) -> tuple[Any, Pull]:
        """Run a text for stacks with the arguments, or with copies to write into, as `given`."""
        raw, kept = self._stacked.run(plan, plan.forward, *given.values())
        inputs = [arguments[name] for name in self.names]

        def pull(adjoint: Any) -> tuple[Any, ...]:
            adjoint = _where_read(self._unconformed(adjoint), raw)
            given = list(adjoint) if plan.gives_tuple else [adjoint]
            met: list[str] = []
            name = plan.backward.__name__
            backward = watched(plan, name, met) if plan.meets else plan.backward
            try:
                result = self._stacked.run(
                    plan, backward, plan.again(kept), *map(_copied_containers, given)
                )
            except NewBranchError as stop:
                raise CannotStackError("a branch that nobody has compared") from stop
            if met or (plan.traps and has_nan(result)):
                raise CannotStackError("told seed by seed")
            parts = result if len(inputs) > 1 else (result,)
            return tuple(conform(part, item) for part, item in zip(parts, inputs, strict=True))

        raw = raw if plan.in_place else copied(raw)
        return self._conformed(raw, arguments), pull

    def _run_first_row(self, plan: HalvesPlan, arguments: dict[str, Any]) -> tuple[Any, Pull]:
        """Return the value and its pullback of one adjoint, by a text for stacks.

        It writes into the arguments what the function does.
        """
        inputs = [arguments[name] for name in self.names]
        value, pull = self._rows_of(plan, arguments, arguments)

        def first(adjoint: Any) -> tuple[Any, ...]:
            pairs = zip(inputs, pull(in_stack(value, adjoint)), strict=True)
            return tuple(out_of_stack(item, found) for item, found in pairs)

        return value, first

    def _gone_back(self, plan: HalvesPlan, kept: Any, value: Any, raw: Any) -> Any:
        """Return what the backward half gives for zeros."""
        seed = self._raw_adjoint(mapped(lambda leaf: 0.0 * leaf, value), raw)
        return plan.backward(plan.again(kept), *(seed if plan.gives_tuple else [seed]))

    def _raw_adjoint(self, adjoint: Any, raw: Any) -> Any:
        return _where_read(self._unconformed(adjoint), raw)

    def _unconformed(self, adjoint: Any) -> Any:
        """Return an adjoint as the generated text has it: without a tuple of a single gradient."""
        primal = self.primal
        return primal.raw_adjoint(adjoint) if isinstance(primal, Gradient) else adjoint

    def _conformed(self, value: Any, arguments: dict[str, Any]) -> Any:
        if isinstance(self.primal, Gradient):
            return self.primal.conformed(value, arguments)
        return value

    @property
    def stacked_source(self) -> str:
        """The text that carries stacks of seeds; if there is none, that which carries one."""
        if self.policy.compiles:
            return self.source
        function = to_differentiate(self.primal)
        try:
            plan = self.make_plan(function, keep_complex=False, stacks=True)
        except CannotStackError:
            return self.source
        return plan.generated.source

    @property
    def source(self) -> str:
        """The text of the generated module; where it is compiled, the one that ran last.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        ran = self._plans.latest() if self.policy.compiles else None
        plan = ran or self.make_plan(to_differentiate(self.primal), keep_complex=False)
        return plan.generated.source if ran is None else plan.shown

    def chosen(self) -> HalvesPlan | None:
        """Return the plan of the last call of anybody."""
        return self._plans.chosen

    def shown(self, plan: HalvesPlan | None) -> str:
        """Return the text of a plan, or that for any arguments if the program is another one."""
        current = plan is not None and plan.is_current(to_differentiate(self.primal))
        return plan.shown if plan is not None and current else self.source

    def make_plan(
        self,
        function: FunctionType,
        *,
        keep_complex: bool,
        stages: Stages | None = None,
        stacks: bool = False,
        given: Mapping[str, Any] | None = None,
        arrays: KindsOfArrays = frozenset(),
    ) -> HalvesPlan:
        self.policy.refuse_text(self.primal)
        held = held_for_text(self.primal, given or {}, self.names, by_field=True)
        options: dict[str, Any] = {"assume": False, "stacks": stacks, "arrays": arrays}
        options["pure"] = self.policy.pure
        request = Request(function, self.names, keep_complex=keep_complex, given=held, **options)
        plan = load_halves(self._refusals.compiled(compile_halves, request, stages), function)
        if self.policy.compiles and not stacks:
            compile_both_ways(plan, self._plans.to_numpy, self.policy.loop_options)
        return plan


def _is_empty(value: Any) -> bool:
    return getattr(value, "size", 1) == 0


@made_once
def adjoints_of(f: Callable[..., Any], names: tuple[str, ...], policy: Policy = USUAL) -> Adjoints:
    """Return the halves of `f`, the same ones at every call."""
    return Adjoints(f, names, policy)


def _where_read(adjoint: Any, value: Any) -> Any:
    """Leave out the entries of an adjoint for keys that a generated gradient does not have."""
    if isinstance(value, dict):
        return {key: _where_read(adjoint[key], item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_where_read(part, item) for part, item in zip(adjoint, value, strict=True)]
    return adjoint


def _copied_containers(adjoint: Any) -> Any:
    """Copy the containers of an adjoint, into which a backward half may write."""
    if isinstance(adjoint, dict):
        return {key: _copied_containers(item) for key, item in adjoint.items()}
    if isinstance(adjoint, (list, tuple)):
        return [_copied_containers(item) for item in adjoint]
    return np.array(adjoint) if isinstance(adjoint, np.ndarray) else adjoint
