"""Tests programs as people write them: soft alignments, options, lattices, mixtures, filters."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.targets.counts import narrowed

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(11)


def soft_alignment(x, y, width):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = -r[i - 1, j - 1] / width, -r[i - 1, j] / width, -r[i, j - 1] / width
            top = max(a, b, c)
            soft = np.log(np.exp(a - top) + np.exp(b - top) + np.exp(c - top)) + top
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 - width * soft
    return r[n, m]


def option(spot, strike, rate, sigma, n):
    up = np.exp(sigma * np.sqrt(1.0 / n))
    chance = (np.exp(rate / n) - 1 / up) / (up - 1 / up)
    v = np.zeros(n + 1)
    for i in range(n + 1):
        v[i] = max(strike - spot * up ** (2 * i - n), 0.0)
    for t in range(n - 1, -1, -1):
        for i in range(t + 1):
            kept = np.exp(-rate / n) * (chance * v[i + 1] + (1 - chance) * v[i])
            v[i] = max(kept, strike - spot * up ** (2 * i - t))
    return v[0]


def turned(f, steps):
    for k in range(steps):
        f = 0.9 * np.roll(f, k + 1, axis=0) + 0.1 * np.roll(f, -1, axis=1) * f
    return np.sum(f * f)


def filtered(y, a, q):
    m, p, total = np.zeros(2), np.eye(2), 0.0
    for t in range(len(y)):
        m, p = a @ m, a @ p @ a.T + q
        e = y[t] - m
        total -= 0.5 * (e @ np.linalg.solve(p + q, e))
        m = m + p @ np.linalg.solve(p + q, e)
    return total


def mixture(weights, means, logs, x):
    total = 0.0
    parts = np.zeros(len(weights))
    for i in range(x.shape[0]):
        for k in range(len(weights)):
            square = 0.0
            for j in range(x.shape[1]):
                q = np.exp(logs[k, j]) * (x[i, j] - means[k, j])
                square += q * q
            parts[k] = weights[k] + np.sum(logs[k]) - 0.5 * square
        top = np.max(parts)
        total += top + np.log(np.sum(np.exp(parts - top)))
    return total


def turned_about_both_axes(f, steps):
    for k in range(steps):
        f = 0.9 * np.roll(f, (k, -k), axis=(0, 1)) + 0.1 * np.roll(f, 2, axis=(1, 0)) * f
        f = f * np.roll(f, -1, axis=-1) + np.roll(f, (1, k), axis=(0, -1))
    return np.sum(f * f)


def crossed(p, axis):
    total = 0.0
    for i in range(p.shape[0]):
        moved = np.cross(axis, p[i])
        back = np.cross(moved, axis)
        total += np.sum(moved * moved) + back[0] * p[i, 1]
    return total


def volumes(a, steps):
    total = 0.0
    for k in range(steps):
        total += np.linalg.det(a * (k + 1.0)) + k * np.linalg.slogdet(a)[1]
    return total


def flat_volume(a, steps):
    total = 0.0
    for k in range(steps):
        total += np.linalg.det(a) * (k + 1.0)
    return total


A = np.array([[0.9, 0.1], [-0.2, 0.8]])


def softest_of_three(d, width):
    r = np.zeros((d.shape[0] + 1, d.shape[1] + 1))
    for i in range(1, d.shape[0] + 1):
        for j in range(1, d.shape[1] + 1):
            z = -np.array([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]]) / width
            top = np.max(z)
            r[i, j] = d[i - 1, j - 1] - width * (top + np.log(np.sum(np.exp(z - top))))
    return r[-1, -1]


def gains(p, h, noise, steps):
    total = 0.0
    for _ in range(steps):
        s = h @ p @ h.T + noise
        gain = np.linalg.solve(s, h @ p).T
        p = p - gain @ s @ gain.T + 0.1 * np.linalg.inv(s)[0, 0] * np.eye(3)
        total += np.sum(p)
    return total


CASES = {
    soft_alignment: (RNG.normal(size=5), RNG.normal(size=6), 0.7),
    option: (1.1, 1.2, 0.05, 0.3, 8),
    turned: (RNG.normal(size=(4, 5)), 3),
    filtered: (RNG.normal(size=(5, 2)), A, 0.1 * np.eye(2)),
    turned_about_both_axes: (RNG.normal(size=(4, 5)), 3),
    crossed: (RNG.normal(size=(4, 3)), RNG.normal(size=3)),
    volumes: (RNG.normal(size=(3, 3)), 3),
    flat_volume: (np.outer(np.arange(3.0), np.arange(1.0, 4.0)) + np.eye(3)[:, :1], 2),
    softest_of_three: (RNG.normal(size=(4, 3)) ** 2, 0.7),
    gains: (np.eye(3) + 0.1, RNG.normal(size=(2, 3)), np.eye(2), 3),
    mixture: (
        RNG.normal(size=3),
        RNG.normal(size=(3, 2)),
        0.1 * RNG.normal(size=(3, 2)),
        RNG.normal(size=(6, 2)),
    ),
}
# zeros of theirs are of 64 bits, so that arrays change their type in the loop
MIXED = (filtered, gains, softest_of_three)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_programs_of_habit_are_compiled(f):
    args = CASES[f]
    chosen = tuple(k for k, item in enumerate(args) if not isinstance(item, int))
    for given in (args, narrowed(args)) if f not in MIXED else (args,):
        derivative = sg.value_and_grad(f, chosen, backend="numba", fallback="error")
        for _ in range(2):
            found = derivative(*given)
        expected = sg.value_and_grad(f, chosen, fallback="error")(*given)
        assert not differs(found, expected, narrow=given is not args)
        assert "@jitted" in derivative.source
        assert "# ----" not in derivative.source
