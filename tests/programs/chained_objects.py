"""Programs with chains of objects and dicts that grow at their ends, and lists under two names."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def dict_put_at_the_end_of_a_chain(x):
    first = {"v": x[0], "next": None}
    for i in range(1, 4):
        node = first
        while node["next"] is not None:
            node = node["next"]
        node["next"] = {"v": x[i % len(x)], "next": None}
    return first["v"] * first["next"]["v"] + np.sin(first["next"]["next"]["v"])


class _Link:
    def __init__(self, v):
        self.v, self.next = v, None


class _Chain:
    def __init__(self):
        self.first = None

    def put(self, v):
        if self.first is None:
            self.first = _Link(v)
            return
        node = self.first
        while node.next is not None:
            node = node.next
        node.next = _Link(v)


@program("v")
def chain_that_grows_by_a_method(x):
    chain = _Chain()
    chain.put(x[0])
    chain.put(x[1] * x[0])
    return chain.first.v * chain.first.next.v


class _Square:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def __mul__(self, other):
        return _Square(
            [
                [sum(a * b for a, b in zip(row, column)) for column in zip(*other.rows)]
                for row in self.rows
            ]
        )

    def __pow__(self, n):
        result, base = _Square([[1.0, 0.0], [0.0, 1.0]]), self
        while n:
            if n & 1:
                result = result * base
            base = base * base
            n >>= 1
        return result


@program("v")
def power_of_a_matrix_of_lists(x):
    m = _Square([[x[0], x[1]], [x[2], x[0]]])
    return (m**3).rows[0][1]


@program("v")
def rows_under_two_names(x):
    held = {"rows": [[1.0, x[1]]]}
    before = held
    for _ in range(2):
        held = {"rows": [[a * x[0] for a in row] for row in held["rows"]]}
    return held["rows"][0][1] * before["rows"][0][1]
