"""Tests of what functions keep outside under keys that are made of their arguments."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

KEPT: dict[Any, Any] = {}
COUNTS: dict[Any, Any] = {}
SQUARES = {1.5: 2.25, 3.0: 9.0}


class Holder:
    """An object with a cache of its own."""

    def __init__(self):
        self.known = {}

    def squared(self, x):
        if x not in self.known:
            self.known[x] = x * x
        return self.known[x]


HOLDER = Holder()


def by_a_number(x, k):
    if x in KEPT:
        return KEPT[x] * k
    value = x * x * k
    KEPT[x] = value
    return value * k


def by_a_hash(x, k):
    key = hash((x, k))
    if key not in KEPT:
        KEPT[key] = x * k * k
    return KEPT[key]


def by_a_tuple(x, k):
    return KEPT.setdefault(("cube", (x, k)), x * x * x * k)


def by_a_text(x, k):
    key = f"{x:.6f}"
    if key not in KEPT:
        KEPT[key] = x * k
    return KEPT[key] * x


def in_an_object(x, k):
    return HOLDER.squared(x) * k


def kept_by_a_helper(key, value):
    KEPT[key] = value


def by_another_name(x, k):
    key = repr((x, k))
    if key in KEPT:
        return KEPT[key]
    out = x * k * k
    keep = kept_by_a_helper
    keep(key, out)
    return out


def by_an_operator(x, k):
    key = f"{x} {k}"
    if key not in KEPT:
        operator.setitem(KEPT, key, x * k * k)
    return KEPT[key]


def where_it_is_missing(x, k):
    key = str(x) + str(k)
    try:
        return KEPT[key]
    except KeyError:
        KEPT[key] = x * k * k
        return KEPT[key]


MEMOS = [
    *(by_a_number, by_a_hash, by_a_tuple, by_a_text, in_an_object),
    *(by_another_name, by_an_operator, where_it_is_missing),
]


@pytest.fixture(autouse=True)
def empty() -> None:
    for known in (KEPT, COUNTS, HOLDER.known):
        known.clear()


def _differences(f: Callable[..., Any], x: float, k: float) -> list[float]:
    h = 1e-6

    def fresh(*args: float) -> Any:
        KEPT.clear()
        HOLDER.known.clear()
        return f(*args)

    pairs = ((fresh(x + h, k), fresh(x - h, k)), (fresh(x, k + h), fresh(x, k - h)))
    return [(more - less) / (2 * h) for more, less in pairs]


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("f", MEMOS)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_constant_of_an_earlier_call_is_refused(f: Callable[..., Any], backend: Any) -> None:
    wanted = _differences(f, 1.5, 3.0)
    KEPT.clear()
    HOLDER.known.clear()
    g = sg.grad(f, argnums=(0, 1), backend=backend)
    assert list(g(1.5, 3.0)) == pytest.approx(wanted, rel=1e-6)
    with pytest.raises(sg.NotDifferentiableError, match="an earlier call"):
        g(1.5, 3.0)
    with pytest.raises(sg.NotDifferentiableError, match="an earlier call"):
        sg.jvp(f, (1.5, 3.0), (1.0, 0.0))


def counted(x, k):
    COUNTS[x] = COUNTS.get(x, 0) + 1
    return x * k


def of_a_table(x, k):
    return x * k * SQUARES[x]


def by_a_length(x, k):
    if len(x) not in KEPT:
        KEPT[len(x)] = np.eye(len(x)) * 2.0
    return np.sum(KEPT[len(x)] @ x) * k


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("f", [counted, of_a_table, by_a_length])
def test_what_keeps_no_values_that_vary_may_be_asked(f: Callable[..., Any], backend: Any) -> None:
    x = np.array([1.5, 2.0]) if f is by_a_length else 1.5
    g = sg.grad(f, argnums=1, backend=backend, fallback="tape")
    first, second = g(x, 3.0), g(x, 3.0)
    assert first == second == pytest.approx((f(x, 3.5) - f(x, 2.5)), rel=1e-9)


class _LastPoint:
    def __init__(self):
        self.x = None
        self.value = 0.0

    def of(self, x):
        if self.x is None or not np.array_equal(self.x, x):
            self.x = x.copy()
            self.value = np.sum(x * x)
        return self.value


_LAST = _LastPoint()


def _of_the_last_point(x):
    return _LAST.of(x)


def _of_a_default_dict(x, known={}):  # noqa: B006 - which is the memo
    key = float(x[0])
    if key not in known:
        known[key] = np.sum(x * x)
    return known[key]


def _of_a_default_dict_in_one_line(x, known={}):  # noqa: B006 - which is the memo
    if float(x[0]) not in known: known[float(x[0])] = np.sum(x * x)  # noqa: E701  # fmt: skip
    return known[float(x[0])]


def _of_a_default_list(x, last=[None, None]):  # noqa: B006 - which is the memo
    if last[0] is None or not np.array_equal(last[0], x):
        last[0] = x.copy()
        last[1] = np.sum(x * x)
    return last[1]


class _OfTheClass:
    x = None
    value = 0.0

    @classmethod
    def of(cls, x):
        if cls.x is not None and np.array_equal(cls.x, x):
            return cls.value
        cls.x = x.copy()
        cls.value = np.sum(x * x)
        return cls.value


def _of_a_class(x):
    return _OfTheClass.of(x)


_X, _VALUE = None, 0.0


def _of_a_module(x):
    global _X, _VALUE
    if _X is None or not (x == _X).all():
        _X, _VALUE = x.copy(), np.sum(x * x)
    return _VALUE


def _with_a_list_around():
    last = [None, None]

    def of_a_list_around(x):
        if last[0] is None or not np.allclose(last[0], x):
            last[0], last[1] = x.copy(), np.sum(x * x)
        return last[1]

    return of_a_list_around


def _with_variables_around():
    last = value = None

    def by_the_largest_difference(x):
        nonlocal last, value
        if last is None or np.max(np.abs(last - x)) > 0:
            last, value = x.copy(), np.sum(x * x)
        return value

    return by_the_largest_difference


def _by_a_length(x, known={}):  # noqa: B006 - which is the memo
    if "x" in known:
        d = x - known["x"]
        if np.sqrt(np.sum(d * d)) < 1e-12:
            return known["value"]
    known["x"], known["value"] = x.copy(), np.sum(x * x)
    return known["value"]


_KNOWN: dict[str, Any] = {}


def _if_any_differs(x):
    if "x" in _KNOWN and not np.any(_KNOWN["x"] - x):
        return _KNOWN["value"]
    _KNOWN["x"], _KNOWN["value"] = x.copy(), np.sum(x * x)
    return _KNOWN["value"]


class _LastWithin:
    eps = 1e-10

    def __init__(self):
        self.x = None
        self.value = 0.0

    def of(self, x):
        if self.x is None or not np.linalg.norm(x - self.x) <= self.eps * (1.0 + np.sum(x * x)):
            self.x, self.value = x.copy(), np.sum(x * x)
        return self.value

    def by_a_field(self, x):
        if self.x is not None and np.linalg.norm(x - self.x) <= self.eps:
            return self.value
        self.x, self.value = x.copy(), np.sum(x * x)
        return self.value

    def if_moved(self, x):
        moved = 1.0 if self.x is None else np.max(np.abs(np.subtract(x, self.x)))
        if moved:
            self.x, self.value = x.copy(), np.sum(x * x)
        return self.value


_WITHIN, _BY_A_FIELD, _MOVED = _LastWithin(), _LastWithin(), _LastWithin()


def _within_a_share(x):
    return _WITHIN.of(x)


def _within_a_field(x):
    return _BY_A_FIELD.by_a_field(x)


def _if_moved(x):
    return _MOVED.if_moved(x)


class _LastNumber:
    def __init__(self):
        self.x, self.value = 1e9, 0.0

    def of(self, x):
        if abs(x - self.x) > 1e-10:
            self.x, self.value = x, x * x
        return self.value

    def if_close(self, x):
        if not math.isclose(x, self.x):
            self.x, self.value = x, x * x
        return self.value


_NUMBER, _CLOSE = _LastNumber(), _LastNumber()


def _of_the_last_number(x):
    return _NUMBER.of(x[1])


def _of_a_close_number(x):
    return _CLOSE.if_close(float(x[1]))


@pytest.mark.parametrize(
    "f",
    [
        _with_variables_around(),
        _by_a_length,
        _if_any_differs,
        _within_a_share,
        _within_a_field,
        _if_moved,
        _of_the_last_number,
        _of_a_close_number,
        _of_a_class,
        _of_a_module,
        _with_a_list_around(),
        _of_the_last_point,
        _of_a_default_dict,
        _of_a_default_dict_in_one_line,
        _of_a_default_list,
    ],
)
def test_what_an_earlier_call_has_kept_of_the_same_argument_is_refused(f):
    x = np.array([0.7, 1.3])
    f(x)
    with pytest.warns(sg.FallbackWarning), pytest.raises(sg.NotDifferentiableError):
        sg.grad(f)(x.copy())


class _Slope:
    def __init__(self):
        self.last = 0.0
        self.limit = 5.0

    def limited(self, x):
        slope = (x - self.last) / 0.1
        self.last = x
        return slope if abs(slope) < self.limit else self.limit


@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_a_difference_from_what_is_kept_may_be_asked_for_its_size(backend):
    slope = _Slope()
    sg.grad(lambda x: slope.limited(x) * x, fallback="error").source  # noqa: B018 - no refusal
    derivative = sg.grad(lambda x: slope.limited(x) * x, backend=backend)
    assert derivative(2.0) == pytest.approx(5.0)
    assert derivative(2.0) == pytest.approx(20.0)  # nothing, and as steep as the limit allows


class _Iteration:
    def __init__(self):
        self.x, self.trips = np.zeros(2), 0

    def step(self, f):
        new = self.x * 0.5 + f
        if not np.array_equal(new, self.x):
            self.x, self.trips = new, self.trips + 1


_RUN = _Iteration()


def test_an_object_that_begins_anew_may_compare_what_it_keeps():
    def ends_at(x):
        _RUN.x = np.zeros(2)
        for _ in range(3):
            _RUN.step(x)
        return np.sum(_RUN.x)

    derivative = sg.grad(ends_at, fallback="error")
    for _ in range(2):
        np.testing.assert_allclose(derivative(np.array([0.7, 1.3])), [1.75, 1.75])
