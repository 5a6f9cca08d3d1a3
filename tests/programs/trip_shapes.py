"""Loops whose trips bind a name to values of different shapes, in a `try` or read later."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def list_of_a_try_that_a_flag_tells_of(x):
    total = 0.0
    for j in range(3):
        failed = False
        try:
            steps = []
            for i in range(2 + 2 * j):
                steps.append(x[i] * x[j])
        except IndexError:
            failed = True
        if failed:
            total = total + x[0]
        else:
            for s in steps:
                total = total + s * s
    return total


@program("v")
def list_of_a_try_that_goes_on(x):
    total = 0.0
    for j in range(3):
        try:
            steps = [x[i] * x[j] for i in range(2 + 2 * j)]
        except IndexError:
            continue
        total += sum(steps) * steps[-1]
    return total


@program("v")
def part_of_the_trip_before_if_this_one_fails(x):
    total = 0.0
    for j in range(6):
        try:
            a = x[: j + 1] * x[j]
        except IndexError:
            total = total + x[0]
        total = total + np.sum(a * a)
    return total


@program("v")
def written_part_of_the_trip_before_if_this_one_fails(x):
    total = 0.0
    for j in range(6):
        try:
            a = x[: j + 1] * 1.0
            a[j] *= x[0]
        except IndexError:
            total = total + x[0]
        total = total + np.sum(a * a)
    return total


@program("v")
def last_part_of_a_loop(x):
    total = 0.0
    for j in range(4):
        part = x[: j + 1] * 2.0
        total += np.sum(part * part)
    return total + np.sum(part * x[2])


@program("v")
def last_list_of_a_loop(x):
    total = 0.0
    for j in range(4):
        values = [v * 2.0 for v in x[: j + 1]]
        for v in values:
            total += v * v
    return total + sum(values) * x[2]


@program("v")
def last_part_that_a_mask_chose(x):
    total = 0.0
    for j in range(4):
        chosen = x[x <= x[j]] * x[0]
        total += np.sum(chosen * chosen)
    return total + np.prod(chosen)


@program("v")
def last_part_that_did_not_fail(x):
    total = 0.0
    for j in range(7):
        bad = False
        try:
            y = x[: j + 1] * x[j]
        except IndexError:
            bad = True
        if bad:
            continue
        total += np.sum(y * y)
    return total + np.sum(y * x[2])


@program("v")
def list_of_a_while_that_goes_on(x):
    total = 0.0
    k = 0
    while k < 4:
        try:
            y = [x[k] * v for v in x[: k + 1]]
            z = x[k + 2]
        except IndexError:
            k += 1
            continue
        k += 1
        total += sum(y) * z
    return total
