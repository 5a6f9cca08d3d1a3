"""Checks that a derivative raises what the function raises, where it cannot be taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

Function = Callable[[Any], Any]


def _early(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        total = total + kept * x[i]  # type: ignore[has-type, used-before-def]  # noqa: F821
        kept = x[i] * 2.0  # noqa: F841
    return total


def _early_in_a_test(x: Any) -> Any:
    i = 0
    while i < 3 and kept < 9.0:  # type: ignore[has-type, used-before-def]  # noqa: F821
        kept = x[i] * 2.0
        i += 1
    return kept


def _hidden_by_a_finally(x: Any) -> Any:
    y = x * 2.0
    try:
        y = x[7]
    finally:
        y = y * 2.0
    return np.sum(y)


def _hidden_in_a_loop(x: Any) -> Any:
    y = 3.0
    for k in range(2):
        try:
            if x[k] > 0.0:
                raise ValueError("its own")
            y = x[0]
        finally:
            y = np.sum(y)
    return y


def _filled_with_an_array(x: Any) -> Any:
    y = x * 2.0
    y.fill(y)
    return np.sum(y * y)


def _filled_with_one_number_in_an_array(x: Any) -> Any:
    y = np.zeros(3)
    y.fill(x[:1])
    return np.sum(y * x)


def _nothing_by_a_name_of_ours(x: Any) -> Any:
    return np.sum(x * sign)  # type: ignore[name-defined]  # noqa: F821


def _method_of_nothing(x: Any) -> Any:
    return nothing.sum(x * x)  # type: ignore[name-defined]  # noqa: F821


def _larger(x: Any) -> Any:
    y = x[0] * np.ones(3)
    y *= np.ones((2, 3)) * x
    return np.sum(y)


def _complex(x: Any) -> Any:
    y = np.ones(3)
    y *= 1j * x
    return np.sum(y * y)


def _of_one_branch(x: Any) -> Any:
    if x[0] > 99.0:
        k = x
    if x[1] > -99.0:
        m = k * 2.0
    else:
        m = x
    return np.sum(m)


def _of_a_later_trip(x: Any) -> Any:
    for i in range(2):
        if x[0] > -99.0:
            s = np.sum(t * x)  # type: ignore[has-type, used-before-def]  # noqa: F821
        t = x * i  # noqa: F841
    return s


def _asked_whether_it_is_none(x: Any) -> Any:
    for i in range(3):
        if i == 0 and late is not None:  # type: ignore[has-type, used-before-def]  # noqa: F821
            x = x * 2.0
        late = x  # noqa: F841
    return np.sum(x)


def _that_may_be_none(x: Any, given: Any = None) -> Any:
    for i in range(3):
        if i == 0 and late is not None:  # type: ignore[has-type, used-before-def]  # noqa: F821
            x = x * 2.0
        late = given  # noqa: F841
    return np.sum(x)


def _updated(x: Any) -> Any:
    e += 0.3 * np.where(e > 0.05, x, e)  # type: ignore[has-type, used-before-def]  # noqa: F821
    return e.mean()


def _of_a_helper(x: Any) -> Any:
    def helper(v: Any) -> Any:
        if v[0] > 99.0:
            q = v
        return q * 2.0

    return np.sum(helper(x))


def _bound_and_never_read(x: Any) -> Any:
    a, b = b, x  # type: ignore[has-type, used-before-def]  # noqa: F821, F841
    return np.sum(a)


FUNCTIONS = [
    _of_one_branch,
    _of_a_later_trip,
    _asked_whether_it_is_none,
    _that_may_be_none,
    _updated,
    _of_a_helper,
    _bound_and_never_read,
    _early,
    _early_in_a_test,
    _hidden_by_a_finally,
    _hidden_in_a_loop,
    _filled_with_an_array,
    _filled_with_one_number_in_an_array,
    _nothing_by_a_name_of_ours,
    _method_of_nothing,
    _larger,
    _complex,
]


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_derivative_raises_what_its_function_raises(function: Function) -> None:
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(Exception) as own:  # noqa: PT011 - whatever it is
        function(x.copy())
    calls: list[Callable[[], Any]] = [
        lambda: sg.value_and_grad(function)(x.copy()),
        lambda: sg.grad(function, backend="tape")(x.copy()),
        lambda: sg.vjp(function, x.copy()),
        lambda: sg.jvp(function, (x.copy(),), (x,)),
    ]
    for call in calls:
        with pytest.raises(type(own.value)) as found:
            call()
        assert type(found.value) is type(own.value)


def test_a_trip_may_read_what_an_earlier_one_has_bound_if_there_is_none() -> None:
    assert sg.grad(_of_no_trips, fallback="tape")(np.zeros(0)).shape == (0,)


def _of_no_trips(x: Any) -> Any:
    total = np.sum(x)
    for v in x:
        total = total + kept * v  # type: ignore[has-type, used-before-def]  # noqa: F821
        kept = v * 2.0  # noqa: F841
    return total


@pytest.mark.parametrize("value", [np.float64(2.0), np.float32(2.0), np.array(2.0)])
@pytest.mark.parametrize("tangent", [0.5, np.float64(0.5), np.array(0.5)])
def test_a_tangent_has_the_elements_of_its_number(value: Any, tangent: Any) -> None:
    mask = np.array(True)
    value, moved = sg.jvp(lambda x: np.sum(x[mask] ** 2 * x[None]), (value,), (tangent,))
    assert value == 8.0
    assert moved == pytest.approx(6.0)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_products_with_the_hessian_of_numbers_that_become_complex(backend: Any) -> None:
    def function(x: Any) -> Any:
        same = np.full_like(x, x[1]).astype(complex)
        return np.sum(((same * x * (1.0 + 2.0j)) ** 2).imag)

    x, way, step = np.array([1.0, 2.0, 3.0]), np.array([0.3, -1.0, 0.5]), 1e-5
    slope = sg.grad(function)
    expected = (slope(x + step * way) - slope(x - step * way)) / (2 * step)
    found = sg.hvp(function, (x,), (way,), backend=backend)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
