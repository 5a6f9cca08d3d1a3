"""Refuses lists taken out of lists where they are joined, repeated or copied.

Adjoints of entries are added up in place. Whether an entry is a list itself is not seen where it
is a parameter that holds it, and the adjoints of lists would be joined then, not added.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from srcgrad.frontend.joining import joins_of, operands
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in, names_bound, root_name, walk

Depths = set[tuple[int, bool]]
"""How deep in a value lists are, and whether the value was taken out of something."""

_DEEPEST = 4
_TELLING = (gast.Assign, gast.NamedExpr, gast.For, gast.comprehension, gast.Call)
_ADDING = {"append": 0, "insert": 1, "setdefault": 1}
_TAKING = ("get", "setdefault", "pop")
_SAME = ("copy", "list", "tuple", "sorted", "reversed", "deepcopy")


def refuse_inner_joins(body: list[Any], scope: Scope, refusals: Refusals) -> None:
    """Refuse what a function does to lists that it takes out of lists, or hands to functions.

    >>> body = gast.parse("rows = [[x, x * x], [x]]; both = rows[0] + rows[1]").body
    >>> nesting = Nesting(body)
    >>> sorted(nesting.of(body[0].targets[0])), nesting.of(body[1].value)
    ([(0, False), (1, False)], {(0, True)})
    """
    if not any(found_in(statement, gast.List, gast.ListComp) for statement in body):
        return
    nesting = Nesting(body)
    for statement in body:
        for node in walk(statement):
            if isinstance(node, gast.Call):
                _refuse_handed(node, nesting, scope, refusals)
            elif any(_is_inner(side, nesting) for side in operands(node)):
                refusals.add(
                    node,
                    "arithmetic with what may be a list inside of another, or joining it, is not "
                    "differentiated by source",
                    "use np.asarray of it, np.concatenate or np.stack",
                )
                return


def _is_inner(value: Any, nesting: Nesting) -> bool:
    return (0, True) in nesting.of(value)


def _refuse_handed(call: Any, nesting: Nesting, scope: Scope, refusals: Refusals) -> None:
    callee = scope.resolve(call.func)
    if not isinstance(callee, FunctionType):
        return
    order = callee.__code__.co_varnames
    given = [*zip(order, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    depths = {name: {depth for depth, _ in nesting.of(value)} for name, value in given}
    if not any(depth for found in depths.values() for depth in found):
        return
    for join in joins_of(callee):
        if join.depth and join.depth in depths.get(join.name, ()):
            refusals.add(
                call,
                f"`{callee.__name__}` may join, repeat, copy or add up a list that is inside of "
                f"what is given as `{join.name}`",
                "give it arrays, such as np.stack of the lists",
            )
            return


class Nesting:
    """Knows how deep lists are in the local values of a function."""

    def __init__(self, body: list[Any]) -> None:
        self._known: dict[str, Depths] = {}
        self._sums: dict[int, Depths] | None = None  # of a long sum each part is asked for
        size = -1
        nodes = [node for statement in body for node in found_in(statement, *_TELLING)]
        while size != (size := sum(map(len, self._known.values()))):
            for node in nodes:
                self._learn(node)
        self._sums = {}

    def of(self, value: Any) -> Depths:
        """Return the depths of lists in the value of an expression."""
        if isinstance(value, gast.Name):
            return set(self._known.get(value.id, ()))
        if isinstance(value, gast.Subscript):
            inside = self.of(value.value)
            return inside if isinstance(value.slice, gast.Slice) else _entries(inside)
        if isinstance(value, gast.Call):
            return self._of_call(value)
        if isinstance(value, gast.IfExp):
            return self.of(value.body) | self.of(value.orelse)
        if isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Mult)):
            return self._of_sum(value)
        return self._of_display(value)

    def _of_sum(self, value: Any) -> Depths:
        if self._sums is None:  # more is about to be known
            return self.of(value.left) | self.of(value.right)
        if id(value) not in self._sums:
            self._sums[id(value)] = self.of(value.left) | self.of(value.right)
        return self._sums[id(value)]

    def _of_display(self, value: Any) -> Depths:
        items = getattr(value, "elts", [])
        if isinstance(value, gast.Dict):
            items = value.values
        elif isinstance(value, gast.ListComp):
            items = [value.elt]
        own: Depths = {(0, False)} if isinstance(value, (gast.List, gast.ListComp)) else set()
        return own | _held([self.of(item) for item in items])

    def _of_call(self, call: Any) -> Depths:
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name in _TAKING:
            return _entries(self.of(getattr(call.func, "value", None)))
        if name not in _SAME:
            return set()
        return self.of(call.args[0] if call.args else getattr(call.func, "value", None))

    def _learn(self, node: Any) -> None:
        if isinstance(node, gast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, gast.NamedExpr):
            self._bind(node.target, self.of(node.value))
        elif isinstance(node, (gast.For, gast.comprehension)):
            self._loop(node)
        elif isinstance(node, gast.Call) and getattr(node.func, "attr", "") in _ADDING:
            place = _ADDING[node.func.attr]
            for item in node.args[place : place + 1]:
                entry = gast.Subscript(node.func.value, gast.Constant(0, None), gast.Store())
                self._bind(entry, self.of(item))

    def _assign(self, target: Any, value: Any) -> None:
        parts, items = getattr(target, "elts", ()), getattr(value, "elts", ())
        starred = any(isinstance(item, gast.Starred) for item in (*parts, *items))
        if parts and len(parts) == len(items) and not starred:
            for part, item in zip(parts, items, strict=True):
                self._assign(part, item)
        else:
            self._bind(target, self.of(value))

    def _loop(self, node: Any) -> None:
        """``for a, b in zip(p, q)``: a is an entry of p, and b one of q."""
        called: Any = node.iter if isinstance(node.iter, gast.Call) else None
        name = getattr(called.func, "id", "") if called is not None else ""
        parts = getattr(node.target, "elts", [])
        if name == "enumerate" and len(parts) == 2:
            self._bind(parts[1], _entries(self.of(called.args[0])))
        elif name == "zip" and len(parts) == len(called.args):
            for part, item in zip(parts, called.args, strict=True):
                self._bind(part, _entries(self.of(item)))
        elif getattr(getattr(called, "func", None), "attr", "") in ("values", "items"):
            part = parts[1] if len(parts) == 2 else node.target
            self._bind(part, _entries(self.of(called.func.value)))
        else:
            self._bind(node.target, _entries(self.of(node.iter)))

    def _bind(self, target: Any, found: Depths) -> None:
        if not found:
            return
        if isinstance(target, (gast.Tuple, gast.List)):
            for item in target.elts:
                self._bind(item, _entries(found))
            return
        while isinstance(target, gast.Subscript):
            found = found if isinstance(target.slice, gast.Slice) else _held([found])
            target = target.value
        for name in names_bound(target) or [root_name(target) or ""]:
            self._known.setdefault(name, set()).update(found)


def _entries(found: Depths) -> Depths:
    return {(depth - 1, True) for depth, _ in found if depth}


def _held(items: list[Depths]) -> Depths:
    return {(min(depth + 1, _DEEPEST), False) for found in items for depth, _ in found}
