"""Adjoints and tangents of which some parts are missing: they count as zeros, or stay missing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import (
    as_shape,
    average_back,
    broadcast_each,
    cast_push,
    diff_back,
    diff_push,
    dist_push,
    divide_or_zero,
    einsum_push,
    gradient_back,
    join_rows,
    meshgrid_back,
    multi_dot_back_push,
    only_if,
    pad_push,
    power_log_slope,
    product_back_push,
    qr_back,
    quantile_push,
    rect_push,
    reshape_each,
    scaled_back,
    scatter,
    shared_each,
    slogdet_back,
    steps_between,
    strided_places,
    tridiagonal,
    unbroadcast_each,
)
from srcgrad.runtime.idioms import falling_logistic, logistic
from srcgrad.runtime.scipy.linalg import frechet_push, general_eigh_back, lu_back, polar_back
from srcgrad.runtime.scipy.spatial import distance_push

rng = np.random.default_rng(3)
A, B, V, W = (
    rng.normal(size=(3, 3)),
    rng.normal(size=(3, 3)),
    rng.normal(size=3),
    rng.normal(size=3),
)
Q, R = np.linalg.qr(A)
LOW, UP = np.tril(A, -1) + np.eye(3), np.triu(B) + 3.0 * np.eye(3)
TURN, STRETCH = Q, A.T @ A + np.eye(3)
EIGEN = np.array([1.0, 2.0, 4.0])
VECTORS = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
Z = np.array([0.0, 1.5, -2.0])

ZEROS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "a tangent of points": (lambda d: dist_push((d, list(W)), V, W, math.dist(V, W)), [0.0] * 3),
    "a tangent of a coordinate": (
        lambda d: dist_push(([1.0, d, 2.0], [d, 1.0, d]), V, W, math.dist(V, W)),
        0.0,
    ),
    "a radius": (lambda d: rect_push(d, 2.0, 1.5, 0.3), 0.0),
    "an angle": (lambda d: rect_push(2.0, d, 1.5, 0.3), 0.0),
    "an array in a border": (
        lambda d: pad_push(d, 2.0, (3,), 1, ("constant", None)),
        np.zeros(3),
    ),
    "a diagonal": (lambda d: tridiagonal(d, V[:2], A), np.zeros(3)),
    "what is below it": (lambda d: tridiagonal(V, d, A), np.zeros(2)),
    "a triangle": (lambda d: qr_back((B, d), A, Q, R, "reduced"), np.zeros((3, 3))),
    "a rotation": (lambda d: qr_back((d, B), A, Q, R, "reduced"), np.zeros((3, 3))),
    "a logarithm": (lambda d: slogdet_back(1.0 + 2j, d, A + 1j * B, 1.0j), 0.0),
    "the lower factor": (lambda d: lu_back(d, B, np.eye(3), LOW, UP), np.zeros((3, 3))),
    "the upper factor": (lambda d: lu_back(B, d, np.eye(3), LOW, UP), np.zeros((3, 3))),
    "a turn": (lambda d: polar_back((d, B), TURN @ STRETCH, TURN, STRETCH, ""), np.zeros((3, 3))),
    "a stretch": (
        lambda d: polar_back((B, d), TURN @ STRETCH, TURN, STRETCH, ""),
        np.zeros((3, 3)),
    ),
    "eigenvalues": (
        lambda d: general_eigh_back((d, B), np.eye(3), EIGEN, VECTORS, True),
        np.zeros(3),
    ),
    "one end": (lambda d: distance_push((d, W), Z, W, 2.0), np.zeros(3)),
    "the other end": (lambda d: distance_push((V, d), V, Z, 2.0), np.zeros(3)),
    "a slope of one axis": (
        lambda d: gradient_back((d, B), A, [0.5], None, 1, (True, True)),
        np.zeros((3, 3)),
    ),
    "items of a product": (
        lambda d: product_back_push(2.0, (d, 3.0), 1.5, [2.0, 3.0], 1.2),
        [0.0, 0.0],
    ),
    "tangents of a product": (
        lambda d: product_back_push(d, ([1.0, 2.0], 3.0), 1.5, [2.0, 3.0], 1.2),
        0.0,
    ),
}


def flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in flat(item)]
    return [] if value is None else np.ravel(value).tolist()


@pytest.mark.parametrize("name", ZEROS)
def test_what_is_missing_counts_as_zeros(name: str) -> None:
    function, zeros = ZEROS[name]
    found, wanted = flat(function(None)), flat(function(zeros))
    np.testing.assert_allclose(found, wanted, atol=1e-14)
    assert np.any(np.array(wanted) != 0)


def test_what_is_missing_of_several_stays_missing() -> None:
    assert reshape_each((None, V), ((3,), (3, 1)))[0] is None
    assert reshape_each((None, V), ((3,), (3, 1)))[1].shape == (3, 1)
    assert unbroadcast_each((A, None), ((3,), ()))[1] is None
    np.testing.assert_array_equal(unbroadcast_each((A, None), ((3,), ()))[0], A.sum(0))
    assert broadcast_each((None, V), ((3,), (2, 3)))[0] is None
    assert broadcast_each((None, V), ((3,), (2, 3)))[1].shape == (2, 3)
    first, second = meshgrid_back((None, A), ((3,), (3,)), "xy")
    assert first is None
    np.testing.assert_array_equal(second, A.sum(1))
    assert only_if(None, 2.0, ()) is None
    assert scaled_back(None, 2) is None
    assert scaled_back(3.0, 2) == 0.75
    assert average_back(None, V, A, None, 0, False) == (None, None)
    np.testing.assert_array_equal(
        average_back(V, None, A, None, 0, False)[0], np.tile(V / 3, (3, 1))
    )


def test_a_contraction_of_what_rests_rests() -> None:
    operands = ("ij,j->i", A, V)
    assert einsum_push((None, None, None), operands, (False, False, False)) == 0.0
    found = einsum_push((None, None, W), operands, (False, False, True))
    np.testing.assert_allclose(found, A @ W)


@pytest.mark.parametrize("ends", [(None, None), (V[:1], None), (None, W[:2]), (V[:2], W[:1])])
@pytest.mark.parametrize("n", [1, 2])
def test_differences_move_with_what_they_are_of(ends: tuple[Any, Any], n: int) -> None:
    before, after = ends
    given = {"prepend": before, "append": after}
    options = {name: part for name, part in given.items() if part is not None}
    shapes = [None if part is None else part.shape for part in (before, V, after)]
    found = diff_push((V, before, after), shapes, n, 0)
    np.testing.assert_array_equal(found, np.diff(V, n, **options))
    grad = rng.normal(size=found.shape)
    backs = diff_back(grad, shapes, n, 0)
    pairs = zip(backs, (V, before, after), strict=True)
    total = sum(np.sum(b * part) for b, part in pairs if part is not None)
    assert total == pytest.approx(np.sum(grad * found))


def test_a_derivative_of_a_matrix_function_rests_where_its_matrix_does() -> None:
    both = frechet_push((A, B), np.linalg.inv, UP, A)
    one = frechet_push((A, None), np.linalg.inv, UP, A)
    other = frechet_push((None, B), np.linalg.inv, UP, A)
    np.testing.assert_allclose(both, one + other)


NUMBERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "a power of zero": (lambda: power_log_slope(0.0, 2.0, 0.0), 0.0),
    "a power": (lambda: power_log_slope(2.0, 3.0, 8.0), 8.0 * math.log(2.0)),
    "a power of less": (lambda: power_log_slope(-2.0, 2.0, 4.0), math.nan),
    "a quotient": (lambda: divide_or_zero(3.0, 2.0), 1.5),
    "a quotient by zero": (lambda: divide_or_zero(3.0, 0.0), 0.0),
    "a tangent of a number": (lambda: cast_push(2.0, float), 2.0),
    "a tangent of whole numbers": (lambda: cast_push(2.0, int), 0.0),
    "a number": (lambda: as_shape(2.0, ()), 2.0),
    "a number in a shape": (lambda: as_shape(2.0, (1, 1)), np.full((1, 1), 2.0)),
    "the logistic": (lambda: float(logistic(0.3)), 1.0 / (1.0 + math.exp(-0.3))),
    "the falling one": (lambda: float(falling_logistic(0.3)), 1.0 / (1.0 + math.exp(0.3))),
    "the distance of points": (lambda: steps_between(1.0, 3.0, 5, True), 0.5),
    "that of points before the end": (lambda: steps_between(1.0, 3.0, 4, False), 0.5),
    "that of one point": (lambda: steps_between(1.0, 3.0, 1, True), 0.0),
    "places in memory as it is": (
        lambda: strided_places(np.ones((2, 2)), None, None),
        [[0, 1], [2, 3]],
    ),
    "places of other strides": (lambda: strided_places(np.ones(4), None, (-0,)), [0] * 4),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_the_slopes_that_arrays_have(name: str) -> None:
    made, wanted = NUMBERS[name]
    found = made()
    np.testing.assert_array_equal(found, wanted)
    assert np.shape(found) == np.shape(wanted)


def test_what_equals_nothing_has_no_share() -> None:
    nan = math.nan
    assert shared_each(1.0, ([nan, 2.0],), nan) == ([0.0, 0.0],)
    (found,) = shared_each(1.0, (np.array([nan, 2.0, 1.0]),), nan)
    np.testing.assert_array_equal(found, np.zeros(3))
    (found,) = shared_each(1.0, (np.array([3.0, 2.0, 3.0]),), np.float64(3.0))
    np.testing.assert_array_equal(found, [0.5, 0.0, 0.5])
    rows = shared_each([1.0, 2.0], ([1.0, 0.5], [3.0, 0.1]), [3.0, 0.1])
    assert rows == ([0.0, 0.0], [1.0, 2.0])


def test_the_median_of_nothing_has_no_tangent() -> None:
    method = ("linear", False, True)
    found = quantile_push((np.zeros((2, 0)), None), np.zeros((2, 0)), 0.5, 1, method, True, 1.0)
    assert found.shape == (2, 1)
    assert np.isnan(found).all()


@pytest.mark.parametrize("kind", ["f8", "f4", "c16"])
def test_repeated_places_are_added_up_one_after_the_other(kind: str) -> None:
    grad = rng.normal(size=(40, 5)).astype(kind)
    rows, columns = rng.integers(0, 6, (40, 1)), np.array([0, 1, 1, 3, 0])
    wanted = np.zeros((6, 5), kind)
    for place in np.ndindex(40, 5):
        wanted[rows[place[0], 0], columns[place[1]]] += grad[place]
    np.testing.assert_allclose(scatter(grad, (rows, columns), (6, 5)), wanted, rtol=1e-4)


def test_tensors_are_joined_as_arrays_are() -> None:
    x, y = sg.tensor(V, requires_grad=True), sg.tensor(0.5, requires_grad=True)
    joined = join_rows([x, y, np.ones(2)])
    np.testing.assert_array_equal(joined.detach().numpy(), np.r_[V, 0.5, np.ones(2)])
    joined.backward(sg.tensor(np.arange(6.0)))
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 1.0, 2.0])
    assert y.grad.item() == 3.0


def test_adjoints_of_a_product_of_matrices_move_with_each_of_these() -> None:
    arrays, grad, dots = (A, B, A), rng.normal(size=(3, 3)), (B, A, B)
    both = multi_dot_back_push(A, dots, grad, arrays)
    one = multi_dot_back_push(None, dots, grad, arrays)
    other = multi_dot_back_push(A, None, grad, arrays)
    for whole, part, rest in zip(both, one, other, strict=True):
        np.testing.assert_allclose(whole, part + rest)
        assert np.any(part)
        assert np.any(rest)
