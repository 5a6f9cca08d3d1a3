"""Runs generators that are context managers, in the place of the `with` around a body."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.order import place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Known
from srcgrad.frontend.expand.yielding import manages, run_through
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, store


class Managing(Part):
    """The part of the expansion that deals with what `contextlib.contextmanager` makes."""

    def runs(self, node: Any) -> bool:
        """Run the generator of a manager: the body of a `with` stands where it yields.

        Say whether that may be done. What the body returns in the end is returned behind it.
        """
        first, *others = node.items
        call, known = clone(first.context_expr), None
        if isinstance(call, gast.Call):
            known = self.frame.looked_at(call.func)
        if isinstance(known, Known) and known.value is contextlib.nullcontext:
            return self._runs_body(call, node)
        function = managed_by(known.value) if isinstance(known, Known) else None
        if function is None or not self.frame.hoistable:
            return False
        call.func = self.frame.named(Known(function))
        body = [at(gast.With(others, node.body, None), node)] if others else node.body
        body, last = self._without_return(body, node)
        target = first.optional_vars or store(self.frame.variable("entered"))
        if not self._run(call, target, body):
            return False
        self.frame.changed = True
        for statement in last:
            self.frame.statement(statement)
        return True

    def _runs_body(self, call: Any, node: Any) -> bool:
        """Run a body in a manager that does nothing but hand on what it is given."""
        first, *others = node.items
        given = [*call.args, *(item.value for item in call.keywords)] or [gast.Constant(None, None)]
        if len(given) > 1 or isinstance(given[0], gast.Starred):
            return False
        target = first.optional_vars or store(self.frame.variable("entered"))
        self.frame.changed = True
        self.frame.statement(at(gast.Assign([target], given[0], None), node))
        for statement in [at(gast.With(others, node.body, None), node)] if others else node.body:
            self.frame.statement(statement)
        return True

    def _run(self, call: Any, target: Any, body: list[Any]) -> bool:
        generators = self.frame.generators
        callee = generators.called(call)
        code, captured = generators.generator(callee)
        bound = None if code is None else generators.arguments_of(callee, call)
        if code is None or bound is None or not manages(code.tree, body):
            return False
        if any(code.tree is item for item in self.frame.inlined):
            return False

        def put(tree: Any) -> None:
            run_through(tree, target, body)

        self.frame.first = {*self.frame.first, place(call)}  # nothing else is evaluated before
        self.frame.placing.inline(code, bound, captured, call, put)
        return True

    def _without_return(self, body: list[Any], node: Any) -> tuple[list[Any], list[Any]]:
        """Return a body that keeps what it returns at its end, and what returns that."""
        *rest, last = body
        if not isinstance(last, gast.Return) or last.value is None:
            return body, []
        name = self.frame.variable("result")
        return [*rest, assign(name, last.value, last)], [at(gast.Return(load(name)), node)]


def managed_by(function: Any) -> Any:
    """Return the generator function that `contextlib.contextmanager` decorates; None of others."""
    inner = getattr(function, "__wrapped__", None)
    made = isinstance(function, FunctionType) and inspect.isgeneratorfunction(inner)
    return inner if made and function.__code__ in _CODES else None


@contextlib.contextmanager
def _any_manager() -> Iterator[None]:
    yield


_CODES: Final = (_any_manager.__code__,)  # of all functions that it makes
