"""Tests loops that go along rows where they went down columns, and those that must not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(17)


def of_shape(*shape):
    return RNG.normal(size=shape)


def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def product_of_parts(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = np.dot(a[i], b[:, j]) + c[i, j - 1] * 0.0
    return np.sum(c * c)


def triangular(a, b):
    out = b.copy()
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] += np.dot(a[i + 1 :, i], out[i + 1 :, j])
    return np.sum(out * out)


def by_columns(a, x):
    y = np.zeros(a.shape[1])
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            y[j] += a[k, j] * np.sin(x[k])
    return np.sum(y * y)


def scaled_columns(a, x):
    total = 0.0
    for j in range(a.shape[1]):
        scale = np.sin(x[j])
        for k in range(a.shape[0]):
            a[k, j] = a[k, j] * scale + 0.1 * a[k, 0]
        total += scale
    return np.sum(a * a) * total


def from_the_column_before(a, x):
    b = a.copy()
    for j in range(1, a.shape[1]):
        for k in range(a.shape[0]):
            b[k, j] += b[k, j - 1] * x[k]
    return np.sum(b * b)


def from_the_first_column(a, x):
    b = a.copy()
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            b[k, j] += b[k, 0] * x[k]
    return np.sum(b * b)


def of_two_names(a, x):
    b = a.copy()
    c = b
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            b[k, j] += c[k, 1] * x[k]
    return np.sum(b * c)


def number_that_goes_on(a, x):
    state, total = 0.5, 0.0
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            state = np.sin(state + a[k, j]) * x[k]
        total += state
    return total * state


def last_one_is_read(a, x):
    most = 0.0
    for j in range(a.shape[1]):
        most = 0.0
        for k in range(a.shape[0]):
            most += a[k, j] * a[k, j] * x[k]
    return most * most


def counter_is_read(a, x):
    total, k = 0.0, 0
    for j in range(a.shape[1]):
        part = 0.0
        for k in range(a.shape[0]):
            part += a[k, j] * x[k]
        total += part * (k + j)
    return total * k


def rows_as_long_as_the_number(a, x):
    total = 0.0
    for j in range(a.shape[1]):
        part = 0.0
        for k in range(min(j + 1, a.shape[0])):
            part += a[k, j] * x[k]
        total += part * part
    return total


def downward(a, x):
    b = np.zeros(a.shape[1])
    for j in range(a.shape[1] - 1, -1, -1):
        for k in range(a.shape[0] - 1, -1, -1):
            b[j] += np.exp(-a[k, j] * x[k]) * (k + 1)
    return np.sum(b * b)


def overlapping_sums(a, x):
    b = np.zeros(a.shape[0] + a.shape[1])
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            b[j + k] += a[k, j] * x[k] * a[k, 0]
    return np.sum(b * b)


def written_twice(a, x):
    b = np.zeros(a.shape[0])
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            b[k] = 0.5 * b[k] + a[k, j] * a[k, j] * x[k]
    return np.sum(b * b)


def whole_numbers(a, x):
    total = 0.0
    for j in range(a.shape[1]):
        count, part = 0, 0.0
        for k in range(a.shape[0]):
            part += a[k, j] * a[k, j] * x[k]
            count += k
        total += part * count
    return total


def of_three_axes(a, b):
    c = np.zeros((a.shape[0], b.shape[1], b.shape[2]))
    for i in range(a.shape[0]):
        for m in range(b.shape[1]):
            for j in range(b.shape[2]):
                c[i, m, j] = a[i, :] @ b[:, m, j]
    return np.sum(c * c)


def writes_its_argument(a, x):
    for j in range(a.shape[1]):
        for k in range(a.shape[0]):
            a[k, j] *= x[k]
    return np.sum(a * a)


A, X = of_shape(4, 5), of_shape(4)
CASES = {
    product: [(of_shape(4, 3), of_shape(3, 5)), (of_shape(1, 1), of_shape(1, 1))],
    product_of_parts: [(of_shape(4, 3), of_shape(3, 5)), (of_shape(2, 0), of_shape(0, 3))],
    triangular: [(of_shape(5, 5), of_shape(5, 4)), (of_shape(1, 1), of_shape(1, 2))],
    by_columns: [(A, X), (of_shape(0, 3), of_shape(0)), (of_shape(2, 0), of_shape(2))],
    scaled_columns: [(A, of_shape(5)), (of_shape(2, 1), of_shape(1))],
    from_the_column_before: [(A, X)],
    from_the_first_column: [(A, X)],
    of_two_names: [(A, X)],
    number_that_goes_on: [(A, X)],
    last_one_is_read: [(A, X), (of_shape(3, 1), of_shape(3))],
    counter_is_read: [(A, X)],
    rows_as_long_as_the_number: [(A, X), (of_shape(6, 3), of_shape(6))],
    downward: [(A, X)],
    overlapping_sums: [(A, X)],
    written_twice: [(A, X)],
    whole_numbers: [(A, X)],
    of_three_axes: [(of_shape(2, 3), of_shape(3, 4, 5))],
    writes_its_argument: [(A, X)],
}
EXCHANGED = {product, product_of_parts, triangular, by_columns, downward, of_three_axes}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_loops_give_what_the_text_for_numpy_gives(f, monkeypatch):
    monkeypatch.setattr("srcgrad.targets.loops.running._LONGEST", -1.0)  # nothing is compared
    compiled = sg.value_and_grad(f, (0, 1), backend="numba", fallback="error")
    for args in CASES[f]:
        for _ in range(2):
            own, others = [item.copy() for item in args], [item.copy() for item in args]
            assert not differs(compiled(*own), sg.value_and_grad(f, (0, 1))(*others)), args
            assert not differs(own, others), args


@pytest.mark.parametrize("f", EXCHANGED, ids=lambda f: f.__name__)
def test_loops_down_columns_are_exchanged(f):
    compiled = sg.grad(f, (0, 1), backend="numba", fallback="error")
    compiled(*[item.copy() for item in CASES[f][0]])
    lines = compiled.source.splitlines()
    heads = [line.strip() for line in lines if line.strip().startswith("for ")]
    inner = [one for other, one in pairwise(heads) if " k " in other or " _i " in other]
    assert any(head.startswith("for j in range(") for head in inner), compiled.source
