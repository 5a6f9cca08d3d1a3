"""Tests of tangents of what may be views or copies, as the run alone tells."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def raveled_and_written(m):
    flat = m.ravel()
    flat[1] = m[0, 0] ** 2
    return np.sum(m**2) + np.sum(flat**3)


def raveled_of_a_product(m):
    doubled = m * 2.0
    flat = doubled.ravel()
    flat[1] = m[0, 0] ** 2
    return np.sum(doubled**2) + np.sum(flat**3)


def contiguous_and_written(m):
    rows = np.ascontiguousarray(m * 1.0)
    rows[0, 1] = m[1, 1]
    rows += rows[0] * 0.5
    return np.sum(rows**2)


def _moved(m, v, h):
    moved = m.copy(order="K")
    moved += h * v
    return moved


MATRIX = np.random.default_rng(0).normal(size=(2, 3))
SEED = np.random.default_rng(1).normal(size=(2, 3))
LAYOUTS = {
    "rows": MATRIX,
    "columns": np.asfortranarray(MATRIX),
    "backwards": MATRIX[::-1],
    "transposed": np.ascontiguousarray(MATRIX.T).T,
}
SEEDS = {
    "rows": SEED,
    "columns": np.asfortranarray(SEED),
    "spread": np.broadcast_to(SEED[0], (2, 3)),
}


@pytest.mark.parametrize("f", [raveled_and_written, raveled_of_a_product, contiguous_and_written])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_tangent_is_a_view_where_the_value_is_one(f, layout, seed):
    m, v, h = LAYOUTS[layout], SEEDS[seed], 1e-6
    wanted = (f(_moved(m, v, h)) - f(_moved(m, v, -h))) / (2 * h)
    kept = v.copy()
    _, tangent = sg.jvp(f, (m.copy(order="K"),), (v,), fallback="error")
    assert tangent == pytest.approx(wanted, rel=1e-6)
    np.testing.assert_array_equal(v, kept)


def test_a_tangent_that_is_laid_out_otherwise_goes_to_the_tape():
    def mixed(m, w):
        product = m * w  # whose tangent has the layout of that of `w` alone
        flat = product.reshape(-1)
        flat[1] = w[0, 0] * 3.0
        return np.sum(product**2)

    w = np.asfortranarray(SEED)
    seeds = np.zeros((2, 3)), np.ones((2, 3))
    _, tangent = sg.jvp(mixed, (MATRIX, w), seeds)
    h = 1e-6
    wanted = (mixed(MATRIX, _moved(w, seeds[1], h)) - mixed(MATRIX, _moved(w, seeds[1], -h))) / (
        2 * h
    )
    assert tangent == pytest.approx(wanted, rel=1e-6)
