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
    class_of,
)
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store, subscript
from srcgrad.ir.handlers import expression

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

_PRINTING: Final = (print, str, repr)
_AS_WRITTEN, _AS_IT_IS = ord("r"), -1
"""How what stands between braces is turned into a text."""
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
        for ask in (self._heaps.ordered, self.frame.cursors.read):
            put = ask(callee, args, keywords, node)
            if put is not None:
                return put
        if callee.value is sum:
            return self._sum(args, keywords, node)
        if callee.value is functools.reduce:
            return self._reduce(args, keywords, node)
        if not any(isinstance(item, (Object, Instance, Recorded)) for item in args):
            return None
        if any(callee.value is function for function in _PRINTING):
            return self._printed(callee, args, keywords, node)
        return None if keywords else self._asked(callee, args, node)

    def _asked(self, callee: Known, args: list[Value], node: Any) -> Value | None:
        if _is_among(callee.value, _JOINED) and len(args) == 2:
            return self._binary(_JOINED[callee.value](), args[0], args[1], node)
        if not _is_among(callee.value, _ASKED) or not args:
            return None
        name = _ASKED[callee.value]
        if self.frame.asking.method_of(args[0], name) is None:
            return None
        return self.frame.call(self.frame.attribute(args[0], name, node), args[1:], {}, node)

    # -- what objects say of themselves

    def _printed(
        self, callee: Known, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return the text of an object, or the call that prints some."""
        if not any(map(self._speaks, args)):
            return None
        name = "__repr__" if callee.value is repr else "__str__"
        said = [self._said(item, name, node) for item in args]
        if callee.value is print:
            return self.frame.call(callee, said, keywords, node)
        return said[0] if len(said) == 1 and not keywords else None

    @expression(gast.FormattedValue)
    def _formatted(self, node: Any) -> Any:
        value = self.frame.value(node.value)
        own = self.frame.asking.method_of(value, "__format__") is not None
        if not own and self._speaks(value):
            name = "__repr__" if node.conversion == _AS_WRITTEN else "__str__"
            value, node.conversion = self._said(value, name, node), _AS_IT_IS
        node.value = self.frame.plain(value, node.value)
        node.format_spec = node.format_spec and self.frame.expression(node.format_spec)
        return node

    def _speaks(self, value: Value) -> bool:
        """Say whether the class of an object says how it is printed, as the user wrote it."""
        if isinstance(value, Instance) and value.leaves is None:
            return False  # the run prints it as it is
        method_of = self.frame.asking.method_of
        return any(method_of(value, name) is not None for name in ("__str__", "__repr__"))

    def _said(self, value: Value, name: str, node: Any) -> Value:
        """Return the text that is printed of an object; other values as they are."""
        known = self.frame.asking.method_of(value, name) is not None
        if not known and not self._speaks(value):
            return value
        plain = getattr(class_of(value), "__str__", None) is object.__str__
        if not known and (name == "__repr__" or not plain):
            return value  # a text by another
        return self.frame.asking.ask(value, name if known else "__repr__", [], node)

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
