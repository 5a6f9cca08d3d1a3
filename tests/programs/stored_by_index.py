"""Programs that store into objects by index, as vectors, matrices and grids of textbooks do."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, v):
        i, j = ij
        self.rows[i][j] = v

    def __matmul__(self, other):
        n = len(self.rows)
        out = Matrix([[0.0] * n for _ in range(n)])
        for i in range(n):
            for j in range(n):
                out[i, j] = sum(self[i, k] * other[k, j] for k in range(n))
        return out


class Vec:
    def __init__(self, *coeffs):
        self.coeffs = list(coeffs)

    def __setitem__(self, i, v):
        self.coeffs[i] = v

    def __getitem__(self, i):
        return self.coeffs[i]

    def __len__(self):
        return len(self.coeffs)


class Grid:
    def __init__(self, h, w):
        self.h = h
        self.w = w
        self.data = np.zeros((h, w))

    def __getitem__(self, key):
        return self.data[key]

    def __setitem__(self, key, v):
        self.data[key] = v


class Log:
    def __init__(self):
        self.d = {}

    def __setitem__(self, k, v):
        self.d[k] = v

    def __getitem__(self, k):
        return self.d[k]

    def __contains__(self, k):
        return k in self.d

    def __delitem__(self, k):
        del self.d[k]


class M2:
    def __init__(self, r, c, fill=0.0):
        self.r, self.c = r, c
        self.m = [fill] * (r * c)

    def _k(self, i, j):
        return i * self.c + j

    def __getitem__(self, idx):
        return self.m[self._k(idx[0], idx[1])]

    def __setitem__(self, idx, v):
        if isinstance(idx, tuple):
            self.m[self._k(*idx)] = v
        else:
            self.m[idx] = v

    def __mul__(self, o):
        res = M2(self.r, o.c)
        for i in range(self.r):
            for j in range(o.c):
                s = 0.0
                for k in range(self.c):
                    s += self[i, k] * o[k, j]
                res[i, j] = s
        return res

    def det(self):
        return self[0, 0] * self[1, 1] - self[0, 1] * self[1, 0]


class V:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __getitem__(self, i):
        return (self.x, self.y, self.z)[i]

    def __setitem__(self, i, v):
        if i == 0:
            self.x = v
        elif i == 1:
            self.y = v
        elif i == 2:
            self.z = v
        else:
            raise IndexError(i)


class Cube:
    def __init__(self):
        self._d = {}

    def __getitem__(self, k):
        return self._d.get(k, 0.0)

    def __setitem__(self, k, v):
        self._d[k] = v

    def __delitem__(self, k):
        self._d.pop(k)

    def __iter__(self):
        return iter(self._d)

    def __len__(self):
        return len(self._d)

    def items(self):
        return self._d.items()


class Clip:
    def __init__(self, data):
        self.data = np.array(data)

    def __setitem__(self, i, v):
        self.data[i] = np.clip(v, -1, 1)

    def __getitem__(self, i):
        return self.data[i]

    def __array__(self):
        return self.data


class Base:
    def __setitem__(self, i, v):
        self.store(i, v)

    def store(self, i, v):
        self.vals[i] = v


class Derived(Base):
    def __init__(self, n):
        self.vals = [0.0] * n

    def store(self, i, v):
        super().store(i, v * 2)

    def total(self):
        return sum(self.vals)


class Ring:
    def __init__(self, n):
        self.n = n
        self.buf = [0.0] * n
        self.i = 0

    def push(self, v):
        self[self.i] = v
        self.i = (self.i + 1) % self.n

    def __setitem__(self, k, v):
        self.buf[k % self.n] = v

    def __getitem__(self, k):
        return self.buf[k % self.n]


class Field:
    def __init__(self, n):
        self.u = np.zeros(n)

    def __setitem__(self, k, v):
        self.u[k] = v

    def __getitem__(self, k):
        return self.u[k]


def _step(f, dt):
    f[1:-1] = f[1:-1] + dt * (f[2:] - 2 * f[1:-1] + f[:-2])


@program("v")
def product_of_matrices(x):
    a = Matrix([[x[0], x[1]], [x[2], x[3]]])
    b = a @ a
    b[0, 1] = b[0, 0] * 2.0
    return b[0, 1] + b[1, 1]


@program("v")
def vector_of_starred_numbers(x):
    v = Vec(x[0], x[1], x[2])
    v[1] = v[0] * x[3]
    return v[0] + v[1] * v[2] * len(v)


@program("v")
def updates_by_index(x):
    v = Vec(x[0], x[1])
    v[0] += x[2]
    v[-1] *= v[0]
    return v[0] * v[1]


@program("v")
def vectors_in_a_list(x):
    ms = [Vec(x[0], x[1]), Vec(x[2], x[3])]
    ms[0][1] = ms[1][0] * 2
    ms[1][0] += ms[0][1]
    return ms[1][0] * ms[0][1]


@program("v")
def grid_by_pairs_and_slices(x):
    g = Grid(3, 3)
    for i in range(3):
        for j in range(3):
            g[i, j] = x[i] * x[j]
    g[1:, 0] = x[:2]
    g[0, :] += x[1]
    return np.sum(g[1:, 1:] * g[0, 0]) + g[2, 0]


@program("v")
def keys_of_an_object(x):
    log = Log()
    log["a"] = x[0]
    log["b"] = log["a"] * x[1]
    if "b" in log:
        log["a"] = log["b"] * log["a"]
    return log["a"]


@program("v")
def matrix_in_one_list(x):
    a = M2(2, 2)
    a[0, 0] = x[0]
    a[0, 1] = x[1]
    a[1, 0] = x[2]
    a[1, 1] = x[3]
    b = a * a
    b[0, 0] += x[0]
    return b.det() + b[1, 1]


@program("v")
def two_stores_at_once(x):
    a = M2(1, 2)
    b = M2(1, 2)
    a[0], b[0] = x[0], x[1]
    a[0, 0], b[0, 0] = b[0, 0], a[0, 0] * b[0, 0]
    return a[0, 0] * b[0, 0]


@program("v")
def helper_that_stores(x):
    def put(m, v):
        m[0, 1] = v
        return m[0, 1] * 2

    m = M2(2, 2)
    y = put(m, x[0])
    return y * m[0, 1]


@program("v")
def fields_by_number(x):
    v = V(x[0], x[1], x[2])
    for i in range(3):
        v[i] = v[i] * x[3]
    return v[0] * v[1] + v.z


@program("v")
def sparse_matrix_of_a_dict(x):
    m = Cube()
    for i in range(3):
        m[i, i] = x[i]
        m[i, i + 1] = x[i] * x[i + 1]
    return sum(v * v for k, v in m.items()) + m[5, 5] + m[0, 1]


@program("v")
def entry_that_is_deleted(x):
    m = Cube()
    m["a"] = x[0]
    m["b"] = m["a"] * x[1]
    del m["a"]
    return m["b"] + m["a"]


@program("v")
def store_that_clips(x):
    c = Clip(x)
    c[0] = x[1] * 0.5
    c[1:3] = x[2:] * x[:2]
    c[-1] += 0.1
    return np.sum(c.data**2)


@program("v")
def store_of_a_base_class(x):
    d = Derived(4)
    for i, v in enumerate(x):
        d[i] = v**2
    return d.total() * d.vals[1]


@program("v")
def ring_that_stores_into_itself(x):
    r = Ring(3)
    for v in x:
        r.push(v * v)
    return r[0] + r[1] * r[-1] + r.buf[0]


@program("v")
def field_that_a_helper_steps(x):
    f = Field(6)
    f[1:5] = x
    for _ in range(3):
        _step(f, 0.1)
    return np.sum(f.u**2)


@program("v")
def entries_that_trade_places(x):
    f = Field(4)
    f[:] = x
    f[0], f[1] = f[1], f[0] * f[2]
    a, f[3] = f[0], f[1]
    return np.sum(f.u * np.arange(4)) * a


@program("v")
def one_of_two_objects(x):
    f = Field(4)
    g = Field(4)
    h = f if x[0] > 0 else g
    h[0] = x[0] * 2
    return f[0] + g[0]


class Weighted:
    def __init__(self, n):
        self.d = [0.0] * n

    def __getitem__(self, i, weight=1.5):
        return self.d[i] * weight

    def __setitem__(self, i, v, weight=2.0):
        self.d[i] = v * weight


def _raised(v):
    v[0] = v[0] + 1.0
    return v


@program("v")
def methods_with_defaults(x):
    v = Weighted(2)
    v[0] = x[0]
    v[1] = v[0] * x[1]
    return v[1] + v[0]


@program("v", by="tape")
def value_that_is_taken_before_the_index(x):
    order = [1.0, 0.0, 2.0]
    v = Weighted(3)
    v[int(order.pop(0))] = x[0] * order.pop()
    v[2] = x[1] * len(order)
    return v[1] + v[2] * v[0] + v[2]


@program("v")
def stored_into_what_a_call_returns(x):
    v = Vec(x[0], x[3])
    _raised(v)[1] = x[1]
    _raised(v)[1] += x[2]
    return v[0] * v[1]
