"""Calls by other names what a function means by names that generated text uses for itself."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Mapping
from types import CellType, CodeType
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import MISSING, Binding, Scope
from srcgrad.ir.walk import INNER, walk

_OURS = {"np": np, **vars(runtime)}


def leave_names(
    tree: Any, scope: Scope, names: Collection[str], namer: Namer, fields: Collection[str] = ()
) -> None:
    """Let `names` mean in a function what generated text means by them.

    After ``from numpy import zeros_like`` the function says ``np.zeros_like``, and what is of
    other modules it says under a new name; so it does with what means nothing. The `fields` of
    arguments are variables, though nothing in the function binds them.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> scope = reader_of(zeros_like=np.zeros_like, sign=complex).scope
    >>> body = parse("return zeros_like(x) + sign(x, 1.0)")
    >>> names = ["zeros_like", "sign"]
    >>> leave_names(gast.Module(body, []), scope, names, Namer(names))
    >>> print(text(body))
    return np.zeros_like(x) + sign_2(x, 1.0)
    """
    spelled: dict[str, Any] = {}
    read = {item.id for item in walk(tree) if _is_read(item)}
    scope.nothing.update(name for name in read.difference(fields) if _means_nothing(name, scope))
    for name in sorted(read.intersection(names)):
        ours = _OURS.get(name, vars(builtins).get(name))
        value = scope.lookup(name)
        if name in scope.nothing:
            other = namer.fresh(name)  # so that reading it is a NameError still
            scope.nothing.add(other)
            spelled[name] = load(other)
        if value is MISSING or value is ours or value is vars(builtins).get(name):
            continue
        other = namer.fresh(name)
        scope.used[other] = scope.used[name]  # as long as the module means the same by it
        scope.used[name] = Binding(name, ours, CellType(ours))
        spelled[name] = load(other)
        if getattr(np, name, MISSING) is value:
            spelled[name] = gast.Attribute(load("np"), name, gast.Load())
    if not spelled:
        return
    if any(isinstance(item, gast.Attribute) for item in spelled.values()):
        scope.used.setdefault("np", Binding("np", np, CellType(np)))
    _replace(tree, spelled)


def _means_nothing(name: str, scope: Scope) -> bool:
    """Say whether a function, by its code, reads a name from outside where there is none."""
    is_free = name not in scope.local and _reads(scope.function.__code__, name)
    return is_free and scope.lookup(name) is MISSING


def _reads(code: CodeType, name: str) -> bool:
    inner = (item for item in code.co_consts if isinstance(item, CodeType))
    return name in (*code.co_names, *code.co_freevars) or any(_reads(c, name) for c in inner)


def _is_read(node: Any) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)


def _replace(tree: Any, spelled: Mapping[str, Any]) -> None:
    """Write names that are read in other words, in place."""
    for node in walk(tree):
        for field in INNER[node.__class__]:
            part = getattr(node, field, None)
            if isinstance(part, list):
                part[:] = [_spelled(item, spelled) for item in part]
            elif part is not None:
                setattr(node, field, _spelled(part, spelled))


def _spelled(node: Any, spelled: Mapping[str, Any]) -> Any:
    found = spelled.get(node.id) if _is_read(node) else None
    return node if found is None else at(clone(found), node)
