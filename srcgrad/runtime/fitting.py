"""Adjoints of polynomials by their roots, and of polynomials that are fitted to points."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import array_beside, beside
from srcgrad.runtime.products import adjoint


def poly_back(grad: Any, roots: Any) -> Any:
    """Return the gradient of the roots of ``np.poly(roots)``, or of a matrix that has them."""
    if np.ndim(roots) > 1:
        parts = zip(grad[1:], _adjugate_parts(roots), strict=True)
        return -sum((part * adjoint(matrix) for part, matrix in parts), 0 * roots)
    rows = [np.poly(np.delete(roots, i)) for i in range(len(roots))]
    return np.stack([-np.sum(grad[1:] * conj(row)) for row in rows]) if rows else 0 * roots


def poly_push(dot: Any, roots: Any) -> Any:
    """Return the tangent of ``np.poly(roots)``, from that of the roots or of the matrix."""
    if np.ndim(roots) > 1:
        changes = [-np.stack([np.trace(part @ dot)]) for part in _adjugate_parts(roots)]
        return np.concatenate((np.zeros_like(dot, shape=(1,)), *changes))
    rows = [np.poly(np.delete(roots, i)) for i in range(len(roots))]
    first = np.zeros_like(dot, shape=(1,)) if rows else 0.0
    parts = [-part * np.atleast_1d(row) for part, row in zip(dot, rows, strict=True)]
    return np.concatenate((first, sum(parts))) if rows else first


def _adjugate_parts(a: Any) -> list[Any]:
    """Return the coefficients of ``adj(z * 1 - a)`` by powers of z, the highest first."""
    parts, one = [], np.diag(np.ones_like(a, shape=(len(a),)))
    part = one + 0 * a
    for place in range(1, len(a) + 1):
        parts.append(part)
        product = a @ part
        part = product - np.trace(product) / place * one
    return parts


def roots_push(p_dot: Any, p: Any, roots: Any) -> Any:
    """Return the tangent of ``np.roots(p)``; the roots must be distinct."""
    return -np.polyval(p_dot, roots) / np.polyval(np.polyder(p), roots)


def roots_back(grad: Any, p: Any, roots: Any) -> Any:
    """Return the gradient of the coefficients of ``np.roots(p)``; the roots must be distinct.

    A root r moves with the coefficient of ``r**k`` by ``-r**k`` over the slope of the polynomial.
    """
    slopes = -np.vander(roots, np.size(p)) / np.polyval(_derivative(p), roots)[:, None]
    return np.sum(grad[:, None] * conj(slopes), axis=0)


def _derivative(p: Any) -> Any:
    """Return the coefficients of the derivative of a polynomial, as ``np.polyder`` does."""
    return p[:-1] * beside(np.arange(np.size(p) - 1, 0, -1), p)


def polyfit_back(grad: Any, x: Any, y: Any, p: Any, w: Any) -> tuple[Any, Any]:
    """Return the gradients of the points that ``np.polyfit`` has fitted a polynomial to."""
    x = array_beside(x, grad)
    weights = np.ones_like(x) if w is None else array_beside(w, x)
    matrix = np.vander(x, len(p)) * weights[:, None]
    inverse, solution = np.linalg.pinv(matrix), np.reshape(p, (len(p), -1))
    rest = weights[:, None] * np.reshape(y, (len(x), -1)) - matrix @ solution
    pulled = np.reshape(grad, (len(p), -1))
    grad_b = adjoint(inverse) @ pulled
    grad_matrix = rest @ adjoint(inverse @ grad_b) - grad_b @ adjoint(solution)
    degrees = beside(np.arange(len(p))[::-1], x)
    slopes = degrees * x[:, None] ** np.maximum(degrees - 1, 0)
    grad_x = np.sum(grad_matrix * weights[:, None] * conj(slopes), axis=1)
    return grad_x, np.reshape(weights[:, None] * grad_b, np.shape(y))


def polyfit_push(dots: Any, points: Any, p: Any, w: Any) -> Any:
    """Return the tangent of ``np.polyfit``, from those of the points."""
    (x_dot, y_dot), (x, y) = dots, points
    weights = np.ones_like(x) if w is None else w
    matrix = np.vander(x, len(p)) * weights[:, None]
    rows, wanted = np.reshape(p, (len(p), -1)), np.reshape(y, (len(x), -1))
    inverse = np.linalg.pinv(matrix)
    moved = np.zeros_like(wanted) if y_dot is None else np.reshape(y_dot, wanted.shape)
    total = inverse @ (weights[:, None] * moved)
    if x_dot is not None:
        degrees = np.arange(len(p))[::-1]
        slopes = degrees * x[:, None] ** np.maximum(degrees - 1, 0)
        turned = slopes * (x_dot * weights)[:, None]
        rest = weights[:, None] * wanted - matrix @ rows
        total = (
            total
            - inverse @ (turned @ rows)
            + inverse @ (adjoint(inverse) @ (adjoint(turned) @ rest))
        )
    return np.reshape(total, np.shape(p))
