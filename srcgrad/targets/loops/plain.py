"""Leaves out what the text for NumPy asks for in case that a number is an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import constant, load
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.kind import Array, Many, is_number
from srcgrad.targets.loops.words import COMPLEX

_KEPT_AS_THEY_ARE: Final = frozenset("unbroadcast conj real_part".split())


def leave_out_calls(function: Any, kind_of: Callable[[Any], Any]) -> set[str]:
    """Write numbers for calls that give numbers as they are, and zero for zeros like a number.

    Zeros that two names share stay: what they are like may be an array without axes, as where
    one of two numbers is selected. Returns the names of ours that are called instead of what Numba
    lacks.
    """
    used: set[str] = set()
    shared = _shared_zeros(function)
    for node in list(walk(function)):
        if _stacks(node, kind_of):
            name = "stacked_shape" if node.func.attr == "shape" else "stacked"
            node.func = load(name)
            used.add(name)
    for node in list(walk(function)):
        for field in getattr(node, "_fields", ()):
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = [_plain(item, kind_of) for item in part]
            elif isinstance(part, gast.AST) and id(part) not in shared:
                setattr(node, field, _plain(part, kind_of))
    return used


def _shared_zeros(function: Any) -> set[int]:
    """Return the zeros that a function makes under names that it gives others."""
    assigned = [item for item in found_in(function, gast.Assign) if len(item.targets) == 1]
    given = {item.value.id for item in assigned if isinstance(item.value, gast.Name)}
    return {
        id(item.value)
        for item in assigned
        if getattr(item.targets[0], "id", None) in given
        and getattr(getattr(item.value, "func", None), "id", "") == "zeros_like"
    }


def _is_of_numpy(node: Any, *names: str) -> bool:
    """Say whether a node calls a function of NumPy with one argument."""
    if not isinstance(node, gast.Call) or node.keywords or len(node.args) != 1:
        return False
    function = node.func
    return getattr(function, "attr", "") in names and getattr(function.value, "id", "") == "np"


def _stacks(node: Any, kind_of: Callable[[Any], Any]) -> bool:
    """Say whether a node makes one array of several, or asks what shape that has."""
    if not _is_of_numpy(node, "array", "stack", "asarray", "shape"):
        return False
    kind = kind_of(node.args[0])
    items = (kind.item,) if isinstance(kind, Many) else getattr(kind, "items", ())
    return bool(items) and all(isinstance(item, Array) for item in items)


def _plain(node: Any, kind_of: Callable[[Any], Any]) -> Any:
    if _is_of_numpy(node, "array") and isinstance(kind_of(node.args[0]), Array):
        return gast.Call(gast.Attribute(node.args[0], "copy", gast.Load()), [], [])
    while isinstance(node, gast.Call) and isinstance(node.func, gast.Name):
        kind = kind_of(node.args[0]) if node.args else None
        if not is_number(kind):
            return node
        if node.func.id == "zeros_like":
            return constant(0j if kind in COMPLEX else 0.0)
        if node.func.id not in _KEPT_AS_THEY_ARE or kind in COMPLEX:
            return node
        node = node.args[0]
    return node
