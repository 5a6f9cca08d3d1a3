"""Nested functions, lambdas and closures: what is captured is read when the call comes."""

from __future__ import annotations

import functools

import numpy as np

from tests.programs.corpus import program

GAIN = 1.5


@program("v", "s")
def nested_function(x, k):
    def scaled(v):
        return k * np.sin(v)

    return np.sum(scaled(x) * scaled(2.0 * x))


@program("v")
def lambda_in_place(x):
    square = lambda v: v * v  # noqa: E731
    return np.sum(square(x)) + np.sum(square(np.sin(x)))


@program("v")
def lambda_called_at_once(x):
    return (lambda u, w=2.0: np.sum(u * u) * w)(np.cos(x))  # noqa: PLC3002


@program("v", "s")
def captured_value_changes_before_the_call(x, k):
    def scaled(v):
        return c * v

    c = k
    first = np.sum(scaled(x))
    c = k * k
    return first + np.sum(scaled(x * x))


@program("v", "s")
def captured_value_changes_in_a_loop(x, k):
    step = lambda u: u + 0.1 * a * np.sin(u)  # noqa: E731
    a = k
    y = x
    for i in range(3):
        a = a * 0.9 + i
        y = step(y)
    return np.sum(y * a)


@program("v", "s")
def default_keeps_the_value_of_its_time(x, k):
    c = k

    def scaled(v, c=c):
        return c * v

    c = 10.0 * k
    return np.sum(scaled(x)) + c


@program("v", "n")
def several_statements_and_branches(x, n):
    def chosen(v, a):
        s = np.sum(v * v)
        if s > a:
            return np.log(s)
        for _ in range(n):
            s = s + 0.1 * np.sin(s)
        return s

    return chosen(x, 0.1) + chosen(x, 100.0) * np.sum(x)


@program("v", "s")
def function_in_a_function(x, k):
    def outer(u):
        def inner(w):
            return k * w + u

        return inner(u) * inner(2.0)

    return np.sum(outer(x))


@program("v", "s")
def nested_functions_call_each_other(x, k):
    def first(u):
        return np.tanh(second(u) + k)

    def second(w):
        return k * w * w

    return np.sum(first(x)) + np.sum(second(first(x)))


@program("v", "n")
def recursive_nested_function(x, n):
    def power(m):
        if m == 0:
            return 1.0
        return np.sin(x) * power(m - 1)

    return np.sum(power(n))


@program("v", "n")
def mutually_recursive_nested_functions(x, n):
    def even(m, u):
        if m == 0:
            return u
        return odd(m - 1, u * u)

    def odd(m, u):
        if m == 0:
            return np.sin(u)
        return even(m - 1, u + x)

    return np.sum(even(n, x))


def _multiplier(k):
    def times(v):
        return k * v

    return times


@program("v", "s")
def function_that_was_returned(x, k):
    double, other = _multiplier(2.0), _multiplier(k)
    k = k + 1.0
    return np.sum(double(x) * other(x)) * k


def _polynomial(a, b):
    scale = a * b
    return lambda t: scale * t * t + a * t + b


@program("s", "s", "s")
def lambda_that_was_returned(a, b, t):
    p = _polynomial(a, b)
    q = _polynomial(b, p(t))
    return q(t) + p(2.0 * t)


def _compose(f, g):
    return lambda v: f(g(v))


@program("v", "s")
def composition(x, k):
    h = _compose(np.tanh, lambda v: k * v)
    return np.sum(_compose(h, np.sin)(x)) + np.sum(_compose(np.exp, h)(x))


@program("v")
def counter_by_nonlocal(x):
    total = 0.0
    calls = 0

    def add(v):
        nonlocal total, calls
        total = total + np.sum(v * v)
        calls += 1

    add(x)
    for _ in range(2):
        add(np.sin(x))
    return total * calls


