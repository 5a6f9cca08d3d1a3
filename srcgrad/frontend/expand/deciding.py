"""Decides the tests whose outcome is known before the run."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.expand.growing import COMPARISONS, compared_lengths
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.presence import is_none
from srcgrad.frontend.expand.values import (
    Known,
    Local,
    Object,
    Recorded,
    Static,
    Value,
    is_literal,
    is_negative,
    is_whole,
    literals_in,
)
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import names_bound, names_read, walk
from srcgrad.runtime.indexing import names_element

_CHOOSING: Final = (
    *(gast.Compare, gast.BoolOp, gast.Name, gast.IfExp, gast.Call, gast.Subscript, gast.BinOp),
)
_BY_NAME: Final = frozenset(["getattr", "setattr", "hasattr"])


class Deciding(Part):
    """The part of the expansion that says what tests give."""

    def decide(self, test: Any) -> bool | None:
        """Return what a test is known to give, such as ``callback is None`` of a function."""
        if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            inner = self.decide(test.operand)
            return None if inner is None else not inner
        if isinstance(test, gast.BoolOp):
            return self._decide_several(test)
        if isinstance(test, gast.Compare) and len(test.ops) == 1:
            known = compared_lengths(test, self.frame.look, self.frame.out)
            return self._decide_comparison(test) if known is None else known
        if isinstance(test, (gast.Name, gast.Call, gast.Attribute)):
            value = self.looked_at(test)
            if is_literal(value):
                return bool(value.value)
            known = isinstance(
                value, (Local, Known, Object)
            ) and not self.frame.asking.has_own_truth(value)
            return True if known else None
        return None

    def _decide_several(self, test: Any) -> bool | None:
        found = [self.decide(item) for item in test.values]
        stops = isinstance(test.op, gast.Or)
        for item in found:
            if item is None:
                return None
            if item is stops:
                return stops
        return not stops

    def _decide_comparison(self, test: Any) -> bool | None:
        said = self.frame.tables.said_of_functions(test, self.looked_at)
        if said is None:
            values = [self.looked_at(item) for item in (test.left, *test.comparators)]
            said = is_none(test.ops[0], values, self.frame.present)
        return self._decide_by_values(test) if said is None else said

    def _decide_by_values(self, test: Any) -> bool | None:
        left, right = self.looked_at(test.left), self.looked_at(test.comparators[0])
        op = test.ops[0]
        if isinstance(op, (gast.In, gast.NotIn)):
            inside = _is_inside(left, literals_in(right))
            inside = _is_number_inside(left, right) if inside is None else inside
            return None if inside is None else inside is isinstance(op, gast.In)
        if is_whole(left) and is_whole(right) and type(op) in COMPARISONS:
            return COMPARISONS[type(op)](left.value, right.value)
        if not isinstance(op, (gast.Is, gast.IsNot, gast.Eq, gast.NotEq)):
            return None
        positive = isinstance(op, (gast.Is, gast.Eq))
        if isinstance(op, (gast.Eq, gast.NotEq)) and any(
            map(self.frame.asking.has_own_equality, (left, right))
        ):
            return None
        if is_literal(left) and is_literal(right):
            same = left.value == right.value and type(left.value) is type(right.value)
            return same is positive
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Static) and is_literal(other) and not isinstance(one, Recorded):
                return not positive
            if _is_number(one) and is_literal(other) and type(other.value) is not bool:
                return not positive  # a number is neither None nor a text
        known = isinstance(left, Known) and isinstance(right, Known)
        return (left.value is right.value) is positive if known else None

    def looked_at(self, node: Any) -> Value:
        """Return what a simple expression means, without writing anything."""
        if isinstance(node, (gast.Name, gast.Constant)):
            return self.frame.value(clone(node))
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name):
            callee = self.frame.look(node.func.id)
            tests = (callable, isinstance, hasattr, names_element)
            if isinstance(callee, Known) and any(callee.value is test for test in tests):
                return self.frame.value(clone(node))
            if isinstance(callee, Known) and not node.keywords:
                told = self.frame.telling.told(
                    callee.value, list(map(self.looked_at, node.args)), {}, node
                )
                return node if told is None else told
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
            said = self.frame.masked.said_of(node)
            said = self.frame.literals.said_of(node, self.looked_at) if said is None else said
            return node if said is None else said
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
            owner = self.frame.look(node.value.id)
            if isinstance(owner, Object):
                return owner.fields.get(node.attr, node)
        return node


def asked_of(tree: Any) -> set[str]:
    r"""Return the names in the tests of a function's branches, and what those are bound from.

    >>> tree = gast.parse("def f(a, out=None):\n    return a if out is None else out").body[0]
    >>> asked_of(tree)
    {'out'}
    >>> lines = "def f(a, how):\n  is_full = how == 'full'\n  if is_full:\n    a = 2 * a"
    >>> sorted(asked_of(gast.parse(lines).body[0]))
    ['how', 'is_full']
    """
    nodes = list(walk(tree))
    tests = [node.test for node in nodes if isinstance(node, (gast.If, gast.IfExp))]
    tests += [node.subject for node in nodes if isinstance(node, gast.Match)]
    tests += [name for node in nodes for name in said_names(node)]
    found = {name for test in tests for name in names_read(test)}
    bound = [
        (set(names_bound(target)), set(names_read(node.value)))
        for node in nodes
        if isinstance(node, gast.Assign) and isinstance(node.value, _CHOOSING)
        for target in node.targets
    ]
    size = -1
    while size != (size := len(found)):
        found.update(*[reads for names, reads in bound if not found.isdisjoint(names)])
    return found


def said_names(node: Any) -> list[Any]:
    """Return what says the name of an attribute in a call of `getattr` and the like, as a list.

    Where a definition was put in place, that may go by another name.

    >>> call = gast.parse("getattr(np, f'nan{how}')").body[0].value
    >>> [type(name).__name__ for name in said_names(call)]
    ['JoinedStr']
    """
    name = getattr(node.func, "id", "") if isinstance(node, gast.Call) else ""
    asks = name.rstrip("0123456789").removesuffix("_") in _BY_NAME
    return node.args[1:2] if asks else []


def _is_inside(value: Value, held: list[Any] | None) -> bool | None:
    """Say whether a value is one of literals; None if that is not known."""
    if held == [] and isinstance(value, (gast.Name, gast.Constant)):
        return False  # whatever it is
    return value.value in held if held is not None and is_literal(value) else None


def _is_number_inside(value: Value, holder: Value) -> bool | None:
    held = getattr(holder, "elts", None)
    if not is_whole(value) or held is None or not all(map(is_whole, held)):
        return None
    return value.value in [item.value for item in held]


def _is_number(value: Value) -> bool:
    written = isinstance(value, gast.Constant) and type(value.value) in (int, float)
    return written or is_negative(value)
