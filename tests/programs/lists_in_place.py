"""Entries and sections that are taken out of lists and dicts, and windows that move over data."""

from __future__ import annotations

from math import fabs

import numpy as np

from tests.programs.corpus import program


@program("v")
def rainflow_on_a_stack(x):
    rest, cycles, count = [], [], 0
    for value in [x[0], x[1] ** 2, x[2], x[0] * 0.7, x[0] * x[2], x[1] * 1.5, x[2] ** 3]:
        rest += [value]
        count += 1
        while count >= 4:
            s0, s1, s2, s3 = rest[-4], rest[-3], rest[-2], rest[-1]
            first, inner, last = fabs(s1 - s0), fabs(s2 - s1), fabs(s3 - s2)
            if inner <= first and inner <= last:
                cycles += [[s1, s2]]
                del rest[-3]
                del rest[-2]
                count -= 2
            else:
                break
    return np.sum(np.array(rest) ** 2) + sum(a * b for a, b in cycles)


@program("v")
def first_in_first_out(x):
    waiting, total = [v * v for v in x], 0.0
    while waiting:
        total = total * 0.5 + waiting[0] * len(waiting)
        del waiting[0]
    return total


@program("v")
def small_ones_deleted(x):
    kept, i = [v**2 for v in x], 0
    while i < len(kept):
        if kept[i] < 0.5:
            del kept[i]
        else:
            i += 1
    return sum(v * (k + 1) for k, v in enumerate(kept))


@program("v")
def places_from_a_list_that_shrinks(x):
    places, total, weight = [0, 2, 1, 0], 0.0, 1.0
    while places:
        i = places[0]
        del places[0]
        total += weight * x[i] ** 2 * len(places)
        weight *= 0.7
    return total


@program("v")
def entries_of_rows_deleted(x):
    rows = [[v, v * 2, v**2] for v in x]
    for row in rows:
        del row[1]
    del rows[1][0]
    return rows[1][0] * rows[0][0] + np.sin(rows[2][1])


@program("v")
def entries_of_a_dict_deleted(x):
    named, total = dict(enumerate(x)), 0.0
    while named:
        key = max(named)
        total = total * 0.3 + named[key] * key
        del named[key]
    return total


class _Window:
    def __init__(self, size):
        self.size = size
        self.held = []

    def mean_with(self, value):
        self.held.append(value)
        if len(self.held) > self.size:
            del self.held[0]
        return sum(self.held) / len(self.held)


@program("v")
def window_of_an_object(x):
    window = _Window(2)
    return sum([v * window.mean_with(v * v) for v in x])


@program("v")
def sections_deleted(x):
    values = [v * v for v in x] + [x[0] * x[1], x[2]]
    del values[1:2]
    del values[-2:]
    values.append(x[1])
    return values[0] * values[1] + np.sin(values[-1])


@program("v")
def sections_replaced(x):
    values = [v * v for v in x]
    values[1:3] = [x[0], 2.0, x[1]]
    values[:1] = reversed(values[:1])
    values[:] = [v + 1.0 for v in values]
    return values[0] * values[1] + np.sin(values[2]) * values[3]


def _scaled(values):
    total = sum(values)
    values[:] = [v / total for v in values]


@program("v")
def list_that_a_helper_replaces(x):
    values = [v * v for v in x]
    _scaled(values)
    return values[0] * values[1] + values[2] ** 2


@program("v")
def sorted_by_putting_in(x):
    ordered = []
    for v in x:
        i = 0
        while i < len(ordered) and ordered[i] < v:
            i += 1
        ordered[i:i] = [v]
    return sum(k * v for k, v in enumerate(ordered))


@program("v")
def lists_and_dicts_emptied(x):
    values, named, total = [], {}, 0.0
    for k, v in enumerate(x):
        values.append(v * v)
        named[k] = v
        if len(values) == 2:
            total += values[0] * values[1] * sum(named.values())
            values.clear()
            named.clear()
    return total + sum(values)


@program("v")
def smallest_removed(x):
    values = [v * (k + 1) for k, v in enumerate(x)]
    values.remove(min(values))
    return values[0] * values[1] ** 2


@program("v")
def mean_of_a_window(x):
    window, total = [], 0.0
    for v in np.concatenate([x, x * 2]):
        window.append(v)
        if len(window) > 3:
            window = window[len(window) - 3 :]
        total += sum(window) / len(window) * v
    return total


@program("v")
def product_of_a_window(x):
    window, total = [], 0.0
    for v in np.concatenate([x, x * 2]):
        window.append(v * v)
        if len(window) > 3:
            del window[: len(window) - 3]
        total += np.prod(np.array(window)) + np.mean(window) * v
    return total


