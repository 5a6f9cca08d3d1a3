"""Dicts and lists of the module, of a class and of the function around, written by key."""

# ruff: noqa: B007, PLC0206, RUF012 - as scripts are written

import copy

import numpy as np

S = {"u": np.zeros(4), "t": 0.5, "n": 2, "name": "a", "w": np.arange(4.0)}
T = S
SH = np.ones(4)
TW = {"a": SH, "b": SH, "t": 1.0}
DD = {"deep": {"b": np.ones(4), "t": 0.5}, "P": [(np.ones(4), 2.0)], "k": {"z": {"q": 0.25}}}
L = [np.zeros(4), np.ones(4), 0.5]
EMPTY = {}


def another_variable(x):
    d = S
    d["u"][:] = x * x
    S["t"] = S["t"] + d["u"][0]
    return np.sum(d["u"]) * d["t"]


def second_name(x):
    T["u"][:] = x * x
    S["t"] = S["t"] + T["u"][0]
    return np.sum(S["u"]) * T["t"]


def one_array_under_two_keys(x):
    TW["a"][:] = x * x
    TW["t"] += x[0]
    return np.sum(TW["b"] * x) * TW["t"]


def keys_of_a_loop(x):
    for k in ("u", "w"):
        S[k][:] = S[k] * 2 + x
    S["t"] += x[1]
    return np.sum(S["u"] * S["w"]) * S["t"]


def all_keys(x):
    for k in S:
        if k in ("u", "w"):
            S[k] = S[k] + x * 2
    S["t"] *= x[2]
    return np.sum(S["u"] * S["w"]) * S["t"]


def array_that_was_there(x):
    old = S["u"]
    S["u"] = x * 2
    S["t"] += np.sum(old * x)
    S["u"] = S["u"] + old
    return np.sum(S["u"]) * S["t"] + np.sum(old)


def values_of_their_time(x):
    vals = list(S.values())
    S["t"] = x[0] * 2
    S["u"] = x
    return vals[1] * np.sum(x) + S["t"] * np.sum(S["u"])


def numbers_of_their_time(x):
    S["t"] = x[0]
    y = [S["t"] * i for i in range(3)]
    S["t"] = x[1] * 3
    z = {k: S[k] for k in ("t", "n")}
    S["t"] = x[2]
    return y[1] + y[2] + z["t"] + S["t"] * z["n"]


def bound_by_branches_and_loops(x):
    if x[0] > 0.1:
        S["t"] = x[1] * x[1]
    else:
        S["u"] = x
    while S["t"] < 3:
        S["t"] = S["t"] * 1.5 + x[0]
    return S["t"] * np.sum(S["u"] + x)


def returned_early(x):
    if x[0] > 100:
        return np.sum(x)
    S["t"] = x[0]
    for i in range(3):
        S["t"] = S["t"] * x[1]
        if S["t"] > 100:
            return S["t"] * 2
    return S["t"]


def new_key(x):
    S["new"] = x * 2
    S["t"] = S["t"] + np.sum(S["new"])
    return S["t"] * x[0]


def new_key_on_a_path(x):
    if x[0] > 0:
        S["extra"] = x * 3
    S["t"] += 1.0
    return np.sum(S.get("extra", x)) * S["t"]


def updated_by_keywords(x):
    S.update(t=x[0] * 2, u=x)
    return np.sum(S["u"]) * S["t"]


def copied_and_changed(x):
    S.update({"t": x[0] * 2})
    c = S.copy()
    c["t"] = 5.0 * x[1]
    return c["t"] * S["t"]


def copies_of_their_time(x):
    S["t"] = x[0] * 2
    c = dict(S)
    S["t"] = x[1]
    c2 = copy.deepcopy(S)
    S["t"] = x[2]
    return c["t"] + c2["t"] * 3 + S["t"] * 7


def popped(x):
    S["t"] = x[0] * 2
    q = S.pop("t")
    S["t"] = q * x[1]
    return S["t"]


def deleted(x):
    S["t"] = x[0] * 2
    del S["t"]
    S["t"] = x[1]
    return S["t"] * x[0]


def helper(s, x):
    s["t"] = s["t"] * x[0]
    return s


def returned_by_a_helper(x):
    s = helper(S, x)
    s["t"] += 1
    return S["t"] * x[1]


def changed_by_a_helper(x):
    helper(S, x)
    helper(S, x * 2)
    return S["t"]


def reader():
    return S["t"] * 2


def read_by_a_helper(x):
    S["t"] = x[0] * x[1]
    return reader() + S["t"]


def read_by_a_lambda(x):
    f = lambda: S["t"] * 2  # noqa: E731 - as it is written
    S["t"] = x[0] * x[1]
    y = f()
    S["t"] = x[2]
    return y + f()


def changed_by_a_nested_function(x):
    def put(v):
        S["t"] = v

    put(x[0])
    y = S["t"]
    put(x[1] * 2)
    return y * S["t"]


def mk():
    st = {"u": np.zeros(4), "t": 0.5}

    def step(x):
        st["u"][:] = st["u"] + x * st["t"]
        st["t"] = st["t"] * x[0]

    def run(x):
        step(x)
        step(x)
        return np.sum(st["u"]) * st["t"]

    return run


