"""Differentiates solvers by what they solve: the implicit function theorem.

Where ``F(x, a) = 0`` says what a solver finds, ``dx = -(dF/dx)^-1 dF/da da``, whatever way the
solver went (Krantz and Parks, The Implicit Function Theorem, 2013). The solver itself is not read.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, Protocol, cast, overload

from srcgrad.api.gradient import Gradient
from srcgrad.api.leafwise import Structured, holds_tensors, recorded
from srcgrad.api.looks import P, R_co, look_like
from srcgrad.api.plan import Plan
from srcgrad.api.policy import USUAL, Backend, Fallback, Policy, policy_of
from srcgrad.api.pushforward import Tangents
from srcgrad.api.solution import Solution
from srcgrad.api.structures import leaves_as_in, mapped
from srcgrad.api.underlying import bind, to_differentiate
from srcgrad.errors import UnsupportedError
from srcgrad.rules.base import Function
from srcgrad.runtime import solution_back, solution_push

Residual = Callable[..., Any]
LinearSolver = Callable[[Callable[[Any], Any], Any], Any]
"""From a product with a matrix, as a function of a vector, and a right side, to the solution."""


class Implicit(Generic[P, R_co]):
    """A solver with the derivative of what it solves; call it like the solver.

    Attributes:
        solver: The user's solver.
        residual: What is zero at a solution: called with the solution, then the solver's arguments.
        fixed: The residual is that function less the solution itself.
        policy: How the residual is differentiated.
    """

    def __init__(
        self,
        solver: Callable[P, R_co],
        residual: Residual,
        linear_solver: LinearSolver | None,
        *,
        fixed: bool = False,
        policy: Policy = USUAL,
    ) -> None:
        self.solver: Callable[..., Any] = solver
        self.fixed = fixed
        self.policy = policy
        self.residual = residual
        self.linear_solver = linear_solver
        self.__srcgrad_rule__ = _rule_of(self)
        self._pushes: dict[tuple[str, ...], Plan] = {}
        look_like(self, solver)

    @overload
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...  # with tensors among them
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the solution; on tensors it is recorded as one step."""
        arguments = tuple(bind(self.solver, args, kwargs).values())
        if not holds_tensors(arguments):
            return self.solver(*args, **kwargs)
        step = Structured(
            self.solver,
            lambda given, x, adjoint: self.pulled(x, given, adjoint),
            lambda given, x, tangents: self.pushed(x, given, tangents),
        )
        return recorded(step, arguments)

    def pulled(self, x: Any, args: Any, adjoint: Any) -> tuple[Any, ...]:
        """Return the adjoint of each argument, given that of the solution (None without floats)."""
        step = Structured(
            lambda x, args, adjoint: Solution(self, x, args).pulled(adjoint),
            lambda given, _, adjoints: self.pulled_back(given, adjoints),
            lambda given, _, moves: self.pulled_push(given, moves),
        )
        return cast("tuple[Any, ...]", recorded(step, (x, args, adjoint)))

    def pushed(self, x: Any, args: Any, tangents: Any) -> Any:
        """Return the tangent of the solution, given those of the arguments (None for zero)."""
        step = Structured(
            lambda x, args, tangents: Solution(self, x, args).pushed(tangents),
            lambda given, _, adjoint: self.pushed_back(given, adjoint),
            lambda given, _, moves: self.pushed_push(given, moves),
        )
        return recorded(step, (x, args, tangents))

    def pulled_back(self, given: tuple[Any, Any, Any], adjoints: Any) -> tuple[Any, Any, Any]:
        """Return the adjoints of the operands of `pulled`, given those of its results."""
        x, args, adjoint = given
        moved = self.pushed(x, args, adjoints)
        return *self._turned(x, args, adjoint, (moved, adjoints)), moved

    def pulled_push(self, given: tuple[Any, Any, Any], moves: Any) -> tuple[Any, ...]:
        """Return the tangents of the results of `pulled`, given those of its operands."""
        x, args, adjoint = given
        x_dot, args_dot, adjoint_dot = moves
        by_x, by_args = self._turned(x, args, adjoint, (x_dot, _each(args_dot, args)))
        found = self.pulled(x, args, _sum(by_x, adjoint_dot))
        return tuple(map(_sum, found, by_args))

    def pushed_back(self, given: tuple[Any, Any, Any], adjoint: Any) -> tuple[Any, Any, Any]:
        """Return the adjoints of the operands of `pushed`, given that of its result."""
        x, args, tangents = given
        moved = self.pushed(x, args, tangents)
        turned = self._turned(x, args, adjoint, (moved, tangents))
        return *turned, self.pulled(x, args, adjoint)

    def pushed_push(self, given: tuple[Any, Any, Any], moves: Any) -> Any:
        """Return the tangent of the result of `pushed`, given those of its operands."""

        def bent(x: Any, args: Any, tangents: Any, way: Any) -> Any:
            return Solution(self, x, args).bent(tangents, *way)

        x, args, tangents = given
        x_dot, args_dot, tangents_dot = moves
        way = (x_dot, _each(args_dot, args))
        found = recorded(self._last(bent), (x, args, tangents, way))
        return _sum(found, self.pushed(x, args, _each(tangents_dot, args)))

    def _turned(self, x: Any, args: Any, adjoint: Any, way: Any) -> tuple[Any, Any]:
        """Return what the adjoints of solution and arguments lose along a direction."""

        def turned(x: Any, args: Any, adjoint: Any, way: Any) -> Any:
            return Solution(self, x, args).turned(adjoint, *way)

        done = recorded(self._last(turned), (x, args, adjoint, way))
        return cast("tuple[Any, Any]", done)

    def _last(self, function: Callable[..., Any]) -> Structured:
        """Return a second derivative as a step that the tape cannot differentiate."""

        def refuse(*_: Any) -> Any:
            raise UnsupportedError(
                f"a third derivative of `{self.solver.__qualname__}`, which is differentiated by "
                "what it solves",
                hint="take differences of the second derivative, or call the solver as it is, "
                "without sg.implicit",
            )

        return Structured(function, refuse, refuse)

    def push_of(self, names: tuple[str, ...]) -> FunctionType:
        """Return the tangent function of the residual by some of its parameters.

        Raises:
            UnsupportedError: The residual is not differentiated by source.
        """
        known = self._pushes.get(names)
        if known is None or not known.is_current(to_differentiate(self.residual)):
            known = self._pushes[names] = Tangents(self.residual, names, self.policy).general_plan()
        return cast("FunctionType", known.function)

    def __repr__(self) -> str:
        return f"<srcgrad.implicit solver {self.solver.__qualname__}>"


