"""The derivatives of the corpus, compiled once for all tests of a run."""

from __future__ import annotations

import functools
from typing import Any, Literal

import srcgrad as sg
from tests.programs.corpus import Program


@functools.cache
def gradient_of(program: Program) -> Any:
    """Return the gradient of a program, by the engine that it must go by."""
    return sg.grad(program.function, program.argnums, fallback=_fallback(program))


@functools.cache
def value_and_gradient_of(program: Program) -> Any:
    """Return the value and gradient of a program, by the engine that it must go by."""
    return sg.value_and_grad(program.function, program.argnums, fallback=_fallback(program))


def _fallback(program: Program) -> Literal["tape", "error"]:
    return "tape" if program.by == "tape" else "error"
