"""Writes what joins objects one by one, and what asks them, as calls of their methods."""

from __future__ import annotations

import functools
import math
import operator
from typing import TYPE_CHECKING, Any, Final

from srcgrad.frontend.expand.heaps import Heaps
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.record_kinds import Holder
from srcgrad.frontend.expand.values import (
    Instance,
    Known,
    Object,
    Recorded,
    Static,
    Value,
)
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store, subscript

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

Bound = dict[str, Value]

_ASKED: Final = {
    abs: "__abs__",
    round: "__round__",
    float: "__float__",
    int: "__int__",
    len: "__len__",
    next: "__next__",
    iter: "__iter__",
    math.floor: "__floor__",
    math.ceil: "__ceil__",
}
"""The method that a function of Python asks an object for its answer."""

_JOINED: Final = {
    operator.add: gast.Add,
    operator.sub: gast.Sub,
    operator.mul: gast.Mult,
    operator.truediv: gast.Div,
    operator.matmul: gast.MatMult,
    operator.pow: gast.Pow,
    operator.mod: gast.Mod,
    operator.floordiv: gast.FloorDiv,
}


class Folding(Part):
    """The part of the expansion that deals with functions of Python that are given objects."""

    def __init__(self, frame: Interpreter) -> None:
        super().__init__(frame)
        self._heaps = Heaps(frame)

    def answered(
        self, callee: Known, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return what an object's own method gives for ``abs(v)``, or so; None if nothing asks."""
        put = self._heaps.ordered(callee, args, keywords, node)
        if put is not None:
            return put
        if callee.value is sum:
            return self._sum(args, keywords, node)
        if callee.value is functools.reduce:
            return self._reduce(args, keywords, node)
        if keywords or not any(isinstance(item, (Object, Instance, Recorded)) for item in args):
            return None
        if _is_among(callee.value, _JOINED) and len(args) == 2:
            return self._binary(_JOINED[callee.value](), args[0], args[1], node)
        if not _is_among(callee.value, _ASKED) or not args:
            return None
        name = _ASKED[callee.value]
        if self.frame.asking.method_of(args[0], name) is None:
            return None
        return self.frame.call(self.frame.attribute(args[0], name, node), args[1:], {}, node)

    def _binary(self, op: Any, left: Value, right: Value, node: Any) -> Value:
        sides = [self._named(left), self._named(right)]
        return self.frame.value(at(gast.BinOp(sides[0], op, sides[1]), node))

    def _named(self, value: Value) -> Any:
        return self.frame.named(value) if isinstance(value, Static) else value

    def _sum(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        start = args[1] if len(args) > 1 else keywords.get("start")
        return self._joined(args[0], start, None, node, zero=True) if args else None

    def _reduce(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if keywords or len(args) not in (2, 3) or not isinstance(args[0], Static):
            return None
        return self._joined(args[1], args[2] if len(args) > 2 else None, args[0], node)

    def _joined(
        self,
        items: Value,
        start: Value | None,
        join: Value | None,
        node: Any,
        *,
        zero: bool = False,
    ) -> Value | None:
        """Return the sum of objects, or what a function that joins two makes of all."""
        if isinstance(items, Recorded):
            return self._joined_in_loop(items, start, join, node, zero=zero)
        elements = self.frame.expressions.elements(items) if isinstance(items, Static) else None
        if not elements or not any(isinstance(item, (Object, Recorded)) for item in elements):
            return None
        first = gast.Constant(0, None) if zero and start is None else start
        total = elements[0] if first is None else self._pair(join, first, elements[0], node)
        for item in elements[1:]:
            total = self._pair(join, total, item, node)
        return total

    def _pair(self, join: Value | None, first: Value, second: Value, node: Any) -> Value:
        if join is None:
            return self._binary(gast.Add(), first, second, node)
        return self.frame.call(join, [first, second], {}, node)

    def _joined_in_loop(
        self, rows: Recorded, start: Value | None, join: Value | None, node: Any, *, zero: bool
    ) -> Value | None:
        """Return the name of what a loop over a list of objects joins."""
        is_list = isinstance(rows.kind, Holder) and rows.kind.form == "list"
        if not is_list or not self.frame.hoistable:
            return None
        total, item = self.frame.variable("total"), self.frame.fresh("item")
        over: Any = self._named(rows)
        first = gast.Constant(0, None) if zero and start is None else start
        if start is None:
            over = subscript(over, gast.Slice(gast.Constant(1, None), None, None))
            entry = Recorded(
                rows.kind.entry, subscript(clone(rows.expression), gast.Constant(0, None))
            )
            first = entry if first is None else self._pair(join, first, entry, node)
        self.frame.statements.assign_name(total, first, node)
        pair = (load(total), load(item))
        step: Any = gast.BinOp(pair[0], gast.Add(), pair[1])
        if join is not None:
            step = gast.Call(self._named(join), list(pair), [])
        body = assign(total, at(step, node), node)
        self.frame.statement(at(gast.For(store(item), over, [body], [], None), node))
        return self.frame.look(total)


def _is_among(function: Any, known: Any) -> bool:
    try:
        return function in known
    except TypeError:  # it has no hash
        return False
