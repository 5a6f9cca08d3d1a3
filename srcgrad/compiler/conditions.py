"""Says of fields and of names outside what a text takes for granted of their variables."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from srcgrad.codegen.printer import to_source
from srcgrad.compiler.field_reads import all_fields_read
from srcgrad.frontend.expand.assumptions import Of, Said, Space, stored_in
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir.build import dotted_path
from srcgrad.ir.scopes import Binding
from srcgrad.parsing import expression_of


class NeverHoldsError(Exception):
    """A condition on what is outside does not hold, so that its names must not be variables."""


def settled(
    conditions: Sequence[str], source: FunctionSource, session: Session
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return conditions in words of the arguments, and those that remain to be asked of them.

    The others, on what names mean outside, are assumptions of the session from here on.

    Raises:
        NeverHoldsError: One of them does not hold.
    """
    if not source.leaves:
        return tuple(conditions), tuple(conditions)
    roots = {leaf.names[()]: _read(leaf.binding) for leaf in source.leaves if leaf.binding}
    inner = {name: path for name, path in _paths(source).items() if name not in roots}
    spelled, asked = in_words_of_arguments(conditions, source), []
    for condition, words in zip(conditions, spelled, strict=True):
        outside = sorted(_names(condition).intersection(roots))
        if not outside:
            asked.append(words)
            continue
        said = Said(_in_words(condition, inner), tuple((name, roots[name]) for name in outside))
        if not said.holds(session.arguments):
            raise NeverHoldsError(condition)
        session.assume(said, True)
    return tuple(spelled), tuple(asked)


def in_words_of_arguments(conditions: Sequence[str], source: FunctionSource) -> list[str]:
    """Return conditions as those on arguments, and on names outside."""
    fields = _paths(source)
    return [_in_words(condition, fields) for condition in conditions]


def _paths(source: FunctionSource) -> dict[str, str]:
    return {item.targets[0].id: dotted_path(item.value) for item in all_fields_read(source)}


def _read(binding: Binding) -> Of:
    return Of(stored_in, Space(binding.holder), (binding.name,))


def _names(condition: str) -> set[str]:
    return {item.id for item in ast.walk(expression_of(condition)) if isinstance(item, ast.Name)}


def _in_words(condition: str, fields: dict[str, str]) -> str:
    """Return a condition on variables as one on what they are read from.

    >>> _in_words("np.ndim(u[0]) > 0 and x.ndim == 1", {"u": "self.u"})
    'np.ndim(self.u[0]) > 0 and x.ndim == 1'
    """
    if fields.keys().isdisjoint(_names(condition)):
        return condition

    class Fields(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> Any:
            path = fields.get(node.id)
            return expression_of(path) if path else node

    return to_source(Fields().visit(expression_of(condition)))
