"""Hands what a function closes over on to SciPy's solvers, which pass arguments to it."""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad.frontend.expand.lookup import Live
from srcgrad.frontend.expand.making import as_lambda
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.placing import takes
from srcgrad.frontend.expand.scoping import free_names, parameters, renamed
from srcgrad.frontend.expand.values import (
    Choice,
    Known,
    Local,
    Method,
    Object,
    Partial,
    Static,
    Value,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.runtime.results import place_of_args

Bound = dict[str, Value]


def _put_first(solver: Any, args: list[Value], keywords: Bound) -> None:
    """Hand the function of a solver, given by its name, by position."""
    first = next(iter(inspect.signature(solver).parameters))
    if first in keywords:
        args.append(keywords.pop(first))


class Solvers(Part):
    """The part of the expansion that deals with functions that call a function of numbers."""

    def solver(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return a call that hands on what its function closes over, if it closes over any.

        ``quad(lambda t: np.exp(-a * t), 0, 1)`` is read as
        ``quad(lambda t, a: np.exp(-a * t), 0, 1, args=(a,))``.
        """
        place = place_of_args(callee.value)
        if place is not None and not args:
            _put_first(callee.value, args, keywords)
        handed = keywords.get("args")
        if isinstance(handed, gast.List) and callee.value.__name__ == "newton":
            keywords["args"] = gast.Tuple(handed.elts, gast.Load())  # it hands on one by one
        if place is None or len(args) > place or "args" in keywords or not args:
            return None
        if isinstance(args[0], Object) and self.frame.asking.method_of(args[0], "__call__"):
            args[0] = self.frame.attribute(args[0], "__call__", node)
        functions = [item for item in [*args, *keywords.values()] if isinstance(item, Static)]
        closed = self._closed_over(functions)
        if not isinstance(args[0], (Local, Partial, Method)):
            return None
        if not closed:
            return self._of_made_function(callee, args, keywords, node)
        names = {name: self.frame.fresh(name) for name in closed}
        handed = gast.Tuple([clone(value) for value in closed.values()], gast.Load())

        def text(item: Value) -> Any:
            taken = isinstance(item, Local)
            return (
                self._taking(item.code.tree, names, node) if taken else self.frame.plain(item, node)
            )

        func = self.frame.plain(callee, node)
        named = [gast.keyword(name, text(item)) for name, item in keywords.items()]
        named.append(gast.keyword("args", at(handed, node)))
        self.frame.changed = True
        return at(gast.Call(func, [*map(text, args)], named), node)

    def _of_made_function(
        self, callee: Known, args: list[Value], keywords: Bound, node: Any
    ) -> Value | None:
        """Return a call with a function of its own, where the one that is given is no lambda.

        It has statements, calls other local functions, was handed here by a caller, or is one with
        some arguments already: a partial, or a method.
        """
        function, *rest = args
        others = [item for item in [*rest, *keywords.values()] if isinstance(item, Static)]
        if others or (isinstance(function, Local) and self._is_text(function)):
            return None
        count = self._count_of(function)
        if count is None or (isinstance(function, Local) and not takes(function, count)):
            return None
        made, values = self.frame.placing.made_function(function, count, node)
        if not any(map(self.frame.varies, values)):
            return None
        handed = gast.Tuple(list(map(clone, values)), gast.Load())
        plain = [self.frame.plain(item, node) for item in rest]
        named = [
            gast.keyword(name, self.frame.plain(item, node)) for name, item in keywords.items()
        ]
        named.append(gast.keyword("args", at(handed, node)))
        self.frame.changed = True
        func = self.frame.plain(callee, node)
        return at(gast.Call(func, [clone(made), *plain], named), node)

    def _count_of(self, function: Value) -> int | None:
        """Return how many arguments a function must be given; None if that is not known.

        Those of a partial, or of an object, it has already.
        """
        wanted = self._wanted(function)
        return None if wanted is None else len(wanted)

    def _wanted(self, function: Value) -> list[str] | None:
        """Return the parameters that must be given by position, if the others are not."""
        if isinstance(function, Partial):
            wanted = self._wanted(function.function)
            left = (wanted or [])[len(function.args) :]
            return None if wanted is None else [p for p in left if p not in function.keywords]
        if isinstance(function, Method):
            wanted = self._wanted(function.function)
            return wanted and wanted[1:]
        tree = self.frame.stars.tree_of(function)
        if tree is None or tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
            return None
        names = parameters(tree.args)
        return names[: len(names) - len(tree.args.defaults)]

    def _closed_over(self, functions: list[Static]) -> dict[str, Any]:
        """Return the variables that local functions close over; none if they cannot be told.

        A solver hands the same arguments on to each function that it is given.
        """
        closed: dict[str, Any] = {}
        for function in functions:
            if not isinstance(function, Local) or not self._is_text(function):
                return {}
            names = free_names(function.code.tree)
            closed |= {
                n: self.frame.look(n) for n in names if n in self.frame.own or n in self.frame.env
            }
        return closed if any(map(self.frame.varies, closed.values())) else {}

    def residual(
        self, function: Value, handed: Value | None, count: int, node: Any
    ) -> tuple[Any, Any, Any]:
        """Return a function as a solver gets it, as a rule gets it, and what that hands on to it.

        The solver gets it as it stands; for the rule what it closes over is handed on as well.
        """
        empty = gast.Tuple([], gast.Load())
        if not isinstance(function, Local) and not isinstance(function, (Partial, Method, Choice)):
            text = self.frame.plain(function, node)
            return text, clone(text), empty if handed is None else self.frame.plain(handed, node)
        given = empty if handed is None else self.frame.plain(handed, node)
        if not isinstance(given, gast.Tuple):
            self.frame.refuse(
                node,
                "a function that closes over variables, with `args` that are no tuple",
                "write args=(a, b)",
            )
        if isinstance(function, Local) and self._is_text(function):
            tree = function.code.tree
            closed = [
                name
                for name in free_names(tree)
                if name in self.frame.own or name in self.frame.env
            ]
            values = [self.frame.look(name) for name in closed]
            forward = self.frame.plain(function, node)
            residual = self._taking(tree, {name: self.frame.fresh(name) for name in closed}, node)
        else:
            made, values = self.frame.placing.made_function(function, count, node)
            residual = made
            forward = self._closing(function, made, values, count, node)
        every = [*map(clone, given.elts), *map(clone, values)]
        return forward, residual, at(gast.Tuple(every, gast.Load()), node)

    def callback(self, function: Value, count: int, node: Any) -> Any:
        """Return the text of an argument, which may be a function of what a solver hands on."""
        if not isinstance(function, (Local, Partial, Method, Choice)):
            return self.frame.plain(function, node)
        if isinstance(function, Local):
            if self._is_text(function):
                return self.frame.plain(function, node)
            count = len(parameters(function.code.tree.args))
        made, values = self.frame.placing.made_function(function, count, node)
        return self._closing(function, made, values, count, node)

    def _taking(self, tree: Any, names: dict[str, str], node: Any) -> Any:
        """Return a definition of one expression as a lambda that takes what it closes over."""
        mine = {
            name: self.frame.fresh(name) for name in parameters(tree.args) if name in self.frame.own
        }
        tree = renamed(tree, names | mine)
        tree.args.args += [gast.Name(name, gast.Param(), None, None) for name in names.values()]
        return as_lambda(tree, node)

    def _closing(
        self, function: Static, made: Any, values: list[Any], count: int, node: Any
    ) -> Any:
        """Return a function of `count` arguments that hands variables on to one that is made."""
        if not values:
            return clone(made)
        own = parameters(function.code.tree.args) if isinstance(function, Local) else ["x"]
        wishes = [*own, *(f"argument_{i}" for i in range(1, count))][:count]
        names = [self.frame.fresh(name) if name in self.frame.own else name for name in wishes]
        params = [gast.Name(name, gast.Param(), None, None) for name in names]
        args = gast.arguments(params, [], None, [], [], None, [])
        every = [*map(load, names), *map(clone, values)]
        return at(gast.Lambda(args, gast.Call(clone(made), every, [])), node)

    def _is_text(self, function: Local) -> bool:
        """Say whether a local function is one expression that may stand as a lambda."""
        tree = function.code.tree
        single = len(tree.body) == 1 and isinstance(tree.body[0], gast.Return)
        if not single or function.defaults or not isinstance(function.captured, Live):
            return False
        if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs or tree.args.defaults:
            return False
        closed = [
            self.frame.look(n)
            for n in free_names(tree)
            if n in self.frame.own or n in self.frame.env
        ]
        inner = set(parameters(tree.args))
        return all(isinstance(item, gast.Name) and item.id not in inner for item in closed)
