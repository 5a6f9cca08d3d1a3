"""Tests that a refused function is compiled once, and again where its program has changed."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.compiler import module
from srcgrad.frontend.expand.entry import Expander


def helper(x):
    return eval("x") * x


def plain_helper(x):
    return x * x


def other_helper(x):
    return x * x + 0.0


def loss(x):
    return np.sum(helper(x))


X = np.array([1.0, 2.0])
CALLS = {
    "grad": sg.grad(loss, fallback="tape"),
    "jvp": lambda x: sg.jvp(loss, (x,), (x,))[1],
    "vjp": lambda x: sg.vjp(loss, x)[1](1.0)[0],
}


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("name", CALLS)
def test_what_was_refused_is_compiled_once_more_only_if_something_changed(name, monkeypatch):
    begun = []
    begin = module.Module.begin
    monkeypatch.setattr(
        module.Module, "begin", lambda *args, **kw: begun.append(args) or begin(*args, **kw)
    )
    first = CALLS[name](X)
    begun.clear()
    second = CALLS[name](X)
    assert not begun, "it was refused before, and is the same program"
    np.testing.assert_array_equal(first, second)
    monkeypatch.setitem(globals(), "helper", other_helper)  # whose text no other test makes
    np.testing.assert_allclose(CALLS[name](X), first)
    assert begun, "it calls another function now"


def test_an_error_is_raised_again_until_the_helper_is_another(monkeypatch):
    g = sg.grad(loss, fallback="error")
    for _ in range(2):
        with pytest.raises(sg.UnsupportedError):
            g(X)
    monkeypatch.setitem(globals(), "helper", plain_helper)
    np.testing.assert_array_equal(g(X), 2 * X)


def test_a_call_that_is_refused_expands_its_functions_once(monkeypatch):
    made = []
    entry = Expander._entry
    monkeypatch.setattr(Expander, "_entry", lambda *given: made.append(given) or entry(*given))
    with pytest.raises(sg.UnsupportedError):
        sg.grad(lambda x: loss(x) + np.sum(x), fallback="error")(X)
    assert len(made) == 1
