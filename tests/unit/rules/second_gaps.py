"""Rules whose gradient is not differentiated by source: it goes to the tape, with a warning."""

from __future__ import annotations

from typing import Final


def _named(by_module: dict[str, str]) -> frozenset[str]:
    found = ((module, name) for module, names in by_module.items() for name in names.split())
    return frozenset(f"{module}.{name}" for module, name in found)


REVERSE: Final = _named(
    {
        "cmath": "polar",
        "numpy.linalg": "eig lstsq",
        "scipy.integrate": "odeint quad",
        "scipy.linalg": "eig lstsq",
        "scipy.optimize": "curve_fit",
        "scipy.special": "kelvin",
        "srcgrad.runtime.scipy.implicit": "root_back value_back",
        "srcgrad.runtime.scipy.interpolation": "bspline interpolation",
    }
)
"""Not in reverse mode over reverse."""

FORWARD: Final = _named(
    {
        "cmath": "polar",
        "numpy.lib.scimath": "sqrt",
        "numpy.linalg": "eig",
        "scipy.integrate": "odeint quad",
        "scipy.linalg": "eig",
        "scipy.optimize": "curve_fit",
        "scipy.signal": "lfilter sosfilt",
        "scipy.spatial.distance": "cosine mahalanobis",
        "scipy.special": "kelvin log_softmax logsumexp softmax",
        "scipy.stats": "entropy",
        "scipy.stats.multivariate_normal": "pdf",
        "srcgrad.runtime.scipy.implicit": "root_back value_back",
        "srcgrad.runtime.scipy.interpolation": "bspline interpolated interpolation",
    }
)
"""Not in forward mode over reverse."""
