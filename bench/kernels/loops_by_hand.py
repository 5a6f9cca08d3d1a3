"""Gradients of kernels as an expert writes them in loops, for Numba."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np


def cholesky(a):
    low = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            rest = low[i, j]
            for k in range(j):
                rest -= low[i, k] * low[j, k]
            low[i, j] = rest / low[j, j]
        rest = low[i, i]
        for k in range(i):
            rest -= low[i, k] * low[i, k]
        low[i, i] = math.sqrt(rest)
    grad = np.zeros_like(a)
    for i in range(n):
        grad[i, i] = 1.0 / low[i, i]
    for i in range(n - 1, -1, -1):
        grad[i, i] *= 0.5 / low[i, i]
        for k in range(i):
            grad[i, k] -= 2.0 * grad[i, i] * low[i, k]
        for j in range(i - 1, -1, -1):
            part = grad[i, j] / low[j, j]
            grad[i, j] = part
            grad[j, j] -= part * low[i, j]
            for k in range(j):
                grad[i, k] -= part * low[j, k]
                grad[j, k] -= part * low[i, k]
    return grad


def lu(a):
    u = a.copy()
    n = u.shape[0]
    for i in range(n):
        for j in range(i):
            rest = u[i, j]
            for k in range(j):
                rest -= u[i, k] * u[k, j]
            u[i, j] = rest / u[j, j]
        for j in range(i, n):
            rest = u[i, j]
            for k in range(i):
                rest -= u[i, k] * u[k, j]
            u[i, j] = rest
    grad = 2.0 * u
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, i - 1, -1):
            part = grad[i, j]
            for k in range(i):
                grad[i, k] -= part * u[k, j]
                grad[k, j] -= part * u[i, k]
        for j in range(i - 1, -1, -1):
            part = grad[i, j] / u[j, j]
            grad[i, j] = part
            grad[j, j] -= part * u[i, j]
            for k in range(j):
                grad[i, k] -= part * u[k, j]
                grad[k, j] -= part * u[i, k]
    return grad


def triangular_solve(low, b):
    n = b.shape[0]
    x = np.zeros_like(b)
    for i in range(n):
        rest = b[i]
        for k in range(i):
            rest -= low[i, k] * x[k]
        x[i] = rest / low[i, i]
    grad, grad_low = 2.0 * x, np.zeros_like(low)
    for i in range(n - 1, -1, -1):
        part = grad[i] / low[i, i]
        grad[i] = part
        grad_low[i, i] = -part * x[i]
        for k in range(i):
            grad_low[i, k] = -part * x[k]
            grad[k] -= part * low[i, k]
    return grad_low, grad


def triangular_product(a, b):
    out = b.copy()
    rows, columns = b.shape
    for i in range(rows):
        for k in range(i + 1, rows):
            for j in range(columns):
                out[i, j] += a[k, i] * out[k, j]
    grad, grad_a = 2.0 * out, np.zeros_like(a)
    for i in range(rows - 1, -1, -1):
        for k in range(i + 1, rows):
            total = 0.0
            for j in range(columns):
                total += grad[i, j] * b[k, j]
                grad[k, j] += grad[i, j] * a[k, i]
            grad_a[k, i] = total
    return grad_a, grad


def thomas(a, b, c, d):
    n = d.shape[0]
    ratios, first, pivots = np.empty(n), np.empty(n), np.empty(n)
    pivots[0] = b[0]
    ratios[0] = c[0] / b[0]
    first[0] = d[0] / b[0]
    for i in range(1, n):
        pivots[i] = b[i] - a[i] * ratios[i - 1]
        ratios[i] = c[i] / pivots[i]
        first[i] = (d[i] - a[i] * first[i - 1]) / pivots[i]
    x = first.copy()
    for i in range(n - 2, -1, -1):
        x[i] -= ratios[i] * x[i + 1]
    grad = 2.0 * x
    grad_ratios, grad_a = np.zeros(n), np.zeros_like(a)
    grad_b, grad_c, grad_d = np.empty_like(b), np.empty_like(c), np.empty_like(d)
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


def jacobi(start, steps):
    rows, columns = start.shape
    a, b = start.copy(), start.copy()
    for step in range(2 * steps):
        old, new = (a, b) if step % 2 == 0 else (b, a)
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                new[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])
    grad_a, grad_b = 2.0 * a, np.zeros_like(b)
    part = np.zeros_like(a)
    for step in range(2 * steps):
        grad, other = (grad_a, grad_b) if step % 2 == 0 else (grad_b, grad_a)
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                part[i, j] = 0.25 * grad[i, j]
                grad[i, j] = 0.0
        for i in range(1, rows - 1):
            other[i, 0] += part[i, 1]
            other[i, columns - 1] += part[i, columns - 2]
        for j in range(1, columns - 1):
            other[0, j] += part[1, j]
            other[rows - 1, j] += part[rows - 2, j]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                other[i, j] += part[i - 1, j] + part[i + 1, j] + part[i, j - 1] + part[i, j + 1]
    return grad_a + grad_b


def heat(start, steps):  # noqa: C901, PLR0912 - six neighbours, forwards and back
    u, v = start.copy(), start.copy()
    n0, n1, n2 = u.shape
    for _ in range(steps):
        for i in range(1, n0 - 1):
            for j in range(1, n1 - 1):
                for k in range(1, n2 - 1):
                    around = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                    around += u[i, j, k - 1] + u[i, j, k + 1]
                    v[i, j, k] = 0.4 * u[i, j, k] + 0.1 * around
        u, v = v, u
    grad, part = 2.0 * u, np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, n0 - 1):
            for j in range(1, n1 - 1):
                for k in range(1, n2 - 1):
                    part[i, j, k] = 0.1 * grad[i, j, k]
                    grad[i, j, k] *= 0.4
        for i in range(n0):
            for j in range(n1):
                inner = 0 < i < n0 - 1 and 0 < j < n1 - 1
                if i > 0:
                    for k in range(1, n2 - 1):
                        grad[i, j, k] += part[i - 1, j, k]
                if i < n0 - 1:
                    for k in range(1, n2 - 1):
                        grad[i, j, k] += part[i + 1, j, k]
                if j > 0:
                    for k in range(1, n2 - 1):
                        grad[i, j, k] += part[i, j - 1, k]
                if j < n1 - 1:
                    for k in range(1, n2 - 1):
                        grad[i, j, k] += part[i, j + 1, k]
                if inner:
                    grad[i, j, 0] += part[i, j, 1]
                    for k in range(1, n2 - 1):
                        grad[i, j, k] += part[i, j, k - 1] + part[i, j, k + 1]
                    grad[i, j, n2 - 1] += part[i, j, n2 - 2]
    return grad


def seidel(start, steps):
    u = start.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j + 1] + u[i, j - 1])
    grad = 2.0 * u
    for _ in range(steps):
        for i in range(rows - 2, 0, -1):
            for j in range(columns - 2, 0, -1):
                part = 0.25 * grad[i, j]
                grad[i, j] = 0.0
                grad[i - 1, j] += part
                grad[i + 1, j] += part
                grad[i, j - 1] += part
                grad[i, j + 1] += part
    return grad


def wave(start, speed, steps):  # noqa: C901, PLR0912 - the borders have loops of their own
    rows, columns = start.shape
    states = np.empty((steps + 2, rows, columns))
    states[0], states[1] = start, start
    for n in range(1, steps + 1):
        now, before, after = states[n], states[n - 1], states[n + 1]
        for i in range(rows):
            for j in range(columns):
                after[i, j] = 2.0 * now[i, j] - before[i, j]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
                after[i, j] += speed[i, j] * (around - 4.0 * now[i, j])
    grad, grad_before = 2.0 * states[steps + 1], np.zeros_like(start)
    grad_speed, part = np.zeros_like(speed), np.zeros_like(start)
    for n in range(steps, 0, -1):
        now = states[n]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
                grad_speed[i, j] += grad[i, j] * (around - 4.0 * now[i, j])
                part[i, j] = speed[i, j] * grad[i, j]
        for i in range(rows):
            for j in range(columns):
                old = grad[i, j]
                grad[i, j] = 2.0 * old + grad_before[i, j] - 4.0 * part[i, j]
                grad_before[i, j] = -old
        for i in range(rows):
            if i > 0:
                for j in range(columns):
                    grad[i, j] += part[i - 1, j]
            if i < rows - 1:
                for j in range(columns):
                    grad[i, j] += part[i + 1, j]
            for j in range(1, columns):
                grad[i, j] += part[i, j - 1]
            for j in range(columns - 1):
                grad[i, j] += part[i, j + 1]
    return grad + grad_before, grad_speed


def soft_warping(first, second):
    rows, columns = first.shape[0], second.shape[0]
    cost = np.full((rows + 1, columns + 1), 1e10)
    cost[0, 0] = 0.0
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            a, b, c = cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]
            least = min(a, b, c)
            total = math.exp(least - a) + math.exp(least - b) + math.exp(least - c)
            apart = first[i - 1] - second[j - 1]
            cost[i, j] = apart * apart + least - math.log(total)
    grad, grad_first = np.zeros_like(cost), np.zeros_like(first)
    grad[rows, columns] = 1.0
    for i in range(rows, 0, -1):
        for j in range(columns, 0, -1):
            apart = first[i - 1] - second[j - 1]
            part = grad[i, j]
            grad_first[i - 1] += 2.0 * part * apart
            rest = cost[i, j] - apart * apart
            grad[i - 1, j] += part * math.exp(rest - cost[i - 1, j])
            grad[i, j - 1] += part * math.exp(rest - cost[i, j - 1])
            grad[i - 1, j - 1] += part * math.exp(rest - cost[i - 1, j - 1])
    return grad_first


def bodies(places, speeds, masses, steps):  # noqa: C901, PLR0912 - forwards and back
    count, size = places.shape
    kept = np.empty((steps + 1, count, size))
    kept[0] = places
    rates = speeds.copy()
    away = np.empty(size)
    for n in range(steps):
        here = kept[n]
        for i in range(count):
            for j in range(count):
                square = 0.01
                for k in range(size):
                    away[k] = here[j, k] - here[i, k]
                    square += away[k] * away[k]
                force = 0.01 * masses[j] / (square * math.sqrt(square))
                for k in range(size):
                    rates[i, k] += force * away[k]
        for i in range(count):
            for k in range(size):
                kept[n + 1, i, k] = here[i, k] + 0.01 * rates[i, k]
    grad_rates, grad = np.empty_like(rates), np.zeros_like(places)
    for i in range(count):
        for k in range(size):
            grad_rates[i, k] = masses[i] * rates[i, k]
    for n in range(steps - 1, -1, -1):
        here = kept[n]
        for i in range(count):
            for k in range(size):
                grad_rates[i, k] += 0.01 * grad[i, k]
        for i in range(count):
            for j in range(count):
                square, turn = 0.01, 0.0
                for k in range(size):
                    away[k] = here[j, k] - here[i, k]
                    square += away[k] * away[k]
                    turn += away[k] * grad_rates[i, k]
                force = 0.01 * masses[j] / (square * math.sqrt(square))
                turn *= -3.0 * force / square
                for k in range(size):
                    pull = force * grad_rates[i, k] + turn * away[k]
                    grad[j, k] += pull
                    grad[i, k] -= pull
    return grad, grad_rates


def chain(x, scale):
    grad = np.empty_like(x)
    share = 1.0 / x.size
    for i in range(x.shape[0]):
        bent = math.tanh(scale * x[i])
        y = bent + 0.5 * x[i]
        bell = math.exp(-y * y)
        z = bell * x[i]
        grad_z = y if abs(z) <= 0.3 else 0.0
        grad_y = min(max(z, -0.3), 0.3)
        grad_z *= bell
        grad_y -= 2.0 * grad_z * x[i] * y
        grad[i] = share * (grad_z + grad_y * (0.5 + scale * (1.0 - bent * bent)))
    return grad


@functools.cache
def of(name: str) -> Callable[..., Any] | None:
    """Return one of these functions, compiled; None where there is none."""
    from numba import njit

    found = globals().get(name)
    made: Callable[..., Any] | None = None if found is None else njit(error_model="numpy")(found)
    return made
