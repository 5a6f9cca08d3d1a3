"""Writes out sparse matrices made of values that vary: as their entries and the places of these.

SciPy is imported by this file, so it is imported when a function of `scipy.sparse` comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.errors import MissingRuleError
from srcgrad.rules.equivalents.registry import in_place
from srcgrad.rules.scipy import sparse_arrays
from srcgrad.rules.scipy.sparse_iterations import ITERATIONS, iterated, iterated_sparse
from srcgrad.runtime.indexing import names_element
from srcgrad.runtime.scipy.sparse import (
    Places,
    at_place,
    band_places,
    block_places,
    chosen,
    coo_places,
    csc_places,
    csr_places,
    dense_array,
    diagonal_length,
    diagonal_places,
    diagonals_places,
    entries_of,
    equal_pairs,
    every_place,
    factor_solution,
    joined,
    kron_places,
    merged,
    paired,
    pairs_of,
    places_of,
    sparse_product,
    sparse_solution,
    sparse_sum,
    values_at,
    within_triangle,
)

RULES = sparse_arrays


class MissingAttributeError(MissingRuleError, AttributeError):
    """An attribute of a sparse matrix that has no rule; `hasattr` finds that it is not there."""


class _IsFixed(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return bool(sparse.issparse(instance))


class Fixed(metaclass=_IsFixed):
    """A sparse matrix of constants."""

    __srcgrad_written_out__ = True


class Sparse:
    """A sparse matrix: entries that vary at places that do not."""

    __srcgrad_written_out__ = True
    __array_ufunc__ = None  # an array leaves `x @ A` to A

    def __init__(self, entries: Any, places: Places) -> None:
        self.entries = entries
        self.places = places

    @property
    def shape(self) -> Any:
        """The numbers of rows and columns."""
        return self.places.shape

    @property
    def T(self) -> Any:  # noqa: N802 - SciPy's name
        """The transposed matrix."""
        return self.__class__(self.entries, self.places.T)

    def transpose(self) -> Any:
        """Return the transposed matrix."""
        return self.T

    def tocsr(self) -> Any:
        """Return the same matrix: what it is stored as plays no part."""
        return self

    def tocsc(self) -> Any:
        """Return the same matrix."""
        return self

    def tocoo(self) -> Any:
        """Return the same matrix."""
        return self

    def copy(self) -> Any:
        """Return the same matrix, which nothing can write into."""
        return self

    def conj(self) -> Any:
        """Return the matrix of conjugate numbers."""
        return self.__class__(np.conj(self.entries), self.places)

    def toarray(self) -> Any:
        """Return an array."""
        return dense_array(self.entries, self.places)

    def dot(self, x: Any) -> Any:
        """Return the product with an array or a matrix."""
        return self @ x

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, Sparse):
            pairs = pairs_of(self.places, x.places)
            return self.__class__(paired(self.entries, x.entries, pairs.terms), pairs.places)
        if isinstance(x, Fixed):
            pairs = pairs_of(self.places, places_of(x))
            return self.__class__(paired(self.entries, entries_of(x), pairs.terms), pairs.places)
        return sparse_product(self.entries, self.places, x)

    def __rmatmul__(self, x: Any) -> Any:
        if isinstance(x, Fixed):
            pairs = pairs_of(places_of(x), self.places)
            return self.__class__(paired(entries_of(x), self.entries, pairs.terms), pairs.places)
        return np.transpose(sparse_product(self.entries, self.places.T, np.transpose(x)))

    def __neg__(self) -> Any:
        return self.__class__(-self.entries, self.places)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self.__class__(
                np.concatenate((self.entries, other.entries)), joined(self.places, other.places)
            )
        return self.__class__(
            np.concatenate((self.entries, entries_of(other))), joined(self.places, places_of(other))
        )

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Sparse):
            return self.__class__(
                np.concatenate((self.entries, -other.entries)), joined(self.places, other.places)
            )
        return self.__class__(
            np.concatenate((self.entries, -entries_of(other))),
            joined(self.places, places_of(other)),
        )

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, number: Any) -> Any:
        return self.__class__(self.entries / values_at(number, self.places), self.places)

    def multiply(self, values: Any) -> Any:
        """Return the product element by element with a number, an array or a matrix."""
        if isinstance(values, Sparse):
            pairs = equal_pairs(self.places, values.places)
            return self.__class__(paired(self.entries, values.entries, pairs.terms), pairs.places)
        if isinstance(values, Fixed):
            pairs = equal_pairs(self.places, places_of(values))
            return self.__class__(
                paired(self.entries, entries_of(values), pairs.terms), pairs.places
            )
        return self.__class__(self.entries * values_at(values, self.places), self.places)

    def diagonal(self) -> Any:
        """Return the diagonal."""
        chosen = self.entries * self.places.on_diagonal
        ones = np.ones_like(self.entries, shape=self.places.shape[1])
        return sparse_product(chosen, self.places, ones)[: self.places.shape[1]]

    def trace(self) -> Any:
        """Return the sum of the diagonal."""
        return np.sum(self.entries * self.places.on_diagonal)

    def __pow__(self, power: Any) -> Any:
        raise MissingRuleError(
            "a power of a sparse matrix of values that vary has no derivative rule",
            hint="take the power of the entries before the matrix is made",
        )

    def __getitem__(self, index: Any) -> Any:
        if names_element(index):
            return self.element(*index)
        part = chosen(self.places, index, self.is_array)
        return self.__class__(self.entries[part.which], part.places)

    def element(self, row: Any, col: Any) -> Any:
        """Return one element."""
        return np.sum(self.entries[at_place(self.places, row, col)])

    def power(self, n: Any) -> Any:
        """Return the matrix whose elements are powers."""
        pairs = merged(self.places)
        one = np.ones_like(self.entries, shape=1)
        return self.__class__(paired(self.entries, one, pairs.terms) ** n, pairs.places)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise MissingRuleError(
            "a sparse matrix of values that a gradient is asked for is no array",
            hint="use A.toarray()",
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingAttributeError(
            f"`{name}` of a sparse matrix of values that vary has no derivative rule",
            hint="there are @, +, -, *, T, dot, multiply, sum, diagonal, trace and toarray",
        )


class SparseArray(Sparse):
    """A sparse array, which multiplies with ``*`` as arrays do."""

    __srcgrad_written_out__ = True

    @property
    def is_array(self) -> bool:
        """Whether rows and columns are taken as those of arrays."""
        return True

    def todense(self) -> Any:
        """Return an array."""
        return dense_array(self.entries, self.places)

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of all entries, or of those of each column (0) or row (1)."""
        return sparse_sum(self.entries, self.places, axis)

    def __mul__(self, values: Any) -> Any:
        return SparseArray(self.entries * values_at(values, self.places), self.places)

    def __rmul__(self, values: Any) -> Any:
        return SparseArray(values_at(values, self.places) * self.entries, self.places)


