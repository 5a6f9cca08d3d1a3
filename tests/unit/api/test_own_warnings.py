"""NumPy's floating-point warnings: those that the function itself gives, and no others."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.5, 2.5])

STEEP = {
    "sqrt": (lambda x: np.sum(np.sqrt(x)), np.array([0.0, 4.0])),
    "power": (lambda x: np.sum(x**0.5), np.array([0.0, 4.0])),
    "arcsin": (lambda x: np.sum(np.arcsin(x)), np.array([1.0, 0.5])),
    "inverse": (lambda x: np.sum(1.0 / x), np.array([1e-200, 1.0])),
    "large": (lambda x: np.sum(x[0] / x[1] + 0 * np.where(x > 0, x, 0)), np.array([1.0, 1e-200])),
    "logarithm": (lambda x: np.sum(np.log(x)), np.array([1e-310, 1.0])),
    "root of a number": (lambda x: np.sqrt(x[0]) + x[1], np.array([0.0, 1.0])),
    "element by element": (lambda x: sum(np.sqrt(v) for v in x), np.array([0.0, 4.0])),
}


def _backward(run, x):
    given = sg.tensor(x, requires_grad=True)
    run(given).backward()
    return given.grad.numpy()


def _twice_more(derivative, x):
    """Call it until the short way into its text serves."""
    for _ in range(3):
        found = derivative(x)
    return found


GRADIENTS = {
    "grad": lambda f, x: sg.grad(f)(x),
    "by the short way": lambda f, x: _twice_more(sg.grad(f), x),
    "value and grad": lambda f, x: _twice_more(sg.value_and_grad(f), x)[1],
    "tape": lambda f, x: sg.grad(f, backend="tape")(x),
    "vjp": lambda f, x: sg.vjp(f, x)[1](1.0)[0],
    "jacfwd": lambda f, x: _twice_more(sg.jacfwd(f), x),
    "jacrev": lambda f, x: _twice_more(sg.jacrev(f), x),
    "backward": _backward,
    "compile": lambda f, x: _backward(sg.compile(f), x),
}


@pytest.mark.parametrize("mode", GRADIENTS)
@pytest.mark.parametrize(("f", "x"), STEEP.values(), ids=STEEP)
def test_slopes_give_no_warnings_where_values_give_none(f, x, mode):
    with np.errstate(all="raise", under="ignore"):
        f(x)
        gradient = GRADIENTS[mode](f, x)
    steep = 1 if np.isinf(gradient[1]) else 0
    assert np.isinf(gradient[steep])
    if mode != "jacfwd":  # which has zero times infinity, as tangents do
        np.testing.assert_allclose(gradient, sg.grad(f, backend="tape")(x))


@pytest.mark.parametrize("make", [sg.hessian, lambda f: lambda x: sg.hvp(f, (x,), (X,))])
@pytest.mark.parametrize(("f", "x"), STEEP.values(), ids=STEEP)
def test_neither_do_slopes_of_slopes(f, x, make):
    with np.errstate(all="raise", under="ignore"):
        _twice_more(make(f), x)


@pytest.mark.parametrize(("f", "x"), STEEP.values(), ids=STEEP)
def test_neither_do_tangents(f, x):
    with np.errstate(all="raise", under="ignore"):
        value, tangent = sg.jvp(f, (x,), (np.ones(2),))
    assert np.isfinite(value)
    assert np.isinf(tangent)


def logarithm(x):
    return np.sum(np.log(x) * x)


def inverse(x):
    return np.sum(1.0 / x)


MAKERS = {
    "grad": sg.grad,
    "value and grad": sg.value_and_grad,
    "vjp": lambda f: lambda x: sg.vjp(f, x),
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (np.ones_like(x),)),
    "jacfwd": sg.jacfwd,
    "tape": lambda f: sg.grad(f, backend="tape"),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_warnings_of_the_function_itself_are_given(make):
    with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
        make(logarithm)(-X)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        make(inverse)(0 * X)


def test_they_are_given_by_the_short_way_at_the_line_of_the_user():
    derivative = sg.grad(inverse)
    _twice_more(derivative, X)
    with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
        derivative(0 * X)
    assert [item.filename for item in caught] == [__file__]


@pytest.mark.parametrize("mode", ["raise", "ignore", "call", "print"])
def test_what_the_user_wants_done_is_done(mode, capsys):
    heard = []
    derivative = sg.grad(inverse)
    with np.errstate(all=mode, call=lambda kind, _: heard.append(kind)):
        if mode == "raise":
            with pytest.raises(FloatingPointError, match="divide by zero"):
                derivative(0 * X)
        else:
            derivative(0 * X)
    assert heard == (["divide by zero"] if mode == "call" else [])
    assert ("divide by zero" in capsys.readouterr().out) == (mode == "print")


def test_a_function_that_writes_into_its_argument_does_so_once():
    def halved(x):
        x *= 0.5
        return np.sum(np.sqrt(x))

    given = np.array([0.0, 8.0])
    sg.grad(halved)(given)
    np.testing.assert_array_equal(given, [0.0, 4.0])
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        sg.grad(halved)(np.array([0.0, -8.0]))


LOG: list[str] = []


def noisy(x):
    LOG.append("called")
    print("in noisy")
    warnings.warn("of the user's own", UserWarning, stacklevel=1)
    return np.sum(np.sqrt(x) * np.random.normal(size=2))  # noqa: NPY002 - what is put back


def test_effects_and_other_warnings_happen_once(capsys):
    draws = []
    for x in (X, np.array([0.0, 1.0])):
        np.random.seed(3)  # noqa: NPY002 - as above
        LOG.clear()
        with pytest.warns(UserWarning, match="of the user's own") as caught:
            sg.grad(noisy, fallback="tape")(x)
        assert len(caught) == 1
        assert LOG == ["called"]
        assert capsys.readouterr().out == "in noisy\n"
        draws.append(np.random.normal())  # noqa: NPY002 - as above
    assert draws[0] == draws[1]


def test_threads_hear_their_own():
    derivative, found = sg.grad(inverse), []

    def run(x, times):
        for _ in range(times):
            derivative(x)

    def calm():
        with np.errstate(all="raise"):
            run(np.array([1e-200, 1.0]), 50)
        found.append(True)

    threads = [threading.Thread(target=calm) for _ in range(3)]
    for thread in threads:
        thread.start()
    with np.errstate(all="ignore"):
        run(0 * X, 50)
    for thread in threads:
        thread.join()
    assert found == [True] * 3


def test_a_text_that_fails_leaves_nothing_to_tell():
    def fails(x):
        y = np.sqrt(x)
        return np.sum(y / y) + np.sum(np.linalg.inv(np.diag(x)))

    for _ in range(2):
        with np.errstate(all="ignore"), pytest.raises(np.linalg.LinAlgError):
            sg.grad(fails)(np.array([0.0, 1.0]))
    with np.errstate(all="raise"):
        sg.grad(inverse)(X)
