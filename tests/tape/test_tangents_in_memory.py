"""Tests that a part of a tangent is found where the part of its value is, whatever its order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.autograd import forward_ad


def chosen_across(x: Any) -> Any:
    x.reshape(-1)[2] += 2.0
    return np.sum(np.sin(np.where(np.ones((3, 2), bool), x.T, 1.2)))


def stacked_across(x: Any) -> Any:
    x.ravel()[1:5:2] *= 2.0
    return np.sum(np.sin(np.stack([x.T, x.T])))


def part_of_a_part(x: Any) -> Any:
    x.reshape(3, 2)[1:].reshape(-1)[1] *= x[0, 0]
    return np.sum(np.cos(np.where(x.T > -9.0, x.T, 0.0)) * x.T)


@pytest.mark.parametrize("f", [chosen_across, stacked_across, part_of_a_part])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_with_hessians(f: Any, order: Any) -> None:
    rng = np.random.default_rng(3)
    x, v = rng.normal(size=(2, 3)), np.array(rng.normal(size=(2, 3)), order=order)
    step = 1e-6
    gradient = sg.grad(f, backend="tape")
    expected = (gradient(x + step * v) - gradient(x - step * v)) / (2 * step)
    found = sg.hvp(f, (x.copy(),), (v,), backend="tape")
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_tangent_of_another_order(order: Any) -> None:
    tangent = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], order=order)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(sg.tensor(np.ones((2, 3))), sg.tensor(tangent))
        part = dual.reshape(-1)
        part[2] *= 3.0
        found = forward_ad.unpack_dual(dual).tangent
        np.testing.assert_array_equal(found.numpy(), [[1.0, 2.0, 9.0], [4.0, 5.0, 6.0]])
