"""Gives the optimisers of SciPy what they ask for, from a function of structured parameters."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np

from srcgrad.api.assembling import pulled, pushed
from srcgrad.api.gradient import Gradient
from srcgrad.api.policy import USUAL, Backend, Fallback, Policy, policy_of
from srcgrad.api.pushforward import tangents_of
from srcgrad.api.raveling import Raveling
from srcgrad.api.refusal import describe
from srcgrad.api.stacking import count_of
from srcgrad.api.structures import copied, float_leaves, leaves_as_in, mapped
from srcgrad.api.underlying import bind, parameters_of

T = TypeVar("T")


class Objective(Generic[T]):
    """A function of a vector, with its derivatives; the vector stands for the user's parameters.

    Of a function that returns one number, `jac` is the gradient and `hess` and `hessp` are there
    too; of one that returns an array (residuals, or what is to be zero), `jac` is the matrix.

    Attributes:
        x0: The parameters that it was made with, as a vector.
    """

    def __init__(
        self, f: Callable[..., Any], params: T, args: tuple[Any, ...], policy: Policy = USUAL
    ) -> None:
        self._f = f
        self._policy = policy
        self._args = args
        self._layout = Raveling(params)
        self.x0 = self._layout.flat(params)
        self._name = parameters_of(f)[0]
        self._value_and_grad = Gradient[..., Any](f, 0, None, False, policy, True)
        self._gradient = Gradient[..., Any](f, 0, None, False, policy, False)
        self._residuals: int | None = None

    def ravel(self, params: T) -> Any:
        """Return parameters as a vector."""
        return self._layout.flat(params)

    def unravel(self, x: Any) -> T:
        """Return the parameters that a vector stands for, such as the `x` of a result."""
        params: T = self._layout.back(np.asarray(x))
        return params

    def fun(self, x: Any) -> Any:
        """Return the value: a number, or the residuals, also those in a container, as a vector."""
        value = self._f(self.unravel(x), *self._args)
        if isinstance(value, (dict, list, tuple)):
            return np.concatenate([np.ravel(leaf) for leaf in float_leaves(value)])
        return float(value) if np.ndim(value) == 0 else np.ravel(value)

    def fun_and_jac(self, x: Any) -> tuple[Any, Any]:
        """Return the value and its gradient, for ``minimize(..., jac=True)``."""
        value, grad = self._value_and_grad(self.unravel(x), *self._args)
        return float(value), self.ravel(grad)

    def jac(self, x: Any) -> Any:
        """Return the gradient of a number, or the Jacobian matrix of residuals."""
        params = self.unravel(x)
        if self._residuals is None:
            value = self._f(copied(params), *copied(self._args))
            is_number = not isinstance(value, (dict, list, tuple)) and np.ndim(value) == 0
            self._residuals = -1 if is_number else count_of(value)
        if self._residuals < 0:
            return self.ravel(self._gradient(params, *self._args))
        arguments = bind(self._f, (params, *self._args))
        how: dict[str, Any] = {"has_aux": False, "policy": self._policy}
        if self._layout.size <= self._residuals:
            units = np.eye(self._layout.size)
            _, columns = pushed(self._f, (self._name,), arguments, units, **how)
            return np.array(_side_by_side(columns).T, order="C")
        _, (rows,) = pulled(self._f, (self._name,), arguments, None, **how)
        return _side_by_side(rows)

    def hessp(self, x: Any, p: Any) -> Any:
        """Return the product of the matrix of second derivatives with a vector."""
        push = tangents_of(self._gradient, (self._name,), self._policy)
        arguments = bind(self._f, (self.unravel(x), *self._args))
        return self.ravel(push(arguments, [self.unravel(p)])[1])

    def hess(self, x: Any) -> Any:
        """Return the matrix of second derivatives."""
        params = self.unravel(x)
        arguments = bind(self._f, (params, *self._args))
        units = np.eye(self._layout.size)
        how: dict[str, Any] = {"has_aux": False, "policy": self._policy}
        grad, columns = pushed(self._gradient, (self._name,), arguments, units, **how)
        places = count()
        numbered = mapped(lambda _: next(places), grad)  # also whole numbers have a gradient, of 0
        matrix = _side_by_side([columns[place] for place in leaves_as_in(params, numbered)])
        return (matrix + matrix.T) / 2

    def __repr__(self) -> str:
        return f"<srcgrad.scipy_objective of {describe(self._f)}, {self._layout.size} numbers>"


def _side_by_side(leaves: list[Any]) -> Any:
    """Return derivatives by each leaf, with a row for each seed, as one matrix."""
    return np.concatenate([part.reshape(len(part), -1) for part in leaves], axis=1)


def scipy_objective(
    f: Callable[..., Any],
    params: T,
    *args: Any,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Objective[T]:
    """Return `f` as a function of one vector, with its derivatives, for `scipy.optimize`.

    Args:
        f: A function whose first argument is a float, an array, or a nested container of those.
        params: Parameters to start from; they say the structure, shapes and types.
        args: The further arguments of `f`, which are held.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Returns:
        An object with `x0`, `fun`, `jac`, `hess`, `hessp`, `fun_and_jac`, `ravel` and `unravel`, as
        in ``minimize(o.fun, o.x0, jac=o.jac, hessp=o.hessp, method="trust-ncg")`` or
        ``least_squares(o.fun, o.x0, jac=o.jac)`` and ``root(o.fun, o.x0, jac=o.jac)``;
        ``o.unravel(result.x)`` gives the parameters.

    Raises:
        UnsupportedError: At the first derivative: `f` cannot be differentiated.
    """
    return Objective(f, params, args, policy_of(fallback, backend, verify, pure))
