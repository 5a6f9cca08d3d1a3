"""Aliases, overwritten memory, types that decide, and errors that are caught."""

import functools

import numpy as np

from tests.tape.programs.corpus import program

X = np.array([0.5, 1.5, 2.5])
M = np.array([[1.0, 2.0], [3.0, 4.5]])


@functools.singledispatch
def disp(x):
    return x * 0


@disp.register(float)
def _(x):
    return x * x


@disp.register(np.ndarray)
def _(x):
    return (x * x * x).sum()


@program(X)
def outself(x):
    y = x * 1
    np.multiply(y, 2, out=y)
    np.exp(y, out=y, where=y > 2)
    return y.sum()


@program(X)
def iterwrite(x):
    y = x * 1
    for i, v in enumerate(y):
        y[i] = v * y[i - 1]
    return y.sum()


@program(X)
def iterwrite2(x):
    y = np.outer(x, x)
    for i, r in enumerate(y):
        y[i - 1] = r * 2
    return (y * y).sum()


@program(X)
def zipw(x):
    a = x * 1
    b = a[1:]
    for u, v in zip(a, b):
        b[0] = u * v
    return a.sum()


@program(X)
def swapvec(x):
    a = x * 1
    a[0], a[1] = (a[1], a[0])
    a[[0, 2]] = a[[2, 0]]
    return (a * np.arange(3)).sum()


@program(M)
def swaprows(x):
    a = x * 1
    a[0], a[1] = (a[1], a[0])
    return (a * np.array([[1.0, 2.0], [3.0, 4.0]])).sum()


@program(M)
def swaprows2(x):
    a = x * 1
    a[[0, 1]] = a[[1, 0]]
    return (a * np.array([[1.0, 2.0], [3.0, 4.0]])).sum()


@program(X)
def fancy_aug(x):
    a = np.zeros(3)
    a[[0, 0, 1]] += x
    a[[1, 1]] = x[:2]
    return (a * x).sum()


@program(X)
def aliaslist(x):
    y = x * 1
    l = [y, y]
    l[0] *= 2
    l[1][0] = 5
    return l[0].sum() + (y * x).sum()


@program(X)
def defaultmut(x, acc=[]):
    acc.append(x[0])
    r = sum(acc) / len(acc)
    acc.clear()
    return r * x[1]


@program(X)
def condalias(x):
    y = x * 1
    z = y if x[0] > 0 else y.copy()
    z += 1
    return (y * y).sum()


@program(X)
def reshape_alias(x):
    y = np.outer(x, x)
    f = y.reshape(-1)
    t = y.T.reshape(-1)
    f[0] = 7
    t[1] = 9
    return y.sum() + (t * t).sum()


@program(X)
def ravel_alias(x):
    y = np.outer(x, x)
    r = y.ravel()
    s = y.flatten()
    r *= 2
    s *= 3
    return y.sum() * 1 + s.sum()


@program(X)
def real_alias(x):
    y = x * 1
    y.real[0] = 4
    y.T[1] *= 3
    return y.sum()


@program(X)
def asarray_alias(x):
    y = x * 1
    z = np.asarray(y)
    z *= 2
    w = np.array(y, copy=False) if False else np.array(y)
    w *= 5
    return y.sum() + w.sum()


@program(X)
def bcast(x):
    b = np.broadcast_to(x, (2, 3))
    return (b * b).sum()


@program(X)
def diagonal_view(x):
    a = np.outer(x, x)
    d = a.diagonal().copy()
    d *= 2
    a[np.arange(3), np.arange(3)] = d
    return a.sum()


@program(X)
def prodzero(x):
    y = x * 1
    y[0] = 0
    return np.prod(y) + np.sum(x, where=np.array([True, False, True]), initial=2.0)


@program(X)
def np_sinc(x):
    return np.sinc(x).sum() + np.linalg.norm(x, axis=0, keepdims=True).sum()


@program(X)
def astype_int(x):
    return (x.astype(int) * x).sum()


@program(X)
def saved_over(x):
    y = x * 1
    z = np.exp(y)
    w = z * y
    z *= 2
    y[:] = 0
    return w.sum() + z.sum()


@program(X)
def sqself(x):
    y = x * 1
    y *= y
    y *= y
    return y.sum()


@program(X)
def work(x):
    t = np.empty(3)
    s = 0
    for k in range(3):
        t[:] = x * k
        t += 1
        s = s + np.sin(t).sum()
        t[:] = 0
    return s


@program(X)
def work_list(x):
    w = [0.0] * 3
    s = 0
    for k in range(3):
        w[k] = x[k]
        s += np.array(w).sum() * np.dot(w, x)
    return s


@program(X)
def finallyret(x):

    def f():
        try:
            return x[0] * 2
        finally:
            x2.append(x[1])

    x2 = []
    r = f()
    return r * x2[0]


@program(X)
def exc_in_loop(x):
    s = 0.0
    for i in range(5):
        try:
            s += x[i] * (i + 1)
        except IndexError:
            s *= 2
            break
    return s


@program(2.0)
def typed(x):
    return {float: 3.0, int: 4.0}[type(x)] * x


@program(2.0)
def abc(x):
    import numbers

    return x * x if isinstance(x, numbers.Real) and (not isinstance(x, numbers.Integral)) else x


@program(2.0)
def sd(x):
    return disp(x)


@program(X)
def sda(x):
    return disp(x)


@program(X)
def nprnd(x):
    return np.random.default_rng(3).permutation(3) @ x


@program(X)
def inplace_view_of_view(x):
    y = np.outer(x, x)
    v = y[1:]
    w = v[:, 1:]
    w += x[1]
    v[0] = 0
    return (y * y).sum() + w.sum()


@program(X)
def newarr_from_view(x):
    y = x[::2]
    y = y + 1
    y[0] *= 3
    return y.sum() * x[0]


@program(X)
def stacked_then_write(x):
    a = np.stack([x, x * 2])
    a[0] += a[1]
    b = np.concatenate([a[0], a[1]])
    b[::2] = 0
    return (a.sum() * b).sum()


@program(X)
def tuple_aug(x):
    t = (x * 1, x * 2)
    a, b = t
    a += b
    return t[0].sum() * t[1][0]


@program(X)
def dict_alias(x):
    y = x * 1
    d = {"a": y}
    e = dict(d)
    e["a"][0] = 9
    y *= 2
    return d["a"].sum() + (e["a"] * x).sum()


@program(X)
def kwargs_write(x):

    def f(*, buf, **k):
        buf[0] = x[0] * k["s"]
        return buf

    b = np.zeros(2)
    f(buf=b, s=x[1])
    return b.sum()


@program(X)
def nan_cmp(x):
    y = np.where(np.isnan(x), 0, x)
    return np.nan_to_num(y).sum()


@program(X)
def np_max_builtin(x):
    return max(x.max(), 2.0) * min(x[0], 9) + max(0.0, x[1])


@program(X)
def errst(x):
    try:
        with np.errstate(divide="raise"):
            y = x / np.array([0.0, 1.0, 1.0])
    except FloatingPointError:
        y = x * 3
    return y.sum()


@program(X)
def boolidx(x):
    m = np.zeros(3, bool)
    m[1] = x[1] > 1
    return x[m].sum() * x[~m].sum()


@program(X)
def emp(x):
    e = np.array([])
    return x.sum() + e.sum() + np.concatenate([e, x]).prod()
