"""Arrays that lists, tuples and dicts of the caller hold, written into by any of their names."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("t", ("v", 3))
def entry_of_a_tuple_written(p, x):
    p[0][:] *= x
    p[1][1:] -= p[0][:-1] * x[0]
    return np.sum(p[0] * p[1])


@program("t", ("v", 3))
def tuple_unpacked_and_updated(p, x):
    u, v = p
    u *= x
    v -= u
    return np.sum(p[0] * p[1] ** 2)


@program("t", ("v", 3))
def each_of_a_tuple_updated(p, x):
    for q in p:
        q *= x
    return np.sum(p[0] ** 2 * p[1])


@program("t", ("v", 3))
def entry_written_that_was_read_before(p, x):
    last = p[1][1:]
    p[1][:] = p[0] * x
    return np.sum(p[0] * p[1]) + np.sum(last**2 * x[1:])


@program("a", ("v", 3))
def entries_of_a_list_updated(p, x):
    p[0] *= x
    p[-1] += p[0]
    for i in range(len(p)):
        p[i] /= 2.0 + np.cos(x)
    return np.sum(p[0] * p[1])


@program("a", ("v", 3))
def entry_of_a_list_read_turned_before(p, x):
    turned = p[0][::-1]
    p[0] *= x
    before = np.sum(turned * p[1])
    p[0] -= p[1]
    return before + np.sum(turned**2 * p[1])


@program("a", ("v", 3))
def entries_of_a_list_updated_until(p, x):
    k = 0
    while k < 2:
        p[k] /= 2.0 + np.cos(p[1 - k])
        if x[k] > 0:
            p[k][0] = x[1]
        k += 1
    u, v = p
    u[1:] = v[:-1]
    return np.sum(p[0] ** 3 * p[1])


@program("a", ("v", 3))
def entry_of_a_list_and_the_other_argument(p, x):
    x *= p[0]
    p[0] *= x
    p[1][:] = x
    return np.sum(p[0] * p[1] * x)


def _halved(q, s):
    q *= s
    return q[1:]


@program("a", ("v", 3))
def entry_of_a_list_handed_to_a_function(p, x):
    part = _halved(p[0], x[0])
    part[0] = x[2]
    return np.sum(p[0] ** 2) + np.sum(part * p[1][1:])


@program("d", ("v", 2))
def entry_of_a_dict_updated(d, x):
    d["b"] *= x
    b = d["b"]
    b += d["w"][:, 0]
    return np.sum(b * d["b"]) + np.sum(d["w"])


@program("d", "s")
def items_of_a_dict_updated(d, s):
    for name, q in d.items():
        q /= 2.0 + np.cos(s)
    for name in d:
        d[name] *= s
    return np.sum(d["w"] @ np.ones(3) * d["b"])


@program("d", ("v", 2))
def entries_of_a_dict_updated_on_one_path(d, x):
    if x[0] > 0:
        d["b"] *= x
    else:
        d["w"][0] *= x[1]
    c = d["b"]
    c -= x
    return np.sum(c * d["b"]) + np.sum(d["w"] ** 2)


@program("a", ("v", 3))
def entries_of_a_list_exchanged_and_updated(p, x):
    p[0], p[1] = p[1], p[0]
    p[0] *= x
    return np.sum(p[0] ** 2 * p[1])


@program("a", ("v", 3), by="tape")
def copied_list_of_the_caller_updated(p, x):
    q = list(p)
    q[0][1:] *= x[1:]
    q[1] = q[0] * 2.0
    return np.sum(p[0] * q[1] + p[1])


@program("a", ("v", 3), by="tape")
def list_of_the_caller_in_another(p, x):
    z = [p, p]
    z[0][0][1:] *= x[1:]
    return np.sum(z[1][0] * p[1])


@program("d", ("v", 2))
def entry_of_a_dict_replaced_and_updated(d, x):
    b = d["b"]
    d["b"] = b * x
    d["b"] *= x
    return np.sum(d["b"] * b) + np.sum(d["w"])


@program("a", "t", ("v", 3))
def entries_of_a_tuple_beside_a_list_written(p, pair, x):
    p[1][:] *= x
    y = 0.1 * x
    k = y[0] = np.sum(pair[1])
    return np.mean(np.where(k > 0.0, pair[0], 0.3)) + np.sum(y * p[1])


@program("m", "s", "v")
def rows_listed_and_scaled_while_nobody_reads_them(m, s, x):
    rows = list(m)
    rows[1] *= s
    return np.sum(x)


@program("m", "s")
def rows_displayed_and_scaled_in_a_loop(m, s):
    rows = [m[0], m[1]]
    for k in range(2):
        rows[k] /= s
    return np.sum(m[2])


@program("v", "s")
def array_in_a_dict_scaled_while_nobody_reads_it(x, s):
    kept = {"x": x}
    kept["x"] *= s
    return s * 2.0


@program("v")
def shape_made_longer(x):
    shape = list(x.shape[:-1])
    shape.extend([-1, 1])
    longer = list(x.shape)
    longer += [1]
    return np.sum(x.reshape(shape) * np.sin(x).reshape(longer))


@program("v", by="tape")
def list_of_a_shape_and_the_array(x):
    held = list((x.shape, x))
    held += [2.0]
    held[1][0] = 5.0
    return np.sum(x * x)


def _shifted_in_place(x, by, scale=None):
    x, by = map(np.asarray, (x, by))
    x -= by
    return np.exp(x) if scale is None else np.exp(x) * scale


@program("s", "s")
def number_that_a_helper_makes_an_array_of(x, y):
    return _shifted_in_place(x, y) * x


@program("s", "s")
def number_of_another_name_made_an_array(x, y):
    same = x
    same = np.asarray(same)
    same += y
    return np.sin(same) * x


@program("s", "s")
def number_that_a_helper_with_an_option_makes_an_array_of(x, y):
    return _shifted_in_place(x, y, scale=None) + _shifted_in_place(y, x, scale=2.0)
