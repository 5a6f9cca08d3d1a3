"""Turns the vectors of equal eigenvalues and singular values into those that a direction asks for.

Where values are equal, any turn of their vectors would do as well, and NumPy takes one of them. Of
these one alone goes on smoothly as the matrix moves along a direction: the one that makes the
change of the matrix diagonal among equal values. With that, tangents have no 0 / 0 in them, for
every loss that does not depend on the choice. So the functions here write into the vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.factors import are_tied
from srcgrad.runtime.products import adjoint
from srcgrad.runtime.singular import svd_push, vanish
from srcgrad.runtime.tangents import (
    eig_push,
    eigh_push,
    general_change,
    general_eigh_push,
    symmetric_from,
)


def turned_eigh_push(a_dot: Any, w: Any, v: Any, uplo: str) -> tuple[Any, Any]:
    """Turn the vectors of equal eigenvalues to suit a direction, and return the tangents.

    >>> direction, v = np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(2)
    >>> w_dot, v_dot = turned_eigh_push(direction, np.ones(2), v, "L")
    >>> print(np.round(w_dot, 12), np.round(np.abs(v * v), 12).tolist())
    [-1.  1.] [[0.5, 0.5], [0.5, 0.5]]
    """
    change = symmetric_from(a_dot, lower=uplo.upper() == "L")
    for place in np.ndindex(np.shape(w)[:-1]):
        for group in tied_groups(w[place]):
            vectors = v[place][:, group]
            block = adjoint(vectors) @ change[place] @ vectors
            v[place][:, group] = vectors @ np.linalg.eigh(block)[1]
    return eigh_push(a_dot, w, v, uplo)


def turned_general_eigh_push(
    a_dot: Any, b_dot: Any, b: Any, w: Any, v: Any, lower: bool
) -> tuple[Any, Any]:
    """Do the same for the vectors of ``a @ v = b @ v * w``."""
    change = general_change(a_dot, b_dot, w, v, lower)
    for group in tied_groups(w):
        v[:, group] = v[:, group] @ np.linalg.eigh(change[np.ix_(group, group)])[1]
    return general_eigh_push(a_dot, b_dot, b, w, v, lower)


def turned_eig_push(a_dot: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Do the same for a general matrix; vectors that would have to become complex stay."""
    for place in np.ndindex(np.shape(w)[:-1]):
        for group in tied_groups(w[place]):
            inner = np.linalg.solve(v[place], a_dot[place] @ v[place])
            turn = np.linalg.eig(inner[np.ix_(group, group)])[1]
            if np.can_cast(turn.dtype, v.dtype, "same_kind"):
                _lengthen(v[place], group, turn)
    return eig_push(a_dot, w, v)


def turned_svd_push(a_dot: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any, Any]:
    """Do the same for singular vectors, of those too whose singular value is zero."""
    for place in np.ndindex(np.shape(s)[:-1]):
        left, right, change = u[place], vh[place], a_dot[place]
        kept = int(np.sum(~vanish(s[place])))
        for group in tied_groups(s[place][:kept]):
            inner = adjoint(left[:, group]) @ change @ adjoint(right[group])
            turn = np.linalg.eigh((inner + adjoint(inner)) / 2)[1]
            left[:, group] = left[:, group] @ turn
            right[group] = adjoint(turn) @ right[group]
        if kept < np.shape(s)[-1]:
            rows, columns = beyond(left[:, :kept]), beyond(adjoint(right[:kept]))
            turn, _, other = np.linalg.svd(adjoint(rows) @ change @ columns)
            _replace(left, right, kept, rows @ turn, columns @ adjoint(other))
    return svd_push(a_dot, u, s, vh)


def turned_eigvalsh_push(a_dot: Any, a: Any, uplo: str) -> Any:
    """Return the tangents of eigenvalues in the order of the vectors that were turned."""
    w, v = np.linalg.eigh(a, uplo)
    return turned_eigh_push(a_dot, w, v, uplo)[0]


