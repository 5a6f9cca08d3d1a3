"""Heaps, lists that are kept in order, sets of what is done, and lengths that change on the way."""

from __future__ import annotations

import bisect
import heapq
import math
from collections import Counter
from heapq import heappop, heappush

import numpy as np

from tests.programs.corpus import program


@program("v")
def shortest_way_by_a_heap(x):
    graph = {
        0: [(1, x[0] ** 2), (2, x[1] ** 2)],
        1: [(3, x[2] ** 2)],
        2: [(1, 0.2), (3, 1.0)],
        3: [],
    }
    way = {node: math.inf for node in graph}
    way[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > way[u]:
            continue
        for v, w in graph[u]:
            if d + w < way[v]:
                way[v] = d + w
                heapq.heappush(heap, (way[v], v))
    return way[3] ** 2


@program("v")
def least_two_are_joined(x):
    heap = []
    for v in x:
        heappush(heap, v * v)
    total = 0.0
    while len(heap) > 1:
        a = heappop(heap)
        b = heappop(heap)
        total += a * b
        heappush(heap, a + b)
    return total * heap[0]


@program("v")
def events_in_their_order(x):
    queue = []

    def plan(time, kind):
        heappush(queue, (time, kind))

    for v in x:
        plan(v**2, "arrive")
    busy = time = 0.0
    while queue:
        time, kind = heappop(queue)
        if kind == "arrive":
            busy = max(busy, time) + 0.3 * x[0] ** 2
            plan(busy, "leave")
    return time * busy


@program("v")
def a_list_becomes_a_heap(x):
    heap = [v * v + 0.1 * i for i, v in enumerate(x)]
    heapq.heapify(heap)
    first = heappop(heap)
    second = heapq.heappushpop(heap, first + 1.0)
    return first * 2 + second * heappop(heap)


@program("v")
def smallest_and_largest(x):
    return sum(heapq.nsmallest(2, x)) * heapq.nlargest(1, x, key=lambda v: v + 1.0)[0]


@program("v")
def medians_on_the_way(x):
    rows, total = [], 0.0
    for v in x:
        bisect.insort(rows, v)
        n = len(rows)
        total += v * (rows[n // 2] if n % 2 else 0.5 * (rows[n // 2 - 1] + rows[n // 2]))
    return total


@program("v")
def place_by_bisection(x):
    edges = [-1.0, 0.0, 0.5, 2.0]
    total = 0.0
    for v in x:
        i = min(bisect.bisect_right(edges, v), 3)
        total += (v - edges[i - 1]) ** 2 * i
    return total


@program("v")
def what_is_done_is_left_out(x):
    waiting = [(v, i % 2) for i, v in enumerate(x)]
    done, total = set(), 0.0
    while waiting:
        v, key = waiting.pop()
        if key in done:
            continue
        done.add(key)
        total += v**2 * len(done)
    return total


@program("v")
def pairs_that_were_seen(x):
    seen, total = set(), 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            pair = (min(i, j), max(i, j))
            if pair not in seen:
                seen.add(pair)
                total += x[i] * x[j] * len(seen)
    return total


@program("v")
def lengths_of_sets_and_dicts(x):
    names, counts, total = set(), {}, 0.0
    other = names
    for i in (0, 2, 0, 1):
        other.add(i)
        counts[i] = 1
        total += x[i] * len(names) + x[i] ** 2 * len(counts)
    return total


def _put(held, key):
    held.add(key)


@program("v")
def length_of_what_a_helper_fills(x):
    held, first = [set(), set()], Counter()
    one = held[0]
    total = 0.0
    for i in (0, 2, 1):
        _put(held[0], i)
        first.update([i])
        total += x[i] * len(one) * len(first)
    return total


@program("v")
def what_is_left_of_a_dict(x):
    left, total = {0: 1, 1: 2, 2: 3}, 0.0
    for i in (0, 2, 1):
        total += np.sin(x[i]) * len(left)
        del left[i]
    return total


def _put_and_count(held, key):
    held.add(key)
    return len(held)


@program("v")
def lengths_after_calls_that_give_something(x):
    held, entries, left, total = set(), {}, {0, 1, 2}, 0.0
    same = entries
    for i in (0, 2, 1, 0):
        count = _put_and_count(held, i)
        first = same.setdefault(i, 1)
        total += x[i] * len(held) * count + x[i] ** 2 * len(entries) * first
    while left:
        taken = left.pop()
        total += np.sin(x[taken]) * (len(left) + len([held.add(k) for k in range(taken)]))
        total += x[taken] * len(held)
    return total


def _table_of(size):
    return {"size": size}


@program("v")
def lengths_of_dicts_that_a_helper_made(x):
    counts, both, total = _table_of(2), [{}, {}], 0.0
    chosen = {} if total > 1.0 else {-1: 1.0}
    for i in (0, 2, 0, 1):
        counts[i] = 1.0
        chosen[i] = 2.0
        both[0][i] = 3.0
        total += x[i] * len(counts) + x[i] ** 2 * len(chosen) + np.sin(x[i]) * len(both[0])
    return total
