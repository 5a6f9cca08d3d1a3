"""Tests that a trace holds every value and adjoint of a call."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def step(u, r):
    k = np.sin(u)
    assert k.ndim == 1  # which keeps it a function of its own
    return u + r * k


def loss(u, r, n):
    for _ in range(n):
        u = step(u, r)
    e = u * u
    return np.sum(e)


U = np.array([0.5, 1.0, 2.0])


def test_a_trace_has_values_adjoints_and_the_result():
    g = sg.grad(loss, argnums=(0, 1))
    trace = g.trace(U, 0.3, 2)
    expected = g(U, 0.3, 2)
    np.testing.assert_equal(trace.result, expected)
    np.testing.assert_equal(trace.adjoints["u"], expected[0])
    np.testing.assert_equal(trace.adjoints["r"], expected[1])
    assert len(trace) == len(list(trace)) == len(trace.to_dict())
    assert {item.kind for item in trace} == {"primal", "adjoint"}


def test_values_of_helpers_come_once_for_each_trip():
    trace = sg.grad(loss).trace(U, 0.3, 2)
    first, second = trace["k"]
    np.testing.assert_equal(first, np.sin(U))
    np.testing.assert_equal(second, np.sin(U + 0.3 * np.sin(U)))
    with pytest.raises(KeyError):
        trace["nothing"]


def test_each_value_knows_its_lines():
    g = sg.grad(loss)
    g(U, 0.3, 2)
    trace = g.trace(U, 0.3, 2)
    (item, _) = [item for item in trace if item.name == "k"]
    assert item.user is not None
    assert item.user.line == step.__code__.co_firstlineno + 1
    assert item.function == "step_forward"
    assert g.source.splitlines()[item.line - 1].strip() == "k = np.sin(u)"


def test_values_are_copies_as_they_were():
    def sums(x):
        total = np.zeros(2)
        for i in range(2):
            total += x[i]
        return np.sum(total * total)

    trace = sg.grad(sums).trace(np.array([1.0, 2.0]))
    assert [v.tolist() for v in trace["total"]][-2:] == [[1.0, 1.0], [3.0, 3.0]]


def test_writes_through_an_expression_are_no_trouble():
    def through(x):
        grid = np.zeros((3, 1))
        np.squeeze(grid)[1] = x * x
        return np.sum(grid)

    trace = sg.grad(through).trace(3.0)
    assert trace.result == sg.grad(through)(3.0)


def test_the_text_lists_lines_names_and_values():
    text = str(sg.grad(loss).trace(U, 0.3, 2))
    assert "loss_grad, adjoints" in text
    assert "step_forward, primals" in text
    assert f"L{step.__code__.co_firstlineno + 1}" in text
    assert " trip 2" in text
    assert "<pre>" in sg.grad(loss).trace(U, 0.3, 2)._repr_html_()


def test_a_trace_leaves_arguments_alone_and_a_method_its_object():
    class Model:
        def __init__(self):
            self.w = np.array([2.0, 3.0])

        def loss(self, x):
            return np.sum(self.w * x * x)

    x = np.array([1.0, 2.0])
    trace = sg.grad(Model().loss).trace(x)
    np.testing.assert_equal(trace.result, sg.grad(Model().loss)(x))


def test_what_runs_on_the_tape_has_no_trace():
    def weird(x):
        global somewhere
        somewhere = 1
        return x * x

    with pytest.raises(sg.UnsupportedError):
        sg.grad(weird).trace(2.0)
