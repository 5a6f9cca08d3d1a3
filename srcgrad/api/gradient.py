"""Defines the callable that `grad` and `value_and_grad` return."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, Concatenate, overload

from srcgrad.api import elsewhere
from srcgrad.api.blame import refusing_alone
from srcgrad.api.checking import checked, checked_on_tape, without_value
from srcgrad.api.claims import Subject, verify_gradient
from srcgrad.api.containers import goes_by_parts, of_parts, parts_of, put_together
from srcgrad.api.entries import Entries, Ran, Served, Way, serves
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.fitting import fitted, whole_or_in_part
from srcgrad.api.form import Form
from srcgrad.api.gradient_reading import GradientReading
from srcgrad.api.labels import Known, how_labelled, relabelled
from srcgrad.api.lazily import has_lazy
from srcgrad.api.looks import P, Q, R_co, look_like
from srcgrad.api.on_tensors import called_with, is_plain_call, reads_tensors, tensors_of
from srcgrad.api.plan import Plan, compile_loops, load_plan
from srcgrad.api.policy import Fall, Policy
from srcgrad.api.proofs import (
    ask,
    is_due,
    is_taken_for_wrong,
    not_settled_elsewhere,
    prove,
    proven,
    stopping,
)
from srcgrad.api.refusal import (
    describe,
    lists_joined,
    twice_complex,
    update_of_array,
)
from srcgrad.api.refused import Refusals
from srcgrad.api.rescue import instead_of
from srcgrad.api.seeing import seen_of
from srcgrad.api.selection import innermost, select, static_arguments
from srcgrad.api.sharing import is_alone, kinds_of_arrays, named_arrays
from srcgrad.api.telling import told
from srcgrad.api.values import as_now, check_input, is_complex, is_writable_array
from srcgrad.backends import NUMPY, Library
from srcgrad.compiler import OneProgram, Request, compile_gradient, one_program
from srcgrad.compiler.stages import Stages
from srcgrad.errors import (
    ArgumentError,
    LibraryGapError,
    MissingRuleError,
    SourceNotFoundError,
    UnsupportedError,
)
from srcgrad.frontend.expand.operators import Taken
from srcgrad.garbage import uncollected
from srcgrad.insight.switch import CHECKS
from srcgrad.ir.depth import deeply
from srcgrad.locks import Lock
from srcgrad.runtime.labelled import has_labels, without_labels
from srcgrad.runtime.objects import may_be_static
from srcgrad.tape import call_strictly, in_another_call


class Gradient(GradientReading[P, R_co]):
    """The derivative of a function: call it like the function, or read it.

    Attributes:
        primal: The user's function itself.
        checks: Whether the first NaN or infinity of a call raises; see `debug_nans`.
    """

    checks = False

    def __init__(
        self,
        primal: Callable[..., Any],
        argnums: int | Sequence[int] | None,
        argnames: str | Sequence[str] | None,
        has_aux: bool,
        policy: Policy,
        value: bool,
    ) -> None:
        if not callable(primal):
            raise ArgumentError(
                f"srcgrad.grad needs a function, not {type(primal).__name__}",
                hint="write @srcgrad.grad over a def, or srcgrad.grad(f)",
            )
        self.primal = primal
        self._options = (argnums, argnames, has_aux, policy, value)
        self._has_aux = has_aux
        self._policy = policy
        self._fall = Fall(policy, primal)
        self._value = value
        self._inner: Any = primal if hasattr(primal, "__srcgrad_taken__") else None
        function = innermost(primal)
        self._function = function.__func__ if isinstance(function, MethodType) else function
        self._owner = function.__self__ if isinstance(function, MethodType) else None
        self._is_method = isinstance(function, MethodType)
        self._selection = select(self._function, argnums, argnames, skip=int(self._is_method))
        self._positions = tuple(p for p in self._selection.positions() if p is not None)
        self._form = Form(self._selection.names, self._selection.single, value, has_aux)
        self._plan: Plan | None = None
        self._read: Plan | None = None  # the text that was asked for before any call
        self._ran = Ran(functools.partial(_looks_closer, policy))
        self._way = _long_way(weakref.ref(self), primal, self._options)
        self._entries = Entries(self._way)
        self._twins: dict[tuple[str, Any], Plan] = {}
        self._plain: dict[bool, Plan] = {}
        first = next(iter(self._selection.signature.parameters), "")
        self._last: dict[str, Any] = {first: self._owner} if self._is_method else {}
        self._siblings: dict[type, Plan] = {}
        self._refusals = Refusals()
        self._labels: Known | None = None
        self._lock = Lock()
        look_like(self, self._function, self._is_method, self._selection.signature)

    def __srcgrad_taken__(self) -> Taken:
        """Say to the compiler what this is, where a program that is differentiated calls it."""
        argnums, argnames, has_aux, _, value = self._options
        return Taken("value_and_grad" if value else "grad", self.primal, argnums, argnames, has_aux)

    # -- calling

    if TYPE_CHECKING:

        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co:
            """Return the gradient (or the value and the gradient) at the given arguments."""

    else:
        __call__ = Way(attrgetter("_way"), doc="Return the gradient at the given arguments.")

    def call_the_long_way(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call, and decide everything anew."""
        self._ran.what = None
        args, kwargs = self._policy.with_own_containers((args, kwargs), self._function)
        if kwargs or not is_plain_call(args):
            other = self._call_otherwise(args, kwargs)
            if other is not None:
                return other[0]
        if self._is_method:
            args = (self._owner, *args)  # by the function's own
        self._library(args, kwargs)  # arrays of several are refused before anything else is done
        if in_another_call() or (self._is_method and tensors_of(self._owner)):
            return self._run_on_tape(args, kwargs)
        plan = self._plan
        if plan is None or not plan.is_current(self._subject()):
            plan = self._compile(static_arguments(self._function, args, kwargs), args, kwargs)
        elif plan.generated.assumptions or plan.given or any(map(may_be_static, args)) or kwargs:
            known = static_arguments(self._function, args, kwargs)
            if not self._is_made_for(plan, known, args, kwargs):
                plan = self._compile(known, args, kwargs)
        if plan is None or plan.records:
            return self._run_on_tape(args, kwargs)
        if plan.holds is not None:
            plan = plan if plan.fits(args, kwargs) else self._wider(plan, args, kwargs)
            if plan is None:
                return self._run_on_tape(args, kwargs)
        self._ran.what = plan
        return self._call_any(plan, args, kwargs)

    def _library(self, args: Any, kwargs: Any, plan: Plan | None = None) -> Library:
        """Return the library that owns the arrays of a call, and of the data that a plan reads."""
        data = {} if plan is None else plan.latest
        return elsewhere.library_for(
            self._policy, lambda: {**data, **self._selection.bound(args, kwargs)}
        )

    def _call_otherwise(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """Return a list of the result, if tensors or containers by their parts are given."""
        given = (*args, *kwargs.values())
        if has_lazy(given):
            return [self._at_blocks(args, kwargs)]
        if not in_another_call() and (found := tensors_of(given)):
            return [called_with(self, found, args, kwargs)]
        if has_labels(given):
            return self._by_labels(args, kwargs)
        return [self._by_parts(args, kwargs)] if goes_by_parts(self.primal, given) else None

    def _by_labels(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """Return a list of the result by numbers without labels, which the gradients get back.

        None if labels have to stay; the text is compared with differences then.
        """
        whole = (self._owner, *args) if self._is_method else args
        subject, before = Subject(self.primal, self._selection.names, self._has_aux), self._labels
        self._labels = now = how_labelled(subject, self._selection.bound(whole, kwargs), before)
        if now.by_column is None:
            self._policy = self._policy.with_verify()
            self._ran.looks_closer = functools.partial(_looks_closer, self._policy)
            if now is not before and self._plan is not None:
                self._plan.verified = False
            return None
        plain = [without_labels(item, by_column=now.by_column) for item in (args, kwargs)]
        head, grads = self._form.apart(self(*plain[0], **plain[1]))
        values = self._values(whole, kwargs)
        answer = relabelled(grads, values, single=self._selection.single)
        return [self._form.answered(head, answer)]

    def _by_parts(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the gradient by the parts of containers that cannot be read by field."""
        function: Any = of_parts(self.primal)
        self._refuse(function.__srcgrad_refusal__)
        argnums, argnames, has_aux, policy, value = self._options
        policy = policy.with_fallback("tape")
        twin: Gradient[..., Any] = Gradient(function, argnums, argnames, has_aux, policy, value)
        twin.checks = self.checks
        return put_together(twin._run_on_tape(tuple(map(parts_of, args)), parts_of(kwargs)))

    def _call_any(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the text of a plan, or of a twin of it that is for such arguments."""
        values = self._values(args, kwargs)
        for name, value in zip(self._selection.names, values, strict=True):
            check_input(value, name)
        fitting = self._fitting(plan, args, kwargs)
        if fitting is None:
            return self._run_on_tape(args, kwargs)
        plan, bound = fitting, self._selection.bound(args, kwargs)
        if plan.written and not is_alone(plan.generated, self._function, bound, self._refuse):
            return self._run_on_tape(args, kwargs)
        if self._proven(plan, args, kwargs) is None:
            return self._run_on_tape(args, kwargs)
        library = self._library(args, kwargs, plan)
        if library is not NUMPY:
            return self._call_elsewhere(plan, library, args, kwargs)
        return stopping(
            plan,
            lambda: self._run(plan, args, kwargs, values),
            self._numbers(args, kwargs),
            self._refuse,
            lambda: self._run_on_tape(args, kwargs),
        )

    def _call_elsewhere(self, plan: Plan, library: Library, args: Any, kwargs: Any) -> Any:
        """Call the text of a plan on the arrays of another library."""
        if self.checks or CHECKS.nans:
            elsewhere.refuse_checks(library)
        if is_taken_for_wrong(plan):
            raise not_settled_elsewhere(plan.generated.entry)
        try:
            twin = elsewhere.placed(plan, library)
        except LibraryGapError as refusal:
            self._refuse(refusal)
            return self._run_on_tape(args, kwargs)
        self._ran.what = twin
        return self._run(twin, args, kwargs, self._values(args, kwargs))

    def _run(self, plan: Plan, args: Any, kwargs: dict[str, Any], values: list[Any]) -> Any:
        """Run the text of a plan that holds for the arguments, and keep a short way to it."""
        run = self._checked(plan) if self.checks or CHECKS.nans else told(self, plan, args, kwargs)
        if plan.generated.stored:  # a dict may have more keys in the end
            values = list(map(as_now, values))
        try:
            result = run(*args, **plan.named(kwargs))
        except Exception as error:  # noqa: BLE001 - it is raised, or what it hides is
            elsewhere.say_what_lacks(error, plan)
            again = functools.partial(self._run_on_tape, args, kwargs)
            how: Any = {"subject": (self._function, args, kwargs), "now": not plan.written}
            return instead_of(error, again, self._refuse, left_out=plan.generated.left_out, **how)
        answer = self._form.whole(result, values)
        if not (self.checks or self._is_method) and serves(plan):
            self._enter(plan, args, kwargs)
        return answer

    def _enter(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Make an entry for calls like this one, if it is not the first."""
        kept = self._entries
        outlines = kept.wanted(plan, self._selection.bound(args, kwargs).values())
        if outlines is None:
            return
        now, taken = None, self._inner
        if taken is not None:
            keep_complex = plan.options.get("keep_complex", False)
            now = functools.partial(taken.differentiable, keep_complex=keep_complex)
        user = self._subject(plan.options)
        kept.add(Served(plan, user, now, self._form, self._ran), outlines)
        self._way = kept.chained(first=self._plan)

    def _verify(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compare a new text with the other engine and with differences."""
        if elsewhere.is_elsewhere((*args, *kwargs.values())):
            if not is_due(plan, self._policy):
                if is_taken_for_wrong(plan):
                    raise not_settled_elsewhere(plan.generated.entry)
                return
            args, kwargs = elsewhere.copies_on_host((args, kwargs))
        verify_gradient(
            self,
            plan,
            lambda *args, **kwargs: told(self, plan, args, kwargs)(*args, **plan.named(kwargs)),
            self._selection.bound(args, kwargs),
        )

    def _checked(self, plan: Plan) -> Callable[..., Any]:
        """Return what looks at every value, those that only the function's own value needs too."""
        whole = checked(self._make_plan(**{**plan.options, "value": True}))
        return whole if self._value else without_value(whole, has_aux=self._has_aux)

    def _values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        by_position = not kwargs and len(self._positions) == len(self._selection.names)
        if by_position and max(self._positions) < len(args):
            return [args[position] for position in self._positions]
        bound = self._selection.bound(args, kwargs)
        return [bound[name] for name in self._selection.names]

    def _fitting(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan | None:
        """Return the plan, or its twin for such arguments; None if that is refused."""
        if any(isinstance(item, (list, tuple)) for item in (*args, *kwargs.values())) and (
            plan.joins_lists(self._selection.bound(args, kwargs))
        ):
            self._refuse(lists_joined(self._function))
            return None
        widens = not plan.generated.keep_complex and is_complex((args, kwargs))
        bound = self._selection.bound(args, kwargs) if plan.scalars else {}
        if plan.scalars and (arrays := plan.arrays(bound)):
            problem = update_of_array(min(plan.generated.scalars), self._function)
            if widens or not all(is_writable_array(bound[name]) for name in arrays):
                self._refuse(problem)
                return None
            twin = self._twin("arrays", arrays=named_arrays(arrays), problem=problem)
            if twin is None or (not twin.arrays(bound) and twin.fits(args, kwargs)):
                self._ran.what = twin or self._ran.what
                return twin
            self._refuse(problem)
            return None
        if widens and self._inner is not None:
            self._refuse(twice_complex(self.primal))
            return None
        if widens:
            complex_twin = self._plainer("complex", plan, args, kwargs, keep_complex=True)
            self._ran.what = complex_twin or self._ran.what
            return complex_twin
        return plan

    def _compile(
        self, known: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Plan | None:
        """Compile for the program as it is now; None if it is refused and the tape takes over."""
        bound = self._selection.bound(args, kwargs)
        try:
            plan = whole_or_in_part(
                lambda: self._with_flags(
                    lambda: self._compiled_as_fits(bound, args, kwargs), known, bound
                )
            )
        except UnsupportedError as refusal:
            self._refuse(refusal)
            return None
        if plan.generated.taped:
            self._refuse(MissingRuleError(diagnostics=plan.generated.taped))
        return plan

    def _compiled_as_fits(
        self, bound: Mapping[str, Any], args: Any, kwargs: dict[str, Any]
    ) -> Plan:
        """Compile for the program as it is now, in one of the forms that arguments may need."""
        seen = seen_of(bound)

        program = OneProgram()
        plan, is_plain = fitted(
            lambda: self._compiled(program, args, kwargs),
            lambda: self._of_shapes(seen, program, args, kwargs),
            lambda: self._of_kinds(kinds_of_arrays(bound), program, args, kwargs),
            seen,
        )
        if not is_plain:
            return plan
        if plan.scalars and not all(is_writable_array(bound[n]) for n in plan.arrays(bound)):
            raise update_of_array(min(plan.generated.scalars), self._function)
        if plan.wider is None and not plan.fits(args, kwargs):
            keep = plan.generated.keep_complex
            self._made_plainer("wide", plan, args, kwargs, keep_complex=keep)  # or raise why not
        return plan

    @deeply
    def _compiled(self, program: OneProgram, args: Any, kw: Any) -> Plan:
        """Compile for the program as it is now, and remember the plan."""
        with self._lock:
            read = None if self._last else self._read
            current = read is not None and not read.given and read.is_current(self._subject())
            if read is not None and not (current and read.suits({})):
                read = None
            plan = self._made_for(args, kw, read, program)
            self._plan = self._siblings[type(self._owner)] = plan
            return plan

    def _proven(self, plan: Plan | None, args: Any, kwargs: Any) -> Plan | None:
        """Return a plan, or None if its text must not run and the tape takes over."""
        return proven(plan, self._numbers(args, kwargs), self._refuse)

    def _made_for(
        self, args: Any, kwargs: Any, read: Plan | None = None, program: OneProgram | None = None
    ) -> Plan:
        """Return a plan that may run with these arguments; `read` is the text for all of them."""
        with uncollected():  # what the checker is told is let go as soon as it was asked
            with one_program(program):
                plan = self._closest(read, args, kwargs)
            widens = is_complex((args, kwargs)) and not plan.generated.keep_complex
            numbers = self._numbers(args, kwargs)
            runs = not widens and plan.fits(args, kwargs) and not is_due(plan, self._policy)
            if runs:
                ask(plan, numbers)
        if runs:
            prove(plan, numbers)
        return plan

    def _refuse(self, refusal: UnsupportedError) -> None:
        """Raise the refusal, or warn of it once and go on."""
        self._fall.back(refusal)
        self._ran.what = refusal

    @deeply
    def _make_plan(self, stages: Stages | None = None, **options: Any) -> Plan:
        """Compile the function; the options are those of a `Request`."""
        self._policy.refuse_text(self.primal)
        function = self._subject(options)
        if not isinstance(function, FunctionType):
            raise SourceNotFoundError(
                f"`{describe(function)}` is not a Python function with source",
                hint="wrap it in a `def`",
            )
        request = Request(
            function,
            self._selection.names,
            aux=self._has_aux,
            given=self._last,
            **{"value": self._value, "pure": self._policy.pure, **options},
        )
        generated = self._refusals.compiled(compile_gradient, request, stages)
        plan = load_plan(generated, function, frozenset(self._last))
        plan.options = options
        if self._policy.compiles and not options.get("plain"):
            how = self._policy.loop_options
            compile_loops(plan, self._fall.to_numpy, how, retyped=not self._has_aux)
        return plan

    def _subject(self, options: Mapping[str, Any] = MappingProxyType({})) -> Any:
        """Return the function to differentiate: of a derivative, its generated text."""
        if self._inner is None:
            return self._function
        return self._inner.differentiable(keep_complex=options.get("keep_complex", False))

    @refusing_alone(lambda self, args, kwargs: (self._function, args, kwargs))
    def _run_on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        elsewhere.refuse_tape((*args, *kwargs.values()))
        args, kwargs = self._policy.lent((args, kwargs), self._function)
        if reads_tensors(self._function, (*args, *kwargs.values())):
            return call_strictly(self._run_on_tape, args, kwargs)
        values = [as_now(value) for value in self._values(args, kwargs)]
        for name, value in zip(self._selection.names, values, strict=True):
            check_input(value, name)
        run = checked_on_tape(run_on_tape) if self.checks or CHECKS.nans else run_on_tape
        head, grads = run(
            self._function if self._inner is None else self._inner,
            self._selection.signature,
            self._selection.names,
            args,
            kwargs,
            aux=self._has_aux,
        )
        head = head[1] if self._has_aux and not self._value else head
        return self._form.joined(head, grads, values)

    # -- reading

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Gradient[P, R_co]: ...
    @overload
    def __get__(
        self: Gradient[Concatenate[Any, Q], R_co], instance: object, owner: type | None = None
    ) -> Gradient[Q, R_co]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do; parameters are then counted after `self`."""
        if instance is None or not isinstance(self._function, FunctionType):
            return self
        bound: Gradient[..., R_co] = Gradient(MethodType(self._function, instance), *self._options)
        bound._siblings = self._siblings
        bound._plan = self._siblings.get(type(instance))
        return bound


def _looks_closer(policy: Policy, plan: Plan) -> bool:
    """Say whether a call does more than to run the text."""
    return CHECKS.nans or is_due(plan, policy)


def _long_way(ref: Any, primal: Any, options: tuple[Any, ...]) -> Callable[..., Any]:
    """Return what calls a gradient the long way, which may be kept longer than the gradient is."""

    def call(*args: Any, **kwargs: Any) -> Any:
        gradient: Gradient[..., Any] = ref() or Gradient(primal, *options)
        return gradient.call_the_long_way(args, kwargs)

    return call
