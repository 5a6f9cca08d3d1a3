"""Guards integers, which Python keeps exact and Numba holds in 64 bits without a word."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, load
from srcgrad.ir.walk import blocks_of, walk
from srcgrad.targets.loops.growing import growing
from srcgrad.targets.loops.words import INTEGERS

_NAMES: Final = {
    gast.FloorDiv: "int_floor_divided",
    gast.Mod: "int_remainder",
    gast.Pow: "int_power",
}


_GROWING: Final = {
    gast.Add: "int_plus",
    gast.Sub: "int_minus",
    gast.Mult: "int_times",
    gast.LShift: "int_shifted",
    gast.Pow: "int_power",
}
_SURE: Final = ("bool", *INTEGERS)


def guard_integers(
    function: Any, kind_of: Callable[[Any], Any], recursive: Collection[str] = ()
) -> set[str]:
    """Let what may divide integers by zero, or take them beyond 64 bits, call what looks.

    Returns the names of what is called. `kind_of` tells the kind of an expression; of numbers that
    are surely floats, and of arrays, nothing is asked. `recursive` are functions that call
    themselves.
    """
    guard = _Guard(kind_of, growing(function, recursive))
    nodes = list(walk(function))
    homes = {id(item): block for node in nodes for block in blocks_of(node) for item in block}
    for node in nodes:
        for field in getattr(node, "_fields", ()):
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = map(guard.expression, part)
            elif isinstance(part, gast.AST):
                setattr(node, field, guard.expression(part))
        other = guard.statement(node)
        if other is not node:
            block = homes[id(node)]
            block[:] = [other if item is node else item for item in block]
    return guard.used


class _Guard:
    """Writes the calls; `used` are the names of what is called."""

    def __init__(self, kind_of: Callable[[Any], Any], grows: set[int]) -> None:
        self._kind, self._growing = kind_of, grows
        self.used: set[str] = set()

    def expression(self, node: Any) -> Any:
        """Return an expression, or the call that looks at its operands."""
        if isinstance(node, gast.Call) and _makes_integer(node):
            if self._kind(node.args[0]) not in _SURE:
                node.args[0] = self._call("within_integers", node.args[0])
            return node
        if not isinstance(node, gast.BinOp):
            return node
        operator, sides = type(node.op), (node.left, node.right)
        if id(node) in self._growing and self._may_grow(*sides):
            return self._call(_GROWING[operator], *sides)
        if operator not in _NAMES or _is_harmless(node.right) or not self._may_be_integers(*sides):
            return node
        return self._call(_NAMES[operator], *sides)

    def statement(self, node: Any) -> Any:
        """Return what stands for a statement: one that looks, if it changes a name by itself."""
        if isinstance(node, gast.AugAssign) and id(node) in self._growing:
            old = read_of(node.target)
            if self._kind(old) in _SURE and self._may_grow(old, node.value):
                value = self._call(_GROWING[type(node.op)], old, node.value)
                return _instead(node, value)
        elif _grows(node) and self._may_be_integers(load(node.target.id), node.value):
            value = self._call("int_scaled", load(node.target.id), node.value)
            return _instead(node, value)
        elif _grows_anew(node) and self._may_be_integers(node.value.left, node.value.right):
            node.value = self._call("int_times", node.value.left, node.value.right)
        return node

    def _call(self, name: str, *args: Any) -> Any:
        self.used.add(name)
        return call(name, *args)

    def _may_be_integers(self, *parts: Any) -> bool:
        return all(self._kind(part) in (None, "unknown", *_SURE) for part in parts)

    def _may_grow(self, *parts: Any) -> bool:
        return self._may_be_integers(*parts) and any(self._kind(part) in _SURE for part in parts)


def _makes_integer(node: Any) -> bool:
    """Say whether a call makes an integer of a number, as ``int(x)`` does."""
    if len(node.args) != 1 or node.keywords:
        return False
    if isinstance(node.func, gast.Attribute):
        is_math = getattr(node.func.value, "id", "") == "math"
        return is_math and node.func.attr in ("floor", "ceil", "trunc")
    return getattr(node.func, "id", "") in ("int", "round")


def read_of(target: Any) -> Any:
    """Return the expression that reads what a statement stores to."""
    found = clone(target)
    found.ctx = gast.Load()
    return found


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


def _instead(node: Any, value: Any) -> Any:
    """Return the assignment that stands instead of an update."""
    other = gast.Assign([node.target], value, None)
    other.lineno = getattr(node, "lineno", None)
    return other
