"""Wrong uses that a type checker refuses: mypy demands that each comment here is needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import srcgrad as sg

Array = NDArray[np.float64]


def loss(w: Array, rate: float) -> float:
    """Return a number."""
    return float(np.sum(w)) * rate


w = np.ones(3)

sg.grad(loss)(w)  # type: ignore[call-arg] # an argument is missing
sg.grad(loss)(w, 1.0, 2.0)  # type: ignore[call-arg] # there is one too many
sg.grad(loss)(w, rates=1.0)  # type: ignore[call-arg] # a name that the function does not have
sg.grad(loss)(w, "fast")  # type: ignore[arg-type] # a text for a number
sg.grad(loss, fallback="silent")  # type: ignore[call-overload] # no such choice
sg.grad(loss, backend="jax")  # type: ignore[call-overload] # no such choice
sg.jacobian(loss, fallback="silent")  # type: ignore[arg-type] # no such choice
sg.grad(loss, verify="yes")  # type: ignore[call-overload] # a text for a truth value
sg.grad(loss, argnums="w")  # type: ignore[arg-type] # a name for a position
sg.grad(loss(w, 1.0))  # type: ignore[call-overload] # a value for a function
text = sg.grad(loss).text  # type: ignore[attr-defined] # it is called `source`
total = 1.0 + sg.value_and_grad(loss)(w, 1.0)  # type: ignore[operator] # a pair
sg.jacobian(loss)(w)  # type: ignore[call-arg] # an argument is missing
sg.hessian(loss)(w, rate="fast")  # type: ignore[arg-type] # a text for a number
sg.pullback(loss)(w)  # type: ignore[call-arg] # an argument is missing
source = sg.jacobian(loss).sources  # type: ignore[attr-defined] # it is called `source`
value, pull, aux = sg.vjp(loss, w, 1.0)  # type: ignore[misc] # there is no third without has_aux
sg.scipy_objective(loss, w, 1.0).ravel("w")  # type: ignore[arg-type] # not what it was made with


@sg.value_and_grad(fallback="error")
def decorated(w: Array, rate: float) -> float:
    """Return a number."""
    return float(np.sum(w)) * rate


class Model:
    """A model with a method that is differentiated."""

    @sg.grad
    def slope(self, w: Array) -> float:
        """Return a number."""
        return float(np.sum(w))


Model().slope(w, 1.0)  # type: ignore[call-arg] # there is one too many
decorated(w, rate=None)  # type: ignore[arg-type] # not a number
