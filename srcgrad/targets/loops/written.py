"""Says into which of the things that they are given statements may write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.text_calls import called_by_text
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in

_VIEWS: Final = frozenset({"T", "reshape", "ravel", "transpose", "view", "real", "imag"})
_CHANGING: Final = frozenset("append extend insert pop remove reverse sort clear".split())
_SHARING: Final = frozenset(
    "reshape ravel transpose asarray broadcast_to swapaxes moveaxis squeeze expand_dims diagonal "
    "real_part conj atleast_1d atleast_2d zip enumerate reversed".split()
)


@dataclass(frozen=True, slots=True)
class Written:
    """What statements may write into.

    Attributes:
        any: Whether they may write into anything that they are given.
        lists: The names of lists that they change by methods.
        entries: The names of what they otherwise write into.
        alone: Whether no two of the names that are read after them may hold one thing.
    """

    any: bool
    lists: frozenset[str]
    entries: frozenset[str]
    alone: bool


def written_by(
    body: Sequence[Any], given: set[str], back: set[str], functions: set[str]
) -> Written:
    """Return what statements may write into, of the arrays and lists that names hold before them.

    A function of the text that is handed one of these may do so, and so may a call whose result
    nobody takes.
    """
    shared = _shared(body, given)
    roots = {
        root for part in body for node in _steps(part) for root in _roots(node, shared, functions)
    }
    grown = {root for part in body for root in _grown(part)} & shared
    lists = grown & given
    entries = {name for name in given if (roots | grown) & _shared(body, {name})} - lists
    kept = back | lists
    alone = all(not (_shared(body, {name}) - {name}) & kept for name in kept)
    return Written(bool(roots | grown), frozenset(lists), frozenset(entries), alone)


def _shared(body: Sequence[Any], given: set[str]) -> set[str]:
    """Return the names that may hold what the given ones hold, or parts of that."""
    shared = set(given)
    count = -1
    while count != len(shared):
        count = len(shared)
        for node in (item for part in body for item in found_in(part, gast.Assign, gast.For)):
            value = node.iter if isinstance(node, gast.For) else node.value
            targets = [node.target] if isinstance(node, gast.For) else node.targets
            if _shares(value, shared):
                shared |= {item.id for t in targets for item in found_in(t, gast.Name)}
    return shared


def _grown(part: Any) -> set[str]:
    """Return the roots of what methods of lists change."""
    methods = [node.func for node in found_in(part, gast.Call)]
    return {_root(item.value) for item in methods if getattr(item, "attr", "") in _CHANGING}


def _steps(part: Any) -> list[Any]:
    return [
        part,
        *found_in(part, gast.Assign, gast.AugAssign, gast.Expr, gast.Call, gast.keyword),
    ]


def _shares(value: Any, shared: set[str]) -> bool:
    """Say whether a value may be, or hold, part of what names hold."""
    if isinstance(value, gast.Name):
        return value.id in shared
    if isinstance(value, (gast.Subscript, gast.Starred)):
        return _shares(value.value, shared)
    if isinstance(value, gast.Attribute):
        return value.attr in _VIEWS and _shares(value.value, shared)
    if isinstance(value, (gast.Tuple, gast.List)):
        return any(_shares(item, shared) for item in value.elts)
    if isinstance(value, gast.IfExp):
        return _shares(value.body, shared) or _shares(value.orelse, shared)
    if isinstance(value, gast.Call):
        name = getattr(value.func, "attr", getattr(value.func, "id", ""))
        own = value.func.value if isinstance(value.func, gast.Attribute) else None
        if own is not None and _shares(own, shared):
            return name in _VIEWS or name in ("pop", "get", "items", "values")
        return name in _SHARING and any(_shares(item, shared) for item in value.args)
    return False


def _roots(node: Any, shared: set[str], functions: set[str]) -> set[str]:
    """Return the names into whose memory a step may write, of those that may share."""
    if isinstance(node, gast.AugAssign):
        return {_root(node.target)} & shared
    if isinstance(node, gast.Assign):
        targets = [item for target in node.targets for item in _parts(target)]
        return {_root(item) for item in targets if not isinstance(item, gast.Name)} & shared
    if isinstance(node, gast.keyword):
        names = {item.id for item in found_in(node, gast.Name)} if node.arg == "out" else set()
        return names & shared
    call = node.value if isinstance(node, gast.Expr) else node
    if not isinstance(call, gast.Call):
        return set()
    method = getattr(call.func, "attr", "") if isinstance(call.func, gast.Attribute) else ""
    places = called_by_text(call).writes
    args = [call.args[k] for k in places if k < len(call.args)] if places else call.args
    given = [*args, *([] if method in _CHANGING else [call.func])]
    used = {item.id for arg in given for item in found_in(arg, gast.Name)} & shared
    is_own = getattr(call.func, "id", "") in functions
    return used if is_own or (isinstance(node, gast.Expr) and method not in _CHANGING) else set()


def _parts(target: Any) -> list[Any]:
    if isinstance(target, (gast.Tuple, gast.List)):
        return [item for part in target.elts for item in _parts(part)]
    return [target]


def _root(node: Any) -> str:
    while isinstance(node, (gast.Subscript, gast.Attribute, gast.Starred)):
        node = node.value
    return getattr(node, "id", "")
