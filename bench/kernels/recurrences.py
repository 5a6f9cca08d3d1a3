"""Recurrences, and loops over small things: what is mostly the work of the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.kernels.kernel import Kernel


def mixture(means, scales, points):
    """Return the logarithm of the likelihood of points under a mixture of normal laws."""
    total = 0.0
    for i in range(points.shape[0]):
        scores = np.zeros(means.shape[0])
        for k in range(means.shape[0]):
            away = (points[i] - means[k]) * np.exp(-scales[k])
            scores[k] = -0.5 * np.sum(away * away) - np.sum(scales[k])
        most = np.max(scores)
        total += most + np.log(np.sum(np.exp(scores - most)))
    return total


def mixture_by_hand(means, scales, points):
    grad_means, grad_scales = np.zeros_like(means), np.zeros_like(scales)
    count = means.shape[0]
    for i in range(points.shape[0]):
        scores = np.zeros(count)
        aways = []
        for k in range(count):
            away = (points[i] - means[k]) * np.exp(-scales[k])
            scores[k] = -0.5 * np.sum(away * away) - np.sum(scales[k])
            aways.append(away)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        for k in range(count):
            grad_means[k] += shares[k] * aways[k] * np.exp(-scales[k])
            grad_scales[k] += shares[k] * (aways[k] * aways[k] - 1.0)
    return grad_means, grad_scales


def _slope(state, rates):
    x, y = state[0], state[1]
    return np.array([rates[0] * x - rates[1] * x * y, rates[2] * x * y - rates[3] * y])


def runge_kutta(rates, start, steps):
    """Return the sum of the numbers of prey and hunters after some steps."""
    h = 0.01
    state = start
    for _ in range(steps):
        k1 = _slope(state, rates)
        k2 = _slope(state + 0.5 * h * k1, rates)
        k3 = _slope(state + 0.5 * h * k2, rates)
        k4 = _slope(state + h * k3, rates)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(state)


def _slope_back(state, rates, grad, grad_rates):
    x, y = state[0], state[1]
    both = x * y
    grad_rates[0] += grad[0] * x
    grad_rates[1] -= grad[0] * both
    grad_rates[2] += grad[1] * both
    grad_rates[3] -= grad[1] * y
    part = grad[1] * rates[2] - grad[0] * rates[1]
    return np.array([grad[0] * rates[0] + part * y, part * x - grad[1] * rates[3]])


def runge_kutta_by_hand(rates, start, steps):
    h = 0.01
    state = start
    kept = []
    for _ in range(steps):
        k1 = _slope(state, rates)
        second = state + 0.5 * h * k1
        k2 = _slope(second, rates)
        third = state + 0.5 * h * k2
        k3 = _slope(third, rates)
        fourth = state + h * k3
        k4 = _slope(fourth, rates)
        kept.append((state, second, third, fourth))
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    grad, grad_rates = np.ones_like(state), np.zeros_like(rates)
    for first, second, third, fourth in reversed(kept):
        part = h / 6.0 * grad
        back = _slope_back(fourth, rates, part, grad_rates)
        grad = grad + back
        back = _slope_back(third, rates, 2.0 * part + h * back, grad_rates)
        grad = grad + back
        back = _slope_back(second, rates, 2.0 * part + 0.5 * h * back, grad_rates)
        grad = grad + back
        grad = grad + _slope_back(first, rates, part + 0.5 * h * back, grad_rates)
    return grad_rates, grad


def soft_warping(first, second):
    """Return the soft distance of two series that may be stretched."""
    rows, columns = first.shape[0], second.shape[0]
    cost = np.full((rows + 1, columns + 1), 1e10)
    cost[0, 0] = 0.0
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            a, b, c = cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]
            least = min(a, b, c)
            total = np.exp(least - a) + np.exp(least - b) + np.exp(least - c)
            apart = first[i - 1] - second[j - 1]
            cost[i, j] = apart * apart + least - np.log(total)
    return cost[rows, columns]


def soft_warping_by_hand(first, second):
    rows, columns = first.shape[0], second.shape[0]
    cost = np.full((rows + 1, columns + 1), 1e10)
    cost[0, 0] = 0.0
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            a, b, c = cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]
            least = min(a, b, c)
            total = np.exp(least - a) + np.exp(least - b) + np.exp(least - c)
            apart = first[i - 1] - second[j - 1]
            cost[i, j] = apart * apart + least - np.log(total)
    grad, grad_first = np.zeros_like(cost), np.zeros_like(first)
    grad[rows, columns] = 1.0
    for i in range(rows, 0, -1):
        for j in range(columns, 0, -1):
            apart = first[i - 1] - second[j - 1]
            grad_first[i - 1] += 2.0 * grad[i, j] * apart
            rest = cost[i, j] - apart * apart
            grad[i - 1, j] += grad[i, j] * np.exp(rest - cost[i - 1, j])
            grad[i, j - 1] += grad[i, j] * np.exp(rest - cost[i, j - 1])
            grad[i - 1, j - 1] += grad[i, j] * np.exp(rest - cost[i - 1, j - 1])
    return grad_first


def bodies(places, speeds, masses, steps):
    """Return the energy of motion of bodies that attract each other, after some steps."""
    for _ in range(steps):
        away = places[None, :, :] - places[:, None, :]
        squares = np.sum(away * away, axis=2) + 0.01
        pulls = np.sum(away * (masses / squares**1.5)[:, :, None], axis=1)
        speeds = speeds + 0.01 * pulls
        places = places + 0.01 * speeds
    return 0.5 * np.sum(masses * np.sum(speeds * speeds, axis=1))


def bodies_by_hand(places, speeds, masses, steps):
    kept = []
    for _ in range(steps):
        away = places[None, :, :] - places[:, None, :]
        squares = np.einsum("ijk,ijk->ij", away, away)
        squares += 0.01
        force = masses / (squares * np.sqrt(squares))
        kept.append((away, squares, force))
        speeds = speeds + 0.01 * np.einsum("ijk,ij->ik", away, force)
        places = places + 0.01 * speeds
    grad_speeds = masses[:, None] * speeds
    grad_places = np.zeros_like(places)
    for away, squares, force in reversed(kept):
        grad_speeds += 0.01 * grad_places
        part = 0.01 * grad_speeds
        turn = np.einsum("ijk,ik->ij", away, part)
        turn *= force
        turn *= -3.0
        turn /= squares
        grad_away = force[:, :, None] * part[:, None, :]
        grad_away += turn[:, :, None] * away
        grad_places += grad_away.sum(axis=0) - grad_away.sum(axis=1)
    return grad_places, grad_speeds


def option(price, steps):
    """Return the price of an option from a tree of prices, in lists of numbers."""
    up = 1.0 + 0.2 / steps
    down = 1.0 / up
    values = [max(price * up**i * down ** (steps - i) - 1.0, 0.0) for i in range(steps + 1)]
    for step in range(steps, 0, -1):
        for i in range(step):
            values[i] = 0.999 * (0.5 * values[i + 1] + 0.5 * values[i])
    return values[0]


def option_by_hand(price, steps):
    up = 1.0 + 0.2 / steps
    down = 1.0 / up
    grad = [0.0] * (steps + 1)
    grad[0] = 1.0
    for step in range(1, steps + 1):
        for i in range(step - 1, -1, -1):
            part = 0.4995 * grad[i]
            grad[i + 1] += part
            grad[i] = part
    total = 0.0
    for i in range(steps + 1):
        slope = up**i * down ** (steps - i)
        if price * slope > 1.0:
            total += grad[i] * slope
    return total


def _drawn(n: int, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return tuple(rng.normal(size=shape) for shape in shapes)


def _for_bodies(n: int) -> tuple[Any, ...]:
    places, speeds, masses = _drawn(n, (n, 3), (n, 3), (n,))
    return places, speeds, 1.0 + masses * masses, 10


KERNELS = (
    Kernel(
        mixture, mixture_by_hand, lambda n: _drawn(n, (4, 3), (4, 3), (n, 3)), (25, 50, 100), (0, 1)
    ),
    Kernel(
        runge_kutta,
        runge_kutta_by_hand,
        lambda n: (np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0]), n),
        (50, 100, 200),
        (0, 1),
    ),
    Kernel(soft_warping, soft_warping_by_hand, lambda n: _drawn(n, (n,), (n,)), (15, 30, 60)),
    Kernel(bodies, bodies_by_hand, _for_bodies, (10, 40, 80), (0, 1), is_plain=True),
    Kernel(option, option_by_hand, lambda n: (1.05, n), (25, 50, 100)),
)
