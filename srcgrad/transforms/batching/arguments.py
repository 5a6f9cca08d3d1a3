"""Puts the arguments of a call where its function has its parameters, and facts where they are."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.ir.build import constant
from srcgrad.ir.scopes import MISSING
from srcgrad.transforms.batching.facts import NOWHERE, Fact, Site, Sites, fact_of
from srcgrad.transforms.batching.terms import Term

if TYPE_CHECKING:
    from srcgrad.transforms.batching.calls import Called

_OPTIONS: Final = frozenset("axis keepdims dtype out where order initial ddof".split())


def of_parameter(fact: Fact, position: int) -> Fact:
    """Return what a function is told of an argument: all of its memory is that of the argument."""
    items = fact.items
    if items is not None:
        items = tuple(of_parameter(item, position) for item in items)
    sites = frozenset((("given", position),)) if fact.kind != "number" else NOWHERE
    return replace(fact, items=items, sites=sites, read_from=NOWHERE)


def as_seen(fact: Fact, bound: list[Term], site: Site) -> Fact:
    """Return a result with the memory of the caller's values in place of that of parameters."""
    sites: set[Site] = set()
    for inner in fact.sites:
        if isinstance(inner, tuple) and inner[0] == "given":
            sites |= bound[inner[1]].fact.sites
        else:  # what lies outside of the callee lies there for its caller, too
            sites.add(inner if isinstance(inner, tuple) and inner[0] == "outside" else site)
    read: set[Site] = set()
    for inner in fact.read_from:
        if isinstance(inner, tuple) and inner[0] == "given":
            read |= bound[inner[1]].fact.sites
    items = fact.items
    if items is not None:
        items = tuple(as_seen(item, bound, site) for item in items)
    return replace(fact, sites=frozenset(sites), read_from=frozenset(read), items=items)


def chosen_from(fact: Fact, chosen: Mapping[Site, Sites]) -> frozenset[int]:
    """Return the positions of parameters that a result is chosen from for each example."""
    sites = set(fact.sites)
    while not sites >= (more := set().union(*(chosen.get(site, ()) for site in sites))):
        sites |= more
    found = {s[1] for s in sites - fact.sites if isinstance(s, tuple) and s[0] == "given"}
    return frozenset(found).union(*(chosen_from(item, chosen) for item in fact.items or ()))


def bound_to(made: Called) -> list[Term] | None:
    """Return the arguments of a function in the order of its parameters; None if one is missing."""
    code = made.function.__code__
    names = code.co_varnames[: code.co_argcount]
    if code.co_kwonlyargcount or len(made.args) > len(names):
        return None
    found = dict(zip(names, made.args, strict=False)) | made.named
    if found.keys() - set(names):
        return None
    defaults = dict(zip(reversed(names), reversed(made.function.__defaults__ or ()), strict=False))
    for name in names:
        if name not in found:
            value = defaults.get(name, MISSING)
            if type(value) not in (bool, int, float, str, type(None)) or repr(value) == "nan":
                return None
            found[name] = Term(constant(value), _fact_of_default(value))
    return [found[name] for name in names]


def put_in_order(made: Called) -> None:
    """Put operands that are named, as in ``np.dot(a=x, b=y)``, where they would be without."""
    if made.args or not made.named or isinstance(made.function, FunctionType):
        return
    try:
        names = list(inspect.signature(made.function).parameters)
    except (TypeError, ValueError):  # it says nothing
        return
    for name in names:
        if name not in made.named or name in _OPTIONS:
            return
        made.args.append(made.named.pop(name))


def _fact_of_default(value: Any) -> Fact:
    return replace(fact_of(value), constant=(value,))


def place_operands(function: Any, args: list[Term], named: dict[str, Term]) -> None:
    """Put what has to be given, and is by its name, where it stands without names."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # it tells nobody
        return
    for parameter in parameters[len(args) :]:
        placed = parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        if not placed or parameter.default is not parameter.empty or parameter.name not in named:
            return
        args.append(named.pop(parameter.name))
