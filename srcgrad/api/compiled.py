"""Defines `compile`: a function that records one node, with the generated adjoint, on tensors."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Concatenate, Generic, overload

from srcgrad.api.checking import runs
from srcgrad.api.looks import P, Q, R_co, look_like
from srcgrad.api.on_tensors import tensors_of
from srcgrad.api.plan import HalvesPlan, load_halves
from srcgrad.api.refusal import warn_of
from srcgrad.api.selection import select
from srcgrad.api.tied_plans import watched
from srcgrad.api.values import is_float
from srcgrad.autograd.function import once_differentiable
from srcgrad.compiler import Request, compile_halves
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.tape import Function, Tensor, enable_grad, is_grad_enabled, tensor
from srcgrad.tape import grad as tape_grad


class Compiled(Generic[P, R_co]):
    """A function that is itself on arrays; on tensors that require a gradient it is one node.

    Attributes:
        primal: The user's function.
    """

    def __init__(self, primal: Callable[P, R_co]) -> None:
        if not isinstance(primal, FunctionType):
            raise ArgumentError(
                f"srcgrad.compile needs a Python function, not {type(primal).__name__}",
                hint="wrap it in a `def`",
            )
        self.primal: FunctionType = primal
        self.__srcgrad_same__ = primal
        self._plans: dict[tuple[str, ...], HalvesPlan | None] = {}
        self._warned = False
        look_like(self, primal)

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # with tensors among them
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; on tensors, through its generated forward and backward halves."""
        values = (*args, *kwargs.values())
        if not is_grad_enabled() or not any(_wants_gradient(item) for item in values):
            return self.primal(*args, **kwargs)
        signature = select(self.primal, None, list(self._parameters()[:1])).signature
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names = tuple(n for n, value in bound.arguments.items() if _wants_gradient(value))
        others = [item for name, item in bound.arguments.items() if name not in names]
        plan = self._plan(names)
        if plan is None or plan.records or any(map(_wants_gradient, tensors_of(others))):
            return self.primal(*args, **kwargs)
        given = [bound.arguments[n] for n in self._parameters()]
        return _Generated.apply(self.primal, plan, names, *given)

    def _parameters(self) -> tuple[str, ...]:
        code = self.primal.__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def _plan(self, names: tuple[str, ...]) -> HalvesPlan | None:
        """Return the halves for derivatives with respect to `names`; None if they are refused."""
        plan = self._plans.get(names)
        if plan is not None and plan.is_current(self.primal):
            return plan
        try:
            plan = load_halves(compile_halves(Request(self.primal, names)), self.primal)
        except UnsupportedError as refusal:
            if not self._warned:
                self._warned = True
                warn_of(refusal, self.primal)
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
        arrays = [
            value.detach().numpy() if isinstance(value, Tensor) else value for value in values
        ]
        out, ctx.kept = runs(plan, plan.forward)(*arrays)
        ctx.plan, ctx.wanted = plan, [name in names for name in plan.parameters]
        return tuple(map(_as_tensor, out)) if type(out) is tuple else _as_tensor(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors  # an input that was written into since is refused here
        given = [grad.detach().numpy() for grad in grads]
        plan, met = ctx.plan, list[str]()
        backward = watched(plan, plan.backward.__name__, met) if plan.meets else plan.backward
        result = runs(plan, backward)(plan.again(ctx.kept), *given)
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


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def compile(f: Callable[P, R_co]) -> Compiled[P, R_co]:  # noqa: A001 - the name that users know
    """Return `f` with a generated adjoint: on arrays it is `f`, on tensors it records one node.

    A function that is not differentiated by source runs on the tape as it is, with one warning.

    Raises:
        ArgumentError: `f` is not a plain Python function.
    """
    return Compiled(f)
