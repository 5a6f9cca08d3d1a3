"""Tests that a derivative raises where the function does for want of a binding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

VECTOR = np.array([0.5, 1.0, 2.0])


def bound_in_a_branch(x: Any) -> Any:
    if x[0] > 100:
        y = x[1]
    return y + x[0]


def bound_in_an_inner_branch(x: Any) -> Any:
    if x[0] > 0:
        if x[1] > 100:
            y = x[1] * 2.0
    else:
        y = x[2]
    z = y * 3.0 + x[0]
    return z + x[2]


def bound_in_a_loop_that_does_not_run(x: Any) -> Any:
    for i in range(int(x[0])):
        y = x * i
    return np.sum(y * x)


def bound_in_a_loop_that_ends_at_once(x: Any) -> Any:
    y = x
    while np.sum(y) < 1.0:
        y = y * 2.0
        z = np.sum(y)
    return z * y[0]


def last_of_no_rows(x: Any) -> Any:
    for row in x[:0]:
        last = row * 2.0
    return last * x[1]


def read_a_trip_too_early(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        if i > 0 and x[i] > last:
            s += last
        if i > 0:
            last = x[i]
    return s


def asked_before_it_is_bound(x: Any) -> Any:
    y = x
    while np.sum(y) > 100.0 or step < 1.0:
        step = np.sum(y)
        y = y - step
    return y[0]


def compared_after_a_branch(x: Any) -> Any:
    if x[0] > 100:
        low = x[1]
    return x[2] if 0.0 < x[0] < low else x[1]


def read_before_it_is_assigned(x: Any) -> Any:
    return np.sum(np.add(late, (late := x)))


def updated_and_never_bound(x: Any) -> Any:
    item += 0.3
    return np.sum(x) * item


def written_before_it_is_bound(x: Any) -> Any:
    item[0] += 0.3 * x[0]
    item = x
    return np.sum(item)


def bound_afterwards_to_what_nobody_reads(x: Any) -> Any:
    y = item * x
    item = 2
    return np.sum(y)


def updated_in_a_try_of_an_inner_loop(x: Any) -> Any:
    for _ in range(1):
        for _ in range(2):
            try:
                z *= 0.9
            except ZeroDivisionError:
                pass
            else:
                x = x * 0.9
    return np.sum(x)


def read_at_the_end_of_a_try(x: Any) -> Any:
    for _ in range(1):
        for t in range(2):
            try:
                x = x * t
            finally:
                x = x * z
            z = 2 * x
    return np.sum(x)


def read_where_a_try_has_failed(x: Any) -> Any:
    for _ in range(1):
        for _ in range(2):
            try:
                x[7] = 0.0
                z = 2 * x
            except IndexError:
                x = x * z
    return np.sum(x)


class Part:
    def __init__(self, w: Any, b: float) -> None:
        self.w = w
        self.b = b


def carry(x: Any) -> Any:
    return x * 2.0


RATE = 3.0


def called_before_it_is_an_object(x: Any) -> Any:
    y = carry(x)  # noqa: F823
    carry = Part(x * 1.0, 1.0)
    return np.sum(y) * carry.b


def read_before_it_is_an_object(x: Any) -> Any:
    y = x * RATE  # noqa: F823
    RATE = Part(x * 1.0, 1.0)
    return np.sum(y) * RATE.b


def read_before_it_is_a_function(x: Any) -> Any:
    y = x * RATE  # noqa: F823

    def RATE() -> float:
        return 1.0

    return np.sum(y) * RATE()


def called_before_it_is_a_lambda(x: Any) -> Any:
    y = carry(x)  # noqa: F823
    carry = lambda u: u  # noqa: E731
    return np.sum(carry(y))


def in_a_helper(x: Any) -> Any:
    return called_before_it_is_an_object(x) * 2.0


def _in_place(x: Any, part: Part) -> Any:
    y = carry(x) * part.b  # noqa: F823
    carry = Part(x * 1.0, 1.0)
    x *= carry.b
    return np.sum(y)


def in_a_helper_that_writes(x: Any) -> Any:
    part, y = Part(x, 2.0), x * 1.0
    return _in_place(y, part)


LOST = [
    called_before_it_is_an_object,
    read_before_it_is_an_object,
    read_before_it_is_a_function,
    called_before_it_is_a_lambda,
    in_a_helper,
    in_a_helper_that_writes,
]
TRIES = [
    updated_in_a_try_of_an_inner_loop,
    read_at_the_end_of_a_try,
    read_where_a_try_has_failed,
]
LATE = [
    updated_and_never_bound,
    read_before_it_is_assigned,
    written_before_it_is_bound,
    bound_afterwards_to_what_nobody_reads,
]
LOOPS = [bound_in_a_loop_that_does_not_run, bound_in_a_loop_that_ends_at_once, last_of_no_rows]
TESTS = [read_a_trip_too_early, asked_before_it_is_bound, compared_after_a_branch]


@pytest.mark.parametrize("f", [bound_in_a_branch, bound_in_an_inner_branch, *LOOPS, *TESTS, *LATE])
@pytest.mark.parametrize("derive", [sg.grad, sg.value_and_grad])
def test_what_no_path_has_bound_cannot_be_read(f: Any, derive: Any) -> None:
    with pytest.raises(UnboundLocalError):
        f(VECTOR)
    with pytest.raises(UnboundLocalError):
        derive(f, fallback="error")(VECTOR)


def test_what_the_path_has_bound_can_be_read() -> None:
    far = VECTOR + 200.0
    np.testing.assert_array_equal(sg.grad(bound_in_a_branch)(far), [1.0, 1.0, 0.0])


@pytest.mark.filterwarnings("ignore::srcgrad.errors.FallbackWarning")
@pytest.mark.parametrize("f", [*TRIES, *LOST])
def test_what_a_loop_hands_on_or_the_module_has_too_has_to_be_bound(f: Any) -> None:
    for derive in (sg.grad, sg.value_and_grad):
        with pytest.raises(UnboundLocalError):
            derive(f)(VECTOR)
    with pytest.raises(UnboundLocalError):
        sg.jvp(f, (VECTOR,), (VECTOR,))
