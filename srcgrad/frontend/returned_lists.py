"""Says which functions return a list that they make, alone or in a tuple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.remembered import remembered
from srcgrad.frontend.source import find_source
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope, scope_of
from srcgrad.ir.walk import names_bound, statements, walk


@PerFunction
def returns_list(function: FunctionType) -> bool:
    """Say whether what a function returns is a list that it makes, on every path."""
    return bool(_makes_lists(function))


@PerFunction
def lists_returned(function: FunctionType) -> frozenset[int]:
    """Return the places of the tuple that a function returns where there surely is a list."""
    found = _results(function, frozenset())
    if found is None or not all(isinstance(item, gast.Tuple) for item in found[0]):
        return frozenset()
    results, is_list = found
    counts = {len(item.elts) for item in results}
    if len(counts) != 1 or any(isinstance(part, gast.Starred) for r in results for part in r.elts):
        return frozenset()
    return frozenset(i for i in range(counts.pop()) if all(is_list(r.elts[i]) for r in results))


@remembered(bool)
def _makes_lists(function: Any, seen: frozenset[Any]) -> bool:
    found = _results(function, seen)
    return found is not None and all(map(found[1], found[0]))


@dataclass(frozen=True, slots=True)
class Results:
    """What a function returns, by its source.

    Attributes:
        values: The expressions that it returns.
        bound: What each of its names is bound to; None where that is not told.
        scope: What its other names mean.
    """

    values: list[Any]
    bound: Mapping[str, list[Any]]
    scope: Scope


def results_of(function: Any) -> Results | None:
    """Return what a function of the user's returns; None if its source does not tell."""
    if not isinstance(function, FunctionType) or is_library(function):
        return None
    try:
        tree = find_source(function).tree
    except SrcgradError:
        return None
    if not isinstance(tree.body, list):
        return Results([tree.body], {}, scope_of(function, tree))
    results = [item.value for item in statements(tree.body) if isinstance(item, gast.Return)]
    return Results(results, _values(tree), scope_of(function, tree)) if results else None


def _results(function: Any, seen: frozenset[Any]) -> tuple[list[Any], Callable[[Any], bool]] | None:
    """Return what a function returns, and the test of such values for lists; None if unknown."""
    found = results_of(function)
    if found is None or function.__name__ == "<lambda>":
        return None

    def is_list(value: Any) -> bool:
        made = found.bound.get(getattr(value, "id", ""), [])
        return _is_made(value, found.scope, seen) or (
            bool(made) and all(_is_made(item, found.scope, seen) for item in made)
        )

    return found.values, is_list


def _is_made(value: Any, scope: Scope, seen: frozenset[Any]) -> bool:
    """Say whether an expression is a new list."""
    if isinstance(value, gast.Call):
        callee = scope.resolve(value.func)
        return callee in (list, sorted) or (
            isinstance(callee, FunctionType) and bool(_makes_lists(callee, seen))
        )
    return isinstance(value, (gast.List, gast.ListComp))


def _values(tree: Any) -> dict[str, list[Any]]:
    """Return what each name of a function is bound to; None where that is not told."""
    found: dict[str, list[Any]] = {}
    for node in walk(tree):
        if isinstance(node, gast.Assign):
            for target in node.targets:
                value = node.value if isinstance(target, gast.Name) else None
                for name in names_bound(target):
                    found.setdefault(name, []).append(value)
        elif isinstance(node, gast.Name) and isinstance(node.ctx, gast.Param):
            found.setdefault(node.id, []).append(None)
        elif isinstance(node, (gast.For, gast.comprehension)):
            for name in names_bound(node.target):
                found.setdefault(name, []).append(None)
        elif isinstance(node, (gast.NamedExpr, gast.AnnAssign)):
            for name in names_bound(node.target):
                found.setdefault(name, []).append(node.value)
    return found
