"""Integrals of functions in ``scipy.integrate`` that are written out with sums and with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, special

from srcgrad.rules.equivalents.registry import EquivalentTable

table = EquivalentTable()


@table.of(integrate.fixed_quad)
def fixed_quad(func: Callable[..., Any], a: Any, b: Any, *, n: int = 5) -> Any:
    """Return the integral by the rule of Gauss with so many places, and None."""
    places, weights = special.roots_legendre(n)
    values = func((b - a) * (places + 1) / 2 + a)
    return (b - a) / 2 * np.sum(weights * values, axis=-1), None


EQUIVALENTS = table.freeze()
