"""What sparse matrices of values that vary refuse, and solvers that find nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import gmres

import srcgrad as sg

PLACES = np.array([0, 1, 1]), np.array([0, 0, 1])
X = np.array([0.5, -1.2, 2.0])


def row(x: Any) -> Any:
    A = csr_array((x, PLACES), shape=(2, 2))
    return np.sum(A[1].toarray())


def several_elements(x: Any) -> Any:
    A = csr_array((x, PLACES), shape=(2, 2))
    return np.sum(A[PLACES])


def without_a_solution(x: Any) -> Any:
    A = csr_array((x, PLACES), shape=(2, 2))
    return np.sum(gmres(A * 0.0, X[:2], maxiter=2)[0])


@pytest.mark.parametrize("program", [row, several_elements, without_a_solution])
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_is_refused(program: Any, fallback: Any) -> None:
    with pytest.raises(sg.SrcgradError):
        sg.grad(program, fallback=fallback)(X)
