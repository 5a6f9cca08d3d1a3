"""Functions of ``scipy.special`` that are written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.equivalents.registry import EquivalentTable

table = EquivalentTable()


@table.of(special.diric)
def diric(x: Any, n: int) -> Any:
    """Return Dirichlet's kernel, the mean of n waves, which has no quotient of zeros."""
    waves = np.arange(n) - (n - 1) / 2
    return np.mean(np.cos(np.multiply.outer(x, waves)), axis=-1)


@table.of(special.perm)
def perm(N: Any, k: Any, exact: bool = False) -> Any:
    """Return the number of ways to put k of N in a row, as one of real numbers."""
    return np.where((k <= N) & (N >= 0) & (k >= 0), special.poch(N - k + 1, k), 0.0)


EQUIVALENTS = table.freeze()
