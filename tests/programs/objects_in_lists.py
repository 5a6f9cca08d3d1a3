"""Objects that lie in lists and dicts of any length, are linked, chosen, sorted or summed up."""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass, field, replace

import numpy as np

from tests.programs.corpus import program


class _Body:
    def __init__(self, mass, pos, vel):
        self.mass = mass
        self.pos = np.array(pos, dtype=float)
        self.vel = np.array(vel, dtype=float)
        self.force = np.zeros(2)

    def step(self, dt):
        self.vel += self.force / self.mass * dt
        self.pos += self.vel * dt

    def kinetic(self):
        return 0.5 * self.mass * np.sum(self.vel**2)


@program("v")
def bodies_that_attract(x):
    bodies = [_Body(2.0 + np.tanh(m), [m, i * 1.0], [0.1, m]) for i, m in enumerate(x)]
    for _ in range(3):
        for b in bodies:
            b.force[:] = 0.0
        for a in bodies:
            for b in bodies:
                if a is not b:
                    d = b.pos - a.pos
                    r = np.sqrt(np.sum(d**2) + 0.1)
                    a.force += a.mass * b.mass * d / r**3
        for b in bodies:
            b.step(0.1)
    return sum(b.kinetic() for b in bodies)


class _Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def move(self, dt):
        self.x += self.v * dt
        if self.x > 1.5:
            self.x = 3.0 - self.x
            self.v = -self.v


class _Box:
    def __init__(self, xs):
        self.particles = [_Particle(v, 0.5 * v) for v in xs]
        self.t = 0.0

    def run(self, n, dt):
        for _ in range(n):
            for p in self.particles:
                p.move(dt)
            self.t += dt

    def energy(self):
        return sum(0.5 * p.v**2 + p.x for p in self.particles)


@program("v")
def particles_in_a_box(x):
    box = _Box(x)
    box.run(5, 0.2)
    return box.energy() * box.t


class _Node:
    def __init__(self, value, following=None):
        self.value = value
        self.next = following


class _Chain:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, v):
        self.head = _Node(v, self.head)
        self.size += 1

    def total(self):
        s, n = 0.0, self.head
        while n:
            s += n.value**2 * self.size
            n = n.next
        return s


@program("v")
def linked_list(x):
    chain = _Chain()
    for v in x:
        chain.push(v * 2)
    return chain.total()


@program("v")
def list_linked_in_a_loop(x):
    head = None
    for v in x:
        head = _Node(v * v, head)
    total, node, k = 0.0, head, 1
    while node is not None:
        total += node.value * k
        k += 1
        node = node.next
    return total


class _Tree:
    def __init__(self, key, val):
        self.key, self.val = key, val
        self.left = self.right = None

    def insert(self, key, val):
        node = self
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = _Tree(key, val)
                    return
                node = node.left
            else:
                if node.right is None:
                    node.right = _Tree(key, val)
                    return
                node = node.right

    def find(self, key):
        node = self
        while node is not None and node.key != key:
            node = node.left if key < node.key else node.right
        return node


@program("v")
def search_tree(x):
    root = _Tree(2, x[0])
    for k, v in zip([1, 3, 0], x[1:], strict=False):
        root.insert(k, v)
    return root.find(3).val ** 2 * root.find(0).val + root.val


@dataclass
class _Spring:
    k: float
    rest: float = 1.0
    i: int = 0
    j: int = 1

    def force(self, pos):
        d = pos[self.j] - pos[self.i]
        return self.k * (abs(d) - self.rest) * np.sign(d)


@program("v")
def springs_between_masses(x):
    springs = [_Spring(k, 0.5, i, i + 1) for i, k in enumerate(x[:3])]
    pos = np.array([0.0, 1.0, 2.2, 3.1])
    vel = np.zeros(4)
    for _ in range(4):
        f = np.zeros(4)
        for s in springs:
            fs = s.force(pos)
            f[s.i] += fs
            f[s.j] -= fs
        vel = vel + 0.1 * f
        pos = pos + 0.1 * vel
    return np.sum(pos**2)


@dataclass
class _Item:
    value: float
    weight: int

    @classmethod
    def of(cls, value, weight):
        return cls(value * 2.0, weight)


@program("v")
def items_by_their_worth(x):
    items = [_Item(v, w) for v, w in zip(x, [1, 2, 3, 1], strict=False)]
    items.sort(key=lambda it: it.value / it.weight, reverse=True)
    room, total = 4, 0.0
    for it in items:
        if it.weight <= room:
            room -= it.weight
            total += it.value**2
    return total


