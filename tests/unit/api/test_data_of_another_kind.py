"""Derivatives of gradients after the module's data have become something else."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

RATE = 0.4
X, V = np.array([0.3, 0.8, 1.1]), np.array([1.0, 0.5, 2.0])


def moved(w):
    w = np.where(w, w, w)
    np.add.at(w, 1, RATE)
    return np.sum(np.sin(w))


@pytest.mark.parametrize(
    "values",
    [(0.4, np.array(0.6)), (np.array(0.6), 0.3, 0.9), (np.array([0.1, 0.2])[1], np.array(0.5))],
    ids=["an array", "numbers", "no number of NumPy's"],
)
def test_products_with_hessians_follow_the_data(values, monkeypatch) -> None:
    step = 1e-5
    for value in values:
        monkeypatch.setitem(globals(), "RATE", value)
        grad = sg.grad(moved)
        expected = (grad(X + step * V) - grad(X - step * V)) / (2.0 * step)
        np.testing.assert_allclose(sg.hvp(moved, (X,), (V,)), expected, rtol=1e-6)
