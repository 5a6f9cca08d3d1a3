"""Pullbacks of functions that are given lists of numbers, and lists of such, and return them."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.programs.numbers_in_lists import pairs_by_rows


def shares(amounts: Any, masses: Any) -> Any:
    found = [0.0] * len(amounts)
    total = 0.0
    for i in range(len(amounts)):
        mass = amounts[i] * masses[i]
        found[i] = mass
        total += mass
    for i in range(len(amounts)):
        found[i] *= 1.0 / total
    return found


def less_their_means(table: Any, weights: Any) -> Any:
    means = [0.0] * len(weights)
    for j in range(len(weights)):
        total = 0.0
        for k in range(len(weights)):
            total += weights[k] * table[j][k]
        means[j] = total
    return [[table[i][j] - means[j] for j in range(len(weights))] for i in range(len(weights))]


def roots(table: Any, weights: Any) -> Any:
    kept = [[0.0] * len(weights) for _ in range(len(weights))]
    for i in range(len(weights)):
        new, old = kept[i], table[i]
        for j in range(i):
            if old[j] > 0.0:
                new[j] = kept[j][i] = old[j] ** 0.5
        new[i] = old[i] ** 0.5
    total = 0.0
    for i in range(len(weights)):
        for j in range(len(weights)):
            total += weights[i] * weights[j] * kept[i][j]
    return total


def rows_of_one(a: Any, b: Any) -> Any:
    whole = [np.zeros(2), np.zeros(2)]
    first = whole[0]
    first[0] = a[0] * b[1]
    first[1] = a[1]
    return whole


def filled(a: Any, b: Any) -> Any:
    table = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        row = table[i]
        for j in range(3):
            row[j] += a[i] * b[j] ** 2
    if a[0] < 0.1:
        return table[1], table, row
    chosen = table[2]
    chosen[0] *= a[1]
    return chosen, table, row


def exchanged(a: Any, b: Any) -> Any:
    table = [[0.0] * 3 for _ in range(3)]
    same = table
    for i in range(3):
        same[i][1] = a[i] * b[1]
    table[0], table[1] = table[1], table[0]
    return same


def an_array_and_what_holds_it(a: Any, b: Any) -> Any:
    held = [np.zeros(3), np.zeros(3)]
    first, second = held[0], held[1]
    first[:] = np.array(a) * b[0]
    second[:] = first * a[1]
    return first, held


def exponential(x: float, most: float = 1e308) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return most


def by_a_named_range(table: Any, weights: Any) -> Any:
    places = range(len(weights))
    sums = []
    found = [0.0] * len(weights)
    for j in places:
        total, row = 0.0, table[j]
        for k in places:
            total += row[k] * weights[k]
            found[j] += row[k]
        sums.append(total)
        found[j] = exponential(found[j] / total)
    return sums, found


A, B = [0.5, 0.3, 0.2], [1.0, 2.0, 3.0]
TABLE = [[0.2, 0.4, 0.1], [0.5, 0.3, 0.7], [0.6, 0.9, 0.8]]
CALLS = [
    (shares, (A, B)),
    (pairs_by_rows, (A, B)),
    (less_their_means, (TABLE, A)),
    (roots, (TABLE, A)),
    (rows_of_one, (A, B)),
    (filled, (A, B)),
    (exchanged, (A, B)),
    (an_array_and_what_holds_it, (A, B)),
    (by_a_named_range, (TABLE, A)),
]


def moved(value: Any, step: float) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, step * (1.0 + 0.3 * k)) for k, item in enumerate(value))
    return value + step


def product(first: Any, second: Any) -> float:
    if isinstance(first, (list, tuple)):
        return sum(product(a, b) for a, b in zip(first, second, strict=True))
    return float(np.sum(first * second))


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_pullbacks_of_lists_agree_with_differences_and_may_be_repeated(
    function: Any, args: tuple[Any, ...]
) -> None:
    value, back = sg.pullback(function, argnums=(0, 1), fallback="error")(*args)
    weights = moved(value, 0.5)
    ends = [function(*(moved(item, h) for item in args)) for h in (1e-6, -1e-6)]
    wanted = (product(ends[0], weights) - product(ends[1], weights)) / 2e-6
    directions = [moved(moved(item, 1.0), 0.0) for item in args]
    directions = [_less(d, item) for d, item in zip(directions, args, strict=True)]
    for _ in range(2):
        assert np.isclose(product(back(weights), directions), wanted, rtol=1e-6)


def _less(first: Any, second: Any) -> Any:
    if isinstance(first, list):
        return [_less(a, b) for a, b in zip(first, second, strict=True)]
    return first - second


def test_a_list_of_arrays_after_one_of_numbers_gets_its_own_text() -> None:
    pull = sg.pullback(shares, argnums=(0, 1), fallback="tape")
    pull(A, B)
    arrays = [np.array([0.5, 0.1]), np.array([0.3, 0.4])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        _, back = pull(arrays, [2.0, 3.0])
    total = arrays[0] * 2.0 + arrays[1] * 3.0
    first = back([np.ones(2), np.zeros(2)])[0][0]
    np.testing.assert_allclose(first, 2.0 / total - 2.0 * arrays[0] * 2.0 / total**2)


def put(numbers: Any, x: Any) -> None:
    numbers[0] = x


def changed_by_a_helper(numbers: Any, x: Any) -> Any:
    put(numbers, x)
    first = numbers[0]
    first *= 2.0
    return np.sum(first * x)


def test_a_list_that_a_helper_puts_an_array_into_holds_no_numbers() -> None:
    x = np.array([1.0, 2.0])
    found = sg.grad(changed_by_a_helper, argnums=1, fallback="tape")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        gradient = found([1.0, 2.0], x.copy())
    steps = 1e-6 * np.eye(2)
    wanted = [
        (changed_by_a_helper([1.0, 2.0], x + h) - changed_by_a_helper([1.0, 2.0], x - h)) / 2e-6
        for h in steps
    ]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6)
