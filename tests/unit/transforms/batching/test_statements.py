"""Statements that few programs have, over a batch."""

# ruff: noqa: B007, C408, E722, F841, PERF401, PLW2901, RUF005, SIM102, SIM108 - as programs are written

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.batching.examples import check, check_refused

REFUSED: dict[str, Any] = {}
WRITTEN: dict[str, Any] = {}


def written(program):
    WRITTEN[program.__name__] = program
    return program


def refused(sentence):
    def add(program):
        REFUSED[program.__name__] = sentence, program
        return program

    return add


def _bump(y):
    y += 1.0
    return y[0]


def _zeros(n):
    return np.zeros(n)


@written
def flatten_vector(x):
    y = x.flatten()
    y[0] = 3.0
    return y * x


@written
def split_(x):
    a, b = np.split(x, 2)
    return a * b


@written
def bare_except(x, named):
    try:
        y = x * named["b"]
    except:
        y = x * 2
    return y


@written
def continue_with_finally(x):
    total = 0.0
    for i in range(4):
        try:
            if i == 2:
                continue
            total = total + x[i]
        finally:
            total = total + 1
    return total


@refused("what may raise for some of the examples alone, in a `try`,")
def power_of_ints(k):
    try:
        y = np.power(k, 2)
    except ValueError:
        y = k * 0
    return y * 1.0


@refused("a write of a list of values of examples")
def l_add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 2], [x[0], x[1]])
    return y


@refused("an update by a value with more axes")
def l_iadd(x, w):
    y = w[:2] * 1.0
    y += [x[0], x[1]]
    return y


@written
def l_appended_reshape(x):
    r = []
    for i in range(4):
        r.append(x[i])
    return np.reshape(r, (2, 2))


@written
def l_appended_ravel(x):
    r = []
    for i in range(4):
        r.append(x)
    return np.ravel(r)


@written
def twice(x):
    r = [x[0], x[1]]
    y = np.ravel(r)
    y[0] += 1.0
    return y * np.ravel(r)


@written
def view_written(x):
    r = [x * 1.0, x * 2.0]
    y = np.transpose(r)
    y[0, 0] = 7.0
    return y + np.transpose(r)


@refused("an operation between a batch and a value whose number of axes is not known")
def in_loop(x):
    total = 0.0
    for i in range(3):
        r = np.reshape([x[i], x[i + 1]], (2, 1))
        total = total + r @ r.T
        r[0] += 1
        total = total + r[0, 0]
    return total


@written
def branch(x):
    if x[0] > 0:
        y = np.ravel([x[1], x[2]])
    else:
        y = np.ravel([x[2], x[0]])
    return y


@written
def dict_values(x):
    d = {"a": x, "b": x * 2}
    return np.ravel(list(d.values()))


@written
def store_either_in_branch(x):
    y = np.zeros(3)
    if x[3] > 0:
        if x[0] > 0:
            y[1] = x[1]
        else:
            y[1] = x[2]
    return y


@written
def store_either_ranks(x):
    y = np.zeros((3, 4))
    if x[0] > 0:
        y[1] = x
    else:
        y[1] = x[2]
    return y


@refused("a write of a value with more axes than its place")
def store_too_many(x):
    y = np.zeros(4) + x
    y[:2] = x[None, :2]
    return y


@written
def add_at_two(x, ks):
    y = np.zeros((3, 4))
    np.add.at(y, (ks, np.array([0, 1, 1])), x[:3])
    return y


@written
def extended_shared(x):
    r = [x[0]]
    r.extend([1.0, 2.0])
    return r[2] * r[0]


@refused("`get` with a value for what is not there")
def dict_get_default2(x):
    d = {"a": x}
    return d.get("a", 1.0) * x


@written
def store_mask_in_branch(x):
    y = x * 1.0
    if x[0] > 0:
        y[y > 0.5] = 0.0
    return y


@written
def store_mask_in_branch2(m):
    y = m * 1.0
    if m[0, 0] > 0:
        y[m > 0.5] += 1.0
    return y


@written
def store_mask_in_branch3(x):
    y = x * 1.0
    if x[0] > 0:
        y[y > 0.1] = y[y > 0.1] * 2
    else:
        y[y < 0.1] = x[1]
    return y


@written
def store_mask_in_loop(x):
    y = x * 1.0
    for i in range(3):
        if y[i] > 0:
            y[y > 0.1] *= 0.5
    return y


@written
def store_mask_square(q):
    y = q * 1.0
    if q[0, 0] > 4:
        y[y < 0] = 9.0
    return y


@written
def list_plus_empty(x):
    r = [] + []
    return x * (len(r) + 1)


@refused("a loop over what has no axes")
def loop_number(s):
    t = 0.0
    for v in s:
        t = t + v
    return t


@written
def unpack_starred_list(x):
    r = [1.0, 2.0]
    r.append(3.0)
    a, *b = r
    return a * x + b[1]


@refused("taking this apart")
def unpack_star_mixed(x):
    a, *b = (x, 2.0, x[0])
    return a + b[1] * b[0]


@refused("taking this apart")
def unpack_into_star_places(x):
    y = np.zeros(2)
    y[0], *b = x
    return y * b[0]


@written
def empty_slice(x):
    r = []
    return x * (len(r[:2]) + 1)


@written
def tuple_index_mask(q):
    at = (np.array([True, False, True, False]), 1)
    return q[at]


@written
def moved_front_rank(x, k):
    c = np.arange(24.0).reshape(2, 3, 4)
    return c[:, :, k] * x[0] + c[1, :, k]


