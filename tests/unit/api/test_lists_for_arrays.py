"""Checks that lists in the place of arrays are differentiated as the lists that they are."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

ENTRIES = [1.0, 2.0, 4.0, 5.0]


def copy_of_a_slice(b):
    c = b[1:].copy()
    return c[0] * c[1]


def copy_of_a_slice_written(b):
    c = b[1:].copy()
    for i in range(1, 3):
        c[i] = c[i - 1] * c[i]
    return c[2]


def copies_of_copies(b):
    c = b[1:].copy()[::-1].copy()
    return c[0] * c[1] ** 2


def slice_written(b):
    c = b.copy()
    d = c[1:]
    d[0] = 3.0 * d[1]
    return d[0] * d[1] + c[1]


def slices_swapped(b):
    c = b.copy()
    c[:2], c[2:4] = c[2:4], c[:2]
    return c[0] * c[1] + c[2] ** 2 + c[3]


def copy_joined(b):
    c = b.copy()
    d = c + c
    return d[0] * d[3]


FUNCTIONS = [
    copy_of_a_slice,
    copy_of_a_slice_written,
    copies_of_copies,
    slice_written,
    slices_swapped,
    copy_joined,
]


def differences(function, kind):
    """Return the derivatives by each entry, by central differences."""
    found = []
    for place in range(len(ENTRIES)):
        up, down = kind(ENTRIES), kind(ENTRIES)
        up[place] += 1e-6
        down[place] -= 1e-6
        found.append((function(up) - function(down)) / 2e-6)
    return found


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kinds", [(list, np.array, list), (np.array, list)])
def test_a_list_is_no_array(function, kinds):
    g = sg.grad(function)
    for kind in kinds:
        wanted = differences(function, kind)
        np.testing.assert_allclose(g(kind(ENTRIES)), wanted, rtol=1e-7)
        _, pull = sg.vjp(function, kind(ENTRIES))
        np.testing.assert_allclose(pull(1.0)[0], wanted, rtol=1e-7)
        ones = kind([1.0] * len(ENTRIES))
        _, slope = sg.jvp(function, (kind(ENTRIES),), (ones,))
        np.testing.assert_allclose(slope, sum(wanted), rtol=1e-7)
