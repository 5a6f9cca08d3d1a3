"""What a type checker says of right programs: mypy reads this file, nothing runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import srcgrad as sg

Array = NDArray[np.float64]


def loss(w: Array, x: Array, scale: float = 1.0) -> float:
    """Return a number."""
    return float(np.sum(np.tanh(x @ w))) * scale


def with_history(w: Array) -> tuple[float, list[str]]:
    """Return a number, and more."""
    return float(np.sum(w)), ["started"]


def path(start: float, steps: int) -> Array:
    """Return an array."""
    return np.full(steps, start)


w: Array = np.ones(3)
x: Array = np.ones((2, 3))

# gradients have the parameters of their functions, by position and by name
gradient = sg.grad(loss, argnums=(0, 1))
assert_type(gradient(w, x, scale=2.0), Any)
assert_type(gradient.source, str)
assert_type(gradient.stages(), dict[str, str])
value, grads = sg.value_and_grad(loss)(w, x)
assert_type(value, float)
assert_type(sg.value_and_grad(loss)(w, x=x), tuple[float, Any])
assert_type(sg.grad(with_history, has_aux=True)(w), tuple[Any, list[str]])
assert_type(sg.value_and_grad(loss, backend="tape", verify=True)(w, x), tuple[float, Any])
assert_type(sg.jvp(loss, (w, x), (w, x), backend="tape", fallback="error", verify=True)[0], float)
assert_type(sg.hvp(with_history, (w,), (w,), has_aux=True, verify=True), Any)
sg.hessian(loss, argnums=1, backend="numpy", verify=True)(w, x)
sg.compile(loss, verify=True)(w, x)
assert_type(sg.jvp(loss, (w, x), (w, x), pure=True)[0], float)
sg.hessian(loss, pure=True)(w, x)
with sg.verifying(), sg.verifying(False):
    sg.pullback(loss)(w, x)
assert_type(sg.value_and_grad(with_history, has_aux=True)(w), tuple[tuple[float, list[str]], Any])


@sg.value_and_grad(argnames="w", fallback="error")
def decorated(w: Array, offset: float) -> float:
    """Return a number."""
    return float(np.sum(w)) + offset


assert_type(decorated(w, offset=1.0), tuple[float, Any])


@sg.grad(has_aux=True)
def decorated_pair(w: Array) -> tuple[float, int]:
    """Return a number and a count."""
    return float(np.sum(w)), w.size


assert_type(decorated_pair(w), tuple[Any, int])


@dataclass
class Model:
    """A model with a method that is differentiated."""

    size: int

    @sg.value_and_grad
    def misfit(self, w: Array) -> float:
        """Return a number."""
        return float(np.sum(w)) * self.size


assert_type(Model(3).misfit(w), tuple[float, Any])

# a gradient is a function like any other
assert_type(sg.value_and_grad(sg.grad(loss))(w, x), tuple[Any, Any])
steps: Callable[[Array, Array], object] = sg.grad(loss)

# directions, Jacobians
assert_type(sg.jvp(path, (1.0, 3), (1.0, None)), tuple[Array, Array])
out, pull = sg.vjp(path, 1.0, 3)
assert_type(out, Array)
assert_type(pull(out), tuple[Any, ...])
assert_type(sg.vjp(with_history, w, has_aux=True)[2], list[str])
assert_type(sg.jacobian(path)(1.0, steps=3), Any)
assert_type(sg.hessian(loss)(w, x), Any)
assert_type(sg.jacobian(path).explain(1.0, 3).to_dict(), dict[str, Any])
assert_type(sg.jacobian(path).export(example=(1.0, 3)), str)
push = sg.pushforward(loss, argnums=(0, 1))
assert_type(push(w, x, w_dot=w, x_dot=x), Any)
assert_type(push.trace(w, x).tangents, dict[str, Any])
assert_type(push.names, tuple[str, ...])
assert_type(sg.pullback(path, has_aux=False)(1.0, steps=3), Any)
assert_type(sg.hessian_product(loss).source, str)

# what wraps a function keeps its type
assert_type(sg.compile(path)(1.0, 3), Array)
assert_type(sg.compile(path)(sg.tensor(1.0, requires_grad=True), 3), Any)
assert_type(sg.checkpoint(path)(1.0, 3), Array)
assert_type(sg.numeric_vjp(path)(1.0, 3), Array)
assert_type(sg.implicit.root(loss)(path)(1.0, 3), Array)
for number in sg.checkpointed(range(3), budget=2):
    assert_type(number, int)

objective = sg.scipy_objective(lambda p, t: p["a"] * t, {"a": 1.0}, 2.0)
assert_type(objective.unravel(objective.x0), dict[str, float])
