"""An object that hands on what it is asked for is asked again at each call."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


class _Library:
    def __init__(self, source):
        self.source = source

    def __getattr__(self, name):
        if name == "source":  # of an object that is not made yet
            raise AttributeError(name)
        return getattr(self.source, name)


class _Doubled:
    pi = 7.0

    @staticmethod
    def sin(x):
        return 2.0 * np.cos(x)


xp = _Library(np)


def waves(x):
    return np.sum(xp.sin(x) * xp.pi)


X = np.array([0.3, 0.4, 0.5])


def pulled(x):
    _, back = sg.pullback(waves, fallback="error")(x)
    return back(1.0)


@pytest.mark.parametrize("derive", [sg.grad(waves, fallback="error"), pulled])
def test_the_library_of_the_moment_is_differentiated(derive, monkeypatch):
    np.testing.assert_allclose(derive(X), np.pi * np.cos(X))
    monkeypatch.setattr(xp, "source", _Doubled)
    np.testing.assert_allclose(derive(X), -14.0 * np.sin(X))
    monkeypatch.undo()
    np.testing.assert_allclose(derive(X), np.pi * np.cos(X))


def test_a_name_that_the_object_gets_itself_comes_first(monkeypatch):
    derive = sg.grad(waves, fallback="error")
    np.testing.assert_allclose(derive(X), np.pi * np.cos(X))
    monkeypatch.setattr(xp, "pi", 2.0, raising=False)
    np.testing.assert_allclose(derive(X), 2.0 * np.cos(X))
