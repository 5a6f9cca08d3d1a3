"""Programs that change lists and dicts after they were read, and write into what these hold."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("v", 4))
def two_layers_take_turns(x):
    ws = [x * 1.0, x * 2.0]
    for i in range(3):
        w = ws[0]
        w[1:] *= x[0]
        ws[0], ws[1] = ws[1], ws[0]
        w[0] += x[1]
    return np.sum(ws[0] ** 2) + np.sum(ws[1])


@program(("v", 4))
def list_grown_by_what_it_holds(x):
    ws = [x * 1.0]
    for i in range(3):
        w = ws[i]
        w[1:] *= x[0]
        ws.append(w * x)
    return np.sum(ws[0] ** 2) + np.sum(ws[3])


@program(("v", 4))
def arrays_move_between_keys(x):
    d = {"a": x * 1.0, "b": x * 2.0}
    p = d["a"]
    p[0] *= x[1]
    d["a"] = d["b"]
    q = d["a"]
    q[1:] *= x[0]
    d["b"] = x * 3
    d["b"][0] = p[1]
    return np.sum(d["a"] ** 2) + np.sum(p * d["b"])


@program(("v", 4))
def hidden_states_of_layers(x):
    h = [np.zeros_like(x), np.zeros_like(x)]
    for t in range(4):
        for k in range(2):
            s = h[k]
            s *= 0.5
            h[k] = np.tanh(s + x * (k + 1))
    return np.sum(h[0] * h[1])


@program(("v", 4))
def old_and_new_grids_swap(x):
    h = [np.zeros_like(x), np.zeros_like(x)]
    for t in range(4):
        old, new = h
        new[1:] = old[:-1] + x[1:]
        new[0] = x[0] ** 2
        h[0], h[1] = new, old
    return np.sum(h[0] * h[1] ** 2)


@program(("v", 4))
def one_array_moves_on(x):
    ws = [x * 1.0, x * 2.0, x * 3.0]
    first = ws[0]
    for i in range(2):
        ws[i] = ws[i + 1]
        ws[i][:2] *= x[i]
    ws[2] = first
    first += ws[1]
    return np.sum(ws[0] * ws[1] * ws[2])


@program(("v", 4))
def length_of_a_list_that_grows(x):
    ws = [x * 1.0]
    while len(ws) < 4:
        last = ws[-1]
        last[1:] *= 0.5
        ws.append(last * x[0])
    return np.sum(ws[0] * ws[3])


@program(("v", 4))
def summed_when_it_is_full(x):
    ws = [x * 1.0, x * 2.0]
    ws[0][1:] *= x[0]
    ws.append(ws[0] * ws[1])
    last = ws[2]
    last -= ws[0]
    return np.sum(np.stack(ws) ** 2)


@program(("v", 4))
def written_into_what_a_call_returns(x):
    w = x * 1.0

    def scaled(by, place):
        w[place] = w[place] * by
        return w

    first = scaled(x[0], 1)
    scaled(x[1], 0)[1] += x[2]
    return np.sum(w**2) + np.sum(first)


@program(("v", 4))
def history_that_moves_on(x):
    y = x * 1.0
    fs = [-y * x[0], -y * x[0] * 0.9, -y]
    for t in range(4):
        y += 0.1 * (23 * fs[2] - 16 * fs[1] + 5 * fs[0]) / 12
        fs.pop(0)
        fs.append(-y * x[0])
        fs[-1][0] *= 0.5
    return np.sum(y)


@program(("v", 4))
def stack_of_arrays(x):
    stack = [x * 1.0]
    total = 0.0
    k = 0
    while stack:
        v = stack.pop()
        v[0] *= 0.5
        total = total + np.sum(v)
        if k < 3:
            stack.append(v * x[1])
            stack.append(v)
        k += 1
    return total


@program(("v", 4))
def arrays_taken_out_of_a_dict(x):
    d = {"a": x * 1.0, "b": x * 2.0}
    for i in range(2):
        p = d.pop("a")
        p[i] *= x[3]
        d["a"] = d["b"]
        d["b"] = p
    return np.sum(d["a"] * x) + np.sum(d["b"])


@program(("v", 4))
def taken_out_and_put_in(x):
    ws = [x * 1.0, x * 2.0, x * 3.0]
    w = ws.pop()
    w[1:] *= x[0]
    ws.insert(0, w)
    v = ws.pop(1)
    v -= ws[0]
    ws.append(v)
    return np.sum(ws[0] * ws[1]) + np.sum(ws[2] * w)


@program("v")
def inserted_by_a_star(x):
    kept = [x[1]]
    where_and_what = (0, x * x)
    kept.insert(*where_and_what)
    return np.sum(kept[0]) * kept[1]


@program("v")
def appended_by_a_star(x):
    kept = []
    parts = (x * x,)
    kept.append(*parts)
    return np.sum(kept[0])


class _Branch:
    """A tree whose methods have names that those of lists have, and take more."""

    def __init__(self):
        self.total = 0.0
        self.branches = []

    def insert(self, i, place, mass):
        if len(self.branches) < 2:
            self.branches.append(_Branch())
        else:
            self.branches[i % 2].insert(i // 2, place, mass)
        self.total = self.total + place * mass


@program("v", by="tape")
def tree_with_an_insert_of_its_own(x):
    root = _Branch()
    for i in range(len(x)):
        root.insert(i, x[i], x[i] ** 2)
    return root.total + root.branches[0].total
