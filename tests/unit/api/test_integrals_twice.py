"""Tests second derivatives of integrals and of paths of differential equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import srcgrad as sg
from tests.unit.api.test_implicit import assert_close, slope

pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
TIMES = np.array([0.0, 0.1])


def bell(t, k):
    return np.exp(-k * t * t)


def area(a):
    return integrate.quad(bell, 0.0, a, args=(a,))[0] * a


def tail(a):
    return integrate.quad(lambda t: np.exp(-a * t * t) * t, 0.5, 2.0)[0] ** 2


def waves(k):
    return integrate.quad(lambda t, k: np.sum(np.sin(k * t)) * t, 0.0, 1.0, args=(k,))[0] ** 2


def decay(y, t, k):
    return -k * y * y + np.sin(t)


def path(a):
    start = np.stack([a, 0.5 * a])
    return np.sum(integrate.odeint(decay, start, TIMES, args=(a,), rtol=1e-11, atol=1e-11) ** 2)


def trajectory(a):
    def turned(t, y):
        return decay(y, t, a)

    start = np.stack([a, 0.5 * a])
    found = integrate.solve_ivp(turned, (0.0, 0.1), start, t_eval=TIMES[1:], rtol=1e-11, atol=1e-12)
    return np.sum(found.y**2)


@pytest.mark.parametrize("f", [area, tail])
def test_integrals_in_every_order_of_modes(f):
    a = 1.3
    expected = slope(sg.grad(f), a)
    assert_close(sg.grad(sg.grad(f))(a), expected, 1e-7)
    assert_close(sg.hessian(f)(a), expected, 1e-7)
    assert_close(sg.grad(lambda a: sg.jvp(f, (a,), (1.0,))[1])(a), expected, 1e-7)
    assert_close(sg.jvp(lambda a: sg.jvp(f, (a,), (1.0,))[1], (a,), (1.0,))[1], expected, 1e-7)


def test_an_integral_with_an_array_handed_on():
    k, v = np.array([0.7, 1.9]), np.array([1.0, -0.5])
    expected = slope(lambda h: sg.grad(waves)(k + h * v), 0.0)
    assert_close(sg.hvp(waves, (k,), (v,)), expected, 1e-7)
    assert_close(sg.vjp(sg.grad(waves), k)[1](v)[0], expected, 1e-7)


@pytest.mark.parametrize("f", [path, trajectory])
def test_paths_of_differential_equations(f):
    a = 1.3
    expected = slope(sg.grad(f), a, step=1e-3)
    assert_close(sg.grad(sg.grad(f))(a), expected, 1e-6)
    if f is path:
        assert_close(sg.grad(lambda a: sg.jvp(path, (a,), (1.0,))[1])(a), expected, 1e-6)
