"""Functions that keep their state in dicts and lists, which are known entry by entry."""

import contextlib
import copy
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient
from tests.traps.dicts import of_modules, of_objects

X = np.linspace(0.3, 1.4, 4)
AROUND: dict[str, Callable[..., Any]] = {
    "grad": lambda f, x: sg.grad(f)(x),
    "vjp": lambda f, x: sg.vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: [sg.jvp(f, (x,), (unit,))[1] for unit in np.eye(len(x))[:1]],
}
TO_THE_TAPE = frozenset(
    "read_by_functions_in_a_list one_array_under_two_keys read_within_a_comprehension"
    " key_that_is_computed two_variables entry_of_an_entry recursive"
    " generated object_renewed_before object_renewed_at_last dicts_changed_about"
    " inner_dict_renewed inner_dicts_changed_about appended inserted reversed_list"
    " popped_of_a_list all_of_a_list cleared dict_under_two_keys dict_of_two_objects"
    " dicts_that_change_objects former_dict handed_out got one_or_the_other each_of_two"
    " each_of_a_list each_that_is_a_dict spread beside_a_deep_copy".split()
)


def _programs() -> Iterator[tuple[ModuleType, str]]:
    for module in (of_modules, of_objects):
        for name, value in vars(module).items():
            own = inspect.isfunction(value) and value.__qualname__ == name
            own = own and value.__module__ == module.__name__
            if own and list(inspect.signature(value).parameters) == ["x"]:
                yield module, name


PROGRAMS = list(_programs())


def _state(module: ModuleType) -> dict[str, Any]:
    """Return what the data of a module holds, that of objects by their fields."""
    kept = {key: item for key, item in vars(module).items() if key[0] != "_"}
    data = {k: v for k, v in kept.items() if not callable(v) and not inspect.ismodule(v)}
    held = {k: vars(v) if hasattr(v, "__dict__") else v for k, v in data.items()}
    return copy.deepcopy(held)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(_same, left, right))
    if hasattr(left, "__dict__"):
        return _same(vars(left), vars(right))
    if left is None or isinstance(left, str):
        return bool(left == right)
    return np.shape(left) == np.shape(right) and np.allclose(left, right)


def _anew(module: ModuleType, name: str) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = getattr(importlib.reload(module), name)
    return function


def _once(module: ModuleType, name: str) -> Callable[[Any], Any]:
    def once(x: Any) -> Any:
        return _anew(module, name)(x)

    return once


