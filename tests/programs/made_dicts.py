"""Dicts and lists made in the ways that Python has for it, also of constants that are replaced."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def dict_of_pairs(x):
    d = dict([("a", x[0]), ("b", x[1] * x[0])])
    return d["a"] * d["b"]


@program("v")
def dict_of_comp(x):
    d = dict((k, v * 2) for k, v in zip("abcd", x))
    return d["a"] * d["d"]


@program("v")
def dict_of_zip(x):
    d = dict(zip(["a", "b"], x))
    return d["a"] * d["b"]


@program("v")
def dict_of_list(x):
    pairs = [("a", x[0]), ("b", x[1])]
    d = dict(pairs)
    return d["a"] * d["b"]


@program("v")
def from_keys(x):
    d = dict.fromkeys(["a", "b"], 1.0)
    d["a"] = x[0]
    return d["a"] * d["b"] * x[1]


@program("v")
def from_keys_varied(x):
    d = dict.fromkeys(["a", "b"], x[0])
    d["a"] = d["a"] * x[1]
    return d["a"] * d["b"]


@program("v")
def tuple_keys(x):
    d = {(0, 1): x[0], (-1, 0): x[1]}
    return d[0, 1] * d[-1, 0]


@program("v")
def list_of_comp(x):
    ys = list(v * v for v in x)
    zs = tuple([v * 2 for v in x])
    return ys[0] * zs[1]


@program("v")
def list_of_list(x):
    ys = list([x[0], x[1] * 2])
    ys.append(x[2])
    return ys[0] * ys[1] * ys[2]


@program("v")
def lc(x):
    d = [0.0 for _ in range(3)]
    d[1] = x[0]
    return d[1] * d[2] * x[1] + d[1]


@program("v")
def dc(x):
    d = {i: 0.0 for i in range(3)}
    d[1] = x[0]
    return d[1] * d[2] * x[1] + d[1]


@program("v")
def lc2(x):
    d = [i * 1.0 for i in range(3)]
    d[1] = x[0]
    return d[1] * d[2] * x[1] + d[1]


@program("v")
def dp(x):
    n = 5
    best = {i: 0.0 for i in range(n)}
    for i in range(1, n):
        best[i] = best[i - 1] * 0.5 + x[i % 4]
    return best[n - 1] ** 2


@program("v")
def either_new_array(x):
    y = np.zeros(4) if x[0] > -100 else np.ones(4)
    for i in range(4):
        y[i] += x[i] ** 2
    return np.sum(y * x)


@program("v")
def lc_arrays(x):
    rows = [np.zeros(4) for _ in range(3)]
    rows[1] = x * 2
    rows[2] = rows[1] * rows[0] + x
    return np.sum(rows[1] * rows[2])


@program(("v", 1))
def lc_arrays_of_other_lengths(x):
    rows = [np.ones(4) for _ in range(3)]
    rows[1] = x * 2
    rows[2] = rows[1] * rows[0] + x
    return np.sum(rows[1] * rows[2])


@program("v")
def lc_arrays_written(x):
    rows = [np.zeros(4) for _ in range(3)]
    rows[1][:] = x * 2
    rows[2] += rows[1] * x
    return np.sum(rows[1] * rows[2])


@program("v")
def lc_repeated(x):
    z = np.zeros(4)
    rows = [z for _ in range(3)]
    rows[1] = x * 2
    return np.sum(rows[1] * (rows[0] + 1))


@program("v")
def dc_named(x):
    p = {k: 0.0 for k in ("a", "b")}
    p["a"] += x[0]
    p["b"] = p["a"] * x[1]
    return p["a"] * p["b"]


@program("v")
def dc_counts(x):
    p = {k: [] for k in ("a", "b")}
    for i, v in enumerate(x):
        p["ab"[i % 2]].append(v * v)
    return p["a"][0] * p["b"][1]


@program("v")
def lc_nested(x):
    T = [[0.0 for _ in range(3)] for _ in range(2)]
    T[0] = [x[0], x[1], x[2]]
    return T[0][1] * x[0]


@program("v", by="tape")
def dict_in_a_loop_made_a_number(x):
    p = {"a": x[0], "b": x[1] * 2.0}
    for _ in range(1):
        p = p["a"] * p["b"]
    return p


@program("v")
def dict_on_one_path_and_number_on_the_other(x):
    p = {"a": x[0] * 2.0}
    if x[0] > 0.5:
        p = x[1] * x[0]
    if isinstance(p, dict):
        return p["a"] * x[2]
    return p * p


@program("v")
def list_on_one_path_and_array_on_the_other(x):
    p = x * 3.0
    if x[0] > 0.5:
        p = [x[0] * x[1], x[2]]
    return p[0] * p[1]


@program("v")
def dict_made_a_number_under_its_own_name(x):
    p = {"a": x[0] * 2.0, "b": x[1]}
    p = p["a"] * p["b"]
    return p * x[2]


def entries_from(x, first):
    return {place + first: v * place for place, v in enumerate(x)}


@program("v")
def joined_comprehensions(x):
    p = {f"a{k}": x * k for k in (1, 2)} | {f"b{k}": x + k for k in (1, 2)}
    return sum(np.sum(v**2) for v in p.values())


@program("v")
def joined_in_a_chain(x):
    p, q, r = (entries_from(x, first) for first in range(3))
    return sum(v**2 for v in (p | q | r).values())


@program("v")
def joined_copies(x):
    p = entries_from(x, 0)
    q = p.copy() | {7: x[0]}
    joined = q.copy() | p.copy()
    return sum(joined[key] ** 2 for key in joined)


@program("v")
def joined_entries_of_a_list(x):
    parts = [entries_from(x, first) for first in range(3)]
    joined = parts[0] | parts[2]
    return sum(joined[key] ** 2 for key in joined)


@program("v")
def joined_where_they_lie(x):
    parts = [entries_from(x, first) for first in range(3)]
    parts[0] |= parts[1]
    return sum(v**2 for v in parts[0].values())


@program("v")
def joined_choices(x):
    p = entries_from(x, 0) if x[0] > -9.0 else {}
    joined = p | ({9: x[1]} if x[1] > -9.0 else {})
    return sum(v**2 for v in joined.values())


@program("v")
def joined_under_two_names(x):
    p = entries_from(x, 0)
    q = p
    p |= {9: x[0]}
    q[9] = q[9] * 2.0
    return sum(v**2 for v in p.values())


def all_joined(parts):
    joined = parts[0]
    for part in parts[1:]:
        joined = joined | part
    return joined


@program("v", by="tape")
def joined_in_a_function(x):
    joined = all_joined([entries_from(x, first) for first in range(3)])
    return sum(v**2 for v in joined.values())


@program("v")
def masks_beside_values(x):
    p = {"v": x * 2.0, "low": x > -9.0, "high": x < 9.0}
    return np.sum(p["v"] * (p["low"] & p["high"]))
