"""Programs that take objects out of lists by index and in pairs, and write their fields."""

from __future__ import annotations

import itertools

from tests.programs.corpus import program


class Body:
    def __init__(self, p, m):
        self.p, self.m = p, m
        self.v = self.f = 0.0


def _pull(a, b, k):
    d = k * (b.p - a.p)
    a.f += d
    b.f -= d


@program("v")
def objects_by_two_indices(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    for i in range(4):
        for j in range(i + 1, 4):
            a, b = bodies[i], bodies[j]
            d = b.p - a.p
            a.f += a.m * b.m * d
            b.f -= a.m * b.m * d
    for b in bodies:
        b.p += 0.1 * b.f / b.m
    return sum(b.p**2 for b in bodies)


@program("v")
def fields_by_two_indices(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    for i in range(4):
        for j in range(i + 1, 4):
            d = bodies[j].p - bodies[i].p
            bodies[i].f += bodies[i].m * bodies[j].m * d
            bodies[j].f -= bodies[i].m * bodies[j].m * d
    return sum(b.f**2 for b in bodies)


@program("v")
def objects_that_trade_places(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    bodies[0], bodies[3] = bodies[3], bodies[0]
    return bodies[0].p ** 2 * bodies[1].p


@program("v")
def springs_in_a_table(x):
    nodes = [Body(x[i], 1.0) for i in range(4)]
    springs = [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 1.5)]
    for _ in range(3):
        for n in nodes:
            n.f = 0.0
        for i, j, k in springs:
            a, b = nodes[i], nodes[j]
            f = k * (b.p - a.p)
            a.f += f
            b.f -= f
        for n in nodes:
            n.v += 0.1 * n.f / n.m
            n.p += 0.1 * n.v
    return sum(n.p**2 for n in nodes)


@program("v")
def springs_by_a_helper(x):
    nodes = [Body(x[i], 1.0) for i in range(4)]
    for i, j, k in [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 1.5)]:
        _pull(nodes[i], nodes[j], k)
    return sum(n.p**2 * n.f for n in nodes)


@program("v")
def combinations_of_objects(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    for a, b in itertools.combinations(bodies, 2):
        d = b.p - a.p
        a.f += a.m * b.m * d
        b.f -= a.m * b.m * d
    for b in bodies:
        b.p += 0.1 * b.f / b.m
    return sum(b.p**2 for b in bodies)


@program("v")
def products_of_objects(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(3)]
    for a, b in itertools.product(bodies, bodies):
        if a is not b:
            a.f += a.p * b.p**2
    total = sum(a.p * b.p**2 for a, b in itertools.permutations(bodies, 2))
    return total + sum(b.f for b in bodies)


@program("v")
def pairs_of_objects_kept(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    pairs = [(bodies[i], bodies[j]) for i in range(4) for j in range(i)]
    for a, b in pairs:
        d = b.p - a.p
        a.f += d
        b.f -= d
    return sum(b.f**2 for b in bodies) * pairs[0][0].p


@program("v")
def pairs_of_objects_with_weights(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    pairs = []
    for i in range(4):
        for j in range(i):
            pairs.append((bodies[i], bodies[j], 0.5 * i))
    for _ in range(2):
        for a, b, k in pairs:
            d = k * (b.p - a.p)
            a.f += d
            b.f -= d
        for b in bodies:
            b.p += b.f * 0.1
    return sum(b.f**2 for b in bodies)


@program("v")
def queue_of_objects_and_weights(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    queue = [(bodies[0], x[3])]
    i = 0
    while queue:
        b, w = queue.pop()
        b.f += w * b.p
        i += 1
        if i < 4:
            queue.append((bodies[i], w * b.f))
    return sum(b.f**2 for b in bodies)


@program("v")
def objects_ranked_by_scores(x):
    bodies = [Body(x[i], 1.0 + i) for i in range(4)]
    scored = [(b.p * b.m, b) for b in bodies]
    scored.sort(key=lambda pair: pair[0])
    return scored[0][0] * scored[1][1].p + max(scored, key=lambda pair: pair[0])[1].p


class Vector:
    def __init__(self, *parts):
        self.x, self.y, self.z = parts

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __rmul__(self, factor):
        return Vector(factor * self.x, factor * self.y, factor * self.z)

    def __iter__(self):
        return iter((self.x, self.y, self.z))


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)

    def __call__(self, t):
        value = 0
        for c in self.coefficients[::-1]:
            value = value * t + c
        return value


@program("v")
def vectors_that_are_unpacked(x):
    c = 2 * Vector(x[0], x[1], x[2]) + Vector(x[3], 1.0, x[0])
    u, v, w = c
    return sum(part * part for part in c) + u * v * w


@program("v")
def coefficients_from_the_last(x):
    p = Polynomial(x[0], x[1], x[2])
    return p(x[3]) * p(2.0)
