"""Blocks that look at adjoints, or edit them without effect."""

from __future__ import annotations

import numpy as np

import srcgrad as sg
from tests.programs.corpus import program

GRADS = []


@program("v")
def watched(x):
    y = np.sin(x) * 2.0
    with sg.grad_of(y) as gy:
        GRADS.append(gy.copy())
    return np.sum(y**2)


@program("v")
def watched_norm(x):
    y = np.sin(x) * x
    z = y * y
    with sg.grad_of(z) as gz:
        n = np.linalg.norm(gz)
        if n > 1e6:
            gz *= 1e6 / n
    return np.sum(z * x)


@program("v")
def watched_in_loop(x):
    y = x
    for i in range(3):
        y = np.sin(y) * x
        with sg.grad_of(y) as gy:
            GRADS.append(float(np.sum(gy)) + i)
    return np.sum(y)


@program("v")
def watched_reads(x):
    y = np.exp(x)
    w = y * 3
    with sg.grad_of(y) as gy:
        GRADS.append(np.sum(gy * w))
        scale = 1.0
        gy *= scale
    w = w + 1
    return np.sum(y * w)


@program("v")
def watched_number(x):
    s = np.sum(x * x)
    with sg.grad_of(s) as gs:
        GRADS.append(gs)
    return s**2


@program("v")
def watched_rebound(x):
    y = x * x
    with sg.grad_of(y) as gy:
        gy = gy * 1.0
    return np.sum(np.sin(y))


@program("v")
def watched_loop_inside(x):
    y = x * x
    with sg.grad_of(y) as gy:
        for i in range(4):
            gy[i] = gy[i] * 1.0
        print(len(gy), end="")
    return np.sum(np.sin(y))


@program("v")
def watched_idle(x):
    y = x * x
    with sg.grad_of(y) as gy:
        gy *= 0.0
    return np.sum(x)


@program("v")
def watched_argument(x):
    with sg.grad_of(x) as gx:
        gx[...] = gx * 1.0
    return np.sum(x**3)


@program("v")
def watched_helper(x):
    y = _wh(x)
    return np.sum(y * x)


def _wh(x):
    y = np.tanh(x)
    with sg.grad_of(y) as gy:
        GRADS.append(gy.copy())
    for i in range(2):
        y = y * x
    return y


@program("v")
def watched_overwritten(x):
    y = x * 2
    k = np.ones(4)
    with sg.grad_of(y) as gy:
        GRADS.append(gy * k)
    k[0] = 5.0
    return np.sum(y * k)


def _two_results(x):
    y = np.sin(x)
    z = y * x
    return z, y * 2.0


@program("v")
def one_of_two_results_watched(x):
    a, b = _two_results(x)
    with sg.grad_of(a) as ga:
        GRADS.append(ga.copy())
    return np.sum(a * b)


def _either_results(x):
    s = 0.0
    for v in x:
        s = s + v * v
    y = x * s
    z = y if s > 1e9 else x * 3.0
    return z, {"y": y}


@program("v", by="tape")
def one_of_results_that_may_share_watched(x):
    a, d = _either_results(x)
    with sg.grad_of(a) as ga:
        GRADS.append(float(np.sum(ga)))
    return np.sum(a * x) + np.sum(d["y"])


@program("v")
def watched_out_of_a_list(x):
    ys = [x * 2.0, np.sin(x)]
    y = ys[1]
    with sg.grad_of(y) as gy:
        GRADS.append(gy.copy())
    return np.sum(y * x)


@program("v")
def watched_out_of_a_stack(x):
    ys = [x * 2.0]
    ys.append(np.sin(x))
    y = ys.pop()
    with sg.grad_of(y) as gy:
        GRADS.append(gy.copy())
    return np.sum(y * x)


@program("v", by="tape")
def watched_after_it_is_kept(x):
    kept, table = [], {}
    y = np.sin(x)
    kept.append(y)
    table["y"] = y
    with sg.grad_of(y) as gy:
        GRADS.append(gy.copy())
    return np.sum(y * x) * len(kept) * len(table)


@program("v")
def watched_with_an_option(x):
    y = np.sin(x)
    with sg.grad_of(y) as gy:
        np.multiply(gy, 1.0, out=gy)
        GRADS.append(gy.max())
    return np.sum(y * x)
