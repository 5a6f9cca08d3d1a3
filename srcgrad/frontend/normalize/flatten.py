"""Takes statements that carry derivatives apart: one operation a statement, on names and literals.

Expressions that carry none stay as the user wrote them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.frontend.normalize.expressions import Expressions
from srcgrad.frontend.normalize.loops import index_loop
from srcgrad.frontend.normalize.targets import Targets
from srcgrad.frontend.normalize.workspace import Varies, Workspace
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.build import assign, at, clone, load, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import blocks_of, names_bound, statements


class Flattener:
    """Rewrites one function body into normal form.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(x, y):
    ...     return np.sin(x * y[0]) + np.pi / 2
    ... ''').body))
    y_0 = y[0]
    x_times_y_0 = x * y_0
    sin = np.sin(x_times_y_0)
    ratio = np.pi / 2
    out = sin + ratio
    return out
    """

    def __init__(self, varies: Varies, reader: Reader, namer: Namer, refusals: Refusals) -> None:
        self._varies = varies
        self._reader = reader
        self._namer = namer
        self._refusals = refusals
        self._work = Workspace(varies, reader, namer, refusals)
        self._expressions = Expressions(self._work)
        self._targets = Targets(self._work, self._expressions)

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of the function in normal form."""
        work = self._work
        for statement in statements(body):
            targets = statement.targets if isinstance(statement, gast.Assign) else []
            targets = [
                *targets,
                *([statement.target] if isinstance(statement, gast.AugAssign) else []),
            ]
            if targets and work.is_list(statement.value):
                work.lists.update(item.id for item in targets if isinstance(item, gast.Name))
        work.dicts = {
            node.value.id for item in body for node in gast.walk(item) if _treats_as_dict(node)
        }
        return self.block(body)

    def block(self, body: list[Any]) -> list[Any]:
        """Return a statement list in normal form."""
        outer = self._work.begin()
        for statement in body:
            handler: Callable[[Any], None] | None
            handler = getattr(self, f"_{type(statement).__name__}", None)
            if handler is None:
                self._work.emit(statement)
            else:
                handler(statement)
        return self._work.end(outer)

    def _Assign(self, node: Any) -> None:
        first, *others = node.targets
        if others:
            value = self._expressions.atom(node.value, node)
            for target in node.targets:
                self._targets.bind(target, clone(value), node)
            return
        self._targets.bind(first, node.value, node)

    def _AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            self._targets.bind(node.target, node.value, node)

    def _AugAssign(self, node: Any) -> None:
        target = node.target
        if isinstance(target, gast.Name):
            value = at(gast.BinOp(load(target.id), node.op, node.value), node)
            before = self._work.count
            self._expressions.into(target.id, value, node)
            if self._work.count > before:
                self._work.last.in_place = True
            return
        if not self._varies.of(target) and not self._varies.of(node.value):
            self._work.emit(node)
            return
        if not self._targets.is_plain_element(target):
            return
        target.slice = self._expressions.index(target.slice, node)
        value = self._targets.stored(node.value, target, node)
        if isinstance(node.op, (gast.Add, gast.Sub)):
            update = at(gast.AugAssign(target, node.op, value), node)
            update.repeats = getattr(node, "repeats", False)
            self._work.emit(update)
            return
        old = subscript(load(target.value.id), clone(target.slice))
        new = self._expressions.atom(at(gast.BinOp(old, node.op, value), node), node)
        self._work.emit(assign(target, new, node))

    def _Try(self, node: Any) -> None:
        for part in blocks_of(node):
            part[:] = self.block(part)
        self._work.emit(node)

    def _With(self, node: Any) -> None:
        for item in node.items:
            if self._varies.of(item.context_expr):
                self._refusals.add(
                    item.context_expr,
                    "a context manager of values with derivatives is not differentiated by source",
                    "move the `with` block to the caller",
                )
        node.body = self.block(node.body)
        self._work.emit(node)

    def _Expr(self, node: Any) -> None:
        if isinstance(node.value, gast.Constant):
            return
        if self._varies.of(node.value):
            self._expressions.refuse(node.value)
        self._work.emit(node)

    def _If(self, node: Any) -> None:
        test = self._expressions.test(node.test, node)
        self._work.emit(at(gast.If(test, self.block(node.body), self.block(node.orelse)), node))

    def _While(self, node: Any) -> None:
        self._work.emit(at(gast.While(node.test, self.block(node.body), []), node))

    def _For(self, node: Any) -> None:
        if self._varies.of(node.iter):
            loop = None
            if not self._runs_over_keys(node):
                rebound = bound_names([node])
                simple = functools.partial(self._sequence, rebound=rebound, node=node)
                loop = index_loop(node, self._reader, self._namer, simple)
            if loop is None:
                self._refusals.add(
                    node.iter,
                    "a loop over this iterable is not differentiated by source",
                    "loop over `range(len(x))` and index",
                )
                return
            node = loop
            self._varies.names.difference_update(names_bound(node.target))
        node.iter = self._expressions.iterable(node.iter, node)
        body = self.block(node.body)
        self._work.emit(at(gast.For(node.target, node.iter, body, [], None), node))

    def _sequence(self, value: Any, *, rebound: set[str], node: Any) -> Any:
        """Return a name of what a loop runs over that the loop does not bind anew."""
        sequence = self._expressions.atom(value, node)
        if getattr(sequence, "id", None) not in rebound:
            return sequence
        return self._work.keep("items", sequence, node)

    def _runs_over_keys(self, loop: Any) -> bool:
        """Say whether a loop surely runs over the keys of a dict, which have no positions."""
        if not isinstance(loop.iter, gast.Name):
            return isinstance(loop.iter, gast.Dict)
        name = loop.iter.id
        return name in self._work.dicts or any(
            isinstance(item, gast.Subscript)
            and getattr(item.value, "id", None) == name
            and getattr(item.slice, "id", "") in names_bound(loop.target)
            for statement in loop.body
            for item in gast.walk(statement)
        )


def _treats_as_dict(node: Any) -> bool:
    """Say whether a node is ``p["key"]``, ``p.items`` or the like, with a name for `p`."""
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        return isinstance(getattr(node.slice, "value", None), str)
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.attr in ("items", "keys", "values", "get")
    )
