"""Rules whose gradient is not differentiated by source: it goes to the tape, with a warning."""

from __future__ import annotations

from typing import Final


def _named(by_module: dict[str, str]) -> frozenset[str]:
    found = ((module, name) for module, names in by_module.items() for name in names.split())
    return frozenset(f"{module}.{name}" for module, name in found)


REVERSE: Final = _named(
    {
        "builtins": "max min",
        "cmath": "polar",
        "math": "frexp hypot",
        "numpy": "frexp",
        "numpy.linalg": "eig lstsq tensorsolve",
        "scipy.integrate": "odeint quad",
        "scipy.linalg": (
            "cho_factor circulant coshm cosm eig eigh eigvalsh expm fractional_matrix_power "
            "logm lstsq lu polar sinhm sinm tanhm tanm toeplitz"
        ),
        "scipy.optimize": "curve_fit",
        "scipy.special": "kelvin",
        "scipy.stats": "gmean hmean kurtosis sem skew zscore",
        "srcgrad.runtime.scipy.implicit": "root_back value_back",
        "srcgrad.runtime.scipy.interpolation": "bspline interpolation",
    }
)
"""Not in reverse mode over reverse."""

FORWARD: Final = _named(
    {
        "builtins": "divmod max min",
        "cmath": "phase polar",
        "math": "dist frexp hypot",
        "numpy": "angle corrcoef cov divmod frexp geomspace logspace",
        "numpy.lib.scimath": "sqrt",
        "numpy.linalg": "cond eig lstsq matrix_norm norm qr slogdet tensorinv tensorsolve",
        "scipy.integrate": "odeint quad",
        "scipy.linalg": (
            "block_diag cho_factor cho_solve cholesky circulant coshm cosm det eig eigh "
            "eigvalsh expm fractional_matrix_power inv logm lstsq lu lu_factor lu_solve norm "
            "pinv polar qr sinhm sinm solve solve_banded solve_continuous_are "
            "solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov "
            "solve_sylvester solve_triangular sqrtm tanhm tanm toeplitz"
        ),
        "scipy.optimize": "curve_fit",
        "scipy.signal": "lfilter sosfilt",
        "scipy.spatial.distance": "cdist cosine euclidean mahalanobis pdist",
        "scipy.special": "kelvin log_softmax logsumexp softmax",
        "scipy.stats": "entropy gmean hmean kurtosis sem skew zscore",
        "scipy.stats.multivariate_normal": "pdf",
        "srcgrad.runtime.scipy.implicit": "root_back value_back",
        "srcgrad.runtime.scipy.interpolation": "bspline interpolated interpolation",
    }
)
"""Not in forward mode over reverse."""
