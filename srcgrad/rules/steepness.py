"""Says how bad the derivatives of elementwise functions can be, for selections of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

Primal = Callable[..., Any]

LINEAR: Final[frozenset[Primal]] = frozenset(
    {
        *(np.add, np.subtract, np.negative, np.positive, np.where, np.conjugate, np.real),
        *(np.degrees, np.radians, np.deg2rad, np.rad2deg),
    }
)
"""Functions with a constant derivative: nothing times it stays nothing."""

STEEP: Final[frozenset[Primal]] = frozenset(
    {
        *(np.sqrt, np.cbrt, np.log, np.log2, np.log10, np.log1p, np.logaddexp, np.logaddexp2),
        *(np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.tan, np.divide, np.reciprocal),
        *(np.power, np.float_power, np.arcsin, np.arccos, np.arccosh, np.arctanh, np.hypot),
        np.arctan2,
    }
)
"""Functions with an infinite derivative at, or next to, values where they are defined."""

AT_THE_EDGE: Final[frozenset[Primal]] = frozenset(
    {
        *(np.sqrt, np.cbrt, np.log, np.log2, np.log10, np.log1p),
        *(np.arcsin, np.arccos, np.arccosh, np.arctanh),
    }
)
"""Those of them where it is the edge of what they are defined for."""

_OTHERS: Final[frozenset[Primal]] = frozenset(
    {np.where, np.sinc, np.nan_to_num, np.i0, np.real, np.imag, np.angle}
)


def acts_on_each_element(primal: Any) -> bool:
    """Say whether each element of the one result comes from one element of each operand."""
    if isinstance(primal, np.ufunc):
        return primal.signature is None and primal.nout == 1
    return primal is abs or (callable(primal) and primal in _OTHERS)
