"""Finds numbers that are read back from the text or bytes of values with derivatives."""

from __future__ import annotations

import ast
import json
import pickle
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from srcgrad.ir.program import Program
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, names_read, nodes_in, statements, walk

WRITERS = frozenset(
    {str, repr, format, ascii, bytes, np.array2string, np.array_repr, np.array_str, json.dumps}
    | {np.format_float_positional, np.format_float_scientific, pickle.dumps}
)
WRITING_METHODS = frozenset({"tobytes", "tostring", "dumps", "format", "__str__", "__repr__"})
READERS = frozenset(
    {float, int, complex, eval, ast.literal_eval, json.loads, pickle.loads, np.array, np.asarray}
    | {np.float64, np.float32, np.fromstring, np.frombuffer, np.loadtxt}
)


def numbers_from_texts(program: Program, varied: frozenset[str]) -> list[Any]:
    """Return the calls that make numbers of text that was made of varied values.

    Such a number depends on an input, and nothing but its digits says so.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     text = str(x)
    ...     shown = text.strip()
    ...     y = float(shown)
    ...     return x * y
    ... ''')
    >>> [call.func.id for call in numbers_from_texts(program, frozenset({"x"}))]
    ['float']
    """
    found = _Texts(program, varied)
    while found.spread():
        pass
    return found.readers()


class _Texts:
    """The names that hold text of varied values."""

    def __init__(self, program: Program, varied: frozenset[str]) -> None:
        self._scope = program.reader.scope
        self._varied = varied
        self._body = program.body
        self._names: set[str] = set()

    def spread(self) -> bool:
        """Add the targets of assignments whose value is such text; say whether there were any."""
        before = len(self._names)
        for statement in statements(self._body):
            if isinstance(statement, gast.Assign) and self._is_text(statement.value):
                for target in statement.targets:
                    self._names.update(names_bound(target))
        return len(self._names) > before

    def readers(self) -> list[Any]:
        """Return the calls that turn such text into numbers."""
        return [
            call
            for call in self._calls()
            if self._callee(call) in READERS and any(map(self._is_text, call.args))
        ]

    def _is_text(self, node: Any) -> bool:
        if isinstance(node, gast.Call):
            if self._callee(node) in READERS or self._callee(node) is len:
                return False
            if self._writes(node):
                return True
        if isinstance(node, gast.JoinedStr):
            return not self._varied.isdisjoint(names_read(node))
        if isinstance(node, (gast.Name, gast.Compare)):
            return isinstance(node, gast.Name) and node.id in self._names
        return any(self._is_text(child) for child in nodes_in(node))

    def _writes(self, call: Any) -> bool:
        func = call.func
        named = isinstance(func, gast.Attribute) and func.attr in WRITING_METHODS
        return (named or self._callee(call) in WRITERS) and not self._varied.isdisjoint(
            names_read(call)
        )

    def _callee(self, call: Any) -> Any:
        found = self._scope.resolve(call.func)
        try:
            return found if found is not MISSING and hash(found) else None
        except TypeError:
            return None

    def _calls(self) -> Iterator[Any]:
        for statement in self._body:
            for node in walk(statement):
                if isinstance(node, gast.Call):
                    yield node
