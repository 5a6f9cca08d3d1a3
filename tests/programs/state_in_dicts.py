"""Programs whose state is in dicts and lists of several kinds of values, written by key."""

import numpy as np

from tests.programs.corpus import program

N = 5
DT = 0.1
STATE = {"h": np.zeros(N), "q": np.ones(N), "t": 0.0, "steps": 0}
BUFFERS = [np.zeros(N), np.ones(N), 0.5]
TANKS = {"left": {"level": 1.0, "area": 2.0}, "right": {"level": 0.5, "area": 1.0}}


class Plant:
    """A plant whose parts are in a dict."""

    def __init__(self):
        self.parts = {"pressure": np.ones(N), "load": 0.5}

    def step(self, demand):
        self.parts["pressure"][1:] -= DT * self.parts["pressure"][:-1] * demand[1:]
        self.parts["load"] = 0.9 * self.parts["load"] + DT * demand[0]


PLANT = Plant()


def flow():
    STATE["h"][1:] += DT * STATE["q"][:-1] * STATE["t"]
    STATE["t"] += DT
    STATE["steps"] += 1


@program(("v", N))
def stepped_by_a_helper(x):
    STATE["h"][:] = x * x
    STATE["q"] = np.ones(N)
    STATE["t"] = x[0]
    for _ in range(3):
        flow()
    return np.sum(STATE["h"] ** 2) * STATE["t"]


@program(("v", N))
def entries_bound_anew(x):
    STATE["h"], STATE["q"], STATE["t"] = np.zeros(N), np.ones(N), 0.5
    STATE["q"] = STATE["q"] * x
    STATE["t"] = STATE["t"] + np.sum(STATE["q"])
    return np.sum(STATE["q"] * STATE["h"]) + STATE["t"] * x[0]


@program(("v", N))
def buffers_exchanged(x):
    BUFFERS[0][:] = x * x
    BUFFERS[1][:] = 1.0
    BUFFERS[2] = 0.5
    BUFFERS[0], BUFFERS[1] = BUFFERS[1], BUFFERS[0]
    BUFFERS[2] = BUFFERS[2] * x[1]
    return np.sum(BUFFERS[1] * x) * BUFFERS[2]


def drain(source, target, rate):
    moved = rate * source["level"]
    source["level"] -= moved / source["area"]
    target["level"] += moved / target["area"]


@program("s")
def dicts_handed_to_a_helper(rate):
    TANKS["left"]["level"] = 1.0
    TANKS["right"]["level"] = 0.5
    drain(TANKS["left"], TANKS["right"], rate)
    drain(TANKS["right"], TANKS["left"], rate * rate)
    return TANKS["left"]["level"] * TANKS["right"]["level"]


@program(("v", N))
def dict_of_an_object(x):
    PLANT.parts["pressure"][:] = x
    PLANT.parts["load"] = 0.5
    PLANT.step(x)
    PLANT.step(x * 2)
    return np.sum(PLANT.parts["pressure"]) * PLANT.parts["load"]


@program(("v", N))
def keys_in_a_loop(x):
    STATE["t"] = 0.5
    for key in ("h", "q"):
        STATE[key][:] = x * x
        STATE[key][1:] = STATE[key][:-1] * 0.5
    STATE["t"] += x[0]
    return np.sum(STATE["h"] * STATE["q"]) * STATE["t"]


def relaxed(state, rate):
    state["u"] = state["u"] + rate * state["v"]
    state["v"] = state["v"] - rate * state["u"]
    state["t"] += rate


@program(("v", N))
def dict_of_the_function(x):
    state = {"u": x, "v": np.ones(N), "t": 0.0}
    for _ in range(3):
        relaxed(state, DT)
    return np.sum(state["u"] * state["v"]) * state["t"]
