"""Estimation and numerical methods as they stand in scientific code."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program

_RNG = np.random.default_rng(23)
TIMES = np.linspace(0.0, 2.0, 6)
VALUES = np.sin(TIMES) + 0.1 * _RNG.normal(size=6)
CLOUD = _RNG.normal(size=(7, 2))
DESIGN = _RNG.normal(size=(6, 3))
COUNTS = np.array([2.0, 0.0, 1.0, 3.0, 1.0, 0.0])
WORDS = (3, 1, 2, 0, 2)
HEIGHTS = np.array([0.2, 0.9, 0.4, 1.3, 0.7])


@program("s", "s", "s")
def gaussian_process_likelihood(length, amplitude, noise):
    """The negative log marginal likelihood, by a Cholesky factorisation."""
    n = len(TIMES)
    d = TIMES[:, None] - TIMES[None, :]
    k = amplitude**2 * np.exp(-0.5 * (d / length) ** 2)
    k = k + (noise**2 + 0.1) * np.eye(n)
    low = np.linalg.cholesky(k)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, VALUES))
    fit = 0.5 * VALUES @ alpha
    size = np.sum(np.log(np.diag(low)))
    return fit + size + 0.5 * n * math.log(2.0 * math.pi)


@program(("m", 3, 2), "s")
def expectation_maximisation(centres, spread):
    """Three EM steps of a mixture with one width, then its likelihood."""
    means = centres
    var = spread
    weights = np.ones(3) / 3.0
    loss = 0.0
    for _ in range(3):
        d2 = np.sum((CLOUD[:, None, :] - means[None, :, :]) ** 2, axis=2)
        logits = np.log(weights) - 0.5 * d2 / var - np.log(var)
        top = np.max(logits, axis=1, keepdims=True)
        total = top + np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True))
        resp = np.exp(logits - total)
        loss = -np.sum(total)
        counts = np.sum(resp, axis=0)
        weights = counts / np.sum(counts)
        means = resp.T @ CLOUD / counts[:, None]
        var = np.sum(resp * d2) / (2.0 * len(CLOUD)) + 0.05
    return loss


@program(("v", 3))
def poisson_regression_by_newton(prior):
    """Iteratively reweighted least squares, from a prior that is differentiated."""
    beta = 0.1 * prior
    for _ in range(4):
        rate = np.exp(DESIGN @ beta)
        gradient = DESIGN.T @ (COUNTS - rate) - 0.5 * (beta - prior)
        curvature = DESIGN.T @ (rate[:, None] * DESIGN) + 0.5 * np.eye(3)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step
    return np.sum(beta**2) + np.sum(np.exp(DESIGN @ beta))


@program(("m", 5, 4), "s")
def soft_viterbi(scores, temperature):
    """The smooth maximum over paths through a lattice, with back pointers kept as weights."""
    n, states = len(scores), scores.shape[1]
    value = scores[0]
    weights = []
    for t in range(1, n):
        table = value[:, None] - 0.3 * np.abs(np.arange(states)[:, None] - np.arange(states))
        top = np.max(table, axis=0)
        shifted = np.exp((table - top) / temperature)
        total = np.sum(shifted, axis=0)
        weights.append(shifted / total)
        value = scores[t] + top + temperature * np.log(total)
    best = np.exp((value - np.max(value)) / temperature)
    best = best / np.sum(best)
    path = 0.0
    for w in reversed(weights):
        best = w @ best
        path = path + best @ np.arange(states)
    return path + np.max(value)


@program(("m", 4, 3))
def soft_edit_distance(letters):
    """The soft minimum over edits between a word and a list of letters' likelihoods."""
    n, m = len(WORDS), len(letters)
    table = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        table[i][0] = 1.0 * i
    for j in range(m + 1):
        table[0][j] = 1.0 * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            match = np.sum((letters[j - 1] - 0.3 * WORDS[i - 1]) ** 2)
            options = (
                table[i - 1][j] + 1.0,
                table[i][j - 1] + 1.0,
                table[i - 1][j - 1] + match,
            )
            table[i][j] = -np.log(sum(np.exp(-option) for option in options))
    return table[n][m]


@program("s", "s")
def root_by_bisection_and_newton(a, b):
    """Brackets a root by halving, then polishes it, so that the derivative is that of the root."""

    def f(x):
        return x**3 + a * x - b

    low, high = -3.0, 3.0
    for _ in range(20):
        middle = 0.5 * (low + high)
        if f(middle) > 0.0:
            high = middle
        else:
            low = middle
    x = 0.5 * (low + high)
    for _ in range(3):
        x = x - f(x) / (3.0 * x * x + a)
    return x * x


@program("s", "s", "s")
def american_put(spot, strike, volatility):
    """A binomial tree with early exercise, level by level in a list."""
    steps = 5
    dt = 0.2
    up = math.exp(0.3 * volatility * math.sqrt(dt))
    down = 1.0 / up
    discount = math.exp(-0.02 * dt)
    p = (1.0 / discount - down) / (up - down)
    values = [max(strike - spot * up ** (2 * i - steps), 0.0) for i in range(steps + 1)]
    for level in range(steps - 1, -1, -1):
        new = []
        for i in range(level + 1):
            hold = discount * (p * values[i + 1] + (1.0 - p) * values[i])
            now = strike - spot * up ** (2 * i - level)
            new.append(max(hold, now))
        values = new
    return values[0]


