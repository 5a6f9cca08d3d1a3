"""Entries of inner lists and dicts that are replaced: the layers of a network, rows of a table."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def layers_trained_by_their_slopes(x):
    layers = []
    for k in range(3):
        layers.append({"w": x * k, "b": x[k % 2]})
    for _ in range(2):
        acts = [x]
        for layer in layers:
            acts.append(np.tanh(acts[-1] * layer["w"] + layer["b"]))
        delta = acts[-1] - 1.0
        for k in reversed(range(3)):
            layer = layers[k]
            g = delta * (1 - acts[k + 1] ** 2)
            delta = g * layer["w"]
            layer["w"] = layer["w"] - 0.1 * g * acts[k]
            layer["b"] = layer["b"] - 0.1 * np.sum(g)
    return np.sum(acts[-1] ** 2) + layers[0]["b"]


@program("v")
def one_row_twice_in_a_list(x):
    row = [x * 1.0, x * x]
    rows = [row, row]
    for r in rows:
        r[0] = r[0] * r[1]
    return np.sum(rows[0][0] * rows[1][1])


@program("v")
def all_entries_of_inner_dicts(x):
    layers = [{"w": x * 1.0, "b": x[0]}, {"w": x * x, "b": x[1]}]
    for layer in layers:
        for key, value in layer.items():
            layer[key] = value * value
    return np.sum(layers[0]["w"] * layers[1]["w"]) * layers[0]["b"] + layers[1]["b"]


@program("v")
def keys_that_were_not_there(x):
    state = {"h": x * 1.0}
    cells = [state, {"h": x[0]}]
    for cell in cells:
        cell["n"] = cell["h"] * 2.0
        cell["h"] = cell["n"] * x
    return np.sum(state["h"] * cells[1]["h"] * state["n"])


@program("v")
def entries_of_another_shape(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    for layer in layers:
        layer["w"] = np.outer(layer["w"], x)
    total = np.sum(layers[0]["w"] @ layers[1]["w"])
    for layer in layers:
        layer["w"] = np.sum(layer["w"])
    return total * layers[0]["w"] + layers[1]["w"]


@program("v")
def slopes_beside_their_layers(x):
    slopes = [{"w": x * 1.0}, {"w": x * x}]
    layers = [{"w": x * 1.0}, {"w": x * x}]
    for layer, slope in zip(layers, slopes, strict=True):
        layer["w"] = layer["w"] - 0.1 * slope["w"]
        slope["w"] = np.zeros_like(x)
    return np.sum(layers[0]["w"] * layers[1]["w"]) + np.sum(slopes[0]["w"])


@program("v")
def last_row_while_rows_are_added(x):
    rows = [[x * 1.0, x]]
    for _ in range(3):
        before = rows[-1]
        rows.append([before[0] * x, before[1]])
        before[1] = rows[-1][0] * 0.5
    return np.sum(rows[0][1] * rows[2][1]) + np.sum(rows[3][0])


@program("v")
def row_of_a_place_that_moves(x):
    rows = [[x * 1.0, x]]
    same = rows
    for _ in range(3):
        n = len(same)
        rows.append([rows[n - 1][0] * x, x])
        same[n // 2][1] = rows[-1][0] * same[n // 2][1]
    return np.sum(rows[0][1] * rows[2][1]) + np.sum(rows[1][1])


@program("v")
def row_of_the_trip_before(x):
    rows = [[x * 1.0], [x * 2]]
    last = rows[0]
    for row in rows:
        row[0] = row[0] * last[0]
        last = row
    return np.sum(rows[0][0] * rows[1][0] * last[0])


@program("v")
def row_of_one_of_two_paths(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    first = layers[0] if x[0] > 0 else layers[1]
    first["w"] = first["w"] * 3 * x
    for layer in layers:
        if np.sum(layer["w"]) > 1.0:
            layer["w"] = layer["w"] * 0.5
        else:
            layer["w"] = layer["w"] ** 2
    return np.sum(layers[0]["w"] * layers[1]["w"])


@program("v", "v")
def counts_beside_values(x, y):
    layers = [{"w": x, "n": 0}, {"w": y, "n": 0}]
    for k in range(4):
        layer = layers[k % 2]
        layer["w"] = layer["w"] * x
        layer["n"] = layer["n"] + 1
        layer["w"] = layer["w"] / layer["n"]
    return np.sum(layers[0]["w"] * layers[1]["w"])


@program("v")
def layers_in_a_dict(x):
    model = {"layers": [[x, x], [x, x * 2]]}
    for layer in model["layers"]:
        layer[0] = layer[0] * layer[1]
    return np.sum(model["layers"][0][0] * model["layers"][1][0])


@program("v")
def list_in_a_list_that_grows(x):
    rows = [[x * 2.0], [x * 3.0]]
    rows[0].append(x * x)
    rows[0][0] = rows[0][1] * x
    return np.sum(rows[0][1] * rows[1][0] * rows[0][0])


@program("v")
def bodies_that_pull_each_other(x):
    bodies = [{"p": x * 1.0, "v": x * 0.1, "m": 1.0}, {"p": x * 2.0, "v": -x, "m": 2.0}]
    for _ in range(2):
        for a in bodies:
            force = np.zeros_like(x)
            for b in bodies:
                if a is not b:
                    d = b["p"] - a["p"]
                    force = force + b["m"] * d / (np.sum(d * d) + 1) ** 1.5
            a["v"] = a["v"] + 0.1 * force
        for a in bodies:
            a["p"] = a["p"] + 0.1 * a["v"]
    return np.sum(bodies[0]["p"] * bodies[1]["v"])


@program("v")
def best_of_rows_that_change(x):
    rows = [[x * 1.0], [x * 2]]
    best = None
    for row in rows:
        if best is None or np.sum(row[0]) > np.sum(best[0]):
            best = row
        row[0] = row[0] * x
    best[0] = best[0] * 3
    return np.sum(rows[0][0] * rows[1][0] * best[0])


@program("v")
def nothing_before_the_first_row(x):
    rows = [[x * 1.0], [x * 2]]
    last = None
    for row in rows:
        if last is not None:
            row[0] = row[0] * last[0]
        last = row
    return np.sum(rows[0][0] * rows[1][0])


@program("v", by="tape")
def array_replaced_and_then_written(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    kept = layers[0]["w"]
    layers[0]["w"] = x * 5
    kept *= 2.0
    return np.sum(layers[0]["w"] * kept)


@program("v", by="tape")
def array_of_one_layer_given_to_another(x):
    layers = [{"w": x * 1.0}, {"w": x * x}]
    layers[0]["w"] = layers[1]["w"]
    layers[0]["w"][0] = 7.0
    return np.sum(layers[0]["w"] * layers[1]["w"])


@program("v", by="tape")
def number_of_one_key_put_under_another(x):
    layers = [{"w": x * 1.0, "b": np.sum(x)} for _ in range(2)]
    layers[0]["w"] = layers[1]["b"]
    for layer in layers:
        layer["w"] *= 0.5
    return np.sum(layers[0]["w"]) * layers[1]["b"]
