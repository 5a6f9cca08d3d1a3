"""Tells limits of adjoints at equal values for functions that use the vectors in a simple way.

Exported modules know how a function is written: see `srcgrad.exporting.ties`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.factors import largest, negligible
from srcgrad.runtime.products import adjoint
from srcgrad.runtime.slopes import divide_or_zero


def limit_of_function(grad_w: Any, grad_v: Any, v: Any) -> Any:
    """Return the limit if a function reads `v` in one term ``v @ diag(h(w)) @ v.T`` alone.

    For the loss sum(G * that) and M = v.T @ G @ v the symmetric part of v.T @ grad_v is 2 h M, and
    the gradient of w is h' times the diagonal of M. So both diagonals give the ratio h' / 2 h,
    which takes the one matrix to the limit h' M. It is NaN where they are zero, or no such ratio.
    """
    turned = adjoint(v) @ grad_v
    symmetric, skew = (turned + adjoint(turned)) / 2, (turned - adjoint(turned)) / 2
    diagonal = np.real(np.diagonal(symmetric, axis1=-2, axis2=-1))
    here, there = np.expand_dims(diagonal, -1), np.expand_dims(diagonal, -2)
    mine, theirs = np.expand_dims(grad_w, -1), np.expand_dims(grad_w, -2)
    square = here * here + there * there
    ratio = divide_or_zero(mine * here + theirs * there, square)
    allowed = negligible(largest(turned) + largest(np.expand_dims(grad_w, -1)))
    misfit = np.absolute(mine - ratio * here) + np.absolute(theirs - ratio * there)
    unknown = np.logical_or(misfit + np.absolute(skew) > allowed, square <= allowed * allowed)
    return np.where(unknown, np.nan, ratio * symmetric)


def limit_beside(values: Any, *columns: Any) -> Any:
    """Return the limit if a function reads some columns of the vectors alone: 0 among the others.

    >>> print(limit_beside(np.ones(3), -1).tolist())
    [[0.0, 0.0, nan], [0.0, 0.0, nan], [nan, nan, nan]]
    """
    read = _chosen(np.shape(values)[-1], columns)
    return np.where(np.logical_or(np.expand_dims(read, -1), read), np.nan, 0.0)


def limits_beside(u: Any, vh: Any, columns: Any, rows: Any) -> tuple[Any, Any, Any, Any]:
    """Return the same for singular vectors: among those that are not read, and outside of them."""
    left, right = _chosen(np.shape(u)[-1], columns), _chosen(np.shape(vh)[-2], rows)
    rank = min(len(left), len(right))
    read = np.logical_or(left[:rank], right[:rank])
    inside = np.where(np.logical_or(np.expand_dims(read, -1), read), np.nan, 0.0)
    # those that only fill the space up turn into all others
    beyond = [np.where(side[:rank] | side[rank:].any(), np.nan, 0.0) for side in (left, right)]
    return inside, inside, beyond[0], beyond[1]


def _chosen(count: int, places: Any) -> Any:
    read = np.zeros(count, bool)
    for place in places:
        read[place] = True
    return read
