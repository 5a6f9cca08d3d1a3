"""Defines `distributed.grad` and `distributed.value_and_grad`, and the callable they return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import numpy as np

from srcgrad.api.form import Form
from srcgrad.api.gradient import Gradient
from srcgrad.api.looks import look_like
from srcgrad.api.plan import Plan
from srcgrad.api.policy import Backend, Fall, Fallback, Policy, policy_of
from srcgrad.api.refusal import describe
from srcgrad.api.structures import mapped
from srcgrad.backends import cluster
from srcgrad.distributed.checking import check_additive
from srcgrad.distributed.engines import Engine, Job, engine_of
from srcgrad.distributed.parts import calls_of_parts, is_ready, length_of
from srcgrad.distributed.ranks import Ranks, is_communicator
from srcgrad.distributed.sums import Outcome
from srcgrad.distributed.work import Text, Whole, packed, run_weighted, text_of
from srcgrad.errors import ArgumentError, UnsupportedError

Reduction = Literal["sum", "mean"]
_STARS: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class How:
    """How the parts of a sum are taken together; see `value_and_grad`."""

    reduction: Reduction
    engine: Any
    parts: int | None
    check: bool
    value: bool

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            ArgumentError: There is no such reduction, or no such number of parts.
        """
        if self.reduction not in get_args(Reduction):
            raise ArgumentError(
                f"reduction={self.reduction!r} is not one of 'sum' and 'mean'",
                hint="leave it out for 'sum'",
            )
        count = self.parts
        if count is not None and (not isinstance(count, int) or count < 1):
            raise ArgumentError(f"parts={count!r} is no number of parts", hint="give 1 or more")
        if count is not None and is_communicator(self.engine):
            raise ArgumentError(
                "parts= beside a communicator, of which each rank has one part",
                hint="leave parts= out",
            )


