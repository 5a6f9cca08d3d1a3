"""Functions of one matrix that are given several at once, which their rules do not take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import srcgrad as sg

MATRICES = np.array([[[3.0, 1.0], [1.0, 2.0]], [[2.0, 0.5], [0.1, 4.0]]])


FACTORS = [scipy.linalg.lu_factor(a) for a in MATRICES]
LU, PIVOTS = (np.stack(parts) for parts in zip(*FACTORS, strict=True))


def solved(lu: Any, b: Any) -> Any:
    return np.sum(scipy.linalg.lu_solve((lu, PIVOTS), b) ** 2)


@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_the_factors_of_several_matrices_are_refused(backend: str) -> None:
    b = np.ones((2, 1))
    try:
        solved(LU[0], b)
    except ValueError:
        pytest.skip("this SciPy factors one matrix at a time")
    with pytest.raises(sg.SrcgradError, match="several matrices"):
        sg.grad(solved, argnums=(0, 1), backend=backend)(LU[0], b)
