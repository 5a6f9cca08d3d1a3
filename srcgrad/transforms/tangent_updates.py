"""Writes what ``x += v`` and its like do to tangents."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone, load
from srcgrad.ir.names import Namer
from srcgrad.transforms.tangent_rules import NoTangentError


def updated(target: Any, dot: Any, op: Any, value: Any, tangent: Any, namer: Namer) -> list[Any]:
    """Return what ``x op= v`` does to the tangent `dot` of `target`, and to that itself.

    Both are variables or entries. `tangent` is that of the value, None if it does not vary.

    Raises:
        NoTangentError: The operator has no such form.
    """
    update = gast.AugAssign(clone(target), op, clone(value))
    kind = type(op).__name__
    if kind in ("Add", "Sub"):
        return [update] if tangent is None else [gast.AugAssign(dot, op, tangent), update]
    if kind in ("Mult", "Div"):
        scale = gast.AugAssign(clone(dot), type(op)(), clone(value))
        if tangent is None:
            return [scale, update]
        product = gast.BinOp(_as_load(target), gast.Mult(), tangent)
        if kind == "Div":
            less = gast.BinOp(product, gast.Div(), clone(value))
            return [gast.AugAssign(dot, gast.Sub(), less), scale, update]
        change = namer.fresh("change")  # v may lie in the memory of x
        add = gast.AugAssign(dot, gast.Add(), load(change))
        return [assign(change, product), scale, add, update]
    if kind == "Pow" and isinstance(value, gast.Constant) and tangent is None:
        lower = gast.Constant(value.value - 1, None)
        power = gast.BinOp(_as_load(target), gast.Pow(), lower)
        slope = gast.BinOp(clone(value), gast.Mult(), power)
        return [gast.AugAssign(dot, gast.Mult(), slope), update]
    if kind == "FloorDiv":  # constant between its jumps
        return [gast.AugAssign(dot, gast.Mult(), gast.Constant(0.0, None)), update]
    if kind == "Mod":
        if tangent is None:
            return [update]
        whole = gast.BinOp(_as_load(target), gast.FloorDiv(), clone(value))
        less = gast.BinOp(whole, gast.Mult(), tangent)
        return [gast.AugAssign(dot, gast.Sub(), less), update]
    raise NoTangentError


def _as_load(target: Any) -> Any:
    copy = clone(target)
    copy.ctx = gast.Load()
    return copy
