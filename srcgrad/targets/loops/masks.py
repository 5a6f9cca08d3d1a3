"""Writes indices by masks behind whole axes, ``x[:, mask]``, as calls of ours: Numba has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone
from srcgrad.ir.walk import blocks_of, walk
from srcgrad.targets.loops.kind import Array, Kind
from srcgrad.targets.loops.results import parts_of


class Masks:
    """The masks of one function.

    Attributes:
        used: The names of ours that it calls then.
    """

    def __init__(self, function: Any, kind_of: Callable[[Any], Kind]) -> None:
        self._function = function
        self._kind = kind_of
        self.used: set[str] = set()

    def write(self) -> set[str]:
        """Rewrite the function in place; return the names of ours that it now calls."""
        self._block(self._function.body)
        for node in reversed(list(walk(self._function))):  # what is inside first
            for field in getattr(node, "_fields", ()):
                part = getattr(node, field, None)
                if isinstance(part, list):
                    part[:] = map(self._expression, part)
                elif isinstance(part, gast.AST):
                    setattr(node, field, self._expression(part))
        return self.used

    # -- stores

    def _block(self, body: list[Any]) -> None:
        for place, statement in enumerate(body):
            for block in blocks_of(statement):
                self._block(block)
            body[place] = self._stored(statement)
            body[place].lineno = getattr(statement, "lineno", None)

    def _stored(self, statement: Any) -> Any:
        """Return a statement, or the call that does its store by a mask."""
        if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, gast.AugAssign):
            target, value = statement.target, None
        else:
            return statement
        mask = self._mask_of(target)
        if mask is None:
            return statement
        if value is None:
            before = self._call("masked", clone(target.value), clone(mask))
            value = gast.BinOp(before, statement.op, statement.value)
        return gast.Expr(self._call("put_masked", target.value, mask, value))

    # -- expressions

    def _expression(self, node: Any) -> Any:
        if isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load):
            mask = self._mask_of(node)
            return node if mask is None else self._call("masked", node.value, mask)
        name = getattr(getattr(node, "func", None), "id", "")
        if name == "last_written" and len(node.args) == 2:
            mask = self._mask_among(node.args[0], node.args[1])
            return node if mask is None else self._call("masked", node.args[0], mask)
        if name == "add_at" and len(node.args) == 3:
            mask = self._mask_among(node.args[0], node.args[1])
            if mask is not None:
                return self._call("add_masked", node.args[0], mask, node.args[2])
        return node

    def _mask_of(self, node: Any) -> Any:
        is_entry = isinstance(node, gast.Subscript)
        return self._mask_among(node.value, node.slice) if is_entry else None

    def _mask_among(self, array: Any, index: Any) -> Any:
        """Return the mask of the last axes of an array, behind parts for the whole others."""
        parts = parts_of(index)
        if len(parts) < 2 or not all(map(_is_whole, parts[:-1])):
            return None
        before, last = parts[:-1], parts[-1]
        whole, mask = self._kind(array), self._kind(last)
        if not isinstance(whole, Array) or not isinstance(mask, Array) or mask.dtype != "bool":
            return None
        return last if whole.ndim == len(before) + mask.ndim else None

    def _call(self, name: str, *args: Any) -> Any:
        self.used.add(name)
        return call(name, *args)


def _is_whole(part: Any) -> bool:
    """Say whether a part of an index stands for all of an axis: ``:``, or ``slice(None, None)``."""
    if isinstance(part, gast.Slice):
        return part.lower is None and part.upper is None and part.step is None
    if getattr(getattr(part, "func", None), "id", "") != "slice":
        return False
    return all(getattr(item, "value", 0) is None for item in part.args)
