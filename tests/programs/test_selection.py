"""Checks that what a selection leaves out contributes nothing, however steep it is there."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.programs import selection

X = np.array([0.7, 0.0, -0.6, 2.0])
ROWS = np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 1.0]])
SAFE = np.where(X > 0, X, 1.0)
W = np.array([[0.4, 0.0, 1.0, -2.0], [1.0, -1.0, 0.5, 0.0]])


def root(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0))


def named(x: Any) -> Any:
    y = np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)) * 2 + 1, x)
    return np.sum(y * y)


def rows(v: Any) -> Any:
    square = np.sum(v * v, axis=-1, keepdims=True)
    n = np.sqrt(np.where(square > 0, square, 1.0))
    return np.sum(np.where(square > 0, v / n, 0) * (v + 1.0))


def of_another(x: Any, y: Any) -> Any:
    return np.sum(np.where(y > 0, np.log(np.where(y > 0, x * x, 1.0)), x) ** 2)


def broadcast(w: Any, x: Any) -> Any:
    used = np.any(np.asarray(W) > 0, axis=0)
    return np.sum(np.where(w > 0, np.sqrt(np.where(used, x * x, 1.0)) * w, 0) ** 2)


def spread(x: Any, w: Any) -> Any:
    a = np.where(x > 0, np.abs(x), 1.0)
    return np.sum(np.where(x > 0, 1.0 / np.sqrt(a) * w, 0))


def missing(y: Any) -> Any:
    data = np.array([1.0, 0.0, 2.0, -1.0])
    there = np.array([True, False, True, True])
    return np.sum(np.where(there, (data - y) ** 2 * np.sin(data * y), 0))


def nested(x: Any) -> Any:
    inner = np.where(x < -0.5, np.sqrt(np.where(x < -0.5, -0.5 - x, 1.0)), 0)
    positive = np.where(x > 0, x, 1.0)
    return np.sum(np.where(x > 0, positive * np.log(positive), inner))


def bounded(x: Any) -> Any:
    a = np.abs(x)
    return np.sum(np.where(a > 0, np.log(np.where(a > 0, a, 1.0)), -10.0))


def clipped(x: Any) -> Any:
    a = np.abs(x)
    return np.sum(np.where(a > 0, np.log(np.where(a > 0, a, 1.0)), -10.0) ** 2)


def chosen(x: Any) -> Any:
    low = np.where(x < 0, np.log(np.where(x < 0, -x, 1.0)), x**2)
    return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), low))


def looped(x: Any) -> Any:
    return 6.0 * np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0))


def carried(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.where(x > 0, x, 1.0) ** 0.0625, 0))


CASES = [
    (selection.root_of_the_positive, root, (X,)),
    (selection.named_steps, named, (X,)),
    (selection.unit_rows, rows, (ROWS,)),
    (selection.condition_of_another, of_another, (np.array([0.4, 0.0, 0.0, 1.5]), X - 1.0)),
    (selection.broadcast_operand, broadcast, (W, np.array([0.4, 0.0, 1.0, 0.0]))),
    (selection.broadcast_condition, spread, (X, W)),
    (selection.missing_values, missing, (X,)),
    (selection.one_in_the_other, nested, (X,)),
    (selection.bounded_below, bounded, (X,)),
    (selection.bounded_both_ways, clipped, (X,)),
    (selection.several_choices, chosen, (X,)),
    (selection.chosen_in_a_loop, looped, (X,)),
    (selection.chosen_in_a_branch, root, (X,)),
    (selection.carried_through_a_loop, carried, (X,)),
]
"""Programs with what they are, written so that no value is steep where it is not used."""


@pytest.mark.parametrize(
    ("program", "careful", "args"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_what_is_not_selected_contributes_nothing(program: Any, careful: Any, args: Any) -> None:
    wanted = tuple(range(len(args)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        np.testing.assert_allclose(program(*args), careful(*args), rtol=1e-12)
        found = sg.grad(program, wanted, fallback="error")(*args)
        taped, expected = on_tape(program, args), on_tape(careful, args)
    for grad, theirs, right in zip(found, taped, expected, strict=True):
        assert np.all(np.isfinite(right))
        np.testing.assert_allclose(grad, right, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(theirs, right, rtol=1e-10, atol=1e-12)


def on_tape(function: Any, args: Any) -> list[Any]:
    """Return the gradient that the tape gives."""
    tensors = [sg.tensor(arg, requires_grad=True) for arg in args]
    function(*tensors).backward()
    return [np.zeros_like(t.detach()) if t.grad is None else t.grad.numpy() for t in tensors]


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: case[0].__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_tape_differentiates_selections_twice(case: Any) -> None:
    program, careful, (x,) = case
    second = []
    for function in (program, careful):
        tensor = sg.tensor(x, requires_grad=True)
        (grad,) = sg.autograd.grad(function(tensor), tensor, create_graph=True)
        (twice,) = sg.autograd.grad((grad * np.arange(x.size).reshape(x.shape)).sum(), tensor)
        second.append(twice.numpy())
    np.testing.assert_allclose(*second, rtol=1e-10, atol=1e-12)


# --- picked by index arrays, masks and triangles: by source ---------------------------------------

POINTS = np.array([1.0, 3.0, -2.0])
PAIRS = np.triu_indices(3, 1)
SHARES = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.2, 0.8]])
LABELS = np.array([0, 1, 2])


def distances_of_pairs(x: Any) -> Any:
    d = np.sqrt((x[:, None] - x[None, :]) ** 2)
    i, j = PAIRS[0], PAIRS[1]
    return np.sum(d[i, j] ** 3)


def distances_picked_before(x: Any) -> Any:
    difference = x[PAIRS[0]] - x[PAIRS[1]]
    return np.sum(np.sqrt(difference**2) ** 3)


def upper_distances(x: Any) -> Any:
    return np.sum(np.triu(np.sqrt((x[:, None] - x[None, :]) ** 2), 1) ** 3)


def cross_entropy(p: Any) -> Any:
    log_p = np.log(p)
    return -np.mean(log_p[LABELS, LABELS])


def cross_entropy_picked_before(p: Any) -> Any:
    return -np.mean(np.log(p[LABELS, LABELS]))


def masked_roots(x: Any) -> Any:
    root = np.sqrt(x)
    there = x > 0
    return np.sum(root[there] * 2.0)


def masked_before(x: Any) -> Any:
    return np.sum(np.sqrt(x[x > 0]) * 2.0)


def sum_of_the_positive(x: Any) -> Any:
    return np.sum(np.exp(np.sqrt(x)), where=x > 0)


def sum_of_the_picked(x: Any) -> Any:
    return np.sum(np.exp(np.sqrt(x[x > 0])))


def rows_of_the_positive(w: Any) -> Any:
    logs = np.log(w) * 2.0
    return np.sum(np.sum(logs, axis=0, where=w > 0) ** 2)


def rows_of_what_is_safe(w: Any) -> Any:
    logs = np.log(np.where(w > 0, w, 1.0)) * 2.0
    return np.sum(np.sum(logs, axis=0) ** 2)


def mean_and_deviation(x: Any) -> Any:
    root, there = np.sqrt(x), x > 0
    return np.mean(root, where=there) * np.std(root, where=there)


def mean_and_deviation_of_the_picked(x: Any) -> Any:
    root = np.sqrt(x[x > 0])
    return np.mean(root) * np.std(root)


REDUCTIONS = [
    (sum_of_the_positive, sum_of_the_picked, X),
    (rows_of_the_positive, rows_of_what_is_safe, W),
    (mean_and_deviation, mean_and_deviation_of_the_picked, X),
]


@pytest.mark.parametrize(
    ("program", "careful", "x"), REDUCTIONS, ids=[case[0].__name__ for case in REDUCTIONS]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_a_reduction_leaves_out_contributes_nothing(
    program: Any, careful: Any, x: Any
) -> None:
    (expected,) = on_tape(careful, (x,))
    (taped,) = on_tape(program, (x,))
    np.testing.assert_allclose(taped, expected, rtol=1e-10, atol=1e-12)
    found = sg.grad(program, fallback="error")(x)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


PICKS = [
    (distances_of_pairs, distances_picked_before, POINTS),
    (upper_distances, distances_picked_before, POINTS),
    (cross_entropy, cross_entropy_picked_before, SHARES),
    (masked_roots, masked_before, X),
]


@pytest.mark.parametrize(("program", "careful", "x"), PICKS, ids=[p[0].__name__ for p in PICKS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_picked_contributes_nothing(program: Any, careful: Any, x: Any) -> None:
    found = sg.grad(program, fallback="error")(x)
    (expected,) = on_tape(careful, (x,))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
