"""Calculates gradients of functions of ``scipy.special`` that take options."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime import conj, kept, unbroadcast


def logsumexp_back(
    grad: Any, values: tuple[Any, Any, Any], axis: Any, keepdims: bool
) -> tuple[Any, Any]:
    """Return the gradients of a and b of ``y = logsumexp(a, axis, b, keepdims)``."""
    a, b, y = values
    share = kept(grad, axis, keepdims) * conj(np.exp(a - kept(y, axis, keepdims)))
    if b is None:
        return share, None
    return unbroadcast(share * conj(b), np.shape(a)), unbroadcast(share, np.shape(b))


def comb_slopes(N: Any, k: Any, repetition: bool) -> tuple[Any, Any]:
    """Return the derivatives of the logarithm of ``comb(N, k)`` in N and in k."""
    if repetition:
        by_N, by_k = comb_slopes(N + k - 1, k, False)
        return by_N, by_N + by_k
    rest = special.digamma(N - k + 1)
    return special.digamma(N + 1) - rest, rest - special.digamma(k + 1)
