"""Solves systems by iteration, and the adjoint systems of their gradients in the same way."""

from __future__ import annotations

from typing import Any, NamedTuple

from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable, records
from srcgrad.runtime.scipy.sparse import Places

_SYMMETRIC = ("cg", "minres")


class Method(NamedTuple):
    """How a system is solved: the name of SciPy's function, and its options."""

    name: str
    options: dict[str, Any]

    @property
    def adjoint(self) -> Method:
        """How the adjoint system is solved: from nothing, with the adjoint preconditioner."""
        kept = {key: value for key, value in self.options.items() if key != "x0"}
        known = {key: value for key, value in kept.items() if not key.startswith("callback")}
        if known.get("M") is not None and self.name not in _SYMMETRIC:
            known["M"] = adjoint_of(known["M"])
        return Method(self.name, known)


def method(name: str, start: Any, options: dict[str, Any]) -> Method:
    """Return how a system is solved; neither start nor preconditioner changes the solution."""
    given = options if start is None else {"x0": start, **options}
    plain = {key: x.detach().numpy() if records(x) else x for key, x in given.items()}
    return Method(name, plain)


method.__srcgrad_constant__ = True  # type: ignore[attr-defined]


@recordable
def adjoint_of(matrix: Any) -> Any:
    """Return the conjugate transpose of an array, a sparse matrix or a linear operator."""
    if isinstance(matrix, linalg.LinearOperator):
        return matrix.H
    return matrix.conj().T if sparse.issparse(matrix) else conj(matrix).T


@recordable
def krylov_solved(A: Any, b: Any, method: Method) -> Any:
    """Return the solution of a system.

    Raises:
        NotDifferentiableError: It was not found, so it depends on the start and on the steps.
    """
    x, info = getattr(linalg, method.name)(A, b, **method.options)
    if info != 0:
        raise NotDifferentiableError(
            f"`{method.name}` did not find the solution within its steps, so it depends on these",
            hint="ask for more steps (maxiter), or a larger tolerance (rtol)",
        )
    return x


@recordable
def krylov_solution(entries: Any, places: Places, b: Any, method: Method) -> Any:
    """Return the solution of a system of the sparse matrix with `entries` at `places`."""
    made = sparse.coo_array((entries, (places.rows, places.cols)), shape=places.shape).tocsr()
    return krylov_solved(made, b, method)
