"""Selections whose masks have a long way to go: finite and right all the same, in all modes.

What is not selected is 0 in each, where a step before the selection has no derivative.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.7, 0.0, -0.6, 2.0, 0.0])
SMOOTH = X != 0


def slices(x):
    r = np.sqrt(x)
    inner = np.where((x[1:] > 0) & (x[:-1] > 0), r[1:] - r[:-1], 0.0)
    return np.sum(inner) + np.sum(np.where(x > 0, r**3, 0.0))


def two_slices(x):
    r = np.log(x)
    first, last = r[:2], r[3:]
    return np.sum(np.where(x[:2] > 0, first, 0)) + np.sum(np.where(x[3:] > 0, last, 0.0) * 2)


def read_in_a_loop(x):
    r = np.sqrt(x)
    total = 0.0
    for i in range(5):
        if x[i] > 0:
            total = total + r[i] * 2
    return total


def selected_in_a_loop(x):
    r = np.log(x)
    total = 0.0
    for i in range(len(x)):
        total = total + np.where(x[i] > 0, r[i] * x[i], 0.0)
    return total


def read_in_a_while_loop(x):
    r, i, total = np.sqrt(x), 0, 0.0
    while i < 5:
        total = total + (r[i] if x[i] > 0 else 0.0)
        i += 1
    return total


def rows_in_a_loop(x):
    roots = np.sqrt(np.outer(x, np.ones(2)))
    total = 0.0
    for i in range(5):
        row = roots[i]
        total = total + np.sum(np.where(x[i] > 0, row, 0.0))
    return total


def stacked(x):
    both = np.stack([np.sqrt(x), np.log(x)])
    return np.sum(np.where(x > 0, both, 0.0))


def joined(x):
    parts = np.concatenate([np.sqrt(x), x])
    there = np.concatenate([x > 0, x < 9])
    return np.sum(np.where(there, parts**3, 0.0))


def in_columns(x):
    columns = np.column_stack((np.sqrt(x), np.log(x)))
    return np.sum(columns[x > 0])


def transposed_after_stacking(x):
    pairs = np.vstack([np.sqrt(x), x]).T
    return np.sum(np.where((x > 0)[:, None], pairs, 0.0))


def unpacked(x):
    a, b, _, d, _ = np.sqrt(x)
    return a + d + np.where(x[1] > 0, b, 0.0)


def chosen(x):
    return np.sum(np.choose((x > 0).astype(int), [x * 0.0, np.sqrt(x)]))


def overwritten(x):
    y = np.sqrt(x)
    y[~(x > 0)] = 0.0
    return np.sum(y * y * y)


def divided(x):
    y = np.divide(1.0, x, out=np.zeros_like(x), where=x != 0)
    return np.sum(y**2)


def by_pieces(x):
    return np.sum(np.piecewise(x, [x > 0, x <= 0], [np.sqrt, lambda t: t * 2]))


def through_an_inverse(x):
    y = np.where(x > 0, np.sqrt(x), 0.0)
    return np.sum(np.linalg.inv(np.outer(y, y) + np.eye(5))) + y @ y


def weights_of_the_masked(x):
    scores = np.where(x > 0, np.log(x), -np.inf)
    e = np.exp(scores - np.max(scores))
    return np.sum(e / np.sum(e) * np.arange(5.0))


def reshaped(x):
    y = np.where((x > 0).reshape(5, 1), np.sqrt(x).reshape(5, 1), 0.0)
    return np.sum(y**3)


def transposed(x):
    a = np.sqrt(np.outer(x, x))
    return np.sum(np.where((np.outer(x, x) > 0).T, a.T, 0.0))


def joined_and_tiled(x):
    y = np.hstack((np.log(x), x * 2))
    return np.sum(np.where(np.tile(x > 0, 2), y**2, 0.0))


def stacked_in_columns(x):
    y = np.stack([np.log(x), np.sqrt(x)], axis=1)
    return np.sum(np.where((x > 0)[:, None], y, 0.0))


def repeated(x):
    y = np.pad(np.repeat(np.sqrt(x), 2), 1)
    return np.sum(np.where(np.pad(np.repeat(x, 2), 1) > 0, y, 0.0))


def spread_out(x):
    y = np.broadcast_to(np.sqrt(x), (3, 5))
    return np.sum(np.where(x > 0, y, 0.0))


def pairs_of_indices(x):
    a = np.sqrt(np.outer(x, np.ones(3)))
    i, j = np.nonzero(a > 0)
    return np.sum(a[i, j])


def neighbours(x):
    r = np.sqrt(x)
    both = (x[1:] > 0) & (x[:-1] > 0)
    return np.sum(np.where(both, np.diff(r) * 2, 0.0)) + np.sum(np.where(x > 0, r, 0))


def stored_slices(x):
    r, g = np.sqrt(x), np.zeros(5)
    g[1:] = np.where((x[1:] > 0) & (x[:-1] > 0), r[1:] - r[:-1], 0.0)
    return np.sum(g**2)


def cut(x):
    a, b = np.split(np.sqrt(x), [2])
    there, here = np.split(x > 0, [2])
    return np.sum(np.where(there, a, 0.0)) + np.sum(np.where(here, b, 0.0))


def cut_and_read(x):
    a, b = np.split(np.sqrt(np.append(x, 1.0)), 2)
    return np.sum(np.where(x[:3] > 0, a, 0.0)) + np.where(x[3] > 0, b[0], 0.0) + b[2]


def unpacked_and_chosen(x):
    a, b, _, d, _ = np.log(x)
    return np.where(x[0] > 0, a, 0.0) + np.where(x[1] > 0, b, 0.0) + d


def masked_anew_in_each_trip(x):
    r, total = np.log(x), 0.0
    for k in range(2):
        total = total + np.sum(np.where(x > 0.5 * k, r, 0.0))
    return total


def norms_in_a_loop(x):
    rows, total = np.outer(x, np.array([1.0, 2.0])), 0.0
    norms = np.sqrt(np.sum(rows * rows, axis=1))
    for i in range(len(rows)):
        if norms[i] > 0:
            total += np.sum(rows[i] / norms[i]) + norms[i]
    return total


def pairs_in_a_loop(x):
    z, total = x + np.arange(5.0) + x**2, 0.0
    distances = np.sqrt((z[:, None] - z) ** 2)
    for i in range(5):
        for j in range(i + 1, 5):
            total += distances[i, j] ** 3
    return total


def two_steps_before_a_loop(x):
    r, total = np.sqrt(x), 0.0
    s = 2 * r + 1
    squares = s * s
    for i in range(5):
        if x[i] > 0:
            total += squares[i] * squares[i]
    return total


def picked_in_a_loop(x):
    r, total = np.log(x), 0.0
    for k in range(2):
        total += np.sum(r[np.flatnonzero(x > k)] ** 2)
    return total


def until_the_first(x):
    r, total = np.sqrt(x), 0.0
    for i in range(5):
        v = r[i]
        if x[i] <= 0:
            break
        total += v * r[i]
    return total + np.where(x[3] > 0, r[3], 0.0)


def appended(x):
    r, every = np.sqrt(np.abs(x) + 1), []
    for i in range(5):
        if x[i] > 0:  # not in the last trip
            every.append(r)  # noqa: PERF401 - as users write it
    return sum([np.sum(one * x) for one in every])


def weighted(x):
    return np.sum(np.sqrt(np.maximum(x, 0)) * np.where(x > 0, 1.0, 0.0))


def weighted_by_truths(x):
    m = (x > 0).astype(float)
    return np.sum(np.sqrt(np.abs(x)) * m) + np.sum(np.log(np.abs(x) + (x == 0)) * ((x > 0) * 2.0))


def stepped(x):
    return np.sum(np.heaviside(x, 0.0) * np.sqrt(np.abs(x)))


PROGRAMS = [
    *(slices, two_slices, read_in_a_loop, selected_in_a_loop, read_in_a_while_loop),
    *(rows_in_a_loop, stacked, joined, in_columns, transposed_after_stacking, unpacked, chosen),
    *(overwritten, divided, by_pieces, through_an_inverse, weights_of_the_masked),
    *(reshaped, transposed, joined_and_tiled, stacked_in_columns, repeated, spread_out),
    *(pairs_of_indices, neighbours, stored_slices, cut, cut_and_read, unpacked_and_chosen),
    *(masked_anew_in_each_trip, norms_in_a_loop, pairs_in_a_loop, two_steps_before_a_loop),
    *(picked_in_a_loop, until_the_first, appended, weighted, weighted_by_truths, stepped),
]
TWICE = [slices, read_in_a_loop, stacked, unpacked, chosen, joined_and_tiled, cut, picked_in_a_loop]
NAN_ON_TAPE = {neighbours, cut, cut_and_read, weighted, weighted_by_truths, stepped}
NAN_FORWARD = {stepped}
REFUSED = {overwritten, stored_slices}
"""What the tape refuses: a value that a derivative needs is overwritten, or an array takes it."""


def differences(f: Any, x: Any) -> Any:
    """Return the slopes by the elements that are not at an edge."""
    found = np.zeros_like(x)
    for place in np.flatnonzero(SMOOTH):
        step = 1e-6 * (np.arange(5) == place)
        found[place] = (f(x + step) - f(x - step)) / 2e-6
    return found


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sg.FallbackWarning)  # `piecewise` in forward mode
        yield


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_beside_selections_are_finite_and_right(f):
    expected = differences(f, X)
    gradient = sg.grad(f, fallback="error")
    found = gradient(X)
    np.testing.assert_allclose(gradient.generated(X), found, rtol=1e-12)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[SMOOTH], expected[SMOOTH], rtol=1e-5, atol=1e-6)
    (pulled,) = sg.vjp(f, X)[1](1.0)
    np.testing.assert_allclose(pulled, found, rtol=1e-12)
    for place in () if f in NAN_FORWARD else (0, 1):
        tangent = sg.jvp(f, (X,), ((np.arange(5) == place) * 1.0,))[1]
        assert tangent == pytest.approx(found[place], rel=1e-10)


@pytest.mark.parametrize(
    "f",
    [f for f in PROGRAMS if f not in REFUSED | NAN_ON_TAPE],
    ids=lambda f: f.__name__,
)
def test_the_tape_gives_the_same(f):
    leaf = sg.tensor(X, requires_grad=True)
    f(leaf).backward()
    np.testing.assert_allclose(leaf.grad.numpy(), sg.grad(f)(X), rtol=1e-10)


def roots_of_positive(x):
    return np.sum(np.sqrt(np.maximum(x, 0)) * x) + np.sum(np.log(np.fmin(x, 0) + 1))


def angles(x):
    return np.sum(np.arccos(np.clip(x, -1, 1)))


def powers_of_chosen(x):
    return np.sum((3 * np.where(x > 0, x, 0.0)) ** 0.4) + np.sqrt(np.maximum(x[1], 0.0))


@pytest.mark.parametrize("f", [roots_of_positive, angles, powers_of_chosen])
def test_forwards_a_number_that_was_selected_is_constant(f):
    x = np.array([0.7, -0.6, 2.0])
    expected = sg.grad(f)(x)
    assert np.isfinite(expected).all()
    assert sg.jvp(f, (x,), (np.array([1.0, 2.0, 3.0]),))[1] == pytest.approx(expected @ [1, 2, 3])
    np.testing.assert_allclose(sg.jacfwd(f)(x), expected, rtol=1e-12)


def test_a_mask_that_is_written_later_is_not_asked_then(monkeypatch):
    monkeypatch.setenv("SRCGRAD_PROVE", "0")  # the checker would find what is wrong here

    def written_mask(x):
        mask = x > 0
        y = np.where(mask, x, 0.0)
        mask[:] = False
        return np.sqrt(y)

    x, ones = np.array([4.0, 1.0]), np.ones(2)
    np.testing.assert_allclose(sg.jvp(written_mask, (x,), (ones,))[1], [0.25, 0.5])


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_second_derivatives_beside_selections_are_finite_and_right(f):
    whole = sg.hessian(f)(X)
    assert np.isfinite(whole).all()
    step = 1e-6 * (np.arange(5) == 0)
    expected = (sg.grad(f)(X + step) - sg.grad(f)(X - step)) / 2e-6
    np.testing.assert_allclose(whole[:, 0], expected, rtol=1e-5, atol=1e-6)
    (back,) = sg.vjp(sg.grad(f), X)[1](np.eye(5)[0])
    np.testing.assert_allclose(back, whole[0], rtol=1e-8, atol=1e-12)
