"""Matrices of a certain form in ``scipy.linalg``, written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out

table = EquivalentTable()


@table.of(linalg.companion)
def companion(a: Any) -> Any:
    """Return the matrix that has a polynomial for its characteristic one."""
    below = np.eye(len(a) - 2, len(a) - 1)
    return np.concatenate([-a[None, 1:] / a[0], below])


@table.of(linalg.convolution_matrix)
def convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    """Return the matrix that a convolution multiplies by."""
    rest = np.zeros_like(a, shape=(n - 1,))
    full = linalg.toeplitz(np.concatenate([a, rest]), np.concatenate([a[:1], rest]))
    short = min(len(a), n)
    if mode == "full":
        return full
    if mode == "same":
        start = (short - 1) // 2
        return full[start : start + max(len(a), n)]
    return full[short - 1 : max(len(a), n)]


@table.of(linalg.leslie)
def leslie(f: Any, s: Any) -> Any:
    """Return the matrix of what is born and what survives."""
    return np.concatenate([f[None], np.diag(s, -1)[1:]])


@table.of(linalg.fiedler)
def fiedler(a: Any) -> Any:
    """Return the distances of numbers from each other."""
    return np.abs(a[:, None] - a[None])


@table.of(linalg.diagsvd)
def diagsvd(s: Any, M: int, N: int) -> Any:
    """Return the diagonal matrix of singular values."""
    return np.pad(np.diag(s), ((0, M - len(s)), (0, N - len(s))))


@table.of(linalg.solve_circulant)
def solve_circulant(c: Any, b: Any) -> Any:
    """Return the solution of a system with a circulant matrix, by transforms."""
    spectrum = np.fft.fft(c)
    if np.ndim(b) == 2:
        spectrum = spectrum[:, None]
    found = np.fft.ifft(np.fft.fft(b, axis=0) / spectrum, axis=0)
    return np.real(found) if np.isrealobj(c) and np.isrealobj(b) else found


@written_out
def toeplitz_of(c_or_cr: Any) -> Any:
    """Return a Toeplitz matrix, given its column or its column and row."""
    if isinstance(c_or_cr, tuple):
        return linalg.toeplitz(c_or_cr[0], c_or_cr[1])
    return linalg.toeplitz(c_or_cr)


@table.of(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any) -> Any:
    """Return the solution of a system with a Toeplitz matrix."""
    return linalg.solve(toeplitz_of(c_or_cr), b)


@table.of(linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr: Any, x: Any) -> Any:
    """Return a Toeplitz matrix times another."""
    return toeplitz_of(c_or_cr) @ x


@table.of(linalg.solveh_banded)
def solveh_banded(ab: Any, b: Any, *, lower: bool = False) -> Any:
    """Return the solution of a Hermitian system, given its diagonals on one side."""
    reach, size = len(ab) - 1, np.shape(ab)[1]
    rows = [ab] if lower else []
    for k in range(1, reach + 1):
        gap = np.zeros_like(ab, shape=(1, k))
        if lower:
            rows = [np.concatenate([gap, np.conj(ab[k : k + 1, : size - k])], axis=1), *rows]
        else:
            rows = [
                *rows,
                np.concatenate([np.conj(ab[reach - k : reach - k + 1, k:]), gap], axis=1),
            ]
    every = np.concatenate(rows if lower else [ab, *rows])
    return linalg.solve_banded((reach, reach), every, b)


@table.of(linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal(d: Any, e: Any) -> Any:
    """Return the eigenvalues of a symmetric matrix of three diagonals."""
    return linalg.eigh_tridiagonal(d, e)[0]


@table.of(linalg.pinvh)
def pinvh(a: Any, *, lower: bool = True) -> Any:
    """Return the pseudoinverse of a Hermitian matrix, of which one triangle is read."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    return linalg.pinv(half + np.conj(half.T) + np.diag(np.real(np.diagonal(a))))


@table.of(linalg.signm)
def signm(A: Any) -> Any:
    """Return the matrix whose eigenvalues are the signs of those of another."""
    return A @ linalg.inv(linalg.sqrtm(A @ A))


@table.of(linalg.orth)
def orth(A: Any) -> Any:
    """Return vectors that span what the columns of a matrix span."""
    u, s, _ = linalg.svd(A, full_matrices=False)
    least = np.max(s) * max(np.shape(A)) * np.finfo(s.dtype).eps
    return u[:, : np.sum(s > least)]


@table.of(linalg.orthogonal_procrustes)
def orthogonal_procrustes(A: Any, B: Any) -> Any:
    """Return the turn that brings one matrix closest to another, and the sum of the scales."""
    both = np.conj(A.T) @ B
    return linalg.polar(both)[0], np.sum(linalg.svdvals(both))


@table.of(linalg.expm_frechet)
def expm_frechet(A: Any, E: Any) -> Any:
    """Return the exponential of a matrix and how it changes along another."""
    size = len(A)
    whole = linalg.expm(np.block([[A, E], [np.zeros_like(A), A]]))
    return whole[:size, :size], whole[:size, size:]


EQUIVALENTS = table.freeze()
