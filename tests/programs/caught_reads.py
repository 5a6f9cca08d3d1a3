"""Programs with a `try` whose handlers wait for a read of what no path has bound."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def total_returned_if_there_is_one(x):
    if x[0] > 3.0:
        total = np.sum(x * 2.0)
    try:
        return total
    except UnboundLocalError:
        return np.sum(x * x)


@program("v")
def total_returned_if_anything_is_there(x):
    if np.sum(x) > 1e3:
        total = np.sum(x * 2.0)
    try:
        return total
    except Exception:  # noqa: BLE001
        return np.sum(np.sin(x))


@program("v")
def array_summed_if_there_is_one(x):
    if x[0] > 3.0:
        doubled = x * 2.0
    try:
        return np.sum(doubled)
    except NameError:
        return np.sum(x * x)


@program("v")
def last_large_entry_or_the_first(x):
    for i in range(len(x)):
        if x[i] > 0.3:
            last = x[i] * 2.0
    try:
        last = last * 2.0
    except UnboundLocalError:
        last = x[0]
    return last * x[1]


@program("v")
def term_of_all_trips_but_the_first(x):
    total = 0.0
    for i in range(len(x)):
        if i > 0:
            term = total * 2.0
        try:
            total = total + term * x[i]
        except UnboundLocalError:
            total = total + x[0]
    return total * x[1]


@program("v")
def bound_wherever_it_is_tried(x):
    if x[0] > -9.0:
        y = x * 2.0
    if x[0] > -9.0:
        try:
            z = np.exp(y)
        except ValueError:
            z = x
    else:
        z = x * 3.0
    return np.sum(z)
