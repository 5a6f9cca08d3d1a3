"""Derivatives of what has no names for its arguments: functions in C, objects, ``*args``."""

from __future__ import annotations

import functools
import gc
import linecache
import math
import operator
import pickle
import weakref

import numpy as np
import pytest
from scipy import optimize, special, stats

import srcgrad as sg
from tests.differences import numerical_gradient

X = np.array([0.7, 1.9, 1.2])


def _powers(x, k, *, p=2.0):
    return np.sum(x**p) * k


class _Weighted:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return np.sum(x * x) * self.weight


def _plain(function):
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def _wrapped(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return 2.0 * function(*args, **kwargs)

    return inner


_decorated = _plain(_powers)
_doubled = _wrapped(_powers)


def _of_keywords(x, **options):
    return np.sum(x) * options["rate"] + options.get("start", 0.0)


def _starred(*parts):
    return np.sum(parts[0]) * parts[1]


CALLS = {
    "ufunc": (np.sin, (0.4,)),
    "reduction": (np.sum, (X,)),
    "of linalg": (np.linalg.norm, (X,)),
    "math": (math.sin, (0.4,)),
    "operator": (operator.mul, (0.4, 1.5)),
    "of scipy": (optimize.rosen, (X,)),
    "special": (special.logsumexp, (X,)),
    "law": (stats.norm.logpdf, (0.3, 0.1)),
    "wrapped by its library": (stats.skew, (X,)),
    "partial by name": (functools.partial(_powers, k=3.0), (X,)),
    "partial by position": (functools.partial(_powers, X), (3.0,)),
    "object": (_Weighted(2.0), (X,)),
    "vectorized": (np.vectorize(lambda v: v * v), (2.0,)),
    "decorated": (_decorated, (X, 3.0)),
    "decorated with its names": (_doubled, (X, 3.0)),
    "starred": (_starred, (X, 3.0)),
}
each_call = pytest.mark.parametrize(("function", "args"), CALLS.values(), ids=CALLS)


@each_call
def test_gradients_of_what_has_no_names_agree_with_differences(function, args) -> None:
    numbers = tuple(range(len(args)))
    grads = sg.grad(function, numbers, fallback="error")(*args)
    value, pulled = sg.vjp(function, *args, fallback="error")
    without_tangents = function in (special.logsumexp, stats.skew)
    how = "tape" if without_tangents else "error"
    tangents = tuple(np.ones_like(item) for item in args)
    _, slope = sg.jvp(function, args, tangents, fallback=how)
    for number, grad in enumerate(grads):
        expected = numerical_gradient(function, args, number)
        np.testing.assert_allclose(grad, expected, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(pulled(np.ones_like(value))[number], expected, 1e-6, 1e-8)
    np.testing.assert_allclose(slope, sum(map(np.sum, grads)), rtol=1e-10)


@each_call
def test_their_second_derivatives_agree_with_differences(function, args) -> None:
    found = np.asarray(sg.hessian(function, fallback="tape")(*args))
    gradient = sg.grad(function)
    for place in np.ndindex(np.shape(args[0])):
        step = np.zeros(np.shape(args[0]))
        step[place] = 1e-5
        ends = (gradient(args[0] + step, *args[1:]), gradient(args[0] - step, *args[1:]))
        np.testing.assert_allclose(found[place], (ends[0] - ends[1]) / 2e-5, rtol=2e-5, atol=1e-6)


def test_arguments_by_name_are_chosen_by_name() -> None:
    gradient = sg.grad(_of_keywords, argnames=("rate", "start"), fallback="error")
    assert sg.grad(_of_keywords, argnames="rate")(X, rate=2.0) == pytest.approx(X.sum())
    assert gradient(X, rate=2.0, start=1.0) == (pytest.approx(X.sum()), 1.0)
    assert sg.grad(_doubled, 1)(X, 3.0, p=1.0) == pytest.approx(2.0 * X.sum())
    assert sg.grad(_starred, -1)(X, 3.0) == pytest.approx(X.sum())


def test_what_is_read_is_the_text_of_the_last_call() -> None:
    gradient = sg.grad(np.sum)
    assert "def sum_grad(a):" in gradient.source
    gradient(np.ones((2, 3)), axis=None)
    assert "def sum_grad(a, *, axis):" in gradient.source


def test_functions_of_one_name_keep_their_texts_apart() -> None:
    grads = [sg.grad(function) for function in (math.sin, np.sin, math.sinh, np.sinh)]
    expected = [math.cos(0.4), math.cos(0.4), math.cosh(0.4), math.cosh(0.4)]
    for _ in range(2):
        assert [grad(0.4) for grad in grads] == pytest.approx(expected)


def test_their_texts_are_found_after_the_cache_of_lines_was_emptied() -> None:
    functions = [np.linalg.norm, np.sin, math.sin]
    before = [sg.grad(function, fallback="error")(0.4) for function in functions]
    linecache.clearcache()
    after = [sg.grad(function, fallback="error")(0.4) for function in functions]
    hessians = [sg.hessian(function, fallback="error")(0.4) for function in functions]
    assert before == after == pytest.approx([1.0, math.cos(0.4), math.cos(0.4)])
    assert hessians == pytest.approx([0.0, -math.sin(0.4), -math.sin(0.4)])


def test_options_and_choices_are_checked_at_once_or_at_the_call() -> None:
    with pytest.raises(sg.ArgumentError):
        sg.grad(np.sum, fallback="never")
    with pytest.raises(sg.ArgumentError, match="out of range"):
        sg.grad(np.sin, 3)(0.4)
    with pytest.raises(sg.ArgumentError, match="without an argument"):
        sg.grad(np.sin)()


def test_a_derivative_of_an_object_pickles_and_lets_it_go() -> None:
    again = pickle.loads(pickle.dumps(sg.grad(np.sum)))
    np.testing.assert_array_equal(again(X), np.ones(3))
    function = _Weighted(3.0)
    np.testing.assert_allclose(sg.grad(function)(X), 6.0 * X)
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


def test_a_decorator_of_methods_binds_them() -> None:
    class Model:
        rate = 2.0

        @sg.grad(argnums=1)
        @_plain
        def loss(self, x):
            return self.rate * np.sum(x**2)

    np.testing.assert_allclose(Model().loss(X), 4.0 * X)
