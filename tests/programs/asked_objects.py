"""Programs that ask objects, whose classes answer with methods that may change something."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tests.programs.corpus import program


class _Store:
    """Changes the array that it was made with, whatever it is asked."""

    def __init__(self, values):
        self.values = values

    def __lt__(self, other):
        self.values[0] = 3.0
        return True

    def __eq__(self, other):
        self.values[0] = 3.0
        return True

    __hash__ = None

    def __contains__(self, item):
        self.values[1] = item
        return item > 0

    def __bool__(self):
        self.values[0] = 3.0
        return False

    def __delitem__(self, index):
        self.values[index] = 0.0

    def __iadd__(self, other):
        self.values += other
        return self

    def __add__(self, other):
        return 1.0

    def __str__(self):
        self.values[0] = 5.0
        return "store"


class _Sized:
    def __init__(self, values):
        self.values = values

    def __len__(self):
        self.values[0] = 3.0
        return 0


class _Gate:
    """Changes what it is compared with."""

    def __lt__(self, values):
        values[0] = 3.0
        return True

    __eq__ = __gt__ = __lt__
    __hash__ = None

    def __contains__(self, values):
        values[0] *= 3.0
        return True


GATE = _Gate()


def _poke(values):
    values[0] = 3.0
    return True


def _complain(reason):
    raise ValueError(reason)


@program("v")
def object_compared(x):
    y = x * 2.0
    size = np.sum(y * y)
    if _Store(y) < 3:
        size = size * 2
    return size * np.sum(np.sin(y) * x)


@program("v", by="tape")
def object_tested(x):
    y = x * 2.0
    size = np.sum(y * y)
    store = _Store(y)
    if store:
        size = size * 100
    while not store:
        size = size * 2
        break
    return size * np.sum(np.sin(y) * x)


@program("v")
def object_of_no_length_tested(x):
    y = x * 2.0
    size = np.sum(y * y)
    if not _Sized(y):
        size = size * 2
    return size * np.sum(np.sin(y) * x)


@program("v")
def object_equal_to_a_text(x):
    y = x * 2.0
    size = np.sum(y * y)
    store = _Store(y)
    if store == "full":
        size = size * 2
    return size * np.sum(np.sin(y) * x)


@program("v")
def element_in_an_object(x):
    y = x * 2.0
    size = np.sum(y * y)
    found = x[0] in _Store(y)
    return size * np.sum(np.sin(y) * x) * (2 if found else 3)


@program("v")
def object_updated_by_its_own_method(x):
    y = x * 2.0
    store = _Store(y)
    store += x[0]
    return np.sum(y * x) + np.sum(store.values**2)


@program("v", by="tape")
def entry_of_an_object_deleted(x):
    y = x * 2.0
    size = np.sum(y * y)
    del _Store(y)[1]
    return size * np.sum(np.sin(y) * x)


@program("v")
def object_as_a_text(x):
    y = x * 2.0
    size = np.sum(y * y)
    text = f"{_Store(y)}"
    return size * np.sum(np.sin(y) * x) * len(text)


@program("v", by="tape")
def objects_tested_in_a_comprehension(x):
    y = x * 2.0
    size = np.sum(y * y)
    found = any(_Store(item) for item in [y])
    return size * np.sum(np.sin(y) * x) * (2 if found else 3)


@program("v")
def compared_with_an_object_of_outside(x):
    y = x * 2.0
    size = np.sum(y * y)
    if GATE < y:
        size = size * 2
    return size * np.sum(np.sin(y) * x)


@program("v")
def in_an_object_of_outside(x):
    y = x * 2.0
    size = np.sum(y * y)
    found = y not in GATE
    return size * np.sum(np.sin(y) * x) * (2 if found else 3)


@program("v")
def asserted_by_a_function_that_writes(x):
    y = x * 2.0
    size = np.sum(y * y)
    assert _poke(y)
    return size * np.sum(np.sin(y) * x)


@program("v", by="tape")
def filtered_by_a_function_that_writes(x):
    y = x * 2.0
    size = np.sum(y * y)
    count = len(list(filter(_poke, [y])))
    return size * np.sum(np.sin(y) * x) * count


@program("v")
def written_while_a_message_is_made(x):
    y = x * 2.0
    size = np.sum(y * y)
    try:
        _complain(_poke(y))
    except ValueError:
        size = size + 2
    return size * np.sum(np.sin(y) * x)


@program("v", by="tape")
def written_while_a_manager_is_made(x):
    y = x * 2.0
    with np.errstate(all="ignore" if _poke(y) else "warn"):
        size = np.sum(y * y)
    return size * np.sum(np.sin(y) * x)


@program("v")
def written_where_a_comprehension_chooses(x):
    y = x * 2.0
    size = np.sum(y * y)
    count = len([1 for item in [y] if _poke(item)])
    return size * np.sum(np.sin(y) * x) * count


@dataclasses.dataclass
class _Parts:
    sine: Any
    size: Any
    factor: Any = 2.0


def _parts_of(x):
    return _Parts(np.sin(x), np.sum(x * x))


@program("v")
def fields_as_a_tuple(x):
    sine, size, factor = dataclasses.astuple(_parts_of(x))
    return np.sum(sine * sine) * size * factor


@program("v")
def fields_as_a_tuple_that_is_written(x):
    parts = _parts_of(x)
    sine, size, factor = dataclasses.astuple(parts)
    sine *= 2.0
    parts.sine[0] = 5.0
    return np.sum(sine * parts.sine) * size * factor


@program("v")
def fields_as_a_dict(x):
    found = dataclasses.asdict(_parts_of(x))
    found["sine"][1] = 3.0
    return np.sum(found["sine"] * found["size"]) * found["factor"]


class Lattice:
    """Vectors of a cell, which NumPy asks for an array."""

    def __init__(self, vectors):
        self.vectors = np.asarray(vectors)

    def __array__(self, dtype=None, copy=None):
        return self.vectors


@program("m", by="tape")
def array_that_an_object_gives(m):
    cell = Lattice(m.T @ m + np.eye(len(m.T)))
    return np.sum(np.linalg.inv(cell)) + np.sum(np.sin(cell)) + np.sum(np.asarray(cell) ** 2)


@program("v", by="tape")
def arrays_that_objects_give_in_a_list(x):
    return np.sum(np.mean([Lattice(x), Lattice(x * x)], axis=0) ** 2)
