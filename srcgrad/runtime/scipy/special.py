"""Calculates gradients of functions of ``scipy.special`` that take options."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import conj, kept, unbroadcast


def logsumexp_back(
    grad: Any, values: tuple[Any, Any, Any], axis: Any, keepdims: bool
) -> tuple[Any, Any]:
    """Return the gradients of a and b of ``y = logsumexp(a, axis, b, keepdims)``."""
    a, b, y = values
    share = kept(grad, axis, keepdims) * conj(np.exp(a - kept(y, axis, keepdims)))
    return unbroadcast(share * conj(b), np.shape(a)), unbroadcast(share, np.shape(b))


def comb_slopes(N: Any, k: Any, repetition: bool) -> tuple[Any, Any]:
    """Return the derivatives of the logarithm of ``comb(N, k)`` in N and in k."""
    if repetition:
        by_N, by_k = comb_slopes(N + k - 1, k, False)
        return by_N, by_N + by_k
    rest = special.digamma(N - k + 1)
    return special.digamma(N + 1) - rest, rest - special.digamma(k + 1)


def amplitude_slope(m: Any, cn: Any, dn: Any, ph: Any) -> Any:
    """Return the derivative in m of the amplitude of Jacobi's functions at a place.

    There the incomplete integral of the first kind is that place, so it is minus the derivative of
    the integral in m (DLMF 19.25.5, differentiated by 19.18.1) over that in the amplitude, 1 / dn.
    """
    turns = np.round(ph / np.pi)
    sine = np.sin(ph - np.pi * turns)
    whole = special.elliprd(0, 1, np.where(turns == 0, 1, 1 - m)) / 3
    return -dn * (sine**3 * special.elliprd(cn * cn, 1, dn * dn) / 6 + turns * whole)


def ellipj_push(dots: tuple[Any, Any], m: Any, values: Any) -> tuple[Any, ...]:
    """Return the tangents of sn, cn, dn and the amplitude; None stands for a tangent of zeros."""
    (u_dot, m_dot), (sn, cn, dn, ph) = dots, values
    ph_dot, rest = 0.0, 0.0
    if u_dot is not None:
        ph_dot = ph_dot + u_dot * dn
    if m_dot is not None:
        ph_dot = ph_dot + m_dot * amplitude_slope(m, cn, dn, ph)
        rest = m_dot * sn * sn / (2 * dn)
    return cn * ph_dot, -sn * ph_dot, -m * sn * cn / dn * ph_dot - rest, ph_dot


def cylinder_push(dots: tuple[Any, Any], v: Any, x: Any, d: Any, dp: Any) -> tuple[Any, Any]:
    """Return the tangents of a parabolic cylinder function and of its derivative.

    Raises:
        MissingRuleError: The order has a tangent, too.
    """
    v_dot, x_dot = dots
    if v_dot is not None:
        raise MissingRuleError(
            "the derivative of a parabolic cylinder function in its order `v` is not written yet",
            hint="keep that argument constant (srcgrad.stop_gradient)",
        )
    return x_dot * dp, x_dot * (x * x / 4 - v - 0.5) * d
