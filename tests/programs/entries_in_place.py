"""Arrays in lists and dicts that are updated in place, as parameters are by their momenta."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def momenta_over_the_items_of_a_dict(x):
    params = {"w": x * 1.0, "v": np.sin(x)}
    momenta = {k: np.zeros_like(w) for k, w in params.items()}
    for _ in range(2):
        for k, w in params.items():
            momenta[k] *= 0.9
            momenta[k] += 0.1 * w
            w -= 0.3 * momenta[k] * x[0]
    return np.sum(params["w"] * momenta["v"])


@program("v")
def arrays_of_a_dict_under_a_name_of_their_own(x):
    params = {"w": x * 1.0, "v": np.sin(x)}
    for w in params.values():
        w -= 0.3 * x
    w = params["w"]
    w[1:] *= x[:-1]
    return np.sum(params["w"] * params["v"])


@program("v")
def parts_of_arrays_in_a_dict(x):
    params = {"w": x * 1.0, "v": np.sin(x)}
    params["w"][1:] *= x[1:]
    params["v"][0] = params["w"][1]
    return np.sum(params["w"] * params["v"])


@program("v")
def dict_filled_by_a_loop_and_then_scaled(x):
    rows = {}
    for i in range(3):
        rows[i] = x * (i + 1)
    for i in rows:
        row = rows[i]
        row *= x
        row[0] = row[1]
    return np.sum(rows[0] * rows[1] * rows[2])


@program("v")
def list_of_a_comprehension_scaled_under_a_test(x):
    rows = [x * 1.0 for _ in range(2)]
    if x[-1] > 0.3:
        rows[-1][:] /= 2.0 + x
    return np.sum(rows[0] * rows[1])


@program("v")
def list_made_anew_by_each_trip(x):
    total = 0.0
    for i in range(3):
        rows = [x * i + j for j in range(2)]
        for row in rows:
            row *= np.cos(x)
        total = total + np.sum(rows[0] * rows[1])
    return total


@program("v")
def one_array_appended_again_and_again(x):
    state, states = x * 1.0, []
    for _ in range(3):
        state *= np.sin(x)
        states.append(state)
    return np.sum(states[0] * states[2]) + np.array(states).sum()


@program("v")
def list_filled_under_a_test(x):
    rows = []
    for i in range(3):
        if i != 1:
            rows.append(np.sin(x) * i)
    first, last = rows[0], rows[-1]
    last *= first + x
    first += x
    last -= first * x
    return np.sum(first * last) + np.sum(rows[0])


@program("v")
def list_that_grows_after_it_was_read(x):
    rows = []
    for i in range(3):
        rows.append(x * i)
        rows[-1][0] *= x[1]
    return np.sum(rows[0] * rows[2] + rows[1])


@program("v")
def imaginary_and_real_parts_in_place(x):
    z = x * np.exp(1j * x)
    b, c = z.imag, z.real
    b[1:] *= c[1:]
    c += b
    return np.sum(np.abs(z) ** 2) + np.sum(b * c)


@program("v")
def imaginary_part_of_what_is_real(x):
    z = x * 2.0
    b = z.imag
    z *= x
    return np.sum(z * (b + 1))


@program("v")
def copies_of_dicts_that_share_arrays(x):
    kept = {"w": x * 1.0, "b": np.sum(x)}
    shared = {**kept, "b": kept["b"] * 0.7}
    shared["w"] *= x
    other = dict(kept)
    other["b"] += 1.0
    return np.sum(kept["w"] * shared["b"]) + other["b"] * kept["b"]


@program("v")
def entry_scaled_under_its_key_and_its_name(x):
    d = {"w": x * 1.0, "v": np.sin(x)}
    d["w"] *= x
    w = d["w"]
    w += x
    return np.sum(d["w"] * d["v"])


@program("v")
def entries_popped_and_asked_for(x):
    parts = {"p": x * 1.0, "q": np.sin(x)}
    p = parts.pop("p")
    parts["q"] = parts["q"] * p
    p += 1.0
    return np.sum(parts.get("p", 0.5) * parts["q"] * p)


@program("v")
def counters_and_sums_of_a_dict(x):
    stats = {"n": 0, "sum": np.zeros(3)}
    while stats["n"] < 3:
        stats["n"] += 1
        stats["sum"] += x[:3] ** stats["n"]
    return np.sum(stats["sum"] ** 2)


@program("v")
def keys_that_hang_on_a_branch(x):
    d = {"a": x * 1.0, "b": 2.0}
    if x[0] > 0.1:
        d["b"] *= x[1]
        d["c"] = x[2]
    else:
        d["c"] = x[0]
    d["c"] += d["b"]
    c = d.pop("c")
    return c * d.get("c", 3.0) + np.sum(d["a"])


@program("v")
def entries_exchanged_and_updated(x):
    d = {"a": x * 1.0, "b": x * 2.0}
    d["a"], d["b"] = d["b"], d["a"]
    d["a"] += x
    return np.sum(d["a"] * d["b"] ** 2)


@program("v")
def dict_left_by_a_break(x):
    d = {"a": x * 1.0, "b": 1.0}
    for _ in range(3):
        d["b"] += np.sum(d["a"])
        if d["b"] > 2:
            break
        d = {**d, "a": d["a"] * x}
    return d["b"]


@program("v")
def adam_with_dicts(x):
    s = {"m": x * 0.0, "v": x * 0.0 + 1.0}
    p = {"w": x * 1.0}
    for _ in range(3):
        g = 2 * p["w"]
        s["m"] = 0.9 * s["m"] + 0.1 * g
        s["v"] *= 0.9
        s["v"] += 0.1 * g**2
        p["w"] -= 0.1 * s["m"] / (np.sqrt(s["v"]) + 1e-3)
    return np.sum(p["w"] ** 2)


@program("v")
def dicts_in_a_list_whose_entries_are_scaled(x):
    layers = [{"w": x * 1.0, "b": np.sum(x)} for _ in range(2)]
    h = x
    for layer in layers:
        layer["w"] *= 0.5
        h = np.tanh(h * layer["w"] + layer["b"])
    return np.sum(h)


@program("v", by="tape")
def dicts_in_a_list_whose_entries_are_replaced(x):
    layers = [{"w": x * 1.0} for _ in range(2)]
    total = 0.0
    for layer in layers:
        total = total + np.sum(layer["w"] ** 2)
    for layer in layers:
        layer["w"] = x * 3.0
    w = layers[0]["w"]
    w *= 2.0
    return total * np.sum(layers[0]["w"] * layers[1]["w"])


@program("v")
def views_of_one_array_in_a_list(x):
    y, rows = x * 1.0, []
    for i in range(3):
        rows.append(y[i:])
    for row in rows:
        row *= 1.5
        row[0] += x[0]
    return np.sum(y * x) + np.sum(rows[1] * 2)
