"""Dicts of objects, and in dicts, that are bound anew, handed out and reached by two ways."""

# ruff: noqa: B010 - as scripts are written

import copy

import numpy as np


class P:
    def __init__(self):
        self.u = np.zeros(4)
        self.t = 0.5


class M:
    def __init__(self):
        self.s = {"u": np.zeros(4), "t": 0.5}
        self.p = P()
        self.L = [np.ones(4), np.zeros(4)]
        self.deep = {"a": {"t": 0.25, "v": np.ones(4)}, "b": {"t": 2.0, "v": np.zeros(4)}}

    def renew(self):
        self.s = {"u": np.ones(4), "t": 3.0}

    def rep(self):
        self.p = P()
        self.p.t = 4.0


m = M()
other = M()
S = {"d": {"t": 0.5, "v": np.ones(4)}, "e": {"t": 1.5, "v": np.zeros(4)}, "q": 2.0}


def fresh():
    S["d"] = {"t": 7.0, "v": np.ones(4) * 2}


def swap():
    S["d"], S["e"] = S["e"], S["d"]


def dict_of_an_object_renewed(x):
    m.s = {"u": np.ones(4), "t": 3.0}
    m.s["t"] = m.s["t"] * x[0]
    m.s["u"][1:] = x[1:]
    return np.sum(m.s["u"]) * m.s["t"]


def renewed_by_a_method(x):
    m.renew()
    m.s["t"] = m.s["t"] * x[0]
    return np.sum(m.s["u"] * x) * m.s["t"]


def renewed_at_last(x):
    m.s["t"] = m.s["t"] * x[0]
    m.renew()
    return np.sum(m.s["u"] * x) * m.s["t"]


def object_renewed_before(x):
    m.rep()
    m.p.t = m.p.t * x[0]
    return m.p.t * np.sum(m.p.u + x)


def object_renewed_at_last(x):
    m.p.t = m.p.t * x[0]
    m.rep()
    return m.p.t * np.sum(m.p.u + x)


def renewed_by_a_helper(x):
    fresh()
    S["d"]["t"] = S["d"]["t"] * x[0]
    return S["d"]["t"] * np.sum(S["d"]["v"] * x)


def renewed_by_a_helper_at_last(x):
    S["d"]["t"] = S["d"]["t"] * x[0]
    fresh()
    return S["d"]["t"] * np.sum(S["d"]["v"] * x)


def dicts_changed_about(x):
    S["d"]["t"] = S["d"]["t"] * x[0]
    swap()
    S["d"]["v"][:] = x
    return S["d"]["t"] * np.sum(S["d"]["v"] * x) + S["e"]["t"]


def inner_dict_renewed(x):
    m.deep["a"] = {"t": 5.0, "v": np.zeros(4)}
    m.deep["a"]["v"][:] = x
    m.deep["a"]["t"] *= x[1]
    return m.deep["a"]["t"] * np.sum(m.deep["a"]["v"])


def inner_dicts_changed_about(x):
    m.deep["a"], m.deep["b"] = m.deep["b"], m.deep["a"]
    m.deep["a"]["v"][:] = x
    m.deep["a"]["t"] *= x[1]
    return m.deep["a"]["t"] * np.sum(m.deep["a"]["v"] + m.deep["b"]["t"])


def object_of_two(x):
    q = m
    q.s["t"] = x[0]
    q = other
    q.s["t"] = x[1] * 2
    return m.s["t"] * other.s["t"] + q.s["t"]


def dicts_of_a_loop(x):
    for k in ("a", "b"):
        m.deep[k]["v"][:] = x * m.deep[k]["t"]
        m.deep[k]["t"] = m.deep[k]["t"] * x[0]
    return np.sum(m.deep["a"]["v"] * m.deep["b"]["v"]) * m.deep["b"]["t"]


def appended(x):
    m.L.append(x * 2)
    m.L[0][:] = m.L[-1]
    return np.sum(m.L[0] * x)


def inserted(x):
    m.L.insert(0, x * 2)
    m.L[1][:] = x
    return np.sum(m.L[0] * m.L[1])


def reversed_list(x):
    m.L.reverse()
    m.L[0][:] = x * x
    m.L[1] = m.L[0] * 2
    return np.sum(m.L[0] * m.L[1])


