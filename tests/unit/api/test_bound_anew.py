"""Tests of what modules, classes and closures hold and the program binds anew while it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.frontend import rebinding, settled
from srcgrad.ir import reach

RATE = 2.0
CALLS = 0
STEP = 0.5
aid = ModuleType("aid_of_bound_anew")


class Held:
    rate = 2.0


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, aid.__name__, aid)
    monkeypatch.setattr(aid, "rate", 2.0, raising=False)
    monkeypatch.setattr(Held, "rate", 2.0)
    for name, value in (("RATE", 2.0), ("CALLS", 0), ("STEP", 0.5)):
        monkeypatch.setattr(sys.modules[__name__], name, value)
    return


def grow() -> None:
    global RATE
    RATE = RATE + 1.0


def grow_aid() -> None:
    aid.rate = 5.0


def grow_held() -> None:
    Held.rate = 5.0


def tick() -> None:
    global CALLS
    CALLS += 1


def read_before(x):
    y = x * aid.rate
    aid.rate = 3.0
    return np.sum(y * y)


def read_before_in_a_loop(x):
    for _ in range(3):
        x = x * aid.rate
        aid.rate = aid.rate + 1.0
    return np.sum(x)


def bound_by_a_helper(x):
    y = x * aid.rate
    grow_aid()
    return np.sum(y * y)


def read_after_a_helper(x):
    grow()
    return np.sum(x * x * RATE)


def read_before_a_helper(x):
    y = x * RATE
    grow()
    return np.sum(y * y * RATE)


class Rate:
    def __init__(self, rate):
        self.rate = rate
        self.before = RATE

    def __enter__(self):
        global RATE
        RATE = self.rate

    def __exit__(self, *args):
        global RATE
        RATE = self.before


def read_under_a_manager(x):
    y = x * RATE
    with Rate(5.0):
        z = y * np.sin(x) * RATE
        if RATE > 4.0:
            z = z * z
    return np.sum(z * y) * RATE


def _scaled_by_rate(x):
    return np.sin(x) * RATE if aid.rate < 4.0 else x * x * RATE


def read_in_a_branch_and_a_helper(x):
    y = _scaled_by_rate(x)
    grow()
    aid.rate = 5.0
    return np.sum(_scaled_by_rate(y * y) * (y if RATE > 2.5 else x))


def of_a_class(x):
    y = x * Held.rate
    grow_held()
    return np.sum(y * y * Held.rate)


def of_a_closure() -> Callable[[Any], Any]:
    rate = 2.0

    def more() -> None:
        nonlocal rate
        rate = 3.0

    def f(x):
        y = x * rate
        more()
        return np.sum(y * y * rate)

    return f


def difference(f: Callable[[Any], Any], x: Any, along: Any) -> float:
    ends = []
    for step in (1e-6, -1e-6):
        aid.rate, Held.rate, sys.modules[__name__].RATE, sys.modules[__name__].STEP = (
            2.0,
            2.0,
            2.0,
            0.5,
        )
        ends.append(f(x + step * along))
    aid.rate, Held.rate, sys.modules[__name__].RATE, sys.modules[__name__].STEP = 2.0, 2.0, 2.0, 0.5
    return float(ends[0] - ends[1]) / 2e-6


@pytest.mark.parametrize(
    "f",
    [
        *(read_before, read_before_in_a_loop, bound_by_a_helper, read_after_a_helper),
        *(read_before_a_helper, read_under_a_manager, read_in_a_branch_and_a_helper),
    ],
)
def test_what_is_bound_anew_is_read_as_it_was(f: Callable[[Any], Any]) -> None:
    x, along = np.array([0.3, 0.7]), np.array([1.0, -0.5])
    wanted = difference(f, x, along)
    for backend in ("auto", "tape"):
        g = sg.grad(f, fallback="error", backend=backend)
        for _ in range(2):
            assert np.dot(g(x), along) == pytest.approx(wanted)
            aid.rate = sys.modules[__name__].RATE = 2.0
    assert sg.jvp(f, (x,), (along,), fallback="error")[1] == pytest.approx(wanted)


def test_what_a_class_holds_and_is_bound_anew_goes_to_the_tape() -> None:
    x, along = np.array([0.3, 0.7]), np.array([1.0, -0.5])
    wanted = difference(of_a_class, x, along)
    with pytest.warns(sg.FallbackWarning, match="binds anew"):
        assert np.dot(sg.grad(of_a_class)(x), along) == pytest.approx(wanted)
    with pytest.raises(sg.MutationError, match="binds anew"):
        sg.jvp(of_a_class, (x,), (along,), fallback="error")


def test_functions_that_are_run_again_do_not_read_what_is_bound_anew() -> None:
    def f(x):
        y = sg.checkpoint(_scaled_by_rate)(x)
        grow()
        return np.sum(y * y)

    with pytest.raises(sg.SrcgradError):
        sg.grad(f, fallback="error")(np.ones(2))


def test_variables_of_closures_that_are_bound_anew_are_refused() -> None:
    with pytest.raises(sg.MutationError, match="binds anew"):
        sg.grad(of_a_closure(), fallback="error")(np.ones(2))


def counted(x):
    global CALLS, STEP
    CALLS += 1
    for i in range(3):
        x = x * STEP
        STEP *= 1.5
        if i == 1:
            continue
        match i:
            case 0:
                STEP = STEP + 0.25
            case _:
                try:
                    STEP -= 0.125
                finally:
                    STEP += 0.5
    return np.sum(x * x) * STEP


def counted_by_a_helper(x):
    tick()
    return np.sum(x * x)


@pytest.mark.parametrize("f", [counted, counted_by_a_helper])
def test_numbers_of_the_module_go_by_source(f: Callable[[Any], Any]) -> None:
    x, along = np.array([0.3, 0.7]), np.array([1.0, -0.5])
    wanted = difference(f, x, along)
    sys.modules[__name__].CALLS = 0
    assert np.dot(sg.grad(f, fallback="error")(x), along) == pytest.approx(wanted)
    assert CALLS == 1
    after = STEP
    sys.modules[__name__].STEP = 0.5
    assert sg.jvp(f, (x,), (along,), fallback="error")[1] == pytest.approx(wanted)
    assert (2, after) == (CALLS, STEP)


def updated(x, s):
    x *= s
    s[1:] = x[:-1]
    return x * s


def left_by_a_try(x):
    t = x * 2.0
    t[0] = 0.0
    part = t[:-1]
    try:
        return part[1]
    except IndexError:
        return np.sum(x)


def test_pullbacks_write_into_given_arrays_by_source() -> None:
    x, s, weights = np.array([0.3, 0.7, 0.2]), np.array([0.4, 0.9, 0.5]), np.array([1.0, 2.0, -1.0])
    value, pull = sg.vjp(updated, x.copy(), s.copy(), fallback="error", verify=True)
    again, pull_again = sg.vjp(updated, x.copy(), s.copy(), backend="tape")
    assert np.allclose(value, again)
    for one, other in zip(pull(weights), pull_again(weights), strict=True):
        assert np.allclose(one, other)
    both = x.copy()
    with pytest.raises(sg.MutationError, match="shares"):
        sg.vjp(updated, both, both, fallback="error")


def test_pullbacks_of_what_is_written_are_right_or_refused() -> None:
    x = np.array([0.3, 0.7, 0.2, 0.4])
    (found,) = sg.vjp(left_by_a_try, x, fallback="tape")[1](1.0)
    assert np.allclose(found, [0.0, 2.0, 0.0, 0.0])


class Grown:
    """Has what its objects change for all of them, by whatever name."""

    rate = 2.0

    def grow(self, name: str) -> None:
        setattr(type(self), name, 5.0)


GROWN = Grown()
LISTED = [[GROWN]]


def read_of_a_class_by_an_object(x):
    y = x[0] * GROWN.rate
    GROWN.grow("rate")
    return y * GROWN.rate


def read_of_a_class_by_an_object_in_a_list(x):
    y = x[0] * LISTED[0][0].rate
    GROWN.grow("rate")
    return y * LISTED[0][0].rate


def read_of_a_class_itself(x):
    y = x[0] * Grown.rate
    GROWN.grow("rate")
    return y * Grown.rate


@pytest.mark.parametrize(
    "f",
    [
        read_of_a_class_by_an_object,
        read_of_a_class_by_an_object_in_a_list,
        read_of_a_class_itself,
    ],
)
def test_what_classes_get_by_unknown_names_is_not_read(monkeypatch, f) -> None:
    monkeypatch.setattr(Grown, "rate", 2.0)
    with pytest.raises(sg.MutationError, match="binds anew"):
        sg.grad(f, fallback="error")(np.ones(2))
    monkeypatch.setattr(Grown, "rate", 2.0)
    assert np.allclose(sg.grad(f, fallback="tape")(np.ones(2)), [10.0, 0.0])


SHARED = [0.5, 0.7]


def scaled_by_what_it_writes(x, s):
    y = x * s[0]
    SHARED[0] += 1.0
    return np.sum(y * y)


def test_data_that_is_written_and_also_given_is_refused() -> None:
    with pytest.raises(sg.MutationError, match="shares"):
        sg.grad(scaled_by_what_it_writes, fallback="error")(np.ones(2), SHARED)
    assert np.allclose(sg.grad(scaled_by_what_it_writes)(np.ones(2), [0.5]), 0.5)


def test_the_least_of_an_array_has_an_array_of_shares() -> None:
    w = np.array([0.3, 0.7, 0.1])
    found = sg.grad(lambda w: max(w[0], min(w)) * w[2], fallback="error", verify=True)(w)
    assert np.allclose(found, [0.1, 0.0, 0.3])


def test_second_derivatives_of_views_that_numbers_are_written_into() -> None:
    def f(x):
        g = x[:2]
        g[0] = 0.5
        return np.sum(g) + np.mean(x)

    assert np.allclose(sg.hvp(f, (np.ones(3),), (np.ones(3),), backend="tape"), 0.0)


def far_away(x):
    grow()
    return x


def nearer(x):
    return far_away(x) * 1.0


def read_after_one_far_away(x):
    y = nearer(x) * STEP
    return np.sum(y * x) * RATE


@pytest.mark.parametrize("most", [1, 2, 3])
def test_what_is_not_looked_at_may_bind_anything(monkeypatch, most: int) -> None:
    monkeypatch.setattr(reach, "_MOST", most)
    x = np.array([0.5, 2.0])
    assert not reach.reached_functions(read_after_one_far_away).are_all
    wanted = 2.0 * x * 0.5 * 3.0
    try:
        found = sg.grad(read_after_one_far_away, fallback="error")(x)
    except sg.SrcgradError:
        return
    np.testing.assert_allclose(found, wanted)


def test_too_many_objects_are_not_looked_at(monkeypatch) -> None:
    monkeypatch.setattr(reach, "_WIDEST", 2)

    def through(x, table=({"a": [(nearer,)]},)):
        return table[0]["a"][0][0](x) * RATE

    assert not reach.reached_functions(through).are_all
    assert rebinding.rebound(through) >= {rebinding.UNSEEN}
    assert rebinding.binds_outside(through)
    assert settled.reads_settings(through)
