"""Programs whose indices are slices that have names."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

INNER = slice(1, -1)
CORNER = (slice(0, 2), np.array([0, 1]))


@program("v")
def stencil_by_a_named_slice(x):
    u = np.outer(x, x)
    c = slice(1, -1)
    v = np.zeros((2, 2))
    for _ in range(2):
        v = u[:-2, c] * u[2:, c] + u[c, c]
        u[c, c] = v
    return np.sum(v * v)


@program("v")
def sections_of_s(x):
    u = np.outer(x, x)
    i = np.s_[1:-1, 1:-1]
    u[i] *= x[0]
    return np.sum(u[i] * u[1:3, :2])


@program("v")
def three_slices_at_once(x):
    left, mid, right = slice(None, -2), slice(1, -1), slice(2, None)
    r = np.zeros_like(x)
    r[mid] = x[left] - 2 * x[mid] + x[right]
    return np.sum(r * r)


@program("v")
def end_that_is_bound_anew(x):
    n = len(x)
    m = slice(1, n - 1)
    y = x * x
    n = 2
    y[m] = y[m] * x[m]
    return np.sum(y) * n


@program("v")
def slice_of_the_module(x):
    y = x * x
    y[INNER] += x[:-2]
    return np.sum(y[INNER] * x[INNER])


@program("v")
def end_that_is_computed(x):
    s = slice(0, len(x) - 1)
    y = x * x
    y[s] *= x[s]
    return np.sum(y)


@program("v")
def slices_in_a_loop(x):
    total = 0.0
    A = np.outer(x, x)
    for k in range(3):
        r = slice(k, k + 2)
        c = np.s_[r, None]
        total += np.sum(A[r, k] * x[r]) + np.sum(x[c] ** 2)
        A[r] *= 0.5
    return total


@program("v")
def slice_beside_a_parameter_of_its_name(x):
    s = slice(1, 3)

    def f(s):
        return s * 2

    y = x * f(1.0)
    return np.sum(y[s]) + sum(y[s])


@program("v")
def slice_by_branches(x):
    if x[0] > 0:
        s = slice(0, 2)
    else:
        s = slice(2, 4)
    return np.sum(x[s] ** 2)


@program("v")
def slices_in_a_list(x):
    parts = [slice(0, 2), slice(2, 4)]
    t = 0.0
    for p in parts:
        t = t + np.prod(x[p])
    return t


@program("v")
def number_that_ended_a_slice(x):
    n = 3
    s = slice(None, n)
    y = x[s] * 2
    n = 2
    return np.sum(y * y) + np.sum(x[s]) * n


@program("v")
def slice_of_a_closure(x):
    def inner(a):
        return a[s] * 2

    s = slice(1, 3)
    return np.sum(inner(x) ** 2)


@program("v")
def slice_of_a_list(x):
    xs = list(x)
    s = slice(1, 3)
    ys = xs[s]
    ys[0] = ys[0] * ys[1]
    return ys[0] * 2 + xs[1]


@program("v")
def slices_of_both_axes(x):
    A = np.outer(x, x)
    i, j = np.s_[:2], np.s_[2:]
    return np.sum(A[i, j] * A[j, i]) + A[i][0, 1]


@program("v")
def tuple_with_a_slice(x):
    A = np.outer(x, x)
    ii = (slice(None), 1)
    A[ii] = A[(slice(None), 0)] * x
    return np.sum(A[ii])


@program("v")
def section_of_the_module_with_an_array(x):
    return np.sum(np.outer(x, x)[CORNER] * 2.0)


@program("v")
def slice_of_starred_ends(x):
    ends = (1, 3)
    s = slice(*ends)
    return np.sum(x[s] ** 2)
