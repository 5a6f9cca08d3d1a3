"""Programs that leave blocks early: break, continue, return in loops, `else` of loops."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def break_before_the_rest(x):
    total = 0.0
    for v in x:
        if v > 0.5:
            break
        total = total + v * v
    return total


@program("v")
def break_never_taken(x):
    total = 1.0
    for v in x:
        total = total * np.sin(v)
        if total > 100.0:
            break
    return total


@program("v")
def break_at_the_first_trip(x):
    total = np.sum(x)
    for v in x:
        if v < 1e9:
            break
        total = total * v
    return total * total


@program("v")
def break_in_a_loop_without_trips(x):
    total = x[0] * x[1]
    for v in x[:0]:
        if v > 0:
            break
        total = total * v
    return total


@program("v")
def break_with_work_before_it(x):
    total = 0.0
    last = 1.0
    for i in range(len(x)):
        total = total + x[i] ** 2
        if i == 2:
            last = total * x[0]
            total = total * last
            break
        last = last * x[i]
    return total * last


@program("v")
def break_under_two_conditions(x):
    total = 1.0
    for i in range(4):
        if x[i] > 0:
            total = total * x[i]
            if total > 0.5:
                total = total + x[0]
                break
        else:
            total = total - x[i]
        total = total * 1.1
    return total


@program("v")
def break_and_continue_in_one_loop(x):
    total = 0.0
    for i, v in enumerate(x):
        if v < -0.4:
            continue
        total = total + i * v
        if i > 2:
            break
        if v < 0.1:
            total = total * 2.0
            continue
        total = total + v**3
    return total


@program("v")
def continue_in_both_branches(x):
    total = 1.0
    for v in x:
        if v > 0:
            total = total * v
            continue
        elif v > -0.5:  # noqa: RET507
            total = total + v
            continue
        total = total - v * total
    return total


@program("v")
def continue_in_a_while_loop(x):
    i = 0
    total = x[0]
    while i < 4:
        i += 1
        if i % 2 == 0:
            continue
        total = total * x[i - 1] + 1.0
    return total


@program("v")
def break_with_a_long_rest_on_several_paths(x):
    total = 1.0
    for i in range(4):
        if x[i] > 0.3:
            if total > 1.5:
                break
            total = total * 1.5
        elif x[i] < -0.3:
            if total < 0.1:
                continue
            total = total - 0.2
        a = total * x[i]
        b = a + x[0]
        c = b * a
        d = np.sin(c)
        e = d * b
        f = e + a
        g = f * 0.5
        h = g + d
        k = h * 0.9
        total = total + k
    return total


@program("s")
def while_true_with_a_break(s):
    x = s
    count = 0
    while True:
        x = 0.5 * (x + s / x)
        count += 1
        if count > 4:
            break
    return x * s


@program("s")
def while_true_with_a_break_in_its_middle(s):
    x = s
    total = 0.0
    while True:
        x = x * 0.7
        if x < 0.2:
            break
        total = total + x * x
    return total + x


@program("s")
def while_true_that_returns(s):
    x = s
    n = 0
    while True:
        y = np.sin(x) * s
        n += 1
        if n > 5:
            return y * n
        x = y


@program("s")
def while_true_that_returns_from_several_places(s):
    x = s
    while True:
        x = x * 1.3
        if x > 4.0:
            return x * x
        if x < 0.1:
            return -x
        x = x - 0.1 * s


@program("v")
def return_from_a_loop(x):
    for v in x:
        if v > 0.5:
            return v * v * x[0]
    return np.sum(x * x)


@program("v")
def return_from_a_loop_not_taken(x):
    for v in x:
        if v > 1e3:
            return v
    return np.sum(x * x)


@program("v")
def return_from_nested_loops(x):
    for i in range(4):
        for j in range(4):
            if i * j == 2:
                return x[i] * x[j] * np.sum(x)
            if j > i:
                break
        x = x * 1.5
    return np.sum(x)


@program("v")
def return_from_three_nested_loops(x):
    total = 0.0
    for i in range(3):
        total = total + x[i]
        for j in range(3):
            total = total * 1.1 + x[j]
            k = 0
            while True:
                total = total + 0.1 * x[0] * k
                if total > 1.5:
                    return total * x[3]
                if k > i + j:
                    break
                k += 1
    return total


@program("v")
def returns_from_two_loops(x):
    for v in x:
        if v > 2.5:
            return v
    total = 0.0
    for v in x:
        total = total + v * v
        if total > 0.4:
            return total * x[1]
    return -total


@program("v")
def return_inside_a_loop_in_a_branch(x):
    total = np.sum(x * x)
    if total > 0.1:
        for i in range(4):
            total = total * 0.5
            if total < 0.3:
                return total * x[i]
    return total


@program("v")
def loop_else_taken(x):
    total = 0.0
    for v in x:
        if v > 1e3:
            break
        total = total + v
    else:
        total = total * x[0]
    return total


@program("v")
def loop_else_passed_over(x):
    total = 1.0
    for v in x:
        total = total + v * v
        if total > 1.1:
            total = total * 3.0
            break
    else:
        total = total * x[0]
    return total


@program("s")
def while_else(s):
    x = s
    while x < 6.0:
        x = x * 1.7
        if x > 1e3:
            break
    else:
        x = x - s * s
    return x


@program("s")
def loop_else_without_break(s):
    x = s
    for _ in range(3):
        x = x * s
    else:  # noqa: PLW0120
        x = x + 1.0
    return x


@program("v")
def search_with_else_and_return(x):
    for i in range(4):
        if x[i] > 1e3:
            found = x[i]
            break
    else:
        return np.sum(np.cos(x))
    return found * 2.0


@program("v")
def loop_variables_after_a_break(x):
    total = 0.0
    for i in range(4):
        v = x[i] * 2.0
        if i == 2:
            break
        total += v
    return total * v + i


@program("v")
def loop_variables_after_an_empty_loop(x):
    i = 7
    v = x[3]
    for i in range(0):
        v = x[i]
    return v * i


@program("v")
def range_with_a_step_and_a_break(x):
    total = 1.0
    for i in range(3, -1, -1):
        total = total * np.cos(x[i])
        if total < 0.7:
            break
    return total


@program("v")
def range_with_bounds_and_a_break(x):
    total = 0.0
    for i in range(1, 4):
        if i == 3:
            break
        total = total + i * x[i]
    return total


@program("v", "n")
def negative_range_without_trips(x, n):
    total = np.sum(x)
    for i in range(n, 0):
        total = total * x[i]
        if total > 1.0:
            break
    return total


@program("v")
def break_out_of_the_inner_loop(x):
    total = 0.0
    for i in range(4):
        for j in range(4):
            if j > i:
                break
            total = total + x[i] * x[j] * 0.5
        total = total * 0.9
    return total


@program("v")
def flags_of_the_user(x):
    done = False
    total = 0.0
    for v in x:
        if done:
            continue
        total = total + v
        if total > 0.3:
            done = True
    return total * (2.0 if done else 3.0)


@program("v")
def tuples_returned_from_loops(x):
    a, b = _split_at(x, 0.2)
    return a * b


def _split_at(x, limit):
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * x[i]
        if total > limit:
            return total, x[i]
    return total, 1.0


@program("v")
def helper_that_returns_from_a_loop(x):
    return _first_above(x, 0.1) * _first_above(x, 1e3)


def _first_above(x, limit):
    for v in x:
        if v > limit:
            return np.exp(v)
    return np.sum(x)


@program("v")
def arrays_carried_through_breaks(x):
    u = x * 1.0
    w = np.ones(4)
    for k in range(5):
        u, w = w * 0.5 + x, u
        if k == 3:
            break
        u = np.sin(u)
    return np.sum(u * w)


@program("v")
def elements_written_until_a_break(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] ** 2
        if i == 2:
            break
        y[i] += x[0]
    return np.sum(y * np.arange(4.0))


@program("v")
def early_returns_before_a_long_rest(x):
    total = np.sum(x * x)
    if x[0] > 0:
        if total > 100.0:
            return total
        total = total * 2.0
    else:
        if total > 200.0:
            return -total
        total = total * 3.0
    a = total * x[1]
    b = a + x[0]
    c = b * a
    d = np.sin(c)
    e = d * b
    f = e + a
    g = f * 0.5
    h = g + d
    k = h * 0.9
    return k * total


@program("v")
def raise_in_a_branch(x):
    total = np.sum(x)
    if total > 1e6:
        raise ValueError("too large")
    elif total < -1e6:  # noqa: RET506
        total = total * 1.0
        raise ValueError("too small")
    assert total < 1e5, f"far too large: {total}"
    for v in x:
        if v > 1e6:
            raise ValueError(v)
        total = total * v
    return total


@program("s", "s")
def newton_with_tolerance(a, b):
    x = a
    for _ in range(50):
        step = (x**3 + b * x - a) / (3 * x**2 + b)
        x = x - step
        if abs(step) < 1e-13:
            break
    else:
        raise RuntimeError("did not converge")
    return x


@program("s")
def bisection(a):
    low, high = 0.0 * a, 4.0 + 0.0 * a
    middle = 0.5 * (low + high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        if high - low < 1e-3:
            break
        if middle * middle > 2.0:
            high = middle
        else:
            low = middle
    return middle * a


@program("s", "s")
def adaptive_ode_step(rate, y0):
    t = 0.0
    y = y0
    h = 0.3
    while True:
        if t + h > 1.0:
            h = 1.0 - t
        whole = y + h * rate * np.cos(y)
        half = y + 0.5 * h * rate * np.cos(y)
        twice = half + 0.5 * h * rate * np.cos(half)
        error = abs(twice - whole)
        if error > 0.01:
            h = 0.5 * h
            continue
        t = t + h
        y = 2.0 * twice - whole
        if t >= 1.0 - 1e-12:
            break
        if error < 0.002:
            h = 1.5 * h
    return y


@program("v")
def line_search(x):
    def_rate = 1.0
    gradient = 4.0 * x**3 - x
    start = np.sum(x**4 - 0.5 * x**2)
    new = x
    while def_rate > 1e-6:
        new = x - def_rate * gradient
        value = np.sum(new**4 - 0.5 * new**2)
        if value < start:
            break
        def_rate = def_rate * 0.5
    return np.sum(new * new)


@program("s", "s")
def first_passage(drift, start):
    steps = [0.3, -0.2, 0.5, 0.1, -0.4, 0.7, 0.2, 0.9]
    position = start
    for step in steps:
        before = position
        position = position + drift * 0.1 + step * np.sqrt(drift)
        if position > 2.0:
            return (2.0 - before) / (position - before)
    return position


@program(("m", 3, 3), ("v", 3))
def power_iteration(a, v):
    m = a @ a.T + 3.0 * np.eye(3)
    v = v / np.sqrt(v @ v)
    value = 0.0
    for _ in range(200):
        w = m @ v
        new = v @ w
        v = w / np.sqrt(w @ w)
        if abs(new - value) < 1e-9:
            break
        value = new
    else:
        new = 0.0
    return new


@program("v", "s")
def thinned_sum_with_a_budget(x, price):
    budget = 3.0
    gained = 0.0
    for v in np.sort(x):
        cost = price * np.exp(-v)
        if cost > 2.0:
            continue
        if budget - cost < 0:
            break
        budget = budget - cost
        gained = gained + v * cost
    return gained * budget


@program("v")
def left_out_of_a_try_that_goes_on_after_errors(x):
    best = x[0]
    for k in range(3):
        try:
            scaled = x[k] * 2.0
            inverse = 1.0 / scaled
            if inverse < 1.0:
                best = scaled * inverse * inverse
                break
        except ZeroDivisionError:
            continue
    return best


# -- loops that nobody reads the variables of, or only after a last trip


@program("v")
def a_comprehension_in_a_try_that_fails_at_first(x):
    s = 0.5
    for k in range(3):
        try:
            if k < 2:
                raise ValueError("again")  # noqa: TRY301 - what is tested
            s = s + sum([y * y for y in x])
        except ValueError:
            s = s * x[0]
    return s


@program("v")
def a_loop_in_a_try_that_always_fails(x):
    for _ in range(3):
        try:
            if len(x):
                raise ValueError("again")  # noqa: TRY301 - what is tested
            for y in x:
                z = y * 2.0
        except ValueError:
            z = x[1]
    return z * x[0]


@program("v")
def bound_in_a_loop_and_read_where_it_ran(x):
    n = int(x[0] > 0) * 2
    for i in range(n):
        k = x * (i + 2.0)
    s = np.sum(x)
    if n > 0:
        s = s + np.sum(k * k)
    return s


@program("v")
def bound_in_some_trips_and_read_where_one_was(x):
    for i in range(3):
        if i > 1:
            k = x * 2.0
    for i in range(0):
        late = x * i
    s = np.sum(x)
    if len(x) == 0:
        s = s + np.sum(late)
    return s + np.sum(k * k)


@program("v")
def broken_off_before_the_name_is_bound(x):
    for i in range(4):
        if i == 2:
            break
        last = x[i] * (i + 1)
    return last * i


STEPS = [1.5, 2.5, 0.5]


@program("v")
def search_that_raises_elsewhere(x, strict=False):
    before, now = x[0], x[1]
    for i in range(5):
        new = now - before * 0.5
        if abs(new) < 1e-9:
            return new
        if now > before:
            if abs(new) < 1e-8:
                return new
            if not strict:
                for step in STEPS:
                    new = x[2] * step
                    if new < -100.0:
                        continue
                    if new * before < 0.0:
                        break
            else:
                raise ValueError(new)
        before, now = now, new
        if abs(now) > 1e3 or i == 3:
            return now
    raise ValueError(new)


def _root_between(f, low, high):
    value = f(high)
    for _ in range(6):
        high -= value * (high - low) / (f(high) - f(low) + 3.0)
        value = f(high)
    return high


def _first_step_above(f, start):
    high = start
    for step in STEPS:
        high = step
        if f(high) > 0:
            break
    return _root_between(f, start, high)


@program("v")
def number_of_the_module_that_is_updated(x):
    return _first_step_above(lambda p: p * p - x[0], x[1])


def _newton(f, start, slope=None, args=(), curve=None):
    with_curve = curve == True  # noqa: E712 - as solvers ask that take a function or True
    with_slope = slope == True  # noqa: E712
    if with_curve:
        whole = f
    for _ in range(6):
        if with_curve:
            value, first, second = whole(start, *args)
        elif with_slope:
            value, first = f(start, *args)
        else:
            value, first = f(start, *args), slope(start, *args)
        step = value / first
        start = start - (step / (1.0 - 0.5 * step * second / first) if with_curve else step)
    return start


@program("v")
def solver_that_takes_a_function_or_true(x):
    a = x[0] ** 2 + 1.0
    one = _newton(lambda p, a: (p**3 - a, 3 * p**2), 1.0, slope=True, args=(a,))
    two = _newton(lambda p, a: (p**3 - a, 3 * p**2, 6 * p), 1.0, True, (a,), True)
    return one * two + _newton(lambda p: p * p - x[1] ** 2 - 2.0, 1.0, slope=lambda p: 2 * p)
