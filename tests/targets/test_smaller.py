"""Tests that NumPy is asked for fewer numbers where it would take long for all of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops import nest, running
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.smaller import smaller
from tests.targets.test_nests import written_in_turns

RNG = np.random.default_rng(23)


def steps_of(x, w, n):
    total = x * 1.0
    for _ in range(n):
        total[1:] = total[1:] + w[1:] * np.sin(total[:-1])
    return np.sum(total * total)


def test_lengths_that_add_up_still_do():
    args = [np.ones((48, 16)), np.ones(48), (np.ones(32), 2.5), {"n": 16}, 100]
    first, second = smaller(args)
    shapes = [first[0].shape, first[1].shape, first[2][0].shape, first[3]["n"], first[4]]
    assert shapes == [(12, 4), (12,), (8,), 4, 3]
    assert [second[0].shape, second[1].shape, second[2][0].shape] == [(6, 4), (6,), (5,)]
    assert first[2][1] == 2.5


def test_arrays_keep_their_order_and_first_entries():
    x = np.asfortranarray(RNG.normal(size=(9, 7)))
    (less,) = smaller([x])
    assert less[0].flags.f_contiguous
    np.testing.assert_array_equal(less[0], x[:5, :4])
    assert list(smaller([np.ones(3), "word", 2])) == []


@pytest.fixture
def long(monkeypatch):
    pytest.importorskip("numba", reason="needs Numba")
    monkeypatch.setattr(running, "_LONGEST", -1.0)  # each first call takes long


@pytest.mark.usefixtures("long")
def test_what_is_right_for_less_is_taken():
    args = (RNG.normal(size=30), RNG.normal(size=30), 50)
    compiled = sg.value_and_grad(steps_of, (0, 1), backend="numba", fallback="error")
    for _ in range(2):
        assert not differs(compiled(*args), sg.value_and_grad(steps_of, (0, 1))(*args))
    assert "@jitted" in compiled.source


@pytest.mark.usefixtures("long")
def test_what_is_wrong_for_less_is_not(monkeypatch):
    def joined(first, second, may_meet):
        return "rows" if len(first.lengths) > 1 else "entries"

    monkeypatch.setattr(nest, "_way_of_entries", joined)
    x = RNG.normal(size=(20, 20))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = sg.value_and_grad(written_in_turns, backend="numba")
        found = compiled(x)
    assert not differs(found, sg.value_and_grad(written_in_turns)(x))
    assert any("is not what the text for NumPy returns" in str(item.message) for item in caught)
