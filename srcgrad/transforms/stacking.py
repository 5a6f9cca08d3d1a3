"""Lets the text of a derivative carry a stack of seeds through one run, instead of one seed.

A stack (`srcgrad.runtime.stacks`) answers to operators, methods and NumPy's functions as each of
its rows would, so most statements stay as they are. Three kinds do not:

- an array that is made without a look at the seed, and then written into from it, gets rows:
  ``grad_x = stacked(np.zeros_like(x), grad_out)``;
- ``np.array([a_dot, b_dot])`` asks its entries for nothing: it becomes `array_of`;
- a function that is neither NumPy's nor known to take stacks is called `by_rows`.

A call of which none of that can be said is refused, and the derivative runs seed by seed.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import call, load
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import names_bound, names_read, root_name, statements
from srcgrad.runtime.stacks import TAKES_STACKS, CannotStackError
from srcgrad.transforms.externals import Externals

_BLOCKS: Final = frozenset(("body", "orelse", "finalbody", "handlers"))
_OF_MEMORY: Final = frozenset(
    "shadow_of complex_shadow_of shadow_of_view tangent_of_view add_to_shadows on_tape run_steps "
    "reverse_steps".split()
)
_BUILTINS: Final = frozenset("zip reversed enumerate list tuple dict len range sum abs".split())
_MOVERS: Final = frozenset("append extend insert pop popleft appendleft reverse update".split())
_NEW_ARRAYS: Final = frozenset("array asarray asanyarray".split())


def take_stacks(
    body: list[Any],
    parameters: Collection[str],
    seeds: Sequence[str],
    defined: tuple[Collection[str], Collection[str]],
    externals: Externals,
) -> None:
    """Rewrite the body of a generated function in place, so that its seeds may be stacks.

    `seeds` are those of its parameters that may be; `defined` are the functions of the module that
    are rewritten themselves: those that return adjoints, and those that return a value and its
    tangent.

    Raises:
        CannotStackError: A statement cannot be said for a stack.
    """
    _Stacking(body, parameters, seeds, defined, externals).run()


class _Stacking:
    """Rewrites one body."""

    def __init__(
        self,
        body: list[Any],
        parameters: Collection[str],
        seeds: Sequence[str],
        defined: tuple[Collection[str], Collection[str]],
        externals: Externals,
    ) -> None:
        _, pairs = defined
        self._body = body
        self._seeds = list(seeds)
        self._defined = {name for names in defined for name in names}
        self._externals = externals
        self._pairs = pairs
        self._local = {*bound_names(body), *parameters}
        self._written = _written(body)
        self._follows = set(seeds)
        self._grow()

    def run(self) -> None:
        """Rewrite the body in place."""
        for statement in statements(self._body):
            if isinstance(statement, gast.Assign):
                self._give_rows(statement)
            for name, part in gast.iter_fields(statement):
                if isinstance(part, list) and name not in _BLOCKS:
                    setattr(statement, name, [self._inner(item, statement) for item in part])
                elif isinstance(part, gast.AST):
                    setattr(statement, name, self._rewritten(part, statement))

    def _use(self, helper: str) -> str:
        if helper in self._local:
            _refuse("a name of ours")
        self._externals.imports[helper] = f"from srcgrad.runtime.stacks import {helper}"
        return helper

    # -- what follows from the seeds

    def _grow(self) -> None:
        """Find the names whose values depend on a seed, or are written into from one."""
        before = -1
        while before != len(self._follows) + len(self._written):
            before = len(self._follows) + len(self._written)
            for statement in statements(self._body):
                self._step(statement)

    def _step(self, statement: Any) -> None:
        if isinstance(statement, (gast.Assign, gast.AugAssign)):
            targets = getattr(statement, "targets", None) or [statement.target]
            if getattr(getattr(statement.value, "func", None), "id", None) in self._pairs:
                targets = targets[0].elts[1:]  # a value, which knows no seed, and its tangent
            for target in targets:
                if self._depends(statement.value):
                    self._follow(target)
                if isinstance(target, gast.Name):
                    for source in _roots(statement.value):
                        self._follow_views(target.id, source)
        elif isinstance(statement, gast.For) and self._depends(statement.iter):
            self._follow(statement.target)
        elif isinstance(statement, gast.Expr) and self._depends(statement.value):
            for name in names_read(statement.value):
                if name in self._local:
                    self._follows.add(name)

    def _follow(self, target: Any) -> None:
        names = names_bound(target) or [root_name(target) or ""]
        if isinstance(target, (gast.Tuple, gast.List)):
            names += [root_name(item) or "" for item in target.elts]
        self._follows.update(names)

    def _follow_views(self, name: str, source: str) -> None:
        """What is written into through a view of it is written into itself."""
        if name in self._written:
            self._written.add(source)
            if name in self._follows:
                self._follows.add(source)

    def _depends(self, node: Any) -> bool:
        return any(name in self._follows for name in names_read(node))

    # -- rewriting

    def _give_rows(self, statement: Any) -> None:
        """Give rows to what is made without a look at the seed and written into from it."""
        (target,), value = statement.targets, statement.value
        if isinstance(value, gast.Constant) or not isinstance(target, gast.Name):
            return
        if target.id not in self._follows or target.id not in self._written:
            return
        if isinstance(value, (gast.List, gast.Dict, gast.Tuple)) and not list(_entries(value)):
            return
        if not self._depends(value):
            statement.value = call(self._use("stacked"), value, *map(load, self._seeds))

    def _rewritten(self, node: Any, statement: Any) -> Any:
        """Return an expression with the calls in it rewritten, the innermost first."""
        for name, part in gast.iter_fields(node):
            if isinstance(part, list):
                setattr(node, name, [self._inner(item, statement) for item in part])
            else:
                setattr(node, name, self._inner(part, statement))
        return self._call(node, statement) if isinstance(node, gast.Call) else node

    def _inner(self, part: Any, statement: Any) -> Any:
        if isinstance(part, (gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.Lambda)):
            return part if not self._depends(part) else _refuse("a comprehension")
        is_tree = isinstance(part, gast.AST) and not isinstance(part, gast.stmt)
        return self._rewritten(part, statement) if is_tree else part

    def _call(self, node: Any, statement: Any) -> Any:
        if not any(self._depends(item) for item in [*node.args, *node.keywords]):
            return node
        if isinstance(node.func, gast.Name):
            return self._call_of_name(node, statement)
        root = _chain_root(node.func)
        if root is not None and root in self._follows:
            return node  # a method of a stack, or of a list of stacks
        if isinstance(node.func, gast.Attribute) and node.func.attr in _MOVERS:
            return node
        if root == "np":
            return self._call_of_numpy(node)
        if root is None or root in self._local:
            _refuse("a method")
        return self._by_rows(node, statement)

    def _call_of_name(self, node: Any, statement: Any) -> Any:
        name = node.func.id
        if name in ("stacked", "array_of") or name in _BUILTINS or name in self._defined:
            return node
        if name == "copied_like":
            node.func.id = self._use("copied_rows")
            return node
        if name in self._local or name in _OF_MEMORY or hasattr(builtins, name):
            _refuse(name)
        return node if name in TAKES_STACKS else self._by_rows(node, statement)

    def _call_of_numpy(self, node: Any) -> Any:
        path = _path(node.func)
        function: Any = np
        for part in path:
            function = getattr(function, part, None)
        if len(path) == 1 and path[0] in _NEW_ARRAYS:
            return call(self._use("array_of"), *node.args, **_named(node))
        known = isinstance(function, np.ufunc) or isinstance(
            getattr(function, "__self__", None), np.ufunc
        )
        if known or type(function).__name__ == "_ArrayFunctionDispatcher":
            return node
        return _refuse(f"np.{'.'.join(path)}")

    def _by_rows(self, node: Any, statement: Any) -> Any:
        if isinstance(statement, gast.Expr):
            _refuse("a call for its effect")
        if any(isinstance(item, gast.Starred) for item in node.args) or any(
            item.arg is None for item in node.keywords
        ):
            _refuse("a call with stars")
        if any(getattr(item, "id", None) in self._defined for item in node.args):
            _refuse("a function that takes a derivative")
        new = call(self._use("by_rows"), node.func, *node.args)
        new.keywords = node.keywords
        return new


def _written(body: list[Any]) -> set[str]:
    """Return the variables that are written into, by a store, an update or a call."""
    found: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, gast.Assign):
            stores = [t for t in statement.targets if not names_bound(t)]
            found.update(root_name(target) or "" for target in stores)
        elif isinstance(statement, gast.AugAssign):
            found.add(root_name(statement.target) or "")
        elif isinstance(statement, gast.Expr):
            found.update(names_read(statement.value))
    return found


def _roots(value: Any) -> list[str]:
    """Return the variables that a value may be a view of, or may hold, as ``(x, y[1:])`` does."""
    if isinstance(value, gast.IfExp):
        return [*_roots(value.body), *_roots(value.orelse)]
    if isinstance(value, (gast.List, gast.Tuple, gast.Set)):
        return [name for item in value.elts for name in _roots(item)]
    if isinstance(value, gast.Dict):
        return [name for item in value.values for name in _roots(item)]
    if isinstance(value, gast.Starred):
        return _roots(value.value)
    root = _root(value)
    return [] if root is None else [root]


def _root(value: Any) -> str | None:
    """Return the variable that a value may be a view of: ``x`` of ``np.ravel(x[1:])[0]``."""
    while True:
        if isinstance(value, gast.Call):
            is_numpy = _chain_root(value.func) == "np"
            if is_numpy and value.args:
                value = value.args[0]
            elif isinstance(value.func, gast.Attribute):
                value = value.func.value
            else:
                return None
        elif isinstance(value, (gast.Subscript, gast.Attribute)):
            value = value.value
        else:
            return value.id if isinstance(value, gast.Name) else None


def _chain_root(node: Any) -> str | None:
    """Return the name at the root of ``a.b(c)[d].e``, or None."""
    while isinstance(node, (gast.Attribute, gast.Subscript, gast.Call)):
        node = node.func if isinstance(node, gast.Call) else node.value
    return node.id if isinstance(node, gast.Name) else None


def _path(func: Any) -> list[str]:
    """Return the attributes of ``np.linalg.solve``, or nothing for another expression."""
    parts: list[str] = []
    while isinstance(func, gast.Attribute):
        parts.insert(0, func.attr)
        func = func.value
    return parts if isinstance(func, gast.Name) else []


def _named(node: Any) -> dict[str, Any]:
    if any(item.arg is None for item in node.keywords):
        _refuse("a call with stars")
    return {item.arg: item.value for item in node.keywords}


def _entries(display: Any) -> Sequence[Any]:
    entries: Sequence[Any] = getattr(display, "elts", None) or getattr(display, "keys", None) or ()
    return entries


def _refuse(what: str) -> Any:
    raise CannotStackError(what)
