"""Programs of tuples, lists and dicts: as arguments, as locals, nested."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from tests.programs.corpus import program


@program("t")
def loop_over_a_tuple(arrays):
    total = 0.0
    for i, a in enumerate(arrays):
        total = total + np.sum(a * a) * (i + 1)
    return total * arrays[0][0]


@program(("w", (3, 3), (3, 3)), ("w", (3,), (3,)))
def layers_by_zip(matrices, biases):
    h = np.ones(3)
    for w, b in zip(matrices, biases):
        h = np.tanh(h @ w + b)
    return np.sum(h * h)


@program("d")
def dict_by_a_key_in_a_variable(params):
    key = "w"
    return np.sum(params[key] ** 2) * np.sum(params["b"])


@program("d")
def dict_read_twice(params):
    w = params["w"]
    h = w.T @ params["b"]
    return np.sum(h * h) + np.sum(params["w"] * 2.0)


@program("v")
def local_dict(x):
    made = {"a": x * x, "b": x * 3.0}
    return np.sum(made["a"] * made["b"] * np.sin(made["a"]))


@program("v")
def array_from_a_list(x):
    y = np.array([x[0], x[1] * x[2], 1.0, np.sum(x)])
    return np.sum(y * y * x)


@program("v")
def stack_of_a_list(x):
    rows = [x, x * x, np.cos(x)]
    return np.sum(np.stack(rows) ** 2) + np.sum(rows[1])


@program("v")
def tuple_in_a_tuple(x):
    pair = (x * x, np.sin(x))
    a, b = pair
    nested = (pair, a)
    return np.sum(a * b) + np.sum(nested[0][1] * nested[1])


@program("v", "s")
def float_rebound_beside_arrays(x, s):
    u = x * 1.0
    t = 0.3
    for _ in range(2):
        for _ in range(2):
            u = u * t
        for _ in u:
            t = s
    return np.sum(u) + t


@program("t")
def nested_container_read_twice(pair):
    made = {"a": [pair[0], pair[1]], "b": pair}
    first = np.sum(made["a"][0] ** 2) + np.sum(made["b"][1] * made["a"][1])
    return first * np.sum(made["a"][0] * made["b"][0])


def _scaled_by(values):
    factor, x = values
    if factor is None:
        return np.sum(x**2)
    return np.sum(x * factor)


@program("v")
def none_beside_numbers_for_a_function(x):
    return _scaled_by((None, x)) * 2 + _scaled_by((x * 2, x))


@program("s")
def numbers_copied_deep(a):
    held = copy.deepcopy([a * 1.0, {"k": a * 2.0}])
    return held[0] * held[1]["k"] * copy.copy(a)


@dataclasses.dataclass
class _Pair:
    x: float
    rest: Any


@program("s")
def fields_as_a_dict_and_as_a_tuple(a):
    pair = _Pair(a, [a * 2.0])
    fields = dataclasses.asdict(pair)
    return fields["x"] * fields["rest"][0] + dataclasses.astuple(pair)[0]


@program("v", by="tape")
def lists_in_lists_by_a_function_inside(x):
    def total(v):
        return sum(map(total, v)) if isinstance(v, list) else np.sum(v * v)

    return total([x, [x[:2] * 2.0, [x[1:] * x[0]]]])


@program("v", by="tape")
def counted_on_the_function_itself(x):
    counted_on_the_function_itself.last = x[0] * 2.0
    return counted_on_the_function_itself.last * np.sum(x)
