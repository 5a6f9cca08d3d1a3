"""Programs as textbooks and notebooks write them: shortest paths, filters, small classes."""

from __future__ import annotations

import math
from collections import OrderedDict

import numpy as np

from tests.programs.corpus import program


class _Filter:
    def __init__(self, b, a):
        self.b0, self.b1 = b
        (self.a1, self.a2), self.z = a, 0.0

    def process(self, s):
        out = s * self.b0 + self.z
        self.z = s * self.b1 - self.a1 * out + self.a2
        return out


class _Turning:
    def __init__(self, m):
        self.rows, self.cols = m.shape
        self.x, self.y = m[0, 0], m[1, 1]

    def turn(self):
        self.x, self.y = np.array([[0.6, -0.8], [0.8, 0.6]]) @ np.array([self.x, self.y])

    def __str__(self):
        return f"({self.x}, {self.y})"


class _Weight:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Weight of {self.rounded()}"

    def rounded(self):
        return round(float(self.v), 1)


def nearest(distances, seen):
    least = 1e7
    for v in range(len(distances)):
        if distances[v] < least and not seen[v]:
            least = distances[v]
            place = v
    return place


def schedule(principal, rate, payment):
    month = 1
    while principal > 0.0 and month < 5:
        interest = principal * rate
        principal = principal + interest - payment
        yield OrderedDict([("month", month), ("interest", interest), ("left", principal)])
        month += 1


@program("v")
def filter_unpacked_and_summed_up(x):
    f = _Filter([x[0], x[1]], (0.2, x[2]))
    return sum(f.process(v) ** 2 for v in x) + f.z


@program("v")
def fields_unpacked_from_what_methods_return(x):
    m = _Turning(np.outer(x[:2], x[2:]))
    for _ in range(3):
        m.turn()
    return m.x * m.rows + m.y * m.cols


@program("v")
def object_printed_into_a_text(x):
    m = _Turning(np.outer(x[:2], x[2:]))
    said = f"{m} and {m!s:>5}"
    m.turn()
    return m.x * (1.0 if said else 2.0)


@program("v")
def objects_in_a_list_written_as_text(x):
    weights = [_Weight(v) for v in x]
    said = [str(w) + repr(w) for w in weights]
    return sum(w.v for w in weights) * len(said)


@program("v")
def shortest_paths_with_a_helper_that_finds_a_place(x):
    graph = [[0, x[0], x[1], 0], [x[0], 0, x[2], x[3]], [x[1], x[2], 0, 1.0], [0, x[3], 1.0, 0]]
    distances = [1e7] * 4
    distances[0] = 0
    seen = [False] * 4
    for _ in range(4):
        u = nearest(distances, seen)
        seen[u] = True
        for v in range(4):
            if graph[u][v] > 0 and not seen[v] and distances[v] > distances[u] + graph[u][v]:
                distances[v] = distances[u] + graph[u][v]
    return distances[3] * distances[2] + distances[1]


@program("v")
def best_key_of_a_dict_that_only_a_branch_binds(x):
    chances = {"a": {"p": x[0]}, "b": {"p": x[1]}, "c": {"p": x[2] * x[3]}}
    largest = -1e3
    taken = []
    for state, data in chances.items():
        if data["p"] > largest:
            largest = data["p"]
            best = state
    taken.append(best)
    return largest * len(taken) + chances[best]["p"]


@program("v")
def letter_of_the_largest_that_only_a_branch_binds(x):
    largest = -1e3
    for name, v in zip("abcd", x, strict=True):
        if v > largest:
            largest = v
            best = name
    return largest * {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}[best]


@program("v")
def best_key_of_a_dict_that_is_made_anew(x):
    values = {"r": x[0], "s": x[1]}
    for i in range(2):
        new, back = {}, {}
        for state in values:
            best = max(values, key=lambda k: values[k] * i)
            new[state] = values[best] * x[2] + values[state]
            back[state] = best
        values = new
    last = max(values, key=values.get)
    return values[last] * len(back)


@program("v")
def rows_of_a_schedule_in_ordered_dicts(x):
    total = 0.0
    for row in schedule(3.0 + x[0], 0.1 * x[1], x[2]):
        total += row["interest"] * row["month"]
    return total * x[3] + math.sqrt(1.0 + x[0] * x[0])
