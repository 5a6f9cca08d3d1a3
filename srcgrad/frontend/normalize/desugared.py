"""Writes a body without the statements and expressions that others can stand for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from srcgrad.frontend.normalize.declarations import drop_declarations
from srcgrad.frontend.normalize.deques import Deques, makes_deque
from srcgrad.frontend.normalize.dicts import (
    Dicts,
    loops_over_inner_dicts,
    makes_dict,
    may_join_dicts,
)
from srcgrad.frontend.normalize.key_orders import KeyOrders
from srcgrad.frontend.normalize.lazy import Lazy
from srcgrad.frontend.normalize.managers import check_managers
from srcgrad.frontend.normalize.matching import Matching
from srcgrad.frontend.normalize.strictness import StrictZips
from srcgrad.frontend.normalize.walrus import Walrus
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in


def desugared(
    body: list[Any],
    scope: Scope,
    namer: Namer,
    refusals: Refusals,
    given: Collection[str] = (),
) -> list[Any]:
    """Return the body of a function without `match`, `:=` and their like.

    `given` are its parameters.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> body = parse("y = (z := x * 2.0) + z")
    >>> print(text(desugared(body, reader_of().scope, Namer(["x", "y", "z"]), None)))
    z = x * 2.0
    y = z + z
    """
    body = drop_declarations(body, scope, refusals)
    check_managers(body, scope, refusals)
    body = Lazy(scope, namer, refusals, given).function(body)
    body = Matching(body, namer, scope, refusals).block(body)
    calls = [node for item in body for node in found_in(item, gast.Call)]
    if any(item.arg == "strict" for call in calls for item in call.keywords):
        body = StrictZips(namer, scope).function(body)
    if any(makes_deque(call, scope) for call in calls):
        body = Deques(scope).block(body)
    makes = any(makes_dict(call, scope) for call in calls)
    if makes or may_join_dicts(body) or loops_over_inner_dicts(body):
        body = Dicts(scope, namer).block(body)
    body = KeyOrders(scope, namer).function(body)
    return Walrus(namer, refusals).block(body)
