"""Programs that write, in a `try` which may fail later, into what they have made in it."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _fail(k):
    """Fail in the second trip of a loop."""
    return 6 // (k - 1)


@program("v")
def array_of_zeros(x):
    total = 0.0
    for k in range(3):
        try:
            v = np.zeros(3)
            v[k] = x[k]
            v += x[:3]
            _fail(k)
            total = total + np.sum(v * v)
        except ZeroDivisionError:
            total = total * x[0]
    return total


@program("v")
def part_of_what_was_made(x):
    total = 0.0
    for k in range(3):
        try:
            v = np.outer(x, x)
            row = v[k]
            row *= x[k]
            first, last = v[0], v[-1]
            first[...] = last + row
            _fail(k)
            total = total + np.sum(v)
        except ZeroDivisionError:
            total = total * x[0]
    return total


@program("v")
def comprehension_made_an_array(x):
    total = 1.0
    for k in range(3):
        try:
            t = np.array([v + 0.3 * v for v in x]) * 1.0
            t[1:] += t[:-1]
            t[::-1] *= x[k]
            _fail(k)
            total = total * np.sum(t * x)
        except ZeroDivisionError:
            total = total + x[0]
    return total


@program("v")
def views_listed(x):
    total = 1.0
    for k in range(3):
        try:
            parts = [x[i : i + 2] for i in range(2)]
            y = sum(part.sum() * part[0] for part in parts)
            _fail(k)
            total = total * y
        except ZeroDivisionError:
            total = total + x[0]
    return total


@program("v")
def dict_filled(x):
    total = 1.0
    for k in range(3):
        try:
            d = {}
            for j in range(2):
                d[f"w{j}"] = x * (j + 0.5)
            d["w0"] = d["w1"] + d["w0"]
            _fail(k)
            total = total * np.sum(d["w0"] * d["w1"])
        except ZeroDivisionError:
            total = total + x[0]
    return total


@program("v")
def rows_written(x):
    try:
        rows = [x * 1.0 for _ in range(2)]
        for row in rows:
            row *= x[1]
        _fail(3)
        s = rows[0] @ rows[1]
    except ZeroDivisionError:
        s = x @ x
    return s


@program("v")
def list_of_another_length_after_a_failure(x):
    y = []
    for k in range(3):
        try:
            items = []
            items.append(x[k] * 2.0)
            if k > 0:
                items.append(x[k] * x[k])
            _fail(k)
        except ZeroDivisionError:
            items = [x[0]]
        y.append(items[0])
        y.append(items[-1])
    return sum(y[i] * y[i + 1] for i in range(len(y) - 1))


@program("v")
def array_of_another_shape_after_a_failure(x):
    y = 0.0
    for k in range(3):
        try:
            c = np.zeros(k + 1)
            c[0] = x[k]
            c[:] += x[: k + 1]
            _fail(k)
        except ZeroDivisionError:
            c = x * 1.0
        y = y + np.sum(c * c)
        c[0] = 2.0
        y = y * np.sum(c)
    return y


@program("v")
def written_last_on_both_paths(x):
    c = x * 1.0
    try:
        if x[0] > 0.2:
            c *= 2.0
        else:
            c[0] = x[1]
    except KeyError:
        c *= 0.9
    return np.sum(c * c)


@program("v")
def other_memory_by_the_same_name_before(x):
    c = x * 1.0
    for k in range(3):
        v = c
        try:
            v[0] = x[1] * 2.0
            _fail(k)
            v = x * 2.0
            v[0] = x[1]
        except ZeroDivisionError:
            v = x
        c = c + v * x
    return np.sum(c * c)


@program("v")
def store_before_the_name_is_made_anew(x):
    total = 0.0
    for k in range(3):
        c, y = x * 1.0, x * 3.0
        try:
            c[0] = y[1] * 2.0
            _fail(k)
            c = y * 2.0
        except ZeroDivisionError:
            pass
        total = total + np.sum(c * c)
    return total


@program("v")
def views_of_memory_from_before(x):
    total = 0.0
    for k in range(3):
        c = x * 1.0
        try:
            v = np.asarray(c)
            w = c if k > 5 else v
            u = np.reshape(c, (len(x),))
            v[0] = 2.0 * x[1]
            w[1] = 2.0 * x[2]
            u[2] = 2.0 * x[0]
            _fail(k)
            t = np.sum(v)
        except ZeroDivisionError:
            t = 1.0
        total = total + t * np.sum(c * c)
    return total


@program("v")
def array_from_before_in_a_list(x):
    y = x * 1.0
    s = y @ x
    for k in range(2):
        try:
            rows = [y, x * 1.0]
            for row in rows:
                row *= 2.0
            _fail(k)
            s = rows[0] @ rows[1]
        except ZeroDivisionError:
            pass
    return s + np.sum(y * y)


@program("v")
def array_from_before_in_a_joined_list(x):
    rows = [x * 1.0, x * 2.0]
    t = 1.0
    for k in range(2):
        try:
            both = [*rows, x * 3.0]
            for row in both:
                row *= x
            _fail(k)
            t = np.sum(both[0] * both[2])
        except ZeroDivisionError:
            t = t * 2.0
    return t * np.sum(rows[0] * rows[1])


@program("v")
def name_of_new_and_of_old_memory_in_turn(x):
    c = x * 1.0
    t = 1.0
    try:
        v = x * 1.0
        for k in range(3):
            v[k] = x[0] * x[1]
            _fail(k)
            v = c
    except ZeroDivisionError:
        t = x[0]
    return t * np.sum(c * c)


@program("v")
def list_from_before_that_grows(x):
    y = []
    for k in range(3):
        try:
            y.append(x[k] * 2.0)
            _fail(k)
            y.append(x[k])
        except ZeroDivisionError:
            y.append(x[0])
    return y[0] * y[1] + y[2] * y[3]


@program("v")
def list_that_is_read_half_way(x):
    y = []
    for k in range(3):
        try:
            items = []
            items.append(x[k] * 2.0)
            _fail(k)
            items.append(x[k] * x[k])
        except ZeroDivisionError:
            y.append(x[0])
        y.append(items[0])
        y.append(items[-1])
    return sum(y[i] * y[i + 1] for i in range(len(y) - 1))
