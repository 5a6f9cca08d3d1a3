"""Ways through the tape that have given wrong numbers, against differences and other ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate

import srcgrad as sg
from srcgrad import autograd, tape
from srcgrad.autograd import graph
from tests.differences import assert_same, numerical_gradient

B = np.linspace(0.0, 3.0, 4)
CHOSEN = B > 0.5
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "clipped by arrays": lambda x: np.clip(x, B - 1.1, B),
    "clipped from above": lambda x: np.clip(x, None, B),
    "bounds of an array": lambda x: np.clip(B, x, 2 * x),
    "an upper bound": lambda x: np.clip(B, None, x),
    "a product": lambda x: x * B,
    "the larger": lambda x: np.maximum(x, B),
}


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 4)])
@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_not_chosen_is_left_out_before_it_is_summed(
    name: str, shape: tuple[int, ...]
) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.where(CHOSEN, np.sqrt(np.abs(NUMBERS[name](x)) + 0.3), 0.0) * B)

    x = np.full(shape, 1.3)
    leaf = tape.tensor(x, requires_grad=True)
    (grad,) = autograd.grad(f(leaf), leaf, create_graph=True)
    assert_same(grad.detach().numpy(), numerical_gradient(f, (x,), 0))
    weights = np.arange(1.0, x.size + 1).reshape(shape)

    def slope(x: Any) -> Any:
        at = tape.tensor(x, requires_grad=True)
        return float(np.sum(autograd.grad(f(at), at)[0].numpy() * weights))

    (second,) = autograd.grad((grad * weights).sum(), leaf)
    assert_same(second.numpy(), numerical_gradient(slope, (x,), 0), 1e-5, 1e-6)


def twice(x: Any, a: Any) -> Any:
    return np.sum(np.sin(a * x) * x)


def listed(x: Any, a: Any) -> Any:
    return np.sum(np.prod(np.stack([a * x, x * x, np.full(3, 0.4)]), axis=0) * a)


def powers(x: Any, a: Any) -> Any:
    return np.sum(np.abs(x) ** a / a)


@pytest.mark.parametrize("function", [twice, listed, powers])
def test_numbers_that_are_kept_with_hooks_have_second_derivatives(function: Any) -> None:
    x, a = np.array([0.5, 1.4, 0.8]), 1.3

    def squares(x: Any, a: Any) -> Any:
        slopes = sg.grad(function, (0, 1), backend="tape")(x, a)
        return sum(np.sum(slope**2) for slope in slopes)

    both = sg.grad(squares, (0, 1), backend="tape")
    plain = both(x, a)
    with graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), tape.tensor):
        packed = both(x, a)
    again = sg.grad(sg.checkpoint(squares), (0, 1), backend="tape")(x, a)
    for number in (0, 1):
        expected = numerical_gradient(squares, (x, a), number)
        for found in (plain, packed, again):
            assert_same(found[number], expected, 1e-5, 1e-6)


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("then", [False, True])
def test_a_real_leaf_adds_up_real_parts(first: bool, then: bool) -> None:
    turn = np.array([1 + 2j, 0.5 - 1j])

    def f(x: Any) -> Any:
        turned = x * turn
        return np.sum((turned * np.conj(turned) * turned).real)

    x = tape.tensor(np.array([0.5, -1.2]), requires_grad=True)
    out = f(x)
    out.backward(retain_graph=True, create_graph=first)
    out.backward(create_graph=then)
    assert x.grad.dtype == float
    expected = numerical_gradient(f, (np.array([0.5, -1.2]),), 0)
    assert_same(x.grad.detach().numpy(), 2 * expected)


def sloping(x: Any) -> Any:
    return np.sum(np.gradient(x)[0] ** 3) + np.sum(np.gradient(x, 0.5, axis=1) ** 2 * x)


def beyond(x: Any) -> Any:
    curve = interpolate.CubicHermiteSpline(np.array([0.0, 1.0, 2.0]), x[0, :3], x[1, :3])
    return np.sum(curve(1.0 + 1.4 * x[2]))  # also before the first knot, and behind the last


def spread(x: Any) -> Any:
    one, other = np.broadcast_arrays(x[:, :1], x[:1])
    return np.sum(one**2 * other**3)


def crossed(x: Any) -> Any:
    one, other = np.meshgrid(x[0], x[:, 1], indexing="ij")
    return np.sum(one**3 * np.sin(other))


def alone(x: Any) -> Any:
    (one,) = np.meshgrid(x[0])
    return np.sum(one**3)


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("function", [sloping, beyond, spread, crossed, alone])
def test_gradients_of_gradients(function: Any, backend: Any) -> None:
    x = np.random.default_rng(4).normal(size=(3, 4))
    weights = np.random.default_rng(5).normal(size=(3, 4))
    gradient = sg.grad(function, backend=backend)

    def slope(x: Any) -> Any:
        return np.sum(gradient(x) * weights)

    assert_same(gradient(x), numerical_gradient(function, (x,), 0), 1e-5, 1e-6)
    assert_same(sg.grad(slope, backend=backend)(x), numerical_gradient(slope, (x,), 0), 1e-5, 1e-5)


def of_equal_values(a: Any) -> Any:
    w, v = np.linalg.eigh(a + np.swapaxes(a, -1, -2))
    powers = v * np.exp(w)[..., None, :] @ np.swapaxes(v, -1, -2)
    return np.sum(powers * np.arange(18.0).reshape(2, 3, 3))


@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_equal_eigenvalues_of_several_matrices(backend: Any) -> None:
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    a = np.stack([0.5 * np.eye(3), turn @ np.diag([0.4, 0.4, -0.3]) @ turn.T / 2])
    found = sg.grad(of_equal_values, backend=backend)(a)
    assert_same(found, numerical_gradient(of_equal_values, (a,), 0), 1e-5, 1e-6)


@pytest.mark.parametrize(("x", "y"), [(0.3, 0.7), (-0.3, 0.7), (2.3, 0.7), (2.3, -0.7)])
def test_the_tangent_of_a_remainder(x: float, y: float) -> None:
    def f(x: Any, y: Any) -> Any:
        whole, rest = np.divmod(x, y)
        return rest * x + whole

    for backend in ("auto", "tape"):
        _, slope = sg.jvp(f, (x, y), (0.8, -1.1), backend=backend)
        expected = numerical_gradient(lambda t: f(x + 0.8 * t, y - 1.1 * t), (0.0,), 0)
        assert slope == pytest.approx(expected, rel=1e-6)


@pytest.mark.filterwarnings("ignore:Anomaly")
def test_what_a_mode_inside_of_another_has_switched_is_as_before() -> None:
    x = tape.tensor(np.array([0.0, 1.0]), requires_grad=True)
    with autograd.set_detect_anomaly(True, check_nan=False), np.errstate(all="ignore"):
        with autograd.detect_anomaly():
            pass
        (np.sqrt(x) * 0.0).sum().backward()  # 0 times inf
    assert np.isnan(x.grad.numpy()[0])
