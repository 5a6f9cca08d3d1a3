"""Says which parameters of a function are surely dicts, lists or tuples, by how it uses them."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

import gast

from srcgrad.errors import SrcgradError
from srcgrad.frontend.source import find_source
from srcgrad.ir.scopes import Scope, scope_of


@functools.lru_cache(maxsize=1024)
def container_parameters(function: FunctionType) -> frozenset[str]:
    """Return the parameters that are read by string keys, unpacked, or passed on to be."""
    return _parameters_of(function, frozenset())


def _parameters_of(function: FunctionType, seen: frozenset[FunctionType]) -> frozenset[str]:
    if function in seen:
        return frozenset()
    try:
        tree = find_source(function).tree
    except SrcgradError:
        return frozenset()
    scope = scope_of(function, tree)
    found: set[str] = set()
    for node in gast.walk(tree):
        found.update(_shown_by(node))
        if isinstance(node, gast.Call):
            found.update(_passed_on(node, scope, seen | {function}))
    names = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
    return frozenset(found & {item.id for item in names})


def _shown_by(node: Any) -> list[str]:
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        key = getattr(node.slice, "value", None)
        return [node.value.id] if isinstance(key, str) else []
    if isinstance(node, gast.Assign) and isinstance(node.targets[0], (gast.Tuple, gast.List)):
        return [node.value.id] if isinstance(node.value, gast.Name) else []
    if isinstance(node, gast.For) and isinstance(node.target, gast.Tuple):
        return [node.iter.id] if isinstance(node.iter, gast.Name) else []
    return []


def _passed_on(call: Any, scope: Scope, seen: frozenset[FunctionType]) -> list[str]:
    callee = scope.resolve(call.func)
    if not isinstance(callee, FunctionType):
        return []
    inner = _parameters_of(callee, seen)
    order = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    pairs = [*zip(order, call.args, strict=False), *[(k.arg, k.value) for k in call.keywords]]
    return [value.id for name, value in pairs if name in inner and isinstance(value, gast.Name)]
