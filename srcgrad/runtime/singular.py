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
    largest,
    negligible,
    off_diagonal,
    on_diagonal,
    once,
    over_gaps,
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


def _over(turned: Any, below: Any, none: Any, limit: Any) -> Any:
    """Divide by what may be zero, and give the limit there."""
    known = once(limit + 0 * turned, none)
    return np.where(none, known, turned / np.where(below == 0, 1, below))


def both_vanish(s: Any, vectors: Any) -> Any:
    """Return which pairs of singular values are zero and may turn against each other.

    A real vector cannot turn against its partner, as a complex one can in its phase.
    """
    none = np.logical_and(np.expand_dims(vanish(s), -2), np.expand_dims(vanish(s), -1))
    return none if np.iscomplexobj(vectors) else off_diagonal(none).astype(bool)


def svd_back(grads: Any, result: Any, limits: Any = (np.nan, np.nan, np.nan, np.nan)) -> Any:
    """Return the gradient of the three factors of an SVD; that of an unused one is None.

    `limits` hold where values are equal or zero: of what `of_vectors` returns, divided.
    """
    u, s, vh = result
    rank = np.shape(s)[-1]
    main_u, main_vh = u[..., :, :rank], vh[..., :rank, :]
    grad_s = None if grads[1] is None else real_part(grads[1])
    if grads[0] is None and grads[2] is None and grad_s is not None:
        return (main_u * np.expand_dims(grad_s, -2)) @ main_vh
    even, odd, beyond_u, beyond_v = of_vectors(grads, u, s, vh)
    sums = np.expand_dims(s, -2) + np.expand_dims(s, -1)
    inner = off_diagonal(over_gaps(even, s, limits[0]))
    inner = inner + _over(odd, sums, both_vanish(s, u), limits[1])
    inner = inner if grad_s is None else inner + on_diagonal(grad_s)
    total = main_u @ inner @ main_vh
    values, none = np.expand_dims(s, -2), np.expand_dims(vanish(s), -2)
    if beyond_u is not None:
        total = total + _over(beyond_u, values, none, limits[2]) @ main_vh
    if beyond_v is not None:
        total = total + main_u @ adjoint(_over(beyond_v, values, none, limits[3]))
    return total


def of_vectors(grads: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any, Any, Any]:
    """Return what the gradients of the vectors say: how they turn together and against each other.

    And what they have outside of the spaces that they span, None if there is nothing outside.
    """
    rank = np.shape(s)[-1]
    skew_u, beyond_u = _of_side(grads[0], u, rank)
    skew_v, beyond_v = _of_side(None if grads[2] is None else adjoint(grads[2]), adjoint(vh), rank)
    return (skew_u + skew_v) / 2, (skew_u - skew_v) / 2, beyond_u, beyond_v


def _of_side(grad: Any, vectors: Any, rank: int) -> tuple[Any, Any]:
    main, rest = vectors[..., :, :rank], vectors[..., :, rank:]
    if grad is None:
        return 0.0, None
    thin = grad[..., :, :rank] - rest @ (adjoint(grad[..., :, rank:]) @ main)
    turned = adjoint(main) @ thin
    beyond = thin - main @ turned if np.shape(main)[-2] > rank else None
    return turned - adjoint(turned), beyond


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