class SparseMatrix(Sparse):
    """A sparse matrix, which multiplies matrices with ``*``."""

    __srcgrad_written_out__ = True

    @property
    def is_array(self) -> bool:
        """Whether rows and columns are taken as those of arrays."""
        return False

    def sum(self) -> Any:
        """Return the sum of all entries."""
        return np.sum(self.entries)

    def __mul__(self, other: Any) -> Any:
        raise MissingRuleError(
            "`*` of a sparse matrix is a product of matrices",
            hint="write it with `@`, or make it a sparse array: csr_array instead of csr_matrix",
        )

    __rmul__ = __mul__


class Factors:
    """What `splu` returns: a matrix that systems are solved with."""

    __srcgrad_written_out__ = True

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def solve(self, b: Any) -> Any:
        """Return the solution of a system."""
        return factor_solution(self.matrix.entries, self.matrix.places, b)


for _class in (Sparse, SparseArray, SparseMatrix, Factors):
    for _member in vars(_class).values():
        _member = _member.fget if isinstance(_member, property) else _member
        if isinstance(_member, FunctionType):
            in_place(_member)


@in_place
def of_entries(kind: Any, entries: Any, coords: Any, shape: Any = None) -> Any:
    """Make a matrix of entries and their rows and columns."""
    return kind(entries, coo_places(coords, shape))


