"""Gradients by and beside Series and DataFrames of pandas."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

pd = pytest.importorskip("pandas")

S = pd.Series([1.0, 2.0, 4.0], index=list("abc"), name="w")
D = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.5]}, index=list("xyz"))


def by_differences(f, value):
    """Return the slopes of a function of what is labelled, by its numbers."""
    flat = value.to_numpy()

    def of_numbers(numbers):
        known = {"columns": value.columns} if hasattr(value, "columns") else {}
        return f(type(value)(numbers, index=value.index, **known))

    return numerical_gradient(of_numbers, (flat,), 0)


SERIES = {
    "ufuncs": lambda s: np.sum(np.sin(s) * s),
    "methods": lambda s: (s * s).sum() + s.mean(),
    "numpy": lambda s: np.dot(s, s) + np.max(s),
    "loops": lambda s: sum(v * v for v in s),
}


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("f", SERIES.values(), ids=SERIES)
def test_the_gradient_of_a_series_is_a_series(f, backend):
    value, gradient = sg.value_and_grad(f, backend=backend)(S)
    assert_same(value, f(S))
    assert list(gradient.index) == list(S.index)
    assert gradient.name == S.name
    assert_same(gradient.to_numpy(), by_differences(f, S))


FRAMES = {
    "columns": lambda d: np.sum(np.exp(0.1 * d["a"]) * d["b"]),
    "whole": lambda d: np.sum(np.tanh(d) * d),
}


@pytest.mark.parametrize("f", FRAMES.values(), ids=FRAMES)
def test_the_gradient_of_a_frame_is_a_frame(f):
    gradient = sg.grad(f)(D)
    assert list(gradient.columns) == list(D.columns)
    assert list(gradient.index) == list(D.index)
    assert_same(gradient.to_numpy(), by_differences(f, D))


def test_columns_without_floats_have_no_gradient():
    gradient = sg.grad(FRAMES["columns"])(D.assign(c=["u", "v", "w"]))
    assert list(gradient.columns) == ["a", "b", "c"]
    assert gradient["c"].tolist() == [None] * 3


def test_containers_keep_their_labels():
    def loss(p, q):
        return np.sum(p["s"] ** 2) * q[0] + np.sum(q[1]["a"])

    by_p, by_q = sg.grad(loss, (0, 1))({"s": S}, [2.0, D])
    assert_same(by_p["s"].to_numpy(), 4.0 * S.to_numpy())
    assert by_p["s"].index is S.index
    assert_same(by_q[0], np.sum(S.to_numpy() ** 2))
    np.testing.assert_array_equal(by_q[1].to_numpy(), [[1.0, 0.0]] * 3)


BY_LABELS = {
    "alignment": lambda s: (s * s[::-1]).sum(),
    "slices": lambda s: (s[1:] * s[:-1]).sum(),
    "names": lambda s: s["a"] * s["b"],
    "rolling": lambda s: s.rolling(2).mean().sum(),
    "spread": lambda s: s.std(),
    "missing": lambda s: s.shift(1).sum(),
}


@pytest.mark.parametrize("value", [S, 0.0 * S], ids=["some", "zeros"])
@pytest.mark.parametrize("f", BY_LABELS.values(), ids=BY_LABELS)
def test_what_goes_by_labels_is_refused(f, value):
    with pytest.raises(sg.NotDifferentiableError, match="to_numpy"):
        sg.grad(f)(value)


def test_labels_are_looked_at_anew_when_they_change():
    def f(s, t):
        return (s * t).sum()

    gradient = sg.grad(f)
    assert_same(gradient(S, S).to_numpy(), S.to_numpy())
    with pytest.raises(sg.NotDifferentiableError, match="labels"):
        gradient(S, S[::-1])


@pytest.mark.parametrize("make", [sg.jacobian, sg.hessian, sg.jacfwd])
def test_other_derivatives_say_what_to_pass(make):
    with pytest.raises(sg.NotDifferentiableError, match="to_numpy"):
        make(SERIES["ufuncs"])(S)


def test_products_say_what_to_pass():
    f = SERIES["ufuncs"]
    for call in (
        lambda: sg.vjp(f, S),
        lambda: sg.jvp(f, (S,), (S,)),
        lambda: sg.hvp(f, (S,), (S,)),
    ):
        with pytest.raises(sg.NotDifferentiableError, match="to_numpy"):
            call()


def fitted(w, data):
    return np.mean((data.values @ w - data["b"].to_numpy()) ** 2)


def test_data_of_pandas_may_stay():
    w = np.array([0.5, -0.25])
    assert_same(sg.grad(fitted)(w, D), numerical_gradient(fitted, (w, D), 0))

    def enclosed(w):
        return np.sum((D["a"] * w[0] + D["b"] * w[1]) ** 2)

    assert_same(sg.grad(enclosed)(w), numerical_gradient(enclosed, (w,), 0))


def test_data_that_is_put_in_another_order_gives_no_wrong_number():
    other = S[::-1]

    def loss(w):
        return np.sum((S * w[:3] + other * w[3:]) ** 2)

    w = np.arange(1.0, 7.0)
    expected = numerical_gradient(loss, (w,), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        try:
            found = sg.grad(loss)(w)
        except sg.SrcgradError:
            return
    assert_same(found, expected)
