"""Checks that the checker proves right derivatives and rejects broken ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.checker import field
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import VARIABLE, observed
from srcgrad.compiler.module import Module
from srcgrad.ir.scopes import Scope
from tests.programs.corpus import programs_by
from tools.mutants import count, proven

PROVEN = (
    "stencils.jacobi_with_swapped_buffers",
    "mutation.swap_elements",
    "containers.layers_by_zip",
    "control.branches_in_branches",
    "dicts.defaults_set",
    "lists.beam_of_states",
    "recurrences.filled_backwards",
    "writes.filled_and_copied",
    "objects.field_updated_in_place_under_another_name",
)
PROGRAMS = programs_by("source")


@pytest.mark.parametrize("name", PROVEN)
def test_right_derivatives_are_proven(name: str) -> None:
    program = PROGRAMS[name]
    found: list[Any] = []
    with observed(lambda *item: found.append(item[-1])):
        sg.grad(program.function, program.argnums, fallback="error")(*program.arguments())
    assert found
    assert all(item.kind == "proven" for item in found), found


@pytest.mark.parametrize("name", PROVEN)
def test_broken_derivatives_are_rejected(name: str) -> None:
    subject = proven(PROGRAMS[name])
    assert subject is not None
    total = count([PROGRAMS[name]], 20, 20)
    assert total.wrong.total() >= 5
    assert total.caught.total() >= 0.9 * total.wrong.total(), total.survivors


def test_the_checker_runs_unless_the_environment_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(Checker, "verdict", lambda *_: Verdict("wrong", "of a test"))
    explanation = sg.grad(_square).explain(np.ones(2))
    assert "Not proven: of a test" in str(explanation)
    assert explanation.to_dict()["not_proven"] == "of a test"
    monkeypatch.setenv(VARIABLE, "0")
    assert "Not proven" not in str(sg.grad(_square).explain(np.ones(2)))


def test_what_checker_and_numbers_find_wrong_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    render = Module.render

    def broken(self: Module) -> tuple[str, Any]:
        text, lines = render(self)
        return text.replace("return ", "return 3.0 * "), lines

    monkeypatch.setattr(Module, "render", broken)
    gradient = sg.grad(_other_square)
    with pytest.warns(sg.FallbackWarning, match="SG180.*the gradient of `x` is another"):
        first = gradient(np.ones(2))
    assert np.array_equal(first, [2.0, 2.0])
    assert np.array_equal(gradient(np.ones(2)), [2.0, 2.0])
    with pytest.raises(sg.NotProvenError):
        sg.grad(_other_square, fallback="error")(np.ones(2))
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert sg.vjp(_other_square, np.ones(2))[1](1.0)[0].tolist() == [2.0, 2.0]


def test_what_the_checker_alone_doubts_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checker, "verdict", lambda *_: Verdict("wrong", "of a test"))
    gradient = sg.grad(_square, fallback="error")
    assert np.array_equal(gradient(np.ones(2)), [2.0, 2.0])


def _square(x: Any) -> Any:
    y = x * x
    return np.sum(y)


def test_the_field_is_exact() -> None:
    third = field.of_number(1 / 3)
    assert field.mul(third, field.of_number(3)) == field.ONE
    assert field.div(field.of_number(0.2), field.of_number(0.4)) == field.of_number(0.5)


def _other_square(x: Any) -> Any:
    y = x * x
    return np.sum(y)


class _Spring:
    def __init__(self, stretch: Any, force: float) -> None:
        self.stretch = stretch
        self.force = force

    def energy(self) -> Any:
        return np.sum(self.stretch * self.stretch) * self.force


def _stretched(x: Any, spring: Any) -> Any:
    return np.sum(x * spring.stretch) + spring.energy()


def test_fields_of_arguments_are_known() -> None:
    gradient = sg.grad(_stretched, (0, 1), fallback="error")
    explanation = gradient.explain(np.ones(2), _Spring(np.ones(2), 0.5))
    assert explanation.to_dict()["not_proven"] == ""


@pytest.mark.parametrize("name", ["selection.bounded_both_ways", "aliases.put_and_place"])
def test_selecting_twice_is_selecting_once(name: str) -> None:
    found: list[Any] = []
    program = PROGRAMS[name]
    with observed(lambda *item: found.append(item[-1])):
        sg.grad(program.function, program.argnums, fallback="error")(*program.arguments())
    assert [item.kind for item in found] == ["proven"] * len(found)


def svd() -> None:
    """Bear the name that the compiler gives to a value."""


def _largest_twice(a: Any) -> Any:
    _, s, _ = np.linalg.svd(a)
    return s[0] * np.sum(np.linalg.svd(a * s[1])[1] ** 2)


def test_an_operand_that_an_adjoint_leaves_out_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    lookup = Scope.lookup

    def looked_up_outside(self: Scope, name: str) -> Any:
        self.made = frozenset()  # so that one of ours is taken for what its name means outside
        return lookup(self, name)

    with observed(lambda *args: found.append(args[-1].reason)):
        sg.grad(_largest_twice).source  # noqa: B018 - which makes the text
        assert found == [""]
        monkeypatch.setattr(Scope, "lookup", looked_up_outside)
        sg.grad(_largest_twice).source  # noqa: B018
        assert found[1:] == ["an adjoint leaves out an operand that varies"]
