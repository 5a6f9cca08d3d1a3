"""Programs that write into tables which others read, and arguments that are such.

Each must leave behind what the function does, in each mode.
"""

from __future__ import annotations

import numpy as np

from tests.traps.state import settings as m
from tests.traps.state.settings import (
    TABLE,
    by_table,
    program,
    scaled,
)


# -- tables
@program(by="tape")
def table_written_between_helpers(x):
    y = by_table(x * x)
    TABLE[0] = 4.0
    return y * by_table(np.sin(x))


@program(by="tape")
def table_written_by_helper(x):
    y = m.by_table_loop(x)
    m.write_table(1, 4.0)
    return y * m.by_table_loop(x * x)


@program(by="tape")
def table_scaled_in_a_loop(x):
    y = x * 1.0
    for _ in range(3):
        y = y * np.sin(x) * by_table(x)
        m.scale_table(1.5)
    return np.sum(y)


@program(by="refused")
def table_of_a_view(x):
    y = x[1:] * m.VIEW * x[1:]
    TABLE[1] = 9.0
    return np.sum(y) * np.sum(m.VIEW * x[1:])


@program(by="tape")
def table_by_an_alias(x):
    t = TABLE
    y = x * t * x
    m.scaled_in_place(TABLE, 2.0)
    return np.sum(y * t) + by_table(x)


@program(by="tape")
def table_handed_to_a_writer(x):
    y = by_table(np.sin(x))
    z = m.scaled_in_place(TABLE, 2.0)
    return y * np.sum(z * x) * by_table(x)


@program()
def table_in_a_container(x):
    holder = [TABLE, x]
    y = np.sum(holder[0] * holder[1] * x)
    TABLE[2] = 3.0
    return y * np.sum(holder[0] * x)


@program(by="tape")
def table_as_an_attribute(x):
    y = m.by_box(x * x)
    m.BOX.table[0] = 4.0
    return y * m.by_box(x)


@program()
def attribute_scale(x):
    y = m.by_box(x * x)
    m.BOX.scale = 4.0
    return y * m.by_box(x)


@program(by="tape")
def class_attribute(x):
    y = x * m.Config.scale * np.sin(x)
    m.Config.scale = 5.0
    return np.sum(y * x * m.Config.scale)


@program(by="tape")
def class_table(x):
    y = x * m.Config.table * np.sin(x)
    m.Config.table[1] = 5.0
    return np.sum(y * x * m.Config.table)


def _set_class():
    m.Config.units = "two"


def _by_class(x):
    return x * 2.0 if m.Config.units == "two" else x * 3.0


@program()
def class_attribute_by_helpers(x):
    y = _by_class(x)
    _set_class()
    return np.sum(y * _by_class(x))


@program(by="tape")
def list_of_limits(x):
    y = x * m.LIMITS[0] * np.sin(x)
    m.LIMITS[0] = 4.0
    return np.sum(y * m.LIMITS[0])


def _limited(x):
    return x * m.LIMITS[0] * np.sin(x)


@program(by="tape")
def list_of_limits_by_helper(x):
    y = _limited(x)
    m.LIMITS[0] = 4.0
    return np.sum(y * _limited(x))


def _powered(x):
    return np.abs(x) ** m.OPTIONS["power"] * m.OPTIONS.get("gain", 1.0)


@program(by="tape")
def options_changed(x):
    y = _powered(x)
    m.OPTIONS["power"] = 3.0
    m.OPTIONS.update(gain=5.0)
    return np.sum(y * _powered(x))


@program(by="tape")
def options_popped(x):
    y = _powered(x)
    m.OPTIONS.pop("gain")
    return np.sum(y * _powered(x))


# -- closures
def _closure():
    rate = 2.0
    table = np.array([1.0, 2.0, 3.0])

    def more():
        nonlocal rate
        rate = rate + 1.0
        return rate

    def change():
        table[0] = table[0] + 1.0

    def read(x):
        return x * table * np.sin(x)

    def cell_rebound(x):
        y = x * rate
        more()
        return np.sum(y * x * rate)

    def cell_as_a_factor(x):
        return np.sum(x * more() * np.sin(x) * more())

    def cell_table(x):
        y = read(x)
        change()
        return np.sum(y * read(x))

    def restore():
        nonlocal rate
        rate = 2.0
        table[:] = [1.0, 2.0, 3.0]

    def look():
        return rate, table.tolist()

    return cell_rebound, cell_as_a_factor, cell_table, restore, look


_A, _B, _C, CELL_RESET, CELL_LOOK = _closure()
CELLS = [program(by)(f) for by, f in (("tape", _A), ("source", _B), ("tape", _C))]


def np_state(x):
    with np.errstate(all="ignore"):
        y = np.sqrt(x) * np.log(x + 2.0)
    return np.sum(y * y)


def _by_view(x):
    return np.sum(x[1:] * m.VIEW * np.sin(x[1:]))


@program(by="refused")
def table_of_a_view_by_helper(x):
    y = _by_view(x)
    TABLE[1] = 9.0
    return y * _by_view(x)