@pytest.mark.parametrize(("module", "name"), PROGRAMS, ids=[name for _, name in PROGRAMS])
def test_derivatives_and_what_is_left(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_PROVE", "0")  # the checker would find what is wrong here
    expected = numerical_gradient(_once(module, name), (X,), 0)
    _anew(module, name)(X.copy())
    left = _state(module)
    for mode, derivative in AROUND.items():
        function = _anew(module, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = derivative(function, X.copy())
        wanted = expected[:1] if mode == "jvp" else expected
        np.testing.assert_allclose(found, wanted, 1e-4, 1e-5, err_msg=mode)
        if mode != "jvp":
            assert _same(_state(module), left)


@pytest.mark.parametrize(("module", "name"), PROGRAMS, ids=[name for _, name in PROGRAMS])
@pytest.mark.filterwarnings("ignore")
def test_a_second_call_goes_on_from_the_first(module: ModuleType, name: str) -> None:
    def second(x: Any) -> Any:
        function = _anew(module, name)
        with contextlib.suppress(KeyError):
            function(X.copy())
        return function(x)

    try:
        expected = numerical_gradient(second, (X,), 0)
    except (KeyError, IndexError):
        pytest.skip("it runs once")
    gradient = sg.grad(_anew(module, name))
    gradient(X.copy())
    np.testing.assert_allclose(gradient(X.copy()), expected, 1e-4, 1e-5)


@pytest.mark.parametrize(("module", "name"), PROGRAMS, ids=[name for _, name in PROGRAMS])
def test_each_goes_by_its_engine(module: ModuleType, name: str) -> None:
    function = _anew(module, name)
    if name not in TO_THE_TAPE:
        assert sg.grad(function, fallback="error")(X.copy()).shape == X.shape
        return
    with pytest.raises(sg.SrcgradError):
        sg.grad(function, fallback="error")(X.copy())


def stepped(state: Any, x: Any) -> Any:
    state["u"][:] = x * state["a"]
    state["t"] += x[0]
    return np.sum(state["u"]) * state["t"]


def mixed(state: Any, x: Any) -> Any:
    state["in"]["z"] *= x[1]
    state["u"], state["a"] = state["a"] * x, state["u"]
    return np.sum(state["u"] * state["a"]) * state["in"]["z"]


def grown(state: Any, x: Any) -> Any:
    state["new"] = x * state["t"]
    state["t"] = state["t"] + 1.0
    return np.sum(state["new"]) * state["t"]


def _given() -> dict[str, Any]:
    return {"u": np.ones(4), "a": np.arange(4.0), "t": 2.0, "in": {"z": 1.5}, "name": "a"}


@pytest.mark.parametrize("function", [stepped, mixed, grown])
def test_dicts_that_are_given(function: Callable[..., Any]) -> None:
    numbers = {key: item for key, item in _given().items() if key != "name"}
    expected = numerical_gradient(function, (numbers, X), 0)
    by_x = numerical_gradient(lambda x: function(_given(), x), (X,), 0)
    left = _given()
    function(left, X.copy())
    for argnums in (0, 1, (0, 1)):
        state = _given()
        found = sg.grad(function, argnums=argnums, fallback="error")(state, X.copy())
        assert _same(state, left)
        of_state = found if argnums == 0 else found[0] if argnums == (0, 1) else None
        of_x = found if argnums == 1 else found[1] if argnums == (0, 1) else by_x
        np.testing.assert_allclose(of_x, by_x, 1e-5, 1e-6)
        if of_state is not None:
            assert list(of_state) == list(_given())
            plain = {key: item for key, item in of_state.items() if key != "name"}
            assert all(_close(plain[key], expected[key]) for key in expected)
    state = _given()
    _, pull = sg.vjp(function, state, X.copy(), fallback="error")
    np.testing.assert_allclose(pull(1.0)[1], by_x, 1e-5, 1e-6)


def _close(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return all(_close(found[key], wanted[key]) for key in wanted)
    return bool(np.allclose(found, wanted, 1e-5, 1e-6))


def test_entries_that_come_to_share_memory_are_refused() -> None:
    gradient = sg.grad(stepped, argnums=1, fallback="error")
    assert gradient(_given(), X.copy()).shape == X.shape
    state = _given()
    state["a"] = state["u"]
    with pytest.raises(sg.MutationError, match="shares memory"):
        gradient(state, X.copy())
    state = _given()
    with pytest.raises(sg.MutationError, match="shares memory"):
        gradient(state, state["u"])


def test_a_dict_with_other_keys_or_kinds_is_compiled_anew() -> None:
    gradient = sg.grad(stepped, argnums=1, fallback="error")
    for change in ({"more": 1.0}, {"u": np.ones(4, np.float32)}, {"t": 3}, {"a": 2.0}):
        wanted = numerical_gradient(lambda x, c=change: stepped(_given() | _copy(c), x), (X,), 0)
        found = gradient(_given() | _copy(change), X.copy())
        np.testing.assert_allclose(found, wanted, 0.1, 0.1)


def _copy(change: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(change)


def test_texts_say_what_the_function_says() -> None:
    gradient = sg.grad(stepped, argnums=1, fallback="error")
    gradient(_given(), X.copy())
    assert 't = state["t"]' in gradient.source
    assert 'state["t"] = t' in gradient.source
    assert "tell" not in gradient.source
