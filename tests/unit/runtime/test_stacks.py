"""Checks factors that a stack puts off: they change nothing, and only where nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime.stacks import (
    CannotStackError,
    Stack,
    core,
    functions,
    making,
    puts_off,
    writes_in_place,
)

rng = np.random.default_rng(5)
ROWS, A, B = rng.normal(size=(4, 2, 3)), rng.normal(size=(2, 3)), rng.normal(size=3)

STEPS: dict[str, Callable[[Any], Any]] = {
    "products": lambda s: s * A * B * 2.0,
    "products from the left": lambda s: 3.0 * (A * -s),
    "a difference of multiples": lambda s: s * A * B - s * B,
    "a sum with the rows themselves": lambda s: s + s * A,
    "a sum of different rows": lambda s: s * A + (s @ np.eye(3)) * B,
    "a quotient": lambda s: s * A / B,
    "a factor that widens": lambda s: s * np.ones((5, 2, 3)),
    "another type": lambda s: s * A.astype(np.float32) * np.arange(3),
    "complex factors": lambda s: s * (A * 1j),
    "views": lambda s: (s * A)[0] * B + (s * A).T[0, 0],
    "a product of matrices": lambda s: (s * A) @ np.outer(B, B) * A,
    "a sum over an axis": lambda s: (s * A).sum(axis=0) * B,
    "a selection": lambda s: np.where(A > 0, s * A, 0.0) * B,
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_factors_put_off_change_nothing(
    step: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = step(Stack(ROWS)).rows
    monkeypatch.setattr(puts_off, "on", True)
    later = step(Stack(ROWS)).rows
    assert later.dtype == at_once.dtype
    np.testing.assert_allclose(later, at_once, 1e-13)


def test_factors_are_not_put_together_where_that_overflows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(puts_off, "on", True)
    large = np.full(3, 1e200)
    found = Stack(np.full((2, 3), 1e-300)) * large * large
    np.testing.assert_allclose(found.rows, 1e100)


@pytest.mark.parametrize(
    "line",
    ["x += 1", "x[0] = 1", "x.fill(1)", "y = np.exp(x, out=x)", "y = add_at(x, 0, y)", "x.T = y"],
)
def test_what_writes_is_known(line: str) -> None:
    assert writes_in_place(f"def f(x, y):\n    {line}\n    return x")


def test_a_jacobian_shares_no_memory_with_the_matrix_that_it_is() -> None:
    matrix = rng.normal(size=(12, 9))

    def residuals(p):
        return matrix @ p

    makers = sg.jacfwd(residuals), sg.jacrev(residuals)
    objective = sg.scipy_objective(residuals, np.ones(9))
    for derivative in (*makers, *makers, objective.jac):
        jacobian = derivative(np.ones(9))
        np.testing.assert_array_equal(jacobian, matrix)
        assert not np.shares_memory(jacobian, matrix)


def test_what_comes_with_a_jacobian_shares_no_memory_with_the_arguments() -> None:
    def both(x):
        return np.sin(x), x

    x = np.ones(3)
    for make in (sg.jacfwd, sg.jacrev):
        _, aux = make(both, has_aux=True)(x)
        assert not np.shares_memory(aux, x)


def test_factors_that_are_not_finite_together_are_not_put_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(puts_off, "on", True)
    for large in (1e308, np.full(3, 1e308)):
        rows = Stack(np.full((2, 3), 1e-300))
        np.testing.assert_allclose((rows * large + rows * large).rows, 2e8)


def test_rows_of_ones_own_have_their_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puts_off, "on", True)
    np.testing.assert_array_equal((Stack(ROWS) * B).own_rows(), ROWS * B)
    own = Stack(ROWS).own_rows()
    np.testing.assert_array_equal(own, ROWS)
    assert not np.shares_memory(own, ROWS)


def test_a_number_is_bound_anew_and_an_array_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for on in (False, True):
        monkeypatch.setattr(puts_off, "on", on)
        number, array = Stack(np.array([1.0, 2.0])), Stack(np.ones((2, 3)))
        old_number, old_array = number, array
        number *= 3.0
        array *= 3.0
        np.testing.assert_array_equal(number.rows, [3.0, 6.0])
        np.testing.assert_array_equal(old_number.rows, [1.0, 2.0])
        assert array is old_array
        np.testing.assert_array_equal(array.rows, np.full((2, 3), 3.0))


def test_rows_conform_to_what_they_are_the_adjoint_of() -> None:
    rows = rng.normal(size=(4, 3)) + 1j
    wide = Stack(rows).conformed((2, 3), np.dtype(np.float32))
    assert wide.dtype == np.float32
    np.testing.assert_array_equal(wide.rows, np.repeat(rows.real[:, None], 2, 1).astype("f4"))
    stack = Stack(rows)
    assert stack.conformed((3,), rows.dtype) is stack


def test_a_method_and_a_handler_are_made_of_a_ufunc() -> None:
    stack = Stack(ROWS.copy())
    np.testing.assert_array_equal(
        core._binary(np.subtract, swapped=True)(stack, 2.0).rows, 2 - ROWS
    )
    np.testing.assert_array_equal(core._binary(np.subtract)(stack, 2.0).rows, ROWS - 2)
    assert core._in_place(np.subtract)(stack, 2.0) is stack
    np.testing.assert_array_equal(stack.rows, ROWS - 2)
    with pytest.raises(CannotStackError, match="so it is"):
        core._refusing("so it is")(stack, 1, key=2)
    found = functions._reduction(np.sum)(Stack(ROWS), -1, keepdims=True)
    np.testing.assert_array_equal(found.rows, ROWS.sum(-1, keepdims=True))
    each = making.each_row(np.cumsum)
    np.testing.assert_array_equal(each(Stack(ROWS), axis=0).rows, np.cumsum(ROWS, 1))
    assert core.handles("a function")(each) is each
    assert core.HANDLERS.pop("a function") is each


def test_a_stack_shows_its_rows() -> None:
    assert repr(Stack(np.zeros(2))) == "Stack(array([0., 0.]))"


class Pair(NamedTuple):
    """A container with names."""

    one: Any
    other: Any


def test_a_function_that_knows_no_stacks_is_called_for_each_row() -> None:
    def both(pair: Pair, options: dict[str, Any], label: str) -> Any:
        assert label == "label"
        assert type(options["k"]) is list
        return {"sum": Pair(pair.one + 1.0, [pair.other * options["k"][0]]), "none": None}

    numbers = np.array([2.0, 3.0, 4.0, 5.0])
    found = making.by_rows(both, Pair(Stack(ROWS), Stack(numbers)), {"k": [2.0]}, "label")
    assert type(found["sum"]) is Pair
    np.testing.assert_array_equal(found["sum"].one.rows, ROWS + 1.0)
    assert type(found["sum"].other) is list
    np.testing.assert_array_equal(found["sum"].other[0].rows, 2 * numbers)
    assert not found["sum"].other[0].is_array
    assert found["none"] is None


def test_results_that_differ_in_kind_from_row_to_row_are_refused() -> None:
    def sometimes(number: float) -> Any:
        return None if number < 3.0 else number

    numbers = np.array([2.0, 3.0])
    with pytest.raises(CannotStackError, match="None in some rows"):
        making.by_rows(sometimes, Stack(numbers))
    with pytest.raises(CannotStackError, match="type str"):
        making.by_rows(str, Stack(numbers))


def test_a_copy_has_the_layout_of_the_value_in_each_row() -> None:
    by_columns = np.asfortranarray(A)
    stack = Stack(ROWS)
    given = {"a": (stack, [stack]), "b": Stack(ROWS[:, 0, 0])}
    found = making.copied_rows(given, {"a": (A, [by_columns]), "b": 1.0})
    plain, (turned,) = found["a"]
    assert type(found["a"]) is tuple
    for copy, like in ((plain, A), (turned, by_columns)):
        np.testing.assert_array_equal(copy.rows, ROWS)
        assert not np.shares_memory(copy.rows, ROWS)
        assert np.argmin(copy.rows[1].strides) == np.argmin(like.strides)
        assert copy.is_array
    np.testing.assert_array_equal(found["b"].rows, ROWS[:, 0, 0])


def test_an_array_is_made_of_entries_that_are_stacks_or_lists() -> None:
    one, other = Stack(ROWS[:, 0, 0]), Stack(ROWS[:, 1, 1])
    found = making.array_of([[one, 2.0], (3.0, 4.0), [5.0, other]])
    wanted = [[[a, 2.0], [3.0, 4.0], [5.0, b]] for a, b in zip(one.rows, other.rows, strict=True)]
    np.testing.assert_array_equal(found.rows, wanted)
    assert making.array_of(one).is_array
    with pytest.raises(CannotStackError, match="given type"):
        making.array_of([one], float)


def test_what_has_no_rows_is_refused() -> None:
    empty = Stack(np.zeros((0, 2, 3)))
    for refused in (lambda: np.reshape(empty, -1), lambda: empty @ A.T):
        with pytest.raises(CannotStackError, match="no rows"):
            refused()
    assert len(empty) == 2


def test_products_of_two_stacks_are_those_of_each_row() -> None:
    vectors, others, cubes = ROWS[:, 0], ROWS[:, 1], rng.normal(size=(4, 2, 3, 2))
    for left, right in ((vectors, others), (vectors, cubes), (ROWS, vectors), (ROWS, cubes)):
        wanted = np.stack([a @ b for a, b in zip(left, right, strict=True)])
        np.testing.assert_allclose((Stack(left) @ Stack(right)).rows, wanted)


def test_a_jacobian_of_a_sum_by_a_method_of_a_ufunc_is_right() -> None:
    def columns(x: Any) -> Any:
        return np.add.reduce(x) * x[0]

    for make in (sg.jacfwd, sg.jacrev):
        wanted = np.zeros((3, 2, 3))
        for i, j in np.ndindex(2, 3):
            wanted[j, i, j] = A[0, j] + (A[:, j].sum() if i == 0 else 0.0)
        np.testing.assert_allclose(make(columns)(A), wanted)
