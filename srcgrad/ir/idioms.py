"""Knows expressions of several steps that are differentiated as one.

Of ``1 / (1 + np.exp(-x))`` the chain rule, step by step, makes a longer text, and one that is NaN
where the exponential overflows: by its value it is ``grad * y * (1 - y)``.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope
from srcgrad.runtime.idioms import falling_logistic, logistic


@dataclass(frozen=True, slots=True)
class Idiom:
    """What an expression is, and the node that holds its operand in a field."""

    primal: Any
    holder: Any

    @property
    def operand(self) -> Any:
        """The one operand."""
        return self.holder.operand if self.primal is logistic else self.holder.args[0]

    def replace(self, operand: Any) -> None:
        """Put another operand in its place."""
        if self.primal is logistic:
            self.holder.operand = operand
        else:
            self.holder.args[0] = operand


def idiom_of(node: Any, scope: Scope) -> Idiom | None:
    """Return what an expression of several steps is, if it is known as a whole."""
    if not isinstance(node, gast.BinOp) or not isinstance(node.op, gast.Div):
        return None
    total = node.right
    if not _is_one(node.left) or not isinstance(total, gast.BinOp):
        return None
    parts = [part for part in (total.left, total.right) if not _is_one(part)]
    if not isinstance(total.op, gast.Add) or len(parts) != 1:
        return None
    (call,) = parts
    if not _is_exponential(call, scope):
        return None
    (operand,) = call.args
    if isinstance(operand, gast.UnaryOp) and isinstance(operand.op, gast.USub):
        return Idiom(logistic, operand)
    return Idiom(falling_logistic, call)


def _is_one(node: Any) -> bool:
    value = getattr(node, "value", None) if isinstance(node, gast.Constant) else None
    return type(value) in (int, float) and value == 1


def _is_exponential(node: Any, scope: Scope) -> bool:
    plain = isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords
    if not plain or isinstance(node.args[0], gast.Starred):
        return False
    return scope.resolve(node.func) in _EXPONENTIALS


_EXPONENTIALS = (np.exp, math.exp, cmath.exp)
