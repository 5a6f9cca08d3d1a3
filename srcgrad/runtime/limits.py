"""Tells the quotients of adjoints of factorisations that are 0 / 0 where values are equal or zero.

Say that the values move along a direction with their vectors held. The gradients of the vectors
change with them, and so do numerators and denominators: the ratio of these changes is the limit, if
it is the same along any direction. How the gradients change is not in them: a caller must know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.factors import are_tied, of_lengths, off_diagonal
from srcgrad.runtime.products import adjoint
from srcgrad.runtime.singular import both_vanish, of_vectors, vanish


@dataclass(frozen=True, slots=True)
class Quotient:
    """Quotients of an adjoint, some of which are 0 / 0.

    Attributes:
        numerator: The numerators, as the gradients of the vectors tell them.
        open: Where numerator and denominator are zero.
        below: The denominators that values have, and that a direction of them has.
    """

    numerator: Any
    open: Any
    below: Callable[[Any], Any]

    def limit(self, change: Any, direction: Any) -> Any:
        """Return the limit along a direction, by the change of the numerators."""
        return np.where(self.open, change / np.where(self.open, self.below(direction), 1), 0)


def quotients_of_eigh(grads: Sequence[Any], w: Any, v: Any) -> list[Quotient]:
    """Return the quotients of the adjoint of `eigh`."""
    turned = adjoint(v) @ grads[1]
    return [Quotient((turned - adjoint(turned)) / 2, _tied(w), _gaps)]


def quotients_of_eig(grads: Sequence[Any], w: Any, v: Any) -> list[Quotient]:
    """Return the quotients of the adjoint of `eig`."""
    turned = of_lengths(adjoint(v) @ grads[1], v)
    return [Quotient(turned, _tied(w), lambda values: _gaps(conj(values)))]


def quotients_of_svd(grads: Sequence[Any], u: Any, s: Any, vh: Any) -> list[Quotient | None]:
    """Return the quotients of the adjoint of `svd`, in the order of its limits."""
    even, odd, *beyond = of_vectors(grads, u, s, vh)
    found: list[Quotient | None] = [Quotient(even, _tied(s), _gaps)]
    found.append(Quotient(odd, both_vanish(s, u), _sums))
    for side in beyond:
        places = None if side is None else np.broadcast_to(_of_columns(vanish(s)), np.shape(side))
        found.append(None if side is None else Quotient(side, places, _of_columns))
    return found


def _tied(values: Any) -> Any:
    return off_diagonal(are_tied(values)).astype(bool)


def _gaps(values: Any) -> Any:
    return np.expand_dims(values, -2) - np.expand_dims(values, -1)


def _sums(values: Any) -> Any:
    return np.expand_dims(values, -2) + np.expand_dims(values, -1)


def _of_columns(values: Any) -> Any:
    return np.expand_dims(values, -2)


def turns_of_eigh(w: Any, v: Any, drawn: np.random.Generator) -> list[Any]:
    """Return a change of each factor that leaves what it is of as it is: any turn at ties."""
    return [None, v @ _skew(_like(np.shape(v), v, drawn) * _tied(w))]


def turns_of_eig(w: Any, v: Any, drawn: np.random.Generator) -> list[Any]:
    """Do the same for vectors of length one that need not be orthogonal."""
    change = v @ (_like(np.shape(v), v, drawn) * _tied(w))
    lengths = np.real(np.sum(conj(v) * change, axis=-2, keepdims=True))
    return [None, change - v * lengths]


def turns_of_svd(u: Any, s: Any, vh: Any, drawn: np.random.Generator) -> list[Any]:
    """Do the same for singular vectors: those of zero turn by themselves, and to the outside."""
    none = vanish(s)
    tied = _tied(s) & ~(none[..., :, None] | none[..., None, :])
    together = _skew(_like(np.shape(tied), u, drawn) * tied)
    sides = []
    for vectors in (u, adjoint(vh)):
        rank, count = np.shape(s)[-1], np.shape(vectors)[-1]
        free = np.ones((*np.shape(s)[:-1], count), bool)
        free[..., :rank] = none
        both = free[..., :, None] & free[..., None, :]
        turn = _skew(_like(np.shape(both), u, drawn) * both)
        turn[..., :rank, :rank] += together
        any_way = _like(np.shape(vectors), u, drawn)
        outside = any_way - vectors @ (adjoint(vectors) @ any_way)
        sides.append(vectors @ turn + outside * free[..., None, :])
    return [sides[0], None, adjoint(sides[1])]


def _like(shape: tuple[int, ...], vectors: Any, drawn: np.random.Generator) -> Any:
    numbers = drawn.normal(size=shape)
    return numbers + 1j * drawn.normal(size=shape) if np.iscomplexobj(vectors) else numbers


def _skew(matrix: Any) -> Any:
    return (matrix - adjoint(matrix)) / 2
