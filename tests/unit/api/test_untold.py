"""Tests that numbers are asked where the checker cannot tell, and of lines that it never ran."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import known_texts, proofs
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from srcgrad.compiler.module import Module

Say = Callable[[Verdict], None]
UP, DOWN = np.array([0.5, 1.5]), np.array([-0.5, 1.5])
UNTOLD = Verdict("unproven", "of a test")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Return what lets the checker say a verdict of all texts from then on."""
    known_texts.forget()
    return lambda verdict: monkeypatch.setattr(Checker, "verdict", lambda *_: verdict)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Break the cosines in the texts that are made from then on, and return those texts."""
    texts: list[str] = []
    render = Module.render

    def changed(self: Module) -> tuple[str, Any]:
        text, lines = render(self)
        assert "np.cos(x)" in text
        texts.append(re.sub(r"np\.cos\(x\)", "(np.cos(x) + 0.1)", text))
        return texts[-1], lines

    monkeypatch.setattr(Module, "render", changed)
    return texts


def wave(x):
    return np.sum(np.sin(x))


def turned(x):
    y = x
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def turned_too(x):
    y = x * 2.0
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def turned_again(x):
    y = x * 3.0
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def written(x, y):
    y[0] = 3.0
    return np.sum(np.sin(x)) * y[1]


def drawn(x):
    return np.sum(np.sin(x)) * np.random.uniform(1.0, 2.0)  # noqa: NPY002 - of the module


@pytest.mark.usefixtures("broken")
def test_a_text_of_which_the_checker_cannot_tell_is_compared(said: Say) -> None:
    said(UNTOLD)
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(sg.grad(wave)(UP), np.cos(UP))


@pytest.mark.usefixtures("broken")
def test_so_is_each_branch_of_it(said: Say) -> None:
    said(UNTOLD)
    gradient = sg.grad(turned)
    assert np.allclose(gradient(DOWN), 2 * DOWN)
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(gradient(UP), np.sin(2 * UP))


@pytest.mark.usefixtures("broken")
def test_one_that_writes_into_arguments_is_compared_at_its_first_call(said: Say) -> None:
    said(UNTOLD)
    y = np.ones(2)
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(sg.grad(written)(UP, y), np.cos(UP))
    assert y.tolist() == [3.0, 1.0]


def test_one_that_does_something_else_each_time_is_not_run_again(said: Say) -> None:
    said(UNTOLD)
    np.random.seed(3)  # noqa: NPY002 - of the module
    factor = np.random.uniform(1.0, 2.0)  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    assert np.allclose(sg.grad(drawn, fallback="error")(UP), np.cos(UP) * factor)


def _proves_all_but(part: str) -> Callable[..., Verdict]:
    """Return what finds a text proven, but for the lines that a part stands in."""

    def verdict(_self: Checker, text: str, _code: Any = None) -> Verdict:
        lines = enumerate(text.split("\n"), 1)
        return Verdict("proven", runs=2, missed=tuple(n for n, line in lines if part in line))

    return verdict


@pytest.mark.usefixtures("said", "broken")
def test_branches_that_the_checker_never_ran_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checker, "verdict", _proves_all_but("sin(x)"))
    gradient = sg.grad(turned_too)
    assert np.allclose(gradient(DOWN), 8 * DOWN)
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(gradient(UP), np.sin(2 * UP))


@pytest.mark.usefixtures("said", "broken")
def test_those_that_it_ran_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checker, "verdict", _proves_all_but("no line"))
    gradient = sg.grad(turned_again)
    assert np.allclose(gradient(DOWN), 18 * DOWN)
    assert not np.allclose(gradient(UP), np.sin(2 * UP))  # it is taken for right


def chosen(x, way):
    y = np.sin(x)
    if way:
        y = y * x
    return np.sum(y)


def test_tensors_stop_before_new_branches_too(said: Say) -> None:
    said(UNTOLD)
    compiled = sg.compile(chosen)
    for way in (0, 1, 0, 1):
        x = sg.tensor(UP, requires_grad=True)
        compiled(x, way).backward()
        expected = sg.grad(chosen, backend="tape")(UP, way)
        assert np.allclose(x.grad.numpy(), expected)


def raising(x):
    y = np.sin(x)
    if y[0] < 9.0:
        raise ValueError("never")
    return np.sum(y)


def test_calls_without_numbers_are_not_compared_for_ever(
    said: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(UNTOLD)
    looks: list[int] = []
    compare = proofs._compare

    def noted(*args: Any) -> bool:
        looks.append(1)
        return compare(*args)

    monkeypatch.setattr(proofs, "_compare", noted)
    gradient = sg.grad(raising)
    for _ in range(15):
        with pytest.raises(ValueError, match="never"):
            gradient(UP)
    assert len(looks) == 10


SCALE = 0.5


def turned_and_scaled(x):
    y = SCALE * x
    if x[0] > 0:
        y = SCALE * np.sin(x)
    return np.sum(y * y)


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize("new", [2.0, np.array(2.0)], ids=["number", "array"])
@pytest.mark.parametrize("missed", ["np.cos(x)", "np.sin(x)"], ids=["back", "there"])
def test_a_pullback_is_that_of_its_call_whatever_changes_outside(
    monkeypatch: pytest.MonkeyPatch, new: Any, missed: str
) -> None:
    known_texts.forget()
    monkeypatch.setattr(Checker, "verdict", _proves_all_but(missed))
    f = FunctionType(turned_and_scaled.__code__, globals())  # without what was found of others
    for x in (DOWN, UP):
        slopes = 2 * 0.25 * (np.sin(x) * np.cos(x) if x[0] > 0 else x)
        _, pull = sg.vjp(f, x)
        monkeypatch.setitem(globals(), "SCALE", new)
        (found,) = pull(1.0)
        np.testing.assert_allclose(found, slopes, rtol=1e-12)
        monkeypatch.setitem(globals(), "SCALE", 0.5)
