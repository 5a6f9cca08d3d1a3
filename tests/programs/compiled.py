"""The derivatives of the corpus, compiled once for all tests of a run."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
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


def derivative_of(program: Program) -> Callable[..., tuple[Any, Any]]:
    """Return a function that gives the gradient and, of one program in three, the value.

    The texts of both have the same adjoints, and to compile is what most tests spend their time on.
    """
    if zlib.crc32(f"value {program.name}".encode()) % 3 == 0:
        return value_and_gradient_of(program)
    gradient = gradient_of(program)
    return lambda *args: (None, gradient(*args))


def _fallback(program: Program) -> Literal["tape", "error"]:
    return "tape" if program.by == "tape" else "error"