class Solving(Protocol):
    """A decorator of solvers."""

    def __call__(self, solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        """Return `solver` with the derivative of what it solves."""


def root(
    residual: Residual,
    *,
    linear_solver: LinearSolver | None = None,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Solving:
    """Return a decorator for solvers of ``residual(x, *args) = 0``, called as ``solver(*args)``.

    Args:
        residual: A function that srcgrad can differentiate, of the solution and the arguments of
            the solver, of the solution's shape.
        linear_solver: How to solve the linear system of the derivative, given the product with its
            matrix and the right side; by default the matrix is built and solved for.
        backend: What differentiates the residual: generated text, or the tape; see `grad`.
        fallback: What to do with a residual that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each text of the residual with the other engine and with differences.

    >>> @root(lambda x, a: x * x - a)
    ... def square_root(a):
    ...     return a**0.5
    >>> square_root(4.0)
    2.0
    """
    policy = policy_of(fallback, backend, verify, pure)

    def made(solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        return Implicit(solver, residual, linear_solver, policy=policy)

    return made


def fixed_point(
    step: Callable[..., Any],
    *,
    linear_solver: LinearSolver | None = None,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Solving:
    """Return a decorator for solvers that iterate ``x = step(x, *args)`` to its fixed point.

    See `root` for the arguments.
    """
    policy = policy_of(fallback, backend, verify, pure)

    def made(solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        return Implicit(solver, step, linear_solver, fixed=True, policy=policy)

    return made


def argmin(
    objective: Callable[..., Any],
    *,
    linear_solver: LinearSolver | None = None,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Solving:
    """Return a decorator for solvers that minimise ``objective(x, *args)`` over x.

    What is zero at the minimum is the generated gradient by x.
    """
    policy = policy_of(fallback, backend, verify, pure)
    gradient: Gradient[..., Any] = Gradient(objective, 0, None, False, policy, False)

    def made(solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        return Implicit(solver, gradient, linear_solver, policy=policy)

    return made


def _each(tangents: Any, args: Any) -> Any:
    """Return one tangent for each argument, where None stands for all of them."""
    return (None,) * len(args) if tangents is None else tangents


def _sum(value: Any, other: Any) -> Any:
    """Return the sum of two structures, of which None is zero."""
    if value is None or other is None:
        return other if value is None else value
    parts = iter(leaves_as_in(value, other))
    return mapped(lambda leaf: _plus(leaf, next(parts)), value)


def _plus(leaf: Any, part: Any) -> Any:
    return leaf if part is None else leaf + part


def _rule_of(implicit: Implicit[..., Any]) -> type[Function]:
    """Return the derivative rule of a solver, for the compiler."""

    class Solution(Function):
        """The solution of a solver, as a function of the solver's arguments."""

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            x = implicit.solver(*args)
            ctx.save_for_backward(x, args)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, args = ctx.saved_tensors
            return solution_back(implicit, x, args, grad)

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            x, args = ctx.saved_tensors
            return solution_push(implicit, x, args, tangents)

    return Solution
