"""Says which functions a call gives to the parameters of a function, or of those inside of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.callees import is_function
from srcgrad.ir import gast
from srcgrad.ir.scopes import MISSING, Scope, uncached

Given = frozenset[tuple[str, Any]]
"""The parameters that are functions in a call, with these."""
LOCAL: Final = object()
"""Stands for a function that is defined inside of another."""
_Meant = Callable[[Any], list[Any]]


def told_by_call(function: FunctionType, call: Any, meant: _Meant) -> Given:
    """Return the functions that a call gives to a function, and those that are its defaults.

    A lambda gives what it is given on: what it writes into is seen where it stands. None, in the
    place of a function, is never called.
    """
    given = _arguments(function, call)
    if given is None:
        return frozenset()
    bound = dict(given)
    found = {name: value for name, value in default_values(function) if name not in bound}
    found = {name: _gives_on if value is None else value for name, value in found.items()}
    for name, value in bound.items():
        if isinstance(value, gast.Lambda) or _is_none(value):
            found[name] = _gives_on
        elif isinstance(value, (gast.Name, gast.Attribute)):
            callees = meant(value)
            if len(callees) == 1:
                found[name] = callees[0]
    return frozenset(item for item in found.items() if _is_told(item[1]))


def _is_none(value: Any) -> bool:
    return isinstance(value, gast.Constant) and value.value is None


def _is_told(value: Any) -> bool:
    return is_function(value) and isinstance(value, Hashable)


def _gives_on(*given: Any) -> Any:
    return given


def _arguments(function: FunctionType, call: Any) -> Iterable[tuple[str, Any]] | None:
    """Return the operands of a call with the parameters that get them; None if a star does."""
    code = function.__code__
    starred = any(isinstance(item, gast.Starred) for item in call.args)
    if starred or not all(item.arg for item in call.keywords):
        return None
    pairs = list(zip(code.co_varnames[: code.co_argcount], call.args, strict=False))
    return pairs + [(item.arg, item.value) for item in call.keywords]


def default_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the parameters that have defaults, with these."""
    code, values = function.__code__, function.__defaults__ or ()
    places = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    yield from zip(places, values, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def given_names(told: Given, nodes: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the functions that parameters are told to be, which nothing else is bound to."""
    if not told:
        return {}
    bound = _bound(nodes)
    return {name: [uncached(value)] for name, value in told if not bound[name]}


def _bound(nodes: Iterable[Any]) -> Counter[str]:
    """Count how often names are bound, also as parameters of functions inside."""
    bound: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            bound[node.id] += 1
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            bound[node.name] += 1
    return bound


def local_functions(nodes: Sequence[Any], given: Iterable[str]) -> dict[str, Any]:
    """Return the functions that are defined inside of one, if they are only called, by name.

    >>> body = gast.parse('''
    ... def g(f, x):
    ...     return f(x)
    ... def h(x):
    ...     return x
    ... y = g(h, z)
    ... ''').body
    >>> sorted(local_functions([node for item in body for node in gast.walk(item)], ["z"]))
    ['g']
    """
    defined = [node for node in nodes if isinstance(node, gast.FunctionDef)]
    if not defined:
        return {}
    bound = _bound(nodes)
    bound.update(given)
    called = {id(node.func) for node in nodes if isinstance(node, gast.Call)}
    kept = {
        node.id
        for node in nodes
        if isinstance(node, gast.Name)
        and isinstance(node.ctx, gast.Load)
        and id(node) not in called
    }
    return {
        node.name: node
        for node in defined
        if bound[node.name] == 1 and node.name not in kept and not node.decorator_list
    }


def bound_by(call: Any, tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a function defined inside with what a call may give them."""
    every = [name for name, _ in _parameters(tree)]
    named = [name for name, is_positional in _parameters(tree) if is_positional]
    plain = not any(isinstance(item, gast.Starred) for item in call.args)
    if plain and all(item.arg in every for item in call.keywords) and len(call.args) <= len(named):
        yield from zip(named, call.args, strict=False)
        yield from ((item.arg, item.value) for item in call.keywords)
        return
    for value in (*call.args, *(item.value for item in call.keywords)):
        yield from ((name, value) for name in every)


def _parameters(tree: Any) -> Iterator[tuple[str, bool]]:
    """Yield the parameters of a function, and whether arguments get there by their places."""
    args = tree.args
    yield from ((item.id, True) for item in (*args.posonlyargs, *args.args))
    others = (*args.kwonlyargs, args.vararg, args.kwarg)
    yield from ((item.id, False) for item in others if item is not None)


def parameters_given(
    local: Mapping[str, Any], nodes: Sequence[Any], held: Mapping[str, list[Any]], scope: Scope
) -> dict[str, list[Any]]:
    """Return the functions that all calls give to parameters of the functions defined inside."""
    found: dict[str, set[Any]] = {}
    bound = _bound(nodes)
    inside = {id(node) for tree in local.values() for item in tree.body for node in gast.walk(item)}
    inner = {name for tree in local.values() for name, _ in _parameters(tree) if bound[name] == 1}
    outer = replace(scope, local=scope.local - inner)  # as it is around those functions
    for call in nodes if local else ():
        tree = local.get(getattr(call.func, "id", "")) if isinstance(call, gast.Call) else None
        around = scope if id(call) in inside else outer
        for name, value in () if tree is None else bound_by(call, tree):
            known = held.get(getattr(value, "id", "")) or [uncached(around.resolve(value))]
            found.setdefault(name, set()).add(known[0] if _is_told(known[0]) else MISSING)
    return {
        name: [*functions]
        for name, functions in found.items()
        if MISSING not in functions and bound[name] == 1 and _same_outside(name, functions, outer)
    }


def _same_outside(name: str, functions: set[Any], scope: Scope) -> bool:
    """Say whether a name means nothing in the function around, or one of the functions."""
    found = uncached(scope.lookup(name))
    return found is MISSING or (len(functions) == 1 and found in functions)
