"""Takes out the statements that compute nothing: imports, `global` of what is read, `del`."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.imports import imported
from srcgrad.ir.jumps import inner_blocks
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import root_name, statements


def drop_declarations(block: list[Any], scope: Scope, refusals: Refusals) -> list[Any]:
    """Return a block without the imports whose names the scope knows, and without `global`."""
    kept = []
    for statement in block:
        for part in inner_blocks(statement):
            if part:
                part[:] = drop_declarations(part, scope, refusals) or [gast.Pass()]
        if isinstance(statement, (gast.Import, gast.ImportFrom)):
            found = imported(statement, scope.function)
            if not found or not scope.local.isdisjoint(found):
                refusals.add(
                    statement,
                    "this import inside a function is not differentiated by source",
                    "import at the top of the module",
                )
        elif not isinstance(statement, gast.Global):
            kept.append(statement)
    return kept


def drop_deletions(body: list[Any], varies: Any, refusals: Refusals) -> list[Any]:
    """Return the body of a function without `del`; names that are read after it are refused.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(drop_deletions(parse("b = a; del a; c = b"), set(), None)))
    b = a
    c = b
    """
    deletions = [item for item in statements(body) if isinstance(item, gast.Delete)]
    if not deletions:
        return body

    def visit(statement: Any, live: set[str]) -> None:
        if isinstance(statement, gast.Delete):
            _check_deletion(statement, live, varies, refusals)

    walk_live(body, set(), visit)
    return _without_names(body)


def _check_deletion(statement: Any, live: set[str], varies: Any, refusals: Refusals) -> None:
    for target in statement.targets:
        if isinstance(target, gast.Name):
            if target.id not in live:
                continue
            refusals.add(
                statement,
                f"`{target.id}` may be read after this `del`",
                "drop the `del`; srcgrad frees values on its own",
            )
        elif root_name(target) in varies:
            refusals.add(
                statement,
                "`del` of a part of values with derivatives is not differentiated by source",
                "make a new container without it",
            )


def _without_names(block: list[Any]) -> list[Any]:
    kept = []
    for statement in block:
        for part in inner_blocks(statement):
            part[:] = _without_names(part)
        if isinstance(statement, gast.Delete):
            statement.targets = [t for t in statement.targets if not isinstance(t, gast.Name)]
            if not statement.targets:
                continue
        kept.append(statement)
    return kept
