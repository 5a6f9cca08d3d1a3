"""Derivatives by starred arguments: one for each argument, as for any other."""

from __future__ import annotations

from typing import Any

import pytest

import srcgrad as sg


def product(first: Any, *others: Any, scale: float = 2.0) -> Any:
    return scale * first * others[0] * others[1]


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize(
    ("tangents", "expected"),
    [((None, None, 1.0), 12.0), ((1.0, None, None), 24.0), ((1.0, 1.0, 1.0), 52.0)],
)
def test_each_starred_argument_has_its_tangent(tangents: Any, expected: float) -> None:
    assert sg.jvp(product, (2.0, 3.0, 4.0), tangents) == (48.0, expected)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_each_starred_argument_has_its_adjoint() -> None:
    value, pull = sg.vjp(product, 2.0, 3.0, 4.0)
    assert (value, pull(1.0), pull(2.0)) == (48.0, (24.0, 16.0, 12.0), (48.0, 32.0, 24.0))
    assert sg.vjp(product, 2.0, 3, 4)[1](1.0) == (24.0, None, None)
