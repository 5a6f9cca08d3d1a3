"""Programs that leave loops, functions and blocks in every way Python has."""

from __future__ import annotations

import contextlib
import math

import numpy as np

from tests.programs.corpus import program

LIMIT = 2.5


@program("v")
def break_at_a_threshold(x):
    total = 0.0
    for value in x:
        total = total + value * value
        if total > LIMIT:
            break
    return total * x[0]


@program("v")
def break_before_anything(x):
    total = x[0] * 2.0
    for i in range(4):
        if i == 0:
            break
        total = total * x[i]
    return total


@program("v")
def continue_past_negatives(x):
    total = 1.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        total = total * (1.0 + x[i])
    return total


@program("v")
def break_and_continue_together(x):
    total = 0.0
    product = 1.0
    for i in range(10):
        k = i % 4
        if k == 1:
            continue
        total = total + x[k] * product
        if i > 5:
            break
        product = product * (0.5 + 0.1 * total)
    return total * product


@program("v")
def break_from_the_inner_loop_only(x):
    total = 0.0
    for i in range(4):
        for j in range(4):
            if j > i:
                break
            total = total + x[i] * x[j] * (j + 1)
    return total


@program("v")
def else_after_a_full_loop(x):
    y = x[0]
    for i in range(1, 4):
        y = y * x[i]
        if y > 1e6:
            break
    else:
        y = y * y
    return y


@program("v")
def else_that_is_left_out(x):
    y = x[0] * x[1]
    for i in range(4):
        y = y + x[i] ** 2
        if i == 2:
            break
    else:
        y = y * 100.0
    return y * x[3]


@program("s")
def while_true_until_converged(a):
    x = a
    while True:
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-12:
            break
        x = new
    return x * x * x


@program("s")
def while_with_an_else(a):
    x, n = a, 0
    while n < 4:
        x = math.sin(x) + a * 0.1
        n += 1
        if x < -5.0:
            break
    else:
        x = x * a
    return x


@program("v")
def return_from_a_loop(x):
    total = 0.0
    for i in range(4):
        total = total + x[i] * x[i]
        if total > 1.0:
            return total * x[i]
    return -total


@program("v")
def return_from_nested_loops(x):
    total = 1.0
    for i in range(4):
        for j in range(4):
            total = total + 0.2 * x[i] * x[j]
            if i + j == 4:
                return total**2
    return total


@program("v", "s")
def return_from_a_while_in_a_for(x, s):
    y = s
    for value in x:
        k = 0
        while k < 3:
            y = y + 0.3 * value * y
            if y > 1.8:
                return y * value
            k += 1
    return y


def _first_large(x, bound):
    for value in x:
        if value * value > bound:
            return value
    return x[-1] * 0.5


@program("v")
def helper_that_returns_from_a_loop(x):
    return _first_large(x, 0.3) * _first_large(x * 2.0, 50.0)


@program("v")
def exception_not_raised(x):
    try:
        y = np.sum(x * x)
    except ZeroDivisionError:
        y = 0.0
    return y * y


@program("v")
def finally_after_a_return(x):
    y = np.sum(x * x)
    try:
        if y > 0.0:
            return y * x[0]
        y = y * 2.0
    finally:
        y = 0.0
    return y


@program("v")
def finally_and_else(x):
    y = x * 2.0
    try:
        z = y * x
    except ValueError:
        z = x
    else:
        z = z * z
    finally:
        y = y + 1.0
    return np.sum(z * y)


@program("v")
def exception_ends_a_loop(x):
    values = [1.0, 2.0]
    total = 0.0
    try:
        for i in range(4):
            total = total + x[i] * values[i]
    except IndexError:
        total = total * x[3]
    return total


def _guarded(a):
    if a > 100.0:
        raise ValueError("too large")
    return a * a


@program("s")
def exception_of_a_helper(a):
    try:
        y = _guarded(a * 1000.0)
    except ValueError:
        y = _guarded(a)
    return y * a


