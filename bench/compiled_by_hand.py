"""Gradients of the kernels of `bench.compiled` as an expert writes them in loops, for Numba."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np


def lorenz(start, rate, steps):  # noqa: C901, PLR0912 - four stages, forwards and back
    h = 0.01
    states = np.empty((steps + 1, 3))
    states[0] = start
    k = np.empty((4, 3))
    at = np.empty((4, 3))
    shares = np.array([0.0, 0.5, 0.5, 1.0])
    weights = np.array([1.0, 2.0, 2.0, 1.0])
    for n in range(steps):
        for s in range(4):
            for i in range(3):
                at[s, i] = states[n, i]
                if s > 0:
                    at[s, i] += shares[s] * h * k[s - 1, i]
            k[s, 0] = rate * (at[s, 1] - at[s, 0])
            k[s, 1] = at[s, 0] * (28.0 - at[s, 2]) - at[s, 1]
            k[s, 2] = at[s, 0] * at[s, 1] - 2.6 * at[s, 2]
        for i in range(3):
            states[n + 1, i] = states[n, i] + h / 6 * (
                k[0, i] + 2 * k[1, i] + 2 * k[2, i] + k[3, i]
            )
    grad = np.ones(3)
    grad_k = np.empty((4, 3))
    grad_at = np.empty(3)
    for n in range(steps - 1, -1, -1):
        for s in range(4):
            for i in range(3):
                at[s, i] = states[n, i]
                if s > 0:
                    at[s, i] += shares[s] * h * k[s - 1, i]
            k[s, 0] = rate * (at[s, 1] - at[s, 0])
            k[s, 1] = at[s, 0] * (28.0 - at[s, 2]) - at[s, 1]
            k[s, 2] = at[s, 0] * at[s, 1] - 2.6 * at[s, 2]
        for s in range(4):
            for i in range(3):
                grad_k[s, i] = h / 6 * weights[s] * grad[i]
        for s in range(3, -1, -1):
            grad_at[0] = (
                -rate * grad_k[s, 0] + (28.0 - at[s, 2]) * grad_k[s, 1] + at[s, 1] * grad_k[s, 2]
            )
            grad_at[1] = rate * grad_k[s, 0] - grad_k[s, 1] + at[s, 0] * grad_k[s, 2]
            grad_at[2] = -at[s, 0] * grad_k[s, 1] - 2.6 * grad_k[s, 2]
            for i in range(3):
                grad[i] += grad_at[i]
                if s > 0:
                    grad_k[s - 1, i] += shares[s] * h * grad_at[i]
    return states[steps].sum(), grad


def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j]
            for k in range(j):
                rest -= low[i, k] * low[j, k]
            low[i, j] = math.sqrt(rest) if i == j else rest / low[j, j]
        total += math.log(low[i, i])
    bar = np.zeros_like(a)
    grad = np.zeros_like(a)
    for i in range(n):
        bar[i, i] = 1.0 / low[i, i]
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            if i == j:
                part = 0.5 * bar[i, i] / low[i, i]
            else:
                part = bar[i, j] / low[j, j]
                bar[j, j] -= part * low[i, j]
            for k in range(j):
                bar[i, k] -= part * low[j, k]
                bar[j, k] -= part * low[i, k]
            grad[i, j] = part
    return total, grad


def eliminated(a):
    u = a.copy()
    n = u.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k] = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= u[i, k] * u[k, j]
    value = 0.0
    bar = np.empty_like(u)
    for i in range(n):
        for j in range(n):
            value += u[i, j] * u[i, j]
            bar[i, j] = 2.0 * u[i, j]
    for k in range(n - 1, -1, -1):
        for i in range(n - 1, k, -1):
            for j in range(k + 1, n):
                bar[i, k] -= bar[i, j] * u[k, j]
                bar[k, j] -= bar[i, j] * u[i, k]
            bar[i, k] /= u[k, k]
            bar[k, k] -= bar[i, k] * u[i, k]
    return value, bar


def solved(low, b):
    n = b.shape[0]
    x = np.empty_like(b)
    value = 0.0
    for i in range(n):
        rest = b[i]
        for j in range(i):
            rest -= low[i, j] * x[j]
        x[i] = rest / low[i, i]
        value += x[i] * x[i]
    bar = 2.0 * x
    grad = np.zeros_like(low)
    for i in range(n - 1, -1, -1):
        part = bar[i] / low[i, i]
        grad[i, i] = -part * x[i]
        for j in range(i):
            grad[i, j] = -part * x[j]
            bar[j] -= part * low[i, j]
    return value, grad


def seidel(x, sweeps):
    u = x.copy()
    rows, columns = u.shape
    for _ in range(sweeps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    value = (u * u).sum()
    bar = 2.0 * u
    for _ in range(sweeps):
        for i in range(rows - 2, 0, -1):
            for j in range(columns - 2, 0, -1):
                part = 0.25 * bar[i, j]
                bar[i, j] = 0.0
                bar[i - 1, j] += part
                bar[i + 1, j] += part
                bar[i, j - 1] += part
                bar[i, j + 1] += part
    return value, bar


def jacobi(x, sweeps):  # noqa: C901 - each cell has up to four neighbours
    u, v = x.copy(), x.copy()
    rows, columns = u.shape
    for _ in range(sweeps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, v = v, u
    value = (u * u).sum()
    bar, new = 2.0 * u, np.empty_like(u)
    inner = np.zeros_like(u)
    for _ in range(sweeps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                inner[i, j] = 0.25 * bar[i, j]
        for i in range(rows):
            for j in range(columns):
                part = 0.0 if 0 < i < rows - 1 and 0 < j < columns - 1 else bar[i, j]
                if i > 0:
                    part += inner[i - 1, j]
                if i < rows - 1:
                    part += inner[i + 1, j]
                if j > 0:
                    part += inner[i, j - 1]
                if j < columns - 1:
                    part += inner[i, j + 1]
                new[i, j] = part
        bar, new = new, bar
    return value, bar


def fixed_point(a):
    states = np.empty(100_000)
    x, n = a, 0
    while abs(math.cos(a * x) - x) > 1e-12:
        states[n] = x
        n += 1
        x = x + 0.1 * (math.cos(a * x) - x)
    bar, grad = 1.0, 0.0
    for k in range(n - 1, -1, -1):
        part = -0.1 * math.sin(a * states[k]) * bar
        grad += part * states[k]
        bar = 0.9 * bar + part * a
    return x, grad + bar


def option(spot, strike, rate, sigma, years):
    root = sigma * math.sqrt(years)
    up = (math.log(spot / strike) + (rate + 0.5 * sigma * sigma) * years) / root
    chance_up = 0.5 * (1.0 + math.erf(up / math.sqrt(2.0)))
    chance_down = 0.5 * (1.0 + math.erf((up - root) / math.sqrt(2.0)))
    return spot * chance_up - strike * math.exp(-rate * years) * chance_down, chance_up


def bodies(p):
    grad = np.zeros_like(p)
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(i):
            square = 0.01
            for k in range(p.shape[1]):
                d = p[i, k] - p[j, k]
                square += d * d
            part = 1.0 / math.sqrt(square)
            total += part
            for k in range(p.shape[1]):
                pull = (p[i, k] - p[j, k]) * part / square
                grad[i, k] -= pull
                grad[j, k] += pull
    return total, grad


@functools.cache
def of(name: str) -> Callable[..., Any]:
    """Return one of these functions, compiled."""
    from numba import njit

    made: Callable[..., Any] = njit(error_model="numpy")(globals()[name])
    return made
