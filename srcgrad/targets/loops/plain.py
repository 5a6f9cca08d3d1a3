"""Leaves out what the text for NumPy asks for in case that a number is an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gast

from srcgrad.ir.build import constant
from srcgrad.ir.walk import walk

_NUMBERS: Final = ("bool", "int", "float")
_KEPT_AS_THEY_ARE: Final = frozenset("unbroadcast conj real_part".split())


def leave_out_calls(function: Any, kind_of: Callable[[Any], Any]) -> None:
    """Write numbers for calls that give numbers as they are, and zero for zeros like a number."""
    for node in list(walk(function)):
        for field in getattr(node, "_fields", ()):
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = [_plain(item, kind_of) for item in part]
            elif isinstance(part, gast.AST):
                setattr(node, field, _plain(part, kind_of))


def _plain(node: Any, kind_of: Callable[[Any], Any]) -> Any:
    while isinstance(node, gast.Call) and isinstance(node.func, gast.Name):
        if not node.args or kind_of(node.args[0]) not in _NUMBERS:
            return node
        if node.func.id == "zeros_like":
            return constant(0.0)
        if node.func.id not in _KEPT_AS_THEY_ARE:
            return node
        node = node.args[0]
    return node
