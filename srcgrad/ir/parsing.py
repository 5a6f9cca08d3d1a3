"""Parses texts as trees of gast, on any number of threads at once."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.parsing import parsed


def gast_parsed(text: str) -> Any:
    """Parse a text as a tree that is the same for all versions of Python.

    Raises:
        SyntaxError: It is not Python.

    >>> gast.unparse(gast_parsed("y  =  x*x")).strip()
    'y = x * x'
    """
    return gast.ast_to_gast(parsed(text))
