"""Lists and dicts copied, cut, taken out of others and put in: what is shared stays shared."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np

from tests.programs.corpus import program


@program("v")
def a_copy_beside_two_names(x):
    p = {"w": x * 1.0, "b": x * x}
    q = p
    old = dict(p)
    q["w"] = q["w"] * x
    return np.sum(p["w"] * old["w"] * old["b"])


@program("v")
def rows_of_dicts_copied_one_by_one(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    old = [dict(layer) for layer in layers]
    for layer, o in zip(layers, old):
        layer["w"] = layer["w"] * x + o["w"]
        o["w"] = o["w"] * 3.0
    return np.sum(layers[0]["w"] * old[0]["w"] * layers[1]["w"])


@program("v")
def list_of_rows_copied_flat(x):
    rows = [[x * 1.0, x * x], [x * 2.0, x]]
    back = list(rows)
    rows[0][1] = rows[0][1] * x
    back[1][0] = back[1][0] + x
    return np.sum(back[0][1] * rows[1][0] * rows[0][0])


@program("v")
def rows_copied_one_by_one(x):
    rows = [[x * 1.0, x * x], [x * 2.0, x]]
    back = [list(r) for r in rows]
    rows[0][1] = rows[0][1] * x
    back[1][0] = back[1][0] + x
    return np.sum(back[0][1] * rows[1][0] * rows[0][1] * back[1][0])


@program("v")
def arithmetic_beside_lists_under_other_keys(x):
    net = {"layers": [{"w": x}, {"w": 2.0 * x}], "scale": x * x}
    h = x
    for layer in net["layers"]:
        h = h * layer["w"] + net["scale"]
    return np.sum(h * net["scale"])


@program("v")
def dicts_made_of_others_and_more(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    new = [{**layer, "b": layer["w"] * 2.0} for layer in layers]
    for layer in new:
        layer["w"] = layer["w"] * layer["b"]
    return np.sum(new[0]["w"] * layers[1]["w"] * new[1]["b"])


@program("v")
def history_of_copied_layers(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    hist = []
    for k in range(3):
        hist.append([dict(layer) for layer in layers])
        for layer in layers:
            layer["w"] = layer["w"] * x
    return np.sum(hist[0][0]["w"] * hist[2][1]["w"] + layers[0]["w"])


@program("v")
def chain_of_copied_dicts(x):
    p = {"w": x * 1.0}
    ps = [p]
    for k in range(2):
        q = dict(ps[-1])
        q["w"] = q["w"] * x
        ps.append(q)
    return np.sum(ps[0]["w"] + ps[1]["w"] * ps[2]["w"])


@program("v")
def joined_with_a_row_that_is_there(x):
    rows = [[x, x * 2.0], [x * x, x]]
    more = [*rows, rows[0]]
    for r in more:
        r[0] = r[0] * r[1]
    return np.sum(more[2][0] * rows[0][0] * rows[1][0])


@program("v")
def dicts_merged_and_changed(x):
    a = {"w": x}
    b = {"w": x * 2, "c": x}
    c = {**a, **b}
    for d in (a, b, c):
        d["w"] = d["w"] * x
    return np.sum(a["w"] + b["w"] * c["w"] * c["c"])


@program("v")
def steps_that_copy_a_dict(x):
    ps = [{"w": x, "v": x * x}]

    def step(p):
        new = dict(p)
        new["w"] = p["w"] + 0.1 * p["v"]
        new["v"] = p["v"] - 0.1 * p["w"]
        return new

    for i in range(3):
        ps.append(step(ps[-1]))
    return np.sum(ps[3]["w"] * ps[1]["v"])


@program("v")
def rows_spread_into_one(x):
    rows = [[x * 1.0, x * x], [x * 2.0, x]]
    flat = [*rows[0], *rows[1]]
    rows[0][1] = rows[0][1] * x
    flat[2] = flat[2] * flat[1]
    return np.sum(flat[2] * rows[0][1] * flat[0] * flat[3])


@program("v")
def one_of_two_dicts_copied(x):
    p = {"w": x}
    q = p if x[0] > 100 else {"w": x * 2}
    r = dict(q)
    r["w"] = r["w"] * 3
    p["w"] = p["w"] * x
    return np.sum(q["w"] * r["w"] + p["w"])


@program("v")
def names_that_move_on_to_copies(x):
    hist = []
    s = {"q": x, "p": x * x}
    for k in range(3):
        hist.append(s)
        s = dict(s)
        s["q"] = s["q"] + 0.1 * s["p"]
        s["p"] = s["p"] - 0.1 * s["q"]
    return np.sum(sum(h["q"] * h["p"] for h in hist))


@program("v")
def copies_joined(x):
    a = [[x, x], [x * x, x]]
    b = [list(r) for r in a] + [list(r) for r in a]
    for r in b:
        r[0] = r[0] * x
    return np.sum(a[0][0] * b[1][0] * b[2][0])


@program("v")
def best_of_copies(x):
    best = None
    pop = [{"g": x * k, "f": np.sum(x * x) * k} for k in range(1, 4)]
    for ind in pop:
        c = dict(ind)
        c["g"] = c["g"] * 2
        if best is None or np.sum(c["g"]) > np.sum(best["g"]):
            best = c
    return np.sum(best["g"] * best["f"])


@program("v")
def table_cut_whole(x):
    grid = [[x[i] * x[j] for j in range(3)] for i in range(3)]
    for _ in range(2):
        old = [r[:] for r in grid]
        for i in range(1, 2):
            for j in range(1, 2):
                grid[i][j] = old[i - 1][j] + old[i][j - 1] * old[i][j]
    return grid[1][1] * grid[2][2]


@program("v")
def table_copied_by_method(x):
    grid = [[x[i] * x[j] for j in range(3)] for i in range(3)]
    for _ in range(2):
        old = [r.copy() for r in grid]
        for i in range(1, 2):
            for j in range(1, 2):
                grid[i][j] = old[i - 1][j] + old[i][j - 1] * old[i][j]
    return grid[1][1] * grid[2][2]


@program("v")
def layers_but_the_first(x):
    layers = [{"w": x * 1.0}, {"w": x * x}, {"w": x}]
    for layer in layers[1:]:
        layer["w"] = layer["w"] * x
    return np.sum(layers[0]["w"] * layers[2]["w"] * layers[1]["w"])


@program("v")
def layers_backwards(x):
    layers = [{"w": x * 1.0}, {"w": x * x}, {"w": x}]
    for layer in layers[::-1]:
        layer["w"] = layer["w"] * layers[0]["w"]
    return np.sum(layers[0]["w"] * layers[2]["w"] * layers[1]["w"])


@program("v")
def parameters_moved_by_momentum(x):
    params = {"W1": x * 1.0, "b1": x * 0.5}
    m = {k: np.zeros_like(v) for k, v in params.items()}
    for t in range(2):
        g = {k: v * 2.0 for k, v in params.items()}
        new = dict(params)
        for k in params:
            m[k] = 0.9 * m[k] + 0.1 * g[k]
            new[k] = params[k] - 0.1 * m[k]
        params = new
    return np.sum(params["W1"] * params["b1"])


@program("v")
def last_layer_taken_out(x):
    layers = [{"w": x * 1.0}, {"w": x * x}, {"w": x}]
    last = layers.pop()
    for layer in layers:
        layer["w"] = layer["w"] * last["w"]
    last["w"] = last["w"] * x
    return np.sum(layers[0]["w"] * last["w"] * layers[1]["w"])


@program("v")
def entries_moved_between_rows(x):
    rows = [[x, x * x], [x * 3.0, x]]
    z = rows[0][1] * rows[1][0]
    a = rows[0].pop()
    rows[1][0] = rows[1][0] * a
    rows[0].append(rows[1].pop(0))
    return np.sum(rows[0][1] * z * rows[1][0])


@program("v")
def stack_of_nodes(x):
    stack = [{"v": x, "d": 0}]
    out = np.zeros_like(x)
    while stack:
        node = stack.pop()
        node["v"] = node["v"] * x
        if node["d"] < 2:
            stack.append({"v": node["v"] * 2.0, "d": node["d"] + 1})
            stack.append({"v": node["v"] + x, "d": node["d"] + 1})
        else:
            out = out + node["v"]
    return np.sum(out)


@program("v")
def key_taken_out_beside_another_name(x):
    d = {"a": x, "b": x * x, "c": x * 2}
    e = {"d": d}
    b = d.pop("b")
    e["d"]["a"] = e["d"]["a"] * b
    return np.sum(d["a"] * d["c"])


@program("v")
def queue_of_rows(x):
    q = [[x], [x * 2]]
    for k in range(3):
        r = q.pop(0)
        r[0] = r[0] * x
        q.append(r)
    return np.sum(q[0][0] * q[1][0] ** 2)


@program("v")
def rows_dropped(x):
    q = [[x], [x * 2], [x * x]]
    q[0][0] = q[0][0] * q[2][0]
    q.pop()
    q[1][0] = q[1][0] * x
    q.pop(0)
    return np.sum(q[0][0])


@program("v")
def put_before_others_in_rows(x):
    q = [[x, x], [x * 2, x * x]]
    for r in q:
        r.insert(0, r[1] * 2.0)
        r[1] = r[1] * r[0]
    return np.sum(q[0][0] * q[1][1] * q[0][2])


@program("v")
def taken_out_and_put_back(x):
    q = [[x, x], [x * 2, x * x]]
    for r in q:
        t = r.pop()
        r.append(t * r[0])
        r[0] = r[0] * r[-1]
    return np.sum(q[0][0] * q[1][1] * q[0][1])


@program("v")
def moved_to_another_key(x):
    h = {"a": [x], "b": [x * 2]}
    v = h.pop("a")
    v[0] = v[0] * h["b"][0]
    h["b"][0] = h["b"][0] * x
    h["c"] = v
    return np.sum(h["c"][0] * h["b"][0])


@program("v")
def deque_of_rows(x):
    q = deque([[x, 1.0]])
    s = 0.0
    while q:
        v, k = q.popleft()
        s = s + np.sum(v) * k
        if k < 3:
            q.append([v * x, k + 1])
    return s


@program("v")
def taken_out_of_inner_dicts(x):
    d = {"s": [x, x * 2.0], "t": {"u": x * x}}
    v = d["s"].pop()
    w = d["t"].pop("u")
    d["s"].append(v * w)
    d["t"]["u"] = v
    z = d["t"].pop("q", x)
    return np.sum(d["s"][1] * d["t"]["u"] * d["s"][0] * z)


@program("v")
def row_replaced_in_a_copy(x):
    a = [[x, x * 2.0], [x * x, x]]
    b = list(a)
    y = b[0][1] * a[1][0]
    b[0] = [x * 3.0, x]
    b[1][0] = b[1][0] * x
    return np.sum(a[0][0] * a[1][0] * b[0][0] * y)


@program("v")
def list_under_a_key_replaced(x):
    net = {"a": [x, x * 2], "b": [x]}
    net["a"][0] = net["a"][0] * x
    y = net["a"][0] * net["a"][1]
    net["a"] = [y, x]
    net["a"][1] = net["a"][1] * net["a"][0]
    return np.sum(net["a"][1] * net["b"][0])


@program("v")
def individuals_replaced(x):
    pop = [{"g": x * k} for k in range(1, 4)]
    for t in range(2):
        for i in range(3):
            pop[i] = {"g": pop[i]["g"] * pop[(i + 1) % 3]["g"]}
    return np.sum(pop[0]["g"] + pop[1]["g"])


@program("v")
def generations_of_copies(x):
    pop = [{"g": x * k} for k in range(1, 4)]
    for t in range(2):
        new = []
        for i in range(3):
            c = dict(pop[i])
            c["g"] = c["g"] + 0.1 * pop[(i + 1) % 3]["g"]
            new.append(c)
        pop = new
    return np.sum(pop[0]["g"] * pop[1]["g"])


@program("v")
def dicts_that_change_places(x):
    pop = [{"g": x * k} for k in range(1, 4)]
    pop[0], pop[2] = pop[2], pop[0]
    pop[0]["g"] = pop[0]["g"] * x
    return np.sum(pop[0]["g"] * pop[1]["g"] ** 2 + pop[2]["g"] ** 3)


@program("v")
def deep_copy_written_beside_its_source(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    old = copy.deepcopy(layers)
    for layer, o in zip(layers, old):
        layer["w"] = layer["w"] * x
        o["w"] = o["w"] * layer["w"]
    return np.sum(layers[0]["w"] * old[0]["w"] * layers[1]["w"] * old[1]["w"])


@program("v")
def best_of_deep_copies(x):
    best = {"w": x, "f": 0.0}
    for k in range(3):
        cand = copy.deepcopy(best)
        cand["w"] = cand["w"] * x + k
        cand["f"] = np.sum(cand["w"])
        if cand["f"] > best["f"]:
            best = cand
    return np.sum(best["w"] ** 2) + best["f"]


@program("v")
def nodes_of_a_tree_visited(x):
    tree = {
        "v": x,
        "kids": [{"v": x * 2, "kids": []}, {"v": x * x, "kids": [{"v": x + 1, "kids": []}]}],
    }
    todo = [tree]
    s = 0.0
    while len(todo) > 0:
        n = todo.pop(0)
        n["v"] = n["v"] * x
        s = s + np.sum(n["v"])
        for k in n["kids"]:
            todo.append(k)
    return s


@program("v")
def dict_of_dicts_by_number(x):
    hist = {}
    for k in range(3):
        hist[k] = {"w": x * (k + 1)}
    for k in hist:
        hist[k]["w"] = hist[k]["w"] * hist[0]["w"]
    hist[1] = hist[2]
    hist[1]["w"] = hist[1]["w"] + x
    return np.sum(hist[2]["w"] * hist[0]["w"])


@program("v")
def flat_copies_by_the_module(x):
    best = {"w": x, "f": 0.0}
    for k in range(3):
        cand = copy.copy(best)
        cand["w"] = cand["w"] * x + k
        cand["f"] = np.sum(cand["w"])
        if cand["f"] > best["f"]:
            best = cand
    return np.sum(best["w"] ** 2) + best["f"]


@program("v")
def deep_copies_kept_while_a_list_grows(x):
    s = {"h": [x]}
    keep = []
    for k in range(3):
        keep.append(copy.deepcopy(s))
        s["h"].append(s["h"][-1] * x)
    return np.sum(keep[1]["h"][-1] * s["h"][2]) + len(keep[2]["h"])


@program("v")
def deep_copy_of_a_matrix_of_numbers(x):
    m = [[x[0], x[1]], [x[2], x[3]]]
    n = copy.deepcopy(m)
    for i in range(2):
        for j in range(2):
            n[i][j] = m[j][i] * m[i][j]
    m[0][0] = n[1][1]
    return m[0][0] * n[0][1] * m[1][1]


@program("v")
def copies_of_copies(x):
    d = {"a": x}
    for k in range(2):
        d = copy.deepcopy(d)
        d["a"] = d["a"] * x
        e = copy.deepcopy(d)
        e["a"] = e["a"] + d["a"]
        d = e
    return np.sum(d["a"])
