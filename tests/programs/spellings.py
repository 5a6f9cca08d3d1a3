"""Programs with rarer spellings of what arrays do: ``x.flat``, `out=` inside of an expression."""

from __future__ import annotations

import argparse

import numpy as np
from scipy import ndimage

from tests.programs.corpus import program


@program("m")
def elements_counted_along_all_axes(a):
    total = 0.0
    for i in range(a.size):
        total += a.flat[i] * a.flat[-1] * i
    return total + a.flat[2] ** 2


@program("m")
def parts_of_all_elements_are_copies(a):
    b = a * 2.0
    part = b.flat[1:4]
    b[0] = 0.0
    part[0] = 3.0 * a[1, 1]
    return np.sum(part * part) + np.sum(b.T.flat[[0, 3, 3]])


@program("m")
def loops_over_all_elements(a):
    total = sum(v * v for v in a.T.flat)
    for i, v in enumerate(a.flat):
        total += v * i
    return total * np.prod(a.flat)


@program("m")
def element_written_and_read_along_all_axes(a):
    b = a * a
    b.flat[3] = a.flat[0] * 2.0
    b.flat[1] += a.flat[3]
    return np.sum(b * b)


@program("v")
def views_that_are_written(x):
    y = x * 2.0
    z = y.view()
    z[0] = x[1] * x[2]
    return np.sum(y * z)


@program("v")
def written_where_it_is_positive_in_an_expression(x):
    return 2.0 * np.sum(x * np.sqrt(x, where=x > 0.0, out=np.zeros(len(x))))


@program("m", "v")
def rows_drawn_and_shuffled(a, x):
    rng = np.random.default_rng(5)
    rows = a * 1.0
    rng.shuffle(rows)
    some = rng.choice(rows, size=4)
    return np.sum(some[:, 0] * np.arange(4.0)) + np.sum(rng.permutation(x) * x)


@program("v")
def distinct_values_with_their_counts(x):
    values, counts = np.unique(np.concatenate((x, x[:2])), return_counts=True)
    return np.sum(values * counts * np.arange(len(values)))


@program("v")
def windows_by_their_strides(x):
    y = np.cumsum(x)
    step = y.strides[0]
    windows = np.lib.stride_tricks.as_strided(y, (len(y) - 1, 2), (step, step))
    return np.sum(windows[:, 0] * windows[:, 1] ** 2)


@program("v")
def joined_with_constants_between_brackets(x):
    rows = np.c_[x, np.ones(len(x)), 2.0 * x]
    return np.sum(np.r_[x, 2.0, 3.0 * x[:2]] ** 2) + np.sum(rows**2)


@program("v")
def operators_by_their_names(x):
    return np.sum(x.__neg__().__abs__().__truediv__(x + 2.0))


@program(("v", 4))
def elements_that_are_indexed(x):
    row = x[0][..., None]
    total = np.sum(x)
    return np.sum(row * x[1:]) + total[()] * x[2] + np.sum(total[None] * row)


@program("v")
def values_that_nobody_reads(x):
    y = 2.0 * x
    np.append(y, 3.0)
    np.delete(y, [0])
    np.sort(y)
    y.clip(0.0, 1.0)
    return np.sum(y**2)


@program("m")
def values_that_nobody_reads_between_updates(a):
    for i in range(len(a)):
        np.roll(a, i)
        a = a * 1.5
        np.linalg.norm(a)
    return np.sum(np.sin(a))


@program("m", "v")
def operands_by_name(a, x):
    product = np.dot(a=a, b=np.transpose(a=a))
    pair = np.outer(b=x, a=x**2)
    return np.sum(a=product, axis=None) + np.max(np.kron(b=pair, a=x)) + np.trace(a=product)


@program("v", "s")
def list_of_a_vector(x, k):
    items = x.tolist()
    items[0] *= k
    items[1], items[0] = items[0], items[1]
    return np.sum(np.array(items) * x) + sum(x.tolist()) * items[0]


@program("v", "s")
def list_that_the_vector_does_not_share(x, k):
    y = x * 1.0
    items = y.tolist()
    y[0] = k
    items[0] *= 2.0
    return items[0] * items[1] + y[0] * y[1] + sum(v * v for v in x.tolist())


def _listed(x):
    items = x.tolist()
    items[0] = items[0] * items[1]
    return items


@program("v")
def list_that_a_function_makes_of_a_vector(x):
    items = _listed(x)
    return items[0] * items[1] + len(items)


@program("m", by="tape")
def list_of_a_matrix(a):
    rows = a.tolist()
    return rows[0][1] * rows[1][0]


@program("v", "s")
def parts_that_are_sorted(x, k):
    y = x * k
    y[::-1].sort()
    z = y * x
    z[1:][::-1].sort()
    m = np.outer(x, z)
    m[1:, ::-1].sort(axis=0)
    z[::2][::-1].partition(1)
    return np.sum(y * x) + np.sum(z * y) + np.sum(m[0] * m[1] * m[2])


def _first_three(x):
    return [x[0], x[1], x[2]]


@program("v", by="tape")
def part_of_a_list_that_is_sorted(x):
    items = _first_three(x)
    items[::-1].sort()
    return items[0] * items[1]


@program("m")
def options_said_as_they_are_anyway(x):
    """What rules do not know of, but changes nothing."""
    smooth = ndimage.gaussian_filter(x, 0.8, output=None, mode="nearest", cval=0.0)
    both = np.add(smooth, x, out=None, where=True, casting="same_kind")
    return np.sum(np.matmul(x.T, both, out=None))


@program("m", by="tape")
def rows_of_elements_joined(a):
    joined = np.concatenate([a.flat, a[0]]) ** 2
    return np.sum(joined) + np.sum(np.vstack((a[0].flat, a[1])) ** 3)


@program("v", by="tape")
def elements_beside_ones_like_elements(x):
    columns = np.c_[x[:1].flat, np.ones_like(x[1:2].flat)]
    return np.sum(x[2] * columns) + np.sum(np.r_[x.flat, x] ** 2)


@program("v", by="tape")
def rows_of_elements_in_lists(x):
    return np.sum(np.array([x[1:3].flat, x[:2]]) ** 2) * np.sum(np.stack([x, x.flat]))


@program("v")
def attributes_that_lists_are_put_into(x):
    options = argparse.Namespace()
    options.columns = ["a", "b"]
    options.weights = [1.0, 2.0]
    options.weights.append(3.0)
    places = np.argsort(x)
    places.flat = [0, 2, 1, 3]
    return np.sum(x[places] ** 2 * np.arange(4)) * options.weights[2]


@program("v")
def list_in_an_attribute_that_is_written(x):
    options = argparse.Namespace()
    weights = [1.0, 2.0]
    options.weights = weights
    same = options.weights
    same[0] = 4.0
    return weights[0] * x[1] * same[1] * np.sum(x * x)
