"""Checks that the checker proves right tangent functions and rejects broken ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.checker.pushing import TangentChecker
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import VARIABLE, observed
from srcgrad.compiler import Request, compile_gradient, compile_tangents
from srcgrad.compiler.module import Module
from tests.programs.corpus import programs_by
from tools.mutants import count, proven

BROKEN = (
    "stencils.multigrid_restriction_and_prolongation",
    "views.arrays_in_a_list_by_turns",
    "containers.layers_by_zip",
    "control.branches_in_branches",
    "iteration.list_that_grows",
    "writes.scattered_additions",
)
PROVEN = (
    "arguments.helper_given_the_same_array_twice",
    "compositions.penalty_on_the_gradient",
    "scipy_results.curve_of_a_valley",
)
PROGRAMS = programs_by("source")


@pytest.mark.parametrize("name", PROVEN)
def test_right_tangent_functions_are_proven(name: str) -> None:
    assert proven(PROGRAMS[name], "forward") is not None


@pytest.mark.parametrize("name", BROKEN)
def test_broken_tangent_functions_are_rejected(name: str) -> None:
    total = count([PROGRAMS[name]], 12, 12, mode="forward")
    assert total.wrong.total() >= 3
    assert total.caught.total() >= 0.9 * total.wrong.total(), total.survivors


def _verdicts(function: Any, compiled: Any = compile_tangents) -> list[Verdict]:
    found: list[Any] = []
    with observed(lambda *item: found.append(item[-1])):
        compiled(Request(function, ("x",), keep_complex=False, assume=False))
    return found


def _text(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Put one text in the place of another in what is generated."""
    render = Module.render

    def broken(self: Module) -> tuple[str, Any]:
        text, lines = render(self)
        assert old in text, text
        return text.replace(old, new), lines

    monkeypatch.setattr(Module, "render", broken)


def _written(x: Any) -> Any:
    y = x * 2.0
    y[0] = x[1] ** 2
    return y


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("return y, y_dot", "return y, y", "the tangent is another"),
        ("return y, y_dot", "return x, y_dot", "the value is another"),
        ("return y, y_dot", "x[0] = 0.0\n    return y, y_dot", "the argument `x` is left"),
        ("return y, y_dot", "x_dot += y\n    return y, y_dot", "the tangent of `x` is left"),
        ("return y, y_dot", "y[...] = y_dot\n    return y, y_dot", "the value is another"),
    ],
)
def test_what_is_compared(monkeypatch: pytest.MonkeyPatch, old: str, new: str, reason: str) -> None:
    assert [item.kind for item in _verdicts(_written)] == ["proven"]
    _text(monkeypatch, old, new)
    (verdict,) = _verdicts(_written)
    assert verdict.kind == "wrong"
    assert verdict.reason.startswith(reason)


def test_a_tangent_in_the_memory_of_a_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def linear(x: Any) -> Any:
        return np.copy(x)

    _text(monkeypatch, "return np.copy(x), np.copy(x_dot)", "x[...] = x_dot\n    return x_dot, x")
    (verdict,) = _verdicts(linear)
    assert verdict.kind == "wrong"


def test_a_wrong_tangent_function_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def squares(x: Any) -> Any:
        return x * x

    monkeypatch.delenv(VARIABLE, raising=False)
    _text(monkeypatch, "2.0 * x * x_dot", "x * x_dot")
    with pytest.warns(sg.FallbackWarning, match="SG180.*the tangent is another"):
        _, tangent = sg.jvp(squares, (np.ones(2),), (np.ones(2),))
    assert tangent.tolist() == [2.0, 2.0]
    _, tangent = sg.jvp(squares, (np.ones(2),), (np.ones(2),))
    assert tangent.tolist() == [2.0, 2.0]


def test_what_the_checker_alone_doubts_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def cubes(x: Any) -> Any:
        return x**3

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(TangentChecker, "verdict", lambda *_: Verdict("wrong", "of a test"))
    _, tangent = sg.jvp(cubes, (np.ones(2),), (np.ones(2),), fallback="error")
    assert tangent.tolist() == [3.0, 3.0]


def test_why_a_tangent_function_is_not_proven_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def cubes(x: Any) -> Any:
        return x**3

    monkeypatch.delenv(VARIABLE, raising=False)
    assert sg.pushforward(cubes).explain().to_dict()["not_proven"] == ""
    monkeypatch.setattr(TangentChecker, "verdict", lambda *_: Verdict("unproven", "of a test"))
    for derivative in (sg.pushforward(cubes), sg.jacfwd(cubes)):
        assert "Not proven: of a test" in str(derivative.explain(np.ones(2)))


def test_trips_that_are_run_again_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def decay(x: Any) -> Any:
        for _ in sg.checkpointed(range(5)):
            x = x - 0.1 * np.sin(x)
        return np.sum(x)

    assert {item.kind for item in _verdicts(decay, compile_gradient)} == {"proven"}
    _text(monkeypatch, "np.cos(x)", "np.sin(x)")
    assert "wrong" in {item.kind for item in _verdicts(decay, compile_gradient)}
