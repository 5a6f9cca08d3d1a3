"""What is said once is said to the user, not in a comparison that nobody asked for."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, 1.5])


def _unread() -> Callable[..., Any]:
    def squares(x: Any) -> Any:
        exec("y = 1")  # so that it goes to the tape
        return np.sum(x * x)

    return squares


def _spectrum(x: Any) -> Any:
    return np.sum(np.fft.fft(x).real)  # the checker does not run the own code of what calls it


def _by_gradient() -> Callable[..., Any]:
    of = sg.grad(_unread())
    return lambda x: np.sum(x * of(np.ones(2))) + _spectrum(x)


def _by_pushforward() -> Callable[..., Any]:
    of = sg.pushforward(_unread())
    return lambda x: np.sum(x * of(np.ones(2), x_dot=np.ones(2))[1]) + _spectrum(x)


def _for_each_example() -> Callable[..., Any]:
    each = sg.vmap(_unread())
    return lambda x: np.sum(x * each(np.ones((2, 2)))) + _spectrum(x)


def _by_differences() -> Callable[..., Any]:
    erf = sg.numeric_vjp(lambda x: np.array([math.erf(v) for v in x]))
    return lambda x: np.sum(erf(x)) + _spectrum(x)


@pytest.mark.parametrize(
    "make", [_by_gradient, _by_pushforward, _for_each_example, _by_differences]
)
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_a_warning_that_is_given_once_is_given(make: Callable[[], Any], mode: str) -> None:
    loss = make()

    def call() -> Any:
        return sg.grad(loss)(X) if mode == "grad" else sg.jvp(loss, (X,), (X,))

    with pytest.warns(sg.FallbackWarning if make is not _by_differences else sg.NumericWarning):
        call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()