@program("v")
def best_item(x):
    items = [_Item.of(v, k) for k, v in enumerate(x)]
    best = max(items, key=lambda it: it.value)
    second = sorted(items, key=lambda it: -it.value)[1]
    return best.value * second.value * (best.weight + 1)


@program("v")
def item_that_is_replaced_in_a_loop(x):
    best = None
    for k, v in enumerate(x):
        item = _Item(v * v, k)
        if best is None or item.value > best.value:
            best = item
    return replace(best, weight=3).value * best.value


class _Pair:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return _Pair(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return _Pair(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __neg__(self):
        return _Pair(-self.x, -self.y)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def dot(self, other):
        return self.x * other.x + self.y * other.y


@program("v")
def size_of_a_pair(x):
    pair = 2.0 * _Pair(x[0], x[1]) + (-_Pair(x[2], x[3]))
    return abs(pair) * pair[1] * len(pair)


@program("v")
def sum_of_pairs(x):
    pairs = [_Pair(v, v * v) for v in x]
    total = sum(pairs, _Pair(0.0, 0.0))
    joined = functools.reduce(operator.add, pairs)
    return total.dot(joined) + sum(pairs[1:], pairs[0]).x


@program("v")
def every_pair_of_pairs(x):
    pairs = [_Pair(v, v * v) for v in x]
    s = 0.0
    for i, a in enumerate(pairs):
        for b in pairs[i + 1 :]:
            s += a.dot(b)
    return s


@program("v")
def pairs_by_their_names(x):
    pairs = {k: _Pair(v, 1.0) for k, v in enumerate(x)}
    for k in pairs:
        pairs[k].y += pairs[k].x
    return sum(p.x * p.y for p in pairs.values())


class _Celsius:
    def __init__(self, c):
        self._c = c

    @property
    def fahrenheit(self):
        return self._c * 1.8 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self._c = (value - 32) / 1.8


@program("v")
def property_that_is_set(x):
    t = _Celsius(x[0])
    t.fahrenheit = t.fahrenheit * x[1]
    t.fahrenheit += x[2]
    return t._c**2 + t.fahrenheit


class _Neuron:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, z):
        return math.tanh(sum(wi * zi for wi, zi in zip(self.w, z, strict=False)) + self.b)


class _Layer:
    def __init__(self, nin, nout, p):
        self.neurons = [
            _Neuron([p[(i + j) % 4] for j in range(nin)], p[i % 4]) for i in range(nout)
        ]

    def __call__(self, z):
        return [n(z) for n in self.neurons]


class _Net:
    def __init__(self, sizes, p):
        self.layers = [_Layer(a, b, p) for a, b in zip(sizes, sizes[1:], strict=False)]

    def __call__(self, z):
        for layer in self.layers:
            z = layer(z)
        return z


@program("v")
def network_of_neurons(x):
    net = _Net([2, 3, 2], x)
    out = net([0.5, -0.3])
    return out[0] ** 2 + out[1]


@program("v")
def lists_sorted_in_place(x):
    values = [v * v for v in x]
    values.sort()
    rows = [(v, k) for k, v in enumerate(x)]
    rows.sort(key=lambda row: -row[0])
    rows.reverse()
    return values[0] + 2 * values[1] + rows[0][0] * (rows[1][1] + 1)


@program("v")
def numbers_in_dicts_in_a_list_updated(x):
    rows = [{"x": a, "y": b**2} for a, b in zip(x, x[1:], strict=False)]
    for _ in range(3):
        for row in rows:
            row["x"] += 0.1 * row["y"]
            row["y"] *= 0.9
    return sum(row["x"] * row["y"] for row in rows)


class _Shape:
    def area(self):
        raise NotImplementedError

    def scaled_area(self, k):
        return k * self.area()


class _Circle(_Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class _Square(_Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2


class _Doubled(_Square):
    def area(self):
        return 2 * super().area()


@program("v")
def shapes_of_several_classes(x):
    shapes = [_Circle(v) if i % 2 else _Square(v) for i, v in enumerate(x)]
    shapes.append(_Doubled(x[0]))
    total = 0.0
    for s in shapes:
        if isinstance(s, _Circle):
            total += s.r
        else:
            total += s.scaled_area(2.0) ** 2
    return total


@program("v")
def best_and_second_best(x):
    best, second = None, None
    for v in x:
        c = _Circle(v * v)
        if best is None or c.r > best.r:
            best, second = c, best
    return best.area() * (1.0 if second is None else second.r)


class _Event:
    def __init__(self, t, kind, size):
        self.t, self.kind, self.size = t, kind, size


@program("v")
def events_in_their_order(x):
    events = [_Event(v * v, "in" if i % 2 else "out", v) for i, v in enumerate(x)]
    events.sort(key=lambda e: e.t)
    level, last, area = 1.0, 0.0, 0.0
    while events:
        e = events.pop(0)
        area += level * (e.t - last)
        last = e.t
        if e.kind == "in":
            level += e.size
        else:
            level -= 0.5 * e.size
    return area * level


@dataclass
class _State:
    x: float
    v: float
    history: list = field(default_factory=list)


@program("v")
def states_with_histories(x):
    states = [_State(a, b) for a, b in zip(x[:2], x[2:], strict=False)]
    for _ in range(3):
        for s in states:
            s.x, s.v = s.x + 0.1 * s.v, s.v - 0.1 * s.x
            s.history.append(s.x)
    total = 0.0
    for s in states:
        for k, h in enumerate(s.history):
            total += h * (k + 1)
    return total


class _Queue:
    def __init__(self):
        self.items = []

    def put(self, v):
        self.items.append(v)

    def get(self):
        return self.items.pop(0)

    def empty(self):
        return len(self.items) == 0


class _Job:
    def __init__(self, work):
        self.work = work
        self.done = 0.0

    def run(self, most):
        w = min(self.work, most)
        self.work -= w
        self.done += w**2
        return self.work <= 0


@program("v")
def jobs_in_a_queue(x):
    queue = _Queue()
    for v in x:
        queue.put(_Job(np.abs(v) * 2))
    total, rounds = 0.0, 0
    while not queue.empty():
        job = queue.get()
        rounds += 1
        if job.run(1.0):
            total += job.done * rounds
        else:
            queue.put(job)
    return total


class _Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        n, m, k = len(self.rows), len(other.rows[0]), len(other.rows)
        return _Matrix(
            [
                [sum(self.rows[i][t] * other.rows[t][j] for t in range(k)) for j in range(m)]
                for i in range(n)
            ]
        )

    def trace(self):
        return sum(self.rows[i][i] for i in range(len(self.rows)))


@program("v")
def product_of_matrices_in_a_list(x):
    matrices = [_Matrix([[v, 1.0], [0.5, v * v]]) for v in x]
    product = matrices[0]
    for m in matrices[1:]:
        product = product @ m
    return product.trace()


class _Account:
    def __init__(self, name, balance):
        self.name, self.balance = name, balance


class _Bank:
    def __init__(self):
        self.accounts = {}

    def open(self, name, balance):
        self.accounts[name] = _Account(name, balance)

    def transfer(self, a, b, amount):
        self.accounts[a].balance -= amount
        self.accounts[b].balance += amount * 0.99


@program("v")
def accounts_of_a_bank(x):
    bank = _Bank()
    for name, v in zip("abcd", x, strict=False):
        bank.open(name, v)
    bank.transfer("a", "b", 0.3 * x[2])
    bank.transfer("b", "c", bank.accounts["b"].balance * 0.5)
    return sum(a.balance**2 for a in bank.accounts.values())


class _Agent:
    def __init__(self, pos):
        self.pos = pos

    def distance(self, other):
        return np.sqrt(np.sum((self.pos - other.pos) ** 2) + 0.1)

    def nearest(self, others):
        return min((o for o in others if o is not self), key=self.distance)


@program("v")
def nearest_of_the_others(x):
    agents = [_Agent(np.array([v, v * v])) for v in x]
    total = 0.0
    for a in agents:
        total += a.distance(a.nearest(agents)) ** 2
    return total


@program("v")
def rows_of_objects(x):
    grid = [[_Circle(x[i] * x[j]) for j in range(2)] for i in range(len(x))]
    for row in grid:
        for c in row:
            c.r = c.r * 1.1
    big = [row[0] for row in grid if row[0].r > 0]
    for c in big:
        c.r += 1.0
    return sum(row[0].area() * row[1].r for row in grid)


class _Cell:
    def __init__(self, v):
        self.v = v
        self.neighbours = []


@program("v")
def cells_with_neighbours(x):
    cells = [_Cell(v) for v in x]
    for i, c in enumerate(cells):
        c.neighbours.append(cells[i - 1])
        c.neighbours.append(cells[(i + 1) % len(cells)])
    for _ in range(2):
        new = [0.5 * c.v + 0.25 * sum(n.v for n in c.neighbours) for c in cells]
        for c, v in zip(cells, new, strict=False):
            c.v = v
    return sum(c.v**2 * (k + 1) for k, c in enumerate(cells))


@program("v")
def edges_by_their_nodes(x):
    edges = {}

    def add(u, v, w):
        edges.setdefault(u, []).append((v, w))

    add(0, 1, x[0])
    add(1, 2, x[1])
    add(0, 2, x[2])
    total = 0.0
    for u in edges:
        for v, w in edges[u]:
            total += w**2 * (v + 1)
    return total
