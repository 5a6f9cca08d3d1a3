"""Shows in docstrings what a pass does: text in, text out."""

from __future__ import annotations

import linecache
from typing import Any

import gast
import numpy as np

from srcgrad.codegen.printer import to_source
from srcgrad.compiler.normal_form import normal_form
from srcgrad.compiler.stages import Stages
from srcgrad.frontend.source import find_source
from srcgrad.ir.program import Program


def parse(source: str) -> list[Any]:
    """Return the statements of a text."""
    statements: list[Any] = gast.parse(source).body
    return statements


def text(block: list[Any]) -> str:
    """Return the text of statements."""
    return to_source(gast.Module(block, [])).rstrip()


def program_of(source: str, *inputs: str) -> Program:
    """Return a function in normal form, for derivatives with respect to its first parameter.

    >>> print(text(program_of("def f(x): return 2 * x + 1").body))
    product = 2 * x
    out = product + 1
    return out
    """
    file = f"<example {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), namespace)  # noqa: S102
    function = next(reversed(namespace.values()))
    first = function.__code__.co_varnames[:1]
    program, refusals = normal_form(find_source(function), inputs or first, [], Stages())
    refusals.raise_if_any()
    return program
