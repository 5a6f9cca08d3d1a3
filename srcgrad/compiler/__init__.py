"""Turns a Python function into the source of its derivative: the pipeline, as a list of passes.

The passes are loaded when the first text is made: a process that finds all of its texts in the
cache folder has no use for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from srcgrad.compiler.generated import Generated, Request
from srcgrad.compiler.one_program import OneProgram, one_program
from srcgrad.later import later

if TYPE_CHECKING:
    from srcgrad.compiler import generating as _generating
    from srcgrad.compiler import pushing as _pushing
    from srcgrad.compiler.stages import Stages
else:
    _generating = later("srcgrad.compiler.generating")
    _pushing = later("srcgrad.compiler.pushing")

__all__ = [
    "Generated",
    "OneProgram",
    "Request",
    "compile_gradient",
    "compile_halves",
    "compile_tangents",
    "one_program",
]


def compile_gradient(request: Request, stages: Stages | None = None) -> Generated:
    """Return the source of a gradient; `stages` keeps the text after each pass.

    Raises:
        UnsupportedError: Something in the function is not differentiated by source.
    """
    return _generating.gradient_text(request, stages)


def compile_halves(request: Request, stages: Stages | None = None) -> Generated:
    """Return the source of a function's forward and backward halves; see `compile_gradient`.

    Raises:
        UnsupportedError: Something in the function is not differentiated by source.
    """
    return _generating.halves_text(request, stages)


def compile_tangents(request: Request, stages: Stages | None = None) -> Generated:
    """Return the source of the function that carries tangents along with the values.

    Raises:
        UnsupportedError: Something in the function is not differentiated by source.
    """
    return _pushing.tangents_text(request, stages)
