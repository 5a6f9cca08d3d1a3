"""The text of a derivative whose last call ran on the tape is not shown as what ran."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same

pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
X = np.array([1.0, 2.0, 3.0])


def updates_one_by_the_other(x: Any, y: Any) -> Any:
    x += y
    y += x
    return np.sum(x * y)


def scales(x: Any, y: Any) -> Any:
    x *= y
    return np.sum(x * x) + np.sum(y)


def adds_to_all(x: Any, y: Any) -> Any:
    z = x
    z += y
    return np.sum(z * z) * np.sum(x)


def adds_or_joins(x: Any, y: Any) -> Any:
    return np.sum(np.square(x + y))


@pytest.mark.parametrize("given", [(1.0, X), (X, 1.0), (X, X + 1.0)])
def test_arrays_after_numbers_go_by_a_text_of_their_own(given: Any) -> None:
    derivative = sg.grad(updates_one_by_the_other, (0, 1), fallback="error")
    derivative(1.5, 2.0)
    grads = derivative(*copy.deepcopy(given))
    tape = sg.grad(updates_one_by_the_other, (0, 1), backend="tape")(*copy.deepcopy(given))
    for grad, expected in zip(grads, tape, strict=True):
        np.testing.assert_allclose(grad, expected, rtol=1e-12)


@pytest.mark.parametrize("take", [sg.grad, sg.value_and_grad])
@pytest.mark.parametrize(
    ("f", "taped"),
    [
        (adds_or_joins, ([0.5, 1.5], [2.5])),
        (adds_or_joins, ([0.5], [1.5, 2.5])),
    ],
)
def test_the_text_is_refused_after_a_call_on_the_tape(take: Any, f: Any, taped: Any) -> None:
    derivative = take(f)
    derivative(1.5, 2.0)
    before = derivative.source
    derivative(*copy.deepcopy(taped))
    with pytest.raises(sg.UnsupportedError, match="ran on the tape") as caught:
        _ = derivative.source
    assert "hint" in str(caught.value)
    with pytest.raises(sg.UnsupportedError):
        derivative.export(example=taped)
    derivative(1.5, 2.0)
    assert derivative.source == before


@pytest.mark.parametrize("f", [updates_one_by_the_other, scales, adds_to_all])
def test_the_text_that_is_shown_gives_what_the_call_gave(f: Any) -> None:
    for x, y in [(1.5, 2.0), (X, 2.0), (X, X + 1.0), (1.5, X)]:
        derivative = sg.grad(f)
        given = [np.copy(v) if isinstance(v, np.ndarray) else v for v in (x, y)]
        found = derivative(*given)
        try:
            _ = derivative.source
        except sg.UnsupportedError:
            continue
        given = [np.copy(v) if isinstance(v, np.ndarray) else v for v in (x, y)]
        assert_same(derivative.generated(*given), found)
