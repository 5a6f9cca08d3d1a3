"""Lists whose entries are the operands of a primitive, with a star before them."""

from __future__ import annotations

import itertools
import math
import operator

import numpy as np
from scipy import linalg

from tests.programs.corpus import program


@program("v", "v")
def list_broadcast(x, y):
    parts = [np.sin(x), y[0]]
    u, v = np.broadcast_arrays(*parts)
    return np.sum(u * v)


@program("v", "v")
def tuple_broadcast_and_gone_through(x, y):
    total = 0.0
    for part in np.broadcast_arrays(*(x, y[1], 3.0)):
        total += np.sum(np.sin(part))
    return total


@program("v", "v")
def arrays_of_several_results(x, y):
    u, v = np.broadcast_arrays(*np.atleast_1d(x, y[2]))
    return np.sum(u[None, :] * v[:, None])


@program("v")
def list_that_a_loop_makes(x):
    parts = []
    for i in range(2):
        parts.append(x * i)
        parts.append(x[i])
    spread = np.broadcast_arrays(*parts)
    return np.sum(spread[0] + spread[1] * spread[2] * spread[3])


@program("s", "n")
def blocks_repeated(dt, count):
    block = np.array([[dt**2, dt], [dt, 1.0]])
    whole = linalg.block_diag(*[block] * count)
    return np.sum(whole @ whole * np.arange(2.0 * count))


@program("s")
def blocks_of_lists(dt):
    return np.sum(linalg.block_diag(*[[[dt**3, dt]] for _ in range(2)]) ** 2)


@program("s", "s")
def numbers_of_a_list(x, y):
    legs = [np.sin(x), y, 1.0]
    return max(*legs) + math.hypot(*legs) * min(*legs)


@program("v", "v")
def axes_of_a_grid(x, y):
    axes = [x, y * y]
    grid = np.meshgrid(*axes, indexing="ij")
    return sum(np.sum(part * part) for part in grid) + np.sum(grid[0] * grid[1])


@program("v", "v")
def list_replaced_in_each_trip(x, y):
    for i in range(3):
        pair = [x, y * i]
        x, y = np.broadcast_arrays(*pair)
    return np.sum(x * y)


@program("v", "v")
def entry_replaced_after_the_call(x, y):
    pair = [x * 1.0, y * 1.0]
    u, v = np.broadcast_arrays(*pair)
    pair[0] = pair[0] * 3.0
    return np.sum(u * v * pair[0])


@program("v", "v", by="tape")
def entry_written_after_the_call(x, y):
    pair = [x * 1.0, y * 1.0]
    spread = np.broadcast_arrays(*pair)
    pair[0][0] = 5.0
    return np.sum(spread[0] * spread[1])


@program("v", by="tape")
def one_result_or_several(x):
    """`np.atleast_1d` returns an array for one operand, and a tuple for several."""
    parts = [x, x[0]]
    u, v = np.atleast_1d(*parts)
    return np.sum(u * v)


@program("v")
def iterators_behind_a_star(x):
    joined = [*itertools.chain(x, x * 2.0)]
    pairs = [*zip(x, x * x, strict=True)]
    squares = (*(v * v for v in x), x[0])
    return np.prod(joined[:3]) + pairs[1][1] * sum(squares)


@program("v")
def entries_by_a_getter_with_a_name(x):
    first_and_last = operator.itemgetter(0, -1)
    a, b = first_and_last(x)
    return a * b**2
