"""What a call may change besides its arguments is asked of the user's functions alone."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.frontend import remembered
from tests.differences import numerical_jacobian

KEPT = {"calls": 0}


def refused(x):
    """Return a number, by a way that is not compiled."""
    pair = {"a": x[0]}
    _, value = pair.popitem()
    return value * x[1] * np.sum(x * x)


def counted(x):
    """Do the same, and count."""
    KEPT["calls"] += 1
    return refused(x)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules of the functions whose source is read."""
    found: list[str] = []
    find = remembered.find_source

    def noting(function: FunctionType) -> Any:
        found.append(function.__module__)
        return find(function)

    monkeypatch.setattr(remembered, "find_source", noting)
    return found


def test_a_hessian_on_the_tape_reads_nothing_of_the_engine(read: list[str]) -> None:
    x = np.array([0.7, 1.3, 0.4])
    hessian = sg.hessian(refused, fallback="tape")(x)
    gradient = sg.grad(refused, fallback="tape")
    np.testing.assert_allclose(hessian, numerical_jacobian(gradient, [x], 0), rtol=1e-5)
    assert set(read) == {__name__}


def test_what_the_users_function_changes_is_put_back() -> None:
    before = KEPT["calls"]
    once = sg.grad(counted, fallback="tape")
    once(np.array([0.7, 1.3]))
    alone = KEPT["calls"] - before
    sg.hessian(counted, fallback="tape")(np.array([0.7, 1.3]))
    assert KEPT["calls"] - before - alone == alone
