"""Losses that are smooth where eigenvalues or singular values are equal or zero.

Their derivatives, by source and on the tape, are those of differences, or NaN where the gradients
of the factors do not tell them: never another number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.autograd import forward_ad

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


SMOOTH = [rebuilt, cubed, gram, squares, on_the_left]
LOST = {rebuilt: ("zero", "zero, tall", "rank one")}
"""Where nothing is left of the gradients of the vectors, which come times a zero."""


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
def test_smooth_losses_of_singular_values_have_their_derivative_or_nan(f):
    gradient = sg.grad(f, fallback="error")
    for name, a in MATRICES.items():
        expected = differences(f, a)
        direction = np.random.default_rng(3).normal(size=a.shape)
        leaf = sg.tensor(a, requires_grad=True)
        f(leaf).backward()
        for found in (gradient(a), leaf.grad.numpy()):
            if name in LOST.get(f, ()):
                assert np.isnan(found).any(), name
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=name)
        along = np.sum(expected * direction)
        for found in (sg.jvp(f, (a,), (direction,))[1], tangent_on_tape(f, a, direction)):
            assert np.isnan(found) or found == pytest.approx(along, rel=1e-5, abs=1e-6), name


def eigen_rebuilt(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * w) @ v.T)


def general_rebuilt(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.real((v * np.exp(w)) @ np.linalg.inv(v)) * WEIGHTS[:3, :3])


def test_what_comes_times_an_eigenvalue_of_zero_is_nan():
    a = np.zeros((3, 3))
    assert np.isnan(sg.grad(eigen_rebuilt, fallback="error")(a)).any()
    leaf = sg.tensor(a, requires_grad=True)
    eigen_rebuilt(leaf).backward()
    assert np.isnan(leaf.grad.numpy()).any()


def test_tangents_that_mix_equal_eigenvalues_are_nan_or_told_by_adjoints():
    a, direction = 2.0 * np.eye(3), np.ones((3, 3))
    along = np.sum(differences(eigen_rebuilt, a) * direction)
    assert sg.jvp(eigen_rebuilt, (a,), (direction,))[1] == pytest.approx(along, rel=1e-8)
    assert np.isnan(sg.jvp(general_rebuilt, (a,), (direction,))[1])
    for f in (eigen_rebuilt, general_rebuilt):
        assert np.isnan(tangent_on_tape(f, a, direction))


def rows(a):
    w, v = np.linalg.eigh((a + a.T) / 2)
    return (v * np.exp(w)) @ v.T


def test_a_matrix_of_tangents_is_right_or_nan():
    direction = np.random.default_rng(3).normal(size=(3, 3))
    twice = turned(2.0, 2.0, 1.0)
    for a in (2.0 * np.eye(3), twice @ twice.T):
        value, tangent = sg.jvp(rows, (a,), (direction,))
        step = 1e-5 * direction
        np.testing.assert_allclose(value, rows(a), rtol=1e-14)
        expected = (rows(a + step) - rows(a - step)) / 2e-5
        told = np.isfinite(tangent)
        assert told.any()
        np.testing.assert_allclose(tangent[told], expected[told], rtol=1e-6, atol=1e-6)


def of_eigenvalues(a):
    return np.sum(np.exp(np.linalg.eigvalsh((a + a.T) / 2)))


def of_singular_values(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 2)


def of_general_eigenvalues(a):
    return np.sum(np.real(np.linalg.eigvals(a)) ** 2)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
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
    assert np.isfinite(found).all()  # where they are not equal


def through_eig(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.real(v) ** 4) + np.sum(np.real(w) ** 2)


def test_tangents_of_general_eigenvalues_are_those_of_differences():
    a = np.array([[2.0, 0.3, 0.1], [0.2, 1.0, -0.4], [0.5, 0.1, -1.0]])
    direction = np.random.default_rng(3).normal(size=a.shape)
    along = np.sum(differences(through_eig, a) * direction)
    assert sg.jvp(through_eig, (a,), (direction,))[1] == pytest.approx(along, rel=1e-6)
    assert tangent_on_tape(through_eig, a, direction) == pytest.approx(along, rel=1e-6)
