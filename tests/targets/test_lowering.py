"""Tests what loops are lowered to: parts of arrays, records in arrays, looks before loops."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(2)


def of_size(n):
    return RNG.normal(size=n)


def square(n):
    return RNG.normal(size=(n, n)) + n * np.eye(n)


# -- parts of arrays by integers of the program


def triangle(a):
    low = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            low[i, j] -= np.dot(low[i, :j], low[j, :j])
            low[i, j] /= low[j, j]
        low[i, i] = np.sqrt(low[i, i] ** 2 - low[i, :i] @ low[i, :i] * 0.01)
    return np.sum(low * low)


def windows(x):
    """Slices that end outside, begin before the start, and count from the end."""
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(x[i : i + 3] * x[i : i + 3]) * x[i]
        total += np.sum(np.sin(x[i - 2 : i]))
        total += np.sum(x[i::2]) * np.sum(x[: -i - 1])
    return total


def rows_that_meet(paths):
    """Row k is read while row i is written, and they are one for i == k."""
    paths = paths.copy()
    for k in range(paths.shape[0]):
        for i in range(paths.shape[0]):
            paths[i] = np.minimum(paths[i], paths[i, k] + paths[k])
    return np.sum(paths * paths)


def number_in_between(x):
    """A number of the array that statements before and after it write."""
    u = x * 1.0
    for k in range(x.shape[0] - 1):
        u[k:] += u[k] * x[k:]
        u[k:] *= 0.5 + u[k + 1] * 0.1
    return np.sum(u * u)


def in_place(x, steps):
    u = x.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1]) + u[1:-1, :-2] * u[1:-1, 2:]
    return np.sum(u * u)


def shifted_copy(x):
    u = x * 1.0
    for k in range(1, x.shape[0]):
        u[k:] = u[:-k] * 0.5 + x[k:]
    return np.sum(u * u)


# -- sums along axes


def pulls(p, m):
    away = p[None, :, :] - p[:, None, :]
    squares = np.sum(away * away, axis=2) + 0.1
    force = np.sum(away * (m / squares**1.5)[:, :, None], axis=1)
    return np.sum(force * force)


def centred(x):
    middle = np.sum(x * x, axis=0, keepdims=True)
    return np.sum((x - middle) ** 2 * np.sum(x, axis=1, keepdims=True))


def sum_that_is_read(x):
    total = np.sum(x * x, axis=1)
    return np.sum(total[:, None] * x) + np.sum(total)


# -- records


def in_branches(a):
    low = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(i + 1):
            rest = a[i, j]
            for k in range(j):
                rest -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(abs(rest))
            else:
                low[i, j] = rest / low[j, j]
    return np.sum(np.log(np.diag(low)))


def until_small(x):
    total, scale = 0.0, 1.0
    for i in range(x.shape[0]):
        y, count = x[i], 0
        while abs(y) > 0.1 and count < 70:
            y = 0.7 * np.sin(y) + 0.01 * y * y
            scale = scale * (1.0 + 0.01 * y)
            count += 1
        total += y * scale
    return total


def many_trips(x, n):
    a, b = x, 0.5
    for _ in range(n):
        a, b = np.sin(a + b), np.cos(a * b)
    return a * b


# -- indices


def neighbours(x):
    total = 0.0
    n = x.shape[0]
    for i in range(n):
        total += x[i] * x[i - 1]  # the last for the first
        if i < n - 1:
            total += np.sin(x[i + 1])
    return total


def gathered(x, order):
    total = 0.0
    for i in range(order.shape[0]):
        total += x[order[i]] * x[i] * (i + 1)
    return total


def ends_early(x):
    total = 0.0
    for i in range(100):
        if i >= x.shape[0]:
            break
        total += x[i] * x[i]
    return total


def shrinks(x):
    total, n = 0.0, x.shape[0]
    for i in range(x.shape[0]):
        n -= 1
        total += x[n] * x[i] * x[i]
    return total


# -- elementary functions


def elementary(x):
    y = np.exp(-x * x) + np.tanh(x) + np.log1p(x * x)
    z = np.arctan2(y, x) + np.sin(y) * np.cos(x) + np.sinh(0.1 * x)
    return np.sum(np.clip(z, -2.0, 2.0) * np.abs(x) ** 1.5)


CASES = {
    triangle: [(square(7),), (square(4),), (square(1),)],
    windows: [(of_size(9),), (of_size(2),), (of_size(1),)],
    rows_that_meet: [(np.abs(square(6)),), (np.abs(square(3)),)],
    number_in_between: [(of_size(6),), (of_size(3),)],
    in_place: [(RNG.normal(size=(6, 5)), 3), (RNG.normal(size=(3, 9)), 2)],
    shifted_copy: [(of_size(7),), (of_size(2),)],
    pulls: [(RNG.normal(size=(6, 3)), of_size(6)), (RNG.normal(size=(2, 2)), of_size(2))],
    centred: [(RNG.normal(size=(4, 3)),), (RNG.normal(size=(2, 6)),)],
    sum_that_is_read: [(square(4),), (square(2),)],
    in_branches: [(square(8),), (square(3),)],
    until_small: [(of_size(8),), (3.0 * of_size(5),)],
    many_trips: [(0.3, 200), (0.4, 3), (0.1, 0)],
    neighbours: [(of_size(8),), (of_size(1),)],
    gathered: [(of_size(5), np.array([3, -1, 0, 4])), (of_size(4), np.array([1, 1, 2, 0]))],
    ends_early: [(of_size(8),), (of_size(100),)],
    shrinks: [(of_size(5),), (of_size(2),)],
    elementary: [(of_size(40),), (of_size(3) * 4.0,)],
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_loops_give_what_the_text_gives_for_other_sizes_too(f):
    compiled = sg.value_and_grad(f, backend="numba", fallback="error")
    plain = sg.value_and_grad(f, fallback="error")
    for args in CASES[f]:
        for _ in range(2):
            assert not differs(compiled(*args), plain(*args)), args


def text_of(f):
    compiled = sg.value_and_grad(f, backend="numba", fallback="error")
    compiled(*CASES[f][0])
    lines = compiled.source.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def test_a_part_of_an_array_has_a_name_and_no_copy():
    text = text_of(triangle)
    assert "low_part = low[i, :j]" in text
    assert "np.dot" not in text
    assert " @ " not in text


def test_numbers_are_recorded_in_arrays():
    for f in (in_branches, many_trips):
        text = text_of(f)
        assert "with_room(" in text, f
        assert ".append(" not in text, f


@pytest.mark.parametrize("f", [triangle, shifted_copy])
def test_indices_are_looked_at_before_the_loops(f):
    text = text_of(f)
    assert "boundscheck=False" in text
    inside = [line for line in text.splitlines() if line.startswith(" " * 8)]
    assert not [line for line in inside if "look_at_indices" in line]


def test_sums_along_axes_share_loops():
    text = text_of(pulls)
    assert "sum_along" not in text


def out_of_bounds(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] * x[i]
    return total


def out_of_bounds_by_an_entry(x, order):
    total = 0.0
    for i in range(order.shape[0]):
        total += x[order[i]]
    return total


@pytest.mark.parametrize("f", [out_of_bounds, out_of_bounds_by_an_entry])
def test_an_index_out_of_bounds_raises_also_at_later_calls(f):
    good, bad = (3, 5) if f is out_of_bounds else (np.array([0, 2]), np.array([0, 9]))
    compiled = sg.grad(f, backend="numba", fallback="error")
    compiled(of_size(4), good)
    with pytest.raises(IndexError):
        compiled(of_size(4), bad)
    assert compiled(np.ones(4), good).shape == (4,)


def test_infinities_and_nans_are_those_of_numpy():
    def f(x):
        return np.sum(np.where(x > 0, np.log(x), 0.0) * np.exp(x))

    compiled, plain = sg.grad(f, backend="numba", fallback="error"), sg.grad(f, fallback="error")
    compiled(np.abs(of_size(9)))
    x = np.array([0.0, -1.0, np.inf, np.nan, 1e-320, 700.0, -np.inf, 2.0])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(compiled(x), plain(x), rtol=1e-12)
