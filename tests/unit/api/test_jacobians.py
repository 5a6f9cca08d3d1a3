"""Tests vjp, Jacobians, Hessians and products with them, against differences and each other."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad as sg

pytestmark = pytest.mark.filterwarnings("error")
VECTOR = np.array([0.3, -0.7, 1.1])
MATRIX = np.array([[0.2, 0.5, -0.4], [1.0, -0.3, 0.8]])


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        yield


def waves(x):
    return np.sin(x[1:] * x[:-1])


def layer(x, p):
    h = np.tanh(p["w"] @ x)
    return h, {"scaled": np.sum(h) * p["b"]}


def number(x):
    return np.prod(x) + np.exp(x[0] * x[1])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def two_numbers(a, b):
    return a * b**2 + np.sin(a)


def overwrites(x):
    x[0] = x[1] * x[2]
    return x * x


def looped(x):
    a = x
    for _ in range(3):
        a = np.sin(a) * x
    return np.sum(a)


def differences(f, x, step=1e-4):
    """Return the Jacobian of a function of one array, by differences of fourth order."""
    columns = []
    for index in np.ndindex(x.shape):
        unit = np.zeros_like(x)
        unit[index] = step
        near, far = f(x + unit) - f(x - unit), f(x + 2 * unit) - f(x - 2 * unit)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=-1).reshape(np.shape(columns[0]) + x.shape)


def assert_close(ours, expected, tolerance=1e-7):
    np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("make", [sg.jacfwd, sg.jacrev, sg.jacobian])
def test_a_jacobian_agrees_with_differences(make):
    assert_close(make(waves)(VECTOR), differences(waves, VECTOR))
    assert make(waves)(VECTOR).shape == (2, 3)


@pytest.mark.parametrize("make", [sg.jacfwd, sg.jacrev, sg.jacobian])
def test_the_result_nests_outside_and_the_argument_inside(make):
    p = {"w": MATRIX, "b": np.array([0.5, 2.0])}
    h, rest = make(layer, (0, 1))(VECTOR, p)
    by_x, by_p = h
    assert_close(by_x, differences(lambda x: layer(x, p)[0], VECTOR))
    assert_close(by_p["w"], differences(lambda w: layer(VECTOR, {**p, "w": w})[0], MATRIX))
    assert by_p["b"].shape == (2, 2)
    assert not by_p["b"].any()
    by_x, by_p = rest["scaled"]
    assert_close(
        by_p["b"], differences(lambda b: layer(VECTOR, {**p, "b": b})[1]["scaled"], p["b"])
    )


def test_both_modes_agree_on_numbers():
    assert_close(sg.jacfwd(number)(VECTOR), sg.jacrev(number)(VECTOR))
    assert_close(sg.jacfwd(number)(VECTOR), sg.grad(number)(VECTOR))
    forward, reverse = sg.jacfwd(two_numbers, (0, 1)), sg.jacrev(two_numbers, (0, 1))
    assert_close(forward(0.5, 2.0), reverse(0.5, 2.0))


def test_a_jacobian_writes_into_no_argument():
    x = VECTOR.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        forward = sg.jacfwd(overwrites)(x)
        reverse = sg.jacrev(overwrites)(x)
    np.testing.assert_array_equal(x, VECTOR)
    assert_close(forward, differences(lambda v: overwrites(v.copy()), VECTOR))
    assert_close(reverse, forward)


def test_single_precision_stays():
    x = VECTOR.astype(np.float32)
    assert sg.jacfwd(waves)(x).dtype == np.float32
    assert sg.jacrev(waves)(x).dtype == np.float32


def test_an_empty_argument_has_an_empty_jacobian():
    assert sg.jacfwd(waves)(np.zeros(1)).shape == (0, 1)
    assert sg.jacrev(waves)(np.zeros(1)).shape == (0, 1)


@pytest.mark.parametrize("f", [number, rosenbrock])
def test_a_hessian_agrees_with_differences_of_the_gradient(f):
    direction = np.array([1.0, -2.0, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        found = sg.hessian(f)(VECTOR)
        product = sg.hvp(f, (VECTOR,), (direction,))
    assert_close(found, differences(sg.grad(f), VECTOR), 1e-6)
    assert_close(found, found.T)
    assert_close(product, found @ direction)


def test_a_hessian_by_several_arguments_is_a_tuple_of_tuples():
    (aa, ab), (ba, bb) = sg.hessian(two_numbers, (0, 1))(0.5, 2.0)
    by_a = differences(lambda a: sg.grad(two_numbers)(float(a), 2.0), np.array(0.5))
    by_b = differences(lambda b: sg.grad(two_numbers, 1)(0.5, float(b)), np.array(2.0))
    mixed = differences(lambda b: sg.grad(two_numbers)(0.5, float(b)), np.array(2.0))
    assert_close([aa, ab, ba, bb], [by_a, mixed, mixed, by_b], 1e-6)
    product = sg.hvp(two_numbers, (0.5, 2.0), (1.0, -1.0))
    assert_close(product, [aa - ab, ba - bb])


def test_a_hessian_through_a_loop_agrees_with_differences():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        found = sg.hessian(looped)(VECTOR)
    assert_close(found, differences(sg.grad(looped), VECTOR), 1e-6)


def test_vjp_pulls_back_as_often_as_asked():
    p = {"w": MATRIX, "b": np.array([0.5, 2.0])}
    (h, rest), pull = sg.vjp(layer, VECTOR, p)
    assert_close(h, layer(VECTOR, p)[0])
    adjoint = (np.array([1.0, 2.0]), {"scaled": np.array([0.5, -1.0])})
    first, second = pull(adjoint), pull(adjoint)
    jacobians = sg.jacrev(layer, (0, 1))(VECTOR, p)
    expected = adjoint[0] @ jacobians[0][0] + adjoint[1]["scaled"] @ jacobians[1]["scaled"][0]
    assert_close(first[0], expected)
    assert_close(second[0], expected)
    assert_close(first[1]["w"], second[1]["w"])
    assert set(rest) == {"scaled"}


def test_vjp_gives_none_for_what_has_no_derivative():
    value, pull = sg.vjp(lambda x, n: x**n, 1.5, 3)
    by_x, by_n = pull(2.0)
    assert_close(by_x, 2.0 * 3 * value / 1.5)
    assert by_n is None


def test_jvp_of_a_gradient_is_a_hessian_vector_product():
    direction = np.array([1.0, 0.0, -1.0])
    gradient, product = sg.jvp(sg.grad(rosenbrock), (VECTOR,), (direction,))
    assert_close(gradient, sg.grad(rosenbrock)(VECTOR))
    assert_close(product, sg.hvp(rosenbrock, (VECTOR,), (direction,)))


class Model:
    def __init__(self, scale):
        self.scale = scale

    def wave(self, x):
        return self.scale * np.sin(x)


def test_methods_see_their_owner_as_it_is():
    model = Model(2.0)
    jacobian = sg.jacfwd(model.wave)
    before = jacobian(VECTOR)
    model.scale = 3.0
    assert_close(jacobian(VECTOR), 1.5 * before)
    assert_close(before, np.diag(2.0 * sg.jvp(np_sin, (VECTOR,), (np.ones(3),))[1]))


def np_sin(x):
    return np.sin(x)


class Pair(NamedTuple):
    left: np.ndarray
    right: float


def pairwise(pair):
    return Pair(pair.left * pair.right, np.sum(pair.left))


def test_namedtuples_keep_their_type():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        found = sg.jacfwd(pairwise)(Pair(VECTOR, 2.0))
    assert isinstance(found, Pair)
    assert isinstance(found.left, Pair)
    assert_close(found.left.right, VECTOR)


def test_nothing_flows_through_a_stopped_gradient():
    def held(x):
        return np.sum(sg.stop_gradient(x * x) * x)

    assert_close(sg.grad(held)(VECTOR), VECTOR**2)
    assert_close(sg.jvp(held, (VECTOR,), (np.ones(3),))[1], np.sum(VECTOR**2))
    tensor = sg.tensor(VECTOR, requires_grad=True)
    held(tensor).backward()
    assert_close(tensor.grad.numpy(), VECTOR**2)


def test_wrong_tangents_and_adjoints_are_refused():
    with pytest.raises(sg.ArgumentError, match="2 tangents"):
        sg.jvp(waves, (VECTOR,), (VECTOR, VECTOR))
    with pytest.raises(sg.ArgumentError, match="structure and shapes"):
        sg.jvp(waves, (VECTOR,), (np.ones(2),))
    with pytest.raises(sg.ArgumentError, match="must be a tuple"):
        sg.jvp(waves, VECTOR, VECTOR)
    with pytest.raises(sg.IntegerInputError):
        sg.jvp(waves, (np.arange(3),), (np.ones(3),))
    _, pull = sg.vjp(waves, VECTOR)
    with pytest.raises(sg.ArgumentError, match="structure and shapes"):
        pull(np.ones(3))
    with pytest.raises(sg.ArgumentError, match="no argument"):
        sg.vjp(len, [1])
    with pytest.raises(sg.ArgumentError, match="out of range"):
        sg.jacobian(waves, 3)


def test_the_text_of_a_hessian_can_be_read():
    text = sg.hessian(rosenbrock).source
    assert "def rosenbrock_grad_jvp(x, x_dot):" in text
    assert "grad_x_dot" in text
    assert "def waves_backward" in sg.jacrev(waves).source
    assert "def waves_jvp(x, x_dot):" in sg.jacfwd(waves).source


@dataclass
class Line:
    slope: np.ndarray
    offset: float
    count: int = 3


def on_line(line, x):
    return np.tanh(x * line.slope) + line.offset


def line_of(x):
    return Line(x * 2, 0.5)


def waves_of(x):
    return np.exp(1j * x)


RNG = np.random.default_rng(3)


def noisy(x):
    return x * [RNG.normal() for _ in range(3)]


def product_along(x):
    return np.sum(sg.hvp(rosenbrock, (x,), (x,)))


@pytest.mark.usefixtures("quiet")
def test_objects_of_a_class_are_containers_of_arguments():
    line, x = Line(VECTOR, 0.5), VECTOR[::-1].copy()
    for make in (sg.jacfwd, sg.jacrev, sg.jacobian):
        found = make(on_line)(line, x)
        assert isinstance(found, Line)
        expected = differences(lambda slope: on_line(Line(slope, 0.5), x), VECTOR)
        assert_close(found.slope, expected)
        np.testing.assert_allclose(found.offset, np.ones(3))
        assert found.count is None
    second = sg.hessian(lambda p, x: np.sum(on_line(p, x) ** 3))(line, x)
    slope = sg.grad(lambda slope, offset: np.sum(on_line(Line(slope, offset), x) ** 3))
    assert_close(second.slope.slope, differences(lambda v: slope(v, 0.5), VECTOR))
    by_offset = differences(lambda v: slope(VECTOR, v), np.array(0.5))
    assert_close(second.slope.offset, by_offset)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("make", [sg.jacfwd, sg.jacrev])
def test_a_result_that_is_an_object_is_refused(make):
    with pytest.raises(sg.UnsupportedError, match="object of the class Line"):
        make(line_of)(VECTOR)


def test_a_complex_result_has_a_jacobian_in_forward_mode_alone():
    forward = sg.jacobian(waves_of)(VECTOR)
    assert_close(forward.real, differences(lambda x: waves_of(x).real, VECTOR))
    assert_close(forward.imag, differences(lambda x: waves_of(x).imag, VECTOR))
    with pytest.raises(sg.NotDifferentiableError, match="jacfwd"):
        sg.jacrev(waves_of)(VECTOR)


@pytest.mark.parametrize("make", [sg.jacfwd, sg.jacrev, sg.jacobian, sg.hessian])
def test_complex_arguments_are_refused(make):
    with pytest.raises(sg.NotDifferentiableError, match="two real arguments"):
        make(number)(VECTOR + 1j)


@pytest.mark.usefixtures("quiet")
def test_columns_of_different_random_draws_are_refused():
    with pytest.raises(sg.NotDifferentiableError, match="another value"):
        sg.jacfwd(noisy, backend="tape")(VECTOR)


def test_a_function_that_calls_a_product_has_a_gradient():
    assert_close(sg.grad(product_along)(VECTOR), differences(product_along, VECTOR), 1e-6)


def test_a_gradient_in_a_tuple_of_one_has_a_jacobian_in_both_modes():
    gradient = sg.grad(rosenbrock, (0,))
    (forward,), (reverse,) = sg.jacfwd(gradient)(VECTOR), sg.jacrev(gradient)(VECTOR)
    assert_close(forward, reverse)
    assert_close(forward, sg.hessian(rosenbrock)(VECTOR))


def test_threads_share_a_jacobian():
    jacobian = sg.jacobian(waves)
    points = [VECTOR * scale for scale in np.linspace(0.5, 2.0, 24)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(jacobian, points))
    for point, item in zip(points, found, strict=True):
        assert_close(item, differences(waves, point))


def test_arguments_by_name_and_auxiliary_results_go_through():
    def scaled(x, *, scale=2.0):
        return x * scale, {"x": x}

    found, aux = sg.jacobian(scaled, argnames=("scale", "x"), has_aux=True)(VECTOR, scale=3.0)
    assert_close(found[0], VECTOR)
    assert_close(found[1], 3.0 * np.eye(3))
    np.testing.assert_array_equal(aux["x"], VECTOR)


@pytest.mark.usefixtures("quiet")
def test_a_hessian_on_the_tape_has_its_mixed_entries():
    def recorded(a, b):
        return eval("a * b**2 + math.sin(a * b)", {"math": np, "a": a, "b": b})

    (aa, ab), (ba, bb) = sg.hessian(recorded, (0, 1))(0.5, 2.0)
    assert_close([ab, bb], [ba, differences(lambda b: sg.grad(recorded, 1)(0.5, b), np.array(2.0))])
    assert_close(aa, differences(lambda a: sg.grad(recorded)(a, 2.0), np.array(0.5)))


KEPT = {"sum": np.zeros(3)}
ROOM = np.ones(3)


def summed_up(x):
    KEPT["sum"] = KEPT["sum"] + x
    return np.sum(KEPT["sum"] ** 2)


def scaled_outside(x):
    ROOM[0] += x[0]
    ROOM[1:] *= x[1:]
    return np.sum(ROOM**2)


@pytest.mark.parametrize("function", [summed_up, scaled_outside])
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_a_jacobian_calls_what_keeps_values_outside_once(function, fallback):
    def fresh():
        KEPT["sum"], ROOM[:] = np.array([0.5, 0.1, 0.2]), [1.0, 2.0, 3.0]

    fresh()
    slope = sg.grad(function, fallback="tape")(VECTOR)
    once = KEPT["sum"].copy(), ROOM.copy()
    fresh()
    np.testing.assert_allclose(sg.jacobian(function, fallback=fallback)(VECTOR), slope)
    np.testing.assert_array_equal(KEPT["sum"], once[0])
    np.testing.assert_array_equal(ROOM, once[1])
