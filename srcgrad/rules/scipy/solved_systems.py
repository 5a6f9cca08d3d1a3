"""Functions of ``scipy.optimize`` that end in a linear system, written out with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.rules.equivalents.registry import EquivalentTable
from srcgrad.runtime import stop_gradient

table = EquivalentTable()


@table.of(optimize.nnls)
def nnls(A: Any, b: Any) -> Any:
    """Return the best solution without negative numbers: those above 0 solve a system."""
    known, _ = optimize.nnls(stop_gradient(A), stop_gradient(b), maxiter=None)
    free = np.flatnonzero(known)
    found = np.zeros_like(b, shape=(np.shape(A)[1],))
    found[free] = np.linalg.lstsq(A[:, free], b)[0]
    return found, np.linalg.norm(A @ found - b)


class Fitted:
    """What `lsq_linear` returns."""

    __srcgrad_written_out__ = True

    def __init__(self, x: Any, fun: Any) -> None:
        self.x = x
        self.fun = fun
        self.cost = np.sum(fun * fun) / 2


@table.of(optimize.lsq_linear)
def lsq_linear(A: Any, b: Any, bounds: Any = (-np.inf, np.inf)) -> Any:
    """Return the best solution between bounds: what lies at none solves a system."""
    known = optimize.lsq_linear(stop_gradient(A), stop_gradient(b), bounds, tol=1e-13)
    free, held = np.flatnonzero(known.active_mask == 0), np.flatnonzero(known.active_mask)
    found = np.zeros_like(b, shape=(np.shape(A)[1],))
    found[held] = known.x[held]
    found[free] = np.linalg.lstsq(A[:, free], b - A[:, held] @ known.x[held])[0]
    return Fitted(found, A @ found - b)


@table.of(optimize.rosen)
def rosen(x: Any) -> Any:
    """Return the function of Rosenbrock."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2, axis=0)


@table.of(optimize.rosen_der)
def rosen_der(x: Any) -> Any:
    """Return the gradient of the function of Rosenbrock."""
    off = x[1:] - x[:-1] ** 2
    none = np.zeros_like(x[:1])
    ahead = np.concatenate([none, 200.0 * off])
    return ahead - np.concatenate([400.0 * x[:-1] * off + 2 * (1 - x[:-1]), none])


EQUIVALENTS = table.freeze()
