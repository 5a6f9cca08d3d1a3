"""Losses that are smooth where eigenvalues or singular values are equal or zero.

Their derivatives are those of differences, both ways. What cannot be told is NaN: never another
number.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import srcgrad as sg
from srcgrad.autograd import forward_ad
from tests.traps.checking import without_source

_DRAWN = np.random.default_rng(5)
WEIGHTS = _DRAWN.normal(size=(4, 4))


def turned(*values: float, rows: int = 0) -> Any:
    """Return a matrix with the singular values given."""
    n = len(values)
    left = np.linalg.qr(np.random.default_rng(1).normal(size=(rows or n, n)))[0]
    right = np.linalg.qr(np.random.default_rng(2).normal(size=(n, n)))[0]
    return left * np.array(values) @ right


MATRICES = {
    "zero": np.zeros((3, 3)),
    "zero, tall": np.zeros((4, 3)),
    "unit": 2.0 * np.eye(3),
    "two equal": turned(2.0, 2.0, 1.0),
    "two equal, tall": turned(2.0, 2.0, 1.0, rows=4),
    "rank one": np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0]),
    "rank two, tall": turned(2.0, 1.0, 0.0, rows=4),
    "any": turned(3.0, 2.0, 1.0, rows=4),
}


def rebuilt(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum((u * s) @ vh * WEIGHTS[: len(a), :3])


def cubed(a):
    u, s, vh = np.linalg.svd(a)
    u = u[:, :3]
    return np.sum((u * s**3) @ vh * WEIGHTS[: len(a), :3])


def gram(a):
    _, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum((vh.T * s**2) @ vh * WEIGHTS[:3, :3])


def squares(a):
    return np.sum(np.linalg.svd(a)[1] ** 2)


def on_the_left(a):
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    return np.sum((u * s**2) @ u.T * WEIGHTS[: len(a), : len(a)])


def of_both(a):
    u, s, _ = np.linalg.svd(a, full_matrices=False)
    return np.sum((u * np.expm1(s**2)) @ u.T) + np.sum(s**4)


SMOOTH = [rebuilt, cubed, gram, squares, on_the_left, of_both]


def differences(f, a):
    found = np.zeros_like(a)
    for place in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[place] = 1e-5
        found[place] = (f(a + step) - f(a - step)) / 2e-5
    return found


def tangent_on_tape(f, a, direction):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(sg.tensor(a), sg.tensor(direction))
        return forward_ad.unpack_dual(f(dual)).tangent.numpy()


@pytest.mark.parametrize("f", SMOOTH, ids=lambda f: f.__name__)
def test_smooth_losses_of_singular_values_have_their_derivative(f):
    gradient = sg.grad(f, fallback="error")
    for name, a in MATRICES.items():
        expected = differences(f, a)
        direction = np.random.default_rng(3).normal(size=a.shape)
        np.testing.assert_allclose(gradient(a), expected, rtol=1e-5, atol=1e-6, err_msg=name)
        leaf = sg.tensor(a, requires_grad=True)
        f(leaf).backward()
        on_tape = leaf.grad.numpy()
        np.testing.assert_allclose(on_tape, expected, rtol=1e-5, atol=1e-6, err_msg=name)
        along = np.sum(expected * direction)
        assert sg.jvp(f, (a,), (direction,))[1] == pytest.approx(along, rel=1e-5, abs=1e-6), name
        found = tangent_on_tape(f, a, direction)
        assert np.isnan(found) or found == pytest.approx(along, rel=1e-5, abs=1e-6), name


def eigen_rebuilt(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * w) @ v.T)


def general_rebuilt(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.real((v * np.exp(w)) @ np.linalg.inv(v)) * WEIGHTS[:3, :3])


def test_tangents_that_mix_equal_eigenvalues_are_those_of_differences():
    a, direction = 2.0 * np.eye(3), np.ones((3, 3))
    for f in (eigen_rebuilt, general_rebuilt):
        along = (f(a + 1e-5 * direction) - f(a - 1e-5 * direction)) / 2e-5
        assert sg.jvp(f, (a,), (direction,))[1] == pytest.approx(along, rel=1e-8)
        assert np.isnan(tangent_on_tape(f, a, direction))


@pytest.mark.parametrize("values", [[2.0, 2.0, 3.0], [2.0, 2.0, 2.0]])
def test_the_tape_finds_limits_of_functions_of_any_matrix(values):
    a = np.diag(values)
    found = sg.grad(general_rebuilt, backend="tape")(a)
    wanted = scipy.linalg.expm_frechet
    for place in np.ndindex(3, 3):
        unit = np.zeros((3, 3))
        unit[place] = 1.0
        slope = np.sum(WEIGHTS[:3, :3] * wanted(a, unit, compute_expm=False))
        assert found[place] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_vectors_that_would_become_complex_have_no_tangent_at_equal_eigenvalues():
    turning = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.warns(sg.TieWarning, match="general_rebuilt.*kink"):
        assert np.isnan(sg.jvp(general_rebuilt, (2.0 * np.eye(3),), (turning,))[1])


def with_eigenvalues(a):
    w, v = np.linalg.eigh((a + a.T) / 2)
    return np.sum((v * np.exp(w)) @ v.T) + np.sum(w**3)


def two_functions(a):
    w, v = np.linalg.eigh((a + a.T) / 2)
    weights = WEIGHTS[:3, :3]
    diagonal = np.diag(np.diag(weights))
    return np.sum(weights * ((v * np.exp(w)) @ v.T)) + np.sum(diagonal * ((v * w**3) @ v.T))


def likelihood(a):
    w, v = np.linalg.eigh(a @ a.T + np.eye(3))
    return np.sum((v.T @ WEIGHTS[0, :3]) ** 2 / w) + np.sum(np.log(w))


def solution(a):
    w, v = np.linalg.eigh((a + a.T) / 2 + np.eye(3))
    scaled = v / np.sqrt(np.maximum(w, 0.1))
    return WEIGHTS[1, :3] @ (scaled @ (scaled.T @ WEIGHTS[0, :3])) + np.max(np.abs(a)) * 0.0


def function_of_a_function(a):
    w, v = np.linalg.eigh(a @ a.T)
    root = (v * np.exp(w)) @ v.T
    x, y = np.linalg.eigh(root)
    return np.sum((y / x) @ y.T * WEIGHTS[:3, :3]) + np.sum(np.log(x)) + np.sum(w)


def of_scipy(a):
    w, v = scipy.linalg.eigh((a + a.T) / 2, np.eye(3) + 0.0 * a @ a.T)
    return np.sum((v * np.exp(w)) @ v.T) + np.sum(w**3)


def of_a_chain(a):
    w, v = scipy.linalg.eigh_tridiagonal(np.diag(a), np.diag(a, 1))
    return np.sum((v * np.exp(w)) @ v.T) + np.sum(w**3)


SEVERAL = [with_eigenvalues, two_functions, likelihood, solution, function_of_a_function]
SEVERAL += [of_scipy, of_a_chain]


@pytest.mark.parametrize("f", SEVERAL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_several_terms_of_one_factorisation_add_up(f, fallback):
    subject = without_source(f) if fallback == "tape" else f
    direction = np.random.default_rng(3).normal(size=(3, 3))
    for a in (2.0 * np.eye(3), np.diag([1.0, 2.0, 2.0]))[: 1 if fallback == "tape" else 2]:
        expected = differences(f, a)
        found = sg.grad(subject, fallback=fallback)(a)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
        along = np.sum(expected * direction)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.FallbackWarning)
            assert sg.jvp(subject, (a,), (direction,))[1] == pytest.approx(along, abs=1e-6)
            value, pull = sg.vjp(subject, a)
        assert value == f(a)
        np.testing.assert_allclose(pull(2.0)[0], 2.0 * expected, rtol=1e-6, atol=1e-7)


def test_jacobians_at_equal_values_go_seed_by_seed():
    a = 2.0 * np.eye(3)
    columns, rows_first = sg.jacfwd(rows)(a), sg.jacrev(rows)(a)
    np.testing.assert_allclose(columns, rows_first, atol=1e-9)
    for place in np.ndindex(3, 3):
        expected = differences(lambda a, place=place: rows(a)[place], a)
        np.testing.assert_allclose(columns[place], expected, atol=1e-8)


def chosen_vector(a):
    w, v = np.linalg.eigh((a + a.T) / 2)
    return v[0, 0] + np.sum(w)


def with_a_kink(a):
    w, v = np.linalg.eigh((a + a.T) / 2)
    return w[-1] + np.sum(WEIGHTS[:3, :3] * ((v * w**3) @ v.T))


@pytest.mark.parametrize(("f", "why"), [(chosen_vector, "chosen"), (with_a_kink, "kink")])
def test_losses_without_a_derivative_are_nan_and_say_why(f, why):
    a, direction = 2.0 * np.eye(3), np.random.default_rng(3).normal(size=(3, 3))
    with pytest.warns(sg.TieWarning, match=why):
        assert np.isnan(sg.grad(f)(a)).all()
    with pytest.warns(sg.TieWarning, match=why):
        assert np.isnan(sg.jvp(f, (a,), (direction,))[1])


def test_the_auxiliary_part_of_a_result_may_depend_on_the_choice():
    def f(a):
        w, v = np.linalg.eigh((a + a.T) / 2)
        return np.sum((v * np.exp(w)) @ v.T), v

    grad, v = sg.grad(f, has_aux=True)(np.eye(3))
    np.testing.assert_allclose(grad, differences(lambda a: f(a)[0], np.eye(3)), atol=1e-8)
    np.testing.assert_array_equal(v, np.eye(3))


def rows(a):
    w, v = np.linalg.eigh((a + a.T) / 2)
    return (v * np.exp(w)) @ v.T


def test_a_matrix_of_tangents_is_right():
    direction = np.random.default_rng(3).normal(size=(3, 3))
    twice = turned(2.0, 2.0, 1.0)
    for a in (2.0 * np.eye(3), twice @ twice.T):
        value, tangent = sg.jvp(rows, (a,), (direction,))
        step = 1e-5 * direction
        np.testing.assert_allclose(value, rows(a), rtol=1e-14)
        expected = (rows(a + step) - rows(a - step)) / 2e-5
        np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-6)


def of_eigenvalues(a):
    return np.sum(np.exp(np.linalg.eigvalsh((a + a.T) / 2)))


def of_singular_values(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 2)


def of_general_eigenvalues(a):
    return np.sum(np.real(np.linalg.eigvals(a)) ** 2)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning", "ignore::srcgrad.TieWarning")
@pytest.mark.parametrize("f", [of_eigenvalues, of_singular_values, of_general_eigenvalues])
def test_second_derivatives_are_right_or_nan_where_values_are_equal(f):
    direction = np.random.default_rng(3).normal(size=(3, 3))
    gradient = sg.grad(f)
    for a in (2.0 * np.eye(3), np.zeros((3, 3)), turned(2.0, 2.0, 1.0), turned(3.0, 2.0, 1.0)):
        np.testing.assert_allclose(gradient(a), differences(f, a), rtol=1e-6, atol=1e-6)
        step = 1e-4 * direction
        expected = (differences(f, a + step) - differences(f, a - step)) / 2e-4
        for found in (sg.vjp(gradient, a)[1](direction)[0], sg.hvp(f, (a,), (direction,))):
            assert np.isnan(found).any() or np.allclose(found, expected, rtol=1e-3, atol=1e-3)
        if f is of_eigenvalues and a[0, 0] == 2.0:
            assert np.isfinite(found).all()
            whole = np.einsum("ijkl,kl", sg.hessian(f)(a), direction)
            np.testing.assert_allclose(whole, expected, rtol=1e-3, atol=1e-3)
    assert np.isfinite(found).all()  # where they are not equal


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning", "ignore::srcgrad.TieWarning")
def test_second_derivatives_of_vectors_are_nan_where_values_are_equal():
    a, direction = 2.0 * np.eye(3), np.random.default_rng(3).normal(size=(3, 3))
    assert np.isnan(sg.hvp(with_eigenvalues, (a,), (direction,))).any()
    assert np.isnan(sg.vjp(sg.grad(with_eigenvalues), a)[1](direction)[0]).any()
    assert np.isnan(sg.hessian(with_eigenvalues)(a)).any()


def through_eig(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.real(v) ** 4) + np.sum(np.real(w) ** 2)


def test_tangents_of_general_eigenvalues_are_those_of_differences():
    a = np.array([[2.0, 0.3, 0.1], [0.2, 1.0, -0.4], [0.5, 0.1, -1.0]])
    direction = np.random.default_rng(3).normal(size=a.shape)
    along = np.sum(differences(through_eig, a) * direction)
    assert sg.jvp(through_eig, (a,), (direction,))[1] == pytest.approx(along, rel=1e-6)
    assert tangent_on_tape(through_eig, a, direction) == pytest.approx(along, rel=1e-6)


def test_second_derivatives_of_singular_determinants_are_right_or_nan():
    a = np.zeros((2, 2))
    whole = sg.hessian(np_det)(a)
    for place in np.ndindex(2, 2):
        expected = differences(lambda a, place=place: sg.grad(np_det)(a)[place], a)
        np.testing.assert_allclose(whole[place], expected, atol=1e-9)
    leaf = sg.tensor(a, requires_grad=True)
    (grad,) = sg.autograd.grad(np_det(leaf), leaf, create_graph=True)
    (twice,) = sg.autograd.grad(grad[0, 1], leaf)
    assert np.isnan(twice.numpy()).all()


def np_det(a):
    return np.linalg.det(a)


def vectors_chosen_by_what_they_hold(x: Any) -> Any:
    _, vectors = np.linalg.eigh(np.diag(x))
    return vectors[:, np.nonzero(vectors[0] ** 2 > 0.9)[0]]


def test_a_value_that_has_another_shape_for_other_vectors_has_no_derivative() -> None:
    value, pull = sg.pullback(vectors_chosen_by_what_they_hold, fallback="error")(np.ones(2))
    with pytest.warns(sg.TieWarning, match="eigenvalues"):
        assert np.isnan(pull(np.ones_like(value))).all()
