"""Programs that call functions of another module, which write by functions of their own."""

import numpy as np

from tests.programs import writers
from tests.programs.corpus import program
from tests.programs.writers import bumped, counted_down, grown, rated, step


def soft(x):
    return x


@program("v", "s")
def function_of_another_module_that_calls_its_own(x, k):
    out = np.zeros(len(x))
    step(out, x, k)
    return np.sum(out * soft(x))


@program("v", "s")
def function_of_another_module_in_a_loop(x, k):
    out = np.zeros(len(x))
    for _ in range(2):
        writers.step(out, x, k)
        x = x + out
    return np.sum(out**2)


@program("v")
def function_of_another_module_that_reads_its_number(x):
    out = np.zeros(len(x))
    rated(out, x)
    return np.sum(out**2)


@program("v")
def names_of_another_module_that_are_variables_here(x):
    y = x[:3] * 1.0
    abs = x[0] * 3.0
    cos = TABLE = 2.0
    r = writers.leveled(y)
    return np.sum(y * abs) * r * cos * TABLE


@program("v")
def names_of_comprehensions_that_are_names_here(x):
    q, a = x * 2.0, x * 3.0
    r = writers.mixed(q, a)
    return np.sum(r * q) + np.sum(q * a)


@program("v")
def names_of_comprehensions_and_one_array_given_twice(x):
    q = x * 2.0
    r = writers.mixed(q, q)
    return np.sum(r * q)


@program("v", "n")
def function_that_catches(x, n):
    y = x * 1.0
    k = writers.tried(y, n) + writers.tried(y, 1)
    return np.sum(k * y)


@program("v")
def function_with_shorthands(x):
    m = x * 2.0
    a = m * m
    r = writers.noted(m)
    return np.sum(r * m) + np.sum(a)


@program("v", "n")
def function_that_matches(x, n):
    y = x * 1.0
    r = writers.matched(y, n)
    return np.sum(r * y)


@program("v")
def call_in_a_comprehension(x):
    y = x * 1.0
    b = [bumped(y, v) * v for v in x]
    return sum(b) + np.sum(y * y)


@program("v")
def call_in_a_comprehension_over_what_it_writes(x):
    y = x * 1.0
    b = [bumped(y, v) * v for v in y]
    return sum(b) + np.sum(y)


@program("v")
def comprehension_of_one_array_many_times(x):
    y = x * 1.0
    b = [grown(y, v) for v in x]
    return np.sum(b[0] * b[1]) + np.sum(y)


@program("v")
def call_for_each_row(x):
    rows = np.outer(x, x)
    b = [bumped(row, 2.0) for row in rows]
    return sum(b) + np.sum(rows**2)


@program("v")
def calls_in_the_conditions_of_a_comprehension(x):
    y = x * 1.0
    b = [v * y for v in x if bumped(y, v * v) > 0.1 if bumped(y, 2.0 + v) > 0.0]
    return np.sum(np.array(b))


@program("v")
def call_for_each_key(x):
    y = x * 1.0
    b = {k: bumped(y, x[k]) for k in range(3)}
    return b[0] * b[1] + np.sum(y) * b[2]


@program("v")
def comprehension_in_a_comprehension(x):
    y = x * 1.0
    b = np.array([[bumped(y, v * w) for w in x] for v in x])
    return np.sum(b**2) + np.sum(y)


@program("v")
def comprehension_between_two_reads(x):
    y = x * 1.0
    return y[0] * sum([bumped(y, v) for v in x]) * y[0]


@program("v")
def comprehension_with_the_name_of_a_variable(x):
    v = x[0]
    y = x * 1.0
    b = [bumped(y, v) for v in x]
    return b[0] * v + sum(b)


@program("v")
def call_as_a_test(x):
    y = x * 1.0
    if bumped(y, x[1]) > 0.0:
        return np.sum(y)
    return np.sum(y**2)


@program("v")
def call_that_a_loop_runs_over(x):
    y, total = x * 1.0, 0.0
    for v in grown(y, x[0]):
        total += v * y[1]
        y *= 1.1
    return total


@program("v")
def call_in_an_update_of_a_part(x):
    y = np.outer(x, x)
    row = y[0]
    y[:, -1] -= grown(row, x) * bumped(row, 2.0)
    return np.sum(y * y)


@program("v")
def closure_that_counts_in_a_comprehension(x):
    seen = {"n": 0, "total": 0.0}

    def mean_so_far(v):
        seen["n"] += 1
        seen["total"] += v
        return seen["total"] / seen["n"]

    return [mean_so_far(v) for v in x][-1] * np.sum(x)


@program("v")
def function_of_another_module_that_calls_itself(x):
    out = np.zeros(len(x))
    counted_down(out, x, 2)
    return np.sum(out**2)
