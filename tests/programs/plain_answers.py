"""Helpers that return at several places what carries no derivative: masks, axes, counts, truths."""

from __future__ import annotations

import re

import numpy as np

from tests.programs.corpus import program


def _kept_along(x, axis="rows"):
    if x.ndim == 1:
        return ~np.isnan(x), 0
    if axis == "rows":
        return ~np.isnan(x).any(axis=1), 0
    return ~np.isnan(x).any(axis=0), 1


def _kept_of(x, axis="rows"):
    kept, along = _kept_along(x, axis=axis)
    return x if kept.all() else x.compress(kept, axis=along)


@program("v")
def mask_and_axis_of_a_vector(x):
    kept, along = _kept_along(x)
    return np.sum(x.compress(kept, axis=along) ** 2)


@program("m")
def mask_and_axis_of_a_matrix(a):
    kept, along = _kept_along(a, "columns")
    return np.sum(a.compress(kept, axis=along) ** 3)


@program("v", "v")
def both_without_gaps(x, y):
    if y is None:
        return np.sum(_kept_of(x) ** 2)
    kept_x, along = _kept_along(x)
    kept_y, _ = _kept_along(y)
    both = kept_x & kept_y
    if not both.all():
        x, y = x.compress(both, axis=along), y.compress(both, axis=along)
    return np.sum(x * y * y)


def _positive(x):
    count = 0
    for value in x:
        if value > 0:
            count += 1
    return count


@program("v")
def count_of_a_value_that_is_bound_anew(x):
    total = 0.0
    for i in range(3):
        total = total + _positive(x[: i + 1]) * x[i] ** 2
        x = x * 0.5 - 0.1
    return total


def _longest(x, times):
    if times == 0:
        return x.size
    return _shorter(x * 2.0, times - 1) + 1


def _shorter(x, times):
    if times == 0:
        return 0
    return _longest(x[:-1], times - 1)


@program("v")
def counts_of_functions_that_take_turns(x):
    return np.sum(x * x) * _longest(x, 2)


def _sum_at_the_end(x, times):
    if times == 0:
        return np.sum(x)
    return _sum_at_the_end(x * 2.0, times - 1)


@program("v")
def a_function_that_calls_itself_passes_on(x):
    return _sum_at_the_end(x, 3) * x[0]


def _mask_and_part(x):
    if x.ndim == 1:
        return x > 0, x * 2
    return x < 0, x * 3


@program("v")
def one_of_two_parts_passes_on(x):
    mask, part = _mask_and_part(x)
    return np.sum(part[mask] ** 2)


def _through_a_buffer(x):
    kept = np.zeros(len(x))
    kept[:] = x
    if x[0] > 9.0:
        return kept[::-1]
    return kept


@program("v")
def what_a_buffer_holds_passes_on(x):
    return np.sum(_through_a_buffer(x) ** 2)


def _filled(out, x):
    out[:] = x
    if x[0] > 9.0:
        return 1
    return 0


@program("v")
def a_number_of_a_helper_that_writes(x):
    out = np.zeros(len(x))
    done = _filled(out, x)
    return np.sum(out**2) + done


def _largest(x):
    if x[0] > 9.0:
        return 0, True
    return np.argmax(x), x.max() > 0


@program("v")
def place_and_truth(x):
    place, positive = _largest(x)
    return x[place] ** 2 if positive else x[0]


def _last_but_one(x):
    before = now = x[0]
    for value in x:
        before, now = now, value
    if x.ndim > 1:
        return 0.0
    return before


@program("v")
def a_value_handed_on_from_trip_to_trip(x):
    return _last_but_one(x) ** 2


def _added_at_places(x):
    y = np.zeros(3)
    np.add.at(y, [0, 1], x[:2])
    return y


def _multiplied_into(x):
    y = np.zeros(3)
    np.multiply(x[:3], 2, out=y)
    return y


def _fill(y, x):
    y[:] = x[:3]
    return True


def _filled_by_another(x):
    y = np.zeros(3)
    done = _fill(y, x)
    return y if done else y + 1.0


def _collected(x):
    found = []
    for v in x:
        found.append(v)
    return found


@program("v")
def written_by_calls_inside(x):
    """What a helper returns varies where calls in it write."""
    at_places, into = _added_at_places(x), _multiplied_into(x)
    return np.sum(at_places**2) + np.sum(into * _filled_by_another(x)) + sum(_collected(x)) * x[0]


def _unit(text: str):
    found = re.match(r"(\d+)\s*(\w+)", text)
    return found.group(2) if found else ""


@program("v")
def units_by_a_pattern(x):
    if _unit("3 km") == "km":
        x = x * 1000.0
    return np.sum(x * len(re.sub(r"\d", "", "a1b2")))
