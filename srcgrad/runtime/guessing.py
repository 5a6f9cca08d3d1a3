"""Guesses limits of adjoints where values are equal or zero, for callers who check what they get.

The gradients of the factors tell the limit if one function of the matrix alone explains them, as
``v @ np.diag(h(w)) @ v.T``. That it is one they do not tell: two may add up to the same gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.runtime.factors import largest, negligible, of_lengths
from srcgrad.runtime.products import adjoint
from srcgrad.runtime.singular import of_vectors
from srcgrad.runtime.slopes import divide_or_zero


def _of_eigh(grad_w: Any, grad_v: Any, v: Any) -> Any:
    """Guess the limit that `eigh_back` takes."""
    turned = adjoint(v) @ grad_v
    return _unless_chosen(_at_ties(turned, grad_w), turned - adjoint(turned), largest(turned))


def _of_eig(grad_w: Any, grad_v: Any, _: Any, v: Any) -> Any:
    """Guess the limit at equal eigenvalues: 0 if the loss does not depend on them, else NaN.

    Of ``v @ diag(h(w)) @ inv(v)`` nothing is left in the gradient of `v` that would tell more.
    """
    turned = of_lengths(adjoint(v) @ grad_v, v)
    matters = np.absolute(turned) > negligible(largest(turned))
    if grad_w is not None:
        counts = np.absolute(grad_w) > 0
        both = np.logical_or(np.expand_dims(counts, -1), np.expand_dims(counts, -2))
        matters = np.logical_or(matters, both)
    return np.where(matters, np.nan, 0 * turned)


def _of_svd(grads: Any, result: Any) -> tuple[Any, Any, Any, Any]:
    """Guess the limits that `svd_back` takes."""
    u, s, vh = result
    rank = np.shape(s)[-1]
    even, odd, beyond_u, beyond_v = of_vectors(grads, u, s, vh)
    sides = [(grads[0], u), (None if grads[2] is None else adjoint(grads[2]), adjoint(vh))]
    turned = [adjoint(v[..., :rank]) @ g[..., :rank] for g, v in sides if g is not None]
    size = sum(map(largest, turned))
    together = _unless_chosen(_at_ties(sum(turned), grads[1]), 2 * even, size)
    against = np.where(np.absolute(odd) > negligible(size), np.nan, 0 * odd)
    beyond = [
        None if side is None else _beyond(side, grad[..., :rank], grads[1])
        for side, (grad, _) in zip((beyond_u, beyond_v), sides, strict=True)
    ]
    return together, against, beyond[0], beyond[1]


def _beyond(outside: Any, grad: Any, grad_s: Any) -> Any:
    """Guess what a gradient of vectors has outside of their space, over singular values of zero.

    That comes times a zero, so that nothing may be left of it.
    """
    lost = np.absolute(outside) > negligible(largest(grad))
    if grad_s is not None:
        matters = np.absolute(grad_s) > negligible(np.max(np.absolute(grad_s), -1, keepdims=True))
        lost = np.logical_or(lost, np.expand_dims(matters, -2))
    return np.where(lost, np.nan, 0 * outside)


def _at_ties(turned: Any, grad_values: Any) -> Any:
    """Return the limit of a quotient over the gap of two values that meet.

    For the loss sum(G * (v @ diag(h(w)) @ v.T)) and M = v.T @ G @ v the symmetric part of
    ``turned`` = v.T @ grad_v is 2 h M, and the gradient of w is h' times the diagonal of M. So both
    diagonals give the ratio h' / 2 h, which takes the one matrix to the limit h' M. A loss of whole
    eigenspaces has the ratio 0. If two elements disagree about the ratio, the limit is not known.
    """
    if grad_values is None:
        return 0 * turned
    symmetric = (turned + adjoint(turned)) / 2
    diagonal = np.real(np.diagonal(symmetric, axis1=-2, axis2=-1))
    here, there = np.expand_dims(diagonal, -1), np.expand_dims(diagonal, -2)
    mine, theirs = np.expand_dims(grad_values, -1), np.expand_dims(grad_values, -2)
    square = here * here + there * there
    ratio = divide_or_zero(mine * here + theirs * there, square)
    size = largest(symmetric) + largest(np.expand_dims(grad_values, -1))
    allowed = negligible(size)
    misfit = np.maximum(np.absolute(mine - ratio * here), np.absolute(theirs - ratio * there))
    unknown = np.logical_or(misfit > allowed, square <= allowed * allowed)
    # two diagonals of one number each fit any ratio: other terms may be among them
    unknown = np.logical_or(unknown, np.absolute(here - there) <= allowed)
    matters = np.absolute(symmetric) > allowed
    # where h vanishes, M is lost: of it, only the diagonal comes with the gradient of w
    lost = np.maximum(np.absolute(mine), np.absolute(theirs)) > allowed
    lost = np.logical_and(lost, square <= allowed * allowed)
    guess = np.logical_or(lost, np.logical_and(matters, unknown))
    return np.where(guess, np.nan, ratio * symmetric)


def _unless_chosen(limit: Any, skew: Any, size: Any) -> Any:
    """Return the limit at ties, NaN where a loss depends on which of the vectors were chosen.

    Turning the vectors into each other changes the loss by the skew part of ``v.T @ grad_v``,
    which is compared with the size of that.
    """
    return np.where(np.absolute(skew) > negligible(size), np.nan, limit)


def _first_two(grad_w: Any, grad_v: Any, _: Any, v: Any, *options: Any) -> Any:
    del options
    return _of_eigh(grad_w, grad_v, v)


def _of_general(grads: Any, _: Any, *rest: Any) -> Any:
    return _first_two(grads[0], grads[1], *rest)


GUESSES: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "eigh_back": _first_two,
        "eigh_tridiagonal_back": _first_two,
        "general_eigh_back": _of_general,
        "eig_back": _of_eig,
        "svd_back": _of_svd,
    }
)
"""Functions that take limits last, with what guesses these of their other arguments."""
