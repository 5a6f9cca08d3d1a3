"""Loops over the rows and columns of dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.kernels.kernel import Kernel


def cholesky(a):
    """Return the logarithm of a determinant."""
    low = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            low[i, j] -= np.dot(low[i, :j], low[j, :j])
            low[i, j] /= low[j, j]
        low[i, i] -= np.dot(low[i, :i], low[i, :i])
        low[i, i] = np.sqrt(low[i, i])
    return np.sum(np.log(np.diag(low)))


def cholesky_by_hand(a):
    low = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            low[i, j] -= np.dot(low[i, :j], low[j, :j])
            low[i, j] /= low[j, j]
        low[i, i] -= np.dot(low[i, :i], low[i, :i])
        low[i, i] = np.sqrt(low[i, i])
    grad = np.diag(1.0 / np.diag(low))
    for i in range(n - 1, -1, -1):
        grad[i, i] *= 0.5 / low[i, i]
        grad[i, :i] -= 2.0 * grad[i, i] * low[i, :i]
        for j in range(i - 1, -1, -1):
            grad[i, j] /= low[j, j]
            grad[j, j] -= grad[i, j] * low[i, j]
            grad[i, :j] -= grad[i, j] * low[j, :j]
            grad[j, :j] -= grad[i, j] * low[i, :j]
    return grad


def lu(a):
    """Return a sum over the two triangular factors, which take the matrix's place."""
    u = a.copy()
    n = u.shape[0]
    for i in range(n):
        for j in range(i):
            u[i, j] -= u[i, :j] @ u[:j, j]
            u[i, j] /= u[j, j]
        for j in range(i, n):
            u[i, j] -= u[i, :i] @ u[:i, j]
    return np.sum(u * u)


def lu_by_hand(a):
    u = a.copy()
    n = u.shape[0]
    for i in range(n):
        for j in range(i):
            u[i, j] -= u[i, :j] @ u[:j, j]
            u[i, j] /= u[j, j]
        for j in range(i, n):
            u[i, j] -= u[i, :i] @ u[:i, j]
    grad = 2.0 * u
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, i - 1, -1):
            grad[i, :i] -= grad[i, j] * u[:i, j]
            grad[:i, j] -= grad[i, j] * u[i, :i]
        for j in range(i - 1, -1, -1):
            grad[i, j] /= u[j, j]
            grad[j, j] -= grad[i, j] * u[i, j]
            grad[i, :j] -= grad[i, j] * u[:j, j]
            grad[:j, j] -= grad[i, j] * u[i, :j]
    return grad


def triangular_solve(low, b):
    """Return the length, squared, of the solution of a lower triangular system."""
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    return np.sum(x * x)


