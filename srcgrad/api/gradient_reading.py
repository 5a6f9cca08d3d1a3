"""Reads gradients, whose texts are those of the plans that they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import BoundArguments, Parameter, getattr_static
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic

from srcgrad.api.entries import Ran
from srcgrad.api.fitting import whole_or_in_part
from srcgrad.api.flags import containers_of, made_for, settings_of
from srcgrad.api.form import Form
from srcgrad.api.forms import Forms
from srcgrad.api.lazily import (
    has_complex,
    raise_unsettled,
    refuse_lazily,
    run_lazily,
    update_of_blocks,
    without_tape,
)
from srcgrad.api.looks import P, R_co
from srcgrad.api.pickling import by_name_or_parts
from srcgrad.api.plan import Plan
from srcgrad.api.policy import Policy
from srcgrad.api.proofs import (
    Comparing,
    is_taken_for_wrong,
    prove,
    refuse_doubted,
)
from srcgrad.api.reading import Asked, Reading
from srcgrad.api.refusal import describe, ran_on_tape, update_of_array
from srcgrad.api.selection import static_arguments
from srcgrad.api.structures import copied, holds_more_than_numbers
from srcgrad.api.values import is_complex, is_writable_array
from srcgrad.compiler.stages import Stages
from srcgrad.errors import MissingRuleError, MutationError, UnsupportedError
from srcgrad.frontend.expand.flags import SETTINGS
from srcgrad.later import later
from srcgrad.runtime.objects import may_be_static

if TYPE_CHECKING:
    from srcgrad.api import exporting, insights
    from srcgrad.api.exporting import Exported
    from srcgrad.api.insights import Call
    from srcgrad.insight.explanation import Subject
else:
    exporting = later("srcgrad.api.exporting")
    insights = later("srcgrad.api.insights")


class GradientReading(Forms, Reading, Generic[P, R_co]):
    """What a gradient says of itself, given how it is compiled."""

    primal: Any
    _function: Any
    _owner: Any
    _options: tuple[Any, ...]
    _is_method: bool
    _value: bool
    _form: Form
    _read: Plan | None
    _plain: dict[bool, Plan]
    _ran: Ran
    _made_for: Callable[..., Plan]
    _fitting: Callable[..., Plan | None]
    _at_all_blocks: Any = None
    _at_call: Plan | None = None
    checks: bool
    _verify: Callable[..., None]
    _policy: Policy

    @property
    def policy(self) -> Policy:
        """How the gradient is taken."""
        return self._policy

    def _ready(self) -> Plan:
        """Return the plan of the last call, or before any call one that serves all arguments."""
        for plan in (self._plan, self._read):
            if plan is not None and plan.is_current(self._subject()) and plan.suits(self._last):
                return plan
        with self._lock:
            self._read = plan = self._make_plan()
        return plan

    def _with_flags(
        self, make: Callable[[], Plan], known: Mapping[str, Any], bound: Mapping[str, Any]
    ) -> Plan:
        """Make a plan for the functions and objects of a call; else for its flags, too."""

        def made(given: dict[str, Any]) -> Plan:
            self._last = given
            return make()

        try:
            flags = settings_of(self._function, bound, self._selection.names)
            return made_for(made, self._function, known, flags, containers_of(bound))
        except UnsupportedError:
            self._last = dict(known)
            raise

    def _is_made_for(self, plan: Plan, known: dict[str, Any], args: Any, kwargs: Any) -> bool:
        """Say whether a plan is for the functions, objects and flags of a call."""
        told = dict(known)
        if plan.given - known.keys():
            bound = self._selection.bound(args, kwargs)
            flags = settings_of(self._function, bound, self._selection.names)
            flags[SETTINGS] = None
            flags |= containers_of(bound)
            told = {**{n: v for n, v in flags.items() if n in plan.given}, **told}
        self._last = told  # twins of the plan must suit these, too
        return told.keys() == plan.given and plan.suits(told)

    def _text(self) -> Plan:
        shown = self._ran.what
        if isinstance(shown, Plan) and shown.is_current(self._subject(shown.options)):
            return shown
        ready = self._ready()
        if isinstance(shown, UnsupportedError):
            raise ran_on_tape(self.primal, shown) from shown
        return ready

    @property
    def source(self) -> str:
        """The text of the generated module; of several, the one that the last call used.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
                Or the last call ran on the tape, so that no text is what ran.
        """
        return self._text().shown

    @property
    def generated(self) -> Callable[..., Any]:
        """The generated function itself, without checks of its arguments."""
        return self._text().function

    def conformed(
        self, result: Any, arguments: Mapping[str, Any], *, generated: bool = True
    ) -> Any:
        """Return what the generated function, or the tape, returned as a call gives it."""
        values = [arguments[name] for name in self._selection.names]
        head, grads = self._form.apart(result)
        in_tuple = len(values) > 1 if generated else not self._selection.single
        return self._form.joined(head, grads if in_tuple else (grads,), values)

    def raw_adjoint(self, adjoint: Any) -> Any:
        """Return an adjoint of what a call gives as one of what the generated function returns."""
        return self._form.as_returned(adjoint)

    def _strict(self) -> Any:
        """Return the same gradient, with errors for warnings and with plans of its own."""
        argnums, argnames, has_aux, policy, value = self._options
        kind: Any = type(self)
        policy = policy.with_fallback("error")
        twin = kind(self.primal, argnums, argnames, has_aux, policy, value)
        twin._last = dict(self._last)  # noqa: SLF001 - it is of the same class
        return twin

    def differentiable(
        self, *, keep_complex: bool = False, arguments: Mapping[str, Any] | None = None
    ) -> Callable[..., Any]:
        """Return the generated function, in a text that takes nothing for granted.

        `keep_complex` asks for a text that is right for complex numbers too. Where there is no such
        text, it is that for the arguments of a call, if they are given.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        try:
            plan = self._plain_plan(keep_complex)
            if plan is None:
                raise MutationError(
                    f"the gradient of `{describe(self.primal)}` is not one text for all arguments",
                    hint="work on copies of the arguments that the function updates in place",
                )
            refuse_doubted(plan)
        except UnsupportedError:
            plan = None if arguments is None else self._plan_at(arguments)
            if arguments is None or plan is None or plan.generated.keep_complex is not keep_complex:
                raise
            self._compare_at(plan, arguments)
        return plan.function

    def _compare_at(self, plan: Plan, arguments: Mapping[str, Any]) -> None:
        """Ask numbers of a text that is doubted, at the arguments of each call.

        Raises:
            NotProvenError: They say that it is wrong, or do not tell.
        """
        proof = plan.generated.proof
        if proof is not None and is_taken_for_wrong(plan):
            call = self._selection.signature.bind_partial()
            call.arguments.update(arguments)
            prove(plan, self._numbers(call.args, call.kwargs))
        if proof is None or not proof.was_compared:
            refuse_doubted(plan)

    def _plan_at(self, arguments: Mapping[str, Any]) -> Plan | None:
        """Return the plan for a call, if it is a text alone; the last one, if it is for that."""
        call = self._selection.signature.bind_partial()
        call.arguments.update(arguments)
        plan = self._at_call
        if plan is None or not self._is_for(plan, call):
            plan = self.plan_of_example(arguments)
            self._at_call = plan
        whole = not (plan.scalars or plan.records or plan.generated.taped)
        return plan if whole else None

    def _is_for(self, plan: Plan, call: BoundArguments) -> bool:
        current = plan.is_current(self._subject(plan.options)) and plan.suits(call.arguments)
        return current and plan.fits(call.args, call.kwargs)

    def _plain_plan(self, keep_complex: bool) -> Plan | None:
        kept = self._plain.get(keep_complex)
        if kept is not None and kept.is_current(self._subject(kept.options)):
            return kept
        found = None if keep_complex else self._plain_at_once()
        if found is not None:
            self._plain[False] = found
            return found
        wanted = keep_complex or self._ready().generated.keep_complex
        kind = "complex plain" if wanted else "plain"
        plan = self._made_twin(kind, keep_complex=wanted, assume=False, plain=True)
        if plan.scalars:
            return None
        self._plain[keep_complex] = plan
        return plan

    def _at_blocks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the text at arrays of Dask, which runs nothing yet.

        Raises:
            UnsupportedError: The function is not differentiated by source, or not at such arrays.
        """
        if self._at_all_blocks is None:
            self._at_all_blocks = self._strict()
        args = (self._owner, *args) if self._is_method else args
        arguments = self._selection.bound(args, kwargs)
        refuse_lazily(self._policy, self._form.names, arguments, checks=self.checks)
        plan = self._at_all_blocks.plan_for_blocks(arguments)
        self._ran.what = plan
        return run_lazily(plan, self._form, arguments, args, kwargs)

    def plan_for_blocks(self, arguments: Mapping[str, Any]) -> Plan:
        """Return the plan whose text runs at arrays of Dask.

        Raises:
            UnsupportedError: The function is not differentiated by source for those.
        """
        self.take_for_granted(arguments)
        try:
            plan = self._plain_plan(has_complex(arguments.values()))
            if plan is not None and plan.generated.taped:
                raise MissingRuleError(diagnostics=plan.generated.taped)
        except UnsupportedError as refusal:
            raise without_tape(refusal) from None
        if plan is None or plan.written:
            raise update_of_blocks(self._function)
        if is_taken_for_wrong(plan):
            raise_unsettled(plan)
        return plan

    def plan_to_send(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan | None:
        """Return the plan whose text another process may run at arguments like these.

        It holds for numbers and arrays of all shapes. None if it is more than a text, or if the
        arguments are more than that: the gradient itself has to look at them then.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        given = (*args, *kwargs.values())
        bound = self._selection.bound(args, kwargs) if not self._is_method else {}
        if self._policy.asks_tape or self._policy.compiles or self._is_method:
            return None
        if holds_more_than_numbers([*given, *bound.values()]):
            return None
        plan = self._plain_plan(is_complex((args, kwargs)))
        if plan is None:
            return None
        lists = any(isinstance(item, (list, tuple)) for item in bound.values())
        if plan.generated.taped:
            raise MissingRuleError(diagnostics=plan.generated.taped)
        if plan.written or plan.records or plan.doubted:
            return None
        if lists and plan.joins_lists(bound):
            return None
        prove(plan, self._numbers(args, kwargs))
        return None if is_taken_for_wrong(plan) else plan

    def _numbers(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Comparing:
        """Return how texts are compared at the arguments of a call."""
        return Comparing(
            self._policy, lambda plan: self._verify(plan, args, kwargs), (args, kwargs)
        )

    def take_for_granted(self, arguments: Mapping[str, Any]) -> None:
        """Let that text be made for the functions and objects among arguments, given by name."""
        known = {name: value for name, value in arguments.items() if may_be_static(value)}
        fits = all(plan.suits(arguments) for plan in self._plain.values())
        kept = bool(self._plain) and fits and known.keys() == self._last.keys()
        if self._is_method or kept:
            return
        self._last = known
        self._plain.clear()
        for key in [key for key in self._twins if key[0].endswith("plain")]:
            del self._twins[key]

    def _plain_at_once(self) -> Plan | None:
        """Return the text that takes nothing for granted before any other has been made.

        None if it may be another than that, which the text for calls tells.
        """
        if self._plan is not None or self._read is not None:
            return None
        with self._lock:
            try:
                plan = self._make_plan(keep_complex=False, assume=False, plain=True)
            except UnsupportedError:
                return None  # the text for calls says why
        return None if plan.generated.keep_complex or plan.scalars else plan

    @property
    def gives_value(self) -> bool:
        """Whether the value is returned too, before the gradient."""
        return self._value

    def plan(self, asked: Asked | None = None, stages: Stages | None = None) -> Plan:
        """Return the compiled derivative, in the text for a call if one is asked about."""
        made: Plan = self._strict().made(asked, stages)
        return made

    def made(self, asked: Asked | None, stages: Stages | None) -> Plan:
        """Return the plan of a call, which is then that of this gradient."""
        if asked is None:
            return self._make_plan(stages=stages)
        plan = self.plan_for(asked.args, asked.kwargs)
        return plan if stages is None else self._make_plan(stages=stages, **plan.options)

    def _asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        args = (self._owner, *args) if self._is_method else args
        return Asked(args, kwargs, self._selection.bound(args, kwargs))

    def _about(self, asked: Asked | None) -> Subject:
        del asked
        mode = "value_and_grad" if self._value else "grad"
        if hasattr(self.primal, "__srcgrad_taken__"):
            mode += " of a derivative"
        return insights.subject_of(self._function, mode, self.names)

    def _call(self, plan: Plan, asked: Asked) -> Call:
        del plan
        return asked.args, asked.kwargs

    def _run_primal(self, asked: Asked) -> Any:
        return self._function(*copied(asked.args), **copied(asked.kwargs))

    def _answer(self, result: Any, asked: Asked) -> Any:
        return self.conformed(result, asked.arguments)

    def _keeps(self, plan: Plan) -> bool:
        del plan
        return True

    def for_export(self, call: BoundArguments | None) -> Exported:
        """Return a plan made for one call, or for all arguments, and the functions it is made for.

        What was called before has no part in it.
        """
        plan, known = self._strict().plan_and_known(call)
        return exporting.Exported(
            plan, given={name: known[name] for name in plan.given if name in known}
        )

    def plan_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
        """Return the plan that a call would run; a bound `self` is among the arguments.

        Raises:
            UnsupportedError: The function is not differentiated by source for these arguments.
        """
        known = static_arguments(self._function, args, kwargs)
        call = self._selection.signature.bind_partial(*args, **kwargs)
        call.apply_defaults()
        bound = call.arguments
        make: Callable[[], Plan] = lambda: self._made_for(args, kwargs)  # noqa: E731
        plan = self._plan = whole_or_in_part(lambda: self._with_flags(make, known, bound))
        if plan.holds is not None and not plan.fits(args, kwargs):
            plan = self._make_plan(keep_complex=plan.generated.keep_complex, assume=False)
        return self._fitting(plan, args, kwargs) or plan

    def plan_of_example(self, arguments: Mapping[str, Any]) -> Plan:
        """Return the plan for arguments given by name, as one of a gradient of its own.

        Raises:
            UnsupportedError: The function is not differentiated by source for these arguments.
        """
        call = self._selection.signature.bind_partial()
        call.arguments.update(arguments)
        plan: Plan = self._strict().plan_for(call.args, call.kwargs)
        return plan

    @property
    def form(self) -> Form:
        """The form in which a call gives what the text returns."""
        return self._form

    def in_form(self, result: Any, values: Sequence[Any]) -> Any:
        """Return what a text returned as a call gives it for these values."""
        return self._form.whole(result, values)

    def plan_and_known(self, call: BoundArguments | None) -> tuple[Plan, Mapping[str, Any]]:
        """Return the plan of one call or of all, which is then that of this gradient."""
        if call is not None:
            return self.plan_for(call.args, call.kwargs), self._last
        parameters = self._selection.signature.parameters
        known = {name: item.default for name, item in parameters.items()}
        known |= dict.fromkeys([*parameters][: self._is_method], self._owner)
        empty = Parameter.empty
        known = {name: value for name, value in known.items() if value is not empty}
        held = {name: value for name, value in known.items() if may_be_static(value)}

        def make() -> Plan:
            try:
                plan = self._make_plan(assume=False)
            except UnsupportedError:  # it may be differentiated under conditions
                return self._make_plan()
            if not all(is_writable_array(known[name]) for name in plan.arrays(known)):
                raise update_of_array(min(plan.generated.scalars), self._function)
            return plan

        return whole_or_in_part(lambda: self._with_flags(make, held, known)), self._last

    def __repr__(self) -> str:
        kind = "value_and_grad" if self._value else "grad"
        return f"<srcgrad.{kind} of {describe(self.primal)}>"

    def __reduce__(self) -> Any:
        """Pickle by name if the gradient stands under the function's own name, else by parts.

        A bound method is pickled by its name in its object, under which a decorated one is found as
        the gradient.
        """
        if isinstance(self.primal, MethodType) and not isinstance(self.primal.__self__, type):
            owner, name = self.primal.__self__, self.primal.__name__
            if isinstance(getattr_static(type(owner), name, None), GradientReading):
                return _of_method, (type(self), owner, name, self._options)
        return by_name_or_parts(self, type(self), self.primal, *self._options)


def _of_method(kind: Any, owner: Any, name: str, options: tuple[Any, ...]) -> Any:
    """Return the derivative of a method that is decorated to be a derivative itself."""
    function = getattr_static(type(owner), name)
    while isinstance(function, GradientReading):
        function = function.primal
    return kind(MethodType(function, owner), *options)