@program("v", "s")
def state_by_nonlocal(x, k):
    velocity = 0.0 * x

    def kick(force):
        nonlocal velocity
        velocity = 0.5 * velocity + k * force
        return velocity

    y = x
    for _ in range(3):
        dy = kick(-y)
        y = y + 0.1 * dy
    return np.sum(y * velocity)


@program("v", "s")
def several_lambdas_on_a_line(x, k):
    f, g = lambda v: k * v, lambda v: v / k
    return np.sum(f(g(x)) * f(x))


@program("v", "s")
def lambda_over_several_lines(x, k):
    f = lambda u, v: (  # noqa: E731
        u * k + np.sin(v)
    )
    return np.sum(f(x, f(x, x)))


@program("v", "s")
def function_chosen_on_two_paths(x, k):
    if k > 1.2:
        f = lambda v: k * v  # noqa: E731
    else:
        f = np.sin
    g = np.cos if k > 0.1 else np.exp
    return np.sum(f(x) * g(x))


@program("v", "s")
def names_of_the_nested_function_collide(x, y):
    def f(y):
        x = y * 2.0
        grad_x = x + GAIN
        return np.sum(x * grad_x)

    return f(x) + y * f(y * x)


@program("v", "s")
def parameters_that_hide_builtins(x, sum):  # noqa: A002
    def max(v, len):  # noqa: A002
        return v * len + sum

    range = max(x, sum)
    return np.sum(range * range)


@program("v", "s")
def keyword_only_and_positional_only(x, k):
    def f(u, /, v, *, w=2.0, z):
        return u * v + w * z

    return np.sum(f(x, k, z=x)) + np.sum(f(x, v=x, w=k, z=1.0))


@program("v", "s")
def starred_parameters(x, k):
    def total(*parts, weight=1.0, **more):
        s = 0.0
        for part in parts:
            s = s + np.sum(part)
        return s * weight + more["shift"] * more.get("factor", 3.0)

    parts = (x, x * k)
    options = {"weight": k, "shift": np.sum(x)}
    return total(x, x * x, k * x, shift=k) + total(*parts, **options, factor=2.0)


@program("v", "s")
def partial_application(x, k):
    def curve(a, b, t, *, c=1.0):
        return a * t * t + b * t + c

    f = functools.partial(curve, k, c=2.0 * k)
    g = functools.partial(f, 3.0)
    k = 0.0 * k
    return np.sum(f(k + 1.0, x) * g(x))


