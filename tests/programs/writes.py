"""Programs that write by calls: ``out=``, ``where=``, fills, copies, scattered additions, sorts."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def out_of_a_ufunc(x):
    work = np.empty_like(x)
    np.multiply(x, x, out=work)
    np.sin(work, out=work)
    np.add(work, x, work)
    return np.sum(work * work)


@program("v")
def out_of_a_ufunc_returned(x):
    work = np.zeros(4)
    y = np.exp(x, out=work)
    work[1:] *= x[:-1]
    return np.sum(y * y)


@program("m", "M")
def out_of_a_product(a, b):
    result = np.zeros((3, 2))
    np.dot(a, b, out=result)
    np.matmul(a * 2.0, b, out=result)
    return np.sum(result * result)


@program("v")
def out_of_a_slice(x):
    y = x * 1.0
    np.subtract(y[1:], y[:-1], out=y[1:])
    np.cumsum(y, out=y)
    return np.sum(y * y)


@program("v")
def divided_where_it_can_be(x):
    positive = x > 0
    y = np.divide(1.0, x, out=np.zeros_like(x), where=positive)
    return np.sum(y * x * x)


@program("v", "s")
def filled_and_copied(x, s):
    y = np.empty(4)
    y.fill(s)
    z = x * 2.0
    np.copyto(y[1:], z[:-1])
    np.copyto(z, y * y, where=x > 0)
    return np.sum(z * y)


@program("v")
def scattered_additions(x):
    y = x * 2.0
    np.add.at(y, [0, 0, 1], x[:3])
    np.subtract.at(y, [3, 3], x[1] * x[2])
    np.add.at(y, slice(1, 3), x[2:])
    return np.sum(y * y)


@program("m")
def scattered_additions_to_pairs_of_indices(m):
    y = m * 1.0
    rows, columns = np.array([0, 2, 0]), np.array([1, 3, 1])
    np.add.at(y, (rows, columns), m[0, :3] * m[1, 1:])
    return np.sum(y * y)


@program("v", "s")
def placed_by_mask(x, s):
    y = x * 1.0
    np.putmask(y, x > 0, x * x)
    np.place(y, x < 0, [s, x[0]])
    return np.sum(y * y * x)


@program("m", "s")
def put_by_position(m, s):
    y = m * m
    np.put(y, [1, 11, 5], m[0, :3])
    y.flat[3:5] = m[1, :2]
    y.flat[7] *= s
    return np.sum(y * y)


@program("m", "s")
def diagonal_filled(m, s):
    y = m * m
    np.fill_diagonal(y, s)
    y[:, 0] *= 2.0
    return np.sum(y * y)


@program("v")
def sorted_in_place(x):
    y = x * 3.0
    y.sort()
    z = y[::-1]
    z[0] *= x[1]
    return np.sum(y * np.arange(4.0) * y)


@program("m")
def sorted_along_an_axis_in_place(m):
    y = m * 3.0
    y.sort(axis=0)
    return np.sum(y * np.arange(12.0).reshape(3, 4))


@program("m")
def transposed_element_stored(m):
    y = m * 1.0
    y.T[0] = m[:, 1] * m[:, 2]
    y[1][2:] *= 3.0
    y.reshape(-1)[0] = m[2, 2]
    y.T[1:, 0] += m[0, :3] * y[0, 1:]
    return np.sum(y * y)


@program("v")
def work_array_used_again(x):
    work = np.empty(4)
    total = 0.0
    for k in range(3):
        np.multiply(x, k + 1.0, out=work)
        np.tanh(work, out=work)
        total += np.dot(work, x)
    return total


@program("v")
def runge_kutta_in_work_arrays(y0):
    y = y0.copy()
    k1, k2, work = np.empty(4), np.empty(4), np.empty(4)
    for _ in range(3):
        np.sin(y, out=k1)
        np.multiply(k1, 0.05, out=work)
        np.add(y, work, out=work)
        np.sin(work, out=k2)
        k2 *= 0.1
        y += k2
    return np.sum(y * y)


@program("v", "v")
def argument_as_out(x, y):
    np.multiply(x, y, out=y)
    np.add(y, x, out=x)
    return np.sum(x * y)


@program("v")
def method_with_out(x):
    result = np.zeros(4)
    x.cumsum(out=result)
    result.clip(-0.5, 0.5, out=result)
    return np.sum(result * x)


@program("v")
def doubled_by_several_names(x):
    y = x * 1.0
    view = y[1:3]
    np.add.at(view, [0, 0], x[:2])
    np.multiply(view, y[:2], out=view)
    return np.sum(y * view[0])


@program("v")
def tuples_put_into_parts(x):
    a = np.ones((3, 2)) * x[1]
    a[0] = x[0], 2.0 * x[1]
    a[1:, 1] = (x[2], x[0] * x[3])
    a[[1, 2], 0] = (x[3], x[1])
    pair = (x[2], x[0])
    a[0] *= x[3]
    a[2] += pair
    return np.sum(a**3)


@program("v")
def lists_put_into_parts(x):
    a = np.zeros((2, 4))
    a[0] = [v * v for v in x]
    rest = []
    for v in x[1:]:
        rest.append(np.sin(v))
    a[1, 1:] = rest
    a[..., 0] = [x[1], x[2]]
    return np.sum(a * a[::-1]) + np.sum(a[0])


@program("v")
def places_of_the_largest(x):
    place, best = np.zeros(3, dtype=int), np.zeros(3)
    for k in range(3):
        scores = x * k - x[k] * x
        place[k] = np.argmax(scores)
        best[k] = scores[place[k]]
    return np.sum(best**2)


def _pair_with_a_place(r):
    (_, r[0]), _ = (1.0, 2.0), 3.0


def _loop_over_a_place(r):
    for r[1] in (1.0, 5.0):
        pass


@program("v")
def constant_stored_in_a_nested_tuple_target(x):
    y = x * 1
    (a, y[0]), b = (1.0, 2.0), 3.0
    pair = (0.5, 4.0)
    c, y[1] = pair
    return np.sum(y * y) * a * b * c


@program("v")
def helpers_that_store_in_odd_targets(x):
    y = x * 1
    _pair_with_a_place(y)
    _loop_over_a_place(y)
    return np.sum(y * y)


@program("v")
def two_names_of_one_new_array_of_which_one_is_scaled(x):
    m = c = np.concatenate([[0.5], np.ones(len(x) - 1)])
    c *= x
    return np.sum(m**2)


@program("v")
def loops_that_bind_elements(x):
    y = x * 1.0
    item = 2.0
    for y[0] in x:
        y[1] += y[0] * y[2]
    for i, (y[0], y[3]) in enumerate([(x[0], x[1]), (x[2], x[3])]):
        y[2] *= y[0] * y[3] + i * item
    return np.sum(y * y)
