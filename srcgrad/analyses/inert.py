"""Says of which operands a step reads the shape alone, or values that count as constant."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from srcgrad.ir.operations import Operation
from srcgrad.ir.program import direct_names
from srcgrad.ir.vocabulary import Vocabulary


def inert_operands(operation: Operation, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the names that no gradient goes to, whatever they vary with."""
    if operation.kind != "primitive":
        return frozenset()
    inert = getattr(vocabulary.rule_for(operation.primal), "inert", ())
    if not inert:
        return frozenset()
    given = [*zip(_parameters(operation.primal), operation.args, strict=False)]
    given += operation.keywords.items()
    idle = {name for key, arg in given if key in inert for name in direct_names(arg)}
    return frozenset(
        idle - {n for key, arg in given if key not in inert for n in direct_names(arg)}
    )


@functools.cache
def _parameters(function: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()
