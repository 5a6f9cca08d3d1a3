"""NumPy's functions over views, pieces and conversions, and numbers of statistics."""

import numpy as np

from tests.tape.programs.corpus import program

X = np.array([0.5, 1.5, 2.5])


@program(X)
def object_array_of_nones(x):
    a = np.array([None] * 3, dtype=object)
    for i in range(3):
        a[i] = x[i] * x[0]
    b = a * 2
    return b.sum() + a[1]


@program(X)
def trapz(x):
    return (
        np.trapezoid(x, [0.0, 1.0, 3.0])
        + np.interp([0.3, 0.7], [0.0, 1.0, 2.0], x).sum()
        + np.gradient(x)[0]
        + np.convolve(x, [1.0, 2.0]).sum()
    )


@program(X)
def fft(x):
    return (np.abs(np.fft.rfft(x)) ** 2).sum() + np.fft.ifft(np.fft.fft(x)).real[0]


@program(X)
def lstsq(x):
    A = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [2.0, 1.0, 1.0]])
    r = np.linalg.lstsq(A.T @ A + np.diag(x), np.ones(3), rcond=None)[0]
    return r.sum()


@program(X)
def complexbuf(x):
    z = np.zeros(3, dtype=complex)
    z += x
    z *= 1j
    z[0] = x[1]
    return (z * z.conj()).real.sum() + abs(z[2])


@program(X)
def statsm(x):
    return (
        np.std(x)
        + np.var(x, ddof=1)
        + np.median(x)
        + np.percentile(x, 30)
        + np.cov(np.stack([x, x * x]))[0, 1]
        + np.average(x, weights=[1.0, 2.0, 3.0])
    )


@program(X)
def sel(x):
    return (
        np.select([x < 1, x < 2], [x * x, x * 3], 0.0).sum()
        + np.clip(x, 1, 2).sum()
        + np.minimum(x, 2).sum()
        + np.abs(x - 1).sum()
    )


@program(X)
def histo(x):
    return (
        np.bincount([0, 1, 0], weights=x)[0] * 2
        + np.histogram([1.0, 2.0, 3.0], bins=3, weights=x)[0][1]
    )


@program(X)
def tri(x):
    return (
        np.tril(np.outer(x, x)).sum()
        + np.triu(np.outer(x, x), 1)[0].sum()
        + np.trace(np.outer(x, x))
        + np.kron(x, x).sum()
        + np.cross(x, [1.0, 2.0, 3.0]).sum()
    )


@program(X)
def rot(x):
    return (
        np.rot90(np.outer(x, [1.0, 2.0]))[0].sum()
        + np.roll(x, 1)[0] * x[0]
        + np.flip(x)[0]
        + np.tile(x, 2)[4]
        + np.repeat(x, [1, 0, 2]).sum()
    )


@program(X)
def split(x):
    a, b = np.split(x, [1])
    c = np.array_split(x, 2)[0]
    d = np.hsplit(np.outer(x, x), 3)[1]
    return a.sum() * b.sum() + c.sum() + d.sum()


@program(X)
def splitw(x):
    y = x * 1
    a, b = np.split(y, [1])
    b *= 2
    return y.sum() + (a * b).sum()


@program(X)
def unpackw(x):
    A = np.outer(x, x)
    r0, r1, r2 = A
    r1 *= 3
    a, b, c = A.T
    a += 1
    return (A * A).sum()


@program(X)
def moveax(x):
    A = np.outer(x, x).reshape(3, 3, 1)
    B = np.moveaxis(A, 2, 0)
    B[0, 1] = 5
    C = np.expand_dims(x * 1, 0)
    C[0, 0] = x[2]
    return A.sum() + C.prod()


@program(X)
def at_least(x):
    y = x * 1
    z = np.atleast_2d(y)
    z[0, 0] = 9
    w = np.squeeze(z)
    w[1] *= 2
    return (y * x).sum()


@program(X)
def bro(x):
    y = x * 1
    a, b = np.broadcast_arrays(y, np.ones((2, 3)))
    return (a * b).sum()


@program(X)
def swapin(x):
    y = np.outer(x, x)
    z = np.swapaxes(y, 0, 1)
    z[0] = x
    v = y.T
    v[1] += z[0]
    return (y * y).sum()


@program(X)
def asf(x):
    y = np.outer(x, x)
    z = np.asfortranarray(y)
    z[0] = 7
    w = np.ascontiguousarray(y)
    w[1] = 3
    return y.sum() + z.sum() * 1


@program(X)
def copyk(x):
    y = x * 1
    z = np.array(y, copy=None)
    z[0] = 4
    w = np.array(y, dtype=float, copy=True)
    w[1] = 9
    v = y.astype(float, copy=False)
    v[2] = 3
    return (y * x).sum() + w.sum()


@program(X)
def nan2(x):
    y = x * 1
    np.nan_to_num(y, copy=False)
    z = np.negative(y, out=y)
    return (z * x).sum()


@program(X)
def empty_loops(x):
    s = 0.0
    for v in x[:0]:
        s += v
    return s + np.sum(x[:0]) + x[1] * len(x[5:]) + x[0]
