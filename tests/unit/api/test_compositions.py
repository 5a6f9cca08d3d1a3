"""Checks derivatives of derivatives: of higher orders, on the tape, and of programs that change."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

RATE = 0.7


def cubic(a):
    return np.sin(a) * a**3


def energy(x):
    return np.sum(np.sin(x) * x**2) * RATE


def penalty(x):
    return np.sum(sg.grad(energy)(x) ** 2)


def along(x, t):
    return np.sum(sg.hvp(energy, (x,), (t,)) ** 2) + sg.jvp(energy, (x,), (t,))[1]


X = np.array([0.3, -1.2, 0.8])


def test_gradients_of_gradients_of_gradients():
    first, second, third = sg.grad(cubic), sg.grad(sg.grad(cubic)), sg.grad(sg.grad(sg.grad(cubic)))
    assert_same(second(1.3), numerical_gradient(first, (1.3,), 0))
    assert_same(third(1.3), numerical_gradient(second, (1.3,), 0))
    assert third.source.count("def ") == 1


def test_jacobians_of_hessians():
    def curvature(x):
        return np.sum(np.diag(sg.hessian(energy)(x)))

    third = sg.jacobian(sg.hessian(energy))(X)
    assert np.count_nonzero(third) == 3  # the function is a sum over the entries of x
    assert_same(np.einsum("iii->i", third), numerical_gradient(curvature, (X,), 0))


def test_a_gradient_inside_reads_globals_anew(monkeypatch):
    outer = sg.grad(penalty, fallback="error")
    before = outer(X)
    monkeypatch.setattr(f"{__name__}.RATE", 2 * RATE)
    assert_same(outer(X), 4 * before)


def test_a_function_inside_that_is_replaced_is_compiled_anew(monkeypatch):
    outer = sg.grad(penalty, fallback="error")
    outer(X)
    monkeypatch.setattr(f"{__name__}.energy", lambda x: np.sum(x**2))
    assert_same(outer(X), 8 * X)


@pytest.mark.parametrize("function", [penalty, lambda x: along(x, np.cos(X))])
def test_the_tape_takes_derivatives_inside_too(function):
    def hidden(x):
        values = {float(v) for v in sg.stop_gradient(x)}
        return function(x) + 0.0 * len(values)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        tape = sg.grad(hidden)
        tape_value = tape(X)
    assert_same(tape_value, numerical_gradient(function, (X,), 0))


def test_a_pullback_may_run_twice_if_it_leaves_its_records():
    def stepped(x):
        y = x
        for _ in range(3):
            y = np.sin(y) * x
        return np.sum(y)

    def program(x):
        _, pull = sg.vjp(stepped, x)
        return np.sum(pull(1.0)[0] * pull(2.0)[0])

    expected = numerical_gradient(program, (X,), 0)
    assert_same(sg.grad(program, fallback="error")(X), expected)


def test_a_pullback_that_is_used_up_is_not_run_twice_by_source():
    def stepped(x):
        y = x
        for i in range(3):
            y = np.sin(y) * x * (i + 1.0)
        return np.sum(y)

    def program(x):
        _, pull = sg.vjp(stepped, x)
        return np.sum(pull(1.0)[0] * pull(2.0)[0])

    with pytest.raises(sg.UnsupportedError, match="may run more than once"):
        sg.grad(program, fallback="error")(X)
    with pytest.warns(sg.FallbackWarning):
        assert_same(sg.grad(program)(X), numerical_gradient(program, (X,), 0))


def test_constants_are_constant_in_every_order():
    def held(x):
        return np.sum(x**2 * sg.stop_gradient(x))

    def shown(x):
        return np.sum(sg.grad(held)(x) ** 2)

    assert_same(sg.hessian(held)(X), np.diag(2 * X))
    assert_same(sg.grad(shown, fallback="error")(X), 8 * X**3)
    assert_same(sg.jvp(sg.grad(held), (X,), (np.ones(3),))[1], 2 * X)


@pytest.mark.peers
def test_orders_agree_with_jax():
    jax = pytest.importorskip("jax")
    jnp = pytest.importorskip("jax.numpy")
    jax.config.update("jax_enable_x64", True)

    def theirs(a):
        return jnp.sin(a) * a**3

    expected = jax.grad
    for order in range(1, 4):
        mine, other = cubic, theirs
        for _ in range(order):
            mine, other = sg.grad(mine), expected(other)
        np.testing.assert_allclose(mine(1.3), float(other(1.3)), rtol=1e-12)


@pytest.mark.peers
def test_hessians_and_products_agree_with_torch():
    torch = pytest.importorskip("torch")

    def theirs(x):
        return torch.sum(torch.sin(x) * x**2) * RATE

    x = torch.tensor(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        expected = torch.func.hessian(theirs)(x).numpy()
        third = torch.func.jacrev(torch.func.hessian(theirs))(x).numpy()
    np.testing.assert_allclose(sg.hessian(energy)(X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sg.jacobian(sg.hessian(energy))(X), third, rtol=1e-12, atol=1e-12)


def written(x):
    """Write into the argument, and read what was there before."""
    first = x[0] * x[1]
    x[0] = x[1] * x[2]
    return first + np.sum(x * x * x)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_second_derivatives_of_what_writes_into_its_argument():
    x = np.array([-0.1, 0.2, 0.5])
    slope = sg.grad(written)
    columns = [(slope(x + unit) - slope(x - unit)) / 2e-5 for unit in np.eye(3) * 1e-5]
    assert_same(sg.hessian(written)(x), np.array(columns), 1e-6)
    assert_same(sg.jacrev(sg.grad(written))(x), np.array(columns), 1e-6)
    assert_same(x, np.array([-0.1, 0.2, 0.5]))
    assert_same(sg.hvp(written, (x,), (np.ones(3),)), np.sum(columns, axis=0), 1e-6)
    assert x[0] == 0.1  # it is written into, as by the function

    def outer(x):
        return np.sum(sg.grad(written, fallback="tape")(x.copy() * 1.0) ** 2)

    with pytest.raises(sg.MutationError, match="inside another derivative"):
        sg.grad(outer)(x)


def returns_one(x, k):
    """Return a tuple of one."""
    for i in range(3):
        if k > i:
            x = x * k
    return (x * k,)


def test_tuples_of_one_stay_tuples():
    def unpacked(x, k):
        (y,) = returns_one(x, k)
        return np.sum(y * y)

    x = np.array([0.5, 1.5])
    value, tangent = sg.jvp(returns_one, (x, 2.0), (x, None))
    assert isinstance(value, tuple)
    assert isinstance(tangent, tuple)
    assert_same(tangent, returns_one(x, 2.0))
    assert_same(sg.jacfwd(returns_one)(x, 2.0), sg.jacrev(returns_one)(x, 2.0))
    assert_same(sg.grad(unpacked, fallback="error")(x, 2.0) @ x, 2 * unpacked(x, 2.0))
