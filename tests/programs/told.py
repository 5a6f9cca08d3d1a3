"""Programs that tell what they do: to files, to loops that show how far they are, to namespaces."""

from __future__ import annotations

import json
import os
import tempfile
from types import SimpleNamespace

import numpy as np

from tests.programs.corpus import program


class Bar:
    """A loop that shows how far it is."""

    def __init__(self, items, *, silent=True):
        self.items = items
        self.silent = silent

    def __iter__(self):
        for number, item in enumerate(self.items):
            if not self.silent:
                print(number)
            yield item


@program("v")
def value_that_is_saved(x):
    squares = x**2
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "squares.npy"), squares)  # noqa: PTH118
    return np.sum(squares)


@program("v")
def value_that_is_written_as_text(x):
    y = np.sum(x**2)
    with open(os.devnull, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(json.dumps({"value": float(y)}))
    return y * len(os.path.join("a", "b"))  # noqa: PTH118


@program("v")
def loop_that_shows_how_far_it_is(x):
    total = 0.0
    for i in Bar(range(3)):
        total += np.sum(x) ** i
    return total


@program("v")
def writes_in_a_loop_that_shows_how_far_it_is(x):
    total = 0.0
    for i in Bar(list(range(3))):
        y = x * 1.0
        y[0] += i
        total += np.sum(y**2)
    return total


@program("v")
def namespace_of_values(x):
    state = SimpleNamespace(place=x, speed=2.0)
    state.sum = state.place * state.speed
    state.place = state.sum * state.sum
    return np.sum(state.place * state.sum)
