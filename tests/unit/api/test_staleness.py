"""What a compiled gradient was made from may change between calls: the next call must see it."""

from __future__ import annotations

import importlib
import sys
import threading
import types
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([0.5, -1.2, 2.0])
GAIN = 2.0
WEIGHTS = np.ones(3)
SETTINGS = types.SimpleNamespace(gain=2.0)


class Options:
    """Class attributes are read at each call."""

    gain = 2.0


def helper(x):
    return x * GAIN


def weighted(x):
    return np.sum(helper(x) * WEIGHTS)


def by_class_attribute(x):
    return np.sum(x * Options.gain)


def by_object_attribute(x):
    return np.sum(x * SETTINGS.gain)


def test_globals_of_the_function_and_of_its_helpers_are_read_anew(monkeypatch: Any) -> None:
    derivative = sg.grad(weighted, fallback="error")
    np.testing.assert_allclose(derivative(X), 2.0 * np.ones(3))
    monkeypatch.setitem(globals(), "GAIN", 5.0)
    np.testing.assert_allclose(derivative(X), 5.0 * np.ones(3))
    monkeypatch.setitem(globals(), "WEIGHTS", np.arange(3.0))
    np.testing.assert_allclose(derivative(X), 5.0 * np.arange(3.0))
    globals()["WEIGHTS"][0] = 7.0
    np.testing.assert_allclose(derivative(X), [35.0, 5.0, 10.0])


def test_a_helper_that_is_defined_again_is_compiled_again(monkeypatch: Any) -> None:
    derivative = sg.grad(weighted, fallback="error")
    derivative(X)
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones(3))
    monkeypatch.setitem(globals(), "helper", lambda x: x * x)
    np.testing.assert_allclose(derivative(X), 2.0 * X)


def test_attributes_of_classes_and_objects_are_read_anew(monkeypatch: Any) -> None:
    of_class, of_object = sg.grad(by_class_attribute), sg.grad(by_object_attribute)
    np.testing.assert_allclose(of_class(X) + of_object(X), 4.0 * np.ones(3))
    monkeypatch.setattr(Options, "gain", 3.0)
    monkeypatch.setattr(SETTINGS, "gain", 4.0)
    np.testing.assert_allclose(of_class(X) + of_object(X), 7.0 * np.ones(3))


def test_closures_of_one_code_keep_their_own_values() -> None:
    def make(c):
        def inner(x):
            return np.sum(x * c)

        def change(value):
            nonlocal c
            c = value

        return inner, change

    (first, change), (second, _) = make(2.0), make(3.0)
    one, two = sg.grad(first), sg.grad(second)
    np.testing.assert_allclose(one(X), 2.0 * np.ones(3))
    np.testing.assert_allclose(two(X), 3.0 * np.ones(3))
    change(8.0)
    np.testing.assert_allclose(one(X), 8.0 * np.ones(3))
    np.testing.assert_allclose(two(X), 3.0 * np.ones(3))


def test_closures_over_functions_are_compiled_apart() -> None:
    def make(h):
        def inner(x):
            return np.sum(h(x))

        return inner

    sine, exponential = sg.grad(make(np.sin)), sg.grad(make(np.exp))
    for _ in range(2):
        np.testing.assert_allclose(sine(X), np.cos(X))
        np.testing.assert_allclose(exponential(X), np.exp(X))


def test_one_gradient_serves_arguments_of_every_shape_and_type() -> None:
    def product(x):
        return np.sum(x[0] * x[1])

    derivative = sg.grad(product, fallback="error")
    for _ in range(2):
        np.testing.assert_allclose(derivative(X), [X[1], X[0], 0.0])
        np.testing.assert_allclose(derivative(np.ones((2, 3))), np.ones((2, 3)))
        assert derivative([2.0, 3.0]) == [3.0, 2.0]
        assert derivative(X.astype(np.float32)).dtype == np.float32


def test_a_gradient_is_nobody_elses_memory() -> None:
    total = sg.grad(lambda x: np.sum(x) + 1.0)
    total(X)[0] = 5.0
    np.testing.assert_array_equal(total(X), np.ones(3))
    first, second = sg.grad(lambda x, y: np.sum(x + y), (0, 1))(X, X)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, X)


def test_side_effects_happen_once_a_call(capsys: Any) -> None:
    rng = np.random.default_rng(0)
    twin = np.random.default_rng(0)

    def noisy(x):
        print("run")
        noise = rng.normal(size=3)
        return np.sum(x * noise)

    derivative = sg.grad(noisy)
    for _ in range(2):
        np.testing.assert_array_equal(derivative(X), twin.normal(size=3))
    assert capsys.readouterr().out == "run\nrun\n"


