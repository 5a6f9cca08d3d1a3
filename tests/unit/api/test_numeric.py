"""Tests functions that are differentiated by differences of their values."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.3, 0.7, 0.2])
quiet = pytest.mark.filterwarnings("ignore::srcgrad.NumericWarning")


def smooth(x, rate):
    return np.sin(x * rate) * np.sum(x * x)


smooth_by_values = sg.numeric_vjp(smooth)


@sg.numeric_vjp
def two_results(x, options):
    return np.sum(x) * options["a"], np.cumsum(x * options["b"])


def read(x, rate):
    return np.sum(smooth(x, rate) ** 2 * x)


def by_values(x, rate):
    return np.sum(smooth_by_values(x, rate) ** 2 * x)


@quiet
def test_gradients_agree_with_those_of_the_source():
    found = sg.grad(by_values, (0, 1), fallback="error")(X, 1.7)
    for ours, expected in zip(found, sg.grad(read, (0, 1))(X, 1.7), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9)


@quiet
def test_tangents_agree_with_those_of_the_source():
    tangents = (np.array([1.0, -20.0, 0.5]), 3.0)
    found = sg.jvp(by_values, (X, 1.7), tangents)
    np.testing.assert_allclose(found, sg.jvp(read, (X, 1.7), tangents), rtol=1e-8)


@quiet
def test_the_tape_agrees_with_the_source():
    x, rate = sg.tensor(X, requires_grad=True), sg.tensor(1.7, requires_grad=True)
    found = sg.autograd.grad(by_values(x, rate), (x, rate))
    for ours, expected in zip(found, sg.grad(read, (0, 1))(X, 1.7), strict=True):
        np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-9)


@quiet
def test_containers_of_arguments_and_results_of_which_one_is_unused():
    def loss(x, a):
        _, sums = two_results(x, {"a": a, "b": 2.0 * a})
        return np.sum(sums**2)

    found = sg.grad(loss, (0, 1), fallback="error")(X, 1.5)
    expected = sg.grad(lambda x, a: np.sum(np.cumsum(x * 2.0 * a) ** 2), (0, 1))(X, 1.5)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@quiet
def test_single_precision_stays_and_takes_wider_steps():
    found = sg.grad(by_values)(X.astype(np.float32), 1.7)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, sg.grad(read)(X, 1.7), rtol=1e-4)


def test_it_warns_once_and_says_how_many_calls():
    once = sg.numeric_vjp(lambda x: np.array([math.erf(v) for v in x]))
    with pytest.warns(sg.NumericWarning, match="12 calls"):
        sg.grad(lambda x: np.sum(once(x)))(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.grad(lambda x: np.sum(once(x)))(X)


def test_a_function_that_writes_into_its_argument_is_refused():
    def sums(x):
        x.sort()
        return x.sum()

    with pytest.raises(sg.MutationError, match="`sums` writes"):
        sg.numeric_vjp(sums)(X.copy())


@quiet
def test_a_function_that_returns_its_argument_gives_a_copy():
    same = sg.numeric_vjp(lambda x: x)

    def loss(x):
        y = same(x)
        y[0] = 0.0
        return np.sum(y * x)

    x = X.copy()
    np.testing.assert_allclose(sg.grad(loss)(x), [0.0, 1.4, 0.4], atol=1e-9)
    np.testing.assert_array_equal(x, X)


@quiet
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_second_derivatives_are_refused():
    with pytest.raises(sg.MissingRuleError, match="second order"):
        sg.hessian(by_values)(X, 1.7)


@quiet
def test_complex_numbers_are_refused():
    doubled = sg.numeric_vjp(lambda z: 2 * z)
    with pytest.raises(sg.NotDifferentiableError, match="real"):
        sg.grad(lambda z: np.sum(np.abs(doubled(z))))(X + 1j)
