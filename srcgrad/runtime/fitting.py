"""Adjoints of polynomials by their roots, and of polynomials that are fitted to points."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.products import adjoint


@recordable
def poly_back(grad: Any, roots: Any) -> Any:
    """Return the gradient of the roots of ``np.poly(roots)``."""
    rows = [np.poly(np.delete(roots, i)) for i in range(len(roots))]
    return np.stack([-np.sum(grad[1:] * np.conj(row)) for row in rows]) if rows else 0 * roots


@recordable
def roots_back(grad: Any, p: Any, roots: Any) -> Any:
    """Return the gradient of the coefficients of ``np.roots(p)``; the roots must be distinct."""
    count = np.size(p)
    last = np.flatnonzero(p)[-1] if len(roots) else 0
    trimmed = p[: last + 1]  # the zeros at its end are roots of their own
    steep = np.polyval(np.polyder(trimmed), roots)
    steep = np.where(roots == 0, np.polyval(np.polyder(p), roots), steep)
    shift = np.where(roots == 0, 0, count - 1 - last)
    powers = count - 1 - np.arange(count)
    slopes = np.where(
        powers[None, :] >= shift[:, None],
        roots[:, None] ** np.maximum(powers[None, :] - shift[:, None], 0),
        0,
    )
    return np.sum(grad[:, None] * np.conj(-slopes / steep[:, None]), axis=0)


@recordable
def polyfit_back(grad: Any, x: Any, y: Any, p: Any, w: Any) -> tuple[Any, Any]:
    """Return the gradients of the points that ``np.polyfit`` has fitted a polynomial to."""
    weights = np.ones_like(x) if w is None else w
    matrix = np.vander(x, len(p)) * weights[:, None]
    inverse, solution = np.linalg.pinv(matrix), np.reshape(p, (len(p), -1))
    rest = weights[:, None] * np.reshape(y, (len(x), -1)) - matrix @ solution
    pulled = np.reshape(grad, (len(p), -1))
    grad_b = adjoint(inverse) @ pulled
    grad_matrix = rest @ adjoint(inverse @ grad_b) - grad_b @ adjoint(solution)
    degrees = np.arange(len(p))[::-1]
    slopes = degrees * x[:, None] ** np.maximum(degrees - 1, 0)
    grad_x = np.sum(grad_matrix * weights[:, None] * conj(slopes), axis=1)
    return grad_x, np.reshape(weights[:, None] * grad_b, np.shape(y))
