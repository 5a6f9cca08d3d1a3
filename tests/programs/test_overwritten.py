"""Checks that what is overwritten, or not taken, contributes nothing, however steep it is there."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.7, 0.0, -0.6, 2.0])
SAFE = np.array([0, 3])
UNSAFE = np.array([1, 2])


def roots(x: Any) -> Any:
    return np.sum(np.sqrt(x[SAFE]) * 2.0)


def by_a_mask(x: Any) -> Any:
    y = np.sqrt(x)
    y[x <= 0] = 0.0
    return np.sum(y * 2.0)


def by_a_mask_of_itself(x: Any) -> Any:
    y = np.sqrt(x) * 2.0
    y[~np.isfinite(y)] = 0.0
    y[y == 0] = 0.0
    return np.sum(y)


def by_an_index_array(x: Any) -> Any:
    y = np.sqrt(x)
    y[UNSAFE] = 0.0
    return np.sum(y * 2.0)


def by_a_slice_and_a_number(x: Any) -> Any:
    y = np.sqrt(x)
    y[2] = 0.0
    y[1:2] = 0.0
    return np.sum(y) + np.sum(y)


def by_putmask(x: Any) -> Any:
    y = np.sqrt(x)
    np.putmask(y, x <= 0, 0.0)
    return np.sum(y * 2.0)


def by_copyto(x: Any) -> Any:
    y = np.sqrt(x)
    np.copyto(y, 0.0, where=x <= 0)
    return np.sum(y * 2.0)


def by_place_and_put(x: Any) -> Any:
    y = np.sqrt(x)
    z = np.sqrt(x)
    np.place(y, x <= 0, [0.0, 0.0])
    np.put(z, UNSAFE, 0.0)
    return np.sum(y) + np.sum(z)


def after_an_update(x: Any) -> Any:
    y = np.sqrt(x)
    y *= 2.0
    y[x <= 0] = 0.0
    return np.sum(y)


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for scale in (0.5, 1.5):
        y = np.sqrt(x) * scale
        y[x <= 0] = 0.0
        total += np.sum(y)
    return total


def in_a_helper(x: Any) -> Any:
    return np.sum(root_or_zero(x) * 2.0)


def root_or_zero(x: Any) -> Any:
    y = np.sqrt(x)
    y[x <= 0] = 0.0
    return y


OVERWRITTEN = [
    *(by_a_mask, by_a_mask_of_itself, by_an_index_array, by_a_slice_and_a_number, by_putmask),
    *(by_copyto, by_place_and_put, after_an_update, in_a_loop, in_a_helper),
]


def compressed(x: Any) -> Any:
    return np.sum(np.compress(x > 0, np.sqrt(x)) * 2.0)


def compressed_by_its_method(x: Any) -> Any:
    root = np.sqrt(x)
    return np.sum(root.compress(x > 0) * 2.0)


def extracted(x: Any) -> Any:
    return np.sum(np.extract(x > 0, np.sqrt(x)) * 2.0)


def taken_from(x: Any) -> Any:
    return np.sum(np.take(np.sqrt(x), SAFE) * 2.0)


def chosen(x: Any) -> Any:
    return np.sum(np.choose(np.array([0, 1, 1, 0]), [np.sqrt(x) * 2.0, x * 0.0]))


def without_nan(x: Any) -> Any:
    return np.sum(np.nan_to_num(np.sqrt(x) * np.sqrt(x) / np.sqrt(x), nan=0.0) * 2.0)


def sum_without_nan(x: Any) -> Any:
    return np.nansum(np.sqrt(np.where(x == 0, -1.0, x)) * 2.0)


def by_index(x: Any) -> Any:
    return np.sum(np.sqrt(x)[SAFE] * 2.0)


TAKEN = [
    *(compressed, compressed_by_its_method, extracted, taken_from, chosen, without_nan),
    *(sum_without_nan, by_index),
]


def by_a_mask_after_a_step(x: Any) -> Any:
    y = np.sqrt(x) * 2.0
    y[x <= 0] = 0.0
    return np.sum(y)


def by_masks_one_after_the_other(x: Any) -> Any:
    y = np.sqrt(x) * 2.0
    y[x < 0] = 0.0
    y[x == 0] = 0.0
    return np.sum(y)


OVERWRITTEN += [by_a_mask_after_a_step, by_masks_one_after_the_other]
ON_TAPE = [*TAKEN, by_a_mask_after_a_step]


def on_tape(function: Any, x: Any) -> Any:
    tensor = sg.tensor(x, requires_grad=True)
    function(tensor).backward()
    return tensor.grad.numpy()


@pytest.mark.parametrize("program", [*OVERWRITTEN, *TAKEN])
def test_what_is_overwritten_or_not_taken_contributes_nothing(program: Any) -> None:
    expected = on_tape(roots, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = sg.grad(program, fallback="error")(X)
        forward = [sg.jvp(program, (X,), (row,))[1] for row in np.eye(4)]
        if program in ON_TAPE:
            np.testing.assert_allclose(on_tape(program, X), expected, rtol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(forward, expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_read_before_it_is_overwritten_counts() -> None:
    def read_before(x: Any) -> Any:
        y = np.sqrt(x)
        total = np.sum(y * y)
        y[UNSAFE] = 0.0
        return total + np.sum(y)

    def overwritten_on_one_path(x: Any) -> Any:
        y = np.sqrt(x)
        if x[0] > 5.0:
            y[UNSAFE] = 0.0
        return np.sum(y)

    for program in (read_before, overwritten_on_one_path):
        found = sg.grad(program, fallback="error")(X + 1.0)
        np.testing.assert_allclose(found, on_tape(plain(program), X + 1.0), rtol=1e-12)


def plain(program: Any) -> Any:
    """Return the same without stores, which a tape refuses after the value was kept."""
    if program.__name__ == "read_before":
        return lambda x: np.sum(x) + np.sum(np.sqrt(x[SAFE]))
    return lambda x: np.sum(np.sqrt(x))
