"""Calculates first and second derivatives of what a solver finds, at one solution.

With ``F(x, a) = 0`` at a solution, ``x_dot = -(dF/dx)^-1 dF/da a_dot``, and the adjoint of a is
``-(dF/da)^T w`` where ``(dF/dx)^T w`` is that of x. Derivatives of both need one thing more: how
the derivatives of ``F`` change along a direction. Weighted by w that is a product with the Hessian
of ``sum(w * F)``, which the residual's tangent function gives when its adjoints are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.api.gradient import Gradient
from srcgrad.api.halves import adjoints_of
from srcgrad.api.pushforward import tangents_of
from srcgrad.api.raveling import Raveling
from srcgrad.api.structures import float_leaves, mapped
from srcgrad.api.underlying import bind, parameters_of
from srcgrad.api.values import conform
from srcgrad.errors import ArgumentError
from srcgrad.locks import kept_property

if TYPE_CHECKING:
    from srcgrad.api.implicit import Implicit

Parts = Sequence[Any]
"""One thing for each argument of a solver; None for zero."""


class Solution:
    """A solution with the arguments that it was found for."""

    def __init__(self, solver: Implicit[..., Any], x: Any, args: tuple[Any, ...]) -> None:
        self._solver = solver
        self._policy = solver.policy
        self._operands = (x, *args)
        self._layout = Raveling(x)
        self._names = parameters_of(solver.residual)[: len(args) + 1]
        pairs = zip(self._names, self._operands, strict=True)
        self._varying = [name for name, item in pairs if float_leaves(item)]
        self._bound = bind(solver.residual, self._operands)

    # -- first derivatives

    def pulled(self, adjoint: Any) -> tuple[Any, ...]:
        """Return the adjoint of each argument, given that of the solution (None without floats)."""
        value, pull = self._halves
        seed = self._rest(value).back(-self._weights(adjoint))
        found = dict(zip(self._varying, pull(seed), strict=True))
        return tuple(found.get(name) for name in self._names[1:])

    def pushed(self, tangents: Parts) -> Any:
        """Return the tangent of the solution, given those of the arguments."""
        return self._layout.back(self._solved(-self._along(tangents)))

    def _weights(self, adjoint: Any) -> Any:
        """Return what the equations weigh for an adjoint of the solution, as a vector."""
        right = self._layout.flat(conform(adjoint, self._operands[0]))
        if self._solver.linear_solver is None:
            return np.linalg.solve(self._slopes.T, right)
        return self._solver.linear_solver(self._transposed, right)

    def _transposed(self, w: Any) -> Any:
        value, pull = self._halves
        found = self._layout.flat(pull(self._rest(value).back(w))[0])
        return found - w if self._solver.fixed else found

    @kept_property
    def _slopes(self) -> Any:
        """The derivatives of the residual by the solution, as a matrix."""
        size = self._layout.size
        return np.reshape([self._transposed(unit) for unit in np.eye(size)], (size, size))

    def _along(self, tangents: Parts) -> Any:
        """Return how the residual moves with the arguments, as a vector."""
        pairs = zip(self._names[1:], tangents, strict=True)
        moved = [(name, tangent) for name, tangent in pairs if tangent is not None]
        if not moved:
            return np.zeros(self._layout.size)
        push = tangents_of(self._solver.residual, tuple(name for name, _ in moved), self._policy)
        value, change = push(self._bound, [tangent for _, tangent in moved])
        return self._rest(value).flat(change)

    def _solved(self, right: Any) -> Any:
        """Solve a system with the slopes of the residual in the solution."""
        if self._solver.linear_solver is None:
            return np.linalg.solve(self._slopes, right)
        along = tangents_of(self._solver.residual, (self._names[0],), self._policy)

        def product(w: Any) -> Any:
            value, change = along(self._bound, [self._layout.back(w)])
            found = self._rest(value).flat(change)
            return found - w if self._solver.fixed else found

        return self._solver.linear_solver(product, right)

    @kept_property
    def _halves(self) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The residual and its pullback to the solution and the arguments."""
        return adjoints_of(self._solver.residual, tuple(self._varying), self._policy)(self._bound)

    def _rest(self, residual: Any) -> Raveling:
        rest = Raveling(residual)
        if rest.size != self._layout.size:
            raise ArgumentError(
                f"the residual has {rest.size} numbers and the solution {self._layout.size}",
                hint="give a residual with one equation for each number of the solution",
            )
        return rest

    # -- second derivatives

    def turned(self, adjoint: Any, x_dot: Any, args_dot: Parts) -> tuple[Any, tuple[Any, ...]]:
        """Return what the adjoints of solution and arguments lose along a direction.

        That is the product of the Hessian of ``-sum(weights * residual)`` with it.
        """
        arguments, values = self._pushing(x_dot, args_dot)
        push = self._solver.push_of(tuple(self._varying))
        (value, _), pull = adjoints_of(push, arguments, self._policy)(values)
        residual = self._solver.residual
        seed = self._rest(value).back(-self._weights(adjoint))
        if isinstance(residual, Gradient):
            seed = residual.raw_adjoint(seed)
        found = dict(zip(self._varying, pull((mapped(np.zeros_like, value), seed)), strict=True))
        first, *names = self._names
        return found[first], tuple(found.get(name) for name in names)

    def bent(self, tangents: Parts, x_dot: Any, args_dot: Parts) -> Any:
        """Return the tangent of `pushed` along a direction, for tangents that stay."""
        arguments, values = self._pushing(self.pushed(tangents), tangents)
        push = self._solver.push_of(tuple(self._varying))
        (value, _), (_, bend) = tangents_of(push, arguments, self._policy)(
            values, self._dense(x_dot, args_dot)
        )
        return self._layout.back(self._solved(-self._rest(value).flat(bend)))

    def _pushing(self, x_dot: Any, args_dot: Parts) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Return how the tangent function calls what varies, and all of its arguments."""
        push = self._solver.push_of(tuple(self._varying))
        given = push.__code__.co_varnames[: push.__code__.co_argcount]
        values = (*self._bound.values(), *self._dense(x_dot, args_dot))
        known = dict(zip(self._bound, given, strict=False))
        return tuple(known[name] for name in self._varying), dict(zip(given, values, strict=True))

    def _dense(self, x_dot: Any, args_dot: Parts) -> list[Any]:
        """Return the tangents of what varies, with zeros for None."""
        ways = zip(self._names, self._operands, (x_dot, *args_dot), strict=True)
        return [conform(way, item) for name, item, way in ways if name in self._varying]
