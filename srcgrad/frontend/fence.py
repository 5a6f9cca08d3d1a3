"""Refuses statements that are not differentiated, by name, line and hint."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.surgery import refused_edits
from srcgrad.ir import gast
from srcgrad.ir.jumps import jumps
from srcgrad.ir.walk import found_in, places_in, statements, walk

_STATEMENTS: Final[dict[str, tuple[str, str]]] = {
    "TryStar": ("`try`", "check the condition with `if` before the operation"),
    "AsyncWith": ("`async with`", "differentiate an ordinary function"),
    "AsyncFor": ("`async for`", "differentiate an ordinary function"),
    "FunctionDef": ("a nested function", "define it at the top level of the module"),
    "AsyncFunctionDef": ("a coroutine", "differentiate an ordinary function"),
    "ClassDef": (
        "a class definition that reads what is around it",
        "hand that to its objects, or define it at the top level of the module",
    ),
    "Nonlocal": ("`nonlocal`", "pass the value as an argument and return the new one"),
    "TypeAlias": ("a type alias", "define it at the top level of the module"),
}

_EXPRESSIONS: Final[dict[str, tuple[str, str]]] = {
    "Yield": ("`yield`", "return a value"),
    "YieldFrom": ("`yield from`", "return a value"),
    "Await": ("`await`", "differentiate an ordinary function"),
}


_SEES_NAMES: Final = frozenset({"eval", "exec", "globals", "locals", "vars"})


def bound_place(statement: Any) -> Any:
    """Return the first place, not a name, that a loop or ``with`` binds, or None."""
    targets = [statement.target] if isinstance(statement, gast.For) else []
    if isinstance(statement, gast.With):
        targets = [item.optional_vars for item in statement.items if item.optional_vars]
    places = (place for target in targets for place in places_in(target))
    return next((place for place in places if not isinstance(place, gast.Name)), None)


def check_statements(tree: Any, refusals: Refusals) -> None:
    """Note every statement of the function that source transformation does not differentiate."""
    for statement, what, hint in refused_edits(tree.body):
        refusals.add(statement, what, hint)
    for statement in statements(tree.body):
        kind = type(statement).__name__
        if kind in _STATEMENTS:
            what, hint = _STATEMENTS[kind]
            refusals.add(statement, f"{what} is not differentiated by source", hint)
        elif isinstance(statement, gast.Try):
            for jump in jumps(statement.finalbody):
                refusals.add(
                    jump,
                    "a jump out of `finally` is not differentiated by source",
                    "put it after the `try`",
                )
        elif (place := bound_place(statement)) is not None:
            refusals.add(
                place,
                "a loop or `with` that writes into memory is not differentiated by source",
                "bind a name, and write that in a statement of its own",
            )
        elif isinstance(statement, gast.Global) and _binds(tree, statement.names):
            refusals.add(
                statement,
                "a `global` name that is bound is not differentiated by source",
                "pass the value as an argument and return the new one",
            )
    for node in found_in(tree, gast.Call, gast.Yield, gast.YieldFrom, gast.Await):
        kind = type(node).__name__
        if kind == "Call" and getattr(node.func, "id", "") in _SEES_NAMES:
            what = f"`{node.func.id}`, which may read variables that carry derivatives,"
            refusals.add(node, f"{what} is not differentiated by source", "name the variables")
        if kind in _EXPRESSIONS:
            what, hint = _EXPRESSIONS[kind]
            refusals.add(node, f"{what} is not differentiated by source", hint)


def _binds(tree: Any, names: list[str]) -> bool:
    return any(
        isinstance(node, gast.Name) and node.id in names and not isinstance(node.ctx, gast.Load)
        for node in walk(tree)
    )