run0 = mk()


def kept_by_a_closure(x):
    return run0(x)


def dicts_in_a_dict(x):
    DD["deep"]["b"][:] = x * x
    DD["deep"]["t"] += x[0]
    DD["k"]["z"]["q"] = DD["deep"]["t"] * x[1]
    return np.sum(DD["deep"]["b"]) * DD["k"]["z"]["q"]


def array_in_a_tuple(x):
    DD["P"][0][0][:] = x * x
    return np.sum(DD["P"][0][0]) * DD["P"][0][1]


def inner_dict_by_name(x):
    q = DD["deep"]
    q["t"] = q["t"] * x[0]
    q["b"][1:] = x[1:] * q["t"]
    return np.sum(DD["deep"]["b"]) * DD["deep"]["t"]


def list_of_several_kinds(x):
    L[0][:] = x * x
    L[2] = L[2] + x[0]
    L[-1] *= 2
    return np.sum(L[0] * L[1]) * L[2]


def part_of_a_list(x):
    for a in L[:2]:
        a[:] = a + x
    L[2] = np.sum(L[0]) * x[0]
    return np.sum(L[1]) * L[2]


def places_of_a_loop(x):
    for i in range(2):
        L[i][:] = L[i] + x
    L[2] = L[2] * x[0]
    return np.sum(L[1]) * L[2]


def empty_dict(x):
    EMPTY["a"] = x * 2
    EMPTY["b"] = EMPTY["a"] * x
    return np.sum(EMPTY["b"])


def name_bound_anew(x):
    global S
    S["t"] = x[0]
    S = {"t": x[1], "u": x, "n": 1}
    S["t"] = S["t"] * 2
    return S["t"] * np.sum(S["u"])


def key_that_is_computed(x):
    k = "t" if x[0] > 0 else "n"
    S[k] = x[0] * 2
    S["u"][:] = x
    return S[k] * np.sum(S["u"])


def in_an_attempt(x):
    try:
        S["t"] = x[0] * 2
        S["u"] = S["missing"]
    except KeyError:
        S["t"] = S["t"] * x[1]
    return S["t"]


def entries_that_change_places(x):
    S["u"], S["w"] = S["w"] + x, S["u"] * x
    S["t"], y = x[0], S["t"]
    return np.sum(S["u"] * S["w"] + S["u"]) * S["t"] * y


def two_variables(x):
    a = b = S
    a["t"] = x[0]
    b["t"] = b["t"] * x[1]
    return a["t"] * len(S) + ("t" in S)


def number_that_becomes_an_array(x):
    S["t"] = x
    S["u"][:] = S["t"] * 2
    S["t"][0] = 5.0 * x[1]
    return np.sum(S["t"] * S["u"])


def entry_of_an_entry(x):
    S["u"] = S["w"]
    S["u"][:] = x * 2
    return np.sum(S["w"] * x)


def array_of_the_function(x):
    y = x * 2
    S["u"] = y
    y[0] = x[1] * 7
    return np.sum(S["u"] * x)


def summed_up(x):
    S["t"] = 0.0
    for v in x:
        S["t"] += v * v
    S["n"] = S["n"] + 1
    return S["t"] * S["n"]


class C:
    st = {"u": np.zeros(4), "t": 0.5}

    def __init__(self):
        self.c = {"a": 1.0, "rows": [np.zeros(4), np.ones(4)]}

    def go(self, x):
        self.st["t"] = x[0] * 2
        self.c["rows"][0][:] = x * self.st["t"]
        self.c["a"] *= x[1]
        return np.sum(self.c["rows"][0] * self.c["rows"][1]) * self.c["a"]


c0 = C()


def fields_of_fields(x):
    return c0.go(x)


def run_twice(x):
    return c0.go(x) + c0.go(x * 2)


def printed(x):
    S["t"] = S["t"] + x[0]
    print_it = f"{S['t']:.2f}"
    return S["t"] * len(print_it)


def variable_bound_anew(x):
    s = S
    s = {"t": x[0]}
    s["t"] = s["t"] * 2
    S["t"] = x[1]
    return s["t"] * S["t"]


def within_a_context(x):
    with np.errstate(all="ignore"):
        S["t"] = x[0] / (x[1] - x[1] + 1)
    return S["t"] ** 2


def rec(n, x):
    if n == 0:
        return
    S["t"] = S["t"] * x[0]
    rec(n - 1, x)


def recursive(x):
    rec(3, x)
    return S["t"]


def gen(values):
    for v in values:
        S["t"] = S["t"] + v * v
        yield S["t"]


def generated(x):
    return sum(gen(x)) * S["t"]


def index_in_the_dict(x):
    S["u"][S["n"]] = x[0] * x[1]
    S["t"] += S["u"][S["n"]]
    return S["t"] * S["u"][2]


def doubled_entry():
    return S["u"] * 2


def read_within_a_comprehension(x):
    S["u"][:] = x
    return np.sum(np.array([doubled_entry() for _ in range(2)]) * x)


def read_by_functions_in_a_list(x):
    S["t"] = S["t"] + x[0]

    def later():
        return S["t"]

    readers = [later for _ in range(2)]
    S["t"] = S["t"] * x[1]
    return readers[0]()
