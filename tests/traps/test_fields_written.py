"""Fields that a program writes, of objects that are there before: reached otherwise, or of others.

Each program is called with new objects, with objects that meet where it matters, and with new ones
again. By source it gives the gradient of differences, or it refuses; the tape as well. The objects
are left as the function leaves them.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient

X = np.array([0.3, -0.7, 1.2, 0.5])
Fresh = Callable[[bool], tuple[Any, ...]]
CASES: list[Any] = []


class Model:
    scale = 2.0
    shared = np.ones(4)

    def __init__(self) -> None:
        self.h = np.arange(1.0, 5.0)
        self.u = np.full(4, 2.0)
        self.t = 0.5

    @property
    def mean(self) -> Any:
        return np.mean(self.h * self.h)

    def doubled(self, factor: Any) -> Any:
        self.t = self.t * 2.0
        return factor * self.t

    def added(self, *values: Any, **named: Any) -> Any:
        self.t = self.t + values[0]
        return values[0] * named.get("by", values[-1]) * self.t

    def until(self, x: Any) -> Any:
        if self.t > 3.0:
            return self.t
        for value in x:
            self.h = self.h * 1.5 + value
            if np.sum(self.h) > 30.0:
                return np.sum(self.h) * 2.0
        self.t = self.t + x[0]
        return np.sum(self.h * x)


class Slotted:
    __slots__ = ("h", "t")

    def __init__(self) -> None:
        self.h, self.t = np.ones(4), 1.0


class Pair:
    def __init__(self, *, same: bool) -> None:
        self.a = Model()
        self.b = self.a if same else Model()


def case(fresh: Fresh, *, by: str = "source") -> Any:
    def noted(function: Any) -> Any:
        CASES.append(pytest.param(function, fresh, by, id=function.__name__))
        return function

    return noted


def alone(_: bool) -> tuple[Any, ...]:
    return (Model(),)


def two(meet: bool) -> tuple[Any, ...]:
    first = Model()
    return first, first if meet else Model()


def with_view(meet: bool) -> tuple[Any, ...]:
    model = Model()
    if meet:
        model.u = model.h[::-1]
    return (model,)


def with_array(meet: bool) -> tuple[Any, ...]:
    model = Model()
    return model, model.h if meet else np.ones(4)


def other_kind(h: Any) -> Fresh:
    def fresh(meet: bool) -> tuple[Any, ...]:
        model = Model()
        if meet:
            model.h = h()
        return (model,)

    return fresh


@case(two)
def written_and_read_by_another_name(x, a, b):
    a.h[:] = x * x
    return np.sum(b.h * x)


@case(two)
def bound_and_read_by_another_name(x, a, b):
    a.h = x * x
    return np.sum(b.h * x)


@case(two)
def number_read_by_another_name(x, a, b):
    a.t = np.sum(x * x)
    return b.t * x[0]


@case(lambda meet: two(not meet), by="either")
def apart_after_they_were_one(x, a, b):
    a.t = np.sum(x * x)
    b.t = b.t + x[1]
    return a.t * x[0]


@case(with_array)
def field_and_argument(x, m, y):
    m.h += x * x
    return np.sum(y * x) + np.sum(m.h)


@case(with_view)
def field_and_view_of_it(x, m):
    m.h[:] = x * x
    return np.sum(m.u * x)


@case(lambda meet: (Pair(same=meet),))
def objects_in_an_object(x, pair):
    pair.a.t = x[0] * x[1]
    pair.a.h[:] = x
    return pair.b.t * x[2] + np.sum(pair.b.h)


@case(lambda meet: (list(two(meet)),), by="either")
def objects_in_a_list(x, models):
    models[0].h[:] = x * x
    return np.sum(models[1].h * x)


@case(other_kind(lambda: np.ones((2, 4))))
def field_of_another_rank(x, m):
    m.h[...] = x * x
    return np.sum(m.h * x) + np.sum(m.h)


@case(other_kind(lambda: np.arange(4)))
def field_of_integers(x, m):
    m.h[:] = x * 3.0
    return np.sum(m.h * x)


@case(other_kind(lambda: [1.0, 2.0, 3.0]))
def field_that_becomes_a_list(x, m):
    m.h[0] = x[0] * 3.0
    return m.h[0] * x[1]


@case(alone)
def fields_that_change_places(x, m):
    m.h[:] = x
    m.h, m.u = m.u, m.h
    m.u[0] = x[1] * x[2]
    return np.sum(m.h * x) + np.sum(m.u * m.u)


@case(alone, by="either")
def row_that_is_kept_while_the_field_is_bound(x, m):
    row = m.h
    m.h = m.u
    row[:] = x * x
    return np.sum(row * x) + np.sum(m.h * x)


@case(lambda _: (Slotted(),))
def fields_in_slots(x, m):
    m.h[1:] = x[1:] * m.h[:-1]
    m.t = m.t * x[0]
    return np.sum(m.h) * m.t


@case(alone)
def number_of_the_class(x, m):
    m.scale = m.scale * x[0]
    return np.sum(x) * m.scale


@case(alone, by="tape")
def array_of_the_class(x, m):
    m.shared[:] = x * x
    return np.sum(x * Model.shared)


@case(alone)
def property_of_what_is_written(x, m):
    m.h[:] = x * 3.0
    return m.mean * np.sum(x)


@case(alone)
def argument_that_is_a_field(x, m):
    m.t = x[0]
    return m.doubled(m.t)


@case(alone)
def starred_arguments_that_are_fields(x, m):
    m.t = x[0]
    first = m.added(m.t, x[1])
    return m.added(m.t * 1.0, by=m.t) * first


@case(alone)
def result_kept_while_the_field_is_bound(x, m):
    m.t = x[0]
    before = m.t
    return before * m.doubled(x[1]) + before


@case(alone)
def returns_early(x, m):
    first = m.until(x) + np.sum(m.h)
    return first + m.until(x * 2.0)


@case(alone)
def name_like_the_field(x, m):
    h = x * 2.0
    m.h = h * x
    u, t = m.u, m.t
    u[:] = h
    m.t = t * x[0]
    return np.sum(m.h * h) + np.sum(m.u) * m.t


@case(alone)
def field_that_is_the_argument(x, m):
    m.h = x
    return np.sum(m.h * x)


@case(alone)
def set_by_its_name(x, m):
    setattr(m, "h", x * 2.0)  # noqa: B010 - that is what is tried
    return np.sum(m.h**2)


@case(alone)
def chosen_between_fields(x, m):
    m.h = x * 2.0 if x[0] > 0.0 else m.u
    return np.sum(m.h**2)


@case(alone)
def field_that_appears(x, m):
    m.flow = np.sin(x)
    m.flow = m.flow * x + m.flow[0]
    return np.sum(m.flow)


@case(alone, by="tape")
def deleted(x, m):
    m.h = x * 2.0
    y = m.h * x
    del m.h
    return np.sum(y)


@case(alone, by="tape")
def asked_for_among_the_fields(x, m):
    m.h = x * x
    return np.sum(vars(m)["h"] * x) + np.sum(m.__dict__["h"])


@case(alone)
def read_by_a_getter(x, m):
    m.h[:] = x * x
    return np.sum(operator.attrgetter("h")(m) * x)


@case(lambda _: (SimpleNamespace(h=np.ones(4), t=1.0),))
def namespace(x, m):
    m.h[1:] = m.h[:-1] * x[1:]
    m.t += np.sum(m.h)
    return m.t * x[0]


WORLD = Model()


def natively() -> Any:
    return np.sum(WORLD.h)


@case(alone, by="tape")
def read_by_a_function_of_the_module(x, m):
    WORLD.h[:] = x * m.u
    return natively() * x[0]


def picture(value: Any) -> Any:
    """Return what the fields of objects hold, for a comparison."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, [round(float(v), 9) for v in value.ravel()]
    if isinstance(value, (list, tuple)):
        return [picture(item) for item in value]
    if isinstance(value, float):
        return round(float(value), 9)
    names = getattr(value, "__dict__", None) or dict.fromkeys(getattr(value, "__slots__", ()), 0)
    return {name: picture(getattr(value, name)) for name in names} or value


