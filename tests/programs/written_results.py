"""Programs that give functions an array for their result, by name and by position."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

PLACES = [0, 1, 0, 1]


def _into(out, x):
    np.cumsum(x, 0, None, out)


def _doubled_into(out, x):
    np.multiply(x, 2.0, out)


@program("v")
def sums_into_an_array(x):
    """The third position of `cumsum`, the fourth of `sum`."""
    o = np.zeros(4)
    np.cumsum(x * x, 0, None, o)
    whole = np.zeros(1)
    np.sum(o, 0, None, whole, True)
    return np.sum(o * o) * whole[0]


@program("v")
def results_of_the_array_itself(x):
    """Methods."""
    y = x * x
    y.clip(0.1, 2.5, y)
    o = np.zeros(4)
    y.cumsum(0, None, o)
    return np.sum(o * y)


@program("m")
def reductions_into_arrays(a):
    """Several that take what is written along an axis."""
    o = np.zeros(3)
    r = np.max(a, 1, o)
    p = np.zeros(3)
    np.mean(a * a, 1, None, p)
    q = np.zeros((3, 3))
    np.dot(a, a.T, q)
    return np.sum(o * p * r) + np.sum(q * q)


@program("v")
def picked_into_an_array(x):
    """`take`, and `choose` by a list."""
    o = np.zeros(3)
    np.take(x, [2, 0, 2], None, o)
    chosen = np.zeros(4)
    np.choose(PLACES, [x, x * x], chosen)
    return np.sum(o**3) + np.sum(chosen**2)


@program("v")
def helpers_that_write_results(x):
    """They are given the array."""
    o = np.zeros(4)
    _into(o, x)
    p = np.zeros(4)
    _doubled_into(p, o)
    return np.sum(p * o)


@program("v", by="tape")
def joined_into_an_array(x):
    """Neither is the number of the array that `stack` and `concatenate` write into lost."""
    o = np.zeros((2, 4))
    r = np.stack([x, x * x], 0, o)
    p = np.zeros(8)
    np.concatenate([x, 2 * x], 0, p)
    q = np.zeros((4, 2))
    np.stack([x, x**3], axis=1, out=q)
    o *= 2
    return np.sum(r * o) + np.sum(p * p) + np.sum(q * q) + 0 * eval("x[0]")


@program("v")
def results_written_on_the_way(x):
    """In the middle of an expression."""
    o = np.zeros(4)
    return np.sum(np.cumsum(x, out=o) * o) + np.sum(x.cumsum(0, None, o)) * np.sum(o * o)


@program("v")
def chosen_by_lists(x):
    """What a list names, steep where it does not."""
    y = x * x + 0.5
    return np.sum(np.choose([0, 1, 1, 0], [np.sqrt(y), y * y])) + np.sum(
        np.choose(PLACES, (np.log(y), x)) ** 2
    )


@program("v")
def rounded_in_place(x):
    y = 2.0 * x
    np.round(y, 1, out=y)
    np.floor(y[1:], y[1:])
    return np.sum(y * x)


@program("v")
def rounded_in_place_by_position(x):
    y = 2.0 * x
    for _ in range(2):
        np.round(1.3 * y, 1, y)
    return np.sum(y * x)


@program("v")
def answers_written_over_values(x):
    y, z = 2.0 * x, 3.0 * x
    np.greater(y, 1.0, out=y)
    np.isfinite(z, out=z, where=x > 0.5)
    return np.sum((y + z) * x)


@program("v")
def signs_that_a_helper_writes(x):
    y = 2.0 * x - 1.0
    return np.sum(_signs_into(x, y) * x) + np.sum(y)


def _signs_into(values, out):
    np.sign(values, out)
    return out


@program("v")
def results_written_inside_of_expressions(x):
    y = 2.0 * x
    z = np.floor(np.multiply(y, x, out=y))
    return np.sum(y * z) + np.sum(np.round(y, 1, out=y) * x)


@program("v")
def results_written_inside_of_a_condition(x):
    y = 2.0 * x
    if np.any(np.multiply(y, x, out=y) > 0.0):
        y = y + 1.0
    return np.sum(y)


@program("v")
def divided_where_it_may_be_within_a_sum(x):
    """What is not divided keeps what was there before."""
    z = np.full_like(x, 0.5)
    y = 0.9 * (1.0 - 0.2 * x - np.divide(0.1, x, out=z, where=np.abs(x) > 0.11))
    return np.sum(y * x * z)


@program("v")
def read_before_it_is_written_within_a_sum(x):
    """An entry from before the write, and the array, which is read after it."""
    z = x * 2.0
    y = z[0] + z * 3.0 - np.exp(x, out=z) * z
    return np.sum(y * z)


@program("v")
def results_written_within_each_other(x):
    """Into one array twice, and by an update."""
    z, w = np.empty_like(x), np.empty_like(x)
    y = np.multiply(np.add(x, 1.0, out=z), np.sin(x, out=w), out=z) * w
    y *= np.exp(x, out=w)
    return np.sum(y * z * w)


@program("v", "n")
def written_within_a_test_in_a_loop(x, n):
    """Asked for, and written again before the next trip."""
    z, t = np.empty_like(x), 0.0
    for k in range(n):
        if np.sum(np.multiply(x, k, out=z)) > 0.2:
            t = t + np.sum(z * x)
        t += np.sum(np.tanh(x, z)) * z[0]
    return t


@program("v", by="tape")
def written_on_one_side_of_a_choice(x):
    """Only where that side is chosen."""
    z = np.zeros_like(x)
    y = x * 2.0 if x[0] > 0.5 else np.add(x, 1.0, out=z)
    return np.sum(y * 2.0 + z)
