"""Programs that write: into elements, slices and masks, in place, through loops and buffers."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def swap_elements(x):
    y = x * x
    y[[0, 1]] = y[[1, 0]]
    return np.sum(y * np.arange(4.0))


@program("v")
def swap_rows_by_index_arrays(x):
    m = np.outer(x, x + 1.0)
    m[[0, 1]] = m[[1, 0]]
    return np.sum(m * np.arange(16.0).reshape(4, 4))


@program("v")
def permute_an_array_into_itself(x):
    y = np.sin(x)
    y[[2, 0, 3, 1]] = y
    return np.sum(y * np.arange(4.0) * x)


@program("v")
def shift_an_array_in_itself(x):
    y = x * x
    y[1:] = y[:-1]
    return np.sum(y * np.arange(4.0))


@program("v")
def repeated_index_added(x):
    y = np.zeros(4)
    y[[0, 0, 1]] += x[:3]
    return np.sum(y * y)


@program("v")
def repeated_index_stored(x):
    y = x * 2.0
    y[[0, 0, 1]] = x[:3] * x[1]
    return np.sum(y * y)


@program("v")
def mask_stored(x):
    y = x * 2.0
    y[x > 0] = x[x > 0] ** 2
    y[y < 0] = 0.5
    return np.sum(y * y)


@program("v")
def mask_updated(x):
    y = x * 2.0
    y[x > 0] += 3.0 * x[x > 0]
    y[x < 0] *= x[x < 0]
    return np.sum(y * y)


@program("m")
def every_kind_of_index(m):
    y = m * 1.0
    y[None, 0, ...] = m[1] * 2.0
    y[..., 0] += m[:, 1]
    y[1, ::-1] *= 2.0
    y[-1, 1:3] -= m[0, :2]
    y[[0, 2], [1, 1]] = m[0, :2]
    return np.sum(y * y)


@program("m")
def store_that_broadcasts(m):
    y = np.zeros((3, 4))
    y[:] = m[0]
    y[:, 1] = m[0, 0]
    y[1:2] -= m[1]
    return np.sum(y * y * m)


@program("v", "s")
def store_one_number_everywhere(x, s):
    y = np.sin(x)
    y[...] = s
    y[:2] *= x[2:]
    return np.sum(np.sin(y))


@program("v")
def operand_written_after_its_use(x):
    y = x * 1.0
    z = y * np.sin(y)
    y[1:] *= y[:-1]
    return np.sum(z * y)


@program("v")
def operand_written_under_another_name(x):
    y = x * 1.0
    z = 1.0 / (1.5 + np.sin(y))
    for _ in range(2):
        for _ in range(2):
            y[[2, 0, 3, 1]] = z
        y += z
    return np.sum(np.sin(y)) + np.sum(z)


@program("v")
def helper_array_is_written_after_its_use(x):
    scale = np.ones(4)
    y = x * scale
    scale[0] = 5.0
    return np.sum(y * x * scale)


@program("v")
def view_that_is_only_read(x):
    y = x * 1.0
    tail = y[1:]
    w = tail * tail
    y *= 3.0
    return np.sum(w * w)


@program("v")
def stepping_with_two_buffers(x):
    old = x.copy()
    for _ in range(3):
        new = old.copy()
        new[1:-1] = 0.5 * (old[:-2] + old[2:]) * old[1:-1]
        old = new
    return np.sum(old * x)


@program("v")
def stepping_through_a_work_array(x):
    u = x * 1.0
    work = np.zeros(4)
    for _ in range(3):
        work[:] = u * u * 0.5
        work[0] = x[1]
        u[:] = work
    return np.sum(u * x)


@program("v")
def two_arrays_filled_together(x):
    n = len(x)
    a = np.zeros(n)
    b = np.ones(n)
    for i in range(1, n):
        a[i] = a[i - 1] * x[i] + b[i - 1]
        b[i] = b[i - 1] * x[i - 1] - a[i]
        for j in range(i, n - 1):
            a[j + 1] += b[i] * x[j]
    return np.sum(a * b)


@program("v")
def triangle_by_conditional_expression(x):
    n = len(x)
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            low[i, j] = x[i] * x[j] + (low[i, j - 1] if j > 0 else 1.0)
        low[i, i] = x[i]
    return np.sum(low * low)


@program("v")
def gauss_seidel(x):
    u = np.zeros(6)
    for _ in range(3):
        for i in range(1, 5):
            u[i] = 0.5 * (u[i - 1] + u[i + 1]) + 0.1 * x[i - 1]
    return np.sum(u**2)


@program("v")
def bubble_of_conditional_swaps(x):
    y = x * 1.0
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if y[j] > y[j + 1]:
                low = y[j + 1] * 1.0
                y[j + 1] = y[j] * 1.0
                y[j] = low
    return np.sum(y * np.arange(4.0) ** 2)


@program("v")
def updated_in_a_loop_and_read(x):
    u = x * 1.0
    total = 0.0
    for _ in range(3):
        u -= x * 0.3
        total = total + np.sum(np.sin(u))
    return total


@program("v")
def updated_by_a_helper_result(x):
    u = x * 1.0
    total = 0.0
    for _ in range(3):
        total = total + np.sum(np.sin(u)) * total
        u *= np.cos(u)
        total += u[0] * np.dot(u, x)
    return total


def _shifted_copy(p, by):
    p = p.copy()
    p[1:] += by
    return p


@program("v")
def helper_that_writes_into_a_copy(x):
    y = _shifted_copy(x, 2.0 * x[0]) * _shifted_copy(x, x[1])
    return np.sum(y * x)


def _grown(v, stop):
    """Write into `v` until an element is large, and return what was met."""
    if stop < 0.0:
        return 0.0
    for i in range(1, len(v)):
        if v[i] > 3.0 * stop:
            break
        v[i] = v[i] * v[i - 1]
        if v[i] > stop:
            return v[i] * 2.0
    return v[0]


@program("v")
def writing_helper_inside_of_expressions(x):
    y = x.copy()
    total = y[0] * _grown(y, 9.0) + y[1] * _grown(y, -1.0) + _grown(y, 8.0) * np.sum(y)
    parts = [_grown(y, 7.0), y[0], np.sin(_grown(y, 6.0))]
    if _grown(y, 5.0) > 0.0:
        y = 2.0 * y
    return total + parts[0] * parts[1] * parts[2] + y[-1]


def _in_radians(angle, factor=0.0174532925):
    angle *= factor
    return np.sin(angle) ** 2


@program("s")
def number_updated_by_a_helper(angle):
    return _in_radians(angle) * 2.0 + angle * _in_radians(2.0 * angle)


@program("s", "v")
def floored_in_place(s, x):
    y = x * s
    v = y[1:]
    v //= 0.3
    y *= s
    return np.sum(y * x)


@program("s", "v")
def wrapped_around_in_place(s, x):
    y = x * s
    z = y
    z %= 0.7 + 0.1 * s
    y[1] *= x[0]
    return np.sum(y * x)


@program("s", "v")
def elements_floored_and_wrapped_around(s, x):
    y = x.copy()
    for i in range(3):
        y[i] //= s
        y[i] += x[i] * s
        y[i] %= 1.3
    return np.sum(y)


@program("v")
def scaled_constant_in_a_try(x):
    y = np.full(x.shape, 0.2)
    try:
        y[0] *= y[1]
    except ValueError:
        pass
    return np.sum(x * x) * y[0]
