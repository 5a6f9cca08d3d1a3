"""Says which functions return a list that they make, alone or in a tuple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from srcgrad.errors import SrcgradError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.remembered import remembered
from srcgrad.frontend.source import find_source
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope, scope_of
from srcgrad.ir.walk import names_bound, statements, walk
from srcgrad.primitives.methods import SHAPERS


@PerFunction
def returns_list(function: FunctionType) -> bool:
    """Say whether what a function returns is a list that it makes, on every path."""
    return bool(_makes_lists(function))


@PerFunction
def returns_new_list(function: FunctionType) -> bool:
    """Say whether a function returns a list that nothing else holds by then.

    It is made there, put into nothing, and handed to nobody.
    """
    found = results_of(function) if returns_list(function) else None
    if found is None:
        return False
    tree = find_source(function).tree
    names = {item.id for item in found.values if isinstance(item, gast.Name)}
    others = [item for item in found.values if not isinstance(item, gast.Name)]
    callees = [found.scope.resolve(item.func) for item in others if isinstance(item, gast.Call)]
    fresh = (not isinstance(item, FunctionType) or returns_new_list(item) for item in callees)
    return all(_stays_inside(tree, name, found.scope) for name in names) and all(fresh)


_ASKING: Final = ("index", "count")
_LOOKING: Final = (len, sum, range, enumerate, zip)


def _stays_inside(tree: Any, name: str, scope: Scope) -> bool:
    """Say whether a list is read by entries, changed and returned, and nothing else."""
    fitting: set[int] = set()
    for node in walk(tree):
        if isinstance(node, (gast.FunctionDef, gast.Lambda)) and node is not tree:
            if any(getattr(item, "id", "") == name for item in walk(node)):
                return False
        elif isinstance(node, (gast.Return, gast.Subscript)):
            fitting.add(id(node.value))
        elif isinstance(node, (gast.For, gast.comprehension)):
            fitting.add(id(node.iter))
        elif isinstance(node, gast.Call) and getattr(node.func, "attr", "") in {*SHAPERS, *_ASKING}:
            fitting.add(id(node.func.value))
        elif isinstance(node, gast.Call) and any(scope.resolve(node.func) is f for f in _LOOKING):
            fitting.update(map(id, node.args))
    reads = [n for n in walk(tree) if getattr(n, "id", "") == name]
    return all(id(n) in fitting or not isinstance(n.ctx, gast.Load) for n in reads)


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


@remembered(lambda: True)  # what only calls itself returns nothing else
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

    def is_one(value: Any) -> bool:
        """Say whether it is one, a choice of such, or joined of some."""
        if isinstance(value, gast.IfExp):
            return is_one(value.body) and is_one(value.orelse)
        if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Add):
            return is_one(value.left) and is_one(value.right)
        return is_list(value)

    return found.values, is_one


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
                _bind(target, node.value, found)
        elif isinstance(node, gast.Name) and isinstance(node.ctx, gast.Param):
            found.setdefault(node.id, []).append(None)
        elif isinstance(node, (gast.For, gast.comprehension)):
            for name in names_bound(node.target):
                found.setdefault(name, []).append(None)
        elif isinstance(node, (gast.NamedExpr, gast.AnnAssign)):
            for name in names_bound(node.target):
                found.setdefault(name, []).append(node.value)
    return found


def _bind(target: Any, value: Any, found: dict[str, list[Any]]) -> None:
    """Note what an assignment binds; the parts of a display, where they are taken apart."""
    parts = getattr(value, "elts", ()) if isinstance(value, gast.Tuple) else ()
    places = getattr(target, "elts", ())
    starred = any(isinstance(item, gast.Starred) for item in (*parts, *places))
    if places and len(parts) == len(places) and not starred:
        for place, part in zip(places, parts, strict=True):
            _bind(place, part, found)
        return
    for name in names_bound(target):
        found.setdefault(name, []).append(value if isinstance(target, gast.Name) else None)
