"""Checks the programs that the tape differentiates, or nothing does, and that this is still so."""

from __future__ import annotations

from typing import Any

import pytest

import srcgrad as sg
from tests.differences import assert_same, copied, numerical_gradient
from tests.programs.corpus import Program, programs_by

TAPED = programs_by("tape")
REFUSED = programs_by("refused")
OTHERS = {**TAPED, **REFUSED}

taped = pytest.mark.parametrize("program", TAPED.values(), ids=list(TAPED))
refused = pytest.mark.parametrize("program", REFUSED.values(), ids=list(REFUSED))
others = pytest.mark.parametrize("program", OTHERS.values(), ids=list(OTHERS))


def refusal_of(program: Program, **options: Any) -> Exception | None:
    """Return the error that a program's gradient raises, if it does."""
    try:
        sg.grad(program.function, program.argnums, **options)(*program.arguments())
    except (sg.SrcgradError, RuntimeError) as refusal:
        return refusal
    return None


@others
def test_the_compiler_still_refuses(program: Program) -> None:
    refusal = refusal_of(program, fallback="error")
    assert refusal, f"{program.name} goes by source now: drop `by={program.by!r}` from it"
    assert isinstance(refusal, sg.UnsupportedError)
    assert all(item.span is not None and item.hint for item in refusal.diagnostics)


@taped
def test_the_tape_agrees_with_differences_after_one_warning(program: Program) -> None:
    derivative = sg.value_and_grad(program.function, program.argnums)
    args = program.arguments()
    used = copied(args)
    expected = program.function(*used)
    with pytest.warns(sg.FallbackWarning) as caught:
        value, grads = derivative(*args)
    assert len(caught) == 1
    assert_same(args, used, 0, 0)  # written into as by the function itself, else untouched
    assert_same(value, expected, 1e-12)
    for argnum, grad in zip(program.argnums, grads, strict=True):
        assert_same(grad, numerical_gradient(program.function, program.arguments(), argnum))


@taped
def test_a_second_call_on_the_tape_agrees(program: Program) -> None:
    derivative = sg.grad(program.function, program.argnums, fallback="tape")
    first = derivative(*program.arguments(1))
    assert_same(derivative(*program.arguments(1)), first, 0, 0)


@refused
def test_neither_engine_returns_anything(program: Program) -> None:
    for _ in range(2):
        refusal = refusal_of(program, fallback="tape")
        assert refusal, f"{program.name} is differentiated now: mark it `by='tape'`"
        assert str(refusal)
