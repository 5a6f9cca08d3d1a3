"""Calculates gradients of matrices of a structure, and of the solutions of their equations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import adjoint, conj
from srcgrad.runtime.scipy.linalg import columns


def block_diag_back(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the gradient of each block on a diagonal."""
    parts: list[Any] = []
    row = column = 0
    for shape in shapes:
        height, width = (1, 1, *shape)[-2:]
        part = grad[row : row + height, column : column + width]
        parts.append(np.reshape(part, shape))
        row, column = row + height, column + width
    return tuple(parts)


def join_block_diag(parts: Any) -> Any:
    """Put blocks on a diagonal: the adjoint of `block_diag_back`."""
    return linalg.block_diag(*parts)


def _vectors(*values: Any) -> None:
    if any(np.ndim(value) > 1 for value in values):
        raise MissingRuleError(
            "matrices made of several vectors at once have no derivative rule",
            hint="make them one by one",
        )


vars(_vectors)["__srcgrad_constant__"] = True


def _sums(grad: Any, count: int, step: int) -> Any:
    """Return the sums over diagonals, from the main one on."""
    return np.stack([np.trace(grad, step * k) for k in range(count)])


def toeplitz_back(grad: Any, c: Any, r: Any) -> tuple[Any, Any]:
    """Return the gradients of both vectors of ``linalg.toeplitz(c, r)``."""
    _vectors(c, r)
    below = _sums(grad, np.size(c), -1)
    above = _sums(grad, np.size(c) if r is None else np.size(r), 1)
    above = np.concatenate([0 * above[:1], above[1:]])
    if r is None:
        return np.reshape(below + conj(above), np.shape(c)), None
    return np.reshape(below, np.shape(c)), np.reshape(above, np.shape(r))


def hankel_back(grad: Any, c: Any, r: Any) -> tuple[Any, Any]:
    """Return the gradients of both vectors of ``linalg.hankel(c, r)``."""
    height, width = np.shape(grad)
    flipped = np.flip(grad, 1)
    sums = np.stack([np.trace(flipped, width - 1 - k) for k in range(height + width - 1)])
    grad_c = np.reshape(sums[:height], np.shape(c))
    if r is None:
        return grad_c, None
    rest = np.concatenate([0 * sums[:1], sums[height:]])
    return grad_c, np.reshape(rest, np.shape(r))


def circulant_back(grad: Any, c: Any) -> Any:
    """Return the gradient of the vector of ``linalg.circulant(c)``."""
    _vectors(c)
    n = np.size(c)
    place = np.arange(n)
    rows = np.reshape(place, (n, 1)) + place
    return np.sum(grad[rows % n, place], axis=1)


def solve_banded_back(grad: Any, l_and_u: Any, values: tuple[Any, Any, Any]) -> tuple[Any, Any]:
    """Return the gradients of the bands and of b of ``y = linalg.solve_banded(l_and_u, ab, b)``."""
    ab, b, y = values
    below, above = l_and_u
    n = np.shape(ab)[-1]
    bands = range(-below, above + 1)  # band k holds a[i, i + k]
    turned = np.stack([_late(conj(ab[above - k, _there(k, n)]), -k) for k in bands])
    grad_b = linalg.solve_banded((above, below), turned, grad)
    left, right = columns(grad_b, b), conj(columns(y, b))
    products = [-np.sum(left[_there(-k, n)] * right[_there(k, n)], axis=-1) for k in bands]
    rows = [_late(row, k) for k, row in zip(bands, products, strict=True)]
    return np.stack(rows[::-1]), grad_b


def _there(k: int, n: int) -> slice:
    """Return the places along n that are k after others."""
    return slice(max(k, 0), max(n + min(k, 0), 0))


def _late(band: Any, k: int) -> Any:
    """Return a band with zeros before, or behind if k is negative."""
    gap = np.zeros_like(band, shape=(abs(k),))
    return np.concatenate([gap, band] if k > 0 else [band, gap])


def continuous_are_back(
    grad: Any, values: tuple[Any, Any, Any, Any], x: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients of a, b, q and r of ``x = linalg.solve_continuous_are(a, b, q, r)``."""
    a, b, _, r = values
    gain = np.linalg.solve(r, adjoint(b) @ x)
    inner = linalg.solve_continuous_lyapunov(a - b @ gain, -0.5 * (grad + adjoint(grad)))
    turned = x @ inner
    return 2 * turned, -2 * turned @ adjoint(gain), inner, gain @ inner @ adjoint(gain)


def discrete_are_back(
    grad: Any, values: tuple[Any, Any, Any, Any], x: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients of a, b, q and r of ``x = linalg.solve_discrete_are(a, b, q, r)``."""
    a, b, _, r = values
    gain = np.linalg.solve(r + adjoint(b) @ x @ b, adjoint(b) @ x @ a)
    closed = a - b @ gain
    inner = linalg.solve_discrete_lyapunov(closed, 0.5 * (grad + adjoint(grad)))
    turned = 2 * x @ closed @ inner
    return turned, -turned @ adjoint(gain), inner, gain @ inner @ adjoint(gain)
