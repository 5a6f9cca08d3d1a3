"""Programs of control inside expressions and of small statements: `:=`, `and`/`or`, `del`."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

SCALE = 2.5


@program("v")
def walrus_in_two_conditions(x):
    total = 0.0
    for v in x:
        if (y := v * v) > 0.1 and (z := y * 2) < 3:
            total = total + y * z
    return total


@program("v")
def walrus_in_an_elif(x):
    if (s := np.sum(x)) > 100.0:
        return s
    elif (t := s * x[0]) > 50.0:  # noqa: RET505
        return t * s
    else:
        return t - s


@program("s")
def walrus_that_keeps_a_while_loop_going(a):
    x = a
    while (error := abs(x * x - a)) > 1e-8:
        x = 0.5 * (x + a / x)
    else:  # noqa: PLW0120
        x = x + error
    return x


@program("s")
def walrus_in_a_while_loop_with_a_break(a):
    x = a
    while (x := x * 1.3) < 50.0 or x < 10.0:
        if (y := x * a) > 20.0:
            break
    else:
        y = 1.0
    return x + y


@program("v")
def walrus_read_at_once(x):
    return (y := x[0] * x[1]) * y


@program("v")
def walrus_in_a_conditional_expression(x):
    y = (a := x[0] ** 2) + x[1] if x[2] > 0 else (a := x[3])
    return y * a


@program("v")
def values_of_or_and_and(x):
    a = x[0] or x[1]
    b = (x[2] and x[3] * a) or x[1]
    c = 0.0 * a or x[2] * b or x[1]
    return a * b + c


@program("v")
def short_circuit_guards_an_index(x):
    total = 1.0
    for i in range(6):
        if i < len(x) and x[i] > 0:
            total = total * x[i]
        if i >= len(x) or x[i] < 0.1:
            total = total + 0.1
    return total


@program("v", "n")
def defaults_by_or(x, n):
    count = (n - 3) or 2
    scale = None or x[0]
    return np.sum(x[:count]) * scale


@program("v")
def chained_comparisons(x):
    total = 0.0
    for v in x:
        if -0.5 < v <= 0.3 < 2.0 + v:
            total = total + v * v
        elif not 0.0 < v:
            total = total - v
    y = x[0] if 0 < x[0] < 1 else x[1] * 2
    return total * y


@program("v")
def deleted_temporaries(x):
    y = x * 2
    z = y * x
    del y
    for i in range(3):
        t = z * i
        z = z + t
        del t
    cache = {"a": 1, "b": 2}
    del cache["a"]
    return np.sum(z) * len(cache)


@program("v")
def deleted_name_of_a_view_that_is_written(x):
    y = x * 1
    z = y
    del y
    z[0] *= 2
    y = z[1:]
    y *= 3
    return np.sum(z * z)


@program("v")
def walrus_that_moves_the_place_of_an_update(x):
    i = 0
    y = x * 1
    y[i] += y[(i := i + 1)]
    y[i] *= y[0]
    return np.sum(y**2)


@program("v")
def walrus_that_rebinds_what_is_updated(x):
    y = x * 1
    y += (y := y * 3)
    return np.sum(y**2)


@program("v")
def walrus_in_a_chain(x):
    if 0.0 < (a := x[0] ** 2 + 0.1) < (b := np.sin(a) + 3.0):
        return a * b
    return x[2] * a


@program("v")
def walrus_in_a_chain_of_a_loop(x):
    k, last, total = 0, 0.0, 0.0
    while k < 4 and -9.0 < x[k] < (y := x[k] ** 2 + 2.0) != (last := last + y):
        total += y * last
        k += 1
    return total * last


@program("v")
def walrus_late_in_a_chain_that_ends_before(x):
    a, b = x[1], 2.0
    z = x[3] if (a := a * 2.0) < a - 1.0 < (b := x[0] ** 2) else x[2]
    return z * a * b


@program("v")
def walrus_in_a_chain_whose_middle_is_called_once(x):
    seen = []

    def middle(v):
        seen.append(v * v)
        return v

    if -9.0 < middle(x[0]) < (b := x[1] ** 2 + 9.0):
        return b * sum(seen)
    return x[2]


@program("v")
def walrus_in_a_chain_that_rebinds_what_it_has_read(x):
    y = x[0]
    if -9.0 < y < (y := y * y + 1.0):
        return y
    return x[1] * y


@program("v")
def walrus_in_the_place_of_an_update(x):
    i = 0
    y = x * 1
    y[(i := i + 1)] += y[i] * (j := 2)
    y[j] *= y[0]
    return np.sum(y**2)


@program("v")
def imports_inside(x):
    import math
    from math import pi
    from math import sin as s

    import numpy.linalg as la

    if x[0] > 1e9:
        from numpy import cos

        return cos(x[0])
    return s(x[0]) * pi + math.cos(x[1]) + la.norm(x)


@program("v")
def global_that_is_read(x):
    global SCALE  # noqa: PLW0602
    return np.sum(x) * SCALE


@program("v")
def loops_over_dicts_and_sets(x):
    y = x[0]
    for k in {3: 1, 1: 2}:
        y = y * k + x[k]
    for k in sorted({2, 0}):
        y = y + x[k] * y
    for k, w in {"a": 0.5, "b": 2.0}.items():
        y = y * w + len(k)
    return y


@program("v")
def iterators_that_are_used_up(x):
    it = iter([1.0, 2.0, 3.0])
    first = next(it)
    y = x[0] * first
    for v in it:
        y = y + v * x[2] * first
    for v in it:
        y = y * 1e9 * v
    return y + next(it, 0.5) * x[1]


@program("v")
def generators_without_derivatives(x):
    y = x[1]
    for v in (q * q for q in range(3)):
        y = y * (1 + v)
    for i, v in enumerate((0.5, 1.5), start=2):
        y = y + x[i] * v
    for a, b in zip(range(2), "xy", strict=True):
        y = y + x[a] * len(b)
    return y


@program("v")
def loop_over_a_generator_with_a_break(x):
    y = x[0]
    numbers = (k * 0.5 for k in range(100))
    for v in numbers:
        y = y + v * x[1]
        if v > 1.9:
            break
    return y * next(numbers)


@program("v")
def unpacked_into_itself(x):
    x = (x,)
    (x,) = x
    return _of_one((x,), x)


def _of_one(pair, x):
    (pair,) = pair
    return np.sum(pair * pair * x)


@program("v")
def assertions_and_pass(x):
    assert len(x) == 4
    if x[0] > 0:
        pass
    else:
        assert x[0] <= 0, "cannot be"
        x = x * 2.0
    assert np.all(np.isfinite(x)), f"not finite: {x}"
    return np.sum(x**2)


@program("v", "s")
def looked_at_alone(x, s):
    y = x * s
    try:
        y[3]  # whether it is there
        y[4] * s
    except IndexError:
        y = y * 2.0
    y[0] = s * s
    y[0]
    return np.sum(y * x)


@program("v", "s")
def walrus_that_rebinds_what_was_read(x, k):
    y = x * k
    h = np.where(y > 0.05, y, k) / (2.0 + np.cos(y := x * 2.0))
    g = np.arctan2(x, 2.0 + np.sin(np.where((z := y * k) < z, (z := y), z)))
    y[0] = y[1] * (y := y * 2.0)[2] + y[2]
    return np.sum(h * g) + np.sum(y) * z[0]


@program("v", "s")
def walrus_between_reads_of_a_tuple(x, k):
    y = k
    t = (y, (y := x[0] * y), y)
    z = y * np.sum(x * y, keepdims=bool((y := x[1]) > 100.0)) + y * (y := y * 2.0) * y
    return t[0] * t[1] + t[2] * z + y


@program("v", "s")
def walrus_in_comprehensions(x, k):
    r = k
    total = k
    items = [(y := x) * (1.0 + r) for r in range(2)]
    run = [total := total + v * total for v in x if (last := v) > -5.0]
    parts = {key: (tail := x * k) * 1.0 for key in ("w", "a")}
    parts["w"] *= 2.0
    rows = [[(q := v * k) for v in row] for row in np.outer(x, x)]
    ends = np.sum(parts["w"] * parts["a"]) + np.sum(tail) + rows[0][1] * q
    return np.sum(items[0] * y) * r + run[0] * run[-1] + total * last + ends


@program("v", "s")
def walrus_in_a_comprehension_beside_reads(x, k):
    y = k
    return y * sum([(y := y * v) for v in x]) * y


@program("s")
def walrus_that_is_a_key_before(k):
    y = 3.0
    m = {y: (y := v) for v in (1.0, 2.0)}  # noqa: B035
    return k * y * len(m) * m[3.0]


@program("v")
def walrus_that_rebinds_an_array_with_two_names(x):
    y = z = x * 1
    y += (y := y * 3)
    y[0] += (y := y * 2)[1]
    return np.sum(y**2) + np.sum(z * x)


@program("v")
def walrus_that_rebinds_what_a_long_chain_reads(x):
    y, a = x[0], x[1]
    return y if -0.9 < y < a + (y := y + 1) < y * (y := y * 2) else y * a
