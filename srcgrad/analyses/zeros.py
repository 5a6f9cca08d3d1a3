"""Says of factors that they are surely zero outside of a mask: truth values as numbers, weights."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Final

import numpy as np

from srcgrad.analyses.selectors import STEEP, STEEP_AT_THE_EDGE, Mask, as_where, is_negative
from srcgrad.ir import gast
from srcgrad.ir.operations import Operation
from srcgrad.runtime import astype

_ORDERS: Final = (gast.Lt, gast.LtE, gast.Gt, gast.GtE, gast.Eq, gast.NotEq)
_CONVERSIONS: Final = (astype, np.astype, np.array, np.asarray, np.copy)


def tells_truth(node: Any, truths: Set[str]) -> bool:
    """Say whether an expression surely consists of truth values; `truths` are names of such."""
    if isinstance(node, gast.Compare):
        return len(node.ops) == 1 and isinstance(node.ops[0], _ORDERS)
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.op, gast.Invert) and tells_truth(node.operand, truths)
    if isinstance(node, gast.BinOp):
        connects = isinstance(node.op, (gast.BitAnd, gast.BitOr))
        return connects and all(tells_truth(side, truths) for side in (node.left, node.right))
    return getattr(node, "id", "") in truths


def zero_outside(operation: Operation, truths: Set[str], known: Mapping[str, Mask]) -> Mask | None:
    """Return where the result of a step can be other than zero; None if nothing is known of it."""
    if operation.kind != "primitive" or not operation.args:
        return None
    operation = as_where(operation)
    first, *rest = operation.args
    if operation.primal in _CONVERSIONS:
        return _of(first, truths, known)
    if operation.primal is np.multiply:
        return _of_product(first, rest[0], truths, known)
    if operation.primal is np.heaviside and _is_zero(rest[0]):
        above = gast.Compare(first, [gast.Gt()], [gast.Constant(0, None)])
        return Mask(above, least=STEEP)
    if operation.primal is np.where and len(rest) == 2 and _is_plain(first, truths):
        for value, other, holds in ((*rest, True), (*reversed(rest), False)):
            if _is_zero(other):
                constant = isinstance(value, gast.Constant) or is_negative(value)
                return Mask(first, holds, STEEP if constant else STEEP_AT_THE_EDGE)
    return None


def _of_product(
    first: Any, second: Any, truths: Set[str], known: Mapping[str, Mask]
) -> Mask | None:
    for factor, other in ((first, second), (second, first)):
        if isinstance(other, gast.Constant):
            return _of(factor, truths, known)
    return None


def _of(node: Any, truths: Set[str], known: Mapping[str, Mask]) -> Mask | None:
    if tells_truth(node, truths):
        return Mask(node, least=STEEP)
    return known.get(getattr(node, "id", ""))


def _is_plain(condition: Any, truths: Set[str]) -> bool:
    return isinstance(condition, gast.Name) or tells_truth(condition, truths)


def _is_zero(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) in (int, float) and not node.value
