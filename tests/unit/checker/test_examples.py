"""Checks that a text is run beside the function's own code with arguments like those of a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from bench.compile_time import function_in, statements
from srcgrad.checker.elements import Element, element_of
from srcgrad.checker.examples import example_of, made_of
from srcgrad.checker.runs import Now, Run
from srcgrad.checker.solving import determinant, inverted, solved

X = np.array([0.4, -0.9, 1.3])
RNG = np.random.default_rng(3)


class Scale:
    """A class of the user's, which its code makes objects of."""

    def __init__(self, by: Any) -> None:
        self.by = by

    def of(self, x: Any) -> Any:
        return x * self.by


def by_names(p: Any) -> Any:
    y = p["w"] * 2.0
    y[1:] = p["b"][:-1]
    return np.sum(y * p["w"])


def by_places(pair: Any, n: Any) -> Any:
    first, second = pair
    y = first.copy()
    y[:n] *= second
    return np.sum(y * y)


def taken_names(min: Any, zeros_like: Any) -> Any:  # noqa: A002 - which the text needs itself
    y = min * 1.0
    y[0] = zeros_like
    return np.sum(y * min)


def of_a_class(x: Any, s: Any) -> Any:
    y = Scale(s).of(x)
    y[0] *= s
    return np.sum(y * y)


def solved_for(x: Any) -> Any:
    y = np.linalg.solve(np.outer(x, x) + np.eye(3), x)
    y[0] *= 2.0
    return np.sum(y * np.sinc(x)) + np.linalg.det(np.outer(x, x) + np.eye(3))


def of_numbers_alone(x: Any) -> Any:
    y = np.logaddexp(x, 0.3 * x)
    y[1:] = np.float_power(x[1:] * x[1:], 1.5)
    return np.sum(y)


def in_place_of_whole_numbers(x: Any) -> Any:
    y = x * 3.0
    y //= 0.7
    y %= x
    return np.sum(y)


def of_halves_of_rows(weights: Any, rows: Any) -> Any:
    units = weights.shape[1] // 2
    state, states = np.zeros(units), []
    for row in rows:
        gates = np.concatenate((row, state)) @ weights
        state = np.tanh(gates[:units]) * gates[units:]
        states.append(state)
    total = 0.0
    for state in states:  # which lanes do not tell
        total = total + np.sum(state * state)
    return total


CALLS = [
    (of_halves_of_rows, (0.1 * np.ones((24, 32)), [np.ones(8)] * 12)),
    (by_names, ({"w": X, "b": X + 1.0},)),
    (by_places, ([X, 1.5], 2)),
    (taken_names, (X, 1.5)),
    (of_a_class, (X, 1.5)),
    (solved_for, (X,)),
    (of_numbers_alone, (X,)),
    (in_place_of_whole_numbers, (X,)),
]


@pytest.mark.parametrize(("function", "args"), CALLS)
def test_the_own_code_is_run_and_agrees(function: Any, args: Any) -> None:
    gradient = sg.grad(function, 0, fallback="error")
    gradient(*args)
    verdict = gradient._plan.generated.proof.verdict
    assert (verdict.kind, verdict.unread) == ("proven", "")


def filtered(step: Any, drift: Any, look: Any, noise: Any, seen: Any) -> Any:
    spread = np.eye(step.shape[0])
    for _ in range(seen.shape[0]):
        spread = step @ spread @ step.T + drift @ drift.T
        doubt = look @ spread @ look.T + noise @ noise.T
        gain = np.linalg.solve(doubt, look @ spread).T
        spread = spread - gain @ look @ spread
    return np.sum(spread)


def test_what_agrees_and_is_too_long_with_other_lengths_is_not_taken_for_wrong() -> None:
    rng = np.random.default_rng(0)
    args = [rng.normal(size=shape) for shape in [(4, 4), (4, 4), (2, 4), (2, 2), (5, 2)]]
    gradient = sg.grad(filtered, (0, 1, 2, 3), fallback="error")
    gradient(*args)
    proof = gradient._plan.generated.proof
    assert (proof.verdict.kind, proof.verdict.reason) == ("unproven", "the run is too long")
    assert not proof.is_doubted


def test_a_long_function_is_proven_by_lanes_so_that_one_run_over_numbers_is_enough(
    tmp_path: Path,
) -> None:
    function = function_in(statements(300, 2), "long", 2, tmp_path)
    gradient = sg.grad(function, fallback="error")
    gradient(X)
    proof = gradient._plan.generated.proof
    assert (proof.verdict.kind, proof.verdict.runs) == ("proven", 2)


def test_an_example_has_the_structure_of_what_is_given_and_nothing_of_its_numbers() -> None:
    given = [{"w": np.ones((40, 3)), "b": np.ones(40)}, [1.5, np.arange(3)], "mean", 1000]
    (like, (number, whole), word, count) = example_of(given) or []
    assert [item.shape for item in like.values()] == [(6, 3), (6,)]
    assert (number, word, count) == (0.0, "mean", 3)
    np.testing.assert_array_equal(whole, [0, 1, 2])


@pytest.mark.parametrize("given", [X + 1j, np.array(1.0), object(), np.ones((9, 9, 9))])
def test_of_what_is_not_known_there_is_no_example(given: Any) -> None:
    assert example_of([X, given]) is None


def test_an_example_is_stretched_where_it_is_longer_than_one() -> None:
    Now.run = Run(0)
    like: Any = example_of([[np.ones((3, 1)), np.ones(3)]])
    made = made_of(like, 7, moving=True, stretched=True)
    assert [item.shape for item in made[0]] == [(4, 1), (4,)]
    assert made[0][1][0].dot


def test_equations_between_elements_are_solved_exactly() -> None:
    Now.run = Run(0)
    whole = RNG.integers(1, 9, (3, 3)) + 10 * np.eye(3, dtype=int)
    matrix = np.array([[Element(int(item)) for item in row] for row in whole], object)
    assert (matrix @ inverted(matrix) == np.eye(3)).all()
    right = np.array([Element(2), Element(3), Element(5)], object)
    assert (matrix @ solved(matrix, right) == right).all()
    assert determinant(matrix) == element_of(round(np.linalg.det(whole)))
    with pytest.raises(np.linalg.LinAlgError):
        solved(np.ones((2, 2)), np.ones(2))


def test_arrays_of_a_comprehension_that_are_written_are_proven():
    def rows(x):
        parts = [np.zeros(len(x)) for _ in range(2)]
        first = parts[0]
        for i in range(len(x)):
            first[i] += x[i] * x[i]
        return np.sum(parts[0])

    gradient = sg.value_and_grad(rows)
    gradient(np.array([1.0, 2.0, 3.0]))
    assert gradient._plan.generated.proof.is_proven