@refused("an array of which the axes are not known")
def zeros_shape_unknown(x, items):
    y = np.zeros([len(items), 2])
    y[0, 0] = x[0]
    return y


@refused("np.broadcast_arrays of what is written into")
def broadcast_arrays_written(x):
    y = np.zeros(4)
    a, b = np.broadcast_arrays(y, x)
    y[0] = 1.0
    return a * b


@written
def list_none(x):
    r = list()
    r.append(x)
    return r[0] * 2


@refused("a list of the elements of an array that is written")
def list_of_written(x):
    y = x * 1.0
    r = list(y)
    y[0] = 3.0
    return r[0] + y[0]


@refused("an index by a mask of each example, which leaves another number of elements,")
def picked_written(x):
    y = x * 1.0
    return np.sum(y[y > 0] * _bump(y))


@refused("an index by a mask of each example, which leaves another number of elements,")
def picked_out(x):
    y = np.zeros(4)
    np.exp(x[x > 0], y[x > 0])
    return y


@written
def helper_forced(x):
    y = _zeros(4)
    y[0] = x[0]
    return y


@written
def assert_batch_all(x):
    assert (x < 100).all()
    return x


@written
def update_list_number_shared(x):
    r = [1.0, x[0]]
    r[0] += 2.0
    return r[0] * r[1]


@written
def plus_equals_shared_list(x):
    r = [1.0]
    r += [2.0]
    return r[1] * x


@refused("an update by a value with more axes")
def matmul_equals(x, q):
    y = x * 1.0
    y @= q
    return y


@written
def number_plus_text(x, j):
    n = j
    n += 1
    return x * n


@written
def merged_shared(x, c):
    if c > 0:
        y = x * 2
        e = 1.0
    else:
        y = x
    return y


@refused("a question of the type of this")
def isinstance_var(x, items):
    kinds = (np.ndarray, type(items))
    return x * 2 if isinstance(x, kinds) else x


def _bumped(r):
    r[0] += 1.0
    return r[0]


@written
def compared_with_what_a_call_gives_that_writes(x):
    y = x * 2
    return y[1] * 2 if y[1] < _bumped(y) else y[0]


@refused("a comparison of what a call gives that writes")
def between_what_a_call_gives_that_writes(x):
    y = x * 2
    return y if x[0] < x[1] < _bumped(y) < x[2] else x


@written
def assigned_in_a_test_of_some_examples(x, c):
    t, z = 1.0, 0.0
    if x[0] > 0:
        if (t := c * 2) > 0:
            z = t
    return t + z


@written
def assigned_in_a_test_and_once_more(x, w):
    u = w * 2
    if x[1] > 0:
        if (t := u.mean()) > 0.2:
            t = t * 0.4
        return x[0] * (2 if t > 0.2 else 3)
    return x[0]


@written
def assigned_in_a_test_over_what_was_of_each(x, c):
    t = x[1] * 2
    if (t := c) > 0:
        return t * x[0]
    return x[0]


@refused("an assignment in an expression")
def assigned_in_a_generator(x, v):
    t = 0
    z = sum((t := t + a) for a in v[0])
    return x[0] * z + t


@written
def an_entry_updated_that_a_loop_makes_one_for_each(x, c):
    xs = [c, 1.0]
    xs[0] += 2.0
    y = xs[0]
    for i in range(2):
        y = y * x[i]
    return y


@written
def a_return_for_all_in_a_branch_of_some(x, c):
    if x[0] > 0:
        if c < 1:
            return x[0]
    a = x * 2
    return np.sum(a)


@written
def bound_in_a_loop_without_trips(x, j):
    if x[0] > 0:
        for i in range(j - 2):
            t = x[1]
    else:
        t = x[2]
    return x[3]


@written
def bound_in_both_of_two_branches(x, j):
    if x[0] > 0:
        if j > 5:
            t = x[1]
        else:
            t = x[2] * 2
    else:
        t = x[2]
    return x[3] * t


@written
def bound_by_a_loop_that_was_bound_before(x, j):
    t = 7
    if x[0] > 0:
        for t in range(j):
            x = x * 2
    return x[3] * t


@refused("`t`, which has other axes or is another thing on another path,")
def bound_in_one_of_two_branches(x, j):
    if x[0] > 0:
        if j > 1:
            t = x[1]
    else:
        t = 5.0
    return x[3] * t


@written
def entries_from_the_end(x, c):
    xs = [x, x[0], c]
    xs[-2] = x[1]
    return xs[-2] * xs[0] * xs[-1]


@written
def an_entry_under_a_negative_key(x, c):
    d = {-1: x, 0: c}
    d[0] = 3.0
    return d[-1] * d[0]


@written
def bound_by_a_loop_in_a_loop_over_the_same(x, j):
    t = 0.0
    for i in range(j):
        if x[0] > 0:
            for i in range(j + 2):
                x = x * 1.1
        t = t + i * x[1]
    return t * x[3]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_program_over_a_batch_is_that_of_each_example(name: str) -> None:
    check(WRITTEN[name])


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_that_is_not_written_for_a_batch_is_named(name: str) -> None:
    sentence, program = REFUSED[name]
    check_refused(program, sentence)


def test_what_an_interactive_session_showed_last_may_be_an_array(monkeypatch: Any) -> None:
    """It is kept in `builtins._`, where arrays are compared with nothing."""
    monkeypatch.setattr(builtins, "_", np.ones(2), raising=False)
    check(WRITTEN["moved_front_rank"])
