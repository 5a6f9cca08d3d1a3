"""Gives private names, such as `self.__rate`, the names that they have outside of their class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any


def with_private_names(tree: ast.AST, code: CodeType) -> ast.AST:
    """Write the private names in the tree of a function as Python has compiled them.

    >>> class Model:
    ...     def loss(self, x):
    ...         return self.__rate * x
    >>> tree = ast.parse("self.__rate * x")
    >>> ast.unparse(with_private_names(tree, Model.loss.__code__))
    'self._Model__rate * x'
    """
    names = set(_names_of(code))
    known = {_private_part(name): name for name in names}
    known = {part: name for part, name in known.items() if part and part not in names}
    if known:
        for node in ast.walk(tree):
            _rename(node, known)
    return tree


def _rename(node: Any, known: dict[str, str]) -> None:
    for field in ("id", "attr", "arg", "name"):
        name = getattr(node, field, None)
        if isinstance(name, str) and name in known:
            setattr(node, field, known[name])


def _private_part(name: str) -> str:
    """Return a private name as it stands in its class; nothing of a name that is none.

    >>> _private_part("_Model__rate"), _private_part("__init__"), _private_part("_rate__of")
    ('__rate', '', '__of')
    """
    start = name.find("__", 2)
    is_private = name[:1] == "_" and name[1:2] != "_" and start > 0 and not name.endswith("__")
    return name[start:] if is_private else ""


def _names_of(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars)
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _names_of(item)
