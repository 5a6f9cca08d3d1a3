"""Derivatives that decorate methods bind to objects, as functions do."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same

X = np.array([0.3, 0.5])
V = np.array([1.0, -0.5])


class Model:
    """Has every derivative of one loss."""

    def __init__(self, scale: Any) -> None:
        self.scale = scale

    def loss(self, w: Any) -> Any:
        return self.scale * np.sum(w**3)

    def waves(self, w: Any) -> Any:
        return self.scale * np.sin(w) * w[0]

    gradient = sg.grad(loss)
    valued = sg.value_and_grad(loss)
    matrix = sg.jacobian(waves)
    columns = sg.jacfwd(waves)
    rows = sg.jacrev(waves)
    entries = sg.jacobian(waves, sparsity="detect")
    second = sg.hessian(loss)
    push = sg.pushforward(loss)
    pull = sg.pullback(loss)
    product = sg.hessian_product(loss)
    again = sg.checkpoint(loss)
    compiled = sg.compile(loss)

    @sg.numeric_vjp
    def numeric(self, w: Any) -> Any:
        return self.scale * np.sum(w**3)

    def of_derivatives(self, w: Any) -> Any:
        return np.sum(self.gradient(w) ** 2 + self.second(w) @ w) + np.sum(self.columns(w))

    def of_calls(self, w: Any) -> Any:
        return self.again(w) * self.compiled(w)


def test_they_are_those_of_the_bound_method() -> None:
    model = Model(2.0)
    assert_same(model.gradient(X), sg.grad(model.loss)(X))
    assert_same(model.valued(X), sg.value_and_grad(model.loss)(X))
    expected = sg.jacobian(model.waves)(X)
    for matrix in (model.matrix, model.columns, model.rows):
        assert_same(matrix(X), expected)
        assert str(inspect.signature(matrix)) == "(w: 'Any') -> 'Any'"
    assert_same(model.entries(X).toarray(), expected)
    second = sg.hessian(model.loss)(X)
    assert_same(model.second(X), second)
    assert_same(model.push(X, w_dot=V)[1], sg.grad(model.loss)(X) @ V)
    assert_same(model.pull(X)[1](2.0), 2 * sg.grad(model.loss)(X))
    assert_same(model.product(X, w_dot=V), second @ V)
    assert_same(Model(3.0).second(X), 1.5 * second)
    assert Model.second is Model.__dict__["second"]
    assert "self.scale" in model.matrix.source


@pytest.mark.filterwarnings("ignore::srcgrad.NumericWarning")
@pytest.mark.parametrize("name", ["again", "compiled", "numeric"])
def test_calls_are_those_of_the_method(name: str) -> None:
    model = Model(2.0)
    method = getattr(model, name)
    assert method(X) == model.loss(X)
    w = sg.tensor(X, requires_grad=True)
    method(w).backward()
    assert_same(w.grad.numpy(), sg.grad(model.loss)(X), 1e-9)
    if name != "numeric":
        assert_same(sg.grad(method)(X), sg.grad(model.loss)(X))
        assert_same(sg.hessian(method)(X), sg.hessian(model.loss)(X))


def test_programs_that_call_them_are_differentiated_by_source() -> None:
    model = Model(2.0)
    for method in (model.of_derivatives, model.of_calls):
        slopes = [(method(X + e) - method(X - e)) / 2e-6 for e in np.eye(2) * 1e-6]
        assert_same(sg.grad(method, fallback="error")(X), np.array(slopes), 1e-7)


class Holder:
    """Has a tensor of its own."""

    def __init__(self) -> None:
        self.w = sg.tensor(V, requires_grad=True)

    @sg.compile
    def compiled(self, x: Any) -> Any:
        return np.sum(x * x * self.w * self.w)

    def plain(self, x: Any) -> Any:
        return np.sum(x * x * self.w * self.w)


def test_tensors_that_a_function_finds_have_their_gradients() -> None:
    holder, x = Holder(), sg.tensor(X, requires_grad=True)
    holder.compiled(x).backward()
    assert_same(holder.w.grad.numpy(), 2 * X**2 * V)
    assert_same(x.grad.numpy(), 2 * X * V**2)

    def closed(x: Any) -> Any:
        y = np.zeros(2)
        y[0] = x[0] * holder.w[0]
        y[1] = x[1] * holder.w[1]
        return np.sum(y * y)

    for f in (holder.plain, closed, sg.compile(lambda x: np.sum(x * x * holder.w * holder.w))):
        for derivative in (sg.grad(f), lambda x: sg.vjp(f, x)[1](1.0)[0]):  # noqa: B023
            holder.w.grad = None
            found = derivative(X)
            np.sum(found * V).backward()
            assert_same(holder.w.grad.numpy(), 4 * X * V * V)
        holder.w.grad = None
        np.sum(sg.hessian(f)(X)).backward()
        assert_same(holder.w.grad.numpy(), 4 * V)


class Decorated:
    """Its methods are derivatives under their own names."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    @sg.grad
    def cubed(self, x: Any) -> Any:
        return self.scale * x**3

    @sg.value_and_grad
    def both(self, x: Any) -> Any:
        return self.scale * x**3

    @sg.grad(argnums=(0, 1))
    def two(self, x: Any, y: Any) -> Any:
        return self.scale * x**3 * y


def test_bound_derivatives_come_back_from_pickle_as_they_were() -> None:
    item = Decorated(2.0)
    for derivative, args in ((item.cubed, (3.0,)), (item.both, (3.0,)), (item.two, (3.0, 2.0))):
        again = pickle.loads(pickle.dumps(derivative))
        assert_same(again(*args), derivative(*args), 0, 0)
    second = pickle.loads(pickle.dumps(sg.grad(item.cubed)))
    assert second(3.0) == sg.grad(item.cubed)(3.0)
    value = sg.value_and_grad(item.cubed.primal)
    assert pickle.loads(pickle.dumps(value))(3.0) == value(3.0)
