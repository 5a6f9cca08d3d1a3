"""Rewrites what asks objects: comparisons, membership and tests run methods of their classes."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.presence import is_none
from srcgrad.frontend.expand.tables import same_function
from srcgrad.frontend.expand.values import (
    Instance,
    Known,
    Object,
    Recorded,
    Value,
    class_of,
    is_literal,
    is_named,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone
from srcgrad.ir.handlers import expression
from srcgrad.ir.walk import names_read

_COMPARISONS: Final = {
    "Lt": ("__lt__", "__gt__"),
    "LtE": ("__le__", "__ge__"),
    "Gt": ("__gt__", "__lt__"),
    "GtE": ("__ge__", "__le__"),
    "Eq": ("__eq__", "__eq__"),
    "NotEq": ("__ne__", "__ne__"),
}
"""The method of the left operand, and that of the right one, which is asked next."""


_SAME: Final = {gast.Eq: True, gast.Is: True, gast.NotEq: False, gast.IsNot: False}
"""Whether a comparison says that literals are the same."""


class Asking(Part):
    """The part of the expansion that deals with questions to objects."""

    def method_of(self, value: Value, name: str) -> Any:
        """Return the method of this name that the user wrote for the class of an object."""
        if not isinstance(value, (Object, Instance, Recorded)):
            return None
        if isinstance(value, Recorded):
            self.frame.records.refuse_unlike(value, name)
        found = inspect.getattr_static(class_of(value), name, None)
        return found if isinstance(found, FunctionType) and self.session.is_user(found) else None

    def ask(self, owner: Value, name: str, args: list[Value], node: Any) -> Value:
        """Return what a special method of an object returns."""
        self._refuse_half_answers(owner, name, node)
        return self.frame.call(self.frame.attribute(owner, name, node), args, {}, node)

    def _refuse_half_answers(self, owner: Value, name: str, node: Any) -> None:
        if "NotImplemented" in names_read(self.session.code(self.method_of(owner, name)).tree):
            self.frame.refuse(
                node, f"`{name}`, which may leave the answer to the other operand", "call a method"
            )

    # -- comparisons

    @expression(gast.Compare)
    def _comparison(self, node: Any) -> Value:
        values = [self.frame.value(item) for item in (node.left, *node.comparators)]
        if len(node.ops) == 1:
            inside = isinstance(node.ops[0], (gast.In, gast.NotIn))
            others = self.frame.expressions.elements(values[1]) if inside else [values[1]]
            found = same_function(node.ops[0], values[0], others)
            found = self._of_literals(node.ops[0], values) if found is None else found
            known = is_none(node.ops[0], values, self.frame.present)
            found = gast.Constant(known, None) if known is not None else found
            if found is not None:
                return at(found, node)
            found = self._compared(node.ops[0], values[0], values[1], node)
            if found is None:
                found = self.frame.records.compared(node.ops[0], values, node)
            if found is not None:
                return found
        elif any(self._answers(value) for value in values):
            self.frame.refuse(node, "a chained comparison of objects", "compare two at a time")
        node.left, *node.comparators = [
            self.frame.plain(value, item)
            for value, item in zip(values, (node.left, *node.comparators), strict=True)
        ]
        return node

    def _of_literals(self, op: Any, values: list[Value]) -> Any:
        """Return what a comparison of literals gives; None of anything else."""
        if not all(map(is_literal, values)):
            return None
        left, right = (item.value for item in values)
        if isinstance(op, (gast.In, gast.NotIn)):
            texts = isinstance(left, str) and isinstance(right, str)
            return (
                gast.Constant((left in right) is isinstance(op, gast.In), None) if texts else None
            )
        if not isinstance(op, tuple(_SAME)):
            return None
        same = type(left) is type(right) and left == right
        return gast.Constant(same is _SAME[type(op)], None)

    def _answers(self, value: Value) -> bool:
        """Say whether an object has methods of its own for comparisons."""
        names = {"__contains__", *(name for pair in _COMPARISONS.values() for name in pair)}
        return any(self.method_of(value, name) for name in names)

    def _compared(self, op: Any, left: Value, right: Value, node: Any) -> Value | None:
        """Return what a method says of two operands; None if there is none to be asked."""
        if isinstance(op, (gast.In, gast.NotIn)):
            return self._contained(op, left, right, node)
        kind = type(op).__name__
        for owner, other, place in ((left, right, 0), (right, left, 1)):
            names = _COMPARISONS.get(kind, ("", ""))
            if self.method_of(owner, names[place]):
                return self.ask(owner, names[place], [other], node)
            if kind == "NotEq" and self.method_of(owner, "__eq__"):
                return self._not(self.ask(owner, "__eq__", [other], node), node)
        return None

    def _contained(self, op: Any, item: Value, holder: Value, node: Any) -> Value | None:
        if not self.method_of(holder, "__contains__"):
            if any(self.method_of(holder, name) for name in ("__iter__", "__getitem__")):
                self.frame.refuse(
                    node, "`in` of an object that is gone through", "write `__contains__`"
                )
            return None
        found = self.ask(holder, "__contains__", [item], node)
        if isinstance(op, gast.NotIn):
            return self._not(found, node)
        return at(call("bool", self.frame.plain(found, node)), node)

    def _not(self, value: Value, node: Any) -> Any:
        return at(gast.UnaryOp(gast.Not(), self.frame.plain(value, node)), node)

    # -- tests

    def test(self, node: Any) -> Any:
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            node.operand = self.test(node.operand)
            known = is_literal(node.operand)
            return at(gast.Constant(not node.operand.value, None), node) if known else node
        if isinstance(node, gast.BoolOp):
            first, *rest = node.values
            values = [self.test(first)]
            with self.frame.conditional():
                values += [self.test(item) for item in rest]
            return _shortened(node, values)
        value = self.frame.value(node)
        for name in ("__bool__", "__len__"):
            if self.method_of(value, name):
                return self.frame.plain(self.ask(value, name, [], node), node)
        if isinstance(value, Recorded):
            return self.frame.records.truth(value, node)
        return self.frame.plain(value, node)

    def has_own_truth(self, value: Value) -> bool:
        return any(self.method_of(value, name) for name in ("__bool__", "__len__"))

    def has_own_equality(self, value: Value) -> bool:
        return any(self.method_of(value, name) for name in ("__eq__", "__ne__"))

    @expression(gast.UnaryOp)
    def _unary(self, node: Any) -> Value:
        return self.test(node) if isinstance(node.op, gast.Not) else self.frame.objects.signed(node)

    @expression(gast.BoolOp)
    def _boolean(self, node: Any) -> Value:
        first, *rest = node.values
        values = [self.frame.value(first)]
        if is_literal(values[0]) or (isinstance(values[0], Known) and is_named(values[0].value)):
            holds = isinstance(values[0], Known) or bool(values[0].value)
            stops = holds is isinstance(node.op, gast.Or)
            return values[0] if stops else self.frame.value(_rest(node))
        with self.frame.conditional():
            values += [self.frame.value(item) for item in rest]
        if any(map(self.has_own_truth, values[:-1])):
            self.frame.refuse(node, "`and` or `or` of objects", "write a branch")
        node.values = [self.frame.plain(v, i) for v, i in zip(values, node.values, strict=True)]
        return node

    # -- updates

    def updating_call(self, held: Value, node: Any) -> Any:
        """Return ``held = held.__iadd__(value)`` for an update by a method; None without one."""
        word = self.frame.objects.word_of(node.op)
        if not word or not self.method_of(held, f"__i{word}__"):
            return None
        self._refuse_half_answers(held, f"__i{word}__", node)
        owner = clone(node.target)
        owner.ctx = gast.Load()
        made = gast.Call(gast.Attribute(owner, f"__i{word}__", gast.Load()), [node.value], [])
        return at(gast.Assign([node.target], at(made, node), None), node)


def _shortened(test: Any, values: list[Any]) -> Any:
    """Return a test without what is known of its parts, as far as that does not end it."""
    stops = isinstance(test.op, gast.Or)
    left = [v for v in values if not is_literal(v) or bool(v.value) is stops]
    ends = next((i + 1 for i, v in enumerate(left) if is_literal(v)), len(left))
    if not left:
        return at(gast.Constant(not stops, None), test)
    test.values = left[:ends]
    return test if ends > 1 else left[0]


def _rest(node: Any) -> Any:
    """Return ``b and c`` of ``a and b and c``."""
    rest = node.values[1:]
    return rest[0] if len(rest) == 1 else at(gast.BoolOp(node.op, rest), node)
