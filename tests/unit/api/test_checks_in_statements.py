"""A helper called in a statement of its own is run as it is only if it surely just looks."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient

X = np.array([1.2, 0.7, 2.1])


def _by_its_method(v):
    v.__setitem__(0, v[1] * 3.0)


def _rows_of_a_display(v):
    for row in [v]:
        row[0] = 7.0


def _by_a_lambda(v):
    (lambda u: u.__setitem__(0, 9.0))(v)  # noqa: PLC3002 - as some write it


def _in_a_comprehension(v):
    [u.__setitem__(0, 5.0) for u in [v]]


def _by_an_attribute(v):
    getattr(v, "fill")(2.0)  # noqa: B009 - as some write it


def _by_position(v):
    np.multiply(v, 2.0, v)


def _by_another(v):
    _by_its_method(v)


def _raises(v):
    if not isinstance(v, np.ndarray) or np.any(np.isnan(v)):
        raise TypeError(f"{type(v)}")
    assert v.ndim == 1, v.shape


WRITERS = (
    *(_by_its_method, _rows_of_a_display, _by_a_lambda, _in_a_comprehension),
    *(_by_an_attribute, _by_position, _by_another),
)
helper = _raises


def program(x):
    y = x.copy()
    helper(y)
    return np.sum(y * x)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("writer", WRITERS)
def test_what_a_helper_writes_by_any_means_is_seen_or_refused(writer, monkeypatch) -> None:
    monkeypatch.setitem(globals(), "helper", writer)
    expected = numerical_gradient(program, (X,), 0)
    try:
        found = sg.grad(program)(X)
    except sg.SrcgradError:
        return
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_check_goes_by_source() -> None:
    np.testing.assert_allclose(sg.grad(program, fallback="error")(X), 2.0 * X)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_function_that_is_handed_on_may_write() -> None:
    def hands_on(v, f):
        f(v)

    def loss(x):
        y = x.copy()
        hands_on(y, lambda v: v.__setitem__(0, v[1] * 3.0))
        return np.sum(y * x)

    np.testing.assert_allclose(sg.grad(loss)(X), numerical_gradient(loss, (X,), 0), rtol=1e-6)
