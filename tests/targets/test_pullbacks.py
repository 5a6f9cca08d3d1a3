"""Tests pullbacks that Numba compiles, and what is made of them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.targets.test_loops import V, cube_root, decay, energy, lorenz, silently

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0


@pytest.mark.parametrize(
    ("f", "args"), [(decay, (V, 4)), (lorenz, (np.ones(3), 10.0, 30)), (cube_root, (2.5,))]
)
def test_pullbacks_are_compiled(f, args):
    value, pull = silently(lambda: sg.vjp(f, *args, backend="numba"))
    expected, by_numpy = sg.vjp(f, *args, fallback="error")
    assert not differs(value, expected)
    for adjoint in (expected, np.cos(expected)):
        assert not differs(pull(adjoint), by_numpy(adjoint))
    derivative = sg.pullback(f, backend="numba", fallback="error")
    derivative(*args)[1](expected)
    assert "@jitted" in derivative.source


def test_jacobians_row_by_row_are_compiled():
    derivative = sg.jacrev(decay, backend="numba", fallback="error")
    assert not differs(silently(derivative, V, 4), sg.jacrev(decay)(V, 4))
    assert "@jitted" in derivative.source


def of_the_scale(x):
    return np.array([SCALE[0] * x[0] * x[0], SCALE[1] * x[1] * x[0]])


SCALE = np.array([2.0, 3.0])


def test_a_pullback_goes_there_anew_from_what_was_given():
    x, expected = V.copy(), sg.vjp(of_the_scale, V)[1](np.ones(2))[0]
    value, pull = silently(lambda: sg.vjp(of_the_scale, x, backend="numba"))
    try:
        x[0], SCALE[0], value[0] = 100.0, 200.0, 300.0  # none of which the pullback is to see
        for _ in range(2):
            np.testing.assert_allclose(pull(np.ones(2))[0], expected)
    finally:
        SCALE[0] = 2.0


def written_into(x):
    x[0] = x[1] * x[1]
    return x * 2.0


def written_by_index(x, k):
    x[k] = x[1] * x[k + 1]
    return x * x


def test_a_pullback_begins_with_what_its_function_has_not_written_into_yet():
    for f, args in ((written_into, (V,)), (written_by_index, (V, 2))):
        x, y = V.copy(), V.copy()
        expected, by_numpy = sg.vjp(f, y, *args[1:], fallback="error")
        for derive in (1, 2):
            x[...] = V
            value, pull = silently(lambda f=f, x=x, more=args[1:]: of_fresh(f, x, more))
            assert not differs(x, y)
            assert not differs(value, expected)
            for adjoint in (V, derive * V, V):
                assert not differs(pull(adjoint), by_numpy(adjoint))
    with pytest.raises(IndexError):
        sg.vjp(written_by_index, V.copy(), 4, backend="numba")


def of_fresh(f, x, more):
    x[...] = V
    return sg.vjp(f, x, *more, backend="numba")


def halved(x, n):
    if n > 3:
        raise ValueError("too many")
    return x / n


def test_what_a_pullback_cannot_do_is_what_numpy_says():
    with pytest.raises(ValueError, match="too many"):
        sg.vjp(halved, V, 4, backend="numba")
    value, pull = silently(lambda: sg.vjp(halved, V, 2, backend="numba"))
    with pytest.raises(sg.ArgumentError, match="structure and shapes"):
        pull(np.ones(3))
    assert not differs(pull(value), sg.vjp(halved, V, 2)[1](value))


def test_nodes_on_the_tape_and_objectives_are_compiled():
    function = sg.compile(energy, backend="numba", fallback="error")
    x = sg.tensor(V, requires_grad=True)
    function(x, 4).backward()
    np.testing.assert_allclose(x.grad.numpy(), sg.grad(energy)(V, 4))
    objective = sg.scipy_objective(decay, V, 4, backend="numba", fallback="error")
    np.testing.assert_allclose(objective.jac(objective.x0), sg.jacobian(decay)(V, 4))


def with_parts(parameters, x):
    return np.tanh(x @ parameters["w"]) + parameters["b"], {"sum": np.sum(x)}


def test_what_is_returned_beside_the_value_has_no_adjoint():
    args = ({"w": np.ones((3, 2)), "b": np.ones(2)}, 0.1 * np.ones((4, 3)))
    found = silently(lambda: sg.vjp(with_parts, *args, has_aux=True, backend="numba"))
    expected = sg.vjp(with_parts, *args, has_aux=True)
    assert not differs(found[2], expected[2])
    assert not differs(found[1](np.ones((4, 2))), expected[1](np.ones((4, 2))))
