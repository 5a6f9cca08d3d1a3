"""Defines `compile`: a function that records one node, with the generated adjoint, on tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Concatenate, Generic, overload

import numpy as np

from srcgrad.api import known_texts
from srcgrad.api.checking import runs
from srcgrad.api.claims import Subject, verify_adjoints
from srcgrad.api.keeping import apart, held_by
from srcgrad.api.looks import P, Q, R_co, look_like
from srcgrad.api.on_tensors import called_with, is_plain_call, tensors_of
from srcgrad.api.paths import NewBranchError
from srcgrad.api.pickling import reduced
from srcgrad.api.plan import HalvesPlan, compile_both_ways, load_halves
from srcgrad.api.policy import USUAL, Backend, Fall, Fallback, Policy, policy_of
from srcgrad.api.proofs import Comparing, proven, stopping
from srcgrad.api.selection import select
from srcgrad.api.snapshots import with_data_as_now
from srcgrad.api.tied_plans import watched
from srcgrad.api.values import conform, is_float
from srcgrad.autograd.function import once_differentiable
from srcgrad.compiler import Request, compile_halves
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.insight.switch import CHECKS
from srcgrad.tape import (
    Function,
    Tensor,
    enable_grad,
    in_another_call,
    is_grad_enabled,
    tensor,
    unwrapped,
)
from srcgrad.tape import grad as tape_grad


class Compiled(Generic[P, R_co]):
    """A function that is itself on arrays; on tensors that require a gradient it is one node.

    Attributes:
        primal: The user's function.
    """

    def __init__(self, primal: Callable[P, R_co], policy: Policy = USUAL) -> None:
        if not isinstance(primal, FunctionType):
            raise ArgumentError(
                f"srcgrad.compile needs a Python function, not {type(primal).__name__}",
                hint="wrap it in a `def`",
            )
        self.primal: FunctionType = primal
        self.__srcgrad_same__ = primal
        self._plans: dict[tuple[str, ...], HalvesPlan | None] = {}
        self._policy = policy
        self._fall = Fall(policy, primal)
        look_like(self, primal)

    def __reduce__(self) -> Any:
        return reduced(self, _plans={})

    @overload
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...  # with tensors among them
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function; on tensors, through its generated forward and backward halves."""
        args, kwargs = self._apart(args, kwargs)
        values = (*args, *kwargs.values())
        if is_plain_call(values) or in_another_call() or not (found := tensors_of(values)):
            return self.primal(*args, **kwargs)
        if not is_grad_enabled() or not any(map(_wants_gradient, values)):
            return called_with(self.primal, found, args, kwargs)
        signature = select(self.primal, None, list(self._parameters()[:1])).signature
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names = tuple(n for n, value in bound.arguments.items() if _wants_gradient(value))
        others = [item for name, item in bound.arguments.items() if name not in names]
        plan = self._plan(names)
        if plan is None or plan.records or any(map(_wants_gradient, tensors_of(others))):
            return called_with(self.primal, found, args, kwargs)
        given = [bound.arguments[n] for n in self._parameters()]

        def verify(plan: HalvesPlan) -> None:
            arrays = {n: unwrapped(item) for n, item in zip(self._parameters(), given, strict=True)}
            run = functools.partial(_run, plan, names)
            verify_adjoints(Subject(self.primal, names, policy=self._policy), plan, run, arrays)

        numbers = Comparing(self._policy, verify)
        on_tape = functools.partial(called_with, self.primal, found, args, kwargs)
        if proven(plan, numbers, self._fall.back) is None:
            return on_tape()
        run = functools.partial(_Generated.apply, self.primal, plan, names, *given)
        return stopping(plan, run, numbers, self._fall.back, on_tape)

    def _apart(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Return arguments that the function may write into."""
        if not self._policy.pure:
            return args, kwargs
        args, kwargs = self._policy.lent((args, kwargs), self.primal)
        named = {name: _cloned(value) for name, value in kwargs.items()}
        return tuple(map(_cloned, args)), named

    def _parameters(self) -> tuple[str, ...]:
        code = self.primal.__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def _plan(self, names: tuple[str, ...]) -> HalvesPlan | None:
        """Return the halves for derivatives with respect to `names`; None if they are refused."""
        plan = self._plans.get(names)
        if plan is not None and plan.is_current(self.primal):
            return plan
        try:
            self._policy.refuse_text(self.primal)
            generated = known_texts.compiled(
                compile_halves, Request(self.primal, names, pure=self._policy.pure)
            )
            plan = load_halves(generated, self.primal)
            if self._policy.compiles:
                compile_both_ways(plan, self._fall.to_numpy, self._policy.loop_options)
        except UnsupportedError as refusal:
            self._fall.back(refusal)
            plan = None
        self._plans[names] = plan
        return plan

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Compiled[P, R_co]: ...
    @overload
    def __get__(
        self: Compiled[Concatenate[Any, Q], R_co], instance: object, owner: type | None = None
    ) -> Callable[Q, R_co]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<srcgrad.compile of {self.primal.__qualname__}>"


def _run(plan: HalvesPlan, names: tuple[str, ...], arguments: dict[str, Any]) -> tuple[Any, Any]:
    """Return the value by the generated halves, and its pullback."""
    inputs = [arguments[name] for name in plan.parameters if name in names]
    value, kept = plan.forward(*arguments.values())

    def pull(adjoint: Any) -> tuple[Any, ...]:
        given = list(adjoint) if plan.gives_tuple else [adjoint]
        with np.errstate(all="ignore"):  # no warnings that the function would not give
            result = plan.backward(plan.again(kept), *given)
        found = result if len(inputs) > 1 else (result,)
        return tuple(map(conform, found, inputs))

    return value, pull


class _Generated(Function):
    """One node whose backward is a generated adjoint."""

    @staticmethod
    def forward(
        ctx: Any,
        primal: FunctionType,
        plan: HalvesPlan,
        names: tuple[str, ...],
        *values: Any,
    ) -> Any:
        ctx.primal, ctx.values = primal, [v if not isinstance(v, Tensor) else None for v in values]
        ctx.save_for_backward(*[value for value in values if isinstance(value, Tensor)])
        arrays = [unwrapped(value) if isinstance(value, Tensor) else value for value in values]
        ctx.compiles = plan.is_compiled and not plan.meets and not CHECKS.nans
        out, kept = plan.there(*arrays) if ctx.compiles else runs(plan, plan.forward)(*arrays)
        outside = [item.current() for item in plan.generated.data.values()]
        ctx.kept = apart(kept, held_by([*ctx.values, *outside]))
        ctx.plan, ctx.wanted = with_data_as_now(plan), [name in names for name in plan.parameters]
        return tuple(map(_as_tensor, out)) if type(out) is tuple else _as_tensor(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors  # an input that was written into since is refused here
        given = [grad.detach().numpy() for grad in grads]
        plan, met = ctx.plan, list[str]()
        backward = watched(plan, plan.backward.__name__, met) if plan.meets else plan.backward
        backward = plan.there_and_back if ctx.compiles else runs(plan, backward)
        try:
            result = backward(plan.again(ctx.kept), *given)
        except NewBranchError:  # nobody is here to compare numbers
            met.append("a branch that is not proven")
            result = None
        found = result if sum(ctx.wanted) > 1 else (result,)
        parts = iter(_on_tape(ctx, saved, grads) if met else found)
        return (None, None, None, *[next(parts) if wanted else None for wanted in ctx.wanted])


def _on_tape(ctx: Any, saved: Any, grads: Any) -> tuple[Any, ...]:
    """Return the gradients that a graph tells, where equal eigenvalues leave the text without."""
    tensors = iter(saved)
    values = [next(tensors).detach() if value is None else value for value in ctx.values]
    chosen = [value for value, wanted in zip(values, ctx.wanted, strict=True) if wanted]
    for value in chosen:
        value.requires_grad_(True)
    with enable_grad():
        out = ctx.primal(*[v.clone() if isinstance(v, Tensor) else v for v in values])
    outs = out if type(out) is tuple else (out,)
    pairs = [(o, g) for o, g in zip(outs, grads, strict=True) if _wants_gradient(o)]
    found: tuple[Any, ...] = tape_grad(
        [o for o, _ in pairs], chosen, [g for _, g in pairs], allow_unused=True
    )
    return found


def _as_tensor(value: Any) -> Any:
    """Return floats and float arrays as tensors, and all else as it is."""
    return tensor(value) if is_float(value) else value


def _cloned(value: Any) -> Any:
    """Return a tensor of the same value in other memory, and all else as it is."""
    return value.clone() if isinstance(value, Tensor) and value.ndim else value


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def compile(  # noqa: A001 - the name that users know
    f: Callable[P, R_co],
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Compiled[P, R_co]:
    """Return `f` with a generated adjoint: on arrays it is `f`, on tensors it records one node.

    A function that is not differentiated by source runs on the tape with one warning, as under
    `grad`: a tensor is to it the NumPy array or number that it stands for.

    Args:
        f: A Python function.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Raises:
        ArgumentError: `f` is not a plain Python function, or the backend is of other arrays.
    """
    policy = policy_of(fallback, backend, verify, pure)
    if backend in ("cupy", "dask"):
        raise ArgumentError(
            f"backend={backend!r} is not there for functions of Tensors, which hold NumPy arrays",
            hint="leave it out",
        )
    return Compiled(f, policy)
