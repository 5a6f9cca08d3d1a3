"""Parses texts on any number of threads at once: all of the package does so here."""

from __future__ import annotations

import ast
from typing import Any, Final

_TRIES: Final = 100


def parsed(text: str, file: str = "<unknown>") -> ast.Module:
    """Parse a text.

    Raises:
        SyntaxError: It is not Python.

    >>> ast.unparse(parsed("y  =  x*x"))
    'y = x * x'
    """
    tree: ast.Module = _tried(text, file, "exec")
    return tree


def expression_of(text: str) -> ast.expr:
    """Parse a text that is one expression.

    Raises:
        SyntaxError: It is not an expression of Python.

    >>> ast.unparse(expression_of("x*x"))
    'x * x'
    """
    tree: ast.Expression = _tried(text, "<unknown>", "eval")
    return tree.body


def _tried(text: str, file: str, mode: str) -> Any:
    """Parse a text, once more where other threads came between.

    Python 3.11 counts the depth of a tree in one place for all threads. Where threads take turns
    while a tree is built, as a collection of garbage lets them, the count of one does not end where
    it began, and `SystemError` is raised for a text that is all right.
    """
    for _ in range(_TRIES):
        try:
            return ast.parse(text, file, mode)
        except SystemError:
            continue
    return ast.parse(text, file, mode)