def popped_of_a_list(x):
    m.L.pop()
    m.L[-1][:] = x * x
    return np.sum(m.L[0])


def all_of_a_list(x):
    m.L[:] = [x, x * 2]
    m.L[1] = m.L[0] * m.L[1]
    return np.sum(m.L[1])


def cleared(x):
    S.clear()
    S["q"] = x[0]
    return S["q"] * 2 * len(S)


def updated_by_another(x):
    S["d"].update(t=x[0], v=x * 2)
    S["e"].update(S["d"])
    return np.sum(S["e"]["v"]) * S["e"]["t"]


def dict_under_two_keys(x):
    S["e"] = S["d"]
    S["e"]["t"] = x[0] * 2
    S["d"]["v"][:] = x
    return S["d"]["t"] * np.sum(S["e"]["v"])


def set_by_name(x):
    setattr(m, "s", {"u": x, "t": 1.0})
    m.s["t"] = x[0]
    return np.sum(m.s["u"]) * m.s["t"]


def dict_of_two_objects(x):
    other.s = m.s
    other.s["t"] = x[0] * 2
    m.s["u"][:] = x
    return m.s["t"] * np.sum(other.s["u"])


def dicts_that_change_objects(x):
    other.s, m.s = m.s, other.s
    other.s["t"] = x[0] * 2
    m.s["t"] = x[1] * 3
    m.s["u"][:] = x
    return m.s["t"] * np.sum(m.s["u"]) * other.s["t"]


def former_dict(x):
    st = m.s
    m.s = {"u": np.ones(4), "t": 3.0}
    st["t"] = x[0] * 2
    st["u"][:] = x
    return st["t"] * np.sum(st["u"]) * m.s["t"]


def pick(k):
    return S[k]


def handed_out(x):
    d = pick("d")
    d["t"] = x[0] * d["t"]
    return S["d"]["t"] * x[1]


def got(x):
    d = S.get("d")
    d["t"] = x[0] * d["t"]
    return S["d"]["t"] * x[1]


def one_or_the_other(x):
    d = S["d"] if x[0] > 0 else S["e"]
    d["t"] = x[0] * d["t"]
    return S["d"]["t"] * x[1]


def each_of_two(x):
    for d in (S["d"], S["e"]):
        d["t"] = x[0] * d["t"]
        d["v"][:] = d["v"] + x
    return S["d"]["t"] * np.sum(S["e"]["v"])


def each_of_a_list(x):
    ds = [S["d"], S["e"]]
    for d in ds:
        d["t"] = x[0] * d["t"]
    ds[1]["v"] = x
    return S["d"]["t"] * np.sum(S["e"]["v"])


def each_that_is_a_dict(x):
    for d in S.values():
        if isinstance(d, dict):
            d["t"] = x[0] * d["t"]
    return S["d"]["t"] * S["e"]["t"]


def both(a, b, x):
    a["t"] = a["t"] * x[0]
    b["t"] = b["t"] + a["t"]


def both_by_a_helper(x):
    both(S["d"], S["e"], x)
    both(S["e"], S["d"], x)
    return S["d"]["t"] * S["e"]["t"]


def twice_by_a_helper(x):
    both(S["d"], S["d"], x)
    return S["d"]["t"]


def beside_a_copy(x):
    S["q"] = x[0]
    d = dict(S, q=3.0)
    d["q"] = d["q"] * x[1]
    return S["q"] * d["q"]


def spread(x):
    d = {**S, "q": 3.0 * x[0]}
    d["d"]["t"] = x[1]
    return S["d"]["t"] * d["q"]


def beside_a_deep_copy(x):
    d = copy.deepcopy(S)
    d["d"]["t"] = x[1] * d["d"]["t"]
    S["d"]["t"] = x[0]
    return S["d"]["t"] * d["d"]["t"]


class Clock:
    def __init__(self):
        self.time = 1.0


clock = Clock()


def read_by_functions_in_a_list(x):
    clock.time = clock.time + x[0]

    def later():
        return clock.time

    readers = [later for _ in range(2)]
    clock.time = clock.time * x[1]
    return readers[0]()
