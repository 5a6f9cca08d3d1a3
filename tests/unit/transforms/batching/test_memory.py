"""What is a view for one example is one over a batch, or is refused; what is a copy stays one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import flatten
from tests.unit.transforms.batching.examples import check, check_refused

WRITTEN: list[Callable[..., Any]] = []
REFUSED: dict[str, list[Callable[..., Any]]] = {}
NAMED = "a name for a part at an index of each example, of an array that is written,"
INTO = "a write into a part that each example has at an index of its own"


def written(program: Callable[..., Any]) -> Callable[..., Any]:
    WRITTEN.append(program)
    return program


def refused(sentence: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(program: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED.setdefault(sentence, []).append(program)
        return program

    return add


def clear(row):
    row[0] = 9.0


@written
def a_copy_of_a_part(q, k):
    r = q[k].copy()
    q[0] = 5.0
    return r, q


@written
def what_is_computed_of_a_part(q, k):
    r, s = q[k] * 2, np.sum(q[k])
    q[0] = 5.0
    return r, s


@written
def a_part_that_is_stored(q, k):
    q[0] = q[k]
    q[1] = q[k] + q[0]
    q[k] += 2.0
    return q


@written
def a_part_of_what_is_written_no_more(q, k):
    q[0] = 5.0
    p = q * 1
    r = p[k]
    return r * q[0], r


@written
def rows_by_arrays_of_indices(q, ks):
    r = q[ks]
    q[0] = 5.0
    r[0] = 3.0
    return r, q


@refused(INTO)
def a_part_that_is_updated(q, k):
    r = q[k]
    r += 3
    return q


@refused(INTO)
def a_part_of_a_part_that_is_written(q, k):
    q[k][0] = 7.0
    return q


@refused(INTO)
def a_part_that_a_helper_writes_into(q, k):
    clear(q[k])
    return q


@refused(INTO)
def a_part_in_another_shape(q, k):
    r = np.reshape(q[k], (2, 2))
    r[0] = 1.0
    return q


@refused(NAMED)
def a_part_of_what_is_written_later(q, k):
    r = q[k]
    q[0] = 5.0
    return r * 1


@refused(NAMED)
def parts_of_what_is_written_later(q, k):
    r = q[k][1:]
    q[0] = 5.0
    return r * 1


@refused(NAMED)
def a_part_in_a_list(q, k):
    r = [q[k]]
    q[0] = 1.0
    return r[0] + 1


@refused(NAMED)
def parts_that_are_exchanged(q, k):
    q[k], q[0] = q[0], q[k]
    return q


@refused(NAMED)
def a_loop_over_a_part(q, k):
    for number in q[k]:
        q[0] = q[0] + number
    return q


@refused(NAMED)
def a_loop_over_numbered_entries_of_a_part(q, k):
    for i, number in enumerate(q[k]):
        q[0, i] = q[0, i] * 2 + number
    return q


@written
def arrays_of_numbers_that_are_written(x):
    s = np.exp(x[0])
    a, b, c = np.asarray(s), np.reshape(s, (1,)), np.atleast_1d(s)
    a += 3.0
    b += 4.0
    c[0] = 5.0
    return a, b, c, s


@written
def arrays_of_elements_that_are_written_later(x):
    a, b, c, d = np.asarray(x[0]), np.reshape(x[0], (1,)), np.atleast_1d(x[0]), np.ravel(x[0])
    x[0] = 5.0
    d[0] = 3.0
    return a * 1, b * 1, c * 1, d, x


@written
def flat_copies(m):
    a, b = m.flatten(), m.T.flatten()
    m[0] = 5.0
    b[1:] = 3.0
    return a, b, m


@written
def flat_copies_by_a_function(x, m):
    a, b = flatten(x), flatten(m)
    x[0], m[0] = 5.0, 5.0
    b[1:] = 3.0
    return a, b, x, m


@written
def truths_that_meet(b, x):
    return (b @ b) * x, (b @ (x > 0)) * x, np.cumsum(b) * x


@written
def positions_that_are_counted(b, x):
    return x[np.cumsum(b) - 1], x[sum(b) - 1], x[b**b], x[np.cumsum(b) % 4]


@written
def means_that_are_complex(z, x):
    return np.mean(z) * x, np.median(z) * x


@pytest.mark.parametrize("program", WRITTEN, ids=lambda program: program.__name__)
def test_memory_over_a_batch_is_that_of_each_example(program: Callable[..., Any]) -> None:
    check(program)


def test_arrays_made_of_numbers_are_copied_only_if_one_of_them_is_written() -> None:
    def beside_another(x):
        y, s = np.zeros(3), np.exp(x[1])
        y[0] = x[0]
        a, b, c = np.reshape(np.exp(x[0]), (1,)), np.asarray(s), np.atleast_1d(s)
        return a * 1, b * 1, c * 1, y

    check(beside_another)
    batched = sg.vmap(beside_another)
    batched(np.ones((2, 3)))
    assert "copy" not in batched.source


@pytest.mark.parametrize(
    ("sentence", "program"),
    [
        pytest.param(sentence, program, id=program.__name__)
        for sentence, programs in REFUSED.items()
        for program in programs
    ],
)
def test_memory_that_a_batch_lays_out_otherwise_is_refused(
    sentence: str, program: Callable[..., Any]
) -> None:
    check_refused(program, sentence)
