"""Updates of objects by methods of their own, and arrays that are locked."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


class _Meter:
    def __init__(self, size):
        self.total, self.count = np.zeros(size), 0

    def __iadd__(self, other):
        if isinstance(other, _Meter):
            self.total = self.total + other.total
            self.count += other.count
        else:
            self.total = self.total + other
            self.count += 1
        return self

    def __imul__(self, factor):
        self.total *= factor
        return self


@program("v")
def an_object_updated_in_place(x):
    meter = _Meter(len(x))
    meter += x
    meter *= x[0]
    meter += x * x
    return np.sum(meter.total**2) / meter.count


@program("v")
def an_object_updated_in_a_loop_under_two_names(x):
    meter = _Meter(1)
    same = meter
    for v in x:
        meter += v**2
    return same.total[0] / same.count


@program("v")
def an_object_updated_by_another(x):
    first, second = _Meter(len(x)), _Meter(len(x))
    second += x
    first += second
    first += second
    return np.sum(first.total**2) * first.count


class _Shifted:
    def __init__(self, value):
        self.value = value

    def __isub__(self, shift):
        return _Shifted(self.value - shift)


@program("v")
def an_update_that_makes_a_new_object(x):
    held = before = _Shifted(x)
    held -= x[0]
    return np.sum(held.value**2 * before.value)


class _Station:
    def __init__(self, size):
        self.meter = _Meter(size)


@program("v")
def an_object_in_a_field_updated(x):
    station = _Station(len(x))
    station.meter += x
    station.meter *= x[1]
    return np.sum(station.meter.total * x)


@program("v")
def arrays_locked_and_unlocked(x):
    y, z = x * 2.0, np.zeros(len(x))
    y.setflags(write=False)
    z.setflags(write=True)
    z[:] = x
    return np.sum(y * y * z)


def _locked(values):
    values = np.array(values)
    values.setflags(False)
    return values


@program("v")
def an_array_locked_by_a_helper(x):
    return np.sum(_locked(x * 2.0) * x)
