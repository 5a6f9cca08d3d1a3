"""Programs that read, and write into, what lives outside the function: lists, dicts and arrays."""

from __future__ import annotations

import ast
import io
from typing import Any

import numpy as np

from tests.programs import writers
from tests.programs.corpus import program

BUFFER = np.zeros(4)
REGISTER: dict[str, Any] = {}
PAIR: list[Any] = [None, None]
LOG: list[Any] = []
SINK = io.StringIO()


@program("v")
def kept_in_an_array_outside(x):
    BUFFER[:] = x * 2.0
    return np.sum(BUFFER**2)


@program("v")
def kept_in_a_view_of_an_array_outside(x):
    view = BUFFER[1:]
    view[:] = x[1:] * 2.0
    return np.sum(BUFFER[2:] ** 2)


@program("v")
def kept_in_a_dict_outside(x):
    REGISTER["a"] = x * 2.0
    return np.sum(REGISTER["a"] ** 2)


@program("v")
def kept_in_a_list_outside_that_a_loop_reads(x):
    PAIR[0] = x * 2.0
    PAIR[1] = x * x
    total = 0.0
    for i, value in enumerate(PAIR):
        total += np.sum(value * x) * (i + 1)
    return total


def _square_of_buffer():
    return np.sum(BUFFER**2)


@program("v")
def kept_in_an_array_that_a_helper_reads(x):
    BUFFER[:] = x * 3.0
    return _square_of_buffer()


@program("v")
def copied_into_an_array_outside(x):
    np.copyto(BUFFER, x)
    return np.sum(BUFFER * x)


FIRST, SECOND = np.zeros(4), np.ones((2, 4))


@program("v")
def filled_outside_step_by_step(x):
    FIRST[0] = x[0]
    for i in range(1, 4):
        FIRST[i] = FIRST[i - 1] * x[i]
        FIRST[i] += np.sin(FIRST[i])
    return np.sum(FIRST**2)


@program("v")
def two_arrays_outside(x):
    np.multiply(x, 2.0, out=FIRST)
    SECOND[...] = FIRST * x
    SECOND[1] *= FIRST
    return np.sum(SECOND * FIRST)


@program("v")
def cleared_outside_and_added_to(x):
    FIRST.fill(0.0)
    np.add.at(FIRST, [0, 1, 1], x[:3])
    FIRST[2:] -= x[:2]
    return FIRST @ FIRST


def _with_room(n):
    room = np.zeros(n)

    def run(x):
        room[:] = np.exp(-x)
        room[1:] *= room[:-1].copy()
        return np.sum(room)

    return run


in_an_array_of_the_function_around_it = program("v")(_with_room(4))


@program("v")
def logged_outside(x):
    LOG.append(x[0])
    return np.sum(x * x)


@program("v", by="refused")
def read_from_the_words_of_a_text(x):
    text = " ".join(str(value) for value in x)
    return sum(float(word) ** 2 for word in text.split())


@program("v", by="refused")
def read_from_texts_by_map(x):
    return sum(map(float, map(str, x * 2.0)))


@program("v", by="refused")
def read_from_a_list_of_lines(x):
    lines = []
    for value in x:
        lines.append(f"{value:.17g}")
    total = 0.0
    for line in lines:
        total += float(line)
    return total


@program("v", by="refused")
def read_from_an_array_of_texts(x):
    return np.sum(np.array([f"{value}" for value in x], dtype=float) * x)


@program("v", by="refused")
def read_from_a_column_of_texts(x):
    return np.sum(x.astype(str).astype(float))


@program("v", by="refused")
def read_from_what_an_array_prints(x):
    return np.sum(np.fromstring(np.array2string(x)[1:-1], sep=" ") ** 2)


@program("v", by="refused")
def read_from_a_literal(x):
    return np.sum(np.array(ast.literal_eval(str(x.tolist()))) ** 2)


@program("v", by="refused")
def read_from_more_digits(x):
    return float(str(x[0]) + "1") * x[1]


@program("s", by="refused")
def read_from_a_ratio(x):
    upper, lower = x.as_integer_ratio()
    return upper / lower * x


@program("s", by="refused")
def read_from_hexadecimal_digits(x):
    return float.fromhex(x.hex()) * x


def _shown(value):
    return "%.17g" % value  # noqa: UP031 - how older programs write


@program("v", by="refused")
def read_from_the_text_of_a_helper(x):
    return float(_shown(x[0])) * x[1]


@program("v", by="tape")
def summed_keys_of_a_dict(x):
    weights = {}
    for i, value in enumerate(x):
        weights[value] = i + 1.0
    return sum(key * weight for key, weight in weights.items())


@program("v", by="tape")
def bounds_of_a_slice(x):
    part = slice(x[0], x[1])
    return part.start * part.stop


@program("v")
def texts_that_only_name(x):
    name = "layer" + str(len(x))
    table = {name: x * 2.0}
    count = float(f"{x.ndim + 1}")
    print(f"{x[0]:.3f}", file=SINK)
    return np.sum(table[name] ** 2) * count


def at():
    """Stand in the module under the name that nested functions have below."""
    return 3


