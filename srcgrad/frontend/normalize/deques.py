"""Writes deques that a function has for itself as lists."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, constant, load, method
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read

_ANYWHERE: Final = {"pop": 0, "popleft": 0}
"""How many operands methods take that may be called in the middle of an expression."""
_ALONE: Final = {**_ANYWHERE, "append": 1, "appendleft": 1, "clear": 0}
_TURNS: Final = {1: ("insert", [0], []), -1: ("append", [], [0])}
"""How a list turns by one: what puts in, where that is, and where is taken out."""
_RUNNING: Final = (gast.For, gast.comprehension)
_TESTING: Final = (gast.While, gast.If, gast.IfExp, gast.UnaryOp)
_READERS: Final = (len, sum, min, max, list, tuple, sorted, enumerate, zip, reversed, any, all)


def makes_deque(node: Any, scope: Scope) -> bool:
    """Say whether an expression is a call of `collections.deque`."""
    return isinstance(node, gast.Call) and scope.resolve(node.func) is deque


class Deques(Rewriter):
    """Rewrites one function body, where all that is done with a deque can be done with a list.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> scope = reader_of(deque=deque).scope
    >>> body = parse("last = deque(maxlen=2); last.append(x); y = last[0] * len(last)")
    >>> print(text(Deques(scope).block(body)))
    last = []
    last.append(x)
    if len(last) > 2:
        last.pop(0)
    y = last[0] * len(last)
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._most: dict[str, Any] = {}  # how many entries each may have

    def block(self, body: list[Any]) -> list[Any]:
        """Return the body with lists in the place of deques."""
        body = self._one_by_one(body)
        self._find(body)
        if not self._most:
            return body
        whole = gast.Module(body, [])
        self.visit(whole)
        return list(whole.body)

    def _one_by_one(self, body: list[Any]) -> list[Any]:
        """Write ``a, b = deque(xs), 0.0`` as an assignment to each, where neither reads another."""
        done: list[Any] = []
        for statement in body:
            for part in blocks_of(statement):
                part[:] = self._one_by_one(part)
            pairs = self._pairs(statement) if isinstance(statement, gast.Assign) else []
            done += [at(gast.Assign([t], v, None), statement) for t, v in pairs] or [statement]
        return done

    def _pairs(self, statement: Any) -> list[tuple[Any, Any]]:
        """Return the targets of an assignment of deques and others with what each is bound to."""
        target, value = statement.targets[0], statement.value
        if len(statement.targets) > 1 or not isinstance(value, gast.Tuple):
            return []
        if not any(makes_deque(item, self._scope) for item in value.elts):
            return []
        names = [getattr(item, "id", None) for item in getattr(target, "elts", ())]
        apart = None not in names and set(names).isdisjoint(names_read(value))
        fits = apart and len(names) == len(value.elts)
        return list(zip(target.elts, value.elts, strict=True)) if fits else []

    def _find(self, body: list[Any]) -> None:
        """Find the names that are bound to deques alone, of one size, and are used as lists can."""
        whole = gast.Module(body, [])
        bound = Counter(
            node.id for node in found_in(whole, gast.Name) if not isinstance(node.ctx, gast.Load)
        )
        made: dict[str, list[Any]] = {}
        for statement in found_in(whole, gast.Assign):
            target = statement.targets[0]
            if isinstance(target, gast.Name) and makes_deque(statement.value, self._scope):
                made.setdefault(target.id, []).append(statement.value)
        inner = {
            name for node in found_in(whole, gast.FunctionDef, gast.Lambda) for name in _names(node)
        }
        used = Counter(node.id for node in found_in(whole, gast.Name))
        for name, calls in made.items():
            if len(calls) != bound[name] or name in inner:
                continue
            most = _most(calls[0])
            same = all(gast.dump(_most(item)) == gast.dump(most) for item in calls)
            fills = all(_initial(item) is not None for item in calls)
            fits = self._allowed(whole, name, most) == used[name] - bound[name]
            if same and fills and fits and _stays(most, bound, body):
                self._most[name] = most

    def _allowed(self, whole: Any, name: str, most: Any) -> int:
        """Count the uses of a deque that lists have, too."""
        alone = {id(node.value) for node in found_in(whole, gast.Expr)}
        held: list[Any] = []
        for node in found_in(whole, gast.Assign, gast.Subscript, gast.Call, *_RUNNING, *_TESTING):
            if isinstance(node, gast.Assign):
                held += [node.value] if isinstance(node.targets[0], gast.Tuple) else []
            elif isinstance(node, gast.Subscript):
                held += [] if isinstance(node.slice, gast.Slice) else [node.value]
            elif isinstance(node, gast.Call):
                held += self._lent(node, most, alone=id(node) in alone)
            elif isinstance(node, _RUNNING):
                held.append(node.iter)
            else:
                held.append(node.operand if isinstance(node, gast.UnaryOp) else node.test)
        return sum(getattr(node, "id", "") == name for node in held)

    def _lent(self, node: Any, most: Any, *, alone: bool) -> list[Any]:
        """Return what a call may do as much with if it is a list."""
        if isinstance(node.func, gast.Attribute) and isinstance(node.func.value, gast.Name):
            known = {**_ALONE, **({"extend": 1} if _is_none(most) else {})} if alone else _ANYWHERE
            if known.get(node.func.attr) == len(node.args) and not node.keywords:
                return [node.func.value]
            if alone and _turn_of(node) is not None:
                return [node.func.value]
        return list(node.args) if self._only_reads(node.func) else []

    def _only_reads(self, func: Any) -> bool:
        """Say whether a function runs over what it is given: one of Python's, or of NumPy's."""
        callee = self._scope.resolve(func)
        module = str(getattr(callee, "__module__", "") or "")
        return callee in _READERS or isinstance(callee, np.ufunc) or module.startswith("numpy")

    def visit_Assign(self, node: Any) -> Any:
        """Make a list."""
        self.generic_visit(node)
        if getattr(node.targets[0], "id", "") in self._most:
            node.value = at(_initial(node.value), node.value)
        return node

    def visit_Expr(self, node: Any) -> Any:
        """Write a change at one of the ends, after which an entry may leave at the other."""
        self.generic_visit(node)
        called = node.value
        func = getattr(called, "func", None)
        name = getattr(getattr(func, "value", None), "id", "")
        if name not in self._most or not isinstance(func, gast.Attribute):
            return node
        if func.attr == "rotate":
            return self._turned(name, node)
        if func.attr == "appendleft":
            node.value = at(method(load(name), "insert", constant(0), *called.args), called)
        if func.attr not in ("append", "appendleft"):
            return node
        most = self._most[name]
        if _is_none(most):
            return node
        full = gast.Compare(call("len", load(name)), [gast.Gt()], [clone(most)])
        first = [constant(0)] if func.attr == "append" else []
        leave = gast.Expr(method(load(name), "pop", *first))
        return [node, at(gast.If(full, [leave], []), node)]

    def _turned(self, name: str, node: Any) -> Any:
        """Move an entry from one end to the other, if there is one."""
        put, there, taken = _TURNS[_turn_of(node.value) or 1]
        entry = method(load(name), "pop", *map(constant, taken))
        moved = gast.Expr(method(load(name), put, *map(constant, there), entry))
        some = gast.Compare(call("len", load(name)), [gast.Gt()], [constant(0)])
        return at(gast.If(some, [moved], []), node)

    def visit_Call(self, node: Any) -> Any:
        """Take the first entry out."""
        self.generic_visit(node)
        func = node.func
        if not isinstance(func, gast.Attribute) or func.attr != "popleft":
            return node
        is_deque = getattr(func.value, "id", "") in self._most
        return at(method(func.value, "pop", constant(0)), node) if is_deque else node


