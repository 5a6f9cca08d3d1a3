"""Containers, writes, objects, closures and numerical codes."""

import collections

import numpy as np
import numpy.linalg as la
import math

from tests.tape.programs import helpmod
from tests.tape.programs.corpus import program
from tests.tape.programs.helpmod import Sim, buffer

X = np.array([0.5, 1.5, 2.5])
M = np.array([[1.0, 2.0], [3.0, 4.5]])
G = np.array([1.0, 2.0, 3.0])
H = G[1:]


@program(X)
def helper(x):
    return helpmod.buffer(x).sum() * buffer(x)[0]


@program(X)
def sim(x):
    s = Sim.mk()
    for k in x:
        s.step(k)
    return s.energy * Sim.st(x[0])


@program(X)
def listmean(x):
    return (
        np.mean([x[0], x[1]]) * np.max([v for v in x])
        + np.sum([x, x * 2])
        + la.norm([x[0], x[1]])
        + np.linalg.det([[x[0], 1], [2, x[1]]])
    )


@program(X)
def listops(x):
    a = [x[0]] * 3
    a[1:2] = [x[1], x[2]]
    a.insert(0, x[0] * x[1])
    del a[1]
    a.reverse()
    a.pop()
    return sum((i * v for i, v in enumerate(a, 1)))


@program(X)
def dictops(x):
    d = {i: v for i, v in enumerate(x)}
    d.update(k=x[0])
    e = {**d, "z": x[1] * 2}
    e.setdefault("q", x[2])
    return sum(e.values()) * d.pop(0)


@program(X)
def comp(x):
    return sum([a * b for a in x for b in x if a < b]) + sum(
        {i: v for i, v in enumerate(x)}.values()
    )


@program(X)
def starred(x):
    a, *b = x
    c, d = b
    return a * c + d * sum(b)


@program(X)
def walrus(x):
    return (y := (x * 2)).sum() * y[0]


@program(X)
def nonloc(x):
    s = 0.0

    def add(v):
        nonlocal s
        s += v * v

    for v in x:
        add(v)
    return s


@program(X)
def cell_array(x):
    buf = np.zeros(3)

    def put(i):
        buf[i] = x[i] * 2

    for i in range(3):
        put(i)
    return buf.prod()


@program(M)
def gs(u):
    u = u.copy()
    for _ in range(3):
        for i in range(2):
            for j in range(2):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i, j - 1]) + 0.1 * u[i, j] ** 2
    return u.sum()


@program(X)
def double_buffer(x):
    a, b = (x.copy(), np.empty_like(x))
    for _ in range(4):
        b[1:-1] = a[:-2] + a[2:]
        b[0] = a[0]
        b[-1] = a[-1] * a[0]
        a, b = (b, a)
    return a.sum()


@program(M)
def lu(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.log(np.abs(np.diag(A))).sum()


@program(M)
def chol(A):
    n = len(A)
    A = A @ A.T
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] - sum((L[i, k] * L[j, k] for k in range(j)))
            L[i, j] = math.sqrt(s) if i == j else s / L[j, j]
    return L.sum()


@program(X)
def flat_(x):
    y = np.zeros((3, 3))
    y.flat[::4] = x
    return (y @ y).sum()


@program(X)
def ravelw(x):
    y = np.zeros((3, 2))
    y.ravel()[0] = x[0]
    r = y.reshape(-1)
    r[3] = x[1]
    y.T[0, 2] = x[2]
    return (y * y).sum()


@program(X)
def real_w(x):
    z = np.zeros(3, complex)
    z.real = x
    z.imag[1] = x[0]
    return np.abs(z).sum()


@program(X)
def mask(x):
    y = x.copy()
    y[y > 1] *= 2
    y[[0, 0]] += x[1]
    y[np.array([True, False, True])] = x[1]
    return (y * y).sum()


@program(X)
def diagw(x):
    A = np.zeros((3, 3))
    np.fill_diagonal(A, x)
    A[np.diag_indices(3)] *= x
    return A.sum()


@program(X)
def putw(x):
    y = np.zeros(5)
    np.put(y, [0, 2, 4], x)
    np.copyto(y[1:3], x[:2])
    np.place(y, y > 2, [x[0]])
    return (y**2).sum()


@program(X)
def puta(x):
    y = np.zeros((2, 3))
    np.put_along_axis(y, np.array([[1], [2]]), x[:2, None], 1)
    return y.sum()


@program(X)
def newax(x):
    y = x[:, None] * x[None]
    y[..., 0] = 0
    return y.sum()


@program(X)
def strs(x):
    return (
        x.sum()
        if "a" in {"a": x}
        and x is not None
        and (x.ndim == 1)
        and (x.dtype == float)
        and (x.dtype == np.float64)
        else x[0]
    )


@program(X)
def eqnone(x):
    a = x[0]
    if a == None or a != a:
        return a
    return x.sum() * 2


@program(2.5)
def pyattr(x):
    return x.real * x.imag + x.conjugate() * 3 if x.is_integer() is False else x


@program(X)
def iadd_list(x):
    l = [x[0]]
    l += [x[1]]
    l += x[2:] * 1
    return sum(l) * l[0]


@program([[1.0, 2.0], [3.0, 4.0]])
def nested_args(p):
    return p[0][0] * p[1][1] + np.array(p).sum() + np.sum(p)


