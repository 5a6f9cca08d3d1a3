"""Says what functions of names, tables and other functions do, so that they may be asked early."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.rebinding import Variable, is_rebound
from srcgrad.frontend.remembered import source_to_read
from srcgrad.ir import gast
from srcgrad.ir.packages import is_of_python
from srcgrad.ir.reach import reached_functions, values_of
from srcgrad.ir.scopes import MISSING, Scope, scope_of, uncached
from srcgrad.ir.walk import found_in, root_name, walk
from srcgrad.runtime.objects import is_plain_object, runs_own_code

_FIXED: Final = (bool, int, float, complex, str, bytes, type(None), np.dtype)
_TESTS: Final = (gast.Is, gast.IsNot, gast.Match)
_BEYOND_CHOICES: Final = (
    *(gast.AugAssign, gast.Global, gast.Nonlocal, gast.With, gast.While, gast.Yield),
    *(gast.YieldFrom, gast.FunctionDef, gast.Lambda, gast.ClassDef, gast.Delete),
)
_ASKERS: Final = (type, id, callable, isinstance, issubclass, hasattr, getattr, vars)


def is_settled(function: FunctionType, rebound: frozenset[Variable]) -> bool:
    """Say whether what a function gives depends on its arguments and on what stays as it is.

    It reads nothing from outside that may be changed or that is bound anew, and reports nothing.

    >>> def in_small_letters(name, names):
    ...     return name.lower() if name in names else ""
    >>> def said(name):
    ...     print(name)
    ...     return name
    >>> [is_settled(f, frozenset()) for f in (in_small_letters, said)]
    [True, False]
    """
    return all(
        all(map(_stays, values)) and not is_rebound(scope, rebound) and not _reports(scope, body)
        for scope, body, values in _reached(function)
    )


def may_choose(function: FunctionType, rebound: frozenset[Variable]) -> bool:
    """Say whether a function may do no more than to choose an object by what it is given.

    It computes nothing, reports nothing and reads nothing that is bound anew, and writes nothing
    but what it makes without any argument: whether it is there already, only the run tells.

    >>> def library_of(x):
    ...     return np if isinstance(x, np.ndarray) else None
    >>> def half(x):
    ...     return x / 2
    >>> [may_choose(f, frozenset()) for f in (library_of, half)]
    [True, False]
    """
    try:
        reached = list(_reached(function))
    except SrcgradError:
        return False
    for scope, body, _ in reached:
        if is_rebound(scope, rebound) or _reports(scope, body):
            return False
        for node in (node for line in body for node in walk(line)):
            computes = isinstance(node, gast.BinOp) and not isinstance(node.op, gast.Mod)
            if computes or isinstance(node, _BEYOND_CHOICES) or _keeps_given(node):
                return False
    return True


def _keeps_given(node: Any) -> bool:
    """Say whether a statement writes into a list or an object what it may have been given."""
    if not isinstance(node, (gast.Assign, gast.AnnAssign)):
        return False
    targets = node.targets if isinstance(node, gast.Assign) else [node.target]
    stores = any(isinstance(t, (gast.Subscript, gast.Attribute)) for t in targets)
    made = isinstance(node.value, gast.Call) and not (node.value.args or node.value.keywords)
    return stores and not made


def reads_settings(function: FunctionType) -> bool:
    """Say whether a function, or one that it reaches, reads a text or a bool of a module.

    >>> def in_units(x):
    ...     return x * 2.0 if __name__ == "units" else x
    >>> reads_settings(in_units), reads_settings(np.sum)
    (True, False)
    """
    if not isinstance(function, FunctionType) or is_library(function):
        return False
    every = reached_functions(function)
    found = (values_of(item).values() for item in every.functions)
    return not every.are_all or any(
        type(value) in (bool, str) for values in found for value in values
    )


def only_hands_on(function: FunctionType) -> bool:
    """Say whether a function never asks what a value is without the value being able to tell.

    >>> def those_of(names, **given):
    ...     return {name: given[name] for name in names}
    >>> def those_there(**given):
    ...     return {name: value for name, value in given.items() if value is not None}
    >>> only_hands_on(those_of), only_hands_on(those_there)
    (True, False)
    """
    return not any(
        any(value is item for item in _ASKERS for value in values)
        or any(found_in(line, *_TESTS) for line in body)
        for _, body, values in _reached(function)
    )


def _reached(function: FunctionType) -> Iterator[tuple[Scope, list[Any], list[Any]]]:
    """Yield the names, the text and what is read from outside of each function that may run."""
    waiting, seen = [function], {function}
    while waiting:
        current = waiting.pop()
        tree = source_to_read(current).tree
        scope = scope_of(current, tree, with_imports=True)
        values = list(_read(scope, tree.body))
        yield scope, tree.body, values
        for value in values:
            inner = uncached(value)
            if isinstance(inner, FunctionType) and inner not in seen and not _is_known(inner):
                seen.add(inner)
                waiting.append(inner)


def _is_known(function: FunctionType) -> bool:
    return is_library(function) or is_of_python(function)


def _read(scope: Scope, body: list[Any]) -> Iterator[Any]:
    for line in body:
        for node in found_in(line, gast.Name, gast.Attribute):
            outside = not isinstance(node, gast.Name) or node.id not in scope.local
            value = scope.resolve(node) if outside and isinstance(node.ctx, gast.Load) else MISSING
            if value is not MISSING:
                yield value


def _stays(value: Any) -> bool:
    if isinstance(value, tuple) and type(value) is tuple:
        return all(map(_stays, value))
    if isinstance(value, type):
        return not runs_own_code(value)
    return isinstance(value, (*_FIXED, ModuleType)) or (
        callable(value) and not is_plain_object(value)
    )


def _reports(scope: Scope, body: list[Any]) -> bool:
    """Say whether a call whose result nobody reads may be there for others to see."""
    for line in body:
        for node in walk(line):
            call = node.value if isinstance(node, gast.Expr) else None
            if not isinstance(call, gast.Call):
                continue
            callee = uncached(scope.resolve(call.func))
            own = root_name(call.func) in scope.local
            if not own and not (isinstance(callee, FunctionType) and not _is_known(callee)):
                return True
    return False
