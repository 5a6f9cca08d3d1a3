"""Differentiates solvers by what they solve: the implicit function theorem.

Where ``F(x, a) = 0`` says what a solver finds, ``dx = -(dF/dx)^-1 dF/da da``, whatever way the
solver went (Krantz and Parks, The Implicit Function Theorem, 2013). The solver itself is not read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, overload

import numpy as np

from srcgrad.api.gradient import Gradient
from srcgrad.api.looks import P, R_co, look_like
from srcgrad.api.pullback import Adjoints
from srcgrad.api.pushforward import tangents_of
from srcgrad.api.raveling import Raveling
from srcgrad.api.structures import float_leaves
from srcgrad.api.underlying import bind, parameters_of
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.rules.base import Function
from srcgrad.runtime import solution_back, solution_push
from srcgrad.tape import Tensor
from srcgrad.tape.apply import apply
from srcgrad.tape.ops import require_op

Residual = Callable[..., Any]
LinearSolver = Callable[[Callable[[Any], Any], Any], Any]
"""From a product with a matrix, as a function of a vector, and a right side, to the solution."""


class Implicit(Generic[P, R_co]):
    """A solver with the derivative of what it solves; call it like the solver.

    Attributes:
        solver: The user's solver.
        residual: What is zero at a solution: called with the solution, then the solver's arguments.
        fixed: The residual is that function less the solution itself.
    """

    def __init__(
        self,
        solver: Callable[P, R_co],
        residual: Residual,
        linear_solver: LinearSolver | None,
        *,
        fixed: bool = False,
    ) -> None:
        self.solver: Callable[..., Any] = solver
        self.fixed = fixed
        self.residual = residual
        self.linear_solver = linear_solver
        self.__srcgrad_rule__ = _rule_of(self)
        look_like(self, solver)

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # with tensors among them
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the solution; on tensors it is recorded as one step."""
        arguments = bind(self.solver, args, kwargs)
        if any(isinstance(item, Tensor) for item in arguments.values()):
            return apply(require_op(self), tuple(arguments.values()), {})
        return self.solver(*args, **kwargs)

    def pulled(self, x: Any, args: tuple[Any, ...], adjoint: Any) -> list[Any]:
        """Return the adjoint of each argument, given that of the solution (None without floats)."""
        self._refuse_again(x, args, adjoint)
        layout = Raveling(x)
        first, *names = parameters_of(self.residual)[: len(args) + 1]
        wrt = [name for name, item in zip(names, args, strict=True) if float_leaves(item)]
        value, pull = Adjoints(self.residual, [first, *wrt])(bind(self.residual, (x, *args)))
        rest = Raveling(value)
        _check_sizes(rest, layout)
        right = layout.flat(adjoint)

        def transposed(w: Any) -> Any:
            return layout.flat(pull(rest.back(w))[0]) - (w if self.fixed else 0)

        weights = _solve(transposed, right, self.linear_solver)
        found = dict(zip(wrt, pull(rest.back(-weights))[1:], strict=True))
        return [found.get(name) for name in names]

    def pushed(self, x: Any, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        """Return the tangent of the solution, given those of the arguments (None for zero)."""
        self._refuse_again(x, args, tangents)
        layout = Raveling(x)
        first, *names = parameters_of(self.residual)[: len(args) + 1]
        arguments = bind(self.residual, (x, *args))
        moved = [(n, t) for n, t in zip(names, tangents, strict=True) if t is not None]
        push = tangents_of(self.residual, tuple(name for name, _ in moved))
        value, change = push(arguments, [tangent for _, tangent in moved])
        rest = Raveling(value)
        _check_sizes(rest, layout)
        along = tangents_of(self.residual, (first,))

        def product(w: Any) -> Any:
            return rest.flat(along(arguments, [layout.back(w)])[1]) - (w if self.fixed else 0)

        return layout.back(_solve(product, -rest.flat(change), self.linear_solver))

    def _refuse_again(self, *values: Any) -> None:
        """Raise if a derivative of the solution is to be differentiated itself.

        The tape hands its tensors over for that, and in forward mode at any order. What is solved
        here would be a constant to it.
        """
        if any(isinstance(leaf, Tensor) for leaf in float_leaves(values)):
            raise UnsupportedError(
                f"a second derivative, or forward mode on the tape, of `{self.solver.__qualname__}`"
                ", which is differentiated by what it solves",
                hint="take differences of the first derivative, or call the solver as it is, "
                "without sg.implicit",
            )

    def __repr__(self) -> str:
        return f"<srcgrad.implicit solver {self.solver.__qualname__}>"


class Solving(Protocol):
    """A decorator of solvers."""

    def __call__(self, solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        """Return `solver` with the derivative of what it solves."""


def root(residual: Residual, *, linear_solver: LinearSolver | None = None) -> Solving:
    """Return a decorator for solvers of ``residual(x, *args) = 0``, called as ``solver(*args)``.

    Args:
        residual: A function that srcgrad can differentiate, of the solution and the arguments of
            the solver, of the solution's shape.
        linear_solver: How to solve the linear system of the derivative, given the product with its
            matrix and the right side; by default the matrix is built and solved for.

    >>> @root(lambda x, a: x * x - a)
    ... def square_root(a):
    ...     return a**0.5
    >>> square_root(4.0)
    2.0
    """

    def made(solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        return Implicit(solver, residual, linear_solver)

    return made


def fixed_point(step: Callable[..., Any], *, linear_solver: LinearSolver | None = None) -> Solving:
    """Return a decorator for solvers that iterate ``x = step(x, *args)`` to its fixed point.

    See `root` for the arguments.
    """

    def made(solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        return Implicit(solver, step, linear_solver, fixed=True)

    return made


def argmin(objective: Callable[..., Any], *, linear_solver: LinearSolver | None = None) -> Solving:
    """Return a decorator for solvers that minimise ``objective(x, *args)`` over x.

    What is zero at the minimum is the generated gradient by x.
    """
    gradient: Gradient[..., Any] = Gradient(objective, 0, None, False, "warn", False)

    def made(solver: Callable[P, R_co], /) -> Implicit[P, R_co]:
        return Implicit(solver, gradient, linear_solver)

    return made


def _solve(product: Callable[[Any], Any], right: Any, solver: LinearSolver | None) -> Any:
    """Solve a linear system that is given by products with its matrix."""
    if solver is not None:
        return solver(product, right)
    if not right.size:
        return right
    matrix = np.stack([product(unit) for unit in np.eye(right.size)], axis=-1)
    return np.linalg.solve(matrix, right)


def _check_sizes(residual: Raveling, solution: Raveling) -> None:
    if residual.size != solution.size:
        raise ArgumentError(
            f"the residual has {residual.size} numbers and the solution {solution.size}",
            hint="give a residual with one equation for each number of the solution",
        )


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
