"""Programs that write into arrays which lists and dicts hold, under several names."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def entry_scaled_beside_its_own_name(x):
    y = x * 2
    parts = {"a": y, "b": x * 3}
    parts["a"] /= x
    y[0] = parts["b"][1]
    parts["b"] -= y
    return np.sum(parts["a"] * parts["b"])


@program("v")
def entries_scaled_in_turn(x):
    y = x * 1.0
    ys = [y, x * 2]
    for i in range(2):
        ys[i] *= x
        ys[i] += ys[0]
    return np.sum(y * ys[1])


@program("v")
def entry_that_is_a_part_of_another(x):
    y = x * 1.0
    ys = [y, y[1:]]
    ys[1] *= x[:3]
    ys[0] -= x
    return np.sum(y * x) * np.sum(ys[1])


@program("v")
def entry_put_at_another_place_and_scaled(x):
    y = x * 1.0
    ys = [y, x * 2]
    kept = (ys[0], 3.0)
    ys[0] **= 2
    ys[1] = ys[0]
    ys[1] *= x
    return np.sum(kept[0] * y)


@program("v")
def states_that_turn_round(x):
    state = [x * 1.0, x * 2.0]
    a, b = state
    for _ in range(3):
        state[0] += 0.1 * state[1]
        state[1] -= 0.1 * state[0] * x
    return np.sum(a * b)


@program("v")
def row_of_a_list_with_a_name(x):
    rows = [np.zeros(4) for _ in range(3)]
    second = rows[1]
    rows[1][:] = x * 2
    rows[2] += rows[1] * x
    rows[1] *= rows[2]
    return np.sum(second * rows[2])


@program(("m", 3, 4), "s")
def rows_as_a_list_scaled(m, s):
    a = m * 1.0
    rows = list(a)
    rows[1] *= s
    return np.sum(a * m)


@program(("m", 3, 4))
def rows_behind_another_in_a_tuple(m):
    a = m * 1.0
    rows = (m[0] * 1.0, *a)
    rows[1][2] = m[0, 0]
    a[1] *= 2
    return np.sum(rows[2] * rows[1]) + np.sum(a)


@program(("m", 3, 4))
def rest_of_the_rows_written(m):
    a = m * 1.0
    first, *rest = a
    first *= 2.0
    rest[0] += first
    return np.sum(a * m)


@program("v")
def entries_spread_into_a_longer_list(x):
    a = [x * 1.0, x * 2.0]
    b = [*a, x * 3.0]
    b[0] *= x
    b[2] += a[0]
    a[1][0] = b[2][1]
    return np.sum(a[0] * b[1] * b[2])


@program("v")
def list_with_three_names(x):
    xs = [x[0], x[1]]
    ys = xs
    zs = ys
    zs += [x[2]]
    ys[0] *= 2
    return xs[0] * xs[2] * len(ys)


@program("v")
def list_that_a_function_inside_reads_by_another_name(x):
    xs = [x[0], x[1]]
    ys = xs

    def first():
        return ys[0]

    ys[0] = x[2]
    return first() * xs[1]


@program("v")
def dict_with_two_names(x):
    d = {"a": x * 1.0}
    e = d
    e["b"] = d["a"] * x
    d["a"] = e["b"] * 2
    return np.sum(e["a"] * d["b"])


# --- constants that are written through what holds them


@program("v")
def row_of_constants_in_joined_lists(x):
    table = np.ones((3, 4))
    rows = [table[0]] + [table[1]]  # noqa: RUF005
    rows[1][2] = 5.0
    return np.sum(table[1] * x)


@program("v")
def row_of_constants_in_a_copied_list(x):
    table = np.ones((3, 4))
    rows = [table[0], table[1]]
    other = rows.copy()
    other[1][2] = 5.0
    return np.sum(table[1] * x)


@program("v")
def constants_written_in_a_copied_list(x):
    z = np.zeros(2)
    zs = [z, z]
    others = zs.copy()
    others[1] -= x[:2]
    return np.sum(z**2)


@program("v")
def row_of_constants_in_a_repeated_list(x):
    table = np.ones((3, 4))
    rows = [table[0], table[1]] * 2
    rows[3][2] = 5.0
    return np.sum(table[1] * x)


@program("v")
def row_of_constants_in_a_list_that_grew(x):
    table = np.ones((3, 4))
    rows = []
    rows += [table[1]]
    rows[0][2] = 5.0
    return np.sum(table[1] * x)


@program("v")
def row_of_constants_in_joined_dicts(x):
    table = np.ones((3, 4))
    d = {"a": table[1]}
    e = d | {"b": table[0]}
    e["a"][2] = 5.0
    return np.sum(table[1] * x)


@program("v")
def rows_of_constants_collected(x):
    table = np.ones((3, 4))
    rows = [row for row in table]
    rows[1][2] = 5.0
    by_place = {i: table[i] for i in range(3)}
    by_place[1][3] = 7.0
    spread = [*table]
    spread[1][0] = 3.0
    return np.sum(table[1] * x)


@program("v")
def row_of_constants_or_nothing(x):
    table = np.ones((3, 4))
    chosen = None
    row = chosen or table[1]
    row[2] = 5.0
    return np.sum(table[1] * x)


# --- what is a view or new, as the layout of its operand is


@program("m")
def ravel_of_columns_that_are_memory(m):
    a = np.asfortranarray(m * 1.0)
    flat = a.ravel(order="F")
    flat *= 2.0
    return np.sum(a * m) + np.sum(flat**3 * np.arange(12.0))


@program("v")
def differences_of_a_changing_order(x):
    y = x * 1.0
    for n in range(3):
        d = np.diff(y, n)
        d *= x[: 4 - n]
        y = y * 1.1
        y[0] += np.sum(d)
    return np.sum(y * x)


@program("v")
def conjugate_written_beside_its_operand(x):
    y = x * 1.0
    c = y.conj()
    for _ in range(2):
        c *= x
        y += 1.0
    return np.sum(y * c)


# --- lists of which NumPy makes arrays


@program("v")
def array_of_a_list_written_beside_its_entries(x):
    a = x * 1.0
    parts = [a, a * 2]
    b = np.asarray(parts)
    b[0] *= x
    a[1] = 3.0
    return np.sum(b * a)


@program("v")
def lists_reshaped_and_scaled(x):
    a = x * 1.0
    parts = [a, a * 2]
    flat = np.reshape(parts, -1)
    flat *= x[1]
    table = np.atleast_2d([a, flat[:4]])
    table[0] = x[0]
    return np.sum(flat * flat) * np.sum(a) + np.sum(table)
