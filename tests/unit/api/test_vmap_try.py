"""Tests `vmap` of programs with `try`: what all examples come through alike, and what not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import srcgrad as sg

RNG = np.random.default_rng(0)


def key_that_is_missing(x):
    held = {"gain": 2.0}
    try:
        y = x * held["offset"]
    except KeyError as error:
        y = x * held["gain"] + len(error.args)
    return y.sum()


def raised_at_the_first_trip(x):
    y = x * 1.0
    for k in range(3):
        try:
            y = y * 2.0
            if k < 1:
                raise ValueError("again")  # noqa: TRY301
            y = y + x[0]
        except ValueError:
            y = y - 1.0
        else:
            y = y * x
        finally:
            y = y * 0.5
    return y


def undone_at_the_end(x):
    y, kept = x * 1.0, x.copy()
    try:
        y *= 3.0
        total = np.sum(y**2)
    finally:
        y[:] = kept
    return total * y


def shapes_that_do_not_fit(x):
    scale = 1.0
    try:
        scale = x[0]
        y = x + np.ones(7)
    except ValueError:
        y = scale * x
    return y


def left_by_a_return(x):
    try:
        return np.sin(x) / np.sum(x * x)
    except TypeError:
        return x


@pytest.mark.parametrize(
    "function",
    [
        key_that_is_missing,
        raised_at_the_first_trip,
        undone_at_the_end,
        shapes_that_do_not_fit,
        left_by_a_return,
    ],
)
def test_what_is_raised_for_all_examples_or_none_is_caught(function):
    xs = RNG.normal(size=(4, 3))
    batched = sg.vmap(function, fallback="error")
    np.testing.assert_allclose(batched(xs), [function(x) for x in xs], rtol=1e-12)


def root_of_a_number(x):
    try:
        y = math.sqrt(x[0])
    except ValueError:
        y = 0.0
    return y * x[1]


def quotient_of_numbers(x):
    try:
        y = 1.0 / float(x[0])
    except ZeroDivisionError:
        y = 0.0
    return y + x[1]


def place_of_each(x):
    try:
        y = x[np.argmax(x) + 1]
    except IndexError:
        y = 0.0
    return y


def factor_that_may_not_be_there(x):
    try:
        y = np.linalg.cholesky(np.outer(x, x) + x[0] * np.eye(3))
    except np.linalg.LinAlgError:
        y = np.eye(3)
    return y


def raised_for_some(x):
    try:
        if x[0] > 0:
            raise ValueError("positive")  # noqa: TRY301
        y = x[1]
    except ValueError:
        y = x[2]
    return y


def side_that_does_not_fit(x):
    try:
        y = x @ np.ones(5) if x[0] > 9 else x[1]
    except ValueError:
        y = x[2]
    return y


def root_in_a_helper(x):
    return math.sqrt(x[0]) * x[1]


def helper_that_raises(x):
    try:
        y = root_in_a_helper(x)
    except ValueError:
        y = x[2]
    return y


def in_a_branch(x):
    y = x[1]
    if x[0] > 0:
        try:
            y = x @ np.ones(5)
        except ValueError:
            y = x[2]
    return y


@pytest.mark.parametrize(
    "function",
    [
        root_of_a_number,
        quotient_of_numbers,
        place_of_each,
        factor_that_may_not_be_there,
        raised_for_some,
        side_that_does_not_fit,
        helper_that_raises,
        in_a_branch,
    ],
)
def test_what_may_be_raised_for_some_examples_is_refused(function):
    xs = RNG.normal(size=(4, 3))
    xs[0, 0] = 0.0
    with pytest.raises(sg.NotBatchedError):
        sg.vmap(function, fallback="error")(xs)
    found = sg.vmap(function, fallback="tape")(xs)
    np.testing.assert_allclose(found, np.stack([function(x) for x in xs]))
