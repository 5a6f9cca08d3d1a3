"""Tests that a checkpointed function is run again, in both engines, and keeps nothing."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from tests.programs.checkpointed import block

CALLS = []


def _counted(u):
    CALLS.append(u)
    return np.sin(u) * u


def _noisy(u):
    rng = np.random.default_rng(0)
    return u * rng.normal(size=3)


def test_the_tape_runs_a_call_again_and_agrees():
    def f(u, rate):
        return np.sum(block(block(u, rate), rate) ** 2)

    args = (np.linspace(0.1, 1.0, 3), 0.7)
    by_source = sg.grad(f, (0, 1), fallback="error")(*args)
    _, by_tape = run_on_tape(f, inspect.signature(f), ["u", "rate"], args, {}, aux=False)
    for mine, theirs in zip(by_source, by_tape, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_tensors_keep_the_arguments_alone():
    x = sg.tensor(np.linspace(0.1, 1.0, 3), requires_grad=True)
    saved = []
    with sg.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        out = block(x, 0.5)
    assert len(saved) <= 1
    out.sum().backward()
    np.testing.assert_allclose(
        x.grad.numpy(), sg.grad(lambda u: np.sum(block(u, 0.5)))(x.detach().numpy())
    )


def test_what_is_not_the_same_again_is_recorded_on_the_tape():
    x = sg.tensor(np.ones(3), requires_grad=True)
    CALLS.clear()
    sg.checkpoint(_counted)(x).sum().backward()
    assert len(CALLS) == 1


def test_draws_are_refused_by_source():
    f = sg.checkpoint(_noisy)
    with pytest.raises(sg.UnsupportedError, match="draws random numbers"):
        sg.grad(lambda u: np.sum(f(u)), fallback="error")(np.ones(3))


def test_the_gradient_of_a_checkpointed_function_is_that_of_the_function():
    args = (0.3, 0.5)
    assert sg.grad(block)(*args) == sg.grad(block.primal)(*args)
    assert sg.jvp(block, args, (1.0, None))[1] == pytest.approx(sg.grad(block)(*args))


def test_a_call_on_arrays_is_a_call_of_the_function():
    np.testing.assert_array_equal(block(np.ones(2), 0.5), block.primal(np.ones(2), 0.5))
    assert "checkpoint of _block" in repr(block)


def test_only_functions_are_checkpointed():
    with pytest.raises(sg.ArgumentError, match="Python function"):
        sg.checkpoint(np.sin)


def _long(rate, u, n):
    for _ in sg.checkpointed(range(n), budget=7):
        u = u + 0.1 * rate * np.sin(u)
    return np.sum(block(u, rate))


def test_an_explanation_says_what_is_run_again():
    text = sg.grad(_long, (0, 1), fallback="error").explain().text()
    assert "of `u`, 7 states at a time are kept" in text
    assert "the call of `_block`: its arguments are kept" in text


def test_the_tape_says_that_it_records_every_trip():
    def hidden(x, n):
        for _ in sg.checkpointed(range(n)):
            x = eval("m.sin(x) * 1.1", {"m": np, "x": x})
        return np.sum(x)

    with pytest.warns(sg.FallbackWarning, match="records every trip"):
        sg.grad(hidden)(np.ones(2), 3)
    with pytest.warns(sg.FallbackWarning) as caught:
        sg.grad(lambda x: eval("m.sum(x)", {"m": np, "x": x}))(np.ones(2))
    assert "checkpoint" not in str(caught[0].message).splitlines()[-1]