@program("v", "s")
def decorated_nested_function(x, k):
    def doubled(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return 2.0 * f(*args, **kwargs)

        return wrapper

    @doubled
    def curve(v, a=1.0):
        return a * np.sin(v)

    return np.sum(curve(x)) + np.sum(curve(x, a=k))


@program("v")
def lambda_in_a_comprehension_of_numbers(x):
    f = lambda v, n: v**n  # noqa: E731
    total = 0.0
    for n in range(1, 4):
        total = total + np.sum(f(x, n)) * f(2.0, n)
    return total


@program("v", "s")
def annotated_and_documented(x: np.ndarray, k: float) -> float:
    """Say something."""

    def inner(v: np.ndarray, *, a: float = 2.0) -> np.ndarray:
        """Say more."""
        w: np.ndarray = a * v
        return w * k

    return np.sum(inner(x, a=k))


@program("v", "s")
def closure_writes_into_its_own_array(x, k):
    def filled(v):
        r = np.zeros(4)
        for i in range(4):
            r[i] = v[i] * k
        return r

    return np.sum(filled(x) * filled(np.sin(x)))


@program("v", "s")
def call_of_a_call(x, k):
    def adder(a):
        def add(v):
            return v + a

        return add

    return np.sum(adder(k)(x) * adder(k * k)(np.sin(x)))


@program("v", "s")
def effects_after_other_parts_of_a_statement(x, k):
    t = k

    def doubled():
        nonlocal t
        t = t * 2.0
        return t

    y = t + doubled()
    return y * np.sum(x)


@program("v", "s")
def effects_twice_in_a_statement(x, k):
    t = k

    def grown(v):
        nonlocal t
        t = t * 2.0
        return v * t

    return np.sum(grown(x)) * t + grown(k)


@program("v", "s")
def states_of_one_factory(x, k):
    def counter(start):
        c = start

        def add(v):
            nonlocal c
            c = c + v
            return c

        return add

    a, b = counter(k), counter(0.0)
    a(x[0])
    b(x[1])
    a(x[2])
    first = a(0.0)
    second = b(1.0)
    return first * second


@program("v", "s")
def functions_of_one_factory_in_a_loop(x, k):
    def times(c):
        return lambda v: v * c

    total = 0.0
    for i in range(3):
        f = times(k * i)
        total = total + np.sum(f(x))
    return total


@program("v", "s")
def function_defined_again_on_a_path(x, k):
    def f(v):
        return v * k

    if k > 1.2:

        def f(v):
            return v * v

    return np.sum(f(x))


@program("v", "s")
def counter_in_a_condition_of_a_loop(x, k):
    n = 0

    def step(v):
        return v * k + n

    y = x
    while n < 3:
        y = step(y)
        n += 1
    return np.sum(y * y)


@program("v", "s")
def state_that_is_written_twice_in_a_statement(x, k):
    total = 0.0
    weights = x * 1.0

    def step(v):
        nonlocal total, weights
        total += v * 0.5
        weights = weights * np.tanh(v)
        return total

    g = step(k) + step(np.max(x) if k > 0.1 else x[0])
    return g * total + np.sum(weights)


@program("v", "s")
def array_that_both_calls_return(x, k):
    kept = x * 1.0

    def shifted(v):
        nonlocal kept
        kept += v
        return kept

    g = shifted(k) * shifted(k * k)
    return np.sum(g * g) * (np.sum(kept) + np.sum(shifted(kept) * kept) + kept[0])


@program("v", "s")
def names_that_are_bound_between(x, k):
    kept = x * 1.0

    def shifted(v):
        nonlocal kept
        kept = kept + v
        return kept[1:]

    items = [kept, shifted(k), shifted(k * k), kept]
    parts = {"a": kept * shifted(2.0)[0], "b": shifted(x[0])}
    three = (kept.sum(), shifted(x[1])[0], kept.sum())
    if kept[1] < np.sum(shifted(x[0])) < 1e6:
        kept = kept * 2.0
    total = np.sum(items[0] * items[3]) + np.sum(items[1] * items[2]) + np.sum(parts["a"])
    return total * np.sum(parts["b"]) + three[0] * three[1] * three[2] + np.sum(kept)


@program("v", "s")
def counter_in_indices(x, k):
    count = 0
    y = x * 1.0

    def tick():
        nonlocal count
        count += 1
        return count % 2

    y[tick()] = k
    y[tick()] -= x[2] * y[0]
    y *= x[tick()]
    y[y < 0.3] *= x[tick()] + x[tick()]
    m = np.outer(x, y)
    m[tick(), tick()] = x[1]
    m.reshape(-1)[2:4] += x[tick()]
    return np.sum(m) + count * y[0]


@program("v", "s")
def calls_that_change_a_variable_for_others(x, k):
    total = 0.0

    def added(v):
        nonlocal total
        total += v
        return total

    def twice(v):
        return added(v) * total + added(v)

    def applied(function, v):
        return function(v) * v + function(total)

    for i in range(2):
        y = total + twice(x[i]) * total
        total = total + applied(added, y) * applied(lambda v: added(v) * total, k)  # noqa: B023
    return total


@program("v", "s", by="tape")
def array_that_is_read_before_it_changes(x, k):
    kept = x * 1.0
    other = kept

    def shifted(v):
        nonlocal kept
        kept += v
        return kept[0]

    other[1] += k * shifted(k)
    return np.sum(other * kept)
