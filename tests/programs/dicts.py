"""Programs that make, read and update dicts."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("d")
def merged_parameters(params):
    scaled = {**params, "w": params["w"] * 2.0}
    return np.sum(scaled["w"] ** 2) + np.sum(scaled["b"])


@program("d")
def joined_by_an_operator(params):
    new = params | {"b": params["b"] ** 2, "c": params["b"]}
    return np.sum(new["b"] * new["c"]) + np.sum(new["w"])


@program("d")
def step_of_all_parameters(params):
    for _ in range(3):
        params = {name: value - 0.1 * np.sin(value) for name, value in params.items()}
    return sum(np.sum(value**2) for value in params.values())


@program("d")
def norm_by_keys(params):
    total = 0.0
    for name in params:
        total += np.sum(params[name] ** 2)
    for name in sorted(params):
        total += np.sum(np.cos(params[name]))
    for name in params.keys():
        total += np.sum(params[name])
    return total


@program("v")
def memo_of_a_recurrence(x):
    memo = {0: x[0], 1: x[1]}
    for n in range(2, 7):
        memo[n] = memo[n - 1] * x[2] + memo[n - 2] * x[3]
    return memo[6] + memo[3]


@program("v")
def counted_by_key(x):
    sums = {}
    for i, v in enumerate(x):
        key = i % 2
        sums[key] = sums.get(key, 0.0) + v * v
    return sums[0] * sums[1]


@program("v")
def entries_added_to(x):
    sums = {"even": 0.0, "odd": 1.0}
    for i in range(4):
        sums["odd" if i % 2 else "even"] += x[i] ** 2
    sums["odd"] *= x[0]
    return sums["even"] * sums["odd"]


@program("v")
def defaults_set(x):
    found = {"a": x[0]}
    first = found.setdefault("a", x[1])
    second = found.setdefault("b", x[2] * x[1])
    return first * second + found["b"]


@program("v")
def updated_and_popped(x):
    d = {"a": x[0], "b": x[1]}
    d.update({"b": x[2] * x[0], "c": x[3]})
    d.update(e=x[1] ** 2)
    taken = d.pop("a")
    missing = d.pop("z", x[1])
    return taken * d["b"] + d["c"] * missing + d["e"]


@program("v")
def overwritten_entry(x):
    d = {"a": x * 2.0}
    first = np.sum(d["a"] ** 2)
    d["a"] = np.sin(d["a"])
    d["b"] = d["a"] * first
    return np.sum(d["b"]) + np.sum(d["a"])


@program("v")
def dict_of_lists_read(x):
    groups = {"low": [x[0], x[1]], "high": [x[2] * x[3]]}
    total = 0.0
    for name, members in groups.items():
        for member in members:
            total = total + member * len(name)
    return total * groups["low"][1]


@program("v")
def list_of_dicts(x):
    layers = [{"w": v, "b": v * v} for v in x]
    h = 1.0
    for layer in layers:
        h = np.tanh(h * layer["w"] + layer["b"])
    return h * layers[0]["w"]


@program("v")
def copied_dict(x):
    d = {"a": x[0], "b": x[1]}
    e = dict(d)
    f = d.copy()
    d["a"] = x[2]
    e["b"] = x[3]
    return d["a"] * e["a"] + e["b"] * d["b"] * f["a"]


@program("v")
def dict_from_pairs(x):
    names = ["p", "q", "r", "s"]
    d = dict(zip(names, x))
    return d["p"] * d["q"] + d["s"] ** 2


@program("v")
def adjacency_of_a_graph(x):
    """The value of each node is made of those of its neighbours."""
    neighbours = {0: [1, 2], 1: [0], 2: [0, 1, 3], 3: [2]}
    value = {i: x[i] for i in range(4)}
    for _ in range(2):
        value = {
            i: 0.5 * value[i] + 0.5 * sum(value[j] for j in near) / len(near)
            for i, near in neighbours.items()
        }
    return sum(v * v for v in value.values())


@program("v")
def membership_of_keys(x):
    d = {}
    for i, v in enumerate(x):
        key = i // 2
        if key in d:
            d[key] = d[key] * v
        else:
            d[key] = v + 1.0
    return d[0] - d[1] * d[0]


PRICES = {"gold": 2.0, "iron": 0.5, "salt": 1.5}


@program("v")
def zipped_with_keys(x):
    ranks = {2: 0.5, 0: 1.5, 1: -1.0}
    total = 0.0
    for amount, name in zip(x, PRICES):
        total += amount**2 * PRICES[name]
    for amount, rank in zip(x, ranks):
        total += amount * ranks[rank] * rank
    for amount, rank in zip(x, {1: "a", 0: "b"}):
        total += np.sin(amount) * rank
    return total


@program("v")
def zipped_with_keys_of_an_argument(x, prices={1: 2.0, 0: 0.5}):  # noqa: B006 - it is read only
    total = 0.0
    for amount, rank in zip(x, prices):
        total += amount**2 * prices[rank]
    return total


@program("v")
def entries_that_later_ones_replace(x):
    d = {"a": x * x, "b": x, "a": x * x * x}  # noqa: F601 - that is the point
    e = {len(x): x * 2.0, 2 * len(x) - len(x): x * x}
    return np.sum(d["a"] * d["b"] * e[len(x)])


@program("v")
def made_by_calls(x):
    d = dict(a=x * 2.0, b=np.sin(x))
    e = dict(zip(("p", "q"), (x, d["a"])))
    both = dict.fromkeys(("u", "v"), x * x)
    d["a"] = d["a"] * both["u"]
    return np.sum(d["a"] * e["q"] + both["v"] * e["p"] * d["b"])


@program("v")
def entries_replaced_key_by_key(x):
    p = {"w": x * 1.0, "b": x[0] * x}
    for k in p:
        p[k] = p[k] * 2.0
    return np.sum(p["w"] * p["b"])


@program("v")
def step_down_a_dict_of_slopes(x):
    p = {"w": x * 1.0, "b": x[1] * x}
    slopes = {k: 0.2 * v**2 for k, v in p.items()}
    for k in slopes:
        p[k] = p[k] - 0.1 * slopes[k]
    return np.sum(p["w"] * p["b"])


@program("v")
def momentum_over_a_dict(x):
    p = {"w": x * 1.0, "b": x[0] * x}
    m = {k: np.zeros_like(v) for k, v in p.items()}
    for _ in range(3):
        for k in p:
            m[k] = 0.9 * m[k] + p[k] ** 2
            p[k] = p[k] - 0.1 * m[k] / (1.0 + x[1] ** 2)
    return np.sum(p["w"] * p["b"] + m["w"])


@program("v")
def entries_replaced_while_items_are_read(x):
    p = {"w": x * 1.0, "b": x[0] * x}
    for k, v in p.items():
        p[k] = v * 2.0 + p["w"]
    return np.sum(p["w"] * p["b"])


@program("v")
def rows_of_zeros_beside_a_list_that_varies(x):
    rows = [x * 1.0, x**2]
    sums = [np.zeros_like(row) for row in rows]
    for i in range(2):
        sums[i] = sums[i] + rows[i] * x[0]
    return np.sum(sums[0] * sums[1])


@program("s")
def entry_under_a_name_written(x):
    parts = {"a": np.zeros(2), "b": np.ones(2)}
    one = parts["b"]
    one[1] = x * x
    return parts["b"][1] * x + np.sum(parts["a"])


@program("s")
def entry_under_a_name_is_where_a_result_goes(x):
    parts = {"a": np.zeros(2)}
    one = parts["a"]
    np.multiply(x, x, out=one)
    np.add(one[:1], x, out=one[1:])
    return parts["a"][1] * parts["a"][0]


@program("s")
def entry_under_a_name_filled(x):
    parts = dict(a=np.zeros(2), b=np.ones(2))
    one, other = parts["a"], parts["b"]
    one[...] = x * x
    np.copyto(other, one * x)
    return parts["a"][1] + parts["b"][0]


@program("s")
def entry_of_an_entry_written(x):
    state = {"p": {"a": np.zeros(2)}}
    inner = state["p"]
    one = inner["a"]
    one[1] = x * x
    return state["p"]["a"][1] * x


@program("v")
def set_to_nothing_by_default(x):
    found = {}
    found.setdefault("a")
    found["a"] = x * x
    return np.sum(found.setdefault("a")) + len(found)
