"""Buffers, numbers, types, texts and calls."""

import copy
import dataclasses
import functools
import itertools
import math
import operator
from math import sin, sqrt

import numpy as np
from numpy import array, zeros

from tests.tape.programs.corpus import program

X = np.array([0.5, 1.5, 2.5])
M = np.array([[1.0, 2.0], [3.0, 4.5]])
G = np.array([1.0, 2.0, 3.0])


@np.vectorize
def vdec(v, k):
    return math.exp(v) * k


@dataclasses.dataclass
class State:
    u: object
    t: float = 0.0


@program(X)
def zeros_n(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = x[i] ** 2
    return out.sum()


@program(X)
def empty_n(x):
    out = np.empty(len(x))
    for i in range(3):
        out[i] = np.sin(x[i])
    return np.dot(out, out)


@program(X)
def from_import_zeros(x):
    out = zeros((3, 3))
    out[0] = x
    out[:, 1] += x * 2
    return (out**2).sum()


@program(X)
def full_like_active(x):
    return (np.full_like(x, x[1]) * x).sum()


@program(X)
def full_active(x):
    return (np.full(3, x[1]) * x).sum() + np.full_like(G, x[0]).sum()


@program(X)
def nested_list(x):
    return np.linalg.det(np.array([[x[0], 1.0], [x[1] * 2, x[2]]]))


@program(X)
def list_append(x):
    r = []
    for v in x:
        r.append(v * v)
    return np.array(r).sum() + array([x, x * 2]).sum()


@program(X)
def zeros_like_t(x):
    z = np.zeros_like(x)
    z[1:] = x[:-1]
    return (z * x).sum()


@program(X)
def zeros_like_const(x):
    z = np.zeros_like(G)
    z[1:] = x[:-1]
    return (z * x).sum()


@program(X)
def copy_of_const_arg_default(x, w=np.array([1.0, 2.0, 3.0])):
    y = w.copy()
    y[0] = x[1]
    return (y * x).sum()


@program(X)
def alias_imul(x):
    z = x * 1.0
    y = z
    y *= 2
    return (z * x).sum()


@program(X)
def arg_write(x):
    x[0] = x[1] * x[2]
    x *= 2
    return (x * x).sum()


@program(X)
def view_write(x):
    y = x * 1
    v = y[1:]
    v *= x[:2]
    return (y**2).sum()


@program(1.5)
def float_aug(x):
    y = x
    y *= 2
    y += x
    return x * y


@program(0.0, like=lambda x: 3 * x)
def zdiv(x):
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return 3 * x


@program(2.0)
def zdiv2(x):
    try:
        return x / 0.0
    except ZeroDivisionError:
        return 3 * x


@program(-2.0)
def dom(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return x * x


@program(800.0)
def ovf(x):
    try:
        return math.exp(x)
    except OverflowError:
        return x * x


@program(1.2)
def isf(x):
    return x * x if isinstance(x, float) else x


@program(1.2)
def typ(x):
    return x * x if type(x) is float else x


@program(X)
def typ_arr(x):
    return (x * x).sum() if type(x) is np.ndarray and isinstance(x, np.ndarray) else x.sum()


@program(X)
def typ_el(x):
    v = x[0]
    return v * v if type(v) is np.float64 else v


@program(X)
def typ_zeros(x):
    z = np.zeros(3)
    z[0] = x[0]
    return z.sum() * x[1] if type(z) is np.ndarray else x[2]


@program(1.2)
def isscalar(x):
    return x * x if np.isscalar(x) else x


@program(1.2)
def hasshape(x):
    return x * x if not hasattr(x, "shape") and (not hasattr(x, "__len__")) else x


@program(1.2, like=lambda x: 5.0 * x)
def dictkey(x):
    d = {1.2: 5.0}
    return d.get(x, 1.0) * x


@program(1.2, like=lambda x: x * x)
def inlist(x):
    return x * x if x in [1.2, 3] else x


@program(1.2, like=lambda x: x * x)
def inset(x):
    return x * x if x in {1.2, 3} else x


@program(X)
def floatx(x):
    return float(x.sum()) * float(x[0])


@program(X)
def item(x):
    return x.sum().item() * x[0].item()


@program(X)
def tolist(x):
    s = 0.0
    for v in x.tolist():
        s += v * v
    return s


@program(2.7)
def intx(x):
    return int(x) * x + round(x) * x + math.floor(x) * x


@program(1.3)
def mathfn(x):
    return (
        math.sin(x) * sqrt(x)
        + math.exp(-x) * math.hypot(x, 2.0)
        + sin(x)
        + math.pow(x, 2)
        + math.log(x)
        + math.atan2(x, 2)
        + math.fabs(x)
    )


@program(0.5, 2.5)
def lin(a, b):
    t = np.linspace(a, b, 7)
    return np.sum(np.sin(t))


@program(X)
def deep(x):
    y = copy.deepcopy(x)
    y[0] *= 2
    z = copy.copy(y)
    z[1] = 0
    return (y * z).sum()


@program(X)
def deeplist(x):
    y = copy.deepcopy([x, x[0]])
    y[0][0] = 1
    return y[0].sum() * y[1] + x[0]


@program(X)
def sort_list(x):
    return sum((i * v for i, v in enumerate(sorted([x[2], x[0] * 4, x[1]]))))


@program(X)
def maxmin(x):
    return max(x) * min(x) + max([x[0], x[1] * 3]) + sum(list(x))


@program(X)
def vec(x):
    f = np.vectorize(lambda v: v * v if v > 1 else math.sin(v))
    return f(x).sum()


@program(X)
def vec_dec(x):
    return vdec(x, 2.0).sum()


@program(M)
def aal(x):
    return (
        np.apply_along_axis(lambda r: r * r.sum(), 1, x).sum()
        + np.apply_along_axis(np.sum, 0, x).prod()
    )


@program(X)
def gen(x):

    def g():
        for v in x:
            yield (v * 2)

    return sum(g()) * x[0]


@program(X)
def withs(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    return y.sum()


@program(X)
def mat(x):
    match x.shape:
        case [n]:
            return x.sum() * n
        case _:
            return x[0]


@program(1.5)
def matf(x):
    match x:
        case float(v):
            return v * v
        case _:
            return x


@program(X)
def star(x):

    def h(*a, **k):
        return sum(a) * k["s"]

    return h(*x, **{"s": x[0]})


@program(1.1)
def rec(x):

    def f(n):
        return 1.0 if n == 0 else x * f(n - 1) + 1

    return f(4)


@program({"a": X, "b": 2.0})
def dct(p):
    return (p["a"] * p["b"]).sum()


@program([X, 2.0])
def lst(p):
    p.append(p[0].sum())
    p[1] *= 3
    return p[2] * p[1]


@program(X)
def ufat(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 1], x)
    return (y * y).sum()


@program(M)
def rows(x):
    y = x.copy()
    for r in y:
        r *= r.sum()
    return y.sum()


@program(M)
def swap(x):
    y = x.copy()
    y[0], y[1] = (y[1].copy(), y[0].copy())
    a = [x[0, 0], x[1, 1]]
    a[0], a[1] = (a[1], a[0])
    return (y[0] * a[0]).sum()


@program(X)
def eye_(x):
    A = np.eye(3)
    A[0] = x
    A += np.diag(x)
    return np.linalg.inv(A).sum()


@program(X)
def asarr(x):
    x = np.asarray(x, dtype=float)
    y = np.asarray([x[0], x[1]])
    return y.sum() * np.ascontiguousarray(x).sum()


@program(X)
def conc(x):
    buf = np.concatenate([np.zeros(1), np.ones(2)])
    buf[0] = x[0]
    return (buf * x).sum()


@program(X)
def ndenum(x):
    s = 0.0
    for i, v in np.ndenumerate(x):
        s += v * i[0] * v
    return s


@program(X)
def fromiter(x):
    return np.fromiter((v * v for v in x), dtype=float).sum()


@program(X)
def enum(x):
    return sum((i * v for i, v in enumerate(x))) + sum((a * b for a, b in zip(x, G)))


@program(X)
def piece(x):
    return np.piecewise(x, [x < 1, x >= 1], [lambda v: v * v, lambda v: 3 * v]).sum()


@program(X)
def reduce_(x):
    return functools.reduce(operator.mul, x) + functools.reduce(lambda a, b: a * b + 1, x, 1.0)


@program(X)
def acc(x):
    return list(itertools.accumulate(x))[-1] * x[0]


@program(X)
def try_exc(x):
    try:
        y = x * 2
        raise KeyError("a")
    except KeyError:
        y = y * x
    finally:
        z = x[0]
    return y.sum() * z


@program(X)
def dotm(x):
    return G.dot(x)


@program(X)
def gmul(x):
    y = G * 1.0
    y[0] = x[0]
    return (y * x).sum()


@program(X)
def where_(x):
    return np.where(x > 1, x, 0).sum() * np.maximum(x, 1).sum()


@program(1.5)
def mod(x):
    return x % 1.0 * x + x // 1 + divmod(x, 0.4)[1] + abs(-x) + pow(x, 3) + 2**x


@program(X)
def partial_(x):
    return functools.partial(np.multiply, 2.0)(x).sum()


@program(X)
def lambdas(x):
    return (lambda a, b=3.0: a * b)(x).sum()


@program(X)
def dc(x):
    s = State(x * 2)
    s.t += x[0]
    s.u = s.u * s.t
    s = dataclasses.replace(s, t=s.t * 2)
    return s.u.sum() * s.t


@program(X)
def setslice(x):
    b = [0.0] * 3
    b[0:2] = list(x[:2])
    b[2] = x[2] * x[0]
    return np.array(b).prod()


@program(X)
def while_(x):
    n = 0
    v = x[0]
    while v < 10:
        v = v * x[1]
        n += 1
        if n > 10:
            break
    else:
        v = v * 2
    return v


@program(X)
def objarr(x):
    a = np.empty(3, dtype=object)
    for i in range(3):
        a[i] = x[i] * 2
    return a.sum()


@program(X)
def ma(x):
    return x.max() * x.argmax() + x[x.argmin()] + x[x > 1].sum() + x[np.argsort(x)][0]


@program(1.5)
def glb(x):
    global GV
    GV = x * 2
    return GV * x


@program(X)
def outkw(x):
    o = np.zeros(3)
    np.multiply(x, x, out=o)
    return o.sum()


@program(X)
def outkw2(x):
    o = np.empty_like(G)
    np.exp(x, out=o)
    o += 1
    return o.sum()


@program(X)
def meshg(x):
    a, b = np.meshgrid(x, np.linspace(0, 1, 2))
    return (a * b).sum()


@program(X)
def polyf(x):
    return np.polyval([1.0, 2.0, 3.0], x).sum() + np.interp(0.7, [0, 1, 2], x)


@program(X)
def fill(x):
    y = np.empty(3)
    y.fill(x[0])
    y[1:] = 2
    return (y * x).sum()


@program(X)
def augplain(x):
    tot = np.zeros(3)
    for i in range(3):
        tot += x * i
    return (tot**2).sum()


@program(1.5)
def cplx(x):
    return ((x * 1j) ** 2).real + abs(x + 1j)
