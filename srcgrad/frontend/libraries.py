"""Finds the variables that hold a module: ``xp = np``, and what a function gives as that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from srcgrad.backends.compat import tells_namespace
from srcgrad.errors import SrcgradError
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.scopes import Binding, Scope, scope_of
from srcgrad.ir.walk import found_in, names_bound, walk

Modules = frozenset[ModuleType]


def scopes_with_libraries(scope: Scope, tree: Any) -> Iterator[Scope]:
    """Yield the scopes of a function in which its variables mean the modules that they may hold.

    >>> from srcgrad.frontend.source import find_generator
    >>> def rows(x):
    ...     xp = np
    ...     yield xp.sin(x)
    >>> source = find_generator(rows)
    >>> scope = scope_of(rows, source.tree)
    >>> [item.lookup("xp") is np for item in scopes_with_libraries(scope, source.tree)]
    [True]

    Where there are several, so are the scopes.
    """
    held = _libraries(scope, tree)
    most = max(map(len, held.values()), default=1)
    for place in range(most):
        used: dict[str, Binding] = {}
        for name, modules in held.items():
            module = sorted(modules, key=lambda item: item.__name__)[min(place, len(modules) - 1)]
            used[name] = Binding(name, module, {name: module})
        yield Scope(scope.function, scope.local - used.keys(), used)


def gives_module(call: Any, scope: Scope) -> bool:
    """Say whether all that a call can give is a module."""
    return _modules_of(call, scope, ()) is not None


def _libraries(scope: Scope, tree: Any) -> dict[str, Modules]:
    """Return the variables that are bound once, to a module, with those that it may be."""
    bound = Counter(name for node in walk(tree) for name in _bound_by(node))
    found: dict[str, Modules] = {}
    for node in found_in(tree, gast.Assign):
        (target, *others) = node.targets
        once = isinstance(target, gast.Name) and bound[target.id] == 1 and not others
        modules = _modules_of(node.value, scope, ()) if once else None
        if modules:
            found[target.id] = modules
    return found


def _bound_by(node: Any) -> list[str]:
    stored = isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)
    return names_bound(node) if stored else []


def _modules_of(value: Any, scope: Scope, active: tuple[FunctionType, ...]) -> Modules | None:
    """Return the modules that an expression may be; None if it may be something else."""
    if isinstance(value, (gast.Name, gast.Attribute)):
        found = scope.resolve(value)
        return frozenset([found]) if isinstance(found, ModuleType) else None
    if not isinstance(value, gast.Call):
        return None
    callee = scope.resolve(value.func)
    if tells_namespace(callee):
        return None if value.keywords else frozenset([callee(np.zeros(1))])
    if not isinstance(callee, FunctionType) or callee in active:
        return None
    try:
        tree = find_source(callee).tree
    except SrcgradError:
        return None
    inner = scope_of(callee, tree)
    returned = [item.value for item in found_in(tree, gast.Return)]
    parts = [item and _modules_of(item, inner, (*active, callee)) for item in returned]
    return None if not all(parts) else frozenset().union(*(part for part in parts if part))
