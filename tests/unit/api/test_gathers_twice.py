"""Tests second derivatives of programs that read elements by index arrays, lists and keys."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

pytestmark = pytest.mark.filterwarnings("error")  # all by source
X = np.array([0.3, 0.7, 1.2])
WEIGHTS = np.array([0.2, 1.0, -0.5])
LINKS = np.array([[0, 1], [2, 2], [0, 2], [0, 1]])
PLACES = [[0, 0, 1], np.array([2, 2]), np.array([True, False, True]), slice(0, 2), 1]


def gathered(x, k):
    return np.sum(np.cos(x[k]) ** 2) + np.sum(x[k] * x[0])


def springs(x, links):
    return np.sum(np.cos(x[links[:, 0]] - x[links[:, 1]]) ** 2) + np.sum(x**4)


def element(p, k):
    return np.exp(p[k]) ** 3 + p[0] * p[k]


def rows(p, k):
    return np.sum(p["w"][k] ** 3) * p["b"]


def hessian_by_differences(f, k):
    slope, step = sg.grad(f), 1e-5
    moved = [(slope(X + step * u, k) - slope(X - step * u, k)) / (2 * step) for u in np.eye(3)]
    return np.stack(moved)


@pytest.mark.parametrize(
    ("f", "k"),
    [
        *((gathered, place) for place in PLACES),
        *((element, place) for place in (0, 2, np.int64(1))),
        (springs, LINKS),
        (springs, LINKS[:0]),
    ],
    ids=lambda value: getattr(value, "__name__", str(value).replace("\n", "")),
)
def test_second_derivatives_of_gathers_agree_with_differences(f, k):
    inner = sg.grad(f)

    def weighted(x, k):
        return np.sum(WEIGHTS * inner(x, k))

    expected = hessian_by_differences(f, k)
    np.testing.assert_allclose(sg.hessian(f)(X, k), expected, atol=1e-8)
    np.testing.assert_allclose(sg.grad(weighted)(X, k), WEIGHTS @ expected, atol=1e-8)


@pytest.mark.parametrize("k", [0, 2])
def test_elements_of_lists_and_dicts_are_added_to_in_place(k):
    expected = hessian_by_differences(element, k) @ WEIGHTS
    values, weights = X.tolist(), WEIGHTS.tolist()
    found = sg.hvp(element, (values, k), (weights, None))
    np.testing.assert_allclose(found, expected, atol=1e-8)
    by_key, along = dict(enumerate(values)), dict(enumerate(weights))
    found = sg.hvp(element, (by_key, k), (along, None))
    np.testing.assert_allclose([found[key] for key in range(3)], expected, atol=1e-8)


def test_a_gather_from_an_entry_of_a_dict_counts_places_twice():
    p, k = {"w": X, "b": 2.0}, np.array([0, 0, 2])
    found = sg.hvp(rows, (p, k), ({"w": WEIGHTS, "b": 1.0}, None))
    step = 1e-5
    ends = [sg.grad(rows)({"w": X + t * WEIGHTS, "b": 2.0 + t}, k) for t in (step, -step)]
    np.testing.assert_allclose(found["w"], (ends[0]["w"] - ends[1]["w"]) / (2 * step), atol=1e-8)
    np.testing.assert_allclose(found["b"], (ends[0]["b"] - ends[1]["b"]) / (2 * step), atol=1e-8)
