"""Writes a function that a context manager decorates with the `with` statement that it stands for.

``@np.errstate(all="ignore")`` and ``@timed()``, of `contextlib.contextmanager`, make functions of a
library's that enter the manager and call the function.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Mapping
from types import CellType, FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.expand.making import make_function
from srcgrad.frontend.expand.values import Home
from srcgrad.frontend.source import find_source, has_source
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, constant, load, may_be_literal, store

_STATES: Final = ("all", "divide", "over", "under", "invalid")
_DECORATORS: Final = (np.errstate.__call__, contextlib.ContextDecorator.__call__)


@PerFunction
def managed(function: Any) -> FunctionType | None:
    """Return the function that is one with a manager around it, written out; None if it is not.

    >>> @np.errstate(divide="ignore")
    ... def halved(x):
    ...     return x / 2
    >>> made = managed(halved)
    >>> made is not None and made(4.0)
    2.0
    """
    inside = _inside(function)
    manager, wrapped = inside.get("self"), inside.get("func")
    if manager is None or not isinstance(wrapped, FunctionType) or not has_source(wrapped):
        return None
    entered = _entered(manager)
    if entered is None:
        return None
    factory, args, options = entered
    space = wrapped.__globals__
    cells: dict[str, Any] = {"func": wrapped}
    given = [_given(f"given_{i}", item, cells) for i, item in enumerate(args)]
    named = [gast.keyword(k, _given(f"given_{k}", v, cells)) for k, v in options.items()]
    source = find_source(wrapped)
    maker = _named(factory, space, cells)
    tree = _definition(wrapped.__name__, gast.Call(maker, given, named), source.tree)
    home = Home(space, {name: CellType(value) for name, value in cells.items()})
    return make_function(tree, home, source)


def _inside(function: Any) -> Mapping[str, Any]:
    """Return what a function that a manager has decorated closes over, else nothing."""
    code = getattr(function, "__code__", None)
    made = [item for maker in _DECORATORS for item in maker.__code__.co_consts]
    if code is None or not any(code is item for item in made):
        return {}
    return inspect.getclosurevars(function).nonlocals


def _entered(manager: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """Return what makes a manager anew for each call, and its arguments; None if none is known."""
    if isinstance(manager, np.errstate):
        states = {name: getattr(manager, f"_{name}", None) for name in _STATES}
        return np.errstate, (), {k: v for k, v in states.items() if v is not None}
    if isinstance(manager, contextlib._GeneratorContextManager):  # noqa: SLF001 - its class
        return contextlib.contextmanager(manager.func), manager.args, manager.kwds
    return None


def _named(factory: Any, space: Mapping[str, Any], cells: dict[str, Any]) -> Any:
    """Return what makes a manager by the name that the module of the function has for it."""
    if factory is np.errstate:
        module = next((name for name, value in space.items() if value is np), None)
        if module is not None:
            return gast.Attribute(load(module), "errstate", gast.Load())
    made_of = getattr(factory, "__wrapped__", factory)
    for name, value in space.items():
        if getattr(value, "__wrapped__", None) is made_of and name.isidentifier():
            return load(name)
    cells["manager"] = factory
    return load("manager")


def _given(name: str, value: Any, cells: dict[str, Any]) -> Any:
    """Return an argument as a literal, or as a name that means it."""
    if may_be_literal(value):
        return constant(value)
    cells[name] = value
    return load(name)


def _definition(name: str, manager: Any, like: Any) -> Any:
    given = call("func", gast.Starred(load("args"), gast.Load()))
    given.keywords = [gast.keyword(None, load("kwargs"))]
    inner = at(
        gast.With([gast.withitem(manager, None)], [at(gast.Return(given), like)], None), like
    )
    args = gast.arguments([], [], _starred("args"), [], [], _starred("kwargs"), [])
    return at(gast.FunctionDef(name, args, [inner], [], None, None, []), like)


def _starred(name: str) -> Any:
    node = store(name)
    node.ctx = gast.Param()
    return node
