"""Derivatives of singular values and vectors, both ways.

Two singular values that agree to rounding leave it open which vectors belong to them, and one that
is zero leaves open which vector on the left belongs to which on the right. As for eigenvalues (see
`factors`), what comes out is the limit where it can be told, and NaN where it cannot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.complex_parts import real_part
from srcgrad.runtime.factors import (
    apart,
    at_ties,
    largest,
    negligible,
    off_diagonal,
    on_diagonal,
    over_gaps,
    unless_chosen,
)
from srcgrad.runtime.products import adjoint


def svdvals_back(grad: Any, a: Any) -> Any:
    """Return the gradient of the singular values of `a`."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    right = adjoint(apart(adjoint(vh), s))
    return (apart(u, s) * np.expand_dims(real_part(grad), -2)) @ right


def svdvals_push(a_dot: Any, a: Any) -> Any:
    """Return the tangent of the singular values of `a`."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.real(np.einsum("...ji,...jk,...ik->...i", np.conj(u), a_dot, np.conj(vh)))


def vanish(s: Any) -> Any:
    """Return which singular values are zero, to rounding."""
    precision = 8 * np.finfo(s.dtype).eps * np.shape(s)[-1]
    return s <= precision * s[..., :1]


def _over_sums(turned: Any, s: Any, size: Any) -> Any:
    """Divide by sums of singular values; where both are zero, only nothing remains nothing."""
    none = np.logical_and(np.expand_dims(vanish(s), -2), np.expand_dims(vanish(s), -1))
    sums = np.expand_dims(s, -2) + np.expand_dims(s, -1)
    lost = np.where(np.absolute(turned) > negligible(size), np.nan, 0 * turned)
    return np.where(none, lost, turned / np.where(none, 1, sums))


def _over_values(turned: Any, s: Any, size: Any) -> Any:
    """Divide columns by singular values; where one is zero, only nothing remains nothing."""
    none = np.expand_dims(vanish(s), -2)
    lost = np.where(np.absolute(turned) > negligible(size), np.nan, 0 * turned)
    return np.where(none, lost, turned / np.where(none, 1, np.expand_dims(s, -2)))


def svd_back(grads: Any, result: Any) -> Any:
    """Return the gradient of the three factors of an SVD; that of an unused one is None."""
    u, s, vh = result
    grad_s = None if grads[1] is None else real_part(grads[1])
    rank = np.shape(s)[-1]
    v = adjoint(vh)
    grad_u = _thin(grads[0], u, rank)
    grad_v = None if grads[2] is None else _thin(adjoint(grads[2]), v, rank)
    u, v = u[..., :, :rank], v[..., :, :rank]
    if grad_u is None and grad_v is None and grad_s is not None:
        return (u * np.expand_dims(grad_s, -2)) @ adjoint(v)
    of_u = None if grad_u is None else adjoint(u) @ grad_u
    of_v = None if grad_v is None else adjoint(v) @ grad_v
    total = u @ _inner(of_u, of_v, s, grad_s) @ adjoint(v)
    if of_u is not None and np.shape(u)[-2] > rank:
        total = total + _beyond(grad_u, u, of_u, s, grad_s) @ adjoint(v)
    if of_v is not None and np.shape(v)[-2] > rank:
        total = total + u @ adjoint(_beyond(grad_v, v, of_v, s, grad_s))
    return total


def _inner(of_u: Any, of_v: Any, s: Any, grad_s: Any) -> Any:
    """Return the gradient between the singular vectors on the left and those on the right."""
    size = sum(largest(turned) for turned in (of_u, of_v) if turned is not None)
    together = sum(turned for turned in (of_u, of_v) if turned is not None)
    skew_u, skew_v = (0 if t is None else t - adjoint(t) for t in (of_u, of_v))
    limit = unless_chosen(at_ties(together, grad_s), skew_u + skew_v, size)
    inner = off_diagonal(over_gaps((skew_u + skew_v) / 2, s, limit))
    inner = inner + _over_sums((skew_u - skew_v) / 2, s, size)
    return inner if grad_s is None else inner + on_diagonal(grad_s)


def _thin(grad: Any, vectors: Any, rank: int) -> Any:
    """Fold the gradient of the vectors that only fill a space up into that of the others."""
    if grad is None:
        return None
    main, rest = vectors[..., :, :rank], vectors[..., :, rank:]
    return grad[..., :, :rank] - rest @ (adjoint(grad[..., :, rank:]) @ main)


def _beyond(grad: Any, vectors: Any, turned: Any, s: Any, grad_s: Any) -> Any:
    """Return what the gradient of singular vectors has outside of the space that they span.

    Where a singular value is zero that comes times a zero, so that nothing may be left of it.
    """
    outside, size = grad - vectors @ turned, largest(grad)
    if not np.size(s):
        return outside
    column = np.max(np.absolute(grad), axis=-2, keepdims=True)
    found = np.expand_dims(s, -2)
    largest_value = found[..., :1]
    left = negligible(column * largest_value) <= size * found  # it came times this value
    told = np.logical_and(left, found > 0)
    none = np.logical_and(np.expand_dims(vanish(s), -2), np.logical_not(told))
    lost = np.absolute(outside) > negligible(size)
    if grad_s is not None:
        matters = np.absolute(grad_s) > negligible(np.max(np.absolute(grad_s), -1, keepdims=True))
        lost = np.logical_or(lost, np.expand_dims(matters, -2))
    return np.where(none, np.where(lost, np.nan, 0 * outside), outside / np.where(none, 1, found))


def svd_push(a_dot: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any, Any]:
    """Return the tangents of the three factors of an SVD.

    Those of vectors are NaN where the direction decides which vectors they become.
    """
    rank = np.shape(s)[-1]
    v, size = adjoint(vh), largest(a_dot)
    left, right = u[..., :, :rank], v[..., :, :rank]
    inner = adjoint(left) @ a_dot @ right
    even, odd = (inner + adjoint(inner)) / 2, (inner - adjoint(inner)) / 2
    mixed = np.where(np.absolute(even) > negligible(size), np.nan, 0 * even)
    turning, opposite = off_diagonal(over_gaps(even, s, mixed)), _over_sums(odd, s, size)
    u_dot = _all_vectors(u, turning + opposite, a_dot @ right, s, size)
    v_dot = _all_vectors(v, turning - opposite, adjoint(a_dot) @ left, s, size)
    return u_dot, np.real(np.einsum("...ii->...i", inner)), adjoint(v_dot)


def _all_vectors(vectors: Any, turning: Any, moved: Any, s: Any, size: Any) -> Any:
    """Return the tangent of singular vectors, of those that only fill the space up as well."""
    rank = np.shape(s)[-1]
    main, rest = vectors[..., :, :rank], vectors[..., :, rank:]
    outwards = _over_values(moved - main @ (adjoint(main) @ moved), s, size)
    if np.shape(vectors)[-2] == rank:
        return main @ turning
    if np.shape(rest)[-1] == 0:
        return main @ turning + outwards
    return np.concatenate([main @ turning + outwards, -main @ (adjoint(outwards) @ rest)], axis=-1)
