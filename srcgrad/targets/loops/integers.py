"""Guards integers, which Python keeps exact and Numba holds in 64 bits without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gast

from srcgrad.ir.build import call, load
from srcgrad.ir.walk import walk
from srcgrad.targets.loops.words import INTEGERS

_NAMES: Final = {
    gast.FloorDiv: "int_floor_divided",
    gast.Mod: "int_remainder",
    gast.Pow: "int_power",
}


def guard_integers(function: Any, kind_of: Callable[[Any], Any]) -> set[str]:
    """Let what may divide integers by zero, or multiply them beyond 64 bits, call what looks.

    Returns the names of what is called. `kind_of` tells the kind of an expression; of numbers that
    are surely floats, and of arrays, nothing is asked.
    """
    used: set[str] = set()

    def guarded(node: Any) -> Any:
        if not isinstance(node, gast.BinOp) or type(node.op) not in _NAMES:
            return node
        if _is_harmless(node.right) or not _may_be_integers(node.left, node.right):
            return node
        name = _NAMES[type(node.op)]
        used.add(name)
        return call(name, node.left, node.right)

    def _may_be_integers(*parts: Any) -> bool:
        return all(kind_of(part) in (None, "bool", "unknown", *INTEGERS) for part in parts)

    for node in list(walk(function)):
        for field in getattr(node, "_fields", ()):
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = [guarded(item) for item in part]
            elif isinstance(part, gast.AST):
                setattr(node, field, guarded(part))
        if _grows(node) and _may_be_integers(load(node.target.id), node.value):
            used.add("int_scaled")
            target = load(node.target.id)
            _become(node, gast.Assign([node.target], call("int_scaled", target, node.value), None))
        elif _grows_anew(node) and _may_be_integers(node.value.left, node.value.right):
            used.add("int_times")
            node.value = call("int_times", node.value.left, node.value.right)
    return used


def _is_harmless(node: Any) -> bool:
    """Say whether an operand is a small number that is not zero."""
    value = getattr(node, "value", None) if isinstance(node, gast.Constant) else None
    return isinstance(value, (int, float)) and 0 < value < 4


def _grows(node: Any) -> bool:
    """Say whether a statement is ``name *= ...``."""
    if not isinstance(node, gast.AugAssign) or not isinstance(node.op, gast.Mult):
        return False
    return isinstance(node.target, gast.Name)


def _grows_anew(node: Any) -> bool:
    """Say whether a statement is ``name = ... * ...`` that reads its own name."""
    if not isinstance(node, gast.Assign) or not isinstance(node.value, gast.BinOp):
        return False
    if not isinstance(node.value.op, gast.Mult) or not isinstance(node.targets[0], gast.Name):
        return False
    name = node.targets[0].id
    return any(isinstance(item, gast.Name) and item.id == name for item in walk(node.value))


def _become(node: Any, other: Any) -> None:
    """Let a statement become another one in its place."""
    line = getattr(node, "lineno", None)
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)
    node.lineno = line
