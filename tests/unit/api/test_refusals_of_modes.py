"""Tests that forward mode and pullbacks refuse what only they cannot do, and name the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0])


class WithoutTangent(sg.autograd.Function):
    """A rule for reverse mode alone."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2.0

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2.0


def by_a_rule_for_reverse_mode(x: Any) -> Any:
    y = WithoutTangent.apply(x)
    return np.sum(y)


def test_an_unknown_tangent_is_refused_by_line() -> None:
    words = r"the tangent of `.*WithoutTangent` is not known"
    with (
        pytest.warns(sg.FallbackWarning, match=words) as caught,
        pytest.raises(NotImplementedError),
    ):
        sg.jvp(by_a_rule_for_reverse_mode, (X,), (X,))
    (warning,) = caught
    line = by_a_rule_for_reverse_mode.__code__.co_firstlineno + 1
    assert f"test_refusals_of_modes.py:{line}" in str(warning.message)
    assert "`forward` and `jvp`" in str(warning.message)


class Kinds:
    real = np.float64


REAL: Any = np.float64
WORD = "float64"
BY_DTYPE: dict[str, Callable[[Any], Any]] = {
    "builtin": lambda x: np.sum(np.array(x * x, dtype=float) * x),
    "of NumPy": lambda x: np.sum(np.array(x * x, np.double) * x),
    "word": lambda x: np.sum(np.array(x * x, dtype="f8") * x),
    "of the module": lambda x: np.sum(np.array(x * x, dtype=REAL) * x),
}
BY_WHAT_CHANGES: dict[str, Callable[[Any], Any]] = {
    "of the module": BY_DTYPE["of the module"],
    "word of the module": lambda x: np.sum(np.array(x * x, dtype=WORD) * x),
    "of a class": lambda x: np.sum(np.array(x * x, dtype=Kinds.real) * x),
}


@pytest.mark.parametrize("f", BY_DTYPE.values(), ids=BY_DTYPE)
def test_a_tangent_of_floats_is_known_by_its_dtype(f: Callable[[Any], Any]) -> None:
    value, moved = sg.jvp(f, (X,), (X,), fallback="error")
    above, below = (f(X * (1.0 + h)) for h in (1e-6, -1e-6))
    np.testing.assert_allclose([value, moved], [f(X), (above - below) / 2e-6])


@pytest.mark.parametrize("f", BY_WHAT_CHANGES.values(), ids=BY_WHAT_CHANGES)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_dtype_that_becomes_another_is_asked_anew(
    f: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = X + 0.1  # where no square is whole
    sg.jvp(f, (x,), (x,))
    monkeypatch.setitem(globals(), "REAL", int)
    monkeypatch.setitem(globals(), "WORD", "int64")
    monkeypatch.setattr(Kinds, "real", int)
    try:
        _, moved = sg.jvp(f, (x,), (x,))
    except sg.SrcgradError:
        return
    np.testing.assert_allclose(moved, (f(x * 1.000001) - f(x * 0.999999)) / 2e-6, rtol=1e-5)


@pytest.mark.parametrize("kind", [int, np.float64, bool])
def test_a_tangent_is_not_cut_off_by_a_dtype_that_a_call_is_given(kind: Any) -> None:
    def rounded(x: Any, float: Any = int) -> Any:  # noqa: A002 - the subject of the test
        return np.sum(np.array(x * x, dtype=float) * x)

    x = X + 0.1  # where no square is whole
    _, moved = sg.jvp(rounded, (x, kind), (x, None), fallback="error")
    expected = (rounded(x * 1.000001, kind) - rounded(x * 0.999999, kind)) / 2e-6
    np.testing.assert_allclose(moved, expected, rtol=1e-5)


def weight_updated(x: Any, w: Any) -> Any:
    w += x
    return w * x


def test_a_pullback_of_a_function_that_updates_its_parameter_goes_by_source() -> None:
    x, w = np.array([0.5, -1.0]), np.array([1.0, 2.0])
    value, pull = sg.vjp(weight_updated, x, w.copy(), fallback="error")
    expected, pull_plainly = sg.vjp(lambda x, w: (w + x) * x, x, w)
    np.testing.assert_allclose(value, expected)
    for found, known in zip(pull(value), pull_plainly(value), strict=True):
        np.testing.assert_allclose(found, known)
