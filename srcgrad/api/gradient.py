"""Defines the callable that `grad` and `value_and_grad` return."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MappingProxyType, MethodType
from typing import Any, Concatenate, Literal, overload

import numpy as np

from srcgrad.api.checking import checked, checked_on_tape, without_value
from srcgrad.api.containers import goes_by_parts, of_parts, parts_of, put_together
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.gradient_reading import GradientReading
from srcgrad.api.looks import P, Q, R_co, look_like
from srcgrad.api.on_tensors import called_with, is_plain_call, reads_tensors, tensors_of
from srcgrad.api.plan import Plan, load_plan
from srcgrad.api.refusal import describe, lists_joined, twice_complex, update_of_array, warn_of
from srcgrad.api.refused import Refusals
from srcgrad.api.seeing import gains_from_shapes, seen_of
from srcgrad.api.selection import Selection, innermost, select, static_arguments
from srcgrad.api.sharing import refuse_shared
from srcgrad.api.telling import told
from srcgrad.api.traps import has_nan
from srcgrad.api.values import as_now, check_input, conform, fits, is_complex, is_writable_array
from srcgrad.codegen.tracebacks import annotate
from srcgrad.compiler import Request, compile_gradient
from srcgrad.compiler.stages import Stages
from srcgrad.errors import (
    ArgumentError,
    MissingRuleError,
    MutationError,
    SourceNotFoundError,
    UnsupportedError,
)
from srcgrad.frontend.expand.operators import Taken
from srcgrad.insight.switch import CHECKS
from srcgrad.runtime.objects import may_be_static
from srcgrad.tape import call_strictly, in_another_call

_ARRAY = np.ndarray
_LISTS, _NUMBERS = (list, tuple), (float, int)

Fallback = Literal["warn", "tape", "error"]


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
        fallback: Fallback,
        value: bool,
    ) -> None:
        if not callable(primal):
            raise ArgumentError(
                f"srcgrad.grad needs a function, not {type(primal).__name__}",
                hint="write @srcgrad.grad over a def, or srcgrad.grad(f)",
            )
        if fallback not in ("warn", "tape", "error"):
            raise ArgumentError(
                f"fallback={fallback!r} is not one of 'warn', 'tape' and 'error'",
                hint="leave it out for 'warn'",
            )
        self.primal = primal
        self._options = (argnums, argnames, has_aux, fallback, value)
        self._has_aux = has_aux
        self._fallback = fallback
        self._value = value
        self._inner: Any = primal if hasattr(primal, "__srcgrad_taken__") else None
        function = innermost(primal)
        self._function = function.__func__ if isinstance(function, MethodType) else function
        self._owner = function.__self__ if isinstance(function, MethodType) else None
        self._is_method = isinstance(function, MethodType)
        self._selection: Selection = select(
            self._function, argnums, argnames, skip=1 if self._is_method else 0
        )
        positions = self._selection.positions()
        self._positions = tuple(p for p in positions if p is not None)
        self._simple = len(self._positions) == len(positions) and not has_aux
        self._only = self._positions[0] if len(positions) == 1 and self._simple else None
        self._plan: Plan | None = None
        self._shown: Plan | None = None
        self._twins: dict[str, Plan] = {}
        self._plain: dict[bool, Plan] = {}
        self._last: dict[str, Any] = {}
        if self._is_method:
            self._last = {next(iter(self._selection.signature.parameters)): self._owner}
        self._siblings: dict[type, Plan] = {}
        self._warned = False
        self._refusals = Refusals()
        self._lock = threading.RLock()
        look_like(self, self._function, self._is_method, self._selection.signature)

    def __srcgrad_taken__(self) -> Taken:
        """Say to the compiler what this is, where a program that is differentiated calls it."""
        argnums, argnames, has_aux, _, value = self._options
        return Taken("value_and_grad" if value else "grad", self.primal, argnums, argnames, has_aux)

    # -- calling

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return the gradient (or the value and the gradient) at the given arguments."""
        if kwargs or not is_plain_call(args):
            other = self._call_otherwise(args, kwargs)
            if other is not None:
                return other[0]
        if self._is_method:
            args = (self._owner, *args)  # type: ignore[assignment] # by the function's own
        if in_another_call() or (self._is_method and tensors_of(self._owner)):
            return self._run_on_tape(args, kwargs)
        plan = self._plan
        if plan is None or not plan.is_current(self._subject()):
            plan = self._compile(static_arguments(self._function, args, kwargs), args, kwargs)
        elif plan.generated.assumptions or plan.given or any(map(may_be_static, args)) or kwargs:
            known = static_arguments(self._function, args, kwargs)
            if known.keys() != plan.given or not plan.suits(known):
                plan = self._compile(known, args, kwargs)
        if plan is None or plan.records:
            return self._run_on_tape(args, kwargs)
        if plan.holds is not None:
            plan = plan if plan.fits(args, kwargs) else self._wider(plan, args, kwargs)
            if plan is None:
                return self._run_on_tape(args, kwargs)
            self._shown = plan
        only = self._only
        plain = plan.is_plain and not kwargs and not (self.checks or CHECKS.nans)
        if only is None or only >= len(args) or not plain:
            return self._call_any(plan, args, kwargs)
        return self._call_one(plan, args, args[only])

    def _call_otherwise(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """Return a list of the result, if tensors or containers by their parts are given."""
        given = (*args, *kwargs.values())
        if not in_another_call() and (found := tensors_of(given)):
            return [called_with(self, found, args, kwargs)]
        return [self._by_parts(args, kwargs)] if goes_by_parts(self.primal, given) else None

    def _by_parts(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the gradient by the parts of containers that cannot be read by field."""
        function: Any = of_parts(self.primal)
        self._refuse(function.__srcgrad_refusal__)
        argnums, argnames, has_aux, _, value = self._options
        twin: Gradient[..., Any] = Gradient(function, argnums, argnames, has_aux, "tape", value)
        twin.checks = self.checks
        return put_together(twin._run_on_tape(tuple(map(parts_of, args)), parts_of(kwargs)))

    def _call_one(self, plan: Plan, args: tuple[Any, ...], x: Any) -> Any:
        """The short way, of one argument by position."""
        kind = type(x)
        if kind is not float and not (kind is _ARRAY and x.dtype.kind == "f"):
            check_input(x, self._selection.names[0])
        for item in args:
            if type(item) not in _NUMBERS and (type(item) in _LISTS or is_complex(item)):
                return self._call_any(plan, args, {})
        try:
            result = plan.function(*args)
        except Exception as error:
            annotate(error)
            raise
        grad = result[1] if self._value else result
        if plan.traps and has_nan(grad):
            return self._call_any(plan, args, {})
        if not fits(grad, x):
            grad = conform(grad, x)
        if not self._selection.single:
            grad = (grad,)
        return (result[0], grad) if self._value else grad

    def _call_any(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The long way, of keywords, defaults, several arguments, auxiliary results and so on."""
        values = self._values(args, kwargs)
        for name, value in zip(self._selection.names, values, strict=True):
            check_input(value, name)
        fitting = self._fitting(plan, args, kwargs)
        if fitting is None:
            return self._run_on_tape(args, kwargs)
        plan = fitting
        if plan.written:
            refuse_shared(plan.generated, self._function, self._selection.bound(args, kwargs))
        run = self._checked(plan) if self.checks or CHECKS.nans else told(self, plan, args, kwargs)
        try:
            result = run(*args, **plan.named(kwargs))
        except Exception as error:
            annotate(error)
            raise
        head, grads = self._split(result)
        return self._join(head, grads if len(values) > 1 else (grads,), values)

    def _checked(self, plan: Plan) -> Callable[..., Any]:
        """Return what looks at every value, those that only the function's own value needs too."""
        whole = checked(self._make_plan(**{**plan.options, "value": True}))
        return whole if self._value else without_value(whole, has_aux=self._has_aux)

    def _split(self, result: Any) -> tuple[Any, Any]:
        if self._value:
            return result[0], result[1]
        if self._has_aux:
            return result[1], result[0]
        return None, result

    def _join(self, head: Any, grads: Sequence[Any], values: Sequence[Any]) -> Any:
        done = tuple(conform(g, v) for g, v in zip(grads, values, strict=True))
        answer = done[0] if self._selection.single else done
        if self._value:
            return head, answer
        return (answer, head) if self._has_aux else answer

    def _values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        by_position = not kwargs and len(self._positions) == len(self._selection.names)
        if by_position and max(self._positions) < len(args):
            return [args[position] for position in self._positions]
        bound = self._selection.bound(args, kwargs)
        return [bound[name] for name in self._selection.names]

    def _fitting(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan | None:
        """Return the plan, or its twin for such arguments; None if that is refused."""
        if any(isinstance(item, _LISTS) for item in (*args, *kwargs.values())) and (
            plan.joins_lists(self._selection.bound(args, kwargs))
        ):
            self._refuse(lists_joined(self._function))
            return None
        widens = not plan.generated.keep_complex and is_complex((args, kwargs))
        if plan.scalars and (arrays := plan.arrays(self._selection.bound(args, kwargs))):
            problem = update_of_array(min(plan.generated.scalars), self._function)
            if widens or not all(
                is_writable_array(self._selection.bound(args, kwargs)[n]) for n in arrays
            ):
                self._refuse(problem)
                return None
            twin = self._twin(",".join(sorted(arrays)), arrays=arrays, problem=problem)
            if twin is None or (not twin.scalars and twin.fits(args, kwargs)):
                self._shown = twin or self._shown
                return twin
            self._refuse(problem)
            return None
        if widens and self._inner is not None:
            self._refuse(twice_complex(self.primal))
            return None
        if widens:
            complex_twin = self._twin("complex", keep_complex=True, assume=False)
            self._shown = complex_twin or self._shown
            return complex_twin
        return plan

    def _wider(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan | None:
        """Return the plan for arguments that do not fit one."""
        wider = plan.wider
        if wider is not None and wider.is_current(self._subject()) and wider.fits(args, kwargs):
            return wider
        keep = plan.generated.keep_complex
        return self._twin("general", keep_complex=keep, assume=False)

    def _twin(
        self, kind: str, *, problem: MutationError | None = None, **options: Any
    ) -> Plan | None:
        """Return a twin, compiled at its first use; None if it is refused (as `problem`)."""
        twin = self._twins.get(kind)
        if twin is None or not twin.is_current(self._subject(options)):
            with self._lock:
                try:
                    twin = self._twins[kind] = self._make_plan(**options)
                except UnsupportedError as refusal:
                    self._refuse(problem or refusal)
                    return None
        return twin

    def _compile(
        self, known: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Plan | None:
        """Compile for the program as it is now; None if it is refused and the tape takes over."""
        with self._lock:
            try:
                self._last = dict(known)
                plan = self._made_for(self._make_plan(), args, kwargs)
                self._plan = self._siblings[type(self._owner)] = plan
                if self._plan.generated.taped:
                    self._refuse(MissingRuleError(diagnostics=self._plan.generated.taped))
            except UnsupportedError as refusal:
                self._refuse(refusal)
                return None
            return self._plan

    def _made_for(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
        """Return a plan made for the shapes of these arguments, if that makes its text plainer."""
        if not gains_from_shapes(plan.generated) or is_complex((args, kwargs)):
            return plan
        try:
            closer = self._make_plan(seen=seen_of(self._selection.bound(args, kwargs)))
        except (UnsupportedError, TypeError):
            return plan  # the wider text serves; a call that does not bind says so itself
        if not closer.fits(args, kwargs):
            return plan
        closer.wider = plan
        return closer

    def _refuse(self, refusal: UnsupportedError) -> None:
        """Raise the refusal, or warn of it once and go on."""
        if self._fallback == "error":
            raise refusal
        if self._fallback == "warn" and not self._warned:
            self._warned = True
            warn_of(refusal, self.primal)

    def _make_plan(self, stages: Stages | None = None, **options: Any) -> Plan:
        """Compile the function; the options are those of a `Request`."""
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
            **{"value": self._value, **options},
        )
        generated = self._refusals.compiled(compile_gradient, request, stages)
        plan = load_plan(generated, function, frozenset(self._last))
        plan.options = options
        return plan

    def _subject(self, options: Mapping[str, Any] = MappingProxyType({})) -> Any:
        """Return the function to differentiate: of a derivative, its generated text."""
        if self._inner is None:
            return self._function
        return self._inner.differentiable(keep_complex=options.get("keep_complex", False))

    def _run_on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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
        if self._has_aux and not self._value:
            head = head[1]
        return self._join(head, grads, values)

    def conformed(
        self, result: Any, arguments: Mapping[str, Any], *, generated: bool = True
    ) -> Any:
        """Return what the generated function, or the tape, returned as a call gives it."""
        values = [arguments[name] for name in self._selection.names]
        head, grads = self._split(result)
        in_tuple = len(values) > 1 if generated else not self._selection.single
        return self._join(head, grads if in_tuple else (grads,), values)

    def raw_adjoint(self, adjoint: Any) -> Any:
        """Return an adjoint of what a call gives as one of what the generated function returns."""
        head, answer = self._split(adjoint)
        alone = len(self._selection.names) == 1 and not self._selection.single
        grads = answer[0] if alone else answer
        if self._value:
            return head, grads
        return (grads, head) if self._has_aux else grads

    def differentiable(self, *, keep_complex: bool = False) -> Callable[..., Any]:
        """Return the generated function, in a text that takes nothing for granted.

        `keep_complex` asks for a text that is right for complex numbers too.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        kept = self._plain.get(keep_complex)
        if kept is not None and kept.is_current(self._subject(kept.options)):
            return kept.function
        wanted = keep_complex or self._ready().generated.keep_complex
        kind = "complex plain" if wanted else "plain"
        plan = self._twin(kind, keep_complex=wanted, assume=False, plain=True)
        if plan is None or plan.scalars:
            raise MutationError(
                f"the gradient of `{describe(self.primal)}` is not one text for all arguments",
                hint="work on copies of the arguments that the function updates in place",
            )
        self._plain[keep_complex] = plan
        return plan.function

    # -- reading

    def _ready(self) -> Plan:
        plan = self._plan
        if plan is None or not plan.is_current(self._subject()):
            with self._lock:
                self._plan = plan = self._make_plan()
        return plan

    def _text(self) -> Plan:
        ready, shown = self._ready(), self._shown
        shows = shown is not None and shown.is_current(self._subject(shown.options))
        return shown if shown is not None and shows else ready

    @property
    def source(self) -> str:
        """The text of the generated module; of several, the one that the last call used.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        return self._text().generated.source

    @property
    def generated(self) -> Callable[..., Any]:
        """The generated function itself, without checks of its arguments."""
        return self._text().function

    def _strict(self) -> Gradient[P, R_co]:
        """Return the same gradient, with errors for warnings and with plans of its own."""
        argnums, argnames, has_aux, _, value = self._options
        twin: Gradient[P, R_co] = Gradient(self.primal, argnums, argnames, has_aux, "error", value)
        twin._last = dict(self._last)
        return twin

    def plan_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
        """Return the plan that a call would run; a bound `self` is among the arguments.

        Raises:
            UnsupportedError: The function is not differentiated by source for these arguments.
        """
        self._last = static_arguments(self._function, args, kwargs)
        plan = self._plan = self._made_for(self._make_plan(), args, kwargs)
        if plan.holds is not None and not plan.fits(args, kwargs):
            plan = self._make_plan(keep_complex=plan.generated.keep_complex, assume=False)
        return self._fitting(plan, args, kwargs) or plan

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
