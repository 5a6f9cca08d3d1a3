"""Tests what happens where Numba is not installed."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import srcgrad as sg


def loss(x):
    return np.sum(x * x)


@pytest.fixture(autouse=True)
def without_numba(monkeypatch):
    found = importlib.import_module

    def import_module(name, *args):
        if name == "srcgrad.targets.loops.library":
            raise ModuleNotFoundError("No module named 'numba'")
        return found(name, *args)

    monkeypatch.setattr(importlib, "import_module", import_module)


def test_numpy_runs_and_a_warning_says_why():
    derivative = sg.grad(loss, backend="numba")
    with pytest.warns(sg.CompileWarning, match="Numba is not installed"):
        np.testing.assert_allclose(derivative(np.ones(3)), 2.0)
    assert "def loss_grad" in derivative.source


def test_it_is_an_error_if_that_is_asked():
    with pytest.raises(sg.NotCompiledError, match="pip install"):
        sg.grad(loss, backend="numba", fallback="error")(np.ones(3))
