"""Arrays and objects that `copy.copy` copies."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np

from tests.programs.corpus import program


@program("v")
def the_best_array_copied_in_a_loop(x):
    state, best = x * 1.0, None
    for place in range(2):
        state[place] *= 2.0
        if best is None or np.sum(state) > np.sum(best):
            best = copy.copy(state)
    return np.sum(best * x)


@program("v")
def an_argument_copied_under_its_name(x):
    x = copy.copy(x)
    x[1:] *= x[0]
    return np.sum(x**2)


def _with_first_doubled(v):
    v = copy.copy(v)
    v[0] *= 2.0
    return v


@program("v")
def a_copy_that_a_helper_writes_into(x):
    return np.sum(_with_first_doubled(x) * x) + np.sum(copy.copy(x * 2.0) * x)


class _Point:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def moved(self, step):
        new = copy.copy(self)
        new.a = self.a + step
        return new


@program("v")
def a_method_that_changes_a_copy_of_its_object(x):
    first = _Point(x[0], x[1])
    last = first.moved(x[2]).moved(2.0)
    return last.a * last.b * first.a


@program("v")
def the_best_object_copied_in_a_loop(x):
    now = _Point(x[0], x[1])
    best = copy.copy(now)
    for v in x:
        now.a = now.a * (v + 0.5)
        if now.a > best.a:
            best = copy.copy(now)
    return best.a**2 + best.b


@program("v")
def a_copied_object_shares_its_array(x):
    first = _Point(x * 2.0, x[1])
    other = copy.copy(first)
    other.a[0] = 3.0 * x[1]
    other.b = x[0]
    return np.sum(first.a**2) * other.a[0] * first.b


@dataclasses.dataclass
class _Noted:
    a: float
    notes: list = dataclasses.field(default_factory=list)


@program("v")
def a_copied_object_shares_its_list(x):
    first = _Noted(x[0])
    other = copy.copy(first)
    other.notes.append(x[1])
    other.a = 2.0 * x[2]
    return first.notes[0] * other.a * first.a


class _Counted:
    def __init__(self, a, copies):
        self.a, self.copies = a, copies

    def __copy__(self):
        return _Counted(self.a, self.copies + 1)


@program("v")
def an_object_that_copies_itself(x):
    first = _Counted(x[0] * x[1], 1)
    other = copy.copy(copy.copy(first))
    return other.a * other.copies + first.copies


_SETTINGS = _Point(2.0, np.array([0.5]))


@program("v")
def an_object_of_the_module_copied(x):
    own = copy.copy(_SETTINGS)
    own.a *= x[0]
    own.b = own.b * x
    return np.sum(own.b) * own.a + _SETTINGS.a
