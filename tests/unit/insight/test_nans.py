"""Tests that the first NaN or infinity is found, with its lines, operands and advice."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same
from tests.programs.corpus import every_program, sample


def step(u, r):
    k = np.sqrt(u)
    assert k.ndim == 1  # which keeps it a function of its own
    return u + r * k


def loss(u, r, n):
    for _ in range(n):
        u = step(u, r)
    return np.sum(u * u)


def raised(call):
    """Return the error that a call raises."""
    with pytest.raises(sg.NonFiniteError) as caught:
        call()
    return caught.value


def test_an_adjoint_that_is_infinite_is_found_with_both_lines():
    error = raised(lambda: sg.grad(loss, debug_nans=True)(np.array([1.0, 0.0, 2.0]), 0.1, 2))
    assert error.span is not None
    assert error.span.line == step.__code__.co_firstlineno + 1
    assert error.span.file == __file__
    text = str(error)
    assert "the adjoint `grad_u` is" in text
    assert "backward in step_backward" in text
    assert "0.5 * (grad_out * r) / k" in text.split("generated line")[1].splitlines()[0]
    assert "k = [1" in text
    assert "0.0 at [1]" in text
    assert "the slope of a root is infinite at 0" in error.hint


def test_a_value_that_is_nan_is_found_in_the_forward_pass():
    error = raised(lambda: sg.grad(loss, debug_nans=True)(np.array([1.0, -4.0]), 0.1, 2))
    assert "the value `k` is NaN at [1] (1 of 2 entries), in `np.sqrt(u)`" in str(error)
    assert "forward in step_forward" in str(error)
    assert "negative" in error.hint


def test_the_trip_of_a_loop_is_named():
    def falling(x):
        total = 0.0
        for i in range(5):
            total = total + np.log(x - i)
        return total

    error = raised(lambda: sg.grad(falling, debug_nans=True)(np.float64(2.5)))
    assert "trip 4 of its loop" in str(error)


def test_the_part_of_a_long_line_is_named():
    def long_line(x, y):
        return np.sum(2.0 * np.cos(x) + y / (x - x) * 3.0)

    error = raised(lambda: sg.grad(long_line, debug_nans=True)(np.ones(2), 3.0))
    assert "is infinite" in str(error)


@pytest.mark.parametrize(
    ("function", "at", "part"),
    [
        (lambda x: np.sum(np.exp(x) * x), np.array([1.0, 1000.0]), "subtract the largest"),
        (lambda x: np.log(x) * x, np.float64(0.0), "not above 0"),
        (lambda x: np.sum(np.arccos(x) * x), np.array([0.0, 1.5]), "outside of [-1, 1]"),
        (lambda x: np.sum(x / (x - x)), np.array([2.0]), "is 0 where it divides"),
        (lambda x: np.sum(x**0.5 * x), np.array([-2.0]), "is negative"),
    ],
)
def test_the_advice_fits_the_operation(function, at, part):
    assert part in raised(lambda: sg.grad(function, debug_nans=True)(at)).hint


def test_what_was_passed_in_is_told_if_it_reaches_the_result():
    error = raised(lambda: sg.grad(loss, debug_nans=True)(np.array([1.0, np.nan]), 0.1, 2))
    assert "the argument `u` is NaN at [1]" in str(error)


def test_infinities_on_purpose_pass():
    def masked(x):
        return np.max(np.where(x > 0, x, -np.inf))

    def smallest(xs):
        best = np.inf
        for x in xs:
            best = min(best, x)
        return best * best

    x = np.array([1.0, -1.0, 3.0])
    for function in (masked, smallest):
        assert (sg.grad(function, debug_nans=True)(x) == sg.grad(function)(x)).all()


def test_the_switch_is_set_at_once_and_put_back_by_a_block():
    at = np.zeros(2)
    g = sg.grad(lambda x: np.sum(np.sqrt(x)))
    with np.errstate(all="ignore"):
        assert np.isinf(g(at)).all()
        with sg.debug_nans():
            raised(lambda: g(at))
            with sg.debug_nans(False):
                g(at)
            raised(lambda: g(at))
        g(at)
        sg.debug_nans()
        raised(lambda: g(at))
        sg.debug_nans(False)
        g(at)


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f, x: sg.value_and_grad(f)(x),
        lambda f, x: sg.vjp(f, x)[1](1.0),
        lambda f, x: sg.jvp(f, (x,), (np.ones(2),)),
        lambda f, x: sg.jacrev(f)(x),
        lambda f, x: sg.hessian(f)(x),
    ],
)
def test_the_switch_is_for_every_derivative(derivative):
    def root(x):
        return np.sum(np.sqrt(x) * x[0])

    with sg.debug_nans():
        raised(lambda: derivative(root, np.array([0.0, 1.0])))


def test_a_compiled_function_on_tensors_is_checked():
    def root(x):
        return np.sum(np.sqrt(x))

    x = sg.tensor([0.0, 1.0], requires_grad=True)
    with sg.debug_nans():
        out = sg.compile(root)(x)
        raised(out.backward)


def test_the_tape_is_checked_at_its_end():
    def weird(x):
        global somewhere
        somewhere = 1
        return np.sum(np.sqrt(x))

    g = sg.grad(weird, fallback="tape", debug_nans=True)
    assert "on the tape" in str(raised(lambda: g(np.zeros(2))))


# selections compute values that are not finite and leave them out, and are left out here
PLAIN = [p for p in every_program().values() if p.by == "source" and "selection" not in p.name]
SOME = sample(PLAIN, 45)


@pytest.mark.parametrize("program", SOME, ids=[program.name for program in SOME])
def test_where_all_is_finite_the_result_is_the_same(program):
    plain = sg.grad(program.function, program.argnums)
    checking = sg.grad(program.function, program.argnums, debug_nans=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = plain(*program.arguments())
        # each value has its check there, so that terms are added up one by one, and rounded so
        assert_same(checking(*program.arguments()), expected, 1e-13, 1e-15)


def test_what_goes_into_a_list_and_what_a_half_returns_have_their_lines():
    def listed(x):
        parts = []
        for i in range(2):
            y = x[i] + i
            parts.append(np.sqrt(y - i))
        return sum(parts)

    def root(x):
        return np.sum(np.log(x))

    x = np.array([1.0, 0.0])
    with sg.debug_nans():
        with pytest.raises(sg.NonFiniteError) as caught:
            sg.jvp(listed, (x,), (x,))
        assert caught.value.span.line == listed.__code__.co_firstlineno + 4
        with pytest.raises(sg.NonFiniteError) as caught:
            sg.vjp(root, x)
        assert caught.value.span.line == root.__code__.co_firstlineno + 1


def test_a_result_that_is_returned_as_it_is_computed_has_its_line():
    def distance(x, y):
        return np.sqrt(np.sum((x - y) ** 2))

    x = np.ones(3)
    with pytest.raises(sg.NonFiniteError, match="slope of a root") as caught:
        sg.grad(distance, debug_nans=True)(x, x)
    assert caught.value.span.line == distance.__code__.co_firstlineno + 1
