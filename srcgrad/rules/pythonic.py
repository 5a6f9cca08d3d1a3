"""Rules of Python's own functions of numbers: the math module and builtins."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.rules.base import Elementwise
from srcgrad.rules.elementwise import Exp, Expm1, Tan, Tanh
from srcgrad.rules.registry import RuleTable

table = RuleTable("pythonic")


@table.rule(math.exp)
class MathExp(Exp):
    """y = e**x."""

    primal = math.exp


@table.rule(math.expm1)
class MathExpm1(Expm1):
    """y = e**x - 1."""

    primal = math.expm1


@table.rule(math.tan)
class MathTan(Tan):
    """y = tan(x)."""

    primal = math.tan


@table.rule(math.tanh)
class MathTanh(Tanh):
    """y = tanh(x)."""

    primal = math.tanh


@table.rule(math.sin)
class MathSin(Elementwise):
    """y = sin(x)."""

    primal = math.sin

    @staticmethod
    def slope(x: Any) -> Any:
        return math.cos(x)


@table.rule(math.cos)
class MathCos(Elementwise):
    """y = cos(x)."""

    primal = math.cos

    @staticmethod
    def slope(x: Any) -> Any:
        return -math.sin(x)


RULES = table.freeze()
