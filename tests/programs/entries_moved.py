"""Arrays in lists, deques and dicts that are updated, and then moved or bound anew in there."""

from __future__ import annotations

import logging
from collections import defaultdict, deque

import numpy as np

from tests.programs.corpus import program

LOG = logging.getLogger(__name__)


def rates_and_sum(values):
    found, total = [], 0.0
    for value in values:
        found.append(value * value)
        total += value
    return found, total


def rates(values):
    found = []
    for value in values:
        found.append(np.sin(value))
    return found


@program("v")
def buffers_that_change_places(x):
    held = [x * 1.0, x * 0.5]
    for k in range(3):
        held[1] += 0.1 * np.sin(held[0])
        held[0], held[1] = held[1], held[0]
        held[0] *= 0.9 + 0.1 * k
        LOG.debug("turn %d", k)
    return held[0] @ x + 3.0 * held[1].sum()


@program("v")
def queue_that_goes_round(x):
    queue, total = deque([x * 1.0, x * 2.0, np.cos(x)]), 0.0
    for k in range(5):
        queue[0] *= 0.8
        queue[1] += 0.1 * queue[0]
        total += queue[0].sum() * (k + 1)
        queue.rotate(-1)
    return total


@program("v")
def entry_updated_and_bound_anew(x):
    held = [x * 1.0, np.sin(x)]
    first = held[0]
    held[0] += held[1]
    held[0] = first * x
    held[0] -= held[1]
    return first.sum() + np.sum(held[0] * x)


@program("v")
def entries_taken_out_after_updates(x):
    held = [x * 1.0, x * 2.0]
    held[1] += held[0]
    held[1] *= 2.0
    last = held.pop()
    held[0] += last
    held.append(last * x)
    held[-1] += 1.0
    held.insert(0, held.pop())
    return held[0].sum() + 2.0 * held[1].sum() + 3.0 * last.sum()


@program("v")
def entries_by_numbers_change_places(x):
    held = defaultdict(lambda: np.zeros(4))
    held[0] += x
    held[1] += 2.0 * held[0]
    held[0], held[1] = held[1], held[0]
    held[1] *= x
    return held[0].sum() + 3.0 * held[1].sum()


@program("v")
def rows_of_a_list_change_places(x):
    rows = [np.sin(x * k) for k in range(1, 5)]
    for i in range(4):
        for r in range(i + 1, 4):
            if abs(rows[r][i]) > abs(rows[i][i]):
                rows[i], rows[r] = rows[r], rows[i]
            rows[r] -= rows[r][i] / rows[i][i] * rows[i]
    return sum(np.log(abs(rows[i][i])) * (i + 1) for i in range(4))


@program("v")
def lists_of_helpers_joined(x):
    found, total = rates_and_sum(x)
    twice = found + found
    others = rates(x)
    closed = sum(a * b for a, b in zip(others, others[1:] + others[:1], strict=True))
    others += found[:1]
    return twice[0] * twice[5] * total + closed * others[4]


@program("v")
def walk_round_a_ring(x):
    place, turned = 0, x
    while x[place] < np.max(x):
        place = (place + 1) % 4
    while turned[0] < np.max(x):
        turned = np.roll(turned, 1)
    return x[place] ** 2 * turned[1]
