"""Checks that what `vjp` returns, and a node of `compile`, may run any number of times."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg


def views(x):
    y = np.zeros(4)
    part = y[1:]
    part += x
    other = y[:2]
    other *= x[:2]
    return y * y


def views_in_a_loop(x):
    rows = np.zeros((3, x.size))
    for i in range(3):
        rows[i] = x * (i + 1)
    later = rows[1:]
    later *= x
    return rows[::-1] * x


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@pytest.mark.parametrize("function", [views, views_in_a_loop, sg.grad(rosenbrock)])
def test_a_second_pull_gives_the_same(function):
    x = np.array([0.5, 0.8, -0.2])
    value, pull = sg.vjp(function, x)
    adjoint = np.cos(np.arange(value.size)).reshape(value.shape)
    (first,) = pull(adjoint)
    kept = first.copy()
    (second,) = pull(adjoint)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(second, kept)


@pytest.mark.parametrize("function", [views, views_in_a_loop, sg.grad(rosenbrock)])
def test_rows_agree_with_columns(function):
    x = np.array([0.5, 0.8, -0.2])
    rows, columns = sg.jacrev(function)(x), sg.jacfwd(function)(x)
    np.testing.assert_allclose(rows, columns, rtol=1e-12, atol=1e-14)


def test_a_node_runs_backward_twice():
    compiled = sg.compile(views)
    x = sg.tensor(np.array([0.5, 0.8, -0.2]), requires_grad=True)
    total = compiled(x).sum()
    total.backward(retain_graph=True)
    first = x.grad.numpy().copy()
    total.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * first)


def test_writing_into_the_argument_or_the_value_leaves_the_pullback_alone():
    def scaled(x):
        y = np.exp(x)
        return y * x, y

    x = np.array([0.5, 0.8, -0.2])
    value, pull = sg.vjp(scaled, x)
    (first,) = pull((np.ones(3), np.ones(3)))
    x *= 3.0
    value[1][:] = 7.0
    (second,) = pull((np.ones(3), np.ones(3)))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("options", [{}, {"value": True}, {"aux": True}])
@pytest.mark.parametrize("argnums", [0, (0,), (0, 1)])
def test_adjoints_of_gradients_have_the_structure_of_the_gradients(argnums, options):
    def loss(x, a):
        return np.sum(np.sin(x) * a)

    def pair(x, a):
        return np.sum(np.sin(x) * a), x * a

    make = sg.value_and_grad if "value" in options else sg.grad
    taken = make(pair, argnums, has_aux=True) if "aux" in options else make(loss, argnums)
    x = np.array([0.5, 0.8, -0.2])
    value, pull = sg.vjp(taken, x, 1.3)
    tangent = np.array([1.0, -2.0, 0.5])
    _, moved = sg.jvp(taken, (x, 1.3), (tangent, None))
    pulled = pull(moved)[0]  # <J t, J t> = <t, J^T J t>
    np.testing.assert_allclose(_dot(moved, moved), np.sum(tangent * pulled), rtol=1e-12)
    assert type(value) is type(moved)


def _dot(a, b):
    if isinstance(a, tuple):
        return sum(_dot(x, y) for x, y in zip(a, b, strict=True))
    return np.sum(a * b)


def test_what_is_broadcast_is_kept_without_a_warning():
    def products(x):
        rows, columns = np.broadcast_arrays(x[:, None], x[None])
        return np.sum(rows * columns**2)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, pull = sg.vjp(products, np.array([0.5, 0.8, -0.2]))
        pull(1.0)
