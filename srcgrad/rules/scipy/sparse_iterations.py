"""Writes out the solvers of `scipy.sparse.linalg` that find solutions step by step."""

from __future__ import annotations

from typing import Any

from scipy.sparse import linalg

from srcgrad.rules.equivalents.registry import in_place
from srcgrad.rules.scipy import sparse_systems
from srcgrad.runtime.scipy.krylov import krylov_solution, krylov_solved, method

RULES = sparse_systems
ITERATIONS = (
    *(linalg.cg, linalg.cgs, linalg.bicg, linalg.bicgstab, linalg.tfqmr, linalg.gmres),
    *(linalg.lgmres, linalg.gcrotmk, linalg.minres),
)
"""Solvers that return a solution and whether it was found."""


@in_place
def iterated(name: str, A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
    """Return the solution of a system, and that it was found."""
    return krylov_solved(A, b, method(name, x0, options)), 0


@in_place
def iterated_sparse(name: str, A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
    """Return the solution of a system whose matrix varies, and that it was found."""
    return krylov_solution(A.entries, A.places, b, method(name, x0, options)), 0
