"""Says whether a function surely only looks at what it is given, as a check of arguments does.

What is not known to leave memory alone counts as writing: the call of such a function is run as it
is, and nothing that it did would show in a derivative.
"""

from __future__ import annotations

import builtins
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import walk

_BUILTINS: Final = tuple(
    vars(builtins)[name]
    for name in (
        "abs all any bool complex dict enumerate float format frozenset hasattr int isinstance "
        "issubclass len list max min print range repr reversed round set sorted str sum tuple "
        "type zip callable"
    ).split()
)
_METHODS: Final = frozenset(
    (
        "all any argmax argmin argpartition argsort astype clip conj conjugate copy count "
        "cumprod cumsum diagonal dot endswith flatten format get index item items join keys "
        "lower max mean min nonzero prod ravel repeat reshape round searchsorted split squeeze "
        "startswith std strip sum swapaxes take tolist trace transpose upper values var"
    ).split()
)
_UNCLEAR: Final = (
    *(gast.AugAssign, gast.Delete, gast.Global, gast.Nonlocal, gast.NamedExpr, gast.Lambda),
    *(gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.With, gast.Import),
    *(gast.ImportFrom, gast.Yield, gast.YieldFrom, gast.Await),
)


def only_looks(
    function: FunctionType, vocabulary: Vocabulary, active: frozenset[FunctionType] = frozenset()
) -> bool:
    """Say whether all that a function may do is to read, to print and to raise."""
    if function in active:
        return True  # found by the outer call of the same function
    try:
        tree = find_source(function).tree
    except SrcgradError:
        return False
    scope, active = scope_of(function, tree), active | {function}
    nodes = [node for statement in tree.body for node in walk(statement)]
    return not any(isinstance(node, _UNCLEAR) or _stores(node) for node in nodes) and all(
        is_harmless(node, scope, vocabulary, active)
        for node in nodes
        if isinstance(node, gast.Call)
    )


def _stores(node: Any) -> bool:
    """Say whether a node writes into an element or a field."""
    places = isinstance(node, (gast.Subscript, gast.Attribute))
    return places and isinstance(node.ctx, (gast.Store, gast.Del))


def _is_known(callee: Any, vocabulary: Vocabulary) -> bool:
    known = vocabulary.rule_for(callee) or vocabulary.constant_reason(callee)
    return known is not None


def is_mere_value(call: Any, scope: Scope, vocabulary: Vocabulary) -> bool:
    """Say whether all that a call of a library does is to return a value with a derivative."""
    func = call.func
    callee = scope.resolve(func)
    if callee is MISSING and isinstance(func, gast.Attribute):
        callee = vocabulary.methods.get(func.attr)
    has_rule = vocabulary.rule_for(callee) is not None
    return has_rule and is_harmless(call, scope, vocabulary)


def is_harmless(
    call: Any,
    scope: Scope,
    vocabulary: Vocabulary,
    active: frozenset[FunctionType] = frozenset(),
) -> bool:
    """Say whether a call surely leaves what it is given as it is."""
    if any(item.arg is None or item.arg in ("out", "overwrite_input") for item in call.keywords):
        return False
    callee = scope.resolve(call.func)
    if isinstance(callee, type) and issubclass(callee, BaseException):
        return True
    if any(callee is item for item in _BUILTINS):
        return True
    if isinstance(callee, np.ufunc):
        return len(call.args) <= callee.nin
    if isinstance(callee, FunctionType) and not _is_known(callee, vocabulary):
        return not is_library(callee) and only_looks(callee, vocabulary, active)
    if callable(callee):
        module = str(getattr(callee, "__module__", ""))
        return _is_known(callee, vocabulary) and "random" not in module
    is_method = isinstance(call.func, gast.Attribute)
    return is_method and call.func.attr in _METHODS and len(call.args) < 3
