"""Rewrites one function for a batch, once: what its state is, and the parts that work on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir.build import at
from srcgrad.ir.handlers import handlers_of
from srcgrad.transforms.batching.branches import Branches
from srcgrad.transforms.batching.calls import Calls
from srcgrad.transforms.batching.comparisons import Comparisons
from srcgrad.transforms.batching.expressions import Expressions
from srcgrad.transforms.batching.indexing import Indexing
from srcgrad.transforms.batching.loops import Loops
from srcgrad.transforms.batching.picking import is_picked, refuse_picked
from srcgrad.transforms.batching.state import State
from srcgrad.transforms.batching.statements import Statements
from srcgrad.transforms.batching.terms import Term

Ending = Callable[["Writer", Term, Any], Any]


class Writer(State):
    """The state of one function that is written for a batch, and the parts that write it."""

    def __init__(self, *args: Any, tree: Any, ending: Ending | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self.tree = tree
        self.ending = ending
        self.calls = Calls(self)
        self.comparisons = Comparisons(self)
        self.indexing = Indexing(self)
        self.expressions = Expressions(self)
        self.branches = Branches(self)
        self.loops = Loops(self)
        self.statements = Statements(self)
        self._handlers = handlers_of(vars(self).values())

    def term(self, node: Any) -> Term:
        """Return an expression of the new program for one of the old."""
        handler = self._handlers.get(("expression", type(node)))
        if handler is None:
            return self.expressions.other(node)
        found: Term = handler(node)
        if is_picked(found.fact) and id(node) not in self.taken:
            refuse_picked(self, node)
        return found

    def block(self, body: list[Any]) -> None:
        """Rewrite statements, in order, to the end of what there is so far."""
        for statement in body:
            handler = self._handlers.get(("statement", type(statement)))
            (handler or self.statements.other)(statement)
            for seen in self.watched:
                seen.append(dict(self.env))

    def inner(self, body: list[Any]) -> list[Any]:
        """Return a block rewritten on its own."""
        return self.statements.inner(body)

    def emit(self, statement: Any, like: Any) -> None:
        """Add a statement."""
        self.out.append(at(statement, like))