@program("v")
def places_by_a_nested_function_in_a_tuple(x):
    count = [0]
    y = np.zeros(4)

    def at():
        count[0] += 1
        return count[0] - 1

    y[at()], y[at()] = x[0] * 2.0, x[1] * 3.0
    return np.sum(y * np.arange(1.0, 5.0))


@program("v")
def places_by_a_nested_function_of_one_argument(x):
    y = np.zeros(4)

    def at(i):
        return i + 1

    (y[at(0)], y[at(1)]), z = (x[0] * 2.0, x[1] * 3.0), x[0]
    return np.sum(y * np.arange(1.0, 5.0)) * z


@program("v")
def written_in_a_tuple_in_a_tuple(x):
    y = np.zeros(4)
    (y[1], y[2]), z = (x[0] * 2.0, x[1] * 3.0), x[0]
    return np.sum(y * np.arange(1.0, 5.0)) * z


@program("v")
def values_before_the_places_that_count(x):
    count = [0]
    y = np.zeros(4)

    def place():
        count[0] += 1
        return count[0] - 1

    y[place()] = x[0] * (count[0] + 1)
    y[place()], y[place()] = x[1] * (count[0] + 1), x[2] * (count[0] + 2)
    y[place()] += x[3] * (count[0] + 1)
    return np.sum(y * np.arange(1.0, 5.0))


RATES = [0.5, 0.7, 1.5]
TABLE = np.array([0.5, 0.7, 1.5])


@program("v")
def numbers_written_outside_after_they_were_read(x):
    RATES[0], TABLE[0] = 0.5, 0.5
    y = x[:3] * TABLE * RATES[0]
    TABLE[0] += 0.25
    for i in range(2):
        y = y * RATES[i] + TABLE
        RATES[0] *= 2.0
    return np.sum(y * y * TABLE)


@program("v")
def numbers_written_outside_that_a_view_shows(x):
    TABLE[0] = 0.5
    view = TABLE[:2]
    y = x[:2] * view
    TABLE[0] = 0.75
    return np.sum(y * y * view)


# -- memory outside that is read as an attribute of a module, a class or an object


class Shelf:
    table = np.array([0.5, 0.7, 1.5])


class Box:
    def __init__(self):
        self.table = np.array([0.5, 0.7, 1.5])
        self.steps = [0.5, 0.7]


BOX = Box()


@program("v")
def array_of_a_class_updated(x):
    Shelf.table[...] = [0.5, 0.7, 1.5]
    t = Shelf.table
    t *= np.tanh(x[:3])
    return np.sum(np.sin(t) * Shelf.table)


@program("v")
def array_of_an_object_under_two_names(x):
    BOX.table[...] = [0.5, 0.7, 1.5]
    t = BOX.table
    u = BOX.table
    t[0] = np.tanh(x[0])
    return np.sum(np.sin(t) * u)


@program("v")
def array_of_a_module_updated_and_read_there(x):
    writers.TABLE[...] = [0.5, 0.7, 1.5]
    t = writers.TABLE
    t[1] = x[0] * x[1]
    return np.sum(writers.TABLE * t)


@program("v", by="tape")
def array_of_a_module_named_in_an_expression(x):
    writers.TABLE[...] = [0.5, 0.7, 1.5]
    h = np.add((t := writers.TABLE), 1.0)
    t *= np.tanh(x[:3])
    return np.sum(np.sin(t)) + np.sum(h * x[0])


@program("v")
def view_of_an_array_of_a_module(x):
    writers.TABLE[...] = [0.5, 0.7, 1.5]
    t, u = writers.TABLE[::-1], np.ravel(writers.TABLE)
    u *= x[:3]
    return np.sum(t * u)


@program("v", by="tape")
def array_of_a_module_read_in_a_loop(x):
    writers.TABLE[...] = [0.5, 0.7, 1.5]
    s = 0.0
    for i in range(2):
        t = writers.TABLE
        s = s + np.sum(t)
        t[0] = t[0] * x[i]
    return s


@program("v")
def list_of_an_object_written(x):
    steps = BOX.steps
    steps[0] = x[0] * x[1]
    return steps[0] * BOX.steps[0]


@program("v")
def arrays_of_modules_that_are_read(x):
    t = writers.TABLE
    u = t[:2] * x[:2]
    u *= Shelf.table[1:]
    return np.sum(u * u) * BOX.steps[1]


RATE_AT_DEFINITION = 2.0


def set_the_rate(value):
    global RATE_AT_DEFINITION
    RATE_AT_DEFINITION = value


@program("s")
def default_of_what_is_bound_anew(x, rate=RATE_AT_DEFINITION):
    set_the_rate(3.0)
    return x * x * rate


class _Kept:
    def forget(self, name):
        if name in type(self).__dict__:
            delattr(self.__class__, name)


KEPT_BY_CLASSES = _Kept()
FACTORS = (2.0, np.array([0.5, 1.5, 2.5]))
SCALE_BESIDE_CLASSES = 3.0


@program("v")
def numbers_beside_what_classes_forget(x):
    if x[0] > 1e9:
        KEPT_BY_CLASSES.forget("made")
    return np.sum(x[:2] * FACTORS[1][:2]) * FACTORS[0] * SCALE_BESIDE_CLASSES
