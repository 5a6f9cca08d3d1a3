"""Refuses lists taken out of lists where they are joined, repeated or copied.

Adjoints of entries are added up in place. Whether an entry is a list itself is not seen where it
is a parameter that holds it, and the adjoints of lists would be joined then, not added.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from srcgrad.frontend.joining import joins_of, operands
from srcgrad.frontend.parameter_parts import DEEPEST
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.told_containers import ToldContainers
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import found_in, walk


def refuse_inner_joins(body: list[Any], scope: Scope, refusals: Refusals) -> None:
    """Refuse what a function does to lists that it takes out of lists, or hands to functions."""
    if not any(found_in(statement, gast.List, gast.ListComp) for statement in body):
        return
    told = ToldContainers(body)
    for statement in body:
        for node in walk(statement):
            if isinstance(node, gast.Call):
                _refuse_handed(node, told, scope, refusals)
            elif any(_is_inner(side, told) for side in operands(node)):
                refusals.add(
                    node,
                    "arithmetic with what may be a list inside of another, or joining it, is not "
                    "differentiated by source",
                    "use np.asarray of it, np.concatenate or np.stack",
                )
                return


def _is_inner(value: Any, told: ToldContainers) -> bool:
    return any(part.kind == "list" and part.is_taken and not part.steps for part in told.of(value))


def _refuse_handed(call: Any, told: ToldContainers, scope: Scope, refusals: Refusals) -> None:
    callee = scope.resolve(call.func)
    if not isinstance(callee, FunctionType):
        return
    order = callee.__code__.co_varnames
    given = [*zip(order, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    depths = {
        name: {min(len(part.steps), DEEPEST) for part in told.of(value) if part.kind == "list"}
        for name, value in given
    }
    if not any(depth for found in depths.values() for depth in found):
        return
    for join in joins_of(callee):
        if join.depth and join.depth in depths.get(join.name, ()):
            refusals.add(
                call,
                f"`{callee.__name__}` may join, repeat, copy or add up a list that is inside of "
                f"what is given as `{join.name}`",
                "give it arrays, such as np.stack of the lists",
            )
            return
