"""Says which memory an adjoint may share, so that a gradient that is handed out is nobody else's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

import gast
import numpy as np

from srcgrad.ir.walk import names_bound, names_read, statements

OTHERS: Final = "others"
"""Stands for memory that somebody else can reach, or that may not be written."""

_SPREAD: Final = frozenset({"expand_reduced", "expand_sum", "expand_mean", "getitem"})
_VIEWS: Final = frozenset("transpose reshape swapaxes moveaxis squeeze expand_dims ravel".split())
_MAKERS: Final = frozenset(
    "sum where full_like ones_like zeros_like array outer empty_like".split()
)


def origins(
    body: list[Any], is_adjoint: Callable[[str], bool], is_runtime: Callable[[str], bool]
) -> Callable[[Any], set[str]]:
    """Return a function from an expression to the adjoints in whose memory its value may lie.

    A value in new memory has its own name there; OTHERS stands for everything else.
    """
    made: dict[str, list[Any]] = defaultdict(list)
    for statement in statements(body):
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                whole = isinstance(target, gast.Name)
                for name in names_bound(target):
                    made[name].append(statement.value if whole else None)

    def of(node: Any, seen: frozenset[str] = frozenset()) -> set[str]:
        if isinstance(node, gast.Name):
            return of_name(node.id, seen)
        if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Constant)):
            return set()
        if isinstance(node, gast.Call):
            return of_call(node, seen)
        return {OTHERS}

    def of_name(name: str, seen: frozenset[str]) -> set[str]:
        if name in seen:
            return set()
        if not is_adjoint(name) or name not in made:
            return {OTHERS}
        found: set[str] = set()
        for value in made[name]:
            inside = of(value, seen | {name}) if value is not None else {OTHERS}
            found |= inside or {name}
        return found

    def of_call(node: Any, seen: frozenset[str]) -> set[str]:
        func = node.func
        if isinstance(func, gast.Name):
            foreign = func.id in _SPREAD or not is_runtime(func.id)
            return {OTHERS} if foreign else of_adjoints(node, seen)
        if isinstance(func, gast.Attribute):
            if func.attr in ("copy", "sum"):
                return set()
            if isinstance(func.value, gast.Name) and func.value.id == "np":
                return of_numpy(func.attr, node, seen)
        return {OTHERS}

    def of_adjoints(node: Any, seen: frozenset[str]) -> set[str]:
        """A function of the runtime returns new memory, or that of the adjoints it is given."""
        found: set[str] = set()
        for item in node.args:
            for name in names_read(item):
                if is_adjoint(name):
                    found |= of_name(name, seen)
        return found

    def of_numpy(name: str, node: Any, seen: frozenset[str]) -> set[str]:
        if name in _VIEWS:
            return of(node.args[0], seen)
        fresh = isinstance(getattr(np, name, None), np.ufunc) or name in _MAKERS
        return set() if fresh else {OTHERS}

    return of