@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize(("function", "fresh", "by"), CASES)
def test_the_gradient_is_right_or_refused(
    function: Any, fresh: Fresh, by: str, fallback: Any
) -> None:
    derivative = sg.value_and_grad(function, fallback=fallback)
    for meet in (False, True, False):
        may_refuse = meet or by == "either" or (by == "tape" and fallback == "error")
        given, mine = fresh(meet), fresh(meet)
        expected = numerical_gradient(lambda x: function(x, *fresh(meet)), (X,), 0)  # noqa: B023
        value = function(X.copy(), *mine)
        with contextlib.suppress(*[sg.SrcgradError] if may_refuse else []):
            found, slope = derivative(X.copy(), *given)
            np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(found, value)
            assert picture(given) == picture(mine)
            assert by != "tape" or fallback == "tape"


@pytest.mark.parametrize(("function", "fresh", "by"), CASES)
def test_tangents_leave_the_objects_so_too(function: Any, fresh: Fresh, by: str) -> None:
    given, mine = fresh(False), fresh(False)
    expected = numerical_gradient(lambda x: function(x, *fresh(False)), (X,), 0) @ X
    value = function(X.copy(), *mine)
    with contextlib.suppress(sg.SrcgradError):
        found, tangent = sg.jvp(lambda x: function(x, *given), (X.copy(),), (X,), fallback="tape")
        np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(found, value)
        assert picture(given) == picture(mine)


