"""What holds at run time of every gradient: inputs, memory, calls, exceptions, threads, types."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, copied, numerical_gradient
from tests.traps.checking import without_source

X = np.array([0.5, -1.2, 2.3, 0.7])
M = np.arange(12.0).reshape(3, 4) * 0.1 - 0.5
CALLS: list[int] = []


def energy(x):
    y = np.sin(x) * x
    return np.sum(y * y)


def stepping(x):
    u = x * 1.0
    for _ in range(3):
        u[1:] += 0.5 * u[:-1] * u[1:]
    return np.sum(u * x)


def passing_through(x):
    return np.sum(x.reshape(-1)) + np.sum(x.T)


def of_two(x, y):
    return np.sum(x + y)


def of_containers(p, q):
    return np.sum(p["a"] + q[0]) + np.sum(p["b"]) + q[1] * 2.0


def guarded(x):
    CALLS.append(1)
    stack = [v * v for v in x]
    if stack[0] > 100.0:
        raise ValueError("too large")
    total = 0.0
    while stack:
        total = total * 0.5 + stack.pop()
    return total


def engines(*functions: Any) -> Any:
    """Parametrise by functions, each as it is and without source, so that the tape runs it."""
    cases = [pytest.param(f, id=f"{f.__name__}-source") for f in functions]
    cases += [pytest.param(without_source(f), id=f"{f.__name__}-tape") for f in functions]
    return pytest.mark.parametrize("function", cases)


def arrays_in(value: Any) -> list[np.ndarray]:
    """Return the arrays in nested containers."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in arrays_in(item)]
    return [value] if isinstance(value, np.ndarray) else []


@engines(energy, stepping, passing_through)
@pytest.mark.parametrize(
    "x",
    [
        pytest.param(X, id="vector"),
        pytest.param(X.astype(np.float32), id="float32"),
        pytest.param(np.array([]), id="empty"),
        pytest.param(np.repeat(X, 2)[::2], id="every other"),
        pytest.param(X[::-1], id="backwards"),
        pytest.param(np.asfortranarray(M), id="Fortran order"),
        pytest.param(M.T, id="transposed"),
        pytest.param(M[:, 1:3], id="columns"),
        pytest.param(np.broadcast_to(0.7, (3, 2)), id="one number in many places"),
        pytest.param(np.zeros((0, 3)), id="no rows"),
    ],
)
def test_arguments_of_every_layout_and_type(function: Any, x: np.ndarray) -> None:
    x.flags.writeable = False
    before = x.copy()
    derivative = sg.value_and_grad(function, fallback="tape")
    value, grad = derivative(x)
    assert grad.shape == x.shape
    assert grad.dtype == x.dtype
    assert grad.flags.writeable
    assert not np.shares_memory(grad, x)
    assert_same(x, before, 0, 0)
    if x.dtype == np.float64:
        assert_same(value, function(x), 1e-12)
        assert_same(grad, numerical_gradient(function, (x,), 0))
    else:
        wide = derivative(x.astype(float))[1]
        assert_same(grad, wide, 1e-4, 1e-4)


@engines(energy)
@pytest.mark.parametrize("make", [float, np.float64, np.float32, np.array])
def test_numbers_of_every_kind(function: Any, make: Any) -> None:
    x = make(0.8)
    grad = sg.grad(function, fallback="tape")(x)
    assert type(grad) is type(x)
    assert_same(grad, numerical_gradient(energy, (0.8,), 0), 1e-5, 1e-5)


@engines(of_two)
def test_gradients_alias_no_input_and_not_each_other(function: Any) -> None:
    x, y = X.copy(), X.copy()
    gx, gy = sg.grad(function, (0, 1), fallback="tape")(x, y)
    for a, b in ((gx, gy), (gx, x), (gx, y), (gy, x), (gy, y)):
        assert not np.shares_memory(a, b)
    gx += 5.0
    assert_same(gy, np.ones(4), 0, 0)


@engines(of_containers)
def test_gradients_in_containers_alias_nothing(function: Any) -> None:
    args = {"a": X.copy(), "b": X.copy()}, [X.copy(), 2.0]
    grads = sg.grad(function, (0, 1), fallback="tape")(*args)
    arrays = arrays_in(grads) + arrays_in(args)
    for i, a in enumerate(arrays):
        for b in arrays[:i]:
            assert not np.shares_memory(a, b)
    assert_same(grads, ({"a": np.ones(4), "b": np.ones(4)}, [np.ones(4), 2.0]), 0, 0)


@engines(energy, stepping, guarded)
def test_repeated_calls_agree_to_the_last_bit(function: Any) -> None:
    derivative = sg.value_and_grad(function, fallback="tape")
    first = copied(derivative(X))
    for _ in range(3):
        assert_same(derivative(X), first, 0, 0)
    derivative(X * 2.0)
    assert_same(derivative(X), first, 0, 0)


@engines(guarded)
def test_an_exception_leaves_no_state_behind(function: Any) -> None:
    derivative = sg.grad(function, fallback="tape")
    expected = numerical_gradient(guarded, (X,), 0)
    for _ in range(2):
        with pytest.raises(ValueError, match="too large"):
            derivative(X * 100.0)
        CALLS.clear()
        assert_same(derivative(X), expected)
        assert len(CALLS) == 1


@engines(stepping)
def test_threads_do_not_meet(function: Any) -> None:
    derivative = sg.grad(function, fallback="tape")
    points = [X * (1.0 + 0.1 * k) for k in range(8)]
    expected = [sg.grad(function, fallback="tape")(p) for p in points]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.array_equal(derivative(points[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_one_warning_comes_from_many_threads_and_calls() -> None:
    derivative = sg.grad(without_source(energy))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            derivative(X)
    assert [item.category for item in caught] == [sg.FallbackWarning]


@pytest.mark.parametrize("function", [energy, stepping], ids=lambda f: f.__name__)
def test_a_pullback_may_run_again_and_after_other_calls(function: Any) -> None:
    compiled = sg.compile(function)
    x = sg.tensor(X.copy(), requires_grad=True)
    other = sg.tensor(X * 2.0, requires_grad=True)
    out = compiled(x)
    first = sg.autograd.grad(out, x, retain_graph=True)[0].numpy().copy()
    compiled(other).backward()
    again = sg.autograd.grad(out, x, retain_graph=True)[0].numpy()
    assert_same(again, first, 0, 0)
    assert_same(first, numerical_gradient(function, (X,), 0))
    again += 1.0
    assert_same(sg.autograd.grad(out, x)[0].numpy(), first, 0, 0)


def test_a_fallback_starts_before_anything_was_written() -> None:
    log: list[str] = []

    def half_way(x):
        log.append("start")
        x *= 2.0
        y = np.sum(x * x)
        with np.errstate(all="ignore"):
            y = y * 1.0
        log.append("end")
        return y

    for subject in (half_way, without_source(half_way)):
        log.clear()
        x = X.copy()
        value, grad = sg.value_and_grad(subject, fallback="tape")(x)
        assert log == ["start", "end"]
        assert_same(value, 4.0 * np.sum(X * X), 1e-12)
        assert_same(grad, 8.0 * X)


def test_the_result_of_a_nested_call_is_not_kept() -> None:
    def inner(x):
        return np.sum(x * x)

    def outer(x):
        return np.sum(sg.grad(inner, fallback="tape")(x) * x)

    try:
        grad = sg.grad(outer, fallback="tape")(X)
    except (sg.SrcgradError, RuntimeError, TypeError):
        return
    assert_same(grad, 4.0 * X)