@program(("v", 5))
def bezier_by_de_casteljau(points):
    """A curve at several places, by repeated interpolation in place."""
    total = 0.0
    for t in (0.2, 0.5, 0.9):
        work = points.copy()
        n = len(work)
        for level in range(1, n):
            for i in range(n - level):
                work[i] = (1.0 - t) * work[i] + t * work[i + 1]
        total += work[0] ** 2
    return total


@program(("m", 4, 3))
def gram_schmidt(columns):
    """The modified Gram-Schmidt process, with the triangle kept."""
    m = columns.shape[1]
    q = columns.copy()
    r = np.zeros((m, m))
    for j in range(m):
        for i in range(j):
            r[i, j] = q[:, i] @ q[:, j]
            q[:, j] -= r[i, j] * q[:, i]
        r[j, j] = np.sqrt(q[:, j] @ q[:, j])
        q[:, j] /= r[j, j]
    return np.sum(r) + np.sum(q**3)


@program(("m", 3, 3), ("v", 3))
def gaussian_elimination_with_pivots(a, b):
    """A linear system by elimination with row swaps, and the answer's size."""
    n = len(b)
    m = a + 0.1 * np.eye(n)
    y = b.copy()
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(m[i, k]) > abs(m[p, k]):
                p = i
        if p != k:
            m[[k, p]] = m[[p, k]]
            y[[k, p]] = y[[p, k]]
        for i in range(k + 1, n):
            factor = m[i, k] / m[k, k]
            m[i, k:] -= factor * m[k, k:]
            y[i] -= factor * y[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - m[i, i + 1 :] @ x[i + 1 :]) / m[i, i]
    return np.sum(x**2) * 0.1


@program(("m", 3, 3))
def power_iteration(seed):
    """The largest eigenvalue, in as many steps as it takes."""
    a = seed @ seed.T + np.eye(3)
    v = np.ones(3)
    value = 0.0
    for _ in range(200):
        w = a @ v
        new = v @ w / (v @ v)
        v = w / np.sqrt(w @ w)
        if abs(new - value) < 1e-13:
            break
        value = new
    return v @ a @ v


@program(("m", 4, 4))
def conjugate_gradients(seed):
    """Conjugate gradients for a system that the argument makes."""
    a = seed @ seed.T + 2.0 * np.eye(4)
    b = np.arange(1.0, 5.0)
    x = np.zeros(4)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for _ in range(3):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if math.sqrt(new) < 1e-12:
            break
        p = r + new / rs * p
        rs = new
    return x @ b + np.sum(x**2)


@program("s", "s")
def adaptive_quadrature(a, b):
    """Simpson's rule, halved by recursion where the error is too large."""

    def f(x):
        return math.exp(-a * x * x) * math.cos(b * x)

    def simpson(low, high):
        return (high - low) / 6.0 * (f(low) + 4.0 * f(0.5 * (low + high)) + f(high))

    def refine(low, high, whole, depth):
        middle = 0.5 * (low + high)
        left, right = simpson(low, middle), simpson(middle, high)
        if depth == 0 or abs(left + right - whole) < 1e-4:
            return left + right
        return refine(low, middle, left, depth - 1) + refine(middle, high, right, depth - 1)

    return refine(0.0, 1.0, simpson(0.0, 1.0), 4)


@program(("v", 5), "s")
def clamped_interpolation(knots, place):
    """Finds the interval by a loop that stops, and interpolates between increasing knots."""
    xs = np.cumsum(np.exp(0.2 * knots))
    target = xs[0] + 0.4 * place * (xs[-1] - xs[0])
    position = 0
    for i in range(len(xs) - 1):
        if xs[i + 1] >= target:
            position = i
            break
    else:
        position = len(xs) - 2
    share = (target - xs[position]) / (xs[position + 1] - xs[position])
    smooth = share * share * (3.0 - 2.0 * share)
    return HEIGHTS[position] * (1.0 - smooth) + HEIGHTS[position + 1] * smooth


@program(("v", 4), "s")
def particle_filter_with_soft_resampling(start, noise):
    """Weights of particles over three observations, with resampling by mixing."""
    particles = start * 1.0
    weights = np.ones(4) / 4.0
    loss = 0.0
    for seen in (0.3, -0.1, 0.5):
        particles = 0.9 * particles + 0.1 * np.sin(particles)
        likelihood = np.exp(-0.5 * ((seen - particles) / noise) ** 2) / noise
        weights = weights * likelihood
        total = np.sum(weights)
        loss -= np.log(total)
        weights /= total
        if 1.0 / np.sum(weights**2) < 3.5:
            mean = weights @ particles
            particles = 0.5 * particles + 0.5 * mean
            weights = 0.5 * weights + 0.125
    return loss


@program(("w", (2, 4), (4, 4), (4, 1)), "s")
def training_loop_unrolled(layers, rate):
    """Three steps of descent on a small network, with gradients by hand, then the loss."""
    first, second, last = layers
    inputs = CLOUD[:5]
    targets = CLOUD[:5, :1] * CLOUD[:5, 1:]
    loss = 0.0
    for _ in range(3):
        h1 = np.tanh(inputs @ first)
        h2 = np.tanh(h1 @ second)
        out = h2 @ last
        error = out - targets
        loss = np.mean(error**2)
        d_out = 2.0 * error / error.size
        d_h2 = d_out @ last.T * (1.0 - h2**2)
        d_h1 = d_h2 @ second.T * (1.0 - h1**2)
        last = last - 0.1 * rate * (h2.T @ d_out)
        second = second - 0.1 * rate * (h1.T @ d_h2)
        first = first - 0.1 * rate * (inputs.T @ d_h1)
    return loss
