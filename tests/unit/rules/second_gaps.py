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
        "math": "frexp hypot prod",
        "numpy": (
            "append atleast_1d atleast_2d atleast_3d average block broadcast_arrays choose "
            "column_stack concatenate diff dstack einsum frexp gradient hstack interp kron "
            "linspace logspace median nanmedian nanpercentile nanquantile pad percentile "
            "polyval quantile repeat trapezoid unstack vstack"
        ),
        "numpy.linalg": "cond eig eigh eigvals eigvalsh lstsq multi_dot svd tensorsolve",
        "numpy.maximum": "accumulate",
        "numpy.minimum": "accumulate",
        "scipy.integrate": "odeint quad trapezoid",
        "scipy.linalg": (
            "cho_factor circulant coshm cosm eig eigh eigh_tridiagonal eigvals "
            "eigvalsh expm fractional_matrix_power logm lstsq lu polar sinhm sinm "
            "solve_triangular svd tanhm tanm toeplitz"
        ),
        "scipy.ndimage": "affine_transform convolve convolve1d correlate correlate1d",
        "scipy.optimize": "curve_fit",
        "scipy.stats": "gmean hmean kurtosis sem skew zscore",
        "srcgrad.runtime.gathering": "gather_back",
        "srcgrad.runtime.joining": "join_columns join_rows",
        "srcgrad.runtime.scipy.implicit": "root_back value_back",
        "srcgrad.runtime.scipy.interpolation": "interpolation",
    }
)
"""Not in reverse mode over reverse."""

FORWARD: Final = _named(
    {
        "builtins": "divmod max min",
        "cmath": "phase polar",
        "math": "dist frexp hypot prod",
        "numpy": (
            "angle append arange atleast_1d atleast_2d atleast_3d average block "
            "broadcast_arrays choose column_stack concatenate corrcoef cov cumulative_prod "
            "diff divmod dstack einsum frexp geomspace gradient heaviside histogram "
            "hstack interp kron linspace logspace median meshgrid modf nancumprod nancumsum "
            "nanmedian nanpercentile nanquantile nextafter pad percentile "
            "polyval quantile repeat trapezoid trim_zeros unstack unwrap vstack"
        ),
        "numpy.divide": "outer",
        "numpy.lib.scimath": "log sqrt",
        "numpy.linalg": (
            "cond eig lstsq matrix_norm multi_dot norm qr slogdet svd tensorinv tensorsolve"
        ),
        "numpy.maximum": "accumulate",
        "numpy.minimum": "accumulate",
        "numpy.multiply": "accumulate",
        "scipy.integrate": "odeint quad trapezoid",
        "scipy.linalg": (
            "block_diag cho_factor cho_solve cholesky circulant coshm cosm det eig eigh "
            "eigvalsh expm fractional_matrix_power inv logm lstsq lu "
            "lu_factor lu_solve norm pinv polar qr sinhm sinm solve solve_banded "
            "solve_continuous_are solve_continuous_lyapunov solve_discrete_are "
            "solve_discrete_lyapunov solve_sylvester solve_triangular sqrtm svd tanhm tanm "
            "toeplitz"
        ),
        "scipy.ndimage": "convolve convolve1d correlate correlate1d",
        "scipy.optimize": "curve_fit",
        "scipy.signal": "lfilter sosfilt",
        "scipy.spatial.distance": "cdist cosine euclidean mahalanobis pdist",
        "scipy.special": ("airy comb ellipj fresnel log_softmax logsumexp shichi sici softmax"),
        "scipy.stats": "entropy gmean hmean kurtosis sem skew zscore",
        "scipy.stats.multivariate_normal": "pdf",
        "srcgrad.runtime.gathering": "gather_back",
        "srcgrad.runtime.joining": "join_columns join_rows",
        "srcgrad.runtime.scipy.implicit": "root_back value_back",
        "srcgrad.runtime.scipy.interpolation": "interpolated interpolation",
    }
)
"""Not in forward mode over reverse."""
