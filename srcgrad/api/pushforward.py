"""Defines `jvp` and the tangent functions behind it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Literal, TypeVar, overload

from srcgrad.api.along_blocks import Blocks, jvp_at_blocks, takes_blocks
from srcgrad.api.apart import apart
from srcgrad.api.blame import MEANT, Asked, refusing_alone
from srcgrad.api.call_forms import named
from srcgrad.api.checking import runs
from srcgrad.api.claims import Subject, in_stack, out_of_stack, verify_tangents
from srcgrad.api.containers import goes_by_parts, of_parts, parts_of, put_together, without_rest
from srcgrad.api.elsewhere import refuse_tape, say_what_lacks
from srcgrad.api.given_tangents import check_pair, check_tangent, with_zeros
from srcgrad.api.gradient import Gradient
from srcgrad.api.kinds import Kinds, is_bound_in_order, kinds_of, remember
from srcgrad.api.making import made_once
from srcgrad.api.on_tensors import reads_tensors, takes_tensors
from srcgrad.api.owned import own
from srcgrad.api.plan import Plan, compile_loops, load_plan
from srcgrad.api.planning import Plans
from srcgrad.api.policy import USUAL, Backend, Fallback, Policy, policy_of
from srcgrad.api.proofs import Comparing, proven, stopping, stopping_stacks
from srcgrad.api.refusal import describe
from srcgrad.api.refused import Refusals
from srcgrad.api.reruns import before as state_before
from srcgrad.api.rescue import instead_of
from srcgrad.api.stacking import StackedPlans
from srcgrad.api.structures import copied, split
from srcgrad.api.surroundings import from_start
from srcgrad.api.tape_gradient import on_tape
from srcgrad.api.tape_push import push_on_tape
from srcgrad.api.tied_plans import directions_of, watched
from srcgrad.api.traps import has_nan, unless_nan
from srcgrad.api.underlying import (
    bind,
    called,
    held_for_text,
    plain,
    positional_of,
    signature,
    to_differentiate,
)
from srcgrad.api.values import as_now, check_input, conform, is_complex
from srcgrad.compiler import Request, compile_tangents
from srcgrad.compiler.stages import Stages
from srcgrad.insight.switch import CHECKS
from srcgrad.runtime.containers import REGISTERED
from srcgrad.runtime.stacks import CannotStackError, holds_stack
from srcgrad.tape import call_strictly, in_another_call
from srcgrad.tape.memory_order import laid_out
from srcgrad.tape.turning import meeting

R = TypeVar("R")
Aux = TypeVar("Aux")


class Tangents:
    """A function with its tangent function: from values and tangents to a value and its tangent.

    Attributes:
        primal: The user's function.
        names: The parameters that have tangents.
        policy: How the derivative is taken.
    """

    def __init__(
        self, primal: Callable[..., Any], names: Sequence[str], policy: Policy = USUAL
    ) -> None:
        self.primal = primal
        self.policy = policy
        self.names = tuple(names)
        self._refusals = Refusals()
        self._plans = Plans(primal, self.make_plan, policy)
        self.blocks = Blocks(primal, self.names, policy, self.make_plan)
        self._stacked = StackedPlans(primal, self.make_plan, policy)

    def __call__(self, arguments: dict[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """Return the value and its tangent, given all arguments by name and the tangents in order.

        Raises:
            UnsupportedError: The function can neither be differentiated by source nor on the tape.
        """
        tangents = self._without_rest(arguments, tangents)
        keep_complex = any(map(is_complex, [*arguments.values(), *tangents]))
        plan = self._plans.or_tape(arguments, keep_complex=keep_complex)
        numbers = self._numbers(self._run, arguments)
        plan = proven(plan, numbers, self._plans.fall_back)
        if plan is None:
            return self._run_on_tape(arguments, tangents)
        return self._run_stopping(plan, arguments, tangents)

    def _numbers(self, run: Callable[..., Any], arguments: dict[str, Any]) -> Comparing:
        """Return how texts are compared at the arguments of a call."""
        return Comparing(self.policy, functools.partial(self._verify, run, arguments), arguments)

    def _verify(self, run: Callable[..., Any], arguments: dict[str, Any], plan: Plan) -> None:
        """Compare a new text with the other engine and with differences."""
        run = functools.partial(run, plan)
        verify_tangents(Subject(self.primal, self.names, policy=self.policy), plan, run, arguments)

    def _subject(self, arguments: dict[str, Any]) -> Asked:
        return functools.partial(called, plain(self.primal)), (arguments,), {}

    @refusing_alone(lambda self, arguments, tangents: self._subject(arguments))  # noqa: ARG005
    def _run_on_tape(self, arguments: dict[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        refuse_tape(arguments.values())
        arguments = self.policy.lent(arguments, self.primal)
        if reads_tensors(plain(self.primal), arguments.values()):
            value, other = call_strictly(self._run_on_tape, arguments, tangents)
            return value, other
        form, before = signature(self.primal), as_now(arguments)
        met: list[str] = []
        with meeting(met):
            found = push_on_tape(on_tape(self.primal), form, self.names, arguments, tangents)
        value, tangent = found
        if isinstance(self.primal, Gradient):
            of = self.primal
            value, tangent = (of.conformed(item, before, generated=False) for item in found)
        elif met and not in_another_call():
            slopes = directions_of(self.primal, self.names, arguments)
            tangent = slopes.tangent(tangents, value, tangent)
        return value, own(apart(tangent, value), tangents)

    def again(self, arguments: dict[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any] | None:
        """Do the same for kinds of arguments that were there; None if it must be new."""
        plan = self._plans.still()
        return None if plan is None else self._run_stopping(plan, arguments, tangents)

    def _run_stopping(
        self, plan: Plan, arguments: dict[str, Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        return stopping(
            plan,
            lambda: self._run(plan, arguments, tangents),
            self._numbers(self._run, arguments),
            self._plans.fall_back,
            lambda: self._run_on_tape(arguments, tangents),
        )

    def _run(
        self, plan: Plan, arguments: dict[str, Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        tangents = [laid_out(t, arguments[n]) for n, t in zip(self.names, tangents, strict=True)]
        arguments = self.policy.lent(arguments, self.primal) if plan.written else arguments
        met: list[str] = []
        before = copied(arguments) if plan.meets else arguments
        asks = plan.meets or (plan.traps and isinstance(self.primal, Gradient))
        start = state_before(plan, self.primal, arguments.values()) if asks else None
        function = watched(plan, plan.generated.entry, met) if plan.meets else plan.runs
        function = runs(plan, plan.function) if CHECKS.nans else function
        try:
            value, tangent = function(*arguments.values(), *tangents)
        except Exception as error:  # noqa: BLE001 - it is raised, or what it hides is
            say_what_lacks(error, plan)
            again = functools.partial(self._run_on_tape, arguments, tangents)
            told: Any = {"subject": self._subject(arguments), "left_out": plan.generated.left_out}
            return instead_of(error, again, self._plans.fall_back, now=not plan.written, **told)
        if met:
            slopes = directions_of(self.primal, self.names, before, start)
            tangent = slopes.tangent(tangents, value, conform(tangent, value))
        if isinstance(self.primal, Gradient):
            value = self.primal.conformed(value, arguments)
            tangent = self.primal.conformed(tangent, arguments)
            if plan.traps:
                again = functools.partial(self._run_on_tape, copied(arguments), tangents)
                again = functools.partial(from_start, start, again)
                value, tangent = unless_nan(0.0, (value, tangent), again)
        return value, own(apart(conform(tangent, value), value), tangents)

    def _without_rest(self, arguments: dict[str, Any], tangents: Sequence[Any]) -> Sequence[Any]:
        if not REGISTERED:
            return tangents
        pairs = zip(self.names, tangents, strict=True)
        return [without_rest(arguments[name], item) for name, item in pairs]

    def general_plan(self) -> Plan:
        """Return the tangent function, in a text that takes nothing for granted.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        return self.make_plan(to_differentiate(self.primal), keep_complex=False)

    def rows(self, arguments: dict[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """Return the value and its tangents, all in one run, from stacks of tangents.

        The arguments stay as they are.

        Raises:
            CannotStackError: The function must be run once for each of them.
        """
        if self.policy.compiles:
            raise CannotStackError("loops are compiled for one seed")
        tangents = self._without_rest(arguments, tangents)
        plan = self._stacked.plan(arguments, keep_complex=any(map(is_complex, arguments.values())))
        return self._run_rows(plan, arguments, tangents)

    def rows_again(
        self, arguments: dict[str, Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any] | None:
        """Do the same for kinds of arguments that were there; None if it must be new.

        Raises:
            CannotStackError: The function must be run once for each of them.
        """
        plan = None if CHECKS.nans else self._stacked.still()
        return None if plan is None else self._run_rows(plan, arguments, tangents)

    def writes_rows(self) -> bool:
        """Say whether the text for stacks may write into them, or nobody knows."""
        plan = self._stacked.still()
        return plan is None or plan.in_place

    def _run_rows(
        self, plan: Plan, arguments: dict[str, Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        run = functools.partial(self._run_rows_once, plan, arguments, tangents)
        numbers = self._numbers(self._run_first_row, arguments)
        return stopping_stacks(plan, run, numbers)

    def _run_rows_once(
        self, plan: Plan, arguments: dict[str, Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        given = copied(arguments) if plan.in_place else arguments
        return self._rows_of(plan, arguments, given, tangents)

    def _rows_of(
        self, plan: Plan, arguments: dict[str, Any], given: dict[str, Any], tangents: Any
    ) -> tuple[Any, Any]:
        """Run a text for stacks with the arguments, or with copies to write into, as `given`."""
        met: list[str] = []
        function = watched(plan, plan.generated.entry, met) if plan.meets else plan.function
        try:
            value, tangent = self._stacked.run(plan, function, *given.values(), *tangents)
        except Exception as error:
            if isinstance(error, MEANT) or given is not arguments:
                raise
            raise CannotStackError("it raises, which a run with one seed looks into") from error
        if met or (plan.traps and has_nan((value, tangent))):
            raise CannotStackError("told seed by seed")
        if holds_stack(value):
            raise CannotStackError("a value that depends on a seed")
        if isinstance(self.primal, Gradient):
            value = self.primal.conformed(value, arguments)
            tangent = self.primal.conformed(tangent, arguments)
        if not plan.in_place:
            value = own(value, list(arguments.values()))
        return value, conform(tangent, value)

    def _run_first_row(
        self, plan: Plan, arguments: dict[str, Any], tangents: Sequence[Any]
    ) -> tuple[Any, Any]:
        """Return the value and a tangent of it, and write what the function does."""
        pairs = zip(self.names, tangents, strict=True)
        stacks = [in_stack(arguments[name], tangent) for name, tangent in pairs]
        value, found = self._rows_of(plan, arguments, arguments, stacks)
        return value, out_of_stack(value, found)

    @property
    def stacked_source(self) -> str:
        """The text that carries stacks of seeds; if there is none, that which carries one."""
        if self.policy.compiles:
            return self.source
        function = to_differentiate(self.primal)
        try:
            return self.make_plan(function, keep_complex=False, stacks=True).generated.source
        except CannotStackError:
            return self.source

    @property
    def source(self) -> str:
        """The text of the generated module; where it is compiled, the one that ran last.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        ran = self._plans.latest() if self.policy.compiles else None
        return self.general_plan().generated.source if ran is None else ran.shown

    def chosen(self) -> Plan | None:
        """Return the plan of the last call of anybody."""
        return self._plans.chosen

    def shown(self, plan: Plan | None) -> str:
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
    ) -> Plan:
        self.policy.refuse_text(self.primal)
        request = Request(
            function,
            self.names,
            keep_complex=keep_complex,
            assume=False,
            stacks=stacks,
            given=held_for_text(self.primal, given or {}, self.names, by_field=True),
        )
        plan = load_plan(self._refusals.compiled(compile_tangents, request, stages), function)
        if self.policy.compiles and not stacks:
            compile_loops(plan, self._plans.to_numpy, self.policy.loop_options)
        return plan

    def __repr__(self) -> str:
        return f"<srcgrad.jvp of {describe(self.primal)}>"


@made_once
def tangents_of(f: Callable[..., Any], names: tuple[str, ...], policy: Policy = USUAL) -> Tangents:
    """Return the tangent function of `f`, the same one at every call."""
    return Tangents(f, names, policy)


@overload
def jvp(
    f: Callable[..., R],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: Literal[False] = ...,
    kwargs: Mapping[str, Any] | None = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> tuple[R, R]: ...
@overload
def jvp(
    f: Callable[..., tuple[R, Aux]],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: Literal[True],
    kwargs: Mapping[str, Any] | None = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> tuple[R, R, Aux]: ...
@overload
def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = ...,
    kwargs: Mapping[str, Any] | None = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> tuple[Any, ...]: ...
@takes_blocks(jvp_at_blocks, tangents_of)
def jvp(  # noqa: PLR0913 - each is an option of its own
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = False,
    kwargs: Mapping[str, Any] | None = None,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> tuple[Any, ...]:
    """Return the value of a function and its derivative along `tangents` (forward mode).

    Args:
        f: An ordinary function of floats, arrays, and containers of those; it may return any of
            them.
        primals: Its positional arguments.
        tangents: One for each of them, of the same structure, shapes and types; None for an
            argument that is held.
        has_aux: Whether `f` returns a pair of which only the first is differentiated.
        kwargs: Further arguments by name, which are held.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Returns:
        The value, and its tangent, of the same structure; with `has_aux`, the auxiliary part third.

    Raises:
        ArgumentError: The tangents do not fit the primals.
        UnsupportedError: Neither the compiler nor the tape can differentiate the function.
    """
    policy = policy_of(fallback, backend, verify, pure)
    check_pair(primals, tangents)
    f = named(f, len(primals), kwargs, [i for i, t in enumerate(tangents) if t is not None])
    kinds = None if kwargs or has_aux else kinds_of((*primals, *tangents))
    calls = _calls_of(f, policy)
    call = None if kinds is None else calls.get(kinds)
    found = None if call is None else call.again(primals, tangents)
    if found is not None:
        return found
    given = _by_name(f, tangents)
    found = push_by_name(f, primals, kwargs or {}, given, has_aux=has_aux, policy=policy)
    if kinds is not None and given and not goes_by_parts(f, primals):
        bound = bind(f, primals)
        if is_bound_in_order(primals, bound):
            remember(calls, kinds, _Call(tuple(bound), tangents_of(f, tuple(given), policy)))
    return found


@takes_tensors
def push_by_name(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tangents: Mapping[str, Any],
    *,
    has_aux: bool,
    policy: Policy = USUAL,
) -> tuple[Any, ...]:
    """Do as `jvp` with the tangents of parameters by name, also of those without a position.

    Raises:
        ArgumentError: The tangents do not fit the arguments.
        UnsupportedError: Neither the compiler nor the tape can differentiate the function.
    """
    if goes_by_parts(f, (*args, *kwargs.values())):
        moved = {name: parts_of(item) for name, item in tangents.items()}
        parts = parts_of(list(args)), parts_of(dict(kwargs))
        how: dict[str, Any] = {"has_aux": has_aux, "policy": policy}
        return tuple(map(put_together, push_by_name(of_parts(f), *parts, moved, **how)))
    bound = bind(f, args, kwargs)
    for name, tangent in tangents.items():
        check_input(bound[name], name)
        check_tangent(bound[name], tangent, name)
    if tangents:
        chosen = [with_zeros(tangent, bound[name]) for name, tangent in tangents.items()]
        value, moved = tangents_of(f, tuple(tangents), policy)(bound, chosen)
    else:
        value = f(*args, **kwargs)
        moved = conform(None, value)
    if not has_aux:
        return value, moved
    head, aux = split(value, has_aux=True)
    return head, moved[0], aux


@dataclass(frozen=True, slots=True)
class _Call:
    """What a call of `jvp` with arrays and numbers alone was made with."""

    names: tuple[str, ...]
    push: Tangents

    def again(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any] | None:
        """Return the value and its tangent for arguments of the same kinds, if nothing changed."""
        given = [tangent for tangent in tangents if tangent is not None]
        return self.push.again(dict(zip(self.names, primals, strict=True)), given)


@made_once
def _calls_of(_f: Callable[..., Any], _policy: Policy) -> dict[Kinds, _Call]:
    """Return what is remembered of calls of `jvp` with a function, by the kinds of arguments."""
    return {}


def _by_name(f: Callable[..., Any], tangents: Sequence[Any]) -> dict[str, Any]:
    """Return those of the tangents that are no None by name; starred arguments have one tuple."""
    names, starred = positional_of(f, len(tangents))
    given = list(tangents)
    if starred:
        rest = tuple(given[len(names) - 1 :])
        given[len(names) - 1 :] = [None if all(item is None for item in rest) else rest]
    return {name: t for name, t in zip(names, given, strict=False) if t is not None}