def triangular_solve_by_hand(low, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    grad_x, grad_low = 2.0 * x, np.zeros_like(low)
    for i in range(b.shape[0] - 1, -1, -1):
        grad_x[i] /= low[i, i]
        grad_low[i, i] = -grad_x[i] * x[i]
        grad_low[i, :i] = -grad_x[i] * x[:i]
        grad_x[:i] -= grad_x[i] * low[i, :i]
    return grad_low, grad_x


def triangular_product(a, b):
    """Return a sum over the product of a unit triangular matrix and another one, in place."""
    out = b.copy()
    rows, columns = b.shape
    for i in range(rows):
        for j in range(columns):
            out[i, j] += np.dot(a[i + 1 :, i], out[i + 1 :, j])
    return np.sum(out * out)


def triangular_product_by_hand(a, b):
    out = b.copy()
    rows, columns = b.shape
    for i in range(rows):
        for j in range(columns):
            out[i, j] += np.dot(a[i + 1 :, i], out[i + 1 :, j])
    grad, grad_a = 2.0 * out, np.zeros_like(a)
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            grad_a[i + 1 :, i] += grad[i, j] * b[i + 1 :, j]
            grad[i + 1 :, j] += grad[i, j] * a[i + 1 :, i]
    return grad_a, grad


def gram_schmidt(a):
    """Return a number of the factors Q and R of a matrix, by Gram and Schmidt."""
    a = a.copy()
    columns = a.shape[1]
    r = np.zeros((columns, columns))
    q = np.zeros_like(a)
    for k in range(columns):
        r[k, k] = np.sqrt(np.sum(a[:, k] * a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, columns):
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * r[k, j]
    return np.sum(q[0] * r[:, -1])


def gram_schmidt_by_hand(a):
    a = a.copy()
    columns = a.shape[1]
    r = np.zeros((columns, columns))
    q = np.zeros_like(a)
    before = []
    for k in range(columns):
        r[k, k] = np.sqrt(a[:, k] @ a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, columns):
            before.append(a[:, j].copy())
            r[k, j] = q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * r[k, j]
    grad_r, grad_q, grad = np.zeros_like(r), np.zeros_like(q), np.zeros_like(a)
    grad_r[:, -1] = q[0]
    grad_q[0] = r[:, -1]
    for k in range(columns - 1, -1, -1):
        for j in range(columns - 1, k, -1):
            part = grad_r[k, j] - grad[:, j] @ q[:, k]
            grad_q[:, k] += part * before.pop() - r[k, j] * grad[:, j]
            grad[:, j] += part * q[:, k]
        grad_q[:, k] /= r[k, k]
        grad_r[k, k] -= grad_q[:, k] @ q[:, k]
        grad[:, k] += grad_q[:, k] + grad_r[k, k] * q[:, k]
    return grad


def floyd_warshall(paths):
    """Return the sum of the shortest ways between all pairs of points."""
    paths = paths.copy()
    n = paths.shape[0]
    for k in range(n):
        for i in range(n):
            paths[i] = np.minimum(paths[i], paths[i, k] + paths[k])
    return np.sum(paths)


def floyd_warshall_by_hand(paths):
    paths = paths.copy()
    n = paths.shape[0]
    shorter = np.empty((n, n, n), bool)
    for k in range(n):
        for i in range(n):
            by_way = paths[i, k] + paths[k]
            shorter[k, i] = by_way < paths[i]
            paths[i] = np.minimum(paths[i], by_way)
    grad = np.ones_like(paths)
    for k in range(n - 1, -1, -1):
        for i in range(n - 1, -1, -1):
            moved = np.where(shorter[k, i], grad[i], 0.0)
            grad[i] -= moved
            grad[k] += moved
            grad[i, k] += moved.sum()
    return grad


def thomas(a, b, c, d):
    """Return the length, squared, of the solution of a system of three diagonals."""
    n = d.shape[0]
    ratios = np.zeros(n)
    x = np.zeros(n)
    ratios[0] = c[0] / b[0]
    x[0] = d[0] / b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * ratios[i - 1]
        ratios[i] = c[i] / pivot
        x[i] = (d[i] - a[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= ratios[i] * x[i + 1]
    return np.sum(x * x)


def thomas_by_hand(a, b, c, d):
    n = d.shape[0]
    ratios, first, pivots = np.zeros(n), np.zeros(n), np.zeros(n)
    pivots[0] = b[0]
    ratios[0] = c[0] / b[0]
    first[0] = d[0] / b[0]
    for i in range(1, n):
        pivot = pivots[i] = b[i] - a[i] * ratios[i - 1]
        ratios[i] = c[i] / pivot
        first[i] = (d[i] - a[i] * first[i - 1]) / pivot
    x = first.copy()
    for i in range(n - 2, -1, -1):
        x[i] -= ratios[i] * x[i + 1]
    grad = 2.0 * x
    grad_ratios, grad_a = np.zeros(n), np.zeros_like(a)
    grad_b, grad_c, grad_d = np.zeros_like(b), np.zeros_like(c), np.zeros_like(d)
    for i in range(n - 1):
        grad_ratios[i] = -grad[i] * x[i + 1]
        grad[i + 1] -= grad[i] * ratios[i]
    for i in range(n - 1, 0, -1):
        part, turn = grad[i] / pivots[i], grad_ratios[i] / pivots[i]
        grad_d[i], grad_c[i] = part, turn
        grad_b[i] = -part * first[i] - turn * ratios[i]
        grad_a[i] = -part * first[i - 1] - grad_b[i] * ratios[i - 1]
        grad[i - 1] -= part * a[i]
        grad_ratios[i - 1] -= grad_b[i] * a[i]
    grad_d[0], grad_c[0] = grad[0] / b[0], grad_ratios[0] / b[0]
    grad_b[0] = -grad_d[0] * first[0] - grad_c[0] * ratios[0]
    return grad_a, grad_b, grad_c, grad_d


def _positive(n: int) -> Any:
    half = np.random.default_rng(n).random((n, n))
    return half @ half.T + n * np.eye(n)


def _numbers(n: int, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return tuple(rng.random(shape) for shape in shapes)


def _diagonals(n: int) -> tuple[Any, ...]:
    a, b, c, d = _numbers(n, (n,), (n,), (n,), (n,))
    return a, b + 3.0, c, d


KERNELS = (
    Kernel(cholesky, cholesky_by_hand, lambda n: (_positive(n),), (40, 80, 160)),
    Kernel(lu, lu_by_hand, lambda n: (_positive(n),), (40, 80, 160)),
    Kernel(
        triangular_solve,
        triangular_solve_by_hand,
        lambda n: (np.tril(_positive(n)), *_numbers(n, (n,))),
        (100, 200, 400),
        argnums=(0, 1),
    ),
    Kernel(
        triangular_product,
        triangular_product_by_hand,
        lambda n: _numbers(n, (n, n), (n, n)),
        (40, 80, 160),
        argnums=(0, 1),
    ),
    Kernel(gram_schmidt, gram_schmidt_by_hand, lambda n: _numbers(n, (n, n)), (30, 60, 120)),
    Kernel(floyd_warshall, floyd_warshall_by_hand, lambda n: _numbers(n, (n, n)), (30, 60, 120)),
    Kernel(thomas, thomas_by_hand, _diagonals, (250, 500, 1000), argnums=(0, 1, 2, 3)),
)
