"""The specs of `cmath`, and of what `math` has of its kind."""

from __future__ import annotations

import cmath
import math

from tests.unit.rules.opspec import Draw, OpSpec, S, op

Z = Draw(None, complex=True)


def complex_numbers() -> list[OpSpec]:
    specs = []
    for fn in (
        *(cmath.exp, cmath.log, cmath.log10, cmath.sqrt, cmath.sin, cmath.cos, cmath.tan),
        *(cmath.asin, cmath.acos, cmath.atan, cmath.sinh, cmath.cosh, cmath.tanh, cmath.asinh),
        *(cmath.acosh, cmath.atanh, cmath.phase, cmath.polar),
    ):
        specs += [op(fn, Z)]
    return [
        *specs,
        op(cmath.exp, S()),
        op(cmath.log, Z, Z),
        op(cmath.rect, S(), S()),
        op(math.frexp, S(0.55, 0.9), _out_index=(0,)),
    ]
