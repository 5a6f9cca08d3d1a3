"""Programs whose helpers bind settings anew, however they are reached.

Each must leave behind what the function does, in each mode.
"""

from __future__ import annotations

import contextlib
import functools

import numpy as np

from tests.traps.state import settings as m
from tests.traps.state.settings import (
    counted,
    in_units,
    program,
    scaled,
    set_units,
)
from tests.traps.state.written_tables import _limited, _powered


# -- modules in other places
@program()
def module_imported_here(x):
    from tests.traps.state import settings as s

    y = scaled(x) * np.sin(x)
    s.SCALE = 5.0
    return np.sum(scaled(x) * y)


@program()
def module_in_a_variable(x):
    s = m
    y = scaled(x) * np.sin(x)
    s.SCALE = 5.0
    return np.sum(scaled(x) * y)


def _set_on(holder, value):
    holder.SCALE = value


@program()
def module_handed_on(x):
    y = scaled(x) * np.sin(x)
    _set_on(m, 5.0)
    return np.sum(scaled(x) * y)


def _in_closure(module):
    def f(x):
        y = scaled(x) * np.sin(x)
        module.SCALE = 5.0
        return np.sum(scaled(x) * y)

    return f


module_in_a_closure = program()(_in_closure(m))

SETTERS = {"a": m.set_scale, "b": set_units}


@program()
def setter_of_a_table(x):
    y = scaled(x) * np.sin(x)
    SETTERS["a"](5.0)
    return np.sum(scaled(x) * y)


@program()
def setter_of_a_table_by_a_loop(x):
    y = scaled(x) * np.sin(x)
    for key, value in (("a", 5.0), ("b", "two")):
        SETTERS[key](value)
    return np.sum(scaled(x) * y * in_units(x * 1.0))


class Session:
    def __init__(self, k):
        self.k = k

    def apply(self):
        m.SCALE = self.k

    def __call__(self):
        m.SCALE = self.k


SESSION = Session(5.0)


@program()
def setter_by_a_method(x):
    y = scaled(x) * np.sin(x)
    SESSION.apply()
    return np.sum(scaled(x) * y)


@program()
def setter_by_a_call_of_an_object(x):
    y = scaled(x) * np.sin(x)
    SESSION()
    return np.sum(scaled(x) * y)


@program()
def setter_of_an_object_made_here(x):
    y = scaled(x) * np.sin(x)
    Session(6.0).apply()
    return np.sum(scaled(x) * y)


@program()
def setter_by_partial(x):
    y = scaled(x) * np.sin(x)
    functools.partial(m.set_scale, 5.0)()
    return np.sum(scaled(x) * y)


PARTIAL = functools.partial(m.set_scale, 5.0)


@program()
def setter_by_partial_outside(x):
    y = scaled(x) * np.sin(x)
    PARTIAL()
    return np.sum(scaled(x) * y)


@program()
def setter_by_map(x):
    y = scaled(x) * np.sin(x)
    list(map(m.set_scale, [3.0, 5.0]))
    return np.sum(scaled(x) * y)


@program()
def setter_by_a_comprehension(x):
    y = scaled(x) * np.sin(x)
    [m.set_scale(v) for v in (3.0, 5.0)]
    return np.sum(scaled(x) * y)


@program()
def setter_in_an_expression(x):
    return np.sum(scaled(x) * (m.set_scale(5.0) or 2.0) * scaled(x))


@program()
def setter_in_a_condition(x):
    y = scaled(x)
    if m.set_scale(5.0) is None and m.SCALE > 2.0:
        y = y * scaled(x)
    return np.sum(y * scaled(x))


@program()
def setter_in_a_default_branch(x):
    y = scaled(x)
    k = None
    k = k or m.set_scale(4.0) or 3.0
    return np.sum(y * scaled(x) * k)


@program()
def setter_in_an_assert(x):
    y = scaled(x)
    assert m.set_scale(4.0) is None
    return np.sum(y * scaled(x) * x)


@program()
def setter_in_a_try(x):
    y = scaled(x)
    try:
        m.set_scale(4.0)
        y = y * scaled(x)
        raise ValueError("no")
    except ValueError:
        m.set_scale(3.0)
        y = y * scaled(x)
    finally:
        m.set_scale(2.5)
    return np.sum(y * scaled(x))


@program()
def setter_in_a_while(x):
    y = scaled(x)
    while m.SCALE < 5.0:
        m.set_scale(m.SCALE + 1.0)
        y = y * np.sin(scaled(x))
    return np.sum(y)


def _gen():
    for v in (3.0, 4.0):
        m.set_scale(v)
        yield v


@program()
def setter_in_a_generator(x):
    y = x
    for v in _gen():
        y = y * scaled(np.sin(x)) * v
    return np.sum(y * scaled(x))


class Lazy:
    @property
    def scale(self):
        m.COUNT += 1
        return float(m.COUNT)


LAZY = Lazy()


@program()
def property_that_counts(x):
    return np.sum(x * LAZY.scale * np.sin(x) * LAZY.scale)


class Lookup(dict):
    def __missing__(self, key):
        self[key] = key * m.SCALE
        return self[key]


LOOKUP = Lookup()


@program(by="tape")
def missing_that_fills(x):
    LOOKUP.clear()
    a = LOOKUP[3.0]
    m.SCALE = 9.0
    return np.sum(x * x * a * LOOKUP[3.0] * LOOKUP[4.0])


@program()
def default_dict_of_weights(x):
    ks = {}
    ks.setdefault("a", m.SCALE)
    m.SCALE = 7.0
    ks.setdefault("b", m.SCALE)
    return np.sum(x * x * ks["a"] * ks["b"] * x)


@functools.cache
def _plan(n):
    m.COUNT += 1
    return m.COUNT * float(n)


