"""Programs that change lists and dicts of the caller or of the module: logs, tables, caches."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.corpus import program

LOG: list[Any] = []
PAIR = [0.25, 0.75]
HISTORY: dict[str, list[Any]] = {"loss": [], "step": []}
SEEN: list[Any] = [1.0]


@program("v")
def logged_in_the_module(x):
    total = 0.0
    for value in x:
        total = total + value**2
        LOG.append(float(total))
    return total * total


@program("v")
def logged_in_a_history_of_the_module(x):
    y = x
    for step in range(3):
        y = np.sin(y) * x
        HISTORY["loss"].append(np.sum(y))
        HISTORY["step"].append(step)
    return np.sum(y)


@program("v", "l")
def logged_in_an_argument(x, history):
    t = x[0]
    for _ in range(4):
        new = 0.5 * (t + x[1] ** 2 / t)
        history.append(abs(new - t))
        t = new
    return t


@program("v", "l")
def arrays_kept_in_an_argument(x, history):
    y = x * 2.0
    for _ in range(3):
        y = np.sin(y) + x
        history.append(y.copy())
    return np.sum(y * history[-2])


@program("v", "l")
def entries_added_and_read(x, history):
    for value in x:
        history.append(value * value)
    return history[-1] * history[-2] + history[0] * x[0]


@program("v", "l")
def entries_added_on_some_paths(x, history):
    total = 0.0
    for value in x:
        if value > 0.0:
            history.append(value)
            total += value**2
        else:
            total -= value
    return total * len(history)


@program("v", "l")
def entry_put_first_and_others_taken_out(x, history):
    history.insert(0, x[0])
    history.append(x[1] * x[2])
    last = history.pop()
    return last * history[0] * history[1] * x[3]


@program("v", "l")
def entries_of_an_argument_swapped(x, out):
    out[0], out[1] = x[1] * out[1], x[0] * out[0]
    return out[0] + out[1] ** 2


@program("v", "l")
def entries_of_an_argument_written_in_a_loop(x, out):
    total = 0.0
    for i in range(2):
        out[i] = x[i] * 2.0 + out[i - 1]
        total += out[i] ** 2
    return total


@program("v", "k")
def entries_of_a_dict_of_the_caller(x, p):
    p["a"] = x[0] * p["a"]
    p["c"] = p["a"] + x[1]
    p.update(b=p["c"] * x[2])
    return p["a"] * p["b"] + p.setdefault("d", 2.0) * x[3]


@program("v", "k")
def arrays_in_a_dict_of_the_caller(x, p):
    p["a"] = x * p["a"]
    p["a"] = np.sin(p["a"]) + x
    return np.sum(p["a"] * p["b"])


@program("v", "l", "k")
def logged_by_a_helper(x, history, p):
    y = _with_a_log(x, history)
    p["norm"] = np.sum(y)
    return np.sum(y * y) * p["norm"]


def _with_a_log(x, history):
    history.append(np.sum(x))
    return x * 2.0


@program("v")
def entries_of_the_module_written_and_read(x):
    PAIR[0] = x[0] * 2.0
    PAIR[1] = x[1] * PAIR[0]
    return PAIR[0] * PAIR[1]


def _last_seen(value):
    return SEEN[-1] * value


@program("v")
def kept_where_a_short_helper_reads(x):
    SEEN.append(x[0])
    return _last_seen(x[1])


def _seen_before(value, count):
    if count == 0:
        return value * SEEN[-1]
    return _seen_before(value * SEEN[-1], count - 1) + 1.0


@program("v", by="tape")
def kept_where_a_recursion_reads(x):
    SEEN.append(x[0])
    return _seen_before(x[1], 2)


@program("v", "l", by="tape")
def array_kept_and_then_written(x, history):
    y = x * 2.0
    history.append(y)
    y[0] = 3.0
    return np.sum(y * history[-1])
