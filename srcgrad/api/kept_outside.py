"""Says whether what is left out of a text may keep something that the text reads.

A function that fills a table where an entry is missing reads, at a later call, what it has computed
at an earlier one. Without the part that fills it, the table would pass for one of constants.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

from srcgrad.compiler import Generated
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.effects import ELSEWHERE, written_parameters
from srcgrad.frontend.left_out import Part
from srcgrad.frontend.parts import statements_of
from srcgrad.primitives.methods import WRITING

_FIXED: Final = (int, float, complex, str, bytes, tuple, frozenset, type, ModuleType, FunctionType)
_ADDING: Final = frozenset(["add", "setdefault", "update", "appendleft", "extendleft"])


def may_keep(parts: Iterable[Part], generated: Generated) -> bool:
    """Say whether parts that are left out may write into data that a text reads."""
    data = [binding.value for binding in generated.data.values()]
    if all(value is None or isinstance(value, _FIXED) for value in data):
        return False
    return any(_writes(part, generated) for part in parts)


def _writes(part: Part, generated: Generated) -> bool:
    block = statements_of(part)
    nodes = [node for statement in block for node in ast.walk(statement)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    if any(_root(place) not in bound for node in nodes for place in _places(node)):
        return True
    spaces = [
        state.function.__globals__
        for state in generated.functions
        if state.function.__code__.co_filename == part.file
    ]
    called = {
        node.func.id
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    found = [space[name] for space in spaces for name in called if name in space]
    return any(
        ELSEWHERE in written_parameters(value, VOCABULARY)
        for value in found
        if isinstance(value, FunctionType)
    )


def _places(node: Any) -> Iterator[ast.expr]:
    """Yield what a node writes into."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        yield node.value
    method = node.func if isinstance(node, ast.Call) else None
    if isinstance(method, ast.Attribute) and method.attr in WRITING | _ADDING:
        yield method.value


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
