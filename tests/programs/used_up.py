"""Programs with generator expressions, `map`, `filter` and `zip` that run as they are used up."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def element_that_the_loop_changes(x):
    y = x * 1.0
    total = 0.0
    for s in (v * y[0] for v in x):
        y[0] += s
        total += s * s
    return total


@program("v")
def number_that_the_loop_binds_anew(x):
    scale, total = x[0], 0.0
    for s in map(lambda v: v * scale, x):
        scale = scale * 2
        total += s * s
    return total


@program("v")
def condition_that_the_loop_changes(x):
    scale, total = 1.0, 0.0
    for s in filter(lambda v: v * scale > 0.05, x):
        scale = scale * 0.2
        total += s * s
    return total + x[1]


@program("v")
def numbers_of_what_the_loop_changes(x):
    scale, total = x[0], 0.0
    for i, s in enumerate(v * scale for v in x):
        scale = scale * 2
        total += s * s * i
    return total


@program("v")
def beside_what_the_loop_changes(x):
    scale, total = x[0], 0.0
    for w, s in zip(x, map(lambda v: v * scale, x)):
        scale = scale * 2
        total += s * s * w
    return total


@program("v")
def list_that_grows_meanwhile(x):
    values, total = [x[0]], 0.0
    for s in (v * values[-1] for v in x):
        values.append(s)
        total += s * s
    return total


@program("v")
def left_early_and_gone_on(x):
    total = 0.0
    for s in (v * v for v in x if v > -0.1):
        if s > 0.3:
            break
        if s < 0.012:
            continue
        total += s * s
    else:
        total = total * 2.0
    return total * x[0]


@program("v")
def two_loops_left_early(x):
    total = 0.0
    for s in (v * w for v in x for w in x if v > w):
        if s > 0.3:
            break
        total += s * s
    return total * x[0]


@program("v", by="tape")
def two_loops_left_early_that_change(x):
    scale, total = x[0], 0.0
    for s in (v * w * scale for v in x for w in x if v > w):
        if s > 0.3:
            break
        scale = scale * 2.0
        total += s * s
    return total


@program("v", by="tape")
def used_up_twice(x):
    squares = map(lambda v: v * v, x)
    return sum(squares) + sum(squares) + x[0]


def _summed_twice(items):
    return sum(items) + sum(items)


@program("v", by="tape")
def used_up_twice_by_a_helper(x):
    return _summed_twice(map(lambda v: v * v, x)) * x[0]


@program("v", by="tape")
def used_up_by_each_trip(x):
    squares = (v * v for v in x)
    total = 0.0
    for i in range(2):
        total += sum(squares) + i * x[0]
    return total


@program("v", by="tape")
def functions_used_up_twice(x):
    pairs = zip([np.sin, np.cos], (1.0, 2.0))
    total = 0.0
    for f, k in pairs:
        total += k * f(x[0])
    for f, k in pairs:
        total += k * f(x[1])
    return total


@program("v")
def named_and_used_later(x):
    y = x * 1.0
    scale = 2.0
    squares = (v * v * scale for v in y)
    pairs = zip(x, x[1:])
    y[0] = 5.0 * x[1]
    scale = 3.0 * x[0]
    y = y * 2.0
    return sum(squares) * np.sum(y) + sum(a * b for a, b in pairs)


@program("v")
def named_in_each_trip(x):
    total = 0.0
    for i in range(2):
        squares = map(lambda v: v * i, x)
        numbered = enumerate(squares)
        for k, s in numbered:
            total += k * s * x[i]
    return total


@program("v")
def functions_beside_numbers(x):
    y = x * 1.0
    total = 0.0
    for f, part in zip([np.sin, lambda v: v * y[0]], [y[:2], y[1:3]]):
        y[1] *= 2.0
        total += np.sum(f(part))
    return total


@program("v")
def elements_of_a_list_with_their_places(x):
    total = 0.0
    for (i,), v in np.ndenumerate([x[0], x[1]]):
        total += v * (i + 1) ** 2
    for place, v in np.ndenumerate(x):
        total += v * x[place] * place[0]
    return total + sum(v * v * i for (i, j), v in np.ndenumerate(np.outer(x, x)) if i != j)