class DistributedGradient:
    """The derivative of a sum over examples, taken by parts: call it like the function.

    Attributes:
        primal: The user's function.
        gradient: Its derivative as each worker takes it, of which the text can be read.
        over: The arguments that are split.
    """

    def __init__(
        self,
        primal: Callable[..., Any],
        gradient: Gradient[..., Any],
        over: tuple[str, ...],
        how: How,
        fall: Fall,
    ) -> None:
        self.primal = primal
        self.gradient = gradient
        self.over = over
        self._how = how
        self._fall = fall
        self._signature = inspect.signature(primal)
        self._checks = how.check
        names = gradient.names
        self._form = Form(names, gradient.single, True, gradient.has_aux)
        self._is_split = tuple(name in over for name in names)
        self._ranks = Ranks(how.engine) if is_communicator(how.engine) else None
        self._engine: Engine | None = None if self._ranks else engine_of(how.engine)
        self._whole: Whole | None = None
        look_like(self, primal)
        self._refuse_over()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the value and the gradients of all parts together, or the gradients alone.

        What is split is an array with an entry for each example along its first axis, a container
        of such arrays, or `Parts`. Gradients by such an argument are put together along that axis.

        Raises:
            ArgumentError: The arguments cannot be split, or the function is no sum of its examples.
            WorkerError: A worker was lost.
        """
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        if self._ranks is not None:
            return self._over_ranks(self._ranks, arguments)
        assert self._engine is not None
        calls = calls_of_parts(arguments, self.over, self._how.parts, self._engine.workers())
        remote = any(cluster.are_futures([call[name] for name in self.over]) for call in calls)
        if not remote:
            self._check(calls[0] if is_ready(arguments, self.over) else arguments)
        weights = self._weights(calls)
        jobs = self._jobs(calls, weights)
        work = packed(self._work(jobs[0], remote=remote))
        return self._answer(self._engine.total(work, jobs))

    @property
    def source(self) -> str:
        """The text of the derivative as workers run it.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        return self.gradient.source

    def __repr__(self) -> str:
        kind = "value_and_grad" if self._how.value else "grad"
        over = ", ".join(self.over)
        return f"<srcgrad.distributed.{kind} of {describe(self.primal)} over {over}>"

    # -- one call

    def _call_with(self, arguments: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        bound = inspect.BoundArguments(self._signature, dict(arguments))
        return bound.args, bound.kwargs

    def _jobs(
        self, calls: Sequence[Mapping[str, Any]], weights: Sequence[float] | None
    ) -> list[Job]:
        shares: Sequence[float | None] = [None] * len(calls) if weights is None else weights
        return [
            Job(*self._call_with(call), share)
            for call, share in zip(calls, shares, strict=True)
            if share != 0  # the mean of no examples is NaN, and no part of the whole
        ]

    def _weights(self, calls: Sequence[Mapping[str, Any]]) -> list[float] | None:
        """Return the share of each part in all examples, if a mean is asked for."""
        if self._how.reduction == "sum":
            return None
        name = self.over[0]
        parts = [call[name] for call in calls]
        assert self._engine is not None
        lengths = self._engine.lengths(parts)
        if lengths is None:
            lengths = [length_of(part, name) for part in parts]
        every = sum(lengths)
        return [length / every if every else 1.0 for length in lengths]

    def _work(self, job: Job, *, remote: bool = False) -> Text | Whole:
        """Return the derivative as workers run it: its text, if that holds for the call."""
        if remote:
            return self._as_whole(self._fall.policy)
        plan: Plan | None = None
        policy = self._fall.policy
        try:
            plan = self.gradient.plan_to_send(job.args, dict(job.kwargs))
            if plan is None and self._whole is None:
                self.gradient.plan_for(job.args, dict(job.kwargs))  # to warn here, not there
        except UnsupportedError as refusal:
            self._fall.back(refusal)
        if plan is not None:
            return text_of(plan, self._form, self._is_split)
        return self._as_whole(policy.with_fallback("tape") if policy.fallback == "warn" else policy)

    def _as_whole(self, policy: Policy) -> Whole:
        if self._whole is None:
            names = self.gradient.names
            of: Any = names[0] if self.gradient.single else names
            aux = self.gradient.has_aux
            gradient: Gradient[..., Any] = Gradient(self.primal, None, of, aux, policy, True)
            self._whole = Whole(gradient, self._form, self._is_split)
        return self._whole

    def _over_ranks(self, ranks: Ranks, arguments: Mapping[str, Any]) -> Any:
        """Return the answer over the ranks of a communicator, each with a part of its own."""
        is_mean = self._how.reduction == "mean"

        def length() -> int:
            self._check(arguments)
            return sum(length_of(arguments[name], name) for name in self.over[:1])

        def run(share: float) -> Outcome | None:
            if not share:
                return None
            job = Job(*self._call_with(arguments), share if is_mean else None)
            return run_weighted(self._work(job), job.weight, job.args, job.kwargs)

        outcome = ranks.total(length, run)
        if len(outcome.listed) < sum(self._is_split):  # this rank has no examples
            names = [name for name in self.gradient.names if name in self.over]
            empty = tuple((mapped(np.zeros_like, arguments[name]),) for name in names)
            outcome = replace(outcome, listed=empty)
        return self._answer(outcome)

    def _answer(self, outcome: Outcome) -> Any:
        grads = outcome.whole(self._is_split)
        value = (outcome.value, list(outcome.aux)) if self._form.has_aux else outcome.value
        answer = grads[0] if self._form.single else grads
        if self._how.value:
            return value, answer
        return (answer, value[1]) if self._form.has_aux else answer

    # -- refusals

    def _check(self, arguments: Mapping[str, Any]) -> None:
        if not self._checks:
            return

        def call(given: Mapping[str, Any]) -> Any:
            args, kwargs = self._call_with(given)
            return self.primal(*args, **kwargs)

        is_mean = self._how.reduction == "mean"
        aux = self.gradient.has_aux
        check_additive(self.primal, call, arguments, self.over, is_mean=is_mean, has_aux=aux)
        self._checks = False

    def _refuse_over(self) -> None:
        parameters = self._signature.parameters
        for name in self.over:
            if name not in parameters or parameters[name].kind in _STARS:
                raise ArgumentError(
                    f"over={name!r}: `{describe(self.primal)}` has no parameter of that name",
                    hint=f"they are {list(parameters)}",
                )


def _names_in(over: object) -> tuple[str, ...]:
    names = (over,) if isinstance(over, str) else over
    if not isinstance(names, (tuple, list)) or not names:
        raise ArgumentError(
            f"over={over!r} names no argument",
            hint='give the name of the argument to split, or several: over=("x", "y")',
        )
    return tuple(names)


def value_and_grad(  # noqa: PLR0913 - each is an option of its own
    loss: Callable[..., Any] | None = None,
    over: str | Sequence[str] = "batch",
    argnums: int | Sequence[int] | None = None,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    *,
    reduction: Reduction = "sum",
    engine: Any = None,
    parts: int | None = None,
    check: bool = True,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Any:
    """Return a callable for the value and the gradient of a sum over examples, taken by parts.

    The arguments that `over` names are split along their first axis, each worker runs the
    derivative on a part, and the results are added: neighbours first, then pairs of those, so that
    the same number of parts gives the same bits, whoever computed them. Workers are sent the text
    of the derivative once, with the data that it reads as they are at the call.

    Args:
        loss: A function that is the sum (or the mean) of something over the examples in the
            arguments that are split.
        over: The names of those arguments.
        argnums: As for `srcgrad.value_and_grad`, and so are those that follow and are not here.
        argnames: The same by name.
        has_aux: `loss` returns a pair; the second of each part come in a list, in order.
        reduction: Whether the loss is the "sum" over its examples or their "mean"; parts of a mean
            weigh as many examples as they have.
        engine: Who runs the parts: an executor of `concurrent.futures`, a client of
            `dask.distributed`, a communicator of `mpi4py`, whose ranks all make the call, each with
            a part of its own, or None: this process, one part after another.
        parts: How many parts to make; None for as many as there are workers.
        check: Whether the first call tries the loss at up to three examples, whole and in parts.
        backend: What runs at each worker.
        fallback: What to do with a function that source transformation refuses.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare the text with the other engine and with differences, before it is sent.

    Returns:
        A callable with the parameters of `loss`. Gradients by what is split are put together along
        the first axis; with a communicator each rank gets that of its own part.

    Raises:
        ArgumentError: The options make no sense together.

    >>> import numpy as np
    >>> def loss(w, batch):
    ...     return np.sum((batch @ w) ** 2)
    >>> batch = np.arange(6.0).reshape(3, 2)
    >>> value_and_grad(loss, over="batch", parts=2)(np.ones(2), batch)
    (np.float64(107.0), array([ 92., 122.]))
    """
    how = How(reduction, engine, parts, check, value=True)
    return _made(loss, over, (argnums, argnames, has_aux), how, (fallback, backend, verify, pure))


def grad(  # noqa: PLR0913 - see `value_and_grad`
    loss: Callable[..., Any] | None = None,
    over: str | Sequence[str] = "batch",
    argnums: int | Sequence[int] | None = None,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    *,
    reduction: Reduction = "sum",
    engine: Any = None,
    parts: int | None = None,
    check: bool = True,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Any:
    """Return a callable for the gradient of a sum over examples, by parts; see `value_and_grad`.

    With `has_aux` it gives the gradient and the list of what was returned beside the values.
    """
    how = How(reduction, engine, parts, check, value=False)
    return _made(loss, over, (argnums, argnames, has_aux), how, (fallback, backend, verify, pure))


def _made(
    loss: Any,
    over: Any,
    choice: tuple[Any, Any, bool],
    how: How,
    options: tuple[Fallback, Backend, bool, bool],
) -> Any:
    policy = policy_of(*options)

    def made(function: Callable[..., Any]) -> DistributedGradient:
        strict = policy.with_fallback("error")
        gradient: Gradient[..., Any] = Gradient(function, *choice, strict, True)
        return DistributedGradient(function, gradient, _names_in(over), how, Fall(policy, function))

    return made if loss is None else made(loss)
