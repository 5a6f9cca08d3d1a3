"""The short way into a gradient must take no call that is not of its kind, nor outlive its text."""

from __future__ import annotations

import threading
import types
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.gradient import Gradient
from srcgrad.api.traps import has_nan
from tests.differences import assert_same, numerical_gradient

X = np.array([0.5, -1.2, 2.0])
GAIN = 2.0
WEIGHTS = np.ones(3)


class Options:
    """A class whose attribute is read."""

    gain = 2.0


def helper(x):
    return x * GAIN


def by_globals(x):
    return np.sum(helper(x) * WEIGHTS) * Options.gain


def with_defaults(x, k=2.0, *, shift=0.5):
    return np.sum(x * k * x + shift * x)


def by_builtin(x):
    return np.sum(x * abs(-3.0)) * len("ab")


def of_dict(p, k):
    return np.sum(p["a"] * p["a"] * k) + np.sum(p["b"])


def of_list(xs):
    total = 0.0
    for x in xs:
        total = total + np.sum(x * x)
    return total


def branching(x, n):
    if n > 2:
        return np.sum(x * x)
    return np.sum(x) * n


def selecting(x, y):
    return np.sum(np.where(x > 0, np.sqrt(x * y), 0.0)) + np.sum(x * y)


def growing(x, n):
    values = [max(np.log(2.0 + x[i]), 0.1 * i) for i in range(n)]
    return values[0] * values[n - 1]


class Subclass(np.ndarray):
    """Another type of array."""


