"""Finds what a text asks of an array library that the library does not have."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.backends import Library
from srcgrad.ir.scopes import MISSING


@dataclass(frozen=True, slots=True)
class Gap:
    """What a library does not have.

    Attributes:
        what: What it is, in words.
        line: The line of the text that asks for it.
    """

    what: str
    line: int


def gaps_in(tree: ast.Module, library: Library, module: ModuleType) -> Iterator[Gap]:
    """Yield what a text asks of a library in vain: functions, keywords, and all of SciPy."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            if _is_for_numpy_alone(node.module):
                yield Gap(f"{node.module} is not for arrays of {library.title}", node.lineno)
        elif isinstance(node, ast.Attribute):
            if is_missing(node, module):
                yield Gap(f"{library.title} has no `{_shown(node)}`", node.lineno)
        elif isinstance(node, ast.Call) and (names := path_of(node.func)):
            keyword = _unknown_keyword(node, found(module, names))
            if keyword:
                what = f"`{_shown(node.func)}` of {library.title} has no `{keyword}=`"
                yield Gap(what, node.lineno)


def _shown(node: ast.expr) -> str:
    return ".".join(["np", *path_of(node)])


def path_of(node: ast.expr) -> list[str]:
    """Return the names behind ``np.`` of an expression ``np.linalg.norm``; none if it is no such.

    >>> path_of(ast.parse("np.linalg.norm", mode="eval").body)
    ['linalg', 'norm']
    """
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return names[::-1] if isinstance(node, ast.Name) and node.id == "np" else []


def found(module: ModuleType, names: list[str]) -> Any:
    """Return what a dotted name means in a module; MISSING if it means nothing."""
    meant: Any = module
    for name in names:
        meant = getattr(meant, name, MISSING)
    return meant


def is_missing(node: ast.Attribute, module: ModuleType) -> bool:
    """Say whether a function of arrays that NumPy has is none of a library.

    Classes and constants are not about arrays, and are NumPy's: ``np.errstate``, ``np.True_``.
    """
    names = path_of(node)
    if not names or found(module, names) is not MISSING:
        return False
    own = found(np, names)
    return own is MISSING or (callable(own) and not isinstance(own, type))


def _is_for_numpy_alone(module: str) -> bool:
    root = module.partition(".")[0]
    return root in ("scipy", "numpy") or module.startswith("srcgrad.runtime.scipy")


def _unknown_keyword(call: ast.Call, function: Any) -> str:
    """Return a keyword of a call that a function does not take; empty if there is none."""
    if function is MISSING or isinstance(function, type) or not call.keywords:
        return ""
    known = _parameters(function)
    if known is None:
        return ""
    names = [item.arg for item in call.keywords if item.arg is not None]
    return next((name for name in names if name not in known), "")


def _parameters(function: Any) -> frozenset[str] | None:
    """Return the names of parameters of a function; None if it does not tell, or takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(item.kind is item.VAR_KEYWORD for item in parameters):
        return None
    return frozenset(item.name for item in parameters)
