"""Tests of what a function reaches by the names that stand in it."""

from __future__ import annotations

import posixpath
import weakref
from importlib.util import find_spec

import numpy as np

import srcgrad as sg
from srcgrad.ir.packages import is_of_python
from srcgrad.ir.reach import reached_functions
from srcgrad.runtime.objects import hides_class


class Answering:
    """An object that answers whatever it is asked for, also for its fields."""

    def __getattribute__(self, name):
        return Answering

    def ask(self):
        return helper


def helper(x):
    return np.sin(x)


ANSWERING = Answering()


def asks(x):
    return ANSWERING.ask(x), helper(x)


def looks_for_modules(x):
    return x if find_spec("numpy") else posixpath.join("a", "b")


def test_an_object_whose_fields_are_no_dict_is_looked_into_all_the_same():
    names = [item.__name__ for item in reached_functions(asks).functions]
    assert "helper" in names


def test_functions_that_are_part_of_the_interpreter_are_those_of_python():
    assert is_of_python(posixpath.join)
    assert is_of_python(find_spec)
    reached = reached_functions(looks_for_modules).functions
    assert [item.__name__ for item in reached] == ["looks_for_modules"]


def asserts(x):
    assert x.ndim == 1, "which pytest writes anew, with names of its own"
    return np.sum(x)


def test_what_pytest_puts_in_the_place_of_assertions_is_not_reached():
    assert any(name.startswith("@") for name in asserts.__code__.co_names)
    reached = reached_functions(asserts)
    assert [item.__name__ for item in reached.functions] == ["asserts"]
    assert reached.are_all


class Alive:
    """An object that is dropped, of which a weak reference is left."""


ALIVE = [Alive()]
GONE = weakref.proxy(ALIVE[0])


def asks_what_is_gone_where_negative(x):
    if x < 0.0:
        return GONE.factor * x
    return x * x


def test_what_is_no_longer_is_reached_and_compiled_past():
    ALIVE.clear()
    assert hides_class(GONE)
    assert reached_functions(asks_what_is_gone_where_negative).are_all
    assert sg.grad(asks_what_is_gone_where_negative, fallback="error")(3.0) == 6.0
    assert sg.grad(asks_what_is_gone_where_negative, fallback="tape")(3.0) == 6.0