def test_threads_share_one_gradient() -> None:
    def recurrence(x):
        s = 0.0
        for i in range(50):
            s = s + np.sin(x[i % 3]) * s + x[i % 3]
        return s

    points = [X * (1.0 + 0.01 * i) for i in range(8)]
    derivative = sg.grad(recurrence)
    found: dict[int, Any] = {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: derivative(points[i])}))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, point in enumerate(points):
        np.testing.assert_array_equal(found[i], derivative(point))


def _doubled_under_two_names(x: float) -> float:
    y = x
    y *= 2.0
    return y * x


def test_an_update_of_a_number_binds_anew_and_of_an_array_without_axes_writes() -> None:
    gradient = sg.grad(_doubled_under_two_names, fallback="error")
    assert gradient(3.0) == 12.0
    ends = [_doubled_under_two_names(np.array(3.0 + step)) for step in (1e-3, -1e-3)]
    np.testing.assert_allclose(gradient(np.array(3.0)), (ends[0] - ends[1]) / 2e-3, rtol=1e-6)


class _Holder:
    step: Any = None


HOLDER = _Holder()


def test_tangents_follow_a_function_of_an_object_that_is_replaced() -> None:
    def through(x: Any) -> Any:
        return np.sum(HOLDER.step(x))

    for HOLDER.step in (_square, _cube):
        _, tangent = sg.jvp(through, (X,), (np.ones_like(X),))
        np.testing.assert_allclose(tangent, np.sum(numerical_gradient(through, (X,), 0)))


def _square(x: Any) -> Any:
    return x * x


def _cube(x: Any) -> Any:
    return x * x * x


def _doubled(x: Any) -> Any:
    y = x * 2
    return y[1] * y[-1]


def test_a_list_where_an_array_was_is_repeated_not_scaled() -> None:
    gradient = sg.grad(_doubled)
    assert_same(gradient(X), numerical_gradient(_doubled, (X,), 0))
    with pytest.warns(sg.FallbackWarning, match="a list in this call"):
        found = gradient(list(X))
    assert_same(found, numerical_gradient(_doubled, (list(X),), 0))


def test_none_in_the_place_of_an_integer_is_no_change() -> None:
    def power(d: Any) -> Any:
        return d["x"] ** d["n"]

    point = {"x": 2.0, "n": 3}
    value, tangent = sg.jvp(power, (point,), ({"x": 1.0, "n": None},))
    assert value == power(point)
    np.testing.assert_allclose(tangent, numerical_gradient(power, (point,), 0)["x"])


def test_functions_of_one_text_keep_their_own_defaults():
    def scaled(factor):
        def loss(x, by=factor, *, shift=factor):
            return np.sum(x * by) + shift * x[0]

        return loss

    x = np.ones(2)
    once, thrice = sg.grad(scaled(1.0)), sg.grad(scaled(3.0))
    first = once(x).copy()
    np.testing.assert_array_equal(thrice(x), 3 * first)
    np.testing.assert_array_equal(once(x), first)


def test_a_text_that_is_loaded_again_reads_globals_as_they_are_now(monkeypatch):
    def loss(x):
        return np.sum(x) * SCALE_OF_ALL

    x = np.ones(2)
    derivative = sg.grad(loss)
    before = derivative(x)
    with monkeypatch.context() as patched:
        patched.setattr(f"{__name__}.SCALE_OF_ALL", 5.0)
        derivative(x)
    np.testing.assert_array_equal(sg.grad(loss)(x), before)
    np.testing.assert_array_equal(sg.vjp(loss, x)[1](1.0)[0], before)


SCALE_OF_ALL = 2.0


@pytest.mark.parametrize("body", ["RATE * x", "x * chosen()"])
def test_a_module_loaded_anew_is_another_one(body, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for rate in (0.5, 0.25, 0.125):
        monkeypatch.delitem(sys.modules, "loaded_anew", raising=False)
        (tmp_path / "loaded_anew.py").write_text(
            f"import numpy as np\nRATE = {rate}\ndef chosen():\n    return len([RATE]) * RATE\n"
            f"def loss(x):\n    return np.sum({body})\n"
        )
        importlib.invalidate_caches()
        found.append((rate, sg.grad(importlib.import_module("loaded_anew").loss)))
    for rate, derivative in [*found, *found]:
        assert_same(derivative(X), np.full(3, rate), 1e-15)
