"""Tests of calls that are known where a text is for flags: of names, tables, settings, options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([0.5, 1.2])
SAID = []


class Table(Mapping):
    """A table whose keys are the same in any case."""

    def __init__(self, entries):
        self.entries = dict(entries)

    def __getitem__(self, key):
        return {name.lower(): entry for name, entry in self.entries.items()}[str(key).lower()]

    def __iter__(self):
        return iter(self.entries)

    def __len__(self):
        return len(self.entries)


def root(x, offset=16.0):
    return np.sum(116.0 * np.cbrt(1.0 + x * x) * x - offset)


def power(x, exponent=1.5):
    return np.sum((1.0 + x * x) ** exponent)


def scaled(x, exponent=2.0, scale=1.0):
    return np.sum(scale * x**exponent)


TABLE = Table({"Root": root, "Power": power, "Half": functools.partial(power, exponent=0.5)})
UNIT = "hundred"
LIMITS = {"most": 3}


@functools.cache
def checked(name, names, lower=True):
    small = name.lower()
    if small not in [str(item).lower() for item in names]:
        raise ValueError(f"{name} is none of {names}")
    return small if lower else name


def unit():
    return UNIT


def taken_by(function, **given):
    given = dict(given)
    for name in set(given) - set(inspect.signature(function).parameters):
        given.pop(name)
    return given


def there(**given):
    return {name: value for name, value in given.items() if value is not None}


def doubled(**given):
    return {name: 2.0 * value for name, value in given.items()}


def with_a_limit(name, **given):
    return {} if len(name) > LIMITS["most"] else given


def reported(name):
    print(name)
    return name.lower()


def by_a_checked_name(x, method="Power", **options):
    method = checked(method, tuple(TABLE))
    function = TABLE[method]
    return function(x, **taken_by(function, **options))


def by_settings(x, method="Power", **options):
    function = TABLE[checked(method, tuple(TABLE))]
    hundred = unit() == "hundred"
    if function in (power, root) and hundred:
        x = x / 2.0
        if "offset" in options:
            options["offset"] = options["offset"] * 3.0
    if unit() == "one":
        return function(x, **taken_by(function, **options)) * 4.0
    return function(x, **taken_by(function, **options))


def by_options_put_in(x, method="Power", **options):
    function = TABLE[checked(method, tuple(TABLE))]
    if function is power:
        options.update({"exponent": np.sum(x)})
    elif function is root:
        options.update(offset=np.sum(x * x), more=2.0)
    return function(x, **taken_by(function, **options))


def at_once(x, method="half"):
    return TABLE[checked(method, tuple(TABLE))](x)


FUNCTIONS = [by_a_checked_name, by_settings, by_options_put_in]
OPTIONS = [{}, {"exponent": 2.5}, {"offset": 2}, {"scale": 3.0, "exponent": 2}]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("method", ["Power", "root", "Half"])
def test_functions_by_name_take_the_keywords_that_they_know(f, method):
    slope = sg.grad(f, fallback="error")
    for options in [*OPTIONS, *OPTIONS]:
        wanted = numerical_gradient(lambda x: f(x, method, **options), (X,), 0)  # noqa: B023
        assert_same(slope(X, method, **options), wanted)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_keywords_are_differentiated_by(f):
    value = {"exponent": 2.5, "offset": 0.75}
    slope = sg.grad(f, argnames=("x", "exponent", "offset"), fallback="error")
    found = slope(x=X, method="Power", **value)
    for place, name in enumerate(("exponent", "offset"), 1):

        def at(v, name=name):
            return f(X, "Power", **{**value, name: v})

        assert_same(found[place], (at(value[name] + 1e-6) - at(value[name] - 1e-6)) / 2e-6)


def test_what_is_known_is_asked_again_at_each_call(monkeypatch):
    slope = sg.grad(by_settings, fallback="error")
    for setting in ("hundred", "one", "two", "hundred"):
        monkeypatch.setitem(globals(), "UNIT", setting)
        assert_same(slope(X), numerical_gradient(by_settings, (X,), 0))
    monkeypatch.setitem(TABLE.entries, "Power", scaled)
    assert_same(slope(X), numerical_gradient(by_settings, (X,), 0))


def test_an_entry_may_be_a_partial(monkeypatch):
    slope = sg.grad(at_once, fallback="error")
    assert_same(slope(X), numerical_gradient(at_once, (X,), 0))
    monkeypatch.setitem(TABLE.entries, "Half", functools.partial(power, exponent=3.0))
    assert_same(slope(X), numerical_gradient(at_once, (X,), 0))


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_name_that_is_none_raises_as_it_does():
    with pytest.raises(ValueError, match="none of"):
        sg.grad(by_a_checked_name)(X, "Cube")


def looks_at_values(x, method="Power", **options):
    function = TABLE[method]
    return function(x, **there(**options))


def computes_with_values(x, method="Power", **options):
    function = TABLE[method]
    return function(x, **doubled(**options))


def reads_what_may_change(x, method="Power", **options):
    function = TABLE[method]
    return function(x, **with_a_limit(method, **options))


def reports_names(x, method="Power"):
    return TABLE[reported(method)](x)


LOOKING = [looks_at_values, computes_with_values, reads_what_may_change]


@pytest.mark.parametrize("f", LOOKING, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_what_does_more_with_values_is_right_by_any_engine(f, monkeypatch):
    for options in ({}, {"exponent": 2.5}, {"exponent": 1.25}):
        for limit in (3, 9):
            monkeypatch.setitem(LIMITS, "most", limit)
            wanted = numerical_gradient(lambda x: f(x, "Power", **options), (X,), 0)  # noqa: B023
            assert_same(sg.grad(f)(X, "Power", **options), wanted)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_reports_are_made_once_at_each_call(capsys):
    slope = sg.grad(reports_names)
    slope(X)
    capsys.readouterr()
    slope(X)
    assert capsys.readouterr().out == "Power\n"


def test_the_text_says_which_keywords_it_takes_for_granted():
    slope = sg.grad(by_a_checked_name, fallback="error")
    slope(X, exponent=2.5)
    assert "tuple(options) == ('exponent',)" in slope.source
    assert "checked(" not in slope.source


SCALE = "plain"


def in_scale(a):
    a = np.asarray(a, np.float64)
    if SCALE == "tenths":
        a /= 10.0
    return a


def by_a_setting_alone(x):
    y = in_scale(x * 1.5)
    z = y * y
    w = in_scale(z)
    return np.sum(np.sqrt(1.0 + z * w) * y)


def by_a_setting_of_a_number(x):
    y = in_scale(x)
    return y * y * in_scale(y * 3.0)


SETTINGS = ["plain", "tenths", "plain", "other"]


@pytest.mark.parametrize("x", [X, np.array([[0.5, 2.0], [1.0, 3.0]]), 0.75])
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_settings_of_modules_may_change_from_call_to_call(x, monkeypatch):
    f = by_a_setting_of_a_number if isinstance(x, float) else by_a_setting_alone
    gradient, pull = sg.grad(f), sg.pullback(f)
    for setting in SETTINGS:
        monkeypatch.setitem(globals(), "SCALE", setting)
        h, along = 1e-6, np.cos(np.arange(np.size(x))).reshape(np.shape(x))
        wanted = (f(x + h * along) - f(x - h * along)) / (2 * h)
        assert np.sum(gradient(np.copy(x)[()]) * along) == pytest.approx(wanted, rel=1e-6)
        assert np.sum(pull(np.copy(x)[()])[1](1.0) * along) == pytest.approx(wanted, rel=1e-6)
        _, moved = sg.jvp(f, (np.copy(x)[()],), (along[()],))
        assert moved == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("setting", ["plain", "other"])
def test_where_a_setting_lets_nothing_be_written_it_goes_by_source(setting, monkeypatch):
    monkeypatch.setitem(globals(), "SCALE", setting)
    pull = sg.pullback(by_a_setting_alone, fallback="error")
    _, back = pull(X)
    assert_same(back(1.0), numerical_gradient(by_a_setting_alone, (X,), 0))


class Kept:
    """An object with functions, of which a property gives the one that is chosen."""

    def __init__(self):
        self.held = {"root": Curve(), "power": Line()}
        self.chosen = "root"

    @property
    def current(self):
        return self.held[self.chosen]

    @property
    def made(self):
        return Line(self.chosen)

    def choose(self, name):
        self.chosen = name


class Curve:
    scale = 2.0

    def of(self, x):
        return np.sum(np.sin(x) * self.scale)


class Line:
    scale = 3.0

    def __init__(self, name="power"):
        self.name = name

    def of(self, x):
        return np.sum(x * x * self.scale)


KEPT = Kept()


def through_a_property(x):
    return KEPT.current.of(x)


def through_a_property_chosen_meanwhile(x):
    KEPT.choose("power")
    out = KEPT.current.of(x)
    KEPT.choose("root")
    return out


def through_one_made_anew(x):
    return KEPT.made.of(x)


def test_an_object_that_a_property_gives_is_asked_for_at_each_call():
    gradient = sg.grad(through_a_property, fallback="error")
    assert_same(gradient(X), numerical_gradient(through_a_property, (X,), 0))
    KEPT.choose("power")
    try:
        assert_same(gradient(X), numerical_gradient(through_a_property, (X,), 0))
    finally:
        KEPT.choose("root")
    assert_same(gradient(X), numerical_gradient(through_a_property, (X,), 0))


def test_an_object_that_is_another_by_then_is_left_to_the_tape():
    f = through_a_property_chosen_meanwhile
    with pytest.raises(sg.UnsupportedError):
        sg.grad(f, fallback="error")(X)
    assert_same(sg.grad(f, fallback="tape")(X), numerical_gradient(f, (X,), 0))


def test_an_object_that_a_property_makes_anew_is_not_known():
    with pytest.raises(sg.UnsupportedError):
        sg.grad(through_one_made_anew, fallback="error")(X)
    expected = numerical_gradient(through_one_made_anew, (X,), 0)
    assert_same(sg.grad(through_one_made_anew, fallback="tape")(X), expected)


class Open(dict):
    """A dict that says that it holds whatever it is asked for."""

    def __contains__(self, key):
        return True


OPEN = Open(root=root)


def where_it_says_so(x):
    return OPEN["root"](x) if "nothing" in OPEN else np.sum(x)


def test_a_dict_of_a_class_is_asked_by_its_own_methods():
    expected = numerical_gradient(where_it_says_so, (X,), 0)
    assert_same(sg.grad(where_it_says_so, fallback="tape")(X), expected)
