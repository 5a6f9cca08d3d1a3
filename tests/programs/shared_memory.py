"""Arrays that are reached in several ways, and written through one of them."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

# -- read by a linear operation, then updated in a loop


@program(("m", 3, 3), ("v", 3))
def conjugate_gradients(a, b):
    a = a @ a.T + 3 * np.eye(3)
    x = np.zeros(3)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for _ in range(3):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return np.sum(x**2)


@program(("m", 3, 3), ("v", 3))
def read_before_a_loop_adds_to_it(a, b):
    x = np.ones(3)
    r = b - a @ x
    for _ in range(3):
        x += r * 0.1
        r = r * 0.5
    return np.sum(x**2) + np.sum(r**2)


@program(("m", 3, 3), ("v", 3))
def read_before_a_while_loop_scales_it(a, b):
    x = np.ones(3)
    y = a @ x
    k = 0
    while k < 3:
        x *= b
        k += 1
    return np.sum(x * y)


@program(("m", 3, 3), ("v", 3))
def read_before_a_branch_adds_to_it(a, b):
    x = b * 1.0
    y = a @ x
    if b[0] > -100:
        x += y
    return np.sum(x * y)


@program(("m", 3, 3), ("v", 3))
def read_before_an_inner_loop_adds_to_it(a, b):
    x = np.ones(3)
    s = 0.0
    for _ in range(2):
        s = s + np.sum(a @ x)
        for _ in range(2):
            x += b * s * 0.1
    return s + np.sum(x**2)


@program(("m", 3, 3), ("v", 3))
def read_before_a_loop_that_is_left(a, b):
    x = np.ones(3)
    y = a @ x
    for row in a:
        x += row
        if row[0] > 0:
            break
        x -= b
    return np.sum(y * x)


# -- bound anew in a branch, after what depends on it has contributed


@program("s", "s")
def least_bound_anew_in_a_branch(x, y):
    v = min(x, y)
    w = v * x
    if x < 10.0:
        v = 0.5
    return w + v


@program("s", "s")
def greatest_bound_anew_in_a_loop(x, y):
    v = max(x, y)
    w = v * x
    for i in range(2):
        if x < 10.0:
            v = v * 0.0 + i
    return w + v


@program("v", "v")
def norm_bound_anew_in_a_branch(a, b):
    v = np.linalg.norm(a)
    w = v * b
    if v < 100:
        v = np.zeros(4)
    return np.sum(w + v)


@program("v", "v")
def sum_bound_anew_in_a_try(a, b):
    v = np.sum(a)
    w = v * b
    try:
        v = v / 0.5
        if v > -100:
            v = 1.0
    finally:
        w = w * 2
    return np.sum(w + v)


# -- all on one line


@program("v")
def written_view_on_one_line(x):
    u = x * 1; c = u[:]; c *= 2; return np.sum(u**2)  # fmt: skip # noqa: E702


@program("v")
def written_part_on_one_line(x):
    u = x * 1; c = u[1:]; c *= x[1:]; return np.sum(u**2) + np.sum(c)  # fmt: skip # noqa: E702


@program("v")
def written_array_and_view_on_one_line(x):
    u = x * 1; c = u[:]; c += u; u *= c; return np.sum(c) * np.sum(u)  # fmt: skip # noqa: E702


@program("v")
def parts_of_each_other_on_one_line(x):
    u = np.exp(x); a, b = u[:2], u[2:]; a *= b; b *= a; return np.sum(u)  # fmt: skip # noqa: E702


# -- parts of one array


@program("v")
def part_of_a_split_added_to(x):
    a = x * 1.0
    p, q = np.split(a, 2)
    p += q
    return np.sum(a**3)


@program("v")
def parts_of_a_split_from_each_other(x):
    a = x * 1.0
    p, q = np.split(a, 2)
    p *= x[:2]
    q -= p
    return np.sum(a**3) + np.sum(q**2)


@program("v")
def element_of_a_part_of_a_split(x):
    a = x * 1.0
    p, q = np.split(a, 2)
    p[0] = q[1]
    return np.sum(a**3)


@program("v")
def split_of_a_part_of_a_split(x):
    a = x * 1.0
    p, _ = np.split(a, 2)
    u, v = np.split(p, 2)
    u *= v
    return np.sum(a**3)


@program("v")
def parts_of_a_split_in_a_loop(x):
    a = x * 1.0
    for p in np.split(a, 2):
        p *= x[:2]
    return np.sum(a**3)


@program("v")
def real_part_of_what_is_turned(x):
    y = x * (1 + 2j)
    r = y.real
    y *= 1j
    return np.sum(r**2)


# -- one array in several places of a list or dict


@program("v")
def entry_of_a_repeated_display(x):
    xs = [x * 1.0] * 2
    xs[0] *= x
    return np.sum(xs[1] ** 2)


@program("v")
def repeated_display_that_is_read(x):
    xs = [x * 1.0, x**2] * 2
    return np.sum(xs[1] ** 2) + np.sum(xs[2])


@program("v")
def element_of_a_repeated_display(x):
    xs = [x * 1.0] * 2
    xs[0][0] = x[1] * 3
    return np.sum(xs[1] ** 2)


@program("v")
def array_twice_in_a_list(x):
    a = x * 1.0
    xs = [a, a]
    xs[0] *= x
    return np.sum(xs[1] ** 2)


@program("v")
def array_twice_in_a_dict(x):
    a = x * 1.0
    d = {"a": a, "b": a}
    d["a"] *= x
    return np.sum(d["b"] ** 2)


@program("v")
def array_appended_twice(x):
    a = x * 1.0
    xs = [a]
    xs.append(a)
    xs[0] *= x
    return np.sum(xs[1] ** 2)


@program("v")
def entry_appended_again(x):
    xs = [x * 1.0]
    xs.append(xs[0])
    xs[0] += x**2
    return np.sum(xs[1] ** 2)


@program("v")
def entry_under_two_keys(x):
    d = {"a": x * 1.0}
    d["b"] = d["a"]
    d["b"] /= x**2 + 1
    return np.sum(d["a"] ** 2)


@program("v")
def entries_that_are_surely_apart(x):
    d = {"w": x * 1.0, "v": x**2}
    d["w"] *= d["v"]
    d["w"] += x
    return np.sum(d["w"] ** 2)


@program("v")
def entries_made_in_a_loop(x):
    xs = []
    for i in range(3):
        xs.append(x * x[i])
    for i in range(3):
        xs[i] *= x[i]
    return sum(np.sum(v**2) for v in xs)


# -- indices that stars open


@program(("m", 3, 3))
def starred_index_written(m):
    m = m * 1.0
    m[*np.triu_indices(3, 1)] = 0
    return np.sum(m**2)


@program(("m", 3, 3))
def starred_index_read_and_updated(m):
    m = m * 1.0
    m[*np.triu_indices(3, 1)] += m[*np.tril_indices(3, -1)]
    return np.sum(m**3)


@program(("m", 3, 3))
def starred_index_of_a_loop(m):
    s = 0.0
    for k in [(0, 1), (1, 2)]:
        s = s + m[*k] * m[*k[::-1]]
    return s


@program(("m", 3, 3))
def starred_index_of_a_list(m):
    places = [0, 1]
    return np.sum(m[*places] ** 2)


# -- new memory, though the numbers are the same


@program("v")
def first_power_of_what_is_written(x):
    y = x * x
    w = y**1
    z = y / 1
    y *= 2
    return np.sum(w * y) + np.sum(z)


@program("v")
def twice_turned_and_written(x):
    y = -(-x)  # noqa: B002 - negated twice
    y *= 2
    return np.sum(x * y)


@program("s")
def product_with_one_is_another_object(x):
    z = x * 1.0
    if z is x:
        return x
    return x**2


@program("v")
def one_array_scaled_as_each_entry_of_a_repeated_list(x):
    y = x * 1
    parts = [y] * 2
    for part in parts:
        part *= np.roll(y, -1)
    return np.sum(y**2)


@program("v")
def argument_scaled_as_each_entry_of_a_list_it_grew_into(x):
    z = x
    parts = []
    for _ in range(2):
        parts.append(x)
    for part in parts:
        part *= np.roll(x, -1)
    return np.sum(x * (parts[-1].mean() + 1.1 * np.sum(z)))


@program("v")
def array_updated_as_the_entry_of_a_dict_comprehension(x):
    y = x * 1
    _, r = np.array_split(y, 2)
    d = {k: y for k in ("left", "right")}
    d["left"] -= 2 * r[0]
    return np.sum(r**2)


@program("v")
def array_scaled_as_the_value_of_a_zipped_dict(x):
    y = x * 1
    both = [y for _ in range(2)]
    named = dict(zip("x", both))
    for q in named.values():
        q *= 0.9
    return np.sum(both[1] ** 2)


@program("v")
def double_precision_of_an_array_updated(x):
    a = x * 1.0
    b = np.float64(a)
    b *= x[0]
    return np.sum(a * b)


@program("v")
def double_precision_of_an_argument_written(x):
    b = np.float64(x)
    b[0] = 2.0
    return np.sum(x * b)


# -- memory without derivatives that a helper writes into; what is joined after a write


def _scaled_in_place(a, factor):
    a = np.asarray(a, dtype=np.float64)
    if factor > 1.0:
        a *= factor
    return a


@program("v")
def constants_that_a_helper_scales(x):
    weights = np.linspace(1.0, 2.0, len(x))
    y = weights * x
    part = weights[:1]
    scaled = _scaled_in_place(weights, 2.0)
    return np.sum(y * scaled * part * weights)


@program("v")
def constants_that_a_helper_scales_again_and_again(x):
    weights = np.linspace(1.0, 2.0, len(x))
    for _ in range(3):
        x = x * np.sin(weights) * _scaled_in_place(weights, 1.5)
    return np.sum(x * weights)


@program("v")
def constants_in_an_expression_that_a_helper_scales(x):
    weights = np.linspace(1.0, 2.0, len(x))
    return np.sum(x * _scaled_in_place(np.sqrt(weights) * 3.0, 2.0) * weights)


def _as_floats(a, kind=None):
    if isinstance(a, dict):
        a = list(a)
    return np.asarray(a, kind or np.float64)


@program("v")
def numbers_written_by_masks_and_then_stacked(x):
    a, b = x[0], x[1]
    c = _as_floats((a - b) / (3.0 + b))
    c[np.asarray(b > 1.0)] = 0.0
    d = _as_floats(a * b)
    d[d > 9.0] = 1.0
    rows = [item[..., np.newaxis] for item in np.asarray([c, d, b])]
    return np.sum(np.concatenate(rows) * np.array([1.0, 2.0, 3.0]))


@program("v")
def table_filled_with_what_was_joined_later(x):
    rows = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        row = rows[i]
        for j in range(2):
            row[j] += x[i] * x[j]
    sums = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            sums[i][j] += rows[i][j] * rows[j][i]
    return sums[0][1] + sums[1][1]
