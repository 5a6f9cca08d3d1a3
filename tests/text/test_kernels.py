"""Checks the gradients of the kernels that are measured, and what they need of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from bench.kernels import dense
from bench.kernels.kernel import Kernel
from bench.kernels.table import KERNELS, copied, peak

SMALL = 7


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_the_gradient_is_that_by_hand(kernel: Kernel) -> None:
    args = kernel.arguments(SMALL)
    expected = kernel.by_hand(*copied(args))
    found: Any = sg.grad(kernel.function, kernel.argnums, fallback="error")(*copied(args))
    pairs = zip(_each(found), _each(expected), strict=True)
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("function", [dense.cholesky, dense.lu], ids=lambda item: item.__name__)
def test_factors_are_read_where_they_lie(function: Any) -> None:
    (kernel,) = (item for item in dense.KERNELS if item.function is function)
    gradient = sg.grad(function, fallback="error")
    assert peak(gradient, kernel.arguments(48)) < 6


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