@program("v")
def block_with_errstate(x):
    y = x * x
    with np.errstate(divide="ignore", invalid="ignore"):
        y = y * np.exp(-y)
        z = y / (1.0 + y)
    return np.sum(z)


@contextlib.contextmanager
def _logged(log):
    log.append("in")
    try:
        yield 2.0
    finally:
        log.append("out")


@program("v")
def context_manager_with_a_value(x):
    log = []
    with _logged(log) as factor:
        y = x * factor
    return np.sum(y * y) * len(log)


@program("v", "n")
def match_on_a_number(x, n):
    match n:
        case 0:
            y = x
        case 1 | 2:
            y = x * x
        case k if k > 2:
            y = x**k
        case _:
            y = -x
    return np.sum(y)


@program("t")
def match_on_structure(pair):
    match pair:
        case (a, b):
            y = a * b
        case _:
            y = pair[0]
    return np.sum(y * y)


@program("v")
def walrus_in_a_condition(x):
    if (total := np.sum(x * x)) > 1.0:
        return total * total
    return total


@program("s")
def walrus_in_a_while(a):
    y = a
    while (y := 0.5 * y + 0.1 * a) > 0.35 * a:
        pass
    return y * y


@program("v")
def raise_that_is_not_reached(x):
    if x.ndim != 1:
        raise TypeError("a vector, please")
    assert len(x) == 4, "four of them"
    return np.sum(x**3)


@program("v")
def deleted_names(x):
    y = x * x
    z = y * x
    del y
    y = z + 1.0
    return np.sum(y * z)


@program("v")
def short_circuits(x):
    total = np.sum(x)
    if len(x) > 3 and x[3] ** 2 < 100.0 or x[5] > 0:
        total = total * x[3]
    if not (total > 50.0 or total < -50.0) and 0 < len(x) <= 4:
        total = total * total
    return total


@program("v")
def pass_and_constant_branches(x):
    y = x
    if False:
        y = y * 100.0
    elif __debug__:
        pass
    for _ in ():
        y = y * 3.0
    while 0:
        y = y * 5.0
    return np.sum(y * y)


@program("v")
def flag_carried_out_of_a_loop(x):
    found = False
    best = x[0]
    for i in range(1, 4):
        if x[i] > best:
            best = x[i]
            found = True
    return best * best if found else -best


@program("s")
def exception_raised_and_caught(a):
    b = a * a
    try:
        c = b / (a - a)
    except ZeroDivisionError:
        c = 3.0 * b
    return c * a


@program("s")
def path_cut_by_an_exception(a):
    y = a
    try:
        y = y * a
        math.sqrt(-1.0 - y)
        y = y * 100.0
    except ValueError:
        y = y + a
    return y * y


@program("s", "v")
def suppressed_exception(a, x):
    y = a * a
    with contextlib.suppress(ZeroDivisionError):
        y = y * 3.0
        y = y / 0
        y = y * 1000.0
    return y * x[1]


@program("v")
def sum_up_to_the_first_large_one(x):
    total = 0.0
    for k in range(2):
        for i in range(len(x)):
            if x[i] > 0.5 + 0.1 * k:
                for j in range(i):
                    total = total + x[j] * x[i]
                break
            if x[i] < -2.5:
                total = total - x[i] ** 2
                break
    return total


def _crossing(a, b):
    if a > 1e3:
        return None
    if b > 1e3:
        return None
    if a == b:
        return None
    return a * b, a - b


@program("v")
def pair_or_nothing(x):
    found = _crossing(x[0], x[1])
    if found is None:
        return x[0]
    return found[0] * found[1]


def _products(x):
    if x[0] > 1e3:
        return None
    if x[1] > 1e3:
        return None
    if x[2] > 1e3:
        return None
    return x[0] * x[1], x[2] * x[3]


@program("v")
def nothing_on_most_ways(x):
    a, b = _products(x)
    return a * b
