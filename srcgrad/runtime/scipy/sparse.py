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
    stored = _stored(matrix)
    rows, cols = stored.coords
    return Places(rows, cols, stored.shape)


@recordable
def entries_of(matrix: Any) -> Any:
    """Return the stored entries of a sparse matrix of constants."""
    return _stored(matrix).data


def _stored(matrix: Any) -> Any:
    return matrix.tocoo() if sparse.issparse(matrix) else sparse.coo_array(np.atleast_2d(matrix))


@_constant
def joined(first: Places, second: Places) -> Places:
    """Return the places of two matrices that are added, one after the other."""
    if tuple(first.shape) != tuple(second.shape):
        raise ValueError("inconsistent shapes")
    rows = np.concatenate((first.rows, second.rows))
    return Places(rows, np.concatenate((first.cols, second.cols)), first.shape)


class Terms(NamedTuple):
    """The terms of sums of products: each `out` is the sum of its ``left * right``."""

    left: Any
    right: Any
    out: Any
    counts: tuple[int, int, int]

    @property
    def for_left(self) -> Terms:
        """The terms of the gradient of what stands on the left, of `out` and `right`."""
        left, right, out = self.counts
        return Terms(self.out, self.right, self.left, (out, right, left))

    @property
    def for_right(self) -> Terms:
        """The terms of the gradient of what stands on the right, of `left` and `out`."""
        left, right, out = self.counts
        return Terms(self.left, self.out, self.right, (left, out, right))


class Pairs(NamedTuple):
    """Which entries of two matrices meet in their product, and where its entries are."""

    terms: Terms
    places: Places


