"""Tests pushforwards, pullbacks and Hessian products as objects."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import ArgumentError
from tests.differences import assert_same

X = np.array([0.3, -0.7, 1.2])
V = np.array([1.0, 0.5, -2.0])


def energy(x, k, *rest, power=2, **more):
    """Return a number."""
    return k * np.sum(x**power) * rest[0] + more["offset"] * x[0]


CALL = (X, 2.0, 3.0), {"power": 3, "offset": 5.0}


def test_they_give_what_jvp_vjp_and_hvp_give():
    (x, k, rest), given = CALL
    moved = sg.jvp(energy, (x, k, rest), (V, None, None), kwargs=given)
    step = 1e-6
    slope = (energy(x + step * V, k, rest, **given) - energy(x - step * V, k, rest, **given)) / 2
    assert_same(moved[1], slope / step, 1e-6)
    assert_same(sg.pushforward(energy)(x, k, rest, x_dot=V, **given), moved, 1e-13)
    value, pull = sg.pullback(energy, argnums=(1, 0))(x, k, rest, **given)
    by_k, by_x = pull(2.0)
    assert_same((value, by_x @ V), (moved[0], 2 * moved[1]), 1e-12)
    assert isinstance(by_k, float)
    product = sg.hessian_product(energy)(x, k, rest, x_dot=V, **given)
    assert_same(product, sg.hvp(energy, (x, k, rest), (V, None, None), kwargs=given), 1e-13)


def test_the_auxiliary_part_comes_last():
    def pair(x):
        return np.sum(x**3), {"twice": 2 * x, "count": 3}

    value, slope, aux = sg.pushforward(pair, has_aux=True)(X, x_dot=V)
    assert_same(slope, 3 * X**2 @ V, 1e-12)
    assert aux["count"] == 3
    assert sg.pullback(pair, has_aux=True)(X)[2]["count"] == 3
    product, aux = sg.hessian_product(pair, has_aux=True)(X, x_dot=V)
    assert_same((product, aux["twice"]), (6 * X * V, 2 * X), 1e-12)
    assert value == pair(X)[0]


def test_methods_and_registered_containers():
    class Model:
        scale = 3.0

        def loss(self, w):
            return self.scale * np.sum(w**2)

    assert_same(sg.pushforward(Model().loss)(X, w_dot=V)[1], 6 * X @ V, 1e-12)

    class Window(deque):
        """Numbers."""

    sg.register_container(Window, lambda d: (tuple(d), None), lambda _, parts: Window(parts))
    with pytest.warns(sg.FallbackWarning):
        value, pull = sg.pullback(lambda w: np.sum(w[0] * w[1]))(Window([X, 0.5]))
    assert_same(pull(1.0)[0], np.full(3, 0.5), 1e-12)
    assert value == np.sum(X) * 0.5


@pytest.mark.parametrize("make", [sg.pushforward, sg.hessian_product])
def test_wrong_tangents_are_refused(make):
    with pytest.raises(ArgumentError, match="tangent of `x` is missing"):
        make(energy)(*CALL[0], **CALL[1])
    with pytest.raises(ArgumentError, match="structure and shapes"):
        make(energy)(*CALL[0], x_dot=np.ones(2), **CALL[1])
    with pytest.raises(ArgumentError, match="needs a function"):
        make(3.0)


@pytest.mark.parametrize("make", [sg.pushforward, sg.pullback, sg.hessian_product, sg.jacobian])
def test_what_can_be_read(make, tmp_path):
    derivative = make(lambda x, k: k * np.sum(np.sin(x) ** 2))
    assert "def function_" in derivative.source
    stages = derivative.stages()
    assert stages["source"] == derivative.source or make is sg.jacobian
    assert {"parse", "reverse" if make is sg.pullback else "forward"} <= stages.keys()
    trace = derivative.trace(X, 2.0)
    assert len(trace) > 0
    page = derivative.report(tmp_path / "page.html", X, 2.0).read_text()
    assert "np.sin(x)" in page
    assert "<h3>function_grad (" not in page  # a gradient that is differentiated is no user's
    assert "measured at" in page
    assert 'class="srcgrad"' in derivative._repr_html_()
    assert derivative.explain(X, 2.0).engine == "source"


def test_a_trace_runs_along_given_tangents_or_ones():
    push = sg.pushforward(lambda x: np.sum(np.sin(x)))
    assert_same(push.trace(X).result[1], np.sum(np.cos(X)), 1e-12)
    trace = sg.pushforward(lambda x: np.sum(np.sin(x) * x)).trace(X, x_dot=V)
    assert_same(trace.result[1], (np.cos(X) * X + np.sin(X)) @ V, 1e-12)
    assert trace.tangents.keys() <= {item.name.removesuffix("_dot") for item in trace}
    trace = sg.pullback(lambda x: (np.sin(x) + x) ** 2).trace(X)
    assert_same(trace.result, 2 * (np.sin(X) + X) * (np.cos(X) + 1), 1e-12)
    assert "x" in trace.adjoints


def test_debug_nans_looks_at_each_seed():
    def root(x):
        return np.sqrt(x)

    with sg.debug_nans():
        for make in (sg.jacfwd, sg.jacrev):
            with pytest.raises(sg.NonFiniteError, match="sqrt"):
                make(root)(np.array([1.0, 0.0]))
        with pytest.raises(sg.NonFiniteError, match="sqrt") as caught:
            sg.hessian(lambda x: np.sum(np.sqrt(x)))(np.array([1.0, 0.0]))
    assert caught.value.span.file == __file__  # and not that of the generated gradient
