"""Time loops record only what an adjoint reads: nothing, where the steps are linear."""

from __future__ import annotations

from typing import Any

import pytest

from bench.recorded import SIZE, burgers, heat, jacobi, maxwell, recorded, wave


@pytest.mark.parametrize("function", [heat, jacobi, wave, maxwell])
def test_a_linear_stencil_records_no_array(function: Any) -> None:
    assert recorded(function) < SIZE


def test_a_product_of_values_records_its_two_factors() -> None:
    assert recorded(burgers) < 2.1 * 8 * SIZE
