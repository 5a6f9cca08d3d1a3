"""Elementary functions under names of ours, for which Numba calls those of glibc's libmvec.

A loop over entries then computes several at a time. Where there is no libmvec, and for other
numbers than floats of 64 bits, they are those of NumPy.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

PREFIX: Final = "vector_"


def vector_exp(x: Any) -> Any:
    """Return ``np.exp(x)``."""
    return np.exp(x)


def vector_expm1(x: Any) -> Any:
    """Return ``np.expm1(x)``."""
    return np.expm1(x)


def vector_log(x: Any) -> Any:
    """Return ``np.log(x)``."""
    return np.log(x)


def vector_log1p(x: Any) -> Any:
    """Return ``np.log1p(x)``."""
    return np.log1p(x)


def vector_log2(x: Any) -> Any:
    """Return ``np.log2(x)``."""
    return np.log2(x)


def vector_log10(x: Any) -> Any:
    """Return ``np.log10(x)``."""
    return np.log10(x)


def vector_sin(x: Any) -> Any:
    """Return ``np.sin(x)``."""
    return np.sin(x)


def vector_cos(x: Any) -> Any:
    """Return ``np.cos(x)``."""
    return np.cos(x)


def vector_tan(x: Any) -> Any:
    """Return ``np.tan(x)``."""
    return np.tan(x)


def vector_arcsin(x: Any) -> Any:
    """Return ``np.arcsin(x)``."""
    return np.arcsin(x)


def vector_arccos(x: Any) -> Any:
    """Return ``np.arccos(x)``."""
    return np.arccos(x)


def vector_arctan(x: Any) -> Any:
    """Return ``np.arctan(x)``."""
    return np.arctan(x)


def vector_sinh(x: Any) -> Any:
    """Return ``np.sinh(x)``."""
    return np.sinh(x)


def vector_cosh(x: Any) -> Any:
    """Return ``np.cosh(x)``."""
    return np.cosh(x)


def vector_tanh(x: Any) -> Any:
    """Return ``np.tanh(x)``."""
    return np.tanh(x)


def vector_arctan2(x: Any, y: Any) -> Any:
    """Return ``np.arctan2(x, y)``."""
    return np.arctan2(x, y)


def vector_power(x: Any, y: Any) -> Any:
    """Return ``np.power(x, y)``."""
    return np.power(x, y)


FUNCTIONS: Final = {
    name: value for name, value in list(globals().items()) if name.startswith(PREFIX)
}
IN_GLIBC: Final = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2"} | {
    "power": "pow"
}