@program("v")
def last_two(x):
    last, total = [1.0], 0.0
    for v in x:
        last.append(v * last[0])
        last = last[-2:]
        total += np.mean(last) * v
    return total


@program("v")
def one_state_that_a_history_repeats(x):
    state, history = [x[0], x[1]], []
    for _ in range(3):
        state[0] += 0.1 * state[1]
        history.append(state)
        history[0][1] -= state[0] * x[2]
    return sum(s[0] * s[1] for s in history)


@program("v")
def cells_and_their_neighbours(x):
    cells = [{"value": x[0]}, {"value": x[1]}, {"value": x[2]}]
    beside = {0: [cells[1], cells[2]], 1: [cells[0]], 2: [cells[0]]}
    for _ in range(2):
        for i, others in beside.items():
            for other in others:
                cells[i]["value"] += 0.1 * other["value"] * x[2]
    return cells[0]["value"] * beside[0][1]["value"]


@program("v")
def row_that_gets_its_own_last_entry(x):
    row = [x[0], x[1]]
    rows = [row]
    row.append(rows[-1][-1])
    return row[2] * x[3] + rows[0][1] * rows[-1][-1]


@program("v", by="tape")
def rows_held_several_times(x):
    row = [x[0], x[1] * x[2]]
    rows = [row, row]
    for _ in range(2):
        for _ in range(2):
            row[0] *= x[1] * np.sin(rows[0][0])
            rows[0][-1] = row[-1] + sum(row)
        row[-1] *= x[2]
    total = x[0]
    for held in rows:
        total += held[0] * held[-1]
    return total


@program("v")
def copy_used_up_in_each_trip(x):
    values, total = [x[0], x[1] * x[2]], 0.0
    for _ in range(2):
        waiting = values[:]
        while len(waiting) > 1:
            total += waiting.pop() * values[-1]
        total += x[2]
    return total * values[0]


@program("v")
def copy_updated_in_each_trip(x):
    values, total = [x[0], x[1], x[2]], 0.0
    for _ in range(2):
        changed = values[:]
        changed[0] = changed[0] * x[3]
        changed[1] *= changed[0]
        total += changed[0] * changed[1] + np.prod(changed)
    return total


@program("v")
def copy_updated_and_used_up(x):
    values, total = [x[0], x[1], x[2]], 0.0
    for _ in range(2):
        waiting = values[:]
        waiting[0] = waiting[0] * x[3]
        while len(waiting) > 1:
            total += waiting.pop() * waiting[0]
        waiting[0] += total
        total += waiting[0] * waiting[-1]
    return total


@program("v")
def copy_used_up_before_another(x):
    values = [x[0], x[1] * x[2]]
    waiting = values[:]
    total = np.prod(waiting) * 0.3
    total += waiting.pop() * values[-1]
    values = values[:]
    rows = [values, values]
    changed = values[:]
    changed[-1] = rows[0][-1]
    return total + sum(values)


@program("v")
def copy_of_a_dict_by_places(x):
    given = {1: x[0], 0: x[1]}
    own = {**given, 2: x[2]}
    own[0] = own[0] * own[1]
    other = dict(own)
    other[1] = other[2] * 2.0
    return own[0] * other[1] + given[0] * other[0] + own[2] * given[1]


@program("v")
def copied_by_its_method_and_joined(x):
    values = [0.5, 2.0]
    longer = values.copy() + [x[0]]  # noqa: RUF005
    again = longer.copy()
    again += [x[1]]
    for v in x:
        kept = again.copy()
        again = [v] + kept  # noqa: RUF005
    return sum(again) * again[0] + sum(longer) * again[-1]


@program("v")
def length_before_a_row_grows_by_another_name(x):
    y = [x[0], 1]
    rows = [y, y]
    for row in rows:
        row.append(len(y) * y[0])
    part = rows[0]
    n = len(part) * x[1]
    rows[1].append(2.0)
    return rows[0][-1] * n + part[-2]


@program("v")
def list_in_a_tuple_run_through_before_it_grows(x):
    pair = ([x[0] * x[1], x[2]], 2.0)
    squares = [v * v for v in pair[0]]
    pair[0].append(x[0] * x[1])
    return pair[0][-1] * squares[0] * squares[1] * pair[1]


class _Log:
    def __init__(self, items):
        self.items = items

    def add(self, value):
        self.items.append(value)


@program("v")
def length_before_an_object_adds_to_a_list(x):
    y = [x[0], 1]
    log = _Log(y)
    v = len(y) * x[1]
    log.add(x[2])
    return y[-1] * v * len(y)
