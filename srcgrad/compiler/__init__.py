"""Turns a Python function into the source of its derivative: the pipeline, as a list of passes."""

from __future__ import annotations

from srcgrad.compiler.generated import Generated, Request
from srcgrad.compiler.module import compile_gradient, compile_halves
from srcgrad.compiler.one_program import OneProgram, one_program
from srcgrad.compiler.pushing import compile_tangents

__all__ = [
    "Generated",
    "OneProgram",
    "Request",
    "compile_gradient",
    "compile_halves",
    "compile_tangents",
    "one_program",
]
