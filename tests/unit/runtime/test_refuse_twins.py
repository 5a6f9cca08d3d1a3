"""What holds one thing at two places is not copied as if it were two."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import refuse_twins

ROW = [1.0, 2.0]
ARRAY = np.ones(2)


@pytest.mark.parametrize(
    "held",
    [
        [ROW, ROW],
        {"a": ARRAY, "b": (ARRAY, 1.0)},
        [[ROW], {"k": ROW}],
        (ARRAY, [ARRAY]),
    ],
)
def test_what_is_there_twice_is_refused(held):
    with pytest.raises(sg.LeftOutError, match="holds one thing twice"):
        refuse_twins(held)


@pytest.mark.parametrize(
    "held", [1.0, ARRAY, [ROW, [1.0, 2.0]], {"a": ARRAY, "b": ARRAY.copy()}, (1.0, 1.0), [()] * 2]
)
def test_what_is_there_once_is_not(held):
    refuse_twins(held)


def _copied(x):
    y = x * 1.0
    rows = [y, y]
    copies = copy.deepcopy(rows)
    copies[0] *= 2.0  # in Python both entries are that array
    return np.sum(copies[1] * rows[0])


def test_such_a_copy_goes_to_the_tape_and_is_right():
    x = np.array([0.5, -1.0, 2.0])
    with pytest.warns(sg.FallbackWarning, match="holds one thing twice"):
        found = sg.grad(_copied)(x)
    step = 1e-6
    wanted = [(_copied(x + step * e) - _copied(x - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
