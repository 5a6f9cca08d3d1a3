"""`srcgrad.compile`: itself on arrays, one node with the generated adjoint on tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same


def recurrence(x: Any, w: Any, count: int = 3) -> Any:
    """Loop, so that records are kept."""
    h = x
    for _ in range(count):
        h = np.tanh(h * w) + x
    return h


def pair(x: Any, y: Any) -> Any:
    """Return two values."""
    return x * y, np.sin(x) + y


def refused(x: Any) -> Any:
    """Use what source transformation refuses."""
    number = 2

    class Twice:
        factor = number

    return x * Twice.factor


_calls = 0


X = np.linspace(0.1, 1.0, 4)


def leaves(*values: Any) -> list[Any]:
    """Return tensors that require a gradient."""
    return [sg.tensor(value, requires_grad=True) for value in values]


def test_arrays_go_through_the_function_itself() -> None:
    np.testing.assert_array_equal(sg.compile(recurrence)(X, 2.0), recurrence(X, 2.0))


def test_tensors_record_one_node() -> None:
    x, w = leaves(X, 2.0)
    node = sg.compile(recurrence)(x, w).grad_fn
    assert [type(edge[0]).__name__ for edge in node.next_functions if edge[0] is not None] == [
        "AccumulateGrad",
        "AccumulateGrad",
    ]


@pytest.mark.parametrize("count", [0, 1, 4])
def test_gradients_are_those_of_the_tape(count: int) -> None:
    x, w = leaves(X, 2.0)
    (sg.compile(recurrence)(x, w, count=count) ** 2).sum().backward()
    taped_x, taped_w = leaves(X, 2.0)
    (recurrence(taped_x, taped_w, count) ** 2).sum().backward()
    assert_same(x.grad.numpy(), taped_x.grad.numpy(), 1e-12)
    expected = np.zeros(()) if taped_w.grad is None else taped_w.grad.numpy()
    assert_same(w.grad.numpy(), expected, 1e-12)


def test_backward_may_run_twice() -> None:
    x, w = leaves(X, 2.0)
    out = sg.compile(recurrence)(x, w).sum()
    out.backward(retain_graph=True)
    once = x.grad.numpy().copy()
    out.backward()
    assert_same(x.grad.numpy(), 2 * once, 1e-12)


def test_two_results_each_have_their_gradient() -> None:
    x, y = leaves(X, X + 1.0)
    _, second = sg.compile(pair)(x, y)
    second.sum().backward()
    assert_same(x.grad.numpy(), np.cos(X), 1e-12)
    assert_same(y.grad.numpy(), np.ones(4), 1e-12)


def test_an_input_that_was_written_into_is_refused() -> None:
    x, w = leaves(X, 2.0)
    moved = x * 1.0
    out = sg.compile(recurrence)(moved, w).sum()
    moved.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_a_refused_function_runs_on_the_tape_with_one_warning() -> None:
    compiled = sg.compile(refused)
    (x,) = leaves(X)
    with pytest.warns(sg.FallbackWarning, match="class definition"):
        compiled(x).sum().backward()
    compiled(x)
    assert_same(x.grad.numpy(), np.full(4, 2.0))


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(sg.ArgumentError, match="needs a Python function"):
        sg.compile(np.sin)


def of_kinds(v: Any) -> Any:
    """Tell Python's and NumPy's numbers from arrays."""
    global _calls
    _calls += 1
    return v * 2 if isinstance(v, float) else np.sum(v * 3)


def of_arrays(v: Any) -> Any:
    """Tell arrays from numbers."""
    global _calls
    _calls += 1
    return np.sum(v**3) if isinstance(v, np.ndarray) else v * 3


def into_made(v: Any) -> Any:
    """Write into an array of its own."""
    global _calls
    _calls += 1
    out = np.zeros(4)
    out[0], out[1:] = np.sum(v), np.mean(v) ** 2
    return np.sum(out * v)


def of_math(v: Any) -> Any:
    """Call what takes numbers alone."""
    global _calls
    _calls += 1
    return math.sin(np.sum(v)) * float(np.sum(v))


def of_kinds_by_source(v: Any) -> Any:
    """Tell numbers from arrays, in a function that is not refused."""
    return v * 2 if isinstance(v, float) else np.sum(v * 3)


@pytest.mark.parametrize("value", [2.0, X], ids=["number", "array"])
@pytest.mark.parametrize("f", [of_kinds, of_arrays, into_made, of_math, of_kinds_by_source])
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_function_does_with_tensors_what_it_does_under_grad(f: Any, value: Any) -> None:
    (x,) = leaves(value)
    out = sg.compile(f)(x)
    out.backward()
    assert_same(x.grad.numpy(), sg.grad(f)(value), 1e-12)
    assert_same(out.detach().numpy(), f(value), 1e-12)
    assert_same(sg.compile(f)(x.detach()).numpy(), f(value), 1e-12)
    with sg.no_grad():
        assert_same(sg.compile(f)(x).numpy(), f(value), 1e-12)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_what_would_leave_the_tape_is_refused_as_under_grad() -> None:
    def through_text(v: Any) -> Any:
        return v * float(str(v))

    (x,) = leaves(2.0)
    with pytest.raises(sg.NotDifferentiableError, match="text"):
        sg.compile(through_text)(x)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_tensors_in_lists_are_the_arrays_that_they_stand_for() -> None:
    def of_a_list(parts: Any) -> Any:
        assert all(isinstance(part, np.ndarray) for part in parts)
        return sum(np.sum(part**2) for part in parts)

    x, y = leaves(X, X + 1.0)
    sg.compile(of_a_list)([x, y]).backward()
    assert_same(x.grad.numpy(), 2 * X, 1e-12)
    assert_same(y.grad.numpy(), 2 * (X + 1.0), 1e-12)
