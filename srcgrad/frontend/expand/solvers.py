"""Hands what a function closes over on to SciPy's solvers, which pass arguments to it."""

from __future__ import annotations

from typing import Any, Final

import gast

from srcgrad.frontend.expand.expressions import Live
from srcgrad.frontend.expand.interpolators import Interpolators
from srcgrad.frontend.expand.scoping import free_names, parameters, renamed
from srcgrad.frontend.expand.values import Known, Local, Static, Value
from srcgrad.ir.build import at, clone

Bound = dict[str, Value]

_SOLVERS: Final = {
    "scipy.integrate": {"quad": 3},
    "scipy.optimize": {
        "brentq": 3, "brenth": 3, "bisect": 3, "ridder": 3, "newton": 3, "fsolve": 2,
        "fixed_point": 2,
    },
}  # fmt: skip
"""The functions that call one of their arguments, and the place of ``args``."""


class Solvers(Interpolators):
    """The part of the expansion that deals with functions that call a function of numbers."""

    def solver(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return a call that hands on what its function closes over, if it closes over any.

        ``quad(lambda t: np.exp(-a * t), 0, 1)`` is read as
        ``quad(lambda t, a: np.exp(-a * t), 0, 1, args=(a,))``.
        """
        place = _place_of_args(callee.value)
        if place is None or len(args) > place or "args" in keywords or not args:
            return None
        function = args[0]
        if not isinstance(function, Local) or not self._is_expression(function):
            return None
        tree = function.code.tree
        closed = [(name, self.look(name)) for name in free_names(tree)]
        closed = [(n, v) for n, v in closed if not isinstance(v, Static) and self.varies(v)]
        if not closed or any(not isinstance(v, gast.Name) for _, v in closed):
            return None
        names = {name: self.fresh(name) for name, _ in closed}
        tree = renamed(tree, names)
        inner = tree.args
        inner.args += [gast.Name(name, gast.Param(), None, None) for name in names.values()]
        handed = gast.Tuple([clone(value) for _, value in closed], gast.Load())
        text = at(gast.Lambda(inner, tree.body[0].value), node)
        func = self.plain(callee, node)
        plain = [text, *(self.plain(item, node) for item in args[1:])]
        named = [gast.keyword(name, self.plain(item, node)) for name, item in keywords.items()]
        named.append(gast.keyword("args", at(handed, node)))
        self.changed = True
        return at(gast.Call(func, plain, named), node)

    def _is_expression(self, function: Local) -> bool:
        """Say whether a local function is one expression of numbers and variables."""
        tree = function.code.tree
        single = len(tree.body) == 1 and isinstance(tree.body[0], gast.Return)
        if not single or function.defaults or not isinstance(function.captured, Live):
            return False
        if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs or tree.args.defaults:
            return False
        found = (self.env.get(name) for name in free_names(tree))
        inner = set(parameters(tree.args))
        return not any(
            isinstance(value, Static) or getattr(value, "id", None) in inner
            for value in found
            if value is not None
        ) and all(self._is_handed_or_outside(name) for name in free_names(tree))

    def _is_handed_or_outside(self, name: str) -> bool:
        """Say whether a name is handed on, or means the same wherever the text calls the function.

        A variable without a derivative, such as that of a loop, may have changed by then.
        """
        value = self.env.get(name)
        if value is None and name not in self.own:
            return True
        return self.varies(self.look(name))


def _place_of_args(function: Any) -> int | None:
    module = getattr(function, "__module__", None) or ""
    package = ".".join(module.split(".")[:2])
    return _SOLVERS.get(package, {}).get(getattr(function, "__name__", ""))
