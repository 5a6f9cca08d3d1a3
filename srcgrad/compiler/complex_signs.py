"""Refuses `np.sign` where complex numbers may appear: of those it is no constant between jumps."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.program import Program
from srcgrad.ir.walk import statements, walk

_PLAIN = (gast.Assign, gast.AugAssign, gast.Expr, gast.Return)


def refuse_complex_signs(program: Program, refusals: Refusals) -> None:
    """Add a refusal for each statement that takes the direction of what may be a complex number."""
    for statement in statements(program.body):
        if isinstance(statement, _PLAIN) and any(map(_is_sign(program), walk(statement))):
            refusals.add(
                statement,
                "`np.sign` of a complex number, which varies with it, has no derivative rule",
                "write `z / np.abs(z)` for a complex z",
                MissingRuleError,
            )


def _is_sign(program: Program) -> Any:
    def check(node: Any) -> bool:
        return isinstance(node, gast.Call) and program.reader.read(node).primal is np.sign

    return check
