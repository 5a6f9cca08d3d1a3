"""Functions that NumPy calls: on elements, on places, on rows, on pieces."""

from __future__ import annotations

import operator

import numpy as np
from scipy import signal

from tests.programs.corpus import program


@program("v")
def from_function(x):
    return np.sum(np.fromfunction(lambda i, j: x[0] * i + x[1] * j * i, (2, 3)) ** 2)


@program("v")
def from_iter(x):
    return np.sum(np.fromiter((v * v for v in x), float) ** 2)


@program("v")
def from_iter_of_so_many(x):
    n = len(x)
    first = np.fromiter((v * v for v in x if v > -1.0), float, count=3)
    every = np.fromiter((x[i] ** 3 for i in range(n)), float, n)
    return np.sum(first) * np.sum(every) + np.sum(np.fromiter(map(np.sin, x), float, -1))


@program("v")
def from_iter_count(x):
    return np.sum(np.fromiter((v * v for v in x), dtype=float, count=4) ** 2)


@program("v")
def vect_types(x):
    f = np.vectorize(lambda v, w: v * np.sin(w) if v > 0.5 else v, otypes=[float])
    return np.sum(f(x, x * 2))


@program("v")
def vect_d(x):
    f = np.vectorize(lambda v: v * v if v > 0.5 else v, otypes="d")
    return np.sum(f(x))


@program("v")
def vect_list(x):
    f = np.vectorize(lambda v: v * v if v > 0.5 else v, otypes=[np.float64])
    return np.sum(f(x) * x)


@program("v")
def piecewise(x):
    return np.sum(
        np.piecewise(x, [x < 0.5, x > 1.0], [lambda v: v * v, lambda v: v**3, lambda v: v * 2])
    )


@program("v")
def piecewise_extra(x):
    return np.sum(np.piecewise(x, [x < 0.5, x >= 0.5], [lambda v, k: v * v * k, 2.0], 3.0))


@program("v")
def op_add(x):
    return np.sum(operator.mul(operator.add(x, 1.0), operator.sub(x, x[0])))


@program("v")
def add_type(x):
    return np.sum(np.add(x, x[0], dtype=float) ** 2)


@program("v")
def multiply_type(x):
    return np.sum(np.multiply(x, x, dtype=np.float64) ** 2)


@program("v")
def square_with_options_that_ask_for_nothing(x):
    return np.sum(np.square(x, dtype=None, out=None, where=True) * np.exp(x, out=None))


@program("v")
def multiply_in_the_type_of_another(x):
    kind = x.dtype
    return np.sum(np.multiply(x, x[0], dtype=kind) * np.add(x, 0.5, dtype=np.result_type(x, 1.0)))


def _shifted(v, kind=np.float64):
    v = np.add(v, 0.5, dtype=kind)
    v *= kind(2.0)
    return v


@program("v")
def add_in_a_type_that_is_given(x):
    y = x * 1.5
    return np.sum(_shifted(y) * _shifted(y, np.double) * y)


@program("v")
def poly1(x):
    p = np.poly1d(x)
    return p(1.3) * p(x[0])


@program("v")
def polyn(x):
    p = np.polynomial.Polynomial(x)
    return p(1.3) * p(x[0])


OUT = np.vectorize(lambda v, w: v * w if v > w else v - w)


@program("v")
def vect_outside(x):
    return np.sum(OUT(x, 0.6) ** 2)


FROMPY = np.frompyfunc(lambda v: v**2, 1, 1)


@program("v", by="refused")
def frompy_outside(x):
    return np.sum(FROMPY(x))


@program("m")
def along_axis(m):
    return np.sum(np.apply_along_axis(lambda r: r * np.sum(r), 1, m) ** 2)


@program("m")
def over_axes(m):
    return np.sum(np.apply_over_axes(np.sum, m * m, [0, 1]) * m)


@program("v", "s")
def frequencies_of_a_distance(x, d):
    shifted = np.fft.fftshift(np.fft.fftfreq(4, 1 / d))[1:]
    return np.sum(shifted * x[1:] ** 2) + np.sum(np.fft.rfftfreq(4, d=d) * x[:3])


@program(("v", 12))
def peaks_of_a_signal(x):
    places, properties = signal.find_peaks(x, height=-5.0, prominence=0.0)
    lows = signal.argrelmin(x)[0]
    rises = properties["prominences"] * properties["peak_heights"]
    return np.sum(rises * x[places]) + np.sum(x[lows] ** 2)


@program(("v", 12))
def peaks_far_from_each_other(x):
    places, _ = signal.find_peaks(x, distance=2)
    heights, left, _ = signal.peak_prominences(x, places)
    return np.sum(heights * x[left]) + np.sum(np.diff(places)) * x[0]
