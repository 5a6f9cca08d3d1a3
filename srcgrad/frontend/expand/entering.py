"""Writes `with` statements of objects as what their `__enter__` and `__exit__` do."""

from __future__ import annotations

import contextlib
import inspect
from types import FunctionType
from typing import Any

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Known, Object
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, constant, method
from srcgrad.ir.handlers import statement
from srcgrad.ir.walk import names_read, root_name, statements, walk


class Entering(Part):
    """The part of the expansion that enters context managers."""

    @statement(gast.With)
    def _with(self, node: Any) -> None:
        """Rewrite a `with`, whose managers stand around each other."""
        if self._suppresses(node) or self.frame.managing.runs(node):
            return
        place = next((i for i, item in enumerate(node.items) if self._is_wanted(item)), 0)
        if place:
            inner = at(gast.With(node.items[place:], node.body, None), node)
            node.items, node.body = node.items[:place], [inner]
        manager = self._manager_of(node)
        if manager is None:
            self.frame.statements.other(node)
            return
        named = self.frame.named(manager)
        first, *others = node.items
        entered = at(method(named, "__enter__"), node)
        target = first.optional_vars
        self.frame.statement(
            at(gast.Expr(entered), node) if target is None else assign(target, entered, node)
        )
        body = [at(gast.With(others, node.body, None), node)] if others else node.body
        if _does_nothing(manager.cls.__exit__):  # type: ignore[attr-defined]
            for item in body:
                self.frame.statement(item)
            return
        left = method(clone(named), "__exit__", *[constant(None) for _ in range(3)])
        last = at(gast.Expr(at(left, node)), node)
        self.frame.statement(at(gast.Try(body, [], [], [last]), node))

    def _suppresses(self, node: Any) -> bool:
        """Write ``with suppress(KeyError):`` as the `try` that it stands for, if it is one."""
        call = node.items[0].context_expr
        known = self.frame.looked_at(call.func) if isinstance(call, gast.Call) else None
        suppresses = isinstance(known, Known) and known.value is contextlib.suppress
        if not suppresses or len(node.items) > 1 or node.items[0].optional_vars or call.keywords:
            return False
        if not call.args:
            for item in node.body:
                self.frame.statement(item)
            return True
        caught = call.args[0] if len(call.args) == 1 else gast.Tuple(call.args, gast.Load())
        handler = gast.ExceptHandler(caught, None, [at(gast.Pass(), node)])
        self.frame.statement(at(gast.Try(node.body, [at(handler, node)], [], []), node))
        return True

    def _is_wanted(self, item: Any) -> bool:
        """Say whether a manager is an object whose methods can be put in place.

        One that holds nothing that varies, and has no name, is left to the run.
        """
        made = item.context_expr
        if not isinstance(made, gast.Call):
            value = self.frame.looked_at(made)
            return isinstance(value, Object) and _is_plain_manager(value.cls)
        known = self.frame.looked_at(made.func)
        cls = known.value if isinstance(known, Known) else None
        wanted = item.optional_vars is not None or self.frame.varies(made)
        return isinstance(cls, type) and wanted and _is_plain_manager(cls)

    def _manager_of(self, node: Any) -> Object | None:
        """Return the object of the first manager, if it is one."""
        first = node.items[0]
        if not self._is_wanted(first):
            return None
        value = self.frame.value(first.context_expr)
        if isinstance(value, Object):
            return value
        first.context_expr = self.frame.plain(value, first.context_expr)
        return None


def _is_plain_manager(cls: type) -> bool:
    """Say whether a class's `__exit__` returns nothing, and does not ask what was raised.

    What it or `__enter__` writes into must be the object's own: others are told of it at the run.
    """
    enter, leave = (inspect.getattr_static(cls, n, None) for n in ("__enter__", "__exit__"))
    if not isinstance(enter, FunctionType) or not isinstance(leave, FunctionType):
        return False
    if is_library(leave):
        return False
    try:
        trees = [find_source(enter).tree, find_source(leave).tree]
    except SrcgradError:
        return False
    if any(map(_writes_elsewhere, trees)):
        return False
    tree = trees[1]
    told = {item.id for item in tree.args.args[1:]} | {getattr(tree.args.vararg, "id", "")}
    returned = [s.value for s in statements(tree.body) if isinstance(s, gast.Return) and s.value]
    passes_on = all(getattr(value, "value", True) in (None, False) for value in returned)
    return passes_on and not any(told.intersection(names_read(item)) for item in tree.body)


def _writes_elsewhere(tree: Any) -> bool:
    """Say whether a method may store into anything but its object's fields."""
    own = {item.id for item in tree.args.args[:1]}
    for line in tree.body:
        for node in walk(line):
            stores = isinstance(getattr(node, "ctx", None), gast.Store)
            reaches = stores and isinstance(node, (gast.Attribute, gast.Subscript))
            if isinstance(node, gast.Global) or (reaches and root_name(node) not in own):
                return True
    return False


def _does_nothing(leave: FunctionType) -> bool:
    """Say whether a method that returns nothing does nothing else, either."""
    body = find_source(leave).tree.body
    return all(isinstance(item, (gast.Pass, gast.Return)) or _is_text(item) for item in body)


def _is_text(item: Any) -> bool:
    return isinstance(item, gast.Expr) and isinstance(item.value, gast.Constant)
