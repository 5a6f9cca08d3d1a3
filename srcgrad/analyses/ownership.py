"""Says which memory an adjoint may share, so that a gradient that is handed out is nobody else's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

import gast
import numpy as np

from srcgrad.ir.walk import names_bound, statements

OTHERS: Final = "others"
"""Stands for memory that somebody else can reach, or that may not be written."""

_SAME_MEMORY: Final = frozenset({"unbroadcast", "real_part", "conj"})
_FRESH: Final = frozenset(
    "matmul_left matmul_right dot_left dot_right zeros_like scatter share_among_ties greater_part "
    "power_slope power_log_slope accumulate".split()
)


def origins(body: list[Any], is_adjoint: Callable[[str], bool]) -> Callable[[Any], set[str]]:
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
            if func.id in _SAME_MEMORY:
                return of(node.args[0], seen)
            return set() if func.id in _FRESH else {OTHERS}
        if isinstance(func, gast.Attribute):
            if func.attr in ("copy", "sum"):
                return set()
            if isinstance(func.value, gast.Name) and func.value.id == "np":
                return of_numpy(func.attr, node, seen)
        return {OTHERS}

    def of_numpy(name: str, node: Any, seen: frozenset[str]) -> set[str]:
        if name in ("transpose", "reshape", "swapaxes", "moveaxis", "squeeze", "expand_dims"):
            return of(node.args[0], seen)
        fresh = isinstance(getattr(np, name, None), np.ufunc) or name in (
            "sum", "where", "full_like", "ones_like", "zeros_like", "array", "outer",
        )
        return set() if fresh else {OTHERS}

    return of