@in_place
def of_rows(kind: Any, entries: Any, indices: Any, indptr: Any, shape: Any = None) -> Any:
    """Make a matrix of the entries of one row after the other."""
    return kind(entries, csr_places(indices, indptr, shape))


@in_place
def of_columns(kind: Any, entries: Any, indices: Any, indptr: Any, shape: Any = None) -> Any:
    """Make a matrix of the entries of one column after the other."""
    return kind(entries, csc_places(indices, indptr, shape))


@in_place
def of_dense(kind: Any, arg1: Any) -> Any:
    """Make a matrix of an array; entries that are 0 now may change too."""
    return kind(np.ravel(arg1), every_place(np.shape(arg1)))


@in_place
def of_sparse(kind: Any, arg1: Any) -> Any:
    """Make a matrix of a matrix."""
    return kind(arg1.entries, arg1.places)


@in_place
def of_diagonal(kind: Any, diagonals: Any, offsets: Any = 0, shape: Any = None) -> Any:
    """Make a matrix of one diagonal."""
    return kind(diagonals, diagonal_places(diagonals, offsets, shape))


@in_place
def of_diagonals(kind: Any, diagonals: Any, offsets: Any = 0, shape: Any = None) -> Any:
    """Make a matrix of several diagonals; a number fills its diagonal."""
    lengths = [diagonal_length(k, shape, diagonals[0], offsets[0]) for k in offsets]
    entries = [np.broadcast_to(line, n) for line, n in zip(diagonals, lengths, strict=True)]
    return kind(np.concatenate(entries), diagonals_places(offsets, shape, lengths))


@in_place
def of_bands(kind: Any, data: Any, offsets: Any, shape: Any) -> Any:
    """Make a matrix of the rows of an array, each along a diagonal."""
    bands = band_places(np.shape(data), offsets, shape)
    return kind(np.ravel(data)[bands.which], bands.places)


@in_place
def in_blocks(kind: Any, way: str, blocks: Any) -> Any:
    """Make a matrix of blocks."""
    return kind(
        np.concatenate([_entries(block) for block in blocks]),
        block_places([_places(block) for block in blocks], way),
    )


@in_place
def kronecker(kind: Any, A: Any, B: Any) -> Any:
    """Make the Kronecker product of two matrices."""
    return kind(
        np.ravel(np.multiply.outer(_entries(A), _entries(B))), kron_places(_places(A), _places(B))
    )


@in_place
def _entries(matrix: Any) -> Any:
    return matrix.entries if isinstance(matrix, Sparse) else entries_of(matrix)


@in_place
def _places(matrix: Any) -> Any:
    return matrix.places if isinstance(matrix, Sparse) else places_of(matrix)


@in_place
def solution(A: Any, b: Any) -> Any:
    """Solve a system."""
    return sparse_solution(A.entries, A.places, b)


@in_place
def triangular_solution(A: Any, b: Any, lower: bool = True) -> Any:
    """Solve a system whose matrix is a triangle."""
    part = within_triangle(A.places, lower)
    return sparse_solution(A.entries[part.which], part.places, b)


@in_place
def factors(A: Any) -> Any:
    """Return what solves systems with a matrix."""
    return Factors(A)


@in_place
def solving(A: Any) -> Any:
    """Return the function that solves systems with a matrix."""
    return Factors(A).solve