def test_the_gradient_of_a_model_is_that_of_its_fields_before() -> None:
    def stepped(m, x):
        m.h[1:] = m.h[:-1] * m.u[1:]
        m.t = m.t * x
        m.u = m.u + m.t
        return np.sum(m.h * m.u)

    slope = sg.grad(stepped, fallback="error")(Model(), 3.0)
    for name in ("h", "u", "t"):

        def by_field(value, name=name):
            model = Model()
            setattr(model, name, value)
            return stepped(model, 3.0)

        given = getattr(Model(), name)
        expected = numerical_gradient(by_field, (given,), 0)
        np.testing.assert_allclose(getattr(slope, name), expected, rtol=1e-6, atol=1e-7)


def test_objects_of_one_class_share_a_text_and_keep_their_own_fields() -> None:
    def run(x, m):
        m.h[:] = x * x
        m.t = m.t + np.sum(m.h)
        return m.t

    slope = sg.grad(run, fallback="error")
    first, second = Model(), Model()
    for model in (first, second, first):
        np.testing.assert_allclose(slope(X, model), 2.0 * X)
    assert first.t == pytest.approx(0.5 + 2.0 * np.sum(X * X))
    assert second.t == pytest.approx(0.5 + np.sum(X * X))
    assert first.h is not second.h


def test_a_property_is_not_asked_while_the_text_is_made() -> None:
    class Counting:
        def __init__(self) -> None:
            self.h, self.count = np.ones(4), 0

        @property
        def asked(self) -> float:
            self.count += 1
            return float(self.count)

    def run(x, m):
        m.h[:] = x * m.asked
        return np.sum(m.h)

    model = Counting()
    np.testing.assert_allclose(sg.grad(run)(X, model), np.ones(4))
    assert model.count == 1


def bound_anew(x):
    WORLD.t = WORLD.t + np.sum(x * x)
    return WORLD.t * x


def added_in_place(x):
    WORLD.h += x * x
    return WORLD.h * x


@pytest.mark.parametrize("jacobian", [sg.jacfwd, sg.jacrev, sg.jacobian])
@pytest.mark.parametrize("function", [bound_anew, added_in_place])
def test_each_column_is_of_the_same_run(function: Any, jacobian: Any) -> None:
    def fresh(x: Any) -> Any:
        vars(WORLD).update(vars(Model()))
        return np.array(function(x))

    steps = [(fresh(X + 1e-6 * e) - fresh(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    fresh(X)
    left = picture(WORLD)
    vars(WORLD).update(vars(Model()))
    np.testing.assert_allclose(jacobian(function)(X), np.transpose(steps), rtol=1e-6, atol=1e-7)
    assert picture(WORLD) == left


def test_a_hessian_leaves_what_one_run_leaves() -> None:
    def energy(x: Any) -> Any:
        return np.sum(bound_anew(x) * x)

    def slope(x: Any) -> Any:
        vars(WORLD).update(vars(Model()))
        return sg.grad(energy, fallback="tape")(x)

    steps = [(slope(X + 1e-5 * e) - slope(X - 1e-5 * e)) / 2e-5 for e in np.eye(4)]
    vars(WORLD).update(vars(Model()))
    energy(X)
    left = picture(WORLD)
    vars(WORLD).update(vars(Model()))
    found = sg.hessian(energy, fallback="tape")(X)
    np.testing.assert_allclose(found, steps, rtol=1e-4, atol=1e-6)
    assert picture(WORLD) == left