def _turn_of(node: Any) -> int | None:
    """Return by how much ``d.rotate(k)`` turns, if that is known to be one, either way."""
    if node.func.attr != "rotate" or node.keywords or len(node.args) > 1:
        return None
    if not node.args:
        return 1
    (given,) = node.args
    back = isinstance(given, gast.UnaryOp) and isinstance(given.op, gast.USub)
    value = getattr(given.operand if back else given, "value", None)
    if type(value) is not int or value != 1:
        return None
    return -1 if back else 1


def _stays(most: Any, bound: Counter[str], body: list[Any]) -> bool:
    """Say whether a size is written out, or is a name that is bound no more once it is read."""
    if not isinstance(most, gast.Name):
        return isinstance(most, gast.Constant)
    if bound[most.id] == 0:
        return True
    begins = next(i for i, item in enumerate(body) if most in found_in(item, gast.Name))
    values = [item for item in body[:begins] if isinstance(item, gast.Assign)]
    return bound[most.id] == 1 and any(most.id in names_bound(v.targets[0]) for v in values)


def _names(function: Any) -> set[str]:
    body = function.body if isinstance(function.body, list) else [function.body]
    return {name for item in body for name in names_read(item)}


def _most(made: Any) -> Any:
    """Return how many entries a deque may have: None of any number."""
    told = [item.value for item in made.keywords if item.arg == "maxlen"]
    return next(iter([*told, *made.args[1:2]]), None) or constant(None)


def _is_none(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def _initial(made: Any) -> Any:
    """Return the list that a deque begins with; None if it may not be that long."""
    if not made.args:
        return gast.List([], gast.Load())
    given, most = made.args[0], _most(made)
    if _is_none(most):
        shown = isinstance(given, (gast.List, gast.ListComp))
        return given if shown else call("list", given)
    if isinstance(given, gast.List):
        size = getattr(most, "value", None)
        return given if isinstance(size, int) and len(given.elts) <= size else None
    if isinstance(given, gast.BinOp) and isinstance(given.op, gast.Mult):
        alike = any(gast.dump(side) == gast.dump(most) for side in (given.left, given.right))
        one = any(isinstance(s, gast.List) and len(s.elts) == 1 for s in (given.left, given.right))
        return given if alike and one else None
    return None
