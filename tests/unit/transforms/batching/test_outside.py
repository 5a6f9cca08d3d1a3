"""Tests of helpers that hand out what lives outside, in functions that are written for a batch."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

TABLE = np.array([1.0, 2.0, 3.0])


def _table():
    return TABLE


def _written(x):
    table = _table()
    table[0] = x[1]
    return np.sum(TABLE * x)


def _written_under_its_helper(x):
    table = _table()
    table[0] = x[1]
    return np.sum(_table() * x)


@pytest.mark.parametrize("function", [_written, _written_under_its_helper])
def test_what_a_helper_hands_out_is_shared_by_all_examples(function) -> None:
    """A copy for each example would be written, and the array itself read."""
    x = np.random.default_rng(0).normal(size=(2, 3))
    want = [function(row) for row in x]
    with pytest.warns(sg.FallbackWarning, match="SG195"):
        found = sg.vmap(function)(x)
    np.testing.assert_allclose(found, want)
