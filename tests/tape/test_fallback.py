"""Strict mode: plain NumPy code runs on tensors as on arrays, or is refused."""

import copy
import itertools
import math
import pickle
from collections import namedtuple

import numpy as np
import pytest

import srcgrad as sg
from srcgrad import autograd, tape
from srcgrad.errors import MissingRuleError, NotDifferentiableError
from tests.differences import numerical_gradient

Point = namedtuple("Point", "x y")


@pytest.fixture
def x():
    with tape.strict_fallback():
        yield tape.tensor([0.5, 1.5, 2.5], requires_grad=True)


def test_type_questions_are_answered_as_for_arrays(x):
    assert isinstance(x, np.ndarray)
    assert isinstance(x[0], float)
    assert isinstance(x.sum(), np.floating)
    assert np.isscalar(x[0])
    assert not np.isscalar(x)
    assert isinstance(x, tape.Tensor)


def test_type_questions_outside_strict_mode_see_a_tensor():
    t = tape.tensor(1.0)
    assert not isinstance(t, float)
    assert t.__class__ is tape.Tensor


def test_results_without_derivative_are_plain(x):
    assert type(np.argmax(x)) is np.int64
    assert type(x > 1.0) is np.ndarray
    assert np.shape(x) == (3,)
    assert x.size == 3
    assert {np.argmax(x): "found"}[2] == "found"


def test_augmented_assignment_of_elements_rebinds(x):
    total = x[0]
    before = total
    total += x[1]
    assert before is not total
    (g,) = autograd.grad(before, x, retain_graph=True)
    assert g.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "escape",
    [
        lambda x: float(x[0]),
        lambda x: complex(x[0]),
        lambda x: x.data,
        pickle.dumps,
        np.asarray,
        lambda x: np.array([x[0], x[1]]),
        lambda x: np.full(2, x[0]),
        lambda x: math.hypot(x[0], 1.0),
    ],
)
def test_what_would_detach_is_refused(x, escape):
    with pytest.raises((NotDifferentiableError, ValueError)) as caught:
        escape(x)
    errors = caught.value, caught.value.__cause__
    assert any(isinstance(error, NotDifferentiableError) for error in errors)


def test_whole_parts_are_constants(x):
    for call in (math.floor, math.ceil, math.trunc):
        assert call(x[1]) == call(1.5)
        assert type(call(x[1])) is int


def test_python_numbers_made_of_elements_keep_the_gradient(x):
    number, numbers = x[0].item(), x.tolist()
    assert isinstance(number, float)
    assert isinstance(numbers[2], float)
    (g,) = autograd.grad(number * numbers[2], x)
    assert g.tolist() == [2.5, 0.0, 0.5]
    assert int(x[2]) == 2  # constant between jumps
    assert round(x[1]) == 2


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, np.copy, lambda x: x.copy()])
def test_copies_keep_the_gradient(x, duplicate):
    (g,) = autograd.grad(duplicate(x)[1], x)
    assert g.tolist() == [0.0, 1.0, 0.0]


def test_a_function_without_a_rule_is_refused_by_name(x):
    with pytest.raises(MissingRuleError, match=r"numpy\.\w*histogram_bin_edges"):
        np.histogram_bin_edges(x)


def running_mean(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = x[: i + 1].mean()
    return out.max() + out.std()


def derived_buffers(x):
    zeros = np.zeros_like(x)
    shifted = zeros.copy() + 1.0
    shifted[1] = x[0] * x[2]
    wide = np.concatenate([zeros, shifted])
    wide[2:4] += x[:2]
    return (wide * wide).sum() + shifted.prod()


def elements_are_values(x):
    y = x * 1.0
    y[0], y[2] = y[2], y[0]
    kept = y[1]
    y[1] = 7.0
    rows = np.outer(y, y)
    first = rows[0]
    rows[0] *= 2.0  # slices are views
    return kept * (y * np.arange(1.0, 4.0)).sum() + first.sum()


def newton(x):
    y = np.ones_like(x)
    while abs(y * y - x).max() > 1e-12:
        y = 0.5 * (y + x / y)
    return (y * x).sum()


def mixed(x):
    if x[0] > 0.1 and x.mean() > 0:
        parts = [xi**2 if xi > 1 else np.sin(xi) for xi in x]
        return sum(parts) * max(parts)
    return x.sum()


def matrices(x):
    a = np.outer(x, x) + np.eye(3)
    inverse = np.linalg.inv(a)
    values, _ = np.linalg.eigh(a)
    return np.trace(inverse @ a @ inverse) + np.log(values).sum() + np.linalg.norm(a[0])


@pytest.mark.parametrize(
    "program", [running_mean, derived_buffers, elements_are_values, newton, mixed, matrices]
)
def test_a_plain_program_has_the_gradient_of_differences(x, program):
    out = program(x)
    (g,) = autograd.grad(out, x)
    expected = numerical_gradient(program, (np.array([0.5, 1.5, 2.5]),), 0)
    np.testing.assert_allclose(g.detach().numpy(), expected, rtol=1e-5, atol=1e-7)


def test_a_users_function_works_inside(x):
    class Cube(autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a * a

        @staticmethod
        def backward(ctx, grad):
            (a,) = ctx.saved_tensors
            return 3 * grad * a * a

    (g,) = autograd.grad(Cube.apply(x).sum(), x)
    expected = numerical_gradient(lambda v: (v**3).sum(), (np.array([0.5, 1.5, 2.5]),), 0)
    np.testing.assert_allclose(g.numpy(), expected, rtol=1e-6)


def work_arrays(x):
    weights, index, picks = np.zeros(3), np.array([0, 1]), [0, 2]
    total = 0.0
    for k in range(3):
        weights[k] = k + 1.0
        total = total + (x * weights).sum() * x[index].sum() + x[picks].prod()
        index += k % 2
        picks[0] = 1
    return total


def test_plain_arrays_may_be_written_to_after_a_call_that_saved_them(x):
    (g,) = autograd.grad(work_arrays(x), x)
    expected = numerical_gradient(work_arrays, (np.array([0.5, 1.5, 2.5]),), 0)
    np.testing.assert_allclose(g.numpy(), expected, rtol=1e-6)


def test_named_tuples_are_tuples_for_functions_of_numbers():
    def f(x):
        points = [Point(0.0, 0.0), Point(x[0], x[1]), Point(x[2], x[3])]
        pairs = itertools.pairwise(points)
        return sum(math.dist(p, q) * math.prod(q) for p, q in pairs)

    x, v = np.array([0.7, 1.3, 0.4, 1.9]), np.array([0.3, -0.2, 0.5, 0.1])
    expected = numerical_gradient(f, (x,), 0)
    assert np.allclose(sg.grad(f, backend="tape")(x), expected)
    assert np.allclose(sg.jvp(f, (x,), (v,), backend="tape")[1], expected @ v)
