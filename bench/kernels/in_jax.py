"""Kernels as one writes them for JAX: loops by `scan`, writes by `.at`, no branches on values.

Those that JAX runs as they stand are not here. Loops whose bounds depend on an outer index go over
all entries, with a mask: reverse mode of JAX needs loops of a fixed number of trips.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _trips(step: Any, state: Any, count: int, *, down: bool = False) -> Any:
    """Return a state after a step for each index."""
    from jax import lax, numpy

    def body(state, i):
        return step(state, i), None

    return lax.scan(body, state, numpy.arange(count), reverse=down)[0]


def cholesky(np, a):
    n = a.shape[0]
    each = np.arange(n)

    def step(low, i):
        def column(row, j):
            rest = row[j] - np.sum(np.where(each < j, row * low[j], 0.0))
            return row.at[j].set(np.where(j < i, rest / low[j, j], row[j]))

        row = _trips(column, low[i], n)
        rest = row[i] - np.sum(np.where(each < i, row * row, 0.0))
        return low.at[i].set(row.at[i].set(np.sqrt(rest)))

    return np.sum(np.log(np.diag(_trips(step, a, n))))


def lu(np, a):
    n = a.shape[0]
    each = np.arange(n)

    def step(u, i):
        def column(row, j):
            rest = row[j] - np.sum(np.where(each < np.minimum(i, j), row * u[:, j], 0.0))
            return row.at[j].set(np.where(j < i, rest / u[j, j], rest))

        return u.at[i].set(_trips(column, u[i], n))

    u = _trips(step, a, n)
    return np.sum(u * u)


def triangular_solve(np, low, b):
    def step(x, i):
        return x.at[i].set((b[i] - low[i] @ x) / low[i, i])

    x = _trips(step, np.zeros_like(b), b.shape[0])
    return np.sum(x * x)


def triangular_product(np, a, b):
    below = np.tril(np.ones_like(a), -1)

    def step(out, i):
        return out.at[i].add((a[:, i] * below[:, i]) @ out)

    out = _trips(step, b, b.shape[0])
    return np.sum(out * out)


def thomas(np, a, b, c, d):
    n = d.shape[0]

    def forward(state, i):
        ratios, x = state
        pivot = b[i] - a[i] * ratios[i - 1]
        new = (d[i] - a[i] * x[i - 1]) / pivot
        return ratios.at[i].set(c[i] / pivot), x.at[i].set(new)

    first = np.zeros(n).at[0].set(c[0] / b[0]), np.zeros(n).at[0].set(d[0] / b[0])
    ratios, x = _trips(lambda state, i: forward(state, i + 1), first, n - 1)
    x = _trips(lambda x, i: x.at[i].add(-ratios[i] * x[i + 1]), x, n - 1, down=True)
    return np.sum(x * x)


def jacobi(np, start, steps):
    def half(a, b):
        new = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        return b.at[1:-1, 1:-1].set(new)

    def step(state, _):
        a, b = state
        b = half(a, b)
        return half(b, a), b

    a, _ = _trips(step, (start, start), steps)
    return np.sum(a * a)


def heat(np, start, steps):
    def step(u, _):
        inner = u[1:-1, 1:-1, 1:-1]
        new = (
            inner
            + 0.1 * (u[2:, 1:-1, 1:-1] - 2.0 * inner + u[:-2, 1:-1, 1:-1])
            + 0.1 * (u[1:-1, 2:, 1:-1] - 2.0 * inner + u[1:-1, :-2, 1:-1])
            + 0.1 * (u[1:-1, 1:-1, 2:] - 2.0 * inner + u[1:-1, 1:-1, :-2])
        )
        return u.at[1:-1, 1:-1, 1:-1].set(new)

    u = _trips(step, start, steps)
    return np.sum(u * u)


def seidel(np, start, steps):
    rows, columns = start.shape

    def row(u, i):
        new = 0.25 * (u[i, 1:-1] + u[i + 2, 1:-1] + u[i + 1, 2:])
        line = u[i + 1].at[1:-1].set(new)
        line = _trips(lambda v, j: v.at[j + 1].add(0.25 * v[j]), line, columns - 2)
        return u.at[i + 1].set(line)

    u = _trips(lambda u, _: _trips(row, u, rows - 2), start, steps)
    return np.sum(u * u)


def wave(np, start, speed, steps):
    def step(state, _):
        before, now = state
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        pull = speed[1:-1, 1:-1] * (around - 4.0 * now[1:-1, 1:-1])
        return now, (2.0 * now - before).at[1:-1, 1:-1].add(pull)

    _, now = _trips(step, (start, start), steps)
    return np.sum(now * now)


def soft_warping(np, first, second):
    rows, columns = first.shape[0], second.shape[0]

    def row(before, i):
        def cell(line, j):
            found = np.array([before[j + 1], line[j], before[j]])
            least = np.min(found)
            apart = first[i] - second[j]
            new = apart * apart + least - np.log(np.sum(np.exp(least - found)))
            return line.at[j + 1].set(new)

        return _trips(cell, np.full(columns + 1, 1e10), columns)

    return _trips(row, np.full(columns + 1, 1e10).at[0].set(0.0), rows)[columns]


def of(name: str, np: Any) -> Callable[..., Any] | None:
    """Return one of these functions; None where there is none."""
    found = globals().get(name)
    return None if found is None else lambda *args: found(np, *args)
