"""Shows in docstrings what a pass does: text in, text out."""

from __future__ import annotations

import linecache
from types import CellType, FunctionType
from typing import Any, cast

import numpy as np

from srcgrad.codegen.printer import to_source
from srcgrad.compiler.normal_form import normal_form
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.program import Program
from srcgrad.ir.scopes import Binding, Scope


def parse(source: str) -> list[Any]:
    """Return the statements of a text."""
    statements: list[Any] = gast_parsed(source).body
    return statements


def text(block: list[Any]) -> str:
    """Return the text of statements."""
    return to_source(gast.Module(block, [])).rstrip()


def reader_of(**names: Any) -> Reader:
    """Return the reader of a function in which `np` and some names are known."""

    def example() -> None: ...

    scope = Scope(cast(FunctionType, example), frozenset())
    for name, value in {"np": np, **names}.items():
        scope.used[name] = Binding(name, value, CellType(value))
    return Reader(scope, VOCABULARY)


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