@program()
def cached_that_counts(x):
    _plan.cache_clear()
    return np.sum(x * _plan(2) * np.sin(x) * _plan(2)) * m.COUNT


def _mutable(v, seen=[]):
    seen.append(v)
    return float(len(seen))


@program(by="tape")
def mutable_default(x):
    _mutable.__defaults__[0].clear()
    return np.sum(x * _mutable(1) * np.sin(x) * _mutable(1))


def _attr():
    _attr.calls = getattr(_attr, "calls", 0) + 1
    return float(_attr.calls)


@program()
def function_attribute(x):
    _attr.calls = 0
    return np.sum(x * _attr() * np.sin(x) * _attr())


# functions by table read state
FUNCS = {"a": in_units, "b": m.in_units_pure}


@program(by="tape")
def functions_of_a_table(x):
    y = FUNCS["a"](x * 1.0)
    set_units("two")
    z = FUNCS["b"](x * x)
    setattr(m, "UNITS", "one")
    return np.sum(y * z * FUNCS["a"](x * 1.0))


@program(by="tape")
def functions_of_a_table_unseen(x, kind="a"):
    setattr(m, "UNITS", "two")
    z = FUNCS[kind](x * x)
    setattr(m, "UNITS", "one")
    return np.sum(z * FUNCS[kind](x * 1.0))


def _replaced(x):
    return x * 11.0


@program(by="tape")
def function_rebound_unseen(x):
    before = m.in_units_pure
    y = m.in_units_pure(x)
    setattr(m, "in_units_pure", _replaced)
    z = m.in_units_pure(x)
    setattr(m, "in_units_pure", before)
    return np.sum(y * z)


@program(by="tape")
def function_rebound(x):
    before = m.scaled
    y = m.scaled(x)
    m.scaled = _replaced
    z = m.scaled(x)
    m.scaled = before
    return np.sum(y * z)


# constant calls that write outside, dead or doubled
def _noted(n):
    m.LOG.append(n)
    return 2.0 * len(m.LOG)


@program()
def constant_call_that_logs(x):
    k = _noted(1)
    return np.sum(x * x * k) * _noted(2)


@program()
def constant_call_that_logs_hoisted(x):
    y = x
    for _ in range(3):
        y = y * _noted(3)
    return np.sum(y * np.sin(x))


@program()
def constant_call_in_a_test(x):
    if _noted(1) > 1.0 and _noted(2) > 1.0:
        return np.sum(x * x) * len(m.LOG)
    return np.sum(x)


@program()
def constant_comprehension(x):
    ks = [counted() for _ in range(3)]
    return np.sum(x * np.array(ks) * np.sin(x))


@program()
def constant_default_chain(x):
    k = m.BOX.scale
    m.BOX.scale = k + 1.0
    y = x * k * np.sin(x)
    k = m.BOX.scale
    m.BOX.scale = k + 1.0
    return np.sum(y * k * x) * m.BOX.scale


@program()
def read_by_a_pair(x):
    def inner(v):
        t = 0.0
        for i in range(len(v)):
            t = t + np.sin(v[i]) * m.SCALE * v[i]
        return t

    a = inner(x)
    m.SCALE = 5.0
    return a * inner(x)


@program(by="tape")
def getattr_of_a_setting(x):
    a = getattr(m, "SCALE")
    setattr(m, "SCALE", 4.0)
    b = getattr(m, "SCALE")
    return np.sum(x * x * a * b * x)


@program()
def object_setattr(x):
    y = x * m.BOX.scale * np.sin(x)
    setattr(m.BOX, "scale", 4.0)
    return np.sum(y * m.BOX.scale)


@program(by="tape")
def object_dict_update(x):
    y = x * m.BOX.scale * np.sin(x)
    m.BOX.__dict__["scale"] = 4.0
    return np.sum(y * m.BOX.scale)


def _box_updated(**kw):
    for k, v in kw.items():
        setattr(m.BOX, k, v)


@program()
def object_setattr_by_helper(x):
    y = m.by_box(x * x)
    _box_updated(scale=4.0)
    return y * m.by_box(x)


@program()
def iterator_outside(x):
    it = iter([2.0, 3.0])
    return np.sum(x * next(it) * np.sin(x) * next(it))


@program(by="tape")
def written_list_of_settings(x):
    saved = list(m.LIMITS)
    m.LIMITS[:] = [3.0, 4.0]
    y = _limited(x)
    m.LIMITS[:] = saved
    return np.sum(y * _limited(x))


@contextlib.contextmanager
def options(**kw):
    before = dict(m.OPTIONS)
    m.OPTIONS.update(kw)
    try:
        yield m.OPTIONS
    finally:
        m.OPTIONS.clear()
        m.OPTIONS.update(before)


@program()
def options_by_a_manager(x):
    y = _powered(x)
    with options(power=3.0) as o:
        z = _powered(x) * o["gain"]
    return np.sum(y * z * _powered(x))


@contextlib.contextmanager
def attribute_of(obj, **kw):
    before = {k: getattr(obj, k) for k in kw}
    for k, v in kw.items():
        setattr(obj, k, v)
    try:
        yield obj
    finally:
        for k, v in before.items():
            setattr(obj, k, v)


@program()
def settings_by_a_general_manager(x):
    y = scaled(x)
    with attribute_of(m, SCALE=5.0, UNITS="two"):
        z = scaled(x) * in_units(x * 1.0)
    return np.sum(y * z * scaled(x))


@program(by="tape")
def class_by_a_general_manager(x):
    y = x * m.Config.scale
    with attribute_of(m.Config, scale=5.0):
        z = x * m.Config.scale
    return np.sum(y * z * m.Config.scale * x)
