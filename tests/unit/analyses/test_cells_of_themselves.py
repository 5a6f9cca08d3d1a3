"""Tests lists whose entries are made of those before: nobody asks for ever what these are."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def sums_of_two(x, n):
    t = [1, 1]
    for _ in range(n):
        t.append(t[-1] + t[-2])
    return x * t[-1]


def products_by_place(x, n):
    t = [0] * (n + 1)
    t[0] = 1
    for i in range(1, n + 1):
        t[i] = t[i - 1] * (i + 1)
    return x / t[n]


def two_that_take_turns(x, n):
    t, u = [1.0], [2.0]
    for _ in range(n):
        t.append(u[-1] + 1)
        u.append(t[-1] * 2.0 + u[-1])
    return t[-1] * x


def numbers_and_arrays(x, n):
    t = [1, np.ones(2)]
    for _ in range(n):
        t.append(t[-1] + t[-2])
    return np.sum(x * t[-1])


@pytest.mark.parametrize(
    "program", [sums_of_two, products_by_place, two_that_take_turns, numbers_and_arrays]
)
def test_a_list_made_of_its_own_entries(program):
    g = sg.value_and_grad(program, fallback="error")
    for n in (0, 1, 6):
        value, slope = g(0.5, n)
        assert value == program(0.5, n)
        up, down = program(0.5 + 1e-6, n), program(0.5 - 1e-6, n)
        assert slope == pytest.approx((up - down) / 2e-6, rel=1e-7)
