"""Programs in which an adjoint of equal entries waits while its number is bound anew."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def sum_beside_a_product_with_an_element(x):
    total = 0.0
    y = x * 1.0
    k = 0
    while k < 3:
        y = y * x
        z = y
        total = total * z[0] + np.sum(z)
        k += 1
    return total


@program("v")
def in_an_attempt_with_last_steps(x):
    total = 0.0
    log = [0, 0]
    try:
        y_2 = x * 1.0
        while log[0] < 3:
            y_2 = y_2 * x
            y = y_2
            total = total * y[0] + np.sum(y)
            log[0] += 1
    finally:
        log[1] = 7
    return total * 7.0


@program("v")
def two_that_take_turns(x):
    t = x[0]
    s = x[1] * 2.0
    for k in range(3):
        z = x * t
        s = s * z[1] + np.sum(z) - t
        t = t + s
    return s * t


@program("v")
def mean_beside_a_sum(x):
    total = 1.0
    z = x * x
    for k in range(3):
        w = z * total
        total = total * w[0] + np.sum(w) + np.mean(w) * total
    return total


@program("v")
def exchanged(x):
    a, b = x[0], x[1]
    for k in range(4):
        y = x * a
        a, b = b * y[2], a + np.sum(y)
    return a * b


@program("v")
def in_branches(x):
    total = 0.0
    k = 0
    while k < 3:
        y = x * (k + 1)
        if y[0] > 0:
            total = total * y[1] + np.sum(y)
        else:
            total = total * total + np.max(y) + np.sum(y * y)
        k += 1
    return total
