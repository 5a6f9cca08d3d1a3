"""Stencils on grids, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.kernels.kernel import Kernel


def jacobi(start, steps):
    """Return the energy of a plate after sweeps over two grids in turn."""
    a, b = start.copy(), start.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a[1:-1, 1:-1] = 0.25 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])
    return np.sum(a * a)


def jacobi_by_hand(start, steps):
    a, b = start.copy(), start.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a[1:-1, 1:-1] = 0.25 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])
    grad_a = 2.0 * a
    grad_b = np.zeros_like(b)
    for _ in range(steps):
        for grad, other in ((grad_a, grad_b), (grad_b, grad_a)):
            part = 0.25 * grad[1:-1, 1:-1]
            grad[1:-1, 1:-1] = 0.0
            other[:-2, 1:-1] += part
            other[2:, 1:-1] += part
            other[1:-1, :-2] += part
            other[1:-1, 2:] += part
    return grad_a + grad_b


def heat(start, steps):
    """Return the energy of a body after explicit steps of conduction in three dimensions."""
    u = start.copy()
    for _ in range(steps):
        inner = u[1:-1, 1:-1, 1:-1]
        u[1:-1, 1:-1, 1:-1] = (
            inner
            + 0.1 * (u[2:, 1:-1, 1:-1] - 2.0 * inner + u[:-2, 1:-1, 1:-1])
            + 0.1 * (u[1:-1, 2:, 1:-1] - 2.0 * inner + u[1:-1, :-2, 1:-1])
            + 0.1 * (u[1:-1, 1:-1, 2:] - 2.0 * inner + u[1:-1, 1:-1, :-2])
        )
    return np.sum(u * u)


def heat_by_hand(start, steps):
    u = start.copy()
    for _ in range(steps):
        inner = u[1:-1, 1:-1, 1:-1]
        around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1]
        around += u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
        u[1:-1, 1:-1, 1:-1] = 0.4 * inner + 0.1 * around
    grad = 2.0 * u
    for _ in range(steps):
        inner = grad[1:-1, 1:-1, 1:-1].copy()
        part = 0.1 * inner
        grad[1:-1, 1:-1, 1:-1] = 0.4 * inner
        grad[2:, 1:-1, 1:-1] += part
        grad[:-2, 1:-1, 1:-1] += part
        grad[1:-1, 2:, 1:-1] += part
        grad[1:-1, :-2, 1:-1] += part
        grad[1:-1, 1:-1, 2:] += part
        grad[1:-1, 1:-1, :-2] += part
    return grad


def horizontal_diffusion(field, strength):
    """Return the sum of a field of weather after diffusion with limited fluxes."""
    curve = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    down = curve[1:, 1:-1] - curve[:-1, 1:-1]
    step = field[2:-1, 2:-2] - field[1:-2, 2:-2]
    down = np.where(down * step > 0, 0.0, down)
    right = curve[1:-1, 1:] - curve[1:-1, :-1]
    step = field[2:-2, 2:-1] - field[2:-2, 1:-2]
    right = np.where(right * step > 0, 0.0, right)
    new = field[2:-2, 2:-2] - strength * (down[1:] - down[:-1] + right[:, 1:] - right[:, :-1])
    return np.sum(new * new)


def horizontal_diffusion_by_hand(field, strength):
    curve = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    down = curve[1:, 1:-1] - curve[:-1, 1:-1]
    goes_down = down * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) <= 0
    down *= goes_down
    right = curve[1:-1, 1:] - curve[1:-1, :-1]
    goes_right = right * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) <= 0
    right *= goes_right
    flux = down[1:] - down[:-1] + right[:, 1:] - right[:, :-1]
    part = field[2:-2, 2:-2] - strength * flux
    part *= 2.0
    grad, grad_curve = np.zeros_like(field), np.zeros_like(curve)
    grad[2:-2, 2:-2] = part
    grad_strength = -part * flux
    part *= -strength
    grad_down, grad_right = np.zeros_like(down), np.zeros_like(right)
    grad_down[1:] = part
    grad_down[:-1] -= part
    grad_down *= goes_down
    grad_right[:, 1:] = part
    grad_right[:, :-1] -= part
    grad_right *= goes_right
    grad_curve[1:, 1:-1] = grad_down
    grad_curve[:-1, 1:-1] -= grad_down
    grad_curve[1:-1, 1:] += grad_right
    grad_curve[1:-1, :-1] -= grad_right
    grad[1:-1, 1:-1] += 4.0 * grad_curve
    grad[2:, 1:-1] -= grad_curve
    grad[:-2, 1:-1] -= grad_curve
    grad[1:-1, 2:] -= grad_curve
    grad[1:-1, :-2] -= grad_curve
    return grad, grad_strength


def seidel(start, steps):
    """Return the energy of a plate after sweeps in place, each point from its new neighbours."""
    u = start.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            u[i, 1:-1] = 0.25 * (u[i - 1, 1:-1] + u[i + 1, 1:-1] + u[i, 2:])
            for j in range(1, columns - 1):
                u[i, j] += 0.25 * u[i, j - 1]
    return np.sum(u * u)


def seidel_by_hand(start, steps):
    u = start.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            u[i, 1:-1] = 0.25 * (u[i - 1, 1:-1] + u[i + 1, 1:-1] + u[i, 2:])
            for j in range(1, columns - 1):
                u[i, j] += 0.25 * u[i, j - 1]
    grad = 2.0 * u
    for _ in range(steps):
        for i in range(rows - 2, 0, -1):
            for j in range(columns - 2, 0, -1):
                grad[i, j - 1] += 0.25 * grad[i, j]
            part = 0.25 * grad[i, 1:-1]
            grad[i, 1:-1] = 0.0
            grad[i - 1, 1:-1] += part
            grad[i + 1, 1:-1] += part
            grad[i, 2:] += part
    return grad


def wave(start, speed, steps):
    """Return the energy of a membrane after leapfrog steps, by a speed at each point."""
    before, now = start.copy(), start.copy()
    for _ in range(steps):
        after = 2.0 * now - before
        after[1:-1, 1:-1] += speed[1:-1, 1:-1] * (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * now[1:-1, 1:-1]
        )
        before, now = now, after
    return np.sum(now * now)


def _curvature(u):
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]


def wave_by_hand(start, speed, steps):
    before, now = start, start
    states = []
    inner = speed[1:-1, 1:-1]
    for _ in range(steps):
        after = 2.0 * now
        after -= before
        after[1:-1, 1:-1] += inner * _curvature(now)
        states.append(now)
        before, now = now, after
    grad, grad_before, grad_speed = 2.0 * now, np.zeros_like(start), np.zeros_like(speed)
    for state in reversed(states):
        grad_speed[1:-1, 1:-1] += grad[1:-1, 1:-1] * _curvature(state)
        part = inner * grad[1:-1, 1:-1]
        earlier = 2.0 * grad
        earlier += grad_before
        earlier[1:-1, 1:-1] -= 4.0 * part
        earlier[2:, 1:-1] += part
        earlier[:-2, 1:-1] += part
        earlier[1:-1, 2:] += part
        earlier[1:-1, :-2] += part
        grad, grad_before = earlier, -grad
    return grad + grad_before, grad_speed


def _grid(*shape: int) -> Any:
    return np.random.default_rng(0).random(shape)


KERNELS = (
    Kernel(jacobi, jacobi_by_hand, lambda n: (_grid(n, n), 10), (50, 150, 300)),
    Kernel(heat, heat_by_hand, lambda n: (_grid(n, n, n), 5), (15, 30, 45)),
    Kernel(
        horizontal_diffusion,
        horizontal_diffusion_by_hand,
        lambda n: (_grid(n, n), _grid(n - 4, n - 4)),
        (60, 200, 400),
        argnums=(0, 1),
        is_plain=True,
    ),
    Kernel(seidel, seidel_by_hand, lambda n: (_grid(n, n), 3), (20, 40, 80)),
    Kernel(
        wave,
        wave_by_hand,
        lambda n: (_grid(n, n), 0.2 * _grid(n, n), 20),
        (40, 80, 160),
        argnums=(0, 1),
    ),
)
