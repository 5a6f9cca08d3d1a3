"""Calculates derivatives of Bessel functions in their order, for real orders and arguments > 0.

They are those of Schlaefli's and Basset's integrals, and of the series where these would cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.dispatch import recordable

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(256)
_UNIT, _SHARES = (_NODES + 1) / 2, _WEIGHTS / 2
_DROP = 45.0
"""How many powers of e below its peak an integrand may be left out."""


def _elementwise(formula: Callable[..., Any], v: Any, z: Any, name: str) -> Any:
    kinds = [item.dtype for item in (v, z) if isinstance(item, (np.ndarray, np.generic))]
    kind = np.result_type(*kinds, np.float32) if kinds else np.dtype(np.float64)
    if kind.kind == "c" or np.any(np.asarray(z) <= 0):
        raise MissingRuleError(
            f"the derivative of `{name}` in its order is only known for real arguments above 0",
            hint="keep the order constant (srcgrad.stop_gradient)",
        )
    order, x = np.broadcast_arrays(np.asarray(v, dtype=float), np.asarray(z, dtype=float))
    with np.errstate(all="ignore"):
        flat = [formula(float(a), float(b)) for a, b in zip(order.flat, x.flat, strict=True)]
    out = np.reshape(np.array(flat), order.shape).astype(kind)
    return out if np.ndim(out) else out[()]


@recordable
def kv_slope(v: Any, z: Any) -> Any:
    """Return the derivative of ``special.kv(v, z)`` in v."""
    return _elementwise(_kv_slope, v, z, "kv")


@recordable
def kve_slope(v: Any, z: Any) -> Any:
    """Return the derivative of ``special.kve(v, z)`` in v."""
    return _elementwise(lambda v, z: _kv_slope(v, z, z), v, z, "kve")


@recordable
def iv_slope(v: Any, z: Any) -> Any:
    """Return the derivative of ``special.iv(v, z)`` in v."""
    return _elementwise(_iv_slope, v, z, "iv")


@recordable
def ive_slope(v: Any, z: Any) -> Any:
    """Return the derivative of ``special.ive(v, z)`` in v."""
    return _elementwise(lambda v, z: _iv_slope(v, z, -z), v, z, "ive")


@recordable
def jv_slope(v: Any, z: Any) -> Any:
    """Return the derivative of ``special.jv(v, z)`` in v."""
    return _elementwise(_jv_slope, v, z, "jv")


@recordable
def yv_slope(v: Any, z: Any) -> Any:
    """Return the derivative of ``special.yv(v, z)`` in v."""
    return _elementwise(_yv_slope, v, z, "yv")


def _kv_slope(v: float, z: float, shift: float = 0.0) -> float:
    """Sum ``t * sinh(v * t) * exp(-z * cosh(t))``, which is even in t, over equal steps."""
    size = float(np.hypot(z, v))
    peak = float(np.arcsinh(abs(v) / z))
    start = max(peak - _DROP / size - np.sqrt(2 * _DROP / size), 0.0)
    t = np.linspace(start, peak + float(np.arccosh(1 + _DROP / size)), 257)
    level = shift - z * np.cosh(t)
    terms = t * (np.exp(abs(v) * t + level) - np.exp(-abs(v) * t + level)) / 2
    total = np.sum(terms[1:-1]) + (terms[0] + terms[-1]) / 2
    return float(np.sign(v) * (t[1] - t[0]) * total)


def _iv_slope(v: float, z: float, shift: float = 0.0) -> float:
    if v < 0:
        turned = 2 * np.cos(np.pi * v) * special.kve(-v, z) * np.exp(shift - z)
        turned -= 2 / np.pi * np.sin(np.pi * v) * _kv_slope(-v, z, shift)
        return float(-_iv_slope(-v, z, shift) - turned)
    if v == 0:
        return float(-special.kve(0, z) * np.exp(shift - z))
    k = np.arange(int(z / 2 + 10 * np.sqrt(z)) + 40.0)
    size = (v + 2 * k) * np.log(z / 2) - special.gammaln(k + 1) - special.gammaln(v + k + 1)
    return float(np.sum((np.log(z / 2) - special.digamma(v + k + 1)) * np.exp(size + shift)))


def _jv_slope(v: float, z: float) -> float:
    if v < 0:  # J of -v is cos(v pi) J of v - sin(v pi) Y of v
        u = -v
        c, s = np.cos(np.pi * u), np.sin(np.pi * u)
        bent = -np.pi * (s * special.jv(u, z) + c * special.yv(u, z))
        return float(-(bent + c * _jv_slope(u, z) - s * _yv_slope(u, z)))
    loss = z * z / (2 * (v + 1))
    if loss <= 9:
        return _jv_series(v, z)
    if z < 0.8 * v - 5 and v > 50:
        raise MissingRuleError(
            f"the derivative of `jv` in its order is not precise at the order {v:.4g} and {z:.4g}",
            hint="keep the order constant (srcgrad.stop_gradient)",
        )
    angle, share = _angles(v, z)
    around = -np.sum(share * angle * np.sin(v * angle - z * np.sin(angle))) / np.pi
    t, step = _tail(-v, z)
    fall = np.exp(-z * np.sinh(t) - v * t)
    rest = np.sin(np.pi * v) / np.pi * np.sum(step * t * fall)
    rest -= np.cos(np.pi * v) * np.sum(step * fall)
    return float(around + rest)


def _jv_series(v: float, z: float) -> float:
    k = np.arange(60.0)
    size = (v + 2 * k) * np.log(z / 2) - special.gammaln(k + 1) - special.gammaln(v + k + 1)
    terms = (np.log(z / 2) - special.digamma(v + k + 1)) * np.exp(size)
    return float(np.sum(terms[::2]) - np.sum(terms[1::2]))


def _yv_slope(v: float, z: float) -> float:
    if v < 0:  # Y of -v is sin(v pi) J of v + cos(v pi) Y of v
        u = -v
        c, s = np.cos(np.pi * u), np.sin(np.pi * u)
        bent = np.pi * (c * special.jv(u, z) - s * special.yv(u, z))
        return float(-(bent + s * _jv_slope(u, z) + c * _yv_slope(u, z)))
    angle, share = _angles(v, z)
    around = -np.sum(share * angle * np.cos(z * np.sin(angle) - v * angle)) / np.pi
    t, step = _tail(v, z)
    up, down = np.exp(v * t - z * np.sinh(t)), np.exp(-v * t - z * np.sinh(t))
    rest = -np.sum(step * t * (up - np.cos(np.pi * v) * down)) / np.pi
    return float(around + rest + np.sin(np.pi * v) * np.sum(step * down))


def _angles(v: float, z: float) -> tuple[Any, Any]:
    """Return nodes from 0 to pi and their weights, enough for what oscillates between."""
    pieces = int((z + v) / 60) + 1
    starts = np.arange(pieces)[:, None] * (np.pi / pieces)
    return (starts + _UNIT * np.pi / pieces).ravel(), np.tile(_SHARES * np.pi / pieces, pieces)


def _tail(v: float, z: float) -> tuple[Any, Any]:
    """Return nodes from 0 on and their weights, as far as ``exp(v * t - z * sinh(t))`` counts."""
    peak = float(np.arccosh(max(v / z, 1.0)))
    level = v * peak - z * np.sinh(peak) - _DROP
    end = float(np.arcsinh((2 * _DROP + 60 * abs(v)) / z)) + 1
    for _ in range(100):
        end -= (z * np.sinh(end) - v * end + level) / (z * np.cosh(end) - v)
    return _UNIT * end, _SHARES * end
