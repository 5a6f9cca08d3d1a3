"""Where the backward half of a text raises what the function does not, the tape takes over."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import known_texts


def rescaled(x):
    y = np.array(x * 2.0)  # without axes: arithmetic with its adjoint gives a number
    y[y > 1.0] = 3.0
    return y * x


def chosen(x):
    y = np.zeros(np.shape(x))
    y[x > 0] = np.exp(x)[x > 0]
    return y


def slope(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2.0 * h)


@pytest.mark.parametrize("f", [rescaled, chosen])
@pytest.mark.parametrize("x", [0.3, 2.0, -1.0])
def test_the_tape_gives_what_the_text_cannot(f, x):
    x = np.array(x)
    grad = sg.vjp(f, x, fallback="tape")[1](np.array(1.0))[0]
    np.testing.assert_allclose(grad, slope(f, x), atol=1e-6)
    assert np.shape(grad) == ()


def test_it_does_so_at_every_call():
    g = sg.grad(chosen, fallback="tape")
    for x in (0.3, 2.0, -1.0, 0.5):
        np.testing.assert_allclose(g(np.array(x)), slope(chosen, np.array(x)), atol=1e-6)


def test_a_warning_says_so_once(monkeypatch):
    known_texts.forget()
    monkeypatch.setenv("SRCGRAD_PROVE", "0")  # the checker would not let it run
    g = sg.grad(chosen)
    with pytest.warns(sg.FallbackWarning, match="alone raises") as seen:
        np.testing.assert_array_less(0.0, [g(np.array(0.3)), g(np.array(2.0))])
    assert len(seen) == 1


def test_who_asks_for_errors_gets_a_typed_one(monkeypatch):
    known_texts.forget()
    monkeypatch.setenv("SRCGRAD_PROVE", "0")
    with pytest.raises(sg.NotProvenError, match="alone raises"):
        sg.grad(chosen, fallback="error")(np.array(0.3))


def test_what_the_function_raises_is_raised_once(capsys):
    def f(x):
        print("seen")
        return np.linalg.inv(x)[0, 0]

    with pytest.raises(np.linalg.LinAlgError):
        sg.grad(f)(np.zeros((2, 2)))
    assert capsys.readouterr().out == "seen\n"


def test_arrays_that_changed_before_the_pullback_runs_do_not_count():
    x = np.array(2.0)
    pull = sg.vjp(rescaled, x, fallback="tape")[1]
    want = slope(rescaled, np.array(2.0))
    x[...] = -5.0
    np.testing.assert_allclose(pull(np.array(1.0))[0], want, atol=1e-6)


def test_names_that_are_a_tuple_on_one_path_and_a_number_on_the_other():
    def f(x):
        y = x[0] * x[1] if x[0] > 0.5 else (x[0], x[2])
        return y[0] * y[1] if isinstance(y, tuple) else y * y

    for x in ([1.0, 2.0, 3.0], [0.3, 0.7, 0.9]):
        differences = [slope(lambda v, e=e, x=x: f(e * v + x), 0.0) for e in np.eye(3)]
        found = sg.grad(f, fallback="tape")(np.array(x))
        np.testing.assert_allclose(found, differences, atol=1e-6)
