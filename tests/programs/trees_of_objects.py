"""Named tuples that change in loops, trees of objects, and classes whose operators take numbers."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from tests.programs.corpus import program


class _Vec(NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return _Vec(self.x + other.x, self.y + other.y)

    def scaled(self, k):
        return _Vec(self.x * k, self.y * k)

    def norm(self):
        return math.hypot(self.x, self.y)


_State = namedtuple("_State", "pos vel")


@program("v")
def sum_of_named_tuples(x):
    total = _Vec(1.0, 0.5)
    for v in [_Vec(a, 2 * a) for a in x]:
        total = total + v.scaled(v.x)
    return total.norm()


@program("v")
def named_tuples_on_the_way(x):
    state = _State(x[0], x[1])
    way = [state]
    for k in x:
        state = state._replace(pos=state.pos + 0.1 * state.vel, vel=state.vel - k * state.pos)
        way.append(state)
    return sum(s.pos for s in way) * way[-1][1]


@program("v")
def best_named_tuple(x):
    best = None
    for v in x:
        candidate = _State(v, v**2)
        if best is None or candidate.vel > best.vel:
            best = candidate
    pos, vel = best
    return pos * vel


@program("v")
def named_tuples_by_key(x):
    found = {}
    for i, v in enumerate(x):
        found[i] = _State(v, i + 1.0)
    return sum(found[k].pos ** 2 * found[k].vel for k in found)


class _Dual:
    def __init__(self, v, d=0.0):
        self.v, self.d = v, d

    def __add__(self, other):
        other = other if isinstance(other, _Dual) else _Dual(other)
        return _Dual(self.v + other.v, self.d + other.d)

    def __mul__(self, other):
        if not isinstance(other, _Dual):
            other = _Dual(other)
        return _Dual(self.v * other.v, self.v * other.d + self.d * other.v)


@program("v")
def duals_by_horner(x):
    z, p = _Dual(x[0], 1.0), _Dual(0.0)
    for c in x:
        p = p * z + c
    return p.v * p.d


@program("v")
def duals_in_a_list(x):
    p = _Dual(0.0)
    for z in [_Dual(v, 1.0) for v in x]:
        p = p * z + x[2]
    return p.v * p.d


@program("v")
def values_of_a_class_inside(x):
    class Value:
        def __init__(self, data):
            self.data = data

        def __add__(self, other):
            other = other if isinstance(other, Value) else Value(other)
            return Value(self.data + other.data)

        def __mul__(self, other):
            other = other if isinstance(other, Value) else Value(other)
            return Value(self.data * other.data)

        def relu(self):
            return Value(self.data if self.data > 0 else 0.0)

    act = Value(0.5)
    for w in [Value(v) for v in x]:
        act = (act + w * 1.5) * w
    return act.relu().data + act.data


class _Leaf:
    def __init__(self, v):
        self.v = v

    def value(self):
        return self.v

    def depth(self):
        return 1


class _Sum:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def value(self):
        return self.a.value() + self.b.value()

    def depth(self):
        return 1 + max(self.a.depth(), self.b.depth())


class _Product(_Sum):
    def value(self):
        return self.a.value() * self.b.value()


@program("v")
def expression_that_grows(x):
    e = _Leaf(x[0])
    for i, v in enumerate(x[1:]):
        e = _Sum(e, _Leaf(v)) if i % 2 == 0 else _Product(e, _Leaf(v))
    return e.value() * e.depth()


@program("v")
def expression_on_a_stack(x):
    stack = []
    for word in "0 1 + 2 *".split():
        if word == "+":
            b = stack.pop()
            a = stack.pop()
            stack.append(_Sum(a, b))
        elif word == "*":
            b = stack.pop()
            a = stack.pop()
            stack.append(_Product(a, b))
        else:
            stack.append(_Leaf(x[int(word)]))
    return stack[-1].value()


class _Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def _total(node):
    if node is None:
        return 0.0
    return node.v**2 + _total(node.left) + 2 * _total(node.right)


@program("v")
def chain_of_nodes(x):
    root = None
    for v in x:
        root = _Node(np.sin(v), root)
    return _total(root)


@program("v")
def tree_of_halves(x):
    def build(lo, hi):
        if hi - lo == 1:
            return _Node(x[lo])
        middle = (lo + hi) // 2
        return _Node(x[middle], build(lo, middle), build(middle, hi))

    return _total(build(0, 3))


@program("v")
def tree_of_dicts(x):
    def total(node):
        if node is None:
            return 0.0
        return node["v"] ** 2 + total(node["left"]) + 2 * total(node["right"])

    root = None
    for v in x:
        root = {"v": v, "left": root, "right": None}
    return total(root)
