"""Tests that what the derivative alone raises is refused, and what the function raises is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

WEIGHTS = np.array([2.0, 3.0])


def sorted_list(s: Any) -> Any:
    return np.sum(np.sort([s, 1.0, 0.2]) ** 2 * np.array([1.0, 2.0, 3.0]))


def eigenvalues_of_a_list(s: Any) -> Any:
    return np.sum(np.linalg.eigvalsh([[s, 1.0], [1.0, 2.0]]) * WEIGHTS)


def cholesky_of_a_list(s: Any) -> Any:
    return np.sum(np.linalg.cholesky([[s, 1.0], [1.0, 2.0]]))


def contracted_list(s: Any) -> Any:
    return np.einsum("i,i", [s, 1.0], WEIGHTS)


def spectrum_of_a_list(s: Any) -> Any:
    return np.sum(np.abs(np.fft.rfft([s, 1.0, 2.0])) ** 2)


def covariance_of_lists(s: Any) -> Any:
    return np.sum(np.cov([[s, 1.0, 2.0], [0.0, s, 3.0]]))


def sinc_of_a_list(s: Any) -> Any:
    return np.sum(np.sinc([s, 0.2]))


def triangle_of_a_list(s: Any) -> Any:
    return np.sum(np.linalg.qr([[s, 0.0], [1.0, 3.0]])[1] ** 2)


OF_LISTS = [
    sorted_list,
    eigenvalues_of_a_list,
    cholesky_of_a_list,
    contracted_list,
    spectrum_of_a_list,
    covariance_of_lists,
    sinc_of_a_list,
    triangle_of_a_list,
]
DERIVATIVES = {
    "grad": lambda f, s, how: sg.grad(f, **how)(s),
    "vjp": lambda f, s, how: sg.vjp(f, s, **how)[1](1.0)[0],
    "jvp": lambda f, s, how: sg.jvp(f, (s,), (1.0,), **how)[1],
    "jacfwd": lambda f, s, how: sg.jacfwd(f, **how)(s),
    "hvp": lambda f, s, how: sg.hvp(f, (s,), (1.0,), **how),
    "hessian": lambda f, s, how: sg.hessian(f, **how)(s),
}


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("mode", DERIVATIVES)
@pytest.mark.parametrize("f", OF_LISTS)
def test_lists_given_to_numpy_are_right_or_refused(f: Any, mode: str, backend: str) -> None:
    s, h = 2.7, 1e-4
    first = (f(s + h) - f(s - h)) / (2 * h)
    second = (f(s + h) - 2 * f(s) + f(s - h)) / h**2
    try:
        found = DERIVATIVES[mode](f, s, {"backend": backend})
    except sg.SrcgradError:
        return
    expected = second if mode in ("hvp", "hessian") else first
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def a_type_error(s: Any) -> Any:
    return s * 2.0 + "a"


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("mode", DERIVATIVES)
def test_an_error_of_the_function_stays_as_it_is(mode: str, backend: str) -> None:
    with pytest.raises(TypeError) as found:
        DERIVATIVES[mode](a_type_error, 2.0, {"backend": backend})
    assert not isinstance(found.value, sg.SrcgradError)


def test_what_is_refused_is_shown_at_the_line_of_the_user() -> None:
    with pytest.raises(sg.NotDifferentiableError, match="tape alone raises") as found:
        sg.grad(spectrum_of_a_list, backend="tape")(2.7)
    assert "np.fft.rfft" in str(found.value)
    assert "np.array" in found.value.hint