_Found = tuple[Callable[..., Any], tuple[Any, ...], Sequence[Any]] | None
_KINDS: Mapping[Any, tuple[type, Callable[..., Any]]] = {
    sparse.csr_array: (SparseArray, of_rows),
    sparse.csc_array: (SparseArray, of_columns),
    sparse.coo_array: (SparseArray, of_entries),
    sparse.csr_matrix: (SparseMatrix, of_rows),
    sparse.csc_matrix: (SparseMatrix, of_columns),
    sparse.coo_matrix: (SparseMatrix, of_entries),
}
_BANDS = {sparse.dia_array: SparseArray, sparse.dia_matrix: SparseMatrix}
_DIAGONALS = {sparse.diags: SparseMatrix, sparse.diags_array: SparseArray}
_BLOCKS = {sparse.vstack: "down", sparse.hstack: "right", sparse.block_diag: "both"}
_SYSTEMS: Mapping[Any, Callable[..., Any]] = {
    linalg.spsolve: solution,
    linalg.splu: factors,
    linalg.factorized: solving,
    linalg.spsolve_triangular: triangular_solution,
}
WRITTEN = (*_KINDS, *_DIAGONALS, *_SYSTEMS, *_BLOCKS, sparse.kron, *_BANDS, *ITERATIONS)
"""The functions and classes of SciPy that are written out here."""


def sparse_equivalent(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> _Found:
    """Return what stands for a call of a function of SciPy, what it is given first, and more."""
    first = args[0] if args else None
    items = _items(first)
    if "dtype" in keywords:
        return None
    if function in _SYSTEMS:
        return (_SYSTEMS[function], (), args) if is_sparse_object(first) else None
    if function in ITERATIONS:
        solver = iterated_sparse if is_sparse_object(first) else iterated
        return solver, (function.__name__,), args
    if function in _DIAGONALS:
        make = of_diagonal if items is None else of_diagonals
        return make, (_DIAGONALS[function],), args
    if function in _BLOCKS or function is sparse.kron:
        return _of_others(function, args, items)
    if function in _BANDS:
        return (of_bands, (_BANDS[function],), [*items, *args[1:]]) if items else None
    return _of_kind(function, args, items) if function in _KINDS else None


def _of_others(function: Any, args: Sequence[Any], items: Any) -> _Found:
    """Return what stands for a matrix that is made of others, of which one varies."""
    blocks = items if function in _BLOCKS else args[:2]
    made = [item for item in blocks or () if is_sparse_object(item)]
    if not made:
        return None
    if function in _BLOCKS:
        return in_blocks, (_kind_of(made), _BLOCKS[function]), args
    return kronecker, (_kind_of(made),), args[:2]


def _of_kind(function: Any, args: Sequence[Any], items: Any) -> _Found:
    """Return what stands for a sparse matrix of a kind."""
    kind, compressed = _KINDS[function]
    if items is None:
        return (of_sparse if is_sparse_object(args[0]) else of_dense), (kind,), args
    makers = {2: of_entries} if compressed is of_entries else {2: of_entries, 3: compressed}
    found = makers.get(len(items))
    return (found, (kind,), [*items, *args[1:]]) if found is not None else None


def _kind_of(made: Sequence[Any]) -> type:
    """Return what a matrix of others is: an array if one of them is."""
    known = [getattr(item, "cls", type(item)) for item in made]
    return SparseArray if any(issubclass(cls, SparseArray) for cls in known) else SparseMatrix


def is_sparse_object(value: Any) -> bool:
    """Say whether a value, or what a compiler knows of it, is a sparse matrix that varies."""
    known = getattr(value, "cls", type(value))
    return isinstance(known, type) and issubclass(known, Sparse)


def _items(value: Any) -> Any:
    """Return the items of a tuple or list, or of the text of one; None if it is neither."""
    if isinstance(value, (tuple, list)) or is_sparse_object(value):
        return value if isinstance(value, (tuple, list)) else None
    found = getattr(value, "elts", None)
    return getattr(value, "values", None) if found is None else found