@program([1.0, 2.0, 3])
def intlist(p):
    return p[0] * p[2]


@program(X)
def gcopy(x):
    y = G.copy()
    y[0] = x[0]
    z = H * 1
    z[:] = x[:2]
    return y.sum() + (z * z).sum() + G.dot(x)


@program(X)
def kwonly(x, *, s=np.ones(3)):
    return (x * s).sum()


@program(X)
def recur_list(x):

    def f(v):
        return v[0] if len(v) == 1 else f(v[: len(v) // 2]) * f(v[len(v) // 2 :])

    return f(x)


@program(X)
def ctxm(x):

    class C:
        def __enter__(self):
            return x * 2

        def __exit__(self, *a):
            return False

    with C() as y:
        return (y * x).sum()


@program(X)
def excval(x):
    try:
        raise ValueError(x[0] * 2)
    except ValueError as e:
        return e.args[0] * x[1]


@program(X)
def gensend(x):

    def g():
        t = 0
        while True:
            v = yield t
            t = t + v * v

    it = g()
    next(it)
    r = 0
    for v in x:
        r = it.send(v)
    return r


@program(X)
def mapf(x):
    return (
        sum(map(lambda v: v * v, x))
        + sum(filter(lambda v: v > 1, x))
        + sum((v for v in reversed(x))) * x[-1]
    )


@program(X)
def sortkey(x):
    l = sorted(zip(x, [3, 1, 2]), key=lambda t: -t[0])
    return sum((a * b * i for i, (a, b) in enumerate(l)))


@program(X)
def anyall(x):
    return x.sum() if any((v > 2 for v in x)) and all(x > 0) and (x > 0).all() else x[0]


@program(X)
def bisect_(x):
    import bisect

    i = bisect.bisect([0, 1, 2, 3], x[1])
    return x[i - 1] * i


@program(X)
def heap(x):
    import heapq

    h = list(x)
    heapq.heapify(h)
    return heapq.heappop(h) * 2 + h[0]


@program(X)
def deque_(x):
    d = collections.deque(x, maxlen=2)
    d.append(x[0] * 2)
    return sum(d) * d[0]


@program(X)
def counter(x):
    d = collections.defaultdict(float)
    for i, v in enumerate(x):
        d[i % 2] += v * v
    return d[0] * d[1]


@program(X)
def statist(x):
    return sum(x) / len(x) + np.float64(2.0) * x[0]


@program(1.5)
def newton(x):
    y = 1.0
    for _ in range(20):
        d = (y * y - x) / (2 * y)
        y -= d
        if abs(d) < 1e-14:
            break
    return y


@program(0.7)
def npy(x):
    return np.sin(x) * np.array([x, x * x]).sum() + np.ones(2) @ np.array([x, 1.0])


@program(X[::2])
def strided(x):
    y = x.reshape(-1)
    y = y * 1
    return (y * y).sum()


@program(X)
def take(x):
    return (
        np.take(x, [0, 1]).sum()
        + x.take([1]).sum()
        + x.repeat(2).sum()
        + np.split(x, 3)[1].sum()
        + x.clip(1, 2).sum()
    )


@program(X)
def randm2(x):
    r = np.random.default_rng(0)
    w = r.normal(size=3) + 0 * x
    w[0] = x[0]
    return (w * x).sum() + r.normal() * x[1]


@program(X)
def einsum(x):
    return np.einsum("i,j->ij", x, x).sum() + np.tensordot(x, x, 1) + np.inner(x, x)


@program(X)
def cls_local(x):

    class A:
        k = 2.0

        def __init__(s, v):
            s.v = v

        def __mul__(s, o):
            return A(s.v * o.v)

        def __float__(s):
            return s.v

    return (A(x[0]) * A(x[1])).v * A.k


@program(X)
def slots(x):

    class B:
        __slots__ = ("a",)

    b = B()
    b.a = x * 2
    b.a += 1
    return b.a.sum()


@program(X)
def ndwhere(x):
    i = np.where(x > 1)[0]
    return x[i].sum() + x[np.nonzero(x)].sum() + x[np.flatnonzero(x > 2)].sum()


@program(X)
def matp(x):
    return np.linalg.matrix_power(np.outer(x, x) + np.eye(3), 2).sum()


@program(X)
def unpack2(x):
    (a, b), c = ((x[0], x[1]), x[2])
    a, b = (b, a)
    return a / b + c


@program(X)
def vecsig(x):
    f = np.vectorize(lambda v: 1 if v > 1 else 0)
    return (f(x) * x).sum()


@program(X)
def vecint(x):
    f = np.vectorize(lambda v: 0 if v < 1 else v * v)
    return f(x).sum() + x.sum()


@program(X)
def locs(x):
    return sum((v for v in (x[0], x[1]) if isinstance(v, (float, np.ndarray))))


@program(X)
def ifexp(x):
    return x[0] if not x[1] else x[1] or x[2]


@program(X)
def chain(x):
    return x.sum() if 0 < x[0] < x[1] <= x[2] else x[0]


@program(X)
def bools(x):
    return (x > 1).sum() * x.sum() + (x > 1) @ x + ((x > 1) * x).sum() + np.sum(x, where=x > 1)


@program(X)
def ptr(x):
    d = {id(x): x}
    return d[id(x)].sum()


@program(X)
def iters(x):
    it = iter(x)
    a = next(it)
    return a * next(it)