def warmed(derivative: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a derivative until calls like this one have an entry."""
    for _ in range(3):
        result = derivative(*args, **kwargs)
    assert len(derivative._entries)
    return result


def afresh(function: Any) -> Any:
    """Return the same function, which nothing was made of yet."""
    new = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def assert_alike(mine: Any, other: Any) -> None:
    """Assert that two results are of the same types, shapes and numbers."""
    assert type(mine) is type(other)
    if isinstance(mine, dict):
        assert [*mine] == [*other]
        mine, other = [*mine.values()], [*other.values()]
    if isinstance(mine, (list, tuple)):
        assert len(mine) == len(other)
        for one, two in zip(mine, other, strict=True):
            assert_alike(one, two)
        return
    assert getattr(mine, "dtype", None) == getattr(other, "dtype", None)
    assert np.shape(mine) == np.shape(other)
    if mine is not None:
        np.testing.assert_allclose(mine, other, rtol=1e-6)


ARRAY = np.array([0.5, 1.5, 2.5])
KINDS = {
    with_defaults: [
        *(2.0, 3, np.float64(1.5), np.float32(1.5), ARRAY, ARRAY.astype("f4"), np.array(2.0)),
        *(np.ones((2, 3)), ARRAY[::2], ARRAY.astype(">f8"), ARRAY.view(Subclass), np.ones(0)),
        *(np.array([1.0, 2.0 + 1j]), 2.0, ARRAY),
    ],
    of_list: [
        *(
            [ARRAY, ARRAY],
            [1.0, 2.0],
            (1.0, 2.0),
            [1.0, ARRAY],
            [2.0] * 20,
            [2.0] * 21,
            [ARRAY] * 12,
        ),
        *([*[2.0] * 20, ARRAY], [np.float64(2.0)] * 3, [[1.0], [2.0]][0], [ARRAY, np.ones((2, 2))]),
        *([np.ones(3, "f4")] * 12, np.ones((2, 3)), [1.0, 2.0]),
    ],
}


@pytest.mark.parametrize("make", [sg.grad, sg.value_and_grad])
@pytest.mark.parametrize("function", KINDS)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_arguments_of_each_kind_get_what_a_new_gradient_gives(make: Any, function: Any) -> None:
    derivative = make(function)
    for _ in range(3):
        for value in KINDS[function]:
            try:
                want = make(afresh(function))(value)
            except sg.SrcgradError as refusal:
                with pytest.raises(type(refusal)):
                    derivative(value)
                continue
            assert_alike(derivative(value), want)


@pytest.mark.parametrize("argnums", [0, (0,), (0, 1), (1, 0), 1])
@pytest.mark.parametrize("make", [sg.grad, sg.value_and_grad])
def test_the_form_is_that_of_the_first_call(make: Any, argnums: Any) -> None:
    p = {"b": ARRAY, "a": ARRAY + 1, "name": "spare", "n": 3}
    derivative = make(of_dict, argnums=argnums)
    want = derivative(p, 2.0)
    assert_alike(warmed(derivative, p, 2.0), want)
    smaller = {"a": ARRAY, "b": ARRAY}
    for args in [(smaller, 2.0), ({**p, "a": 1.0}, 2), (p, np.float64(2.0)), (smaller, ARRAY)]:
        assert_alike(derivative(*args), make(afresh(of_dict), argnums=argnums)(*args))
    with pytest.raises(KeyError):
        derivative({"b": ARRAY}, 2.0)


def test_arguments_by_name_are_bound_as_python_binds_them() -> None:
    derivative = sg.value_and_grad(with_defaults, argnames=("x", "k"))
    warmed(derivative, ARRAY, k=3.0)
    warmed(derivative, k=3.0, x=ARRAY, shift=1.0)
    for args, kwargs in [
        ((ARRAY,), {}),
        ((), {"x": ARRAY, "shift": 2.0}),
        ((ARRAY, 4.0), {"shift": np.ones(3)}),
        ((ARRAY, ARRAY), {}),
    ]:
        new = sg.value_and_grad(afresh(with_defaults), argnames=("x", "k"))
        assert_alike(derivative(*args, **kwargs), new(*args, **kwargs))
    for args, kwargs in [
        ((), {}),
        ((ARRAY, 1.0, 2.0), {}),
        ((ARRAY,), {"x": ARRAY}),
        ((ARRAY,), {"q": 1}),
    ]:
        with pytest.raises(TypeError):
            derivative(*args, **kwargs)


def test_a_parameter_that_the_text_renames_is_known_by_its_own_name() -> None:
    def renamed(np_, np, *, grad_y=2.0):
        y = np_ * np * grad_y
        return y * y

    derivative = sg.grad(renamed, argnums=(0, 1))
    want = numerical_gradient(renamed, (1.5, 2.0), 0), numerical_gradient(renamed, (1.5, 2.0), 1)
    for _ in range(4):
        assert_same(derivative(1.5, 2.0), want)
        assert_same(derivative(1.5, np=2.0), want)
        assert_same(derivative(1.5, 2.0, grad_y=2.0), want)


def test_what_is_outside_is_read_as_it_is_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = sg.grad(by_globals)

    def check() -> None:
        for _ in range(3):
            assert_same(derivative(X), numerical_gradient(by_globals, (X,), 0))

    warmed(derivative, X)
    check()
    changes: list[tuple[str, Any]] = [
        *(("GAIN", 3.0), ("GAIN", X), ("GAIN", 2.0), ("WEIGHTS", 2 * WEIGHTS), ("WEIGHTS", 4)),
        *(("helper", np.sin), ("helper", lambda x: x * x), ("GAIN", 5.0), ("helper", helper)),
    ]
    for name, value in changes:
        monkeypatch.setitem(globals(), name, value)
        check()
    monkeypatch.setattr(Options, "gain", 5.0)
    check()
    monkeypatch.setattr(helper, "__code__", (lambda x: x * x * x).__code__)
    check()
    monkeypatch.setattr(by_globals, "__code__", (lambda x: np.sum(helper(x))).__code__)
    check()


def test_a_global_that_hides_a_builtin_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = sg.grad(by_builtin)
    warmed(derivative, X)
    monkeypatch.setitem(globals(), "abs", lambda x: x * x)
    assert_same(derivative(X), numerical_gradient(by_builtin, (X,), 0))


def test_defaults_that_are_replaced_are_seen() -> None:
    function = afresh(with_defaults)
    derivative = sg.grad(function)
    warmed(derivative, X)
    for defaults, named in [((3.0,), 0.5), ((X,), 0.5), ((3.0,), X), ((2,), 4)]:
        function.__defaults__, function.__kwdefaults__ = defaults, {"shift": named}
        for _ in range(3):
            assert_same(derivative(X), numerical_gradient(function, (X,), 0))


def test_closures_are_read_as_they_are_at_each_call() -> None:
    def make(c: Any, inner: Any) -> Any:
        def function(x):
            return np.sum(inner(x) * c)

        def change(new_c: Any, new_inner: Any) -> None:
            nonlocal c, inner
            c, inner = new_c, new_inner

        return function, change

    function, change = make(2.0, np.sin)
    derivative = sg.grad(function)
    warmed(derivative, X)
    for c, inner in [(3.0, np.sin), (X, np.sin), (3.0, np.cos), (3.0, lambda x: x**3), (2, np.sin)]:
        change(c, inner)
        for _ in range(3):
            assert_same(derivative(X), numerical_gradient(function, (X,), 0))


def test_integers_that_a_text_was_made_for_are_asked_about() -> None:
    derivative = sg.grad(branching)
    for n in (3, 3, 3, 1, 3, 2.5, True, 1, 1, 7):
        assert_same(derivative(X, n), numerical_gradient(branching, (X, n), 0))


def test_nan_beside_a_selection_is_taken_from_the_tape_by_every_way() -> None:
    derivative = sg.grad(selecting, argnums=(0, 1))
    inside, edge = np.array([1.0, 2.0]), np.array([0.0, -1.0])
    warmed(derivative, inside, 2.0 * inside)
    with np.errstate(all="ignore"):
        found = derivative(edge, inside)
        assert not has_nan(found)
        assert_alike(found, sg.grad(afresh(selecting), argnums=(0, 1))(edge, inside))


def test_the_text_that_is_shown_is_that_of_the_last_call() -> None:
    derivative = sg.grad(of_dict)
    flat, wide = {"a": ARRAY, "b": ARRAY}, {"a": np.ones((2, 3)), "b": np.ones(3)}
    texts = []
    for p in (flat, wide, flat, wide):
        warmed(derivative, p, 2.0)
        texts.append(derivative.source)
        assert_alike(derivative.generated(p, 2.0), derivative(p, 2.0))
        assert derivative.source == texts[-1]
    assert texts[0] == texts[2]
    assert texts[1] == texts[3]


def test_reading_the_text_does_not_change_what_runs() -> None:
    read, unread = sg.grad(of_dict), sg.grad(afresh(of_dict))
    assert read.source
    p = {"a": ARRAY, "b": ARRAY}
    for _ in range(3):
        assert_alike(read(p, 2.0), unread(p, 2.0))
    assert read.source == unread.source


def test_switches_are_seen_by_calls_that_have_an_entry() -> None:
    derivative = sg.grad(lambda x: np.sum(np.sqrt(x)))
    warmed(derivative, np.ones(3))
    with np.errstate(all="ignore"):
        derivative(np.zeros(3))
        with sg.debug_nans(), pytest.raises(sg.NonFiniteError):
            derivative(np.zeros(3))
        derivative(np.zeros(3))


def test_a_call_inside_of_one_on_the_tape_is_recorded() -> None:
    inner = sg.grad(lambda x: np.sum(x**3))
    warmed(inner, X)
    outer = sg.grad(lambda x: np.sum(inner(x)), backend="tape")
    assert_same(outer(X), 6 * X)
    tensor = sg.tensor(X.copy(), requires_grad=True)
    inner(tensor).sum().backward()
    assert_same(tensor.grad.numpy(), 6 * X)


def test_an_error_is_raised_once_and_from_the_users_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(x, k):
        print("called")
        return np.sum(x * np.take(np.linspace(1.0, 3.0, 3), k))

    derivative = sg.grad(fails)
    warmed(derivative, X, 1)
    capsys.readouterr()
    with pytest.raises(IndexError) as caught:
        derivative(X, 5)
    assert capsys.readouterr().out == "called\n"
    assert any("np.take" in note for note in caught.value.__notes__)


def test_the_way_of_a_gradient_may_outlive_it() -> None:
    derivative = sg.grad(branching)
    call = derivative.__call__
    want = warmed(derivative, X, 3)
    later = derivative.__call__
    assert_alike(Gradient.__call__(derivative, X, 3), want)
    del derivative
    for way in (call, later):
        assert_alike(way(X, 3), want)
        assert_same(way(X, 1), np.ones(3))


def test_threads_with_arguments_of_different_kinds_share_a_gradient() -> None:
    derivative = sg.grad(of_dict)
    points = [({"a": ARRAY * n, "b": ARRAY}, 2.0) for n in range(1, 4)]
    points += [({"a": np.ones((2, 3)), "b": ARRAY}, ARRAY), ({"a": 1.0, "b": 2.0}, 3)]
    wants = [sg.grad(afresh(of_dict))(*point) for point in points]
    wrong = []

    def work(start: int) -> None:
        for number in range(start, start + 40):
            point, want = points[number % 5], wants[number % 5]
            try:
                assert_alike(derivative(*point), want)
            except BaseException as error:  # noqa: BLE001 - of any kind, to be raised in the test
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[0]


def writing(x, y, k):
    x *= k
    x += np.sin(y)
    y += np.ones(int(k))
    return np.sum(x * y)


@pytest.mark.parametrize("pure", [False, True])
def test_calls_that_write_have_an_entry_as_long_as_memory_is_apart(pure: bool) -> None:
    gradient: Any = sg.grad(writing, argnums=(0, 1), pure=pure)
    for turn in range(6):
        given = X + turn, X * 2.0
        used = X + turn, X * 2.0
        found = gradient(*given, 3.0)
        assert_same(found, sg.grad(writing, argnums=(0, 1))(*used, 3.0), 0, 0)
        assert_same(given, (X + turn, X * 2.0) if pure else used, 0, 0)
    assert len(gradient._entries) == 1
    memory = np.zeros(5)
    for shared in ((memory[:3], memory[2:]), (memory[2:], memory[:3]), (memory[:3], memory[:3])):
        with pytest.raises(sg.MutationError):
            gradient(*shared, 3.0)
        assert not memory.any()
    assert len(gradient(memory[:3], memory[:3] + 1.0, 3.0)) == 2


def test_a_call_that_writes_and_raises_is_not_run_again() -> None:
    gradient: Any = sg.grad(writing)
    for _ in range(4):
        gradient(X.copy(), X * 2.0, 3.0)
    assert len(gradient._entries) == 1
    x = X.copy()
    with pytest.raises(ValueError, match="broadcast"):
        gradient(x, X * 2.0, 6.0)
    expected = X.copy()
    with pytest.raises(ValueError, match="broadcast"):
        writing(expected, X * 2.0, 6.0)
    assert_same(x, expected, 0, 0)


def selecting_and_writing(x, k):
    for i in range(len(x)):
        x[i] = np.sqrt(x[i]) * k if x[i] > 0.0 else x[i] * k
    steep = np.sqrt(np.abs(x))
    parts = [steep * k, x]
    return np.sum(np.concatenate(parts)[len(x) :] * x)


def test_a_call_that_writes_and_finds_nan_begins_anew_from_what_was_there() -> None:
    gradient: Any = sg.grad(selecting_and_writing)
    for _ in range(4):
        gradient(np.abs(X), 3.0)
    assert len(gradient._entries) == 1
    for given in (np.array([0.0, 1.0, 4.0]), np.array([np.nan, 1.0, 4.0]), np.abs(X)):
        ours, alone, by_new = given.copy(), given.copy(), given.copy()
        with np.errstate(all="ignore"):
            found = gradient(ours, 3.0)
            selecting_and_writing(alone, 3.0)
            assert_same(found, sg.grad(afresh(selecting_and_writing))(by_new, 3.0), 0, 0)
        assert_same(ours, alone, 1e-15, 0)
        assert_same(ours, by_new, 0, 0)
    assert len(gradient._entries) == 1


def test_a_list_of_adjoints_that_shrinks_is_no_reason_for_the_long_way() -> None:
    gradient = sg.grad(growing, fallback="error")
    assert_same(warmed(gradient, X, 3), numerical_gradient(growing, (X, 3), 0))
    assert "grad_values.pop()" in gradient.source
