"""The programs that other tools differentiate wrongly without a word, one test for each trap.

The first tests are a table of silently wrong programs of an older source transformation; the rest
follow a list of fifteen traps of differentiating Python source.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same
from tests.traps.checking import checked, right, without_source

X = np.array([0.5, -1.2, 2.3, 0.7])
A = np.random.default_rng(3).normal(size=(3, 4))
STATE = {"scale": 2.0}

TABLE: dict[str, tuple[Any, ...]] = {}


def trap(*args: Any, argnums: Any = (0,)) -> Any:
    """Keep a program that at least one engine must get right, and none wrong."""

    def keep(function: Any) -> Any:
        TABLE[function.__name__] = (function, args, argnums)
        return function

    return keep


# -- what was silently wrong in the older tool


@trap(X)
def alias(x):
    y = x
    y[0] = x[1] * x[2]
    return np.sum(x)


@trap(X)
def view(x):
    y = x * 1.0
    v = y[1:]
    v[0] = x[0] ** 2
    return np.sum(y)


@trap(X)
def update_of_a_fresh_array(x):
    y = np.zeros(3)
    y[0] += x[0] * x[1]
    return np.sum(y)


@trap(1.3, X, argnums=(0, 1))
def number_over_vector(s, x):
    return np.sum(s / (x * x + 1.0)) + np.sum((x * x) ** s) + np.sum(np.multiply(s, x))


@trap(1.3, X, argnums=(0, 1))
def vector_over_number(s, x):
    return np.sum(x / s) * np.sum(x - s)


@trap(X)
def statement_in_a_with_block(x):
    with np.errstate(all="ignore"):
        y = x * x
    return np.sum(y)


@trap(X, 2.0, argnums=(0, 1))
def exponent(x, y):
    return np.sum(np.abs(x) ** y)


# -- 1. augmented assignment


@trap(X)
def number_then_array(x):
    total = 0.0
    for _ in range(3):
        before = total
        total += x  # makes an array in the first trip, writes into it in the others
    return np.sum(before * total)


@trap(X)
def name_of_a_number_or_an_array(x):
    parts = [x[0], x * 1.0]
    out = 0.0
    for p in parts:
        q = p
        q *= 2.0
        out = out + np.sum(p * q)
    return out


@trap(np.array(0.83))
def array_without_axes_read_before_it_is_updated(s):
    t = math.sin(s)
    u = s * s
    s += t
    return u * s + t


@trap(np.array(0.83))
def alias_of_an_array_without_axes(s):
    t = s
    u = np.tanh(t) * s
    t *= s
    return u * s


@trap(np.array(0.83))
def array_without_axes_updated_in_a_loop(s):
    total = 0.0
    for _ in range(3):
        total += math.cos(s) * total + s * s
        s -= 0.1 * total
    return total * s


@trap(X)
def local_array_without_axes(x):
    total = np.zeros(())
    before = total
    seen = 0.0
    for v in x:
        total += v * v
        seen = seen + np.sin(before) * v
    return seen + total


# -- 2. shared memory


@trap(A.T)
def reshape_that_copies(a):
    b = a.copy(order="K")
    flat = b.reshape(-1)
    flat[0] = 3.0
    return np.sum(b * b) + flat[0] * flat[1]


@trap(A)
def reshape_that_does_not_copy(a):
    b = a.copy()
    flat = b.reshape(-1)
    flat[0] = 3.0
    return np.sum(b * b) + flat[0] * flat[1]


@trap(X)
def fancy_index_is_a_copy_and_slice_a_view(x):
    y = x * 1.0
    copied, seen = y[[0, 1]], y[0:2]
    y[0] = x[3] ** 2
    return copied[0] * 3.0 + seen[0] * 5.0


@trap(A)
def rows_unpacked_are_views(a):
    b = a * 1.0
    first, second, _ = b
    first *= second
    return np.sum(b * b)


# -- 3. saved values that are overwritten


@trap(X)
def product_with_itself_in_place(x):
    y = x * 1.0
    y *= y
    y *= y
    return np.sum(y)


@trap(X)
def result_overwritten(x):
    e = np.exp(x)
    f = e * 2.0
    e *= 0.0
    return np.sum(f + e)


@trap(X)
def results_of_rules_overwritten(x):
    u = np.sqrt(1.0 + x * x)
    w = np.tanh(u)
    u[-1] += 0.3
    v = w
    v *= u
    return np.sum(w * u)


@trap(X)
def results_in_containers_overwritten(x):
    u = np.exp(x)
    for part in (u, x * 1.0):
        part[1] += 1.0
    pair = [np.tanh(x), u][1]
    pair[2:] = pair[:2] * u[1]
    return np.sum(u * u)


@trap(X)
def results_overwritten_in_a_loop(x):
    u = np.tanh(x)
    for _ in range(3):
        w = np.exp(np.tanh(-u)) * 0.5
        w = np.tanh(w)
        w[1:] += w[:-1]
        u = w * u
        u[0] *= x[1]
    return np.sum(u)


@trap(X)
def names_swapped_that_are_not_read_after_the_loop(x):
    a = np.zeros_like(x)
    b = x.copy()
    total = 0.0
    for _ in range(3):
        total = total + np.sum(np.sin(b) * np.arange(4.0))
        a, b = b, a
    return np.tanh(total)


@trap(A)
def part_of_a_result_overwritten(a):
    u = np.linalg.svd(a[:, :3])[1]
    u[0] = a[0, 3]
    return np.sum(u * a[1, :3])


@trap(X)
def entries_of_a_list_written_and_replaced(x):
    parts = [np.exp(x), np.tanh(x)]
    parts[0][1] = 2.0
    parts[1] *= parts[0]
    parts[0] = parts[1] * x
    return np.sum(parts[0] * parts[1])


@trap(X)
def buffers(x):
    old, new = x * 1.0, np.zeros_like(x)
    for _ in range(3):
        new[:] = old * old * 0.5 + x
        old, new = new, old
    return np.sum(old) + np.sum(new * new)


# -- 4. reads of elements and of rows


@trap(X)
def elements_swapped(x):
    a = x * 1.0
    a[0], a[1] = a[1], a[0]
    return a[0] * 3.0 + a[1] * a[2]


@trap(A)
def rows_swapped(a):
    b = a * 1.0
    b[0], b[1] = b[1], b[0]
    return np.sum(b * np.arange(12.0).reshape(3, 4))


# -- 5. repeated indices


@trap(X)
def repeats_added_once(x):
    y = np.zeros_like(x)
    y[[0, 0, 1]] += x[:3] * x[1:]
    return np.sum(y * y)


@trap(X)
def repeats_keep_the_last(x):
    y = x * 1.0
    y[[0, 0, 1]] = x[:3] * x[1:]
    return np.sum(y * y)


@trap(X)
def repeats_added_all(x):
    y = np.zeros_like(x)
    np.add.at(y, [0, 0, 1], x[:3] * x[1:])
    return np.sum(y * y)


# -- 8. questions that a box answers differently


@trap(X)
def isinstance_of_an_array(x):
    return np.sum(x * x) if isinstance(x, np.ndarray) else np.sum(x)


@trap(1.3)
def isinstance_of_a_float(s):
    return s * s if isinstance(s, float) else s


@trap(1.3)
def isscalar(s):
    return s * s if np.isscalar(s) else s


@trap(X)
def element_is_a_float(x):
    return x[0] ** 2 if isinstance(x[0], float) else x[0]


@trap(X)
def dtype_asked(x):
    return np.sum(x * x) if x.dtype == np.float64 else np.sum(x)


@trap(1.3)
def is_none(s):
    best = None
    for k in range(3):
        best = s * k if best is None else best + s * s
    return best


# -- 9. detachment


@trap(X)
def float_of_an_element(x):
    return float(x[0]) * x[1]


@trap(X)
def item(x):
    return x[0].item() * x[1]


@trap(X)
def array_of_floats(x):
    return np.sum(np.array([x[0], x[1] * x[2]]) ** 2)


@trap(X)
def full_and_full_like(x):
    return np.sum(np.full(3, x[0]) * 2.0) + np.sum(np.full_like(x, x[1]) * x)


@trap(X)
def ends_of_linspace(x):
    return np.sum(np.linspace(x[0], x[1], 5) ** 2)


@trap(X)
def step_of_arange(x):
    return np.sum(np.arange(0.0, 4.1, x[0]) ** 2)


# -- 13. zeros times infinities


@trap(np.array([0.0, 1.0, 4.0]))
def masked_entries(x):
    y = x * 1.0
    y[x > 0.5] = np.sqrt(x[x > 0.5])
    return np.sum(np.where(x > 0.5, y, x))


@trap(np.array([0.0, 2.0, 3.0]))
def product_with_one_zero(x):
    return np.prod(x) + np.prod(x + 1.0)


@trap(np.array([0.0, 0.0, 3.0]))
def product_with_two_zeros(x):
    return np.prod(x)


@trap(np.array([0.0, 2.0]))
def powers_of_zero(x):
    return np.sum(x**2) + np.sum(x**1) + np.sum(x**0)


@pytest.mark.parametrize("name", TABLE)
def test_the_gradient_is_right(name: str) -> None:
    function, args, argnums = TABLE[name]
    right(function, *args, argnums=argnums)


def detached_by_tolist(x):
    return sum(v * v for v in x.tolist())


def detached_by_floats(x):
    return np.sum(np.array([float(v) for v in x]) * x)


def detached_by_a_deep_copy(x):
    return np.sum(copy.deepcopy(x) * x)


def detached_by_text(x):
    return float(f"{x[0]:.17g}") * x[1]


def detached_by_json(x):
    return json.loads(json.dumps(float(x[0]))) * x[1]


def detached_by_pickle(x):
    return np.sum(pickle.loads(pickle.dumps(x)) * x)


def detached_by_bytes(x):
    return np.sum(np.frombuffer(x.tobytes()) * x)


def detached_by_fromiter(x):
    return np.sum(np.fromiter((v for v in x), float) * x)


def detached_by_a_typed_array(x):
    return np.sum(np.array(list(x), dtype=object) * x) * 1.0


def detached_by_nditer(x):
    total = 0.0
    for v in np.nditer(x):
        total = total + v * v
    return total * 1.0


def detached_by_ndenumerate(x):
    total = 0.0
    for _, v in np.ndenumerate(x):
        total = total + v * v
    return total


def type_is(x):
    y = x * x
    if type(x) is np.ndarray:
        y = y * 2.0
    return np.sum(y)


def error_of_a_division(s):
    try:
        return s / (s - s)
    except ZeroDivisionError:
        return s * s


def error_of_pythons_logarithm(s):
    y = s * s
    try:
        y = math.log(-y)
    except ValueError:
        y = y * s
    return y


ARRAYS_OR_REFUSED = (
    detached_by_tolist,
    detached_by_floats,
    detached_by_a_deep_copy,
    detached_by_text,
    detached_by_json,
    detached_by_pickle,
    detached_by_bytes,
    detached_by_fromiter,
    detached_by_a_typed_array,
    detached_by_nditer,
    detached_by_ndenumerate,
    type_is,
)


@pytest.mark.parametrize("function", ARRAYS_OR_REFUSED, ids=lambda f: f.__name__)
def test_a_gradient_of_arrays_is_right_or_refused(function: Any) -> None:
    checked(function, X)


@pytest.mark.parametrize(
    "function",
    [error_of_a_division, error_of_pythons_logarithm],
    ids=lambda f: f.__name__,
)
def test_a_gradient_of_numbers_is_right_or_refused(function: Any) -> None:
    checked(function, 1.3)


@pytest.mark.parametrize("on_tape", [False, True], ids=["source", "tape"])
def test_a_number_is_found_in_lists_and_as_a_key(on_tape: bool) -> None:
    def listed(s):
        return s * s if s in [1.3, 2.0] else s

    def keyed(s):
        return {1.3: 2.0}.get(s, 5.0) * s

    for function, expected in ((listed, 2.6), (keyed, 2.0)):
        subject = without_source(function) if on_tape else function
        try:
            value, grad = sg.value_and_grad(subject, fallback="tape")(1.3)
        except (sg.SrcgradError, RuntimeError):
            continue
        assert_same((value, grad), (function(1.3), expected), 1e-12)
