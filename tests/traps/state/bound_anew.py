"""Programs that bind settings of modules anew: by names, by texts, and unseen.

Each must leave behind what the function does, in each mode.
"""

from __future__ import annotations

import contextlib
import functools
import sys

import numpy as np

from tests.traps.state import settings as m
from tests.traps.state.settings import (
    UNITS,
    by_table,
    counted,
    get_units,
    in_units,
    memo,
    program,
    scaled,
    set_units,
    weight_of,
)


# -- settings set unseen
@program(by="tape")
def set_by_setattr_around(x):
    setattr(m, "UNI" + "TS", "two")
    try:
        return np.sum(in_units(x * 1.0) ** 2)
    finally:
        setattr(m, "UNI" + "TS", "one")


@program(by="tape")
def set_by_setattr_around_pure(x):
    setattr(m, "UNI" + "TS", "two")
    try:
        return np.sum(m.in_units_pure(x * 1.0) ** 2)
    finally:
        setattr(m, "UNI" + "TS", "one")


@program(by="tape")
def set_by_setattr_between(x):
    y = in_units(x * 1.0)
    setattr(m, "UNI" + "TS", "two")
    z = in_units(x * 1.0)
    return np.sum(y * y * z)


@program(by="tape")
def set_by_vars(x):
    vars(m)["UNITS"] = "two"
    return np.sum(in_units(x * 1.0) ** 2)


@program(by="tape")
def set_by_dict(x):
    y = scaled(x)
    m.__dict__["SCALE"] = 5.0
    return np.sum(scaled(x) * y)


@program(by="tape")
def set_by_update(x):
    y = scaled(x)
    vars(m).update(SCALE=5.0)
    return np.sum(scaled(x) * y)


@program(by="tape")
def set_by_exec(x):
    y = scaled(x)
    exec("m.SCALE = 5.0")
    return np.sum(scaled(x) * y)


@program()
def set_by_sys_modules(x):
    y = scaled(x)
    sys.modules[m.__name__].SCALE = 5.0
    return np.sum(scaled(x) * y)


def _write_unseen(name, value):
    setattr(m, name, value)


@program()
def set_by_a_helper_unseen(x):
    y = scaled(x) * np.sin(x)
    _write_unseen("SCALE", 5.0)
    return np.sum(scaled(x) * y)


@program(by="tape")
def table_set_unseen(x):
    y = by_table(x)
    before = m.TABLE
    setattr(m, "TABLE", m.TABLE * 3.0)
    r = y * by_table(x)
    setattr(m, "TABLE", before)
    return r


@program()
def imported_name_stays(x):
    m.UNITS = "two"
    return np.sum(x * x) * (2.0 if UNITS == "two" else 3.0)


# -- named settings
@program()
def set_by_function(x):
    set_units("two")
    return np.sum(in_units(x * 1.0) ** 2)


@program()
def set_and_reset_by_function(x):
    y = in_units(x * 1.0) * np.sin(x)
    set_units("two")
    z = in_units(x * 1.0)
    set_units("one")
    return np.sum(y * z * in_units(x * 1.0))


@program()
def under_a_manager(x):
    y = in_units(x * 1.0)
    with m.units("two"):
        z = in_units(x * x)
    return np.sum(y * z * in_units(x * 1.0))


@program()
def under_a_manager_in_a_loop(x):
    y = x * 1.0
    for k in range(3):
        with m.units("two" if k == 1 else "one"):
            y = in_units(y * np.sin(x))
    return np.sum(y)


@program()
def under_a_manager_with_return(x):
    with m.units("two"):
        if x[0] > -5.0:
            return np.sum(in_units(x * x))
    return 0.0


@program()
def asked_by_a_constant_call(x):
    a = get_units()
    set_units("two")
    b = get_units()
    y = x * 2.0 if a == "one" else x * 3.0
    z = x * 5.0 if b == "one" else x * 7.0
    return np.sum(y * z * x)


@program()
def flag_by_attribute(x):
    y = m.doubled_if_flag(x)
    m.FLAG = True
    return np.sum(y * m.doubled_if_flag(x * x))


# -- counters
@program()
def counter_as_a_factor(x):
    return np.sum(x * counted() * np.sin(x) * counted())


@program()
def counter_in_a_loop(x):
    y = x
    for _ in range(3):
        y = y * counted() + np.sin(y)
    return np.sum(y)


@program()
def counter_read_between(x):
    y = x * m.COUNT
    counted()
    z = x * m.COUNT
    counted()
    return np.sum((y + 1.0) * z * m.COUNT)


@program()
def counter_of_an_object(x):
    y = x * m.counted_box()
    z = np.sin(x) * m.counted_box()
    return np.sum(y * z) * m.BOX.calls


@program()
def counter_in_a_branch(x):
    k = 1.0
    if np.sum(x) > -100.0:
        k = counted()
    return np.sum(x * x) * k * counted()


@program()
def unused_counter(x):
    counted()
    return np.sum(x * x)


# -- caches
@program()
def cached_weight(x):
    return np.sum(x * x * weight_of(3))


@program()
def cached_weight_around_a_setting(x):
    a = weight_of(3)
    m.SCALE = 7.0
    b = weight_of(3) * weight_of(4)
    return np.sum(x * x * a * b)


@program(by="tape")
def memo_weight(x):
    return np.sum(x * x * memo(3)) * memo(3)


@program(by="tape")
def memo_around_a_setting(x):
    a = memo(3)
    m.SCALE = 7.0
    return np.sum(x * x * a * memo(3) * memo(4))


@program(by="tape")
def memo_in_a_loop(x):
    y = x * 1.0
    for k in (1, 2, 1):
        y = y * memo(k) * np.sin(x)
        m.SCALE = m.SCALE + 1.0
    return np.sum(y)


# -- globals()[...]
LOCAL = 2.0


def _local_scaled(x):
    return x * LOCAL * np.sin(x)


@program(by="tape")
def by_globals(x):
    y = _local_scaled(x)
    globals()["LOCAL"] = 6.0
    return np.sum(y * _local_scaled(x))


@program()
def by_global_statement(x):
    global LOCAL
    y = _local_scaled(x)
    LOCAL = 6.0
    return np.sum(y * _local_scaled(x))


@contextlib.contextmanager
def local(value):
    global LOCAL
    before = LOCAL
    LOCAL = value
    try:
        yield
    finally:
        LOCAL = before


@program()
def by_contextmanager(x):
    y = _local_scaled(x)
    with local(7.0):
        z = _local_scaled(y)
    return np.sum(z * _local_scaled(x))


def decorated(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        with m.units("two"):
            return f(*args, **kwargs)

    return inner


@decorated
def _in_two(x):
    return in_units(x * x)


@program()
def by_a_decorator(x):
    return np.sum(_in_two(x) * in_units(x * 1.0))
