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


def powers(x):
    return np.sum(np.sin(x) ** GAIN)


def tabled(x):
    return np.sum(np.full((2, 3), GAIN) * x) + np.max(x * GAIN)


def stored(x):
    y = np.zeros(np.shape(x * GAIN))
    y[...] = GAIN
    y += x * GAIN
    return np.mean(y * y)


@pytest.mark.parametrize(
    "function", [weighted, by_class_attribute, by_object_attribute, powers, tabled, stored]
)
@pytest.mark.parametrize("later", [np.full((2, 3), 3.0), np.array([1.0, 2.0, 3.0]), 3, True])
def test_a_number_outside_may_be_an_array_at_the_next_call(
    function: Any, later: Any, monkeypatch: Any
) -> None:
    point = np.array([0.5, 1.2, 2.1])
    derivative = sg.grad(function, fallback="error")
    for value in (2.0, later, 2.0):
        monkeypatch.setitem(globals(), "GAIN", value)
        monkeypatch.setattr(Options, "gain", value)
        monkeypatch.setattr(SETTINGS, "gain", value)
        want = numerical_gradient(function, (point,), 0)
        assert_same(derivative(point), want)
        assert_same(sg.vjp(function, point)[1](1.0)[0], want)
        rows = [sg.jvp(function, (point,), (row,))[1] for row in np.eye(3)]
        assert_same(np.array(rows), want)


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


TABLE = {"rows": [np.array([1.0, 2.0, 3.0])], "gain": 2.0}
ITEM = types.SimpleNamespace(rows=np.array([1.0, 2.0, 3.0]))


class Layer:
    """Its arrays are read in the backward pass."""

    def __init__(self) -> None:
        self.weights = [np.array([1.0, 2.0, 3.0])]

    def total(self, x):
        return np.sum(self.weights[0] * x * x)


def by_table(x):
    return np.sum(TABLE["rows"][0] * x) * TABLE["gain"]


def by_item(x):
    return np.sum(ITEM.rows * x * x)


def _double_all() -> None:
    globals()["GAIN"] *= 2.0
    WEIGHTS[...] *= 2.0
    TABLE["gain"] *= 2.0
    for row in (TABLE["rows"][0], ITEM.rows, LAYER.weights[0]):
        row[...] = 2.0 * row


LAYER = Layer()


@pytest.mark.parametrize("function", [weighted, powers, by_table, by_item, LAYER.total])
def test_a_pullback_reads_what_was_outside_at_its_call(function: Any, monkeypatch: Any) -> None:
    for name, value in (("GAIN", 2.0), ("WEIGHTS", np.ones(3))):
        monkeypatch.setitem(globals(), name, value)
    point = np.array([0.5, 1.2, 2.1])
    want = numerical_gradient(function, (point,), 0)
    _, pull = sg.vjp(function, point)
    tensor = sg.tensor(point, requires_grad=True)
    out = None if function == LAYER.total else sg.compile(function)(tensor)
    _double_all()
    sg.vjp(function, point)
    assert_same(pull(1.0)[0], want)
    assert_same(pull(1.0)[0], want)
    if out is not None:
        out.backward()
        assert_same(tensor.grad.numpy(), want)


ORIGINAL = """import numpy as np

GAIN = 2.0


def doubled(x):
    return np.sum(x * x) * 2.0


def helper(x):
    return np.sum(x) if x[0] in {1.0, 3.5, 2.0} else np.prod(x)
"""
EDITS = {
    "a constant": ("* 2.0", "* 3.0"),
    "an operator": ("x * x)", "x + x)"),
    "a name": ("np.sum(x * x)", "np.prod(x * x)"),
    "a function before": ("def doubled", "def other(x):\n    return np.sum(x)\n\n\ndef doubled"),
    "names swapped": ("doubled", "helper"),
    "everything": (ORIGINAL, "import numpy as np\n"),
    "its syntax": ("def doubled(x)", "def doubled(x"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_file_that_was_edited_is_not_the_source(edit: str, tmp_path: Any, monkeypatch: Any):
    name = f"edited_{abs(hash(edit))}"
    path = tmp_path / f"{name}.py"
    path.write_text(ORIGINAL)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    module = importlib.import_module(name)
    assert_same(sg.grad(module.helper, fallback="error")(X), np.prod(X) / X)
    path.write_text(ORIGINAL.replace(*EDITS[edit]) + "\n# longer\n")
    with pytest.warns(sg.FallbackWarning, match="changed after|cannot be found"):
        found = sg.grad(module.doubled)(X)
    assert_same(found, 4.0 * X)
    monkeypatch.delitem(sys.modules, name)


def test_lines_that_moved_with_their_function_are_the_source_once_it_is_loaded_again(
    tmp_path: Any, monkeypatch: Any
) -> None:
    path = tmp_path / "moved_module.py"
    path.write_text(ORIGINAL)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    module = importlib.import_module("moved_module")
    path.write_text("# moved\n\n" + ORIGINAL.replace("2.0", "5.0"))
    importlib.reload(module)
    assert_same(sg.grad(module.doubled, fallback="error")(X), 10.0 * X)
    monkeypatch.delitem(sys.modules, "moved_module")
