"""Calculates with sparse matrices as their stored entries and the places of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable

Builder = TypeVar("Builder", bound=Callable[..., Any])


class Places(NamedTuple):
    """Where the stored entries of a sparse matrix are; entries at the same place add up."""

    rows: Any
    cols: Any
    shape: Any

    @property
    def T(self) -> Places:  # noqa: N802 - SciPy's name
        """The places of the transposed matrix."""
        return Places(self.cols, self.rows, self.shape[::-1])

    @property
    def on_diagonal(self) -> Any:
        """Which places are on the diagonal."""
        return self.rows == self.cols


def _constant(function: Builder) -> Builder:
    """Mark a function whose result depends on no value with a derivative."""
    function.__srcgrad_constant__ = True  # type: ignore[attr-defined]
    return function


@_constant
def coo_places(coords: Any, shape: Any = None) -> Places:
    """Return the places of ``coo_array((entries, (rows, cols)), shape)``."""
    rows, cols = (np.asarray(item) for item in coords)
    sizes = tuple(int(np.max(item)) + 1 for item in (rows, cols)) if shape is None else shape
    return Places(rows, cols, sizes)


@_constant
def csr_places(indices: Any, indptr: Any, shape: Any = None) -> Places:
    """Return the places of ``csr_array((entries, indices, indptr), shape)``."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    sizes = (len(indptr) - 1, int(np.max(indices)) + 1) if shape is None else shape
    return Places(rows, np.asarray(indices), sizes)


@_constant
def csc_places(indices: Any, indptr: Any, shape: Any = None) -> Places:
    """Return the places of ``csc_array((entries, indices, indptr), shape)``."""
    return csr_places(indices, indptr, None if shape is None else shape[::-1]).T


@_constant
def diagonal_places(entries: Any, offset: Any = 0, shape: Any = None) -> Places:
    """Return the places of a matrix with `entries` on one diagonal."""
    count, offset = len(entries), int(np.squeeze(offset))
    rows = np.arange(count) + max(-offset, 0)
    size = count + abs(offset)
    return Places(rows, rows + offset, (size, size) if shape is None else shape)


@_constant
def diagonals_places(offsets: Any, shape: Any, lengths: Any) -> Places:
    """Return the places of several diagonals, one after the other; `shape` None is the least."""
    if shape is None:
        shape = (lengths[0] + abs(int(offsets[0])),) * 2
    rows = [np.arange(max(-k, 0), max(-k, 0) + n) for k, n in zip(offsets, lengths, strict=True)]
    cols = [row + k for row, k in zip(rows, offsets, strict=True)]
    return Places(np.concatenate(rows), np.concatenate(cols), shape)


@_constant
def diagonal_length(offset: int, shape: Any, first: Any, first_offset: int) -> int:
    """Return how many entries a diagonal of a matrix has, whose shape the first may tell."""
    if shape is None:
        shape = (len(first) + abs(int(first_offset)),) * 2
    return int(min(shape[0] + min(offset, 0), shape[1] - max(offset, 0)))


@_constant
def every_place(shape: Any) -> Places:
    """Return all places of a matrix, row by row."""
    rows, cols = np.indices(shape)
    return Places(np.ravel(rows), np.ravel(cols), tuple(shape))


@_constant
def places_of(matrix: Any) -> Places:
    """Return the places of the stored entries of a sparse matrix of constants."""
    stored = matrix.tocoo()
    rows, cols = stored.coords
    return Places(rows, cols, stored.shape)


@recordable
def entries_of(matrix: Any) -> Any:
    """Return the stored entries of a sparse matrix of constants."""
    return matrix.tocoo().data


@_constant
def joined(first: Places, second: Places) -> Places:
    """Return the places of two matrices that are added, one after the other."""
    if tuple(first.shape) != tuple(second.shape):
        raise ValueError("inconsistent shapes")
    rows = np.concatenate((first.rows, second.rows))
    return Places(rows, np.concatenate((first.cols, second.cols)), first.shape)


def _assembled(entries: Any, places: Places) -> Any:
    return sparse.coo_array((entries, (places.rows, places.cols)), shape=places.shape)


@recordable
def sparse_product(entries: Any, places: Places, x: Any) -> Any:
    """Return ``A @ x`` for the sparse matrix with `entries` at `places`."""
    if not isinstance(x, np.ndarray):
        raise MissingRuleError(
            "the product of a sparse matrix with what is no array has no derivative rule",
            hint="multiply it with arrays, from the right: A @ (B @ x)",
        )
    return _assembled(entries, places) @ x


@recordable
def entries_of_outer(u: Any, v: Any, places: Places) -> Any:
    """Return the entries at `places` of ``np.outer(u, v)``, or of ``u @ v.T`` of matrices."""
    each = u[places.rows] * v[places.cols]
    return each if np.ndim(each) == 1 else np.sum(each, axis=1)


@recordable
def sparse_solution(entries: Any, places: Places, b: Any) -> Any:
    """Return ``spsolve(A, b)`` for the sparse matrix with `entries` at `places`."""
    return linalg.spsolve(_assembled(entries, places).tocsc(), b)


@recordable
def factor_solution(entries: Any, places: Places, b: Any) -> Any:
    """Return ``splu(A).solve(b)`` for the sparse matrix with `entries` at `places`."""
    return linalg.splu(_assembled(entries, places).tocsc()).solve(b)


@recordable
def sparse_sum(entries: Any, places: Places, axis: Any) -> Any:
    """Return the sum of all entries (None), or of those of each column (0) or row (1)."""
    return np.sum(entries) if axis is None else _assembled(entries, places).sum(axis=axis)


@recordable
def sparse_sum_back(grad: Any, places: Places, axis: Any) -> Any:
    """Return the gradient of `entries` in ``sparse_sum(entries, places, axis)``."""
    if axis is None:
        return np.broadcast_to(grad, np.shape(places.rows))
    return grad[places.cols if axis in (0, -2) else places.rows]


@recordable
def dense_array(entries: Any, places: Places) -> Any:
    """Return a sparse matrix as an array."""
    return _assembled(entries, places).toarray()


@recordable
def values_at(values: Any, places: Places) -> Any:
    """Return a number, or what stands at `places` of an array that is spread over the matrix."""
    return values[_spread(np.shape(values), places)] if np.ndim(values) else values


@recordable
def values_back(grad: Any, places: Places, shape: Any) -> Any:
    """Return the gradient of `values` in ``values_at(values, places)``."""
    if not shape:
        return np.sum(grad)
    total = np.zeros(shape, dtype=grad.dtype)
    np.add.at(total, _spread(shape, places), grad)
    return total


def _spread(shape: Any, places: Places) -> Any:
    pairs = list(zip(shape[::-1], (places.cols, places.rows), strict=False))
    return tuple(index if n > 1 else np.zeros_like(index) for n, index in pairs)[::-1]


@recordable
def fixed_product(matrix: Any, x: Any) -> Any:
    """Return ``A @ x`` for a sparse matrix of constants."""
    return matrix @ x


@recordable
def factored_solution(factors: Any, b: Any, trans: str) -> Any:
    """Return ``splu(A).solve(b, trans)`` for a matrix of constants."""
    return factors.solve(b, trans)


def factored_solution_back(factors: Any, grad: Any, trans: str) -> Any:
    """Return the gradient of `b` in ``factored_solution(factors, b, trans)``."""
    if trans == "T":
        return conj(factored_solution(factors, conj(grad), "N"))
    return factored_solution(factors, grad, "H" if trans == "N" else "N")
