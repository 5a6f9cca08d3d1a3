"""Programs whose `finally` reads what its `try` may have bound."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def finally_reads_the_value_of_before(x):
    y = x * 2.0
    try:
        try:
            y = x[17] * y
        finally:
            y = y * 3.0
    except IndexError:
        y = x * x
    return np.sum(y)


@program("v")
def finally_reads_either_value(x):
    scale = 1.0
    total = 0.0
    for i in (1, 17):
        try:
            try:
                scale = x[i] * 2.0
            finally:
                last = scale * 3.0
                total = total + 1.0
        except IndexError:
            total = total * x[0]
    return total * last * scale


@program("v")
def finally_that_updates_what_its_try_has_bound(x):
    y = x * 1.0
    try:
        y = y * x
    finally:
        y += 1.0
    return np.sum(y * x)


@program("v")
def finally_counts_what_was_done(x):
    done = 0
    try:
        for i in range(3):
            done = i + 1
    finally:
        weight = done * 2.0
    return np.sum(x * x) * weight


@program("v")
def finally_reads_of_a_body_with_branches(x):
    kind = 1.0
    try:
        if x[0] > -100.0:
            kind = 2.0 * x[1]
        y = x[0] * kind
    finally:
        scale = kind * x[2]
    return y * scale
