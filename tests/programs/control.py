"""Programs of loops and branches: nested, of no trips, with names bound on one path."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def test_of_an_array_that_is_written_in_its_branches(x):
    u = np.array([x[0] + 3.0])
    y = u * 2.0 if u > 0.0 else u * 3.0
    if u > 0.0:
        z = y * 2.0
    else:
        z = y * 5.0
    u[0] = -5.0
    return np.sum(z) + np.sum(x * u)


@program("v")
def bound_on_one_path(x):
    if len(x) > 2:
        z = x * 2.0
    y = z * z if len(x) > 2 else x
    return np.sum(y)


@program("v")
def bound_by_the_first_trip(x):
    for i in range(3):
        if i == 0:
            z = x[i]
        else:
            z = z * x[i]
    return z


@program("v")
def iterable_rebound_in_its_loop(x):
    u = x
    total = 0.0
    for e in u:
        u = u * 2.0
        total += e * e
    return total + np.sum(u)


@program("v")
def limit_rebound_in_its_loop(x):
    u = x * 1.0
    total = 0.0
    n = 3
    for i in range(n):
        n = n + 1
        total += u[i]
    return total * n


@program("v")
def counter_rebound_in_its_loop(x):
    total = 0.0
    for i in range(3):
        i = i + 1
        total += x[i] ** 2
    return total * i


@program("v")
def element_rebound_in_its_loop(x):
    total = 0.0
    for e in x:
        e = e * e
        total += e * e
    return total * e


@program("v")
def swap_in_a_loop(x):
    a = np.sin(x)
    b = np.cos(x) * x
    for _ in range(3):
        a, b = b, a
    return np.sum(a * np.arange(4.0))


@program("v")
def rotation_of_three_in_a_loop(x):
    a = np.sin(x)
    b = np.cos(x) * x
    c = x * x
    for i in range(4):
        a, b, c = b, c + a * i, a
    return np.sum(a * np.arange(4.0)) + np.sum(b * c)


@program("s", "s")
def while_in_a_loop(s, t):
    for _ in range(3):
        count = 0
        while count < 3 and t < 5.0:
            s += s
            count += 1
        t = t + s * 0.01
    return s * t


@program("s")
def while_of_several_variables(x):
    a, b, i = x, 1.0, 0
    while a < 50.0 and i < 10:
        a, b = a * x + b, b + a * 0.1
        i += 1
    return a * b


@program("v")
def loops_with_counts_of_data(x):
    total = 0.0
    for i in range(len(x)):
        k = 0
        y = x[i]
        while y * y > 0.1 and k < 4:
            y = 0.5 * y
            k += 1
        if k > 1:
            total = total + y * k
        else:
            total = total * (1.0 + y)
    return total


@program("v")
def loop_backwards_by_steps(x):
    total = 1.0
    for i in range(3, -1, -2):
        total = total * np.sin(x[i]) + x[i - 1]
    for v in reversed(x):
        total = total + v * total
    return total


@program("v")
def conditional_expressions_nested(x):
    inner = x[2] * x[3] if x[2] > 0 else x[0]
    return (x[0] if x[1] > 0 else inner) * x[0] + (x[1] if inner > 1 else inner**2)


@program("v")
def branches_in_branches(x):
    y = np.sum(x)
    if y > 0:
        z = y * y
        if z > 1:
            w = z * x[0]
        else:
            w = -z
            y = w * w
    else:
        z = y
        w = np.exp(y)
    return y * z * w


@program("v")
def early_returns_in_branches(x):
    y = np.sum(x * x)
    if y > 100.0:
        return y
    if x[0] > 0:
        z = y * x[0]
        if z > 50.0:
            return z
    else:
        z = -y
    return z * y


@program("v")
def shadowed_builtins(x):
    sum = 0.0
    max = len(x)
    for i in range(max):
        sum = sum + x[i] ** 2
    list = sum * x
    return np.sum(list)


@program("v")
def where_chooses_a_number(x):
    y = np.where(x > 0.1, np.sum(x), 0.3)
    return np.sum(np.sin(y) * np.arange(4.0))


@program("s")
def number_clipped_by_arrays(s):
    bounds = np.linspace(0.0, 3.0, 4)
    return np.sum(np.sin(np.clip(s, bounds - 1.1, bounds)) * bounds)


@program("v")
def array_rebound_to_its_own_slice(x):
    u = np.sin(x)
    for _ in range(3):
        u = u[::-1]
    for _ in range(2):
        u = u[1:]
    return np.sum(u * np.arange(2.0))


@program("v")
def tolerance_that_the_test_alone_reads(x):
    y = x * 1.0
    change = 1.0
    trips = 0
    while change > 1e-3 and trips < 4:
        following = np.tanh(0.5 * y + np.hypot(x, 5.0))
        change = np.max(np.abs(following - y))
        y = following
        trips += 1
    return np.sum(y**2 * trips)


@program("v")
def flag_that_the_test_alone_reads(x):
    going = True
    total, i = x[0], 0
    while going:
        total = total * x[i % 3] + 1.0
        i = i + 1
        going = i < 3
    return total


@program("v")
def bounds_that_the_test_alone_reads(x):
    width, total = 2.0, 0.0
    for i in range(2):
        inner = 0
        while width > 0.3 and inner < 2:
            total = total + x[i] * x[i] * (inner + 1.0)
            inner += 1
            width = width * 0.5 if x[i] > 0.5 else width * 0.4
        width = width + 1.0
    return total


@program("v")
def last_trip_of_a_loop_that_failed(x):
    v, total = x[0], 0.0
    try:
        for i in range(len(x) + 2):
            v = x[i] * 2.0
    except IndexError:
        total = v * v
    return total