def turned_svdvals_push(a_dot: Any, a: Any) -> Any:
    """Return the tangents of singular values in the order of the vectors that were turned."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return turned_svd_push(a_dot, u, s, vh)[1]


def mixed_eigh_push(a_dot: Any, w: Any, v: Any, uplo: str) -> tuple[Any, Any]:
    """Turn the vectors of equal eigenvalues anyhow: what does not depend on the choice stays."""
    for place in np.ndindex(np.shape(w)[:-1]):
        for group in tied_groups(w[place]):
            v[place][:, group] = v[place][:, group] @ _any_turn(len(group))
    return eigh_push(a_dot, w, v, uplo)


def mixed_general_eigh_push(
    a_dot: Any, b_dot: Any, b: Any, w: Any, v: Any, lower: bool
) -> tuple[Any, Any]:
    """Do the same for the vectors of ``a @ v = b @ v * w``."""
    for group in tied_groups(w):
        v[:, group] = v[:, group] @ _any_turn(len(group))
    return general_eigh_push(a_dot, b_dot, b, w, v, lower)


def mixed_eig_push(a_dot: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Do the same for a general matrix."""
    for place in np.ndindex(np.shape(w)[:-1]):
        for group in tied_groups(w[place]):
            _lengthen(v[place], group, _any_turn(len(group)) + 0.5 * np.eye(len(group)))
    return eig_push(a_dot, w, v)


def mixed_svd_push(a_dot: Any, u: Any, s: Any, vh: Any) -> tuple[Any, Any, Any]:
    """Do the same for singular vectors; the two of a singular value of zero have no tie."""
    for place in np.ndindex(np.shape(s)[:-1]):
        left, right = u[place], vh[place]
        kept = int(np.sum(~vanish(s[place])))
        for group in tied_groups(s[place][:kept]):
            turn = _any_turn(len(group))
            left[:, group] = left[:, group] @ turn
            right[group] = adjoint(turn) @ right[group]
        if kept < np.shape(s)[-1]:
            rows, columns = beyond(left[:, :kept]), beyond(adjoint(right[:kept]))
            rows, columns = (m @ _any_turn(np.shape(m)[-1]) for m in (rows, -columns))
            _replace(left, right, kept, rows, columns)
    return svd_push(a_dot, u, s, vh)


def tied_groups(values: Any) -> list[list[int]]:
    """Return the places of values that are equal to rounding, several at a time.

    >>> tied_groups(np.array([1.0, 2.0, 2.0, 3.0, 2.0]))
    [[1, 2, 4]]
    """
    tied = are_tied(values)
    groups: list[list[int]] = []
    for place in range(len(values)):
        near = next((group for group in groups if tied[place, group].any()), None)
        if near is None:
            groups.append([place])
        else:
            near.append(place)
    return [group for group in groups if len(group) > 1]


def beyond(basis: Any) -> Any:
    """Return an orthonormal basis of what is orthogonal to the columns of a matrix."""
    rows, columns = np.shape(basis)
    if not columns:
        return np.eye(rows, dtype=basis.dtype)
    return np.linalg.qr(basis, mode="complete")[0][:, columns:]


def _replace(left: Any, right: Any, kept: int, rows: Any, columns: Any) -> None:
    """Write vectors in the place of those from `kept` on, as many as there are."""
    left[:, kept:] = rows[:, : np.shape(left)[1] - kept]
    right[kept:] = adjoint(columns)[: np.shape(right)[0] - kept]


def _lengthen(vectors: Any, group: list[int], turn: Any) -> None:
    """Turn columns of a matrix, and give them the length one again."""
    turned = vectors[:, group] @ turn
    vectors[:, group] = turned / np.linalg.norm(turned, axis=0)


def _any_turn(count: int) -> Any:
    """Return a matrix that turns vectors anyhow, the same one at every run."""
    return np.linalg.qr(np.random.default_rng(count).normal(size=(count, count)))[0]
