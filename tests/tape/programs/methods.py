"""Methods of arrays, functions in tables, classes, and Python's math."""

import contextlib
import math

import numpy as np

from tests.tape.programs.corpus import program

X = np.array([0.5, 1.5, 2.5])
TABLE = {"z": np.zeros}


@program(X)
def put_m(x):
    y = np.zeros(4)
    y.put([0, 1], x[:2])
    y.itemset if False else None
    return (y * y).sum()


@program(X)
def resize(x):
    y = x * 1
    y = np.resize(y, 5)
    return (y * np.arange(5)).sum()


@program(X)
def searchs(x):
    return (
        x.searchsorted(1.0) * x.sum()
        + np.digitize(x, [1, 2]).sum() * x[0]
        + np.searchsorted([0.0, 1.0, 2.0], x).sum() * x[1]
    )


@program(X)
def basea(x):
    y = x * 1
    v = y[1:]
    return v.sum() * 2 if v.base is not None else v.sum()


@program(X)
def flags(x):
    y = x * 1
    y.setflags(write=False)
    try:
        y[0] = 1
    except ValueError:
        return y.sum() * 2
    return y.sum()


@program(X)
def flatit(x):
    y = np.outer(x, x)
    s = 0
    for v in y.flat:
        s += v * v
    y.flat[3] = 7
    y.flat = y.flat[0]
    return s + y.sum()


@program(X)
def viewf(x):
    y = x.view()
    z = y.copy()
    z[0] = 4
    w = x.view(np.ndarray)
    return (z * w).sum()


@program(X)
def swapax(x):
    return np.outer(x, x).swapaxes(0, 1)[0].sum() + x.squeeze().sum() + x.nonzero()[0].sum() * x[0]


@program(2.0)
def pow0(x):
    return x**0 + 0.0**x + x**0.5


@program(2.0)
def fsum(x):
    return (
        math.fsum([x, x * x, 1.0])
        + math.prod([x, 2.0, x])
        + math.dist([x, 1.0], [0.0, x])
        + math.copysign(x, -1)
        + math.fmod(x, 0.7)
    )


@program(0.3)
def mathall(x):
    return (
        math.asin(x)
        + math.acosh(1 + x)
        + math.erf(x)
        + math.gamma(x)
        + math.lgamma(x)
        + math.log1p(x)
        + math.expm1(x)
        + math.degrees(x)
        + math.log(x, 3)
        + math.log2(x)
        + math.cbrt(x)
        + math.exp2(x)
        + math.tan(x)
    )


@program(X)
def mathonel(x):
    return sum((math.sin(v) * math.sqrt(v) for v in x)) + math.exp(x[0]) * math.log(x.sum())


@program(X)
def listmul(x):
    return (
        (x[:2] * [x[1], 2.0]).sum()
        + ([x[0], 1.0] * x[1:]).sum()
        + (np.array([1.0, 2.0]) * [x[0], x[1]]).sum()
    )


@program(X)
def matlist(x):
    return (np.array([[1.0, 2.0], [3.0, 4.0]]) @ [x[0], x[1]]).sum()


@program(X)
def plaindot(x):
    A = np.arange(9.0).reshape(3, 3)
    return (
        A.dot(x).sum() + (A @ x).sum() + A[0].dot(x) + np.linalg.inv(A + np.eye(3) * 9).dot(x).sum()
    )


@program(X)
def plaintake(x):
    A = np.arange(9.0).reshape(3, 3) * 1.5
    b = A * 2
    b[0] = x
    b[1, 1] += x[0]
    return b.sum() + (b.T @ b).trace()


@program(X)
def linbuf(x):
    t = np.linspace(0, 1, 4)
    t[1] = x[0]
    u = np.arange(3.0) / 2
    u *= x
    return t.sum() * u.sum()


@program(X)
def localsnp(x):
    f = np.zeros
    o = f(3)
    o[0] = x[0]
    g = getattr(np, "empty")
    q = g(2)
    q[:] = x[1]
    return o.sum() + q.sum()


@program(X)
def dictfn(x):
    o = TABLE["z"](3)
    o[0] = x[0]
    return o.sum()


@program(X)
def nestedcls(x):

    class A:
        def __init__(self, v):
            self.v = v

        @property
        def sq(self):
            return self.v * self.v

        def __add__(self, o):
            return A(self.v + o.v)

        def __call__(self, k):
            return self.v * k

        def __getitem__(self, i):
            return self.v[i]

        def __len__(self):
            return len(self.v)

        def __iter__(self):
            return iter(self.v)

        def __enter__(self):
            return self

        def __exit__(self, *a):
            pass

    with A(x) as a:
        b = a + A(x * 2)
    return b.sq.sum() + b(3)[0] + sum(b) + b[1] * len(b)


@program(X)
def contextm(x):

    @contextlib.contextmanager
    def cm(v):
        yield (v * 2)

    with cm(x) as y, contextlib.suppress(KeyError):
        return (y * y).sum()


@program(X)
def walk(x):
    st = [x]
    s = 0.0
    while st:
        v = st.pop()
        if len(v) == 1:
            s += v[0] ** 2
        else:
            st += [v[:1], v[1:]]
    return s


@program(X)
def memo_dict(x):
    memo = {}

    def fib(n):
        if n not in memo:
            memo[n] = x[n] if n < 2 else fib(n - 1) * fib(n - 2)
        return memo[n]

    return fib(6)


@program(X)
def setofkeys(x):
    return sum((x[i] for i in {0, 2})) + sum((v for k, v in zip("ab", x) if k in {"a"}))


@program(X)
def isinst(x):
    return x.sum() if isinstance(x, (list, tuple)) else x[0] if isinstance(x[0], int) else x.prod()


@program(2.5)
def floordiv(x):
    return x // 1 * x + x % 1 + -x // 2 * x + int(x) // 2 * x + divmod(x, 1)[0] * x


@program(X)
def flat_of_a_transposed_view(x):
    y = np.outer(x, x)
    row = y.T.flat
    row[1] = x[0] * 7
    y.T.flat[5] = 2.0
    return (y * y).sum() + len(row) * row[2]
