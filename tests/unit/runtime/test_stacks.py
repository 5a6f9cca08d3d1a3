"""Checks factors that a stack puts off: they change nothing, and only where nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime.stacks import Stack, puts_off, writes_in_place

rng = np.random.default_rng(5)
ROWS, A, B = rng.normal(size=(4, 2, 3)), rng.normal(size=(2, 3)), rng.normal(size=3)

STEPS: dict[str, Callable[[Any], Any]] = {
    "products": lambda s: s * A * B * 2.0,
    "products from the left": lambda s: 3.0 * (A * -s),
    "a difference of multiples": lambda s: s * A * B - s * B,
    "a sum with the rows themselves": lambda s: s + s * A,
    "a sum of different rows": lambda s: s * A + (s @ np.eye(3)) * B,
    "a quotient": lambda s: s * A / B,
    "a factor that widens": lambda s: s * np.ones((5, 2, 3)),
    "another type": lambda s: s * A.astype(np.float32) * np.arange(3),
    "complex factors": lambda s: s * (A * 1j),
    "views": lambda s: (s * A)[0] * B + (s * A).T[0, 0],
    "a product of matrices": lambda s: (s * A) @ np.outer(B, B) * A,
    "a sum over an axis": lambda s: (s * A).sum(axis=0) * B,
    "a selection": lambda s: np.where(A > 0, s * A, 0.0) * B,
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_factors_put_off_change_nothing(
    step: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = step(Stack(ROWS)).rows
    monkeypatch.setattr(puts_off, "on", True)
    later = step(Stack(ROWS)).rows
    assert later.dtype == at_once.dtype
    np.testing.assert_allclose(later, at_once, 1e-13)


def test_factors_are_not_put_together_where_that_overflows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(puts_off, "on", True)
    large = np.full(3, 1e200)
    found = Stack(np.full((2, 3), 1e-300)) * large * large
    np.testing.assert_allclose(found.rows, 1e100)


@pytest.mark.parametrize(
    "line",
    ["x += 1", "x[0] = 1", "x.fill(1)", "y = np.exp(x, out=x)", "y = add_at(x, 0, y)", "x.T = y"],
)
def test_what_writes_is_known(line: str) -> None:
    assert writes_in_place(f"def f(x, y):\n    {line}\n    return x")


def test_a_jacobian_shares_no_memory_with_the_matrix_that_it_is() -> None:
    matrix = rng.normal(size=(12, 9))

    def residuals(p):
        return matrix @ p

    makers = sg.jacfwd(residuals), sg.jacrev(residuals)
    objective = sg.scipy_objective(residuals, np.ones(9))
    for derivative in (*makers, *makers, objective.jac):
        jacobian = derivative(np.ones(9))
        np.testing.assert_array_equal(jacobian, matrix)
        assert not np.shares_memory(jacobian, matrix)


def test_what_comes_with_a_jacobian_shares_no_memory_with_the_arguments() -> None:
    def both(x):
        return np.sin(x), x

    x = np.ones(3)
    for make in (sg.jacfwd, sg.jacrev):
        _, aux = make(both, has_aux=True)(x)
        assert not np.shares_memory(aux, x)
