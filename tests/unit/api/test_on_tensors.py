"""Derivatives that are called with tensors belong to their graph, or are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual

X = np.array([0.3, -0.7])
V = np.array([1.0, 0.5])


def energy(x: Any) -> Any:
    """Return a number."""
    return np.sum(np.sin(x) * x * x[0])


def written(x: Any) -> Any:
    """Return a number by way of an array that is written into."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] ** 3 * x[0]
    return np.sum(y * y)


def several(x: Any) -> Any:
    """Return numbers in a container."""
    return {"a": (np.sin(x) * x * x[0], x[0])}


def collected(x: Any) -> Any:
    """Return a number by way of an array that NumPy makes."""
    y = np.zeros(2)
    y[0] = x[0] * x[1]
    y[1] = y[0] * x[0]
    return np.sum(y * y)


def hidden(x: Any) -> Any:
    """Be refused by source."""
    return eval("m.sum(x * x * x) * x[0]", {"m": np, "x": x})


CALLS = {
    "grad": sg.grad(energy),
    "grad, written": sg.grad(written),
    "grad, collected": sg.grad(collected),
    "grad, on the tape": sg.grad(hidden, fallback="tape"),
    "grad, keyword": lambda x: sg.grad(lambda x, k: energy(x) * k[0])(X, k=x),
    "value_and_grad": lambda x: sum(map(np.sum, sg.value_and_grad(written)(x))),
    "by a dict": lambda x: sg.grad(lambda p: energy(p["x"]))({"x": x})["x"],
    "vjp": lambda x: sg.vjp(written, x)[1](2.0)[0],
    "pullback": lambda x: sg.pullback(lambda x, y: x * y * y)(X, x)[1](V),
    "jvp": lambda x: sg.jvp(written, (x,), (V,))[1],
    "jvp, tangent": lambda x: sg.jvp(energy, (X,), (x,))[1],
    "pushforward": lambda x: sg.pushforward(energy)(x, x_dot=x)[1],
    "hvp": lambda x: sg.hvp(energy, (x,), (V,)),
    "hessian_product": lambda x: sg.hessian_product(energy)(x, x_dot=V),
    "jacfwd": lambda x: sg.jacfwd(several)(x)["a"][0],
    "jacrev": lambda x: sg.jacrev(several)(x)["a"][0],
    "hessian": sg.hessian(energy),
    "jacobian, held": lambda x: sg.jacobian(lambda x, y: x * y * y[0])(X, x),
}


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("name", CALLS)
def test_what_comes_back_belongs_to_the_graph(name: str) -> None:
    def total(x: Any) -> Any:
        return np.sum(CALLS[name](x) ** 2)

    x = sg.tensor(X, requires_grad=True)
    found = total(x)
    np.testing.assert_allclose(found.detach().numpy(), total(X), rtol=1e-10)
    found.backward()
    slopes = [(total(X + e) - total(X - e)) / 2e-5 for e in np.eye(2) * 1e-5]
    np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-6)
    names: dict[str, Any] = {"total": total}
    exec("def outer(x):\n    return total(x)", names)  # a program on the tape
    np.testing.assert_allclose(sg.grad(names["outer"])(X), slopes, rtol=1e-6)
    unrecorded = CALLS[name](sg.tensor(X))
    assert isinstance(unrecorded, sg.Tensor)
    assert not unrecorded.requires_grad
    np.testing.assert_allclose(unrecorded.numpy(), CALLS[name](X), rtol=1e-10)


def test_tangents_go_through() -> None:
    with dual_level():
        moved = unpack_dual(sg.grad(written)(make_dual(sg.tensor(X), sg.tensor(V))))
    np.testing.assert_allclose(
        moved.tangent.detach().numpy(), sg.hvp(written, (X,), (V,)), rtol=1e-10
    )
    with sg.no_grad():
        assert not sg.grad(written)(sg.tensor(X, requires_grad=True)).requires_grad


@pytest.mark.parametrize("function", [np.sin, np.linalg.norm])
def test_functions_of_numpy_take_tensors_as_a_lambda_around_them_does(function: Any) -> None:
    def around(x: Any) -> Any:
        return function(x)

    found = sg.jvp(function, (sg.tensor(X),), (sg.tensor(V),))
    expected = sg.jvp(around, (sg.tensor(X),), (sg.tensor(V),))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12)