LISTED = [1.0, 2.0]
LISTED2 = LISTED
ARR = np.array([1.0, 2.0, 3.0])
HOLD = {"a": [ARR]}


def _by_listed2(x):
    return x * LISTED2[0] * np.sin(x)


def _restore_lists():
    LISTED[:] = [1.0, 2.0]
    ARR[:] = [1.0, 2.0, 3.0]


@program(by="tape")
def list_under_two_names(x):
    y = _by_listed2(x)
    LISTED[0] = 5.0
    return np.sum(y * _by_listed2(x))


@program(by="tape")
def list_under_two_names_here(x):
    y = LISTED2[0] * x * np.sin(x)
    LISTED[0] = 5.0
    z = LISTED2[0] * x
    LISTED[0] = 1.0
    return np.sum(y * z)


@program(by="tape")
def array_in_a_holder(x):
    y = HOLD["a"][0] * x * np.sin(x)
    ARR[0] = 5.0
    z = HOLD["a"][0] * x
    ARR[0] = 1.0
    return np.sum(y * z)


def _by_hold(x):
    return np.sum(HOLD["a"][0] * x * np.sin(x))


@program(by="tape")
def array_in_a_holder_by_helper(x):
    y = _by_hold(x)
    ARR[0] = 5.0
    z = _by_hold(x)
    ARR[0] = 1.0
    return y * z


PRIVATE = np.array([0.5, 0.7, 1.5])


@program()
def private_table(x):
    y = PRIVATE * x * np.sin(x)
    PRIVATE[0] = 3.0
    z = PRIVATE * x
    PRIVATE[0] = 0.5
    return np.sum(y * z)


@program()
def private_table_viewed(x):
    v = PRIVATE[:2]
    y = v * x[:2] * np.sin(x[:2])
    PRIVATE[0] = 3.0
    z = v * x[:2]
    v[0] = 0.5
    return np.sum(y * z) * PRIVATE[0]


@program()
def private_table_by_writer(x):
    y = PRIVATE * x * np.sin(x)
    z = m.scaled_in_place(PRIVATE, 2.0) * x
    m.scaled_in_place(PRIVATE, 0.5)
    return np.sum(y * z * PRIVATE)


# -- arguments that share memory with what helpers read
@program(by="refused", given=lambda: (TABLE,))
def argument_is_the_table(x, w):
    y = by_table(x * x)
    w[0] = 4.0
    return y * by_table(np.sin(x))


@program(by="refused", given=lambda: (m.TABLE,))
def argument_is_the_table_looped(x, w):
    y = m.by_table_loop(x * x)
    m.scaled_in_place(w, 2.0)
    return y * m.by_table_loop(x)


@program(by="refused", given=lambda: (m.VIEW,))
def argument_is_the_view(x, w):
    y = by_table(x * x) * np.sum(w)
    w *= 3.0
    return y * by_table(np.sin(x)) * np.sum(w)


@program(by="refused", given=lambda: (m.BOX.table,))
def argument_is_in_the_box(x, w):
    y = m.by_box(x * x)
    m.scaled_in_place(w, 2.0)
    return y * m.by_box(x)


@program(by="tape", given=lambda: (m.BOX,))
def argument_box(x, b):
    y = np.sum(x * x * b.table) * b.scale
    b.table[0] = 5.0
    b.scale = 3.0
    return y * m.by_box(x)


@program(given=lambda: (m,))
def argument_module(x, s):
    y = scaled(x) * np.sin(x)
    s.SCALE = 6.0
    return np.sum(y * scaled(x))


@program(given=lambda: (m.set_scale,))
def argument_setter(x, put):
    y = scaled(x) * np.sin(x)
    put(6.0)
    return np.sum(y * scaled(x))


@program(given=lambda: (m.SESSION,))
def argument_session(x, s):
    y = scaled(x) * np.sin(x)
    s.apply()
    return np.sum(y * scaled(x))


@program(given=lambda: (m.OPTIONS,))
def argument_options(x, o):
    y = _powered(x)
    o["power"] = 3.0
    return np.sum(y * _powered(x))


@program(given=lambda: (np.array([1.0, 2.0, 3.0]),))
def argument_w(x, w):
    y = x * w * np.sin(x)
    m.scaled_in_place(w, 2.0)
    return np.sum(y * w * x)


@program(given=lambda: (np.array([1.0, 2.0, 3.0]),))
def argument_w_in_a_loop(x, w):
    y = x * 1.0
    for _ in range(3):
        y = np.sin(y) * w
        w *= 1.5
    return np.sum(y * w * x)


@program(given=lambda: (np.array([1.0, 2.0, 3.0]),))
def argument_w_view(x, w):
    v = w[:2]
    y = x[:2] * v * np.sin(x[:2])
    w *= 2.0
    return np.sum(y * v) * np.sum(w * x)


@program(given=lambda: (2.0,))
def argument_k(x, k):
    y = x * k * np.sin(x)
    k *= 2.0
    return np.sum(y * k * x)


@program(given=lambda: (np.array(2.0),))
def argument_k_array(x, k):
    y = x * k * np.sin(x)
    k *= 2.0
    return np.sum(y * k * x)
