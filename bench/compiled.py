"""Times compiled gradients beside those of NumPy's text, and loops by hand under Numba."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import srcgrad as sg
from bench import compiled_by_hand
from bench.timing import in_words, measure

RNG = np.random.default_rng(0)


def lorenz(start, rate, steps):
    """Return the sum of a state after steps of Runge and Kutta."""

    def slope(x, y, z):
        return rate * (y - x), x * (28.0 - z) - y, x * y - 2.6 * z

    x, y, z = start[0], start[1], start[2]
    h = 0.01
    for _ in range(steps):
        a, b, c = slope(x, y, z)
        d, e, f = slope(x + 0.5 * h * a, y + 0.5 * h * b, z + 0.5 * h * c)
        p, q, r = slope(x + 0.5 * h * d, y + 0.5 * h * e, z + 0.5 * h * f)
        s, t, u = slope(x + h * p, y + h * q, z + h * r)
        x = x + h / 6 * (a + 2 * d + 2 * p + s)
        y = y + h / 6 * (b + 2 * e + 2 * q + t)
        z = z + h / 6 * (c + 2 * f + 2 * r + u)
    return x + y + z


def cholesky(a):
    """Return the logarithm of a determinant, by a factor of Cholesky."""
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j]
            for k in range(j):
                rest -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(rest)
            else:
                low[i, j] = rest / low[j, j]
    total = 0.0
    for i in range(n):
        total += np.log(low[i, i])
    return total


def eliminated(a):
    """Return a sum over a matrix after elimination in place, without pivots."""
    u = a.copy()
    n = u.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k] = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= u[i, k] * u[k, j]
    return np.sum(u * u)


def solved(low, b):
    """Return the sum of squares of the solution of a triangular system."""
    n = b.shape[0]
    x = np.zeros_like(b)
    for i in range(n):
        rest = b[i]
        for j in range(i):
            rest -= low[i, j] * x[j]
        x[i] = rest / low[i, i]
    return np.sum(x * x)


def seidel(x, sweeps):
    """Return the sum of squares after sweeps in place."""
    u = x.copy()
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def jacobi(x, sweeps):
    """Return the sum of squares after sweeps between two arrays."""
    u = x.copy()
    for _ in range(sweeps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return np.sum(u * u)


def fixed_point(a):
    """Return the fixed point of a slow iteration."""
    x = a
    while abs(np.cos(a * x) - x) > 1e-12:
        x = x + 0.1 * (np.cos(a * x) - x)
    return x


def option(spot, strike, rate, sigma, years):
    """Return the price of an option, of five numbers."""
    root = sigma * math.sqrt(years)
    up = (math.log(spot / strike) + (rate + 0.5 * sigma * sigma) * years) / root
    down = up - root
    chance_up = 0.5 * (1.0 + math.erf(up / math.sqrt(2.0)))
    chance_down = 0.5 * (1.0 + math.erf(down / math.sqrt(2.0)))
    return spot * chance_up - strike * math.exp(-rate * years) * chance_down


def bodies(p):
    """Return the energy of bodies that repel each other."""
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(i):
            d = p[i] - p[j]
            total += 1.0 / np.sqrt(np.sum(d * d) + 0.01)
    return total


def _definite(n: int) -> Any:
    a = RNG.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


CASES: dict[Callable[..., Any], tuple[Any, ...]] = {
    lorenz: (np.array([1.0, 2.0, 3.0]), 10.0, 1000),
    cholesky: (_definite(40),),
    eliminated: (_definite(40),),
    solved: (np.tril(_definite(100)), RNG.normal(size=100)),
    seidel: (RNG.normal(size=(60, 60)), 5),
    jacobi: (RNG.normal(size=(150, 150)), 20),
    fixed_point: (0.9,),
    option: (1.1, 1.0, 0.05, 0.2, 0.7),
    bodies: (RNG.normal(size=(60, 3)),),
}


def main() -> None:
    """Print one line for each kernel, and the geometric means."""
    print("Compiled loops: value and gradient, the best of 15 turns")
    if find_spec("numba") is None:
        print("  skipped: Numba is not installed\n")
        return
    print(f"  {'':14}{'NumPy':>10}{'compiled':>10}{'faster':>9}{'by hand':>10}{'times':>7}")
    ratios = []
    for f, args in CASES.items():
        runs = {
            "numpy": sg.value_and_grad(f, fallback="error"),
            "compiled": sg.value_and_grad(f, backend="numba", fallback="error"),
            "hand": compiled_by_hand.of(f.__name__),
        }
        found = {name: run(*args) for name, run in runs.items()}
        for name in ("compiled", "hand"):
            np.testing.assert_allclose(found[name][0], found["numpy"][0], rtol=1e-7)
            np.testing.assert_allclose(found[name][1], found["numpy"][1], rtol=1e-6, atol=1e-9)
        calls = {name: (lambda run=run, args=args: run(*args)) for name, run in runs.items()}
        best = {name: timing.best for name, timing in measure(calls, turns=15).items()}
        ratios.append((best["numpy"] / best["compiled"], best["compiled"] / best["hand"]))
        shown = [in_words(best["numpy"]), in_words(best["compiled"]), in_words(best["hand"])]
        print(
            f"  {f.__name__:14}{shown[0]:>10}{shown[1]:>10}{ratios[-1][0]:9.1f}"
            f"{shown[2]:>10}{ratios[-1][1]:7.2f}"
        )
    means = np.exp(np.mean(np.log(ratios), axis=0))
    print(f"  {'geometric mean':34}{means[0]:9.1f}{means[1]:17.2f}\n", flush=True)
