"""Exported modules where eigenvalues or singular values are equal: right, or NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

WEIGHTS = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 5.0], [7.0, 8.0, 4.0]])
BESIDE = WEIGHTS - np.diag(np.diag(WEIGHTS))
LEFT = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
RIGHT = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]

same = (LEFT * [2.0, 2.0, 1.0]) @ LEFT.T
low = (LEFT * [3.0, 0.0, 0.0]) @ RIGHT


def one_function(a):
    w, v = np.linalg.eigh(a)
    scaled = v * (np.exp(w) / 2.0)
    return np.sum(np.sin(scaled @ v.T) * WEIGHTS)


def by_diagonal(a):
    w, v = np.linalg.eigh(a + a.T)
    return np.sum(v @ np.diag(np.sqrt(w + 5.0)) @ v.T * WEIGHTS)


def values_alone(a):
    w, _ = np.linalg.eigh(a)
    return np.sum(np.exp(w))


def lowest(a):
    w, v = np.linalg.eigh(a)
    return (v[:, 0] @ WEIGHTS[0]) ** 2 + w[0]


def truncated(a):
    u, s, vh = np.linalg.svd(a)
    return np.sum((u[:, :1] * s[:1]) @ vh[:1, :] * WEIGHTS)


@pytest.mark.parametrize(
    ("f", "a"),
    [
        (one_function, same),
        (one_function, 2 * np.eye(3)),
        (by_diagonal, same),
        (values_alone, same),
        (lowest, same),
        (truncated, low),
    ],
)
def test_what_the_way_of_writing_tells_is_right(f: Any, a: Any) -> None:
    np.testing.assert_allclose(exported(f)(a), differences(f, a), rtol=1e-6, atol=1e-7)


def two_functions(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * w) @ v.T * BESIDE) + np.sum((v * w**2) @ v.T * (WEIGHTS - BESIDE))


def read_again(a):
    w, v = np.linalg.eigh(a)
    h = np.exp(w)
    return np.sum((v * h) @ v.T * WEIGHTS) + np.sum(h)


def scaled_by_all(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * (w / (np.sum(w) + 1.0))) @ v.T * WEIGHTS)


def in_a_loop(a):
    w, v = np.linalg.eigh(a)
    total = 0.0
    for k in range(1, 3):
        total = total + np.sum((v * w**k) @ v.T * WEIGHTS**k)
    return total


def that_vanishes(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * (w - 2.0)) @ v.T * BESIDE)


def all_columns(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v[:, :1] * w[:1]) @ v[:, :1].T + (v[:, 1:] * w[1:]) @ v[:, 1:].T)


def rebuilt(a):
    u, s, vh = np.linalg.svd(a)
    return np.sum((u * s) @ vh * WEIGHTS)


NOT_TOLD = [
    two_functions,
    read_again,
    scaled_by_all,
    in_a_loop,
    that_vanishes,
    all_columns,
    rebuilt,
]


@pytest.mark.parametrize("f", NOT_TOLD)
def test_what_it_does_not_tell_is_nan(f: Any) -> None:
    gradient = exported(f)
    for a in (2 * np.eye(3), 0 * np.eye(3)):
        assert np.isnan(gradient(a)).any()
    apart = (LEFT * [3.0, 2.0, 1.0]) @ LEFT.T
    np.testing.assert_allclose(gradient(apart), differences(f, apart), rtol=1e-5, atol=1e-6)


def exported(f: Any) -> Callable[..., Any]:
    scope: dict[str, Any] = {}
    exec(sg.grad(f, fallback="error").export(), scope)
    made: Callable[..., Any] = scope[f"{f.__name__}_grad"]
    return made


def differences(f: Any, a: Any) -> Any:
    found = np.zeros((3, 3))
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = 1e-5
        found[place] = (f(a + step) - f(a - step)) / 2e-5
    return found
