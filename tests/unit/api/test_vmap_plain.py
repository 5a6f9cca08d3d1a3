"""Tests `vmap` of programs that are written for a batch in other words than the user's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg

RNG = np.random.default_rng(0)
XS = RNG.normal(size=(5, 4))


def positive(x):
    return np.sum(x[x > 0]) + np.mean(np.sin(x[x < 0.5]) ** 2) * len(x[x > -0.5])


def halved_where_small(x):
    y = x * 1.0
    small = y < 0.3
    y[small] = y[small] * 0.5
    y[y > 0.1] -= 0.2 * y[y > 0.1] * x[0]
    return y


def updated_in_a_branch(x):
    y = np.outer(x, x)
    row = y[1]
    if x[0] > 0:
        row *= x[1]
        y -= 0.5
    return y


def greatest_of_items(x):
    return max(x) - min([x[0], 0.3, x[1] * x[2]])


def some_left_out(x):
    return sum(a * b for a, b in zip(x, x[::-1], strict=True) if a > 0.1)


def broadcast_together(x):
    a, b = np.broadcast_arrays(np.outer(x, x), x[1])
    return a * b + np.broadcast_arrays(x, 2.0)[1]


def taken_apart(x):
    first, *rest = x * 2.0
    *others, last = [x * 1.0, x * 2.0]
    others[0][1:] += 1.0
    return first * rest[0] + len(rest) + last * others[0]


def joined_with_a_list(x):
    return np.concatenate([[x[0], 0.5], x, [1.0]])


def walrus_and_dicts(x):
    held = dict(w=x * 2.0, b=(first := x[0]))  # noqa: C408 - it is what is tested
    held["w"] *= first
    return held["w"] * held["b"]


def rows_updated_in_a_list(x):
    c = np.outer(x, x)
    rows = [(row := y) for y in c]
    rows[0] *= np.tanh(x)
    return np.sum(c**2) + np.sum(row)


def written_into_out(x):
    y = np.empty(4)
    np.multiply(x, 2.0, out=y)
    np.putmask(y, y < 0.0, 0.1)
    return y


def written_through_a_view(x):
    y = x * 1.0
    y.view()[1:] += 1.0
    return y


FUNCTIONS = [
    positive,
    halved_where_small,
    updated_in_a_branch,
    greatest_of_items,
    some_left_out,
    broadcast_together,
    taken_apart,
    joined_with_a_list,
    walrus_and_dicts,
    rows_updated_in_a_list,
    written_into_out,
    written_through_a_view,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_batch_is_what_a_loop_is(function):
    batched = sg.vmap(function, fallback="error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, wanted = batched(XS), np.stack([function(x) for x in XS])
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_what_a_mask_picks_reads_as_a_choice():
    batched = sg.vmap(halved_where_small, fallback="error")
    batched(XS)
    assert "y[:] = np.where(small, y * 0.5, y)" in batched.source


def bumped(x):
    x += 1.0
    return x


def picked_before_a_write(x):
    y = x * 1.0
    return np.sum(y[y > 0] + bumped(y)[0])


def picked_and_kept(x):
    kept = x[x > 0]
    return np.sum(kept) + kept[0]


def picked_by_another_mask(x):
    y = x * 1.0
    y[y > 0] = y[x > 0.0] * 2.0
    return y


@pytest.mark.parametrize(
    "function", [picked_before_a_write, picked_and_kept, picked_by_another_mask]
)
def test_what_is_picked_goes_nowhere_else(function):
    with pytest.raises(sg.NotBatchedError, match="mask"):
        sg.vmap(function, fallback="error")(XS)


def test_python_finds_the_greatest_beside_nan_as_it_does():
    xs = np.array([[np.nan, 1.0, 2.0], [1.0, np.nan, 2.0], [3.0, 2.0, np.nan]])
    for function in (lambda x: max(x) + 0.0, lambda x: min(x) + 0.0):
        found = sg.vmap(function, fallback="error")(xs)
        np.testing.assert_array_equal(found, [function(x) for x in xs])