def _meeting(first: Any, second: Any) -> tuple[Any, Any]:
    """Return the numbers of all pairs of equal items, in the order of the first."""
    order = np.argsort(second, kind="stable")
    items = np.asarray(second)[order]
    starts = np.searchsorted(items, first, "left")
    counts = np.searchsorted(items, first, "right") - starts
    left = np.repeat(np.arange(len(first)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return left, order[np.repeat(starts, counts) + np.arange(len(left)) - before]


def _flat(rows: Any, cols: Any, shape: Any) -> Any:
    return np.asarray(rows).astype(np.int64) * shape[1] + cols


def _pairs(first: Places, second: Places, left: Any, right: Any, found: Places) -> Pairs:
    """Return the pairs whose products add up at some places, one after the other."""
    there, out = np.unique(_flat(*found), return_inverse=True)
    sizes = (len(first.rows), len(second.rows), len(there))
    width = max(found.shape[1], 1)
    return Pairs(Terms(left, right, out, sizes), Places(there // width, there % width, found.shape))


@_constant
def pairs_of(first: Places, second: Places) -> Pairs:
    """Return which entries meet in the product of two sparse matrices."""
    if first.shape[1] != second.shape[0]:
        raise ValueError(f"the product of matrices of shapes {first.shape} and {second.shape}")
    left, right = _meeting(first.cols, second.rows)
    shape = (first.shape[0], second.shape[1])
    found = Places(first.rows[left], second.cols[right], shape)
    return _pairs(first, second, left, right, found)


@_constant
def equal_pairs(first: Places, second: Places) -> Pairs:
    """Return which entries of two sparse matrices are at the same places."""
    if tuple(first.shape) != tuple(second.shape):
        raise ValueError("inconsistent shapes")
    left, right = _meeting(_flat(*first), _flat(*second))
    found = Places(first.rows[left], first.cols[left], first.shape)
    return _pairs(first, second, left, right, found)


@_constant
def merged(places: Places) -> Pairs:
    """Return which entries add up to those of a matrix that has one for each place."""
    left = np.arange(len(places.rows))
    one = Places(left[:1] * 0, left[:1] * 0, places.shape)
    return _pairs(places, one, left, 0 * left, places)


@recordable
def paired(left: Any, right: Any, terms: Terms) -> Any:
    """Return the sums of products of entries."""
    each = left[terms.left] * right[terms.right]
    total = np.zeros_like(each, shape=terms.counts[2])
    np.add.at(total, terms.out, each)
    return total


# --- parts and blocks -----------------------------------------------------------------------------


class Chosen(NamedTuple):
    """The entries of a part of a sparse matrix, and where they are in the part."""

    which: Any
    places: Places


@_constant
def chosen(places: Places, index: Any, is_array: bool) -> Chosen:
    """Return the part of a matrix that an index of rows, or of rows and columns, names."""
    keys = index if isinstance(index, tuple) else (index, slice(None))
    lists = [np.ndim(key) == 1 for key in keys if not isinstance(key, slice)]
    single = any(not isinstance(key, slice) and np.ndim(key) == 0 for key in keys)
    if len(keys) != 2 or len(lists) == 2 or (single and is_array):
        raise MissingRuleError(
            "a part of one axis of a sparse array of values that vary has no derivative rule",
            hint="take a part of two axes, as A[i : i + 1] or A[[i]], or A.toarray()[index]",
        )
    rows, cols = (
        np.atleast_1d(np.arange(size)[key]) for size, key in zip(places.shape, keys, strict=True)
    )
    new_rows, which = _meeting(rows, places.rows)
    new_cols, there = _meeting(cols, places.cols[which])
    shape = (len(rows), len(cols))
    return Chosen(which[there], Places(new_rows[there], new_cols, shape))


@_constant
def within_triangle(places: Places, lower: bool) -> Chosen:
    """Return the part of a matrix below its diagonal and on it, or above."""
    below = places.rows >= places.cols
    which = np.flatnonzero(below if lower else places.rows <= places.cols)
    return Chosen(which, Places(places.rows[which], places.cols[which], places.shape))


@_constant
def at_place(places: Places, row: Any, col: Any) -> Any:
    """Return the numbers of the entries at one place of a sparse matrix."""
    if np.ndim(row) or np.ndim(col):
        raise MissingRuleError(
            "the elements of a sparse matrix of values that vary at several places have no "
            "derivative rule",
            hint="use A.toarray()[rows, columns]",
        )
    rows, cols = (np.arange(n)[key] for n, key in zip(places.shape, (row, col), strict=True))
    return np.flatnonzero((places.rows == rows) & (places.cols == cols))


@_constant
def block_places(blocks: Any, way: str) -> Places:
    """Return the places of blocks below each other, beside each other, or along the diagonal."""
    found = [b if isinstance(b, Places) else places_of(b) for b in blocks]
    high, wide = ([b.shape[i] for b in found] for i in (0, 1))
    equal = {"down": wide, "right": high, "both": []}[way]
    if len(set(equal)) > 1:
        raise ValueError("blocks of different sizes")
    below = np.cumsum([0, *high]) if way != "right" else np.zeros(len(high), dtype=int)
    right = np.cumsum([0, *wide]) if way != "down" else np.zeros(len(wide), dtype=int)
    rows = np.concatenate([b.rows + start for b, start in zip(found, below, strict=False)])
    cols = np.concatenate([b.cols + start for b, start in zip(found, right, strict=False)])
    shape = (sum(high) if way != "right" else high[0], sum(wide) if way != "down" else wide[0])
    return Places(rows, cols, shape)


@_constant
def kron_places(first: Places, second: Places) -> Places:
    """Return the places of a Kronecker product of two matrices."""
    rows = first.rows[:, None] * second.shape[0] + second.rows
    cols = first.cols[:, None] * second.shape[1] + second.cols
    shape = (first.shape[0] * second.shape[0], first.shape[1] * second.shape[1])
    return Places(np.ravel(rows), np.ravel(cols), shape)


@_constant
def band_places(data_shape: Any, offsets: Any, shape: Any) -> Chosen:
    """Return the places of ``dia_array((data, offsets), shape)``, and which data are there."""
    cols = np.broadcast_to(np.arange(data_shape[1]), data_shape)
    rows = cols - np.reshape(offsets, (-1, 1))
    there = (rows >= 0) & (rows < shape[0]) & (cols < shape[1])
    return Chosen(np.flatnonzero(there), Places(rows[there], cols[there], tuple(shape)))


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
