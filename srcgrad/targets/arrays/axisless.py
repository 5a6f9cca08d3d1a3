"""Finds where a program makes arrays that it updates in place, and that may be without axes.

NumPy tells ``np.zeros(())`` from a number: ``y += 1`` changes the array, whatever names it has, and
makes a new number. On a library without numbers both are arrays without axes, so what is updated in
place there has to have axes.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator

import numpy as np

from srcgrad.targets.arrays.gaps import found, path_of

_HANDING_ON = (
    *(ast.BoolOp, ast.NamedExpr, ast.Starred),
    *(ast.Tuple, ast.List, ast.Set, ast.Dict),
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def axisless_in(function: ast.FunctionDef, end: int, handing: frozenset[str]) -> Iterator[ast.expr]:
    """Yield what is bound to names that are updated in place, and may be arrays without axes.

    What computes (``x * 2``, ``np.sum(x)``, ``x[0]``) gives numbers. Lines from `end` on are those
    of the backward pass, whose names are its own. The functions in `handing` give numbers for
    numbers.
    """
    nodes = [n for n in ast.walk(function) if getattr(n, "lineno", end) < end]
    pairs = [pair for node in nodes for pair in _bound(node)]
    reached = {name for node in nodes for name in _updated(node)}
    grows = True
    while grows:
        more = {n for target, value in pairs if target in reached for n in _aliases(value)}
        more |= {target for target, value in pairs if not reached.isdisjoint(_aliases(value))}
        grows = not more <= reached
        reached |= more
    for target, value in pairs:
        if target in reached and _may_be_axisless(value, handing):
            yield value


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement binds, each with what it is bound to."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value


def _updated(node: ast.AST) -> Iterator[str]:
    """Yield the names of what may be changed as a whole, or asked whether it is a number."""
    if isinstance(node, ast.AugAssign):
        yield from _root(node.target)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and _is_whole(target.slice):
                yield from _root(target)
    elif isinstance(node, ast.Call) and _asks_for_kind(node.func):
        for argument in node.args[:1]:
            yield from _root(argument)
    elif isinstance(node, ast.keyword) and node.arg == "out":
        yield from _aliases(node.value)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        for part in (node.value.func, *node.value.args):
            yield from _root(part)


def _asks_for_kind(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in ("isinstance", "type")
    return path_of(function) == ["isscalar"]


def _is_whole(index: ast.expr) -> bool:
    """Say whether an index is one that arrays without axes have."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(part, ast.Constant) and part.value in (..., None) for part in parts)


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _aliases(value: ast.expr) -> Iterator[str]:
    """Yield the names whose memory a value may have: it computes nothing with them."""
    if isinstance(value, (ast.Name, ast.Subscript, ast.Attribute)):
        yield from _root(value)
    elif isinstance(value, ast.IfExp):
        yield from _aliases(value.body)
        yield from _aliases(value.orelse)
    elif isinstance(value, _HANDING_ON):
        for part in ast.iter_child_nodes(value):
            yield from _aliases(part) if isinstance(part, ast.expr) else ()
    elif isinstance(value, _COMPREHENSIONS):
        items = [value.value] if isinstance(value, ast.DictComp) else [value.elt]
        for item in [*items, *(part.iter for part in value.generators)]:
            yield from _aliases(item)
    elif isinstance(value, ast.Call) and not _gives_numbers(value.func):
        for part in (value.func, *value.args):
            yield from _aliases(part)


def _may_be_axisless(value: ast.expr, handing: frozenset[str]) -> bool:
    if isinstance(value, ast.Subscript):
        index = value.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        if any(isinstance(part, ast.Constant) and part.value is ... for part in parts):
            return True
        return isinstance(index, ast.Tuple) and not index.elts
    if isinstance(value, ast.Attribute):
        return True
    if not isinstance(value, ast.Call):
        return False
    method = value.func
    if isinstance(method, ast.Name) and method.id in handing:
        return False
    if isinstance(method, ast.Attribute) and not path_of(method):
        return hasattr(np.ndarray, method.attr) and not _gives_numbers(method)
    return not _gives_numbers(method)


def _gives_numbers(function: ast.expr) -> bool:
    """Say whether a function gives a number where its result has no axes: NumPy is asked."""
    names = path_of(function)
    if names:
        return _numbers_from(found(np, names))
    if isinstance(function, ast.Attribute):
        return _numbers_from(getattr(np.ndarray, function.attr, None))
    return False


@functools.lru_cache(maxsize=1024)
def _numbers_from(function: object) -> bool:
    if isinstance(function, np.ufunc):
        return True
    if not callable(function):
        return False
    return any(_gives_number(function, given) for given in (np.ones(1), np.eye(1)))


def _gives_number(function: Callable[..., object], given: object) -> bool:
    try:
        return isinstance(function(given), (np.generic, float, int, bool))
    except Exception:  # noqa: BLE001 - it wants something else, and nothing is known
        return False
