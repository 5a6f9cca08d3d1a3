"""Programs of twenty to sixty lines as they stand in scientific code."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program

_RNG = np.random.default_rng(42)
SEQUENCE = _RNG.normal(size=(5, 3))
POINTS = _RNG.normal(size=(8, 2))
LABELS = np.array([0, 1, 1, 0, 1, 0, 0, 1])
OBSERVATIONS = np.array([0, 1, 1, 2, 0, 1])
SERIES = np.cumsum(_RNG.normal(size=10))
MASSES = np.array([1.0, 0.5, 0.3])


def _logsumexp(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    total = np.sum(np.exp(x - top), axis=axis, keepdims=True)
    return np.squeeze(top + np.log(total), axis=axis)


@program(("w", (3, 4), (4, 4)), ("v", 4))
def recurrent_network(weights, bias):
    """Elman's network over a sequence, with the mean squared output as its loss."""
    inputs, hidden = weights
    state = np.zeros(4)
    loss = 0.0
    for t in range(len(SEQUENCE)):
        state = np.tanh(SEQUENCE[t] @ inputs + state @ hidden + bias)
        loss = loss + np.mean(state**2)
    return loss / len(SEQUENCE)


@program(("w", (3, 8), (2, 8)), ("v", 8))
def gated_recurrent_cell(weights, bias):
    """A small LSTM with the gates in one matrix product."""
    from_input, from_state = weights
    h = np.zeros(2)
    c = np.zeros(2)
    for x in SEQUENCE:
        gates = x @ from_input + h @ from_state + bias
        forget = 1.0 / (1.0 + np.exp(-gates[:2]))
        take = 1.0 / (1.0 + np.exp(-gates[2:4]))
        give = 1.0 / (1.0 + np.exp(-gates[4:6]))
        c = forget * c + take * np.tanh(gates[6:])
        h = give * np.tanh(c)
    return np.sum(h * h) + np.sum(c)


@program("s", "s", "v")
def kalman_filter(process_noise, sensor_noise, start):
    """The negative log-likelihood of a local-trend model."""
    transition = np.array([[1.0, 1.0], [0.0, 1.0]])
    sensor = np.array([1.0, 0.0])
    mean = start[:2]
    cov = np.eye(2) * 2.0
    loss = 0.0
    for t in range(len(SERIES)):
        mean = transition @ mean
        cov = transition @ cov @ transition.T + process_noise**2 * np.eye(2)
        innovation = SERIES[t] - sensor @ mean
        scale = sensor @ cov @ sensor + sensor_noise**2
        gain = cov @ sensor / scale
        mean = mean + gain * innovation
        cov = cov - np.outer(gain, sensor @ cov)
        loss = loss + 0.5 * (np.log(2.0 * np.pi * scale) + innovation**2 / scale)
    return loss


@program(("w", (3, 3), (3, 3)), ("v", 3))
def hidden_markov_forward(tables, start):
    """The log-likelihood of a hidden Markov model by the forward algorithm in log space."""
    moves, emits = tables
    log_moves = moves - _logsumexp(moves, 1)[:, None]
    log_emits = emits - _logsumexp(emits, 1)[:, None]
    log_start = start - _logsumexp(start, 0)
    alpha = log_start + log_emits[:, OBSERVATIONS[0]]
    for t in range(1, len(OBSERVATIONS)):
        alpha = _logsumexp(alpha[:, None] + log_moves, 0) + log_emits[:, OBSERVATIONS[t]]
    return _logsumexp(alpha, 0)


def _accelerations(positions, masses):
    n = len(masses)
    result = np.zeros_like(positions)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = positions[j] - positions[i]
                r2 = d @ d + 0.1
                result[i] += masses[j] * d / (r2 * np.sqrt(r2))
    return result


@program(("m", 3, 2), ("m", 3, 2))
def gravity_leapfrog(positions, velocities):
    """Three bodies, integrated by kick, drift and kick."""
    x = positions.copy()
    v = velocities.copy()
    step = 0.05
    a = _accelerations(x, MASSES)
    for _ in range(4):
        v = v + 0.5 * step * a
        x = x + step * v
        a = _accelerations(x, MASSES)
        v = v + 0.5 * step * a
    return 0.5 * np.sum(MASSES[:, None] * v**2) + np.sum(x[0] * x[1])


@program(("v", 8), "s")
def heat_equation(initial, conductivity):
    """Explicit steps of the heat equation, with the boundary held."""
    u = initial.copy()
    for _ in range(5):
        flux = conductivity * 0.1 * (u[1:] - u[:-1])
        u[1:-1] += flux[1:] - flux[:-1]
        u[0] = 0.0
        u[-1] = 1.0
    return np.sum(u**2)


@program(("v", 8), "s")
def burgers_equation(initial, viscosity):
    """Upwind and central differences of Burgers' equation, in place."""
    u = initial * 0.3
    un = np.empty_like(u)
    dx, dt = 0.5, 0.05
    for _ in range(4):
        un[:] = u
        u[1:-1] = (
            un[1:-1]
            - un[1:-1] * dt / dx * (un[1:-1] - un[:-2])
            + 0.05 * viscosity * dt / dx**2 * (un[2:] - 2.0 * un[1:-1] + un[:-2])
        )
        u[0] = un[0]
        u[-1] = un[-1]
    return np.sum(u * u) + u[3] ** 3


@program(("m", 4, 5))
def jacobi_iteration(f):
    """Jacobi sweeps for Poisson's equation on a small grid."""
    n, m = f.shape
    p = np.zeros((n, m))
    for _ in range(4):
        q = p.copy()
        p[1:-1, 1:-1] = 0.25 * (
            q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1] - 0.1 * f[1:-1, 1:-1]
        )
        p[:, 0] = 0.0
        p[:, -1] = f[:, -1]
        p[0, :] = p[1, :]
        p[-1, :] = 0.0
    return np.sum(p * f)


def _pendulum(state, damping, length):
    angle, speed = state[0], state[1]
    return np.stack([speed, -damping * speed - 9.81 / length * np.sin(angle)])


@program(("v", 2), "s", "s")
def runge_kutta(start, damping, length):
    """The classical method of fourth order for a damped pendulum."""
    state = start
    h = 0.05
    for _ in range(6):
        k1 = _pendulum(state, damping, length)
        k2 = _pendulum(state + 0.5 * h * k1, damping, length)
        k3 = _pendulum(state + 0.5 * h * k2, damping, length)
        k4 = _pendulum(state + h * k3, damping, length)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state[0] ** 2 + 0.1 * state[1] ** 2


@program(("m", 4, 4))
def lu_by_loops(seed):
    """The log-determinant by Gaussian elimination without pivoting."""
    n = len(seed)
    a = seed @ seed.T + 2.0 * np.eye(n)
    for k in range(n - 1):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] = a[i, j] - factor * a[k, j]
    total = 0.0
    for k in range(n):
        total = total + np.log(a[k, k])
    return total


@program(("m", 3, 3))
def cholesky_by_loops(seed):
    """The sum of a Cholesky factor, row by row."""
    n = len(seed)
    a = seed @ seed.T + 2.0 * np.eye(n)
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j] - np.dot(low[i, :j], low[j, :j])
            if i == j:
                low[i, j] = np.sqrt(rest)
            else:
                low[i, j] = rest / low[j, j]
    return np.sum(low)


@program(("v", 6), "s")
def spline_evaluation(values, x):
    """A natural cubic spline through six values, evaluated at one place."""
    n = len(values)
    second = np.zeros(n)
    slope = np.zeros(n)
    for i in range(1, n - 1):
        p = 0.5 * second[i - 1] + 2.0
        second[i] = -0.5 / p
        bend = values[i + 1] - 2.0 * values[i] + values[i - 1]
        slope[i] = (3.0 * bend - 0.5 * slope[i - 1]) / p
    for i in range(n - 2, 0, -1):
        second[i] = second[i] * second[i + 1] + slope[i]
    place = int(np.floor(x))
    b = x - place
    a = 1.0 - b
    curve = (a**3 - a) * second[place] + (b**3 - b) * second[place + 1]
    return a * values[place] + b * values[place + 1] + curve / 6.0


@program(("v", 2), "s")
def logistic_regression(weights, bias):
    """The penalised negative log-likelihood, in its stable form."""
    margins = POINTS @ weights + bias
    signed = np.where(LABELS == 1, margins, -margins)
    losses = np.maximum(-signed, 0.0) + np.log1p(np.exp(-np.abs(signed)))
    return np.mean(losses) + 0.01 * np.sum(weights**2)


@program(("w", (3, 2), (3, 2)), ("v", 3))
def gaussian_mixture(components, logits):
    """The log-likelihood of a mixture of three Gaussians with diagonal covariances."""
    means, log_scales = components
    log_weights = logits - _logsumexp(logits, 0)
    d = POINTS[:, None, :] - means[None, :, :]
    z = d / np.exp(log_scales)[None]
    log_density = -0.5 * np.sum(z * z, axis=2) - np.sum(log_scales, axis=1) - np.log(2.0 * np.pi)
    return np.sum(_logsumexp(log_weights + log_density, 1))


@program(("w", (3, 4), (3, 4)), ("m", 3, 4))
def attention(projections, output):
    """One head of scaled dot-product attention with a causal mask."""
    to_query, to_key = projections
    q = SEQUENCE @ to_query
    k = SEQUENCE @ to_key
    v = SEQUENCE @ output
    scores = q @ k.T / math.sqrt(q.shape[1])
    mask = np.tril(np.ones((len(SEQUENCE), len(SEQUENCE)))) > 0
    scores = np.where(mask, scores, -1e9)
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return np.mean((weights @ v) ** 2)


@program(("m", 4, 3), ("v", 3))
def convolution_by_loops(image, kernel):
    """A convolution along rows, a rectifier and a pool, each by loops."""
    n, m = image.shape
    total = 0.0
    for i in range(n):
        row = np.zeros(m)
        for j in range(m):
            acc = 0.0
            for k in range(3):
                place = j + k - 1
                if 0 <= place < m:
                    acc = acc + image[i, place] * kernel[k]
            row[j] = max(acc, 0.0)
        total = total + np.max(row) * (i + 1)
    return total


@program(("v", 5), ("v", 5))
def soft_dynamic_time_warping(first, second):
    """The soft minimum over alignments of two series, by dynamic programming."""
    n, m = len(first), len(second)
    cost = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        cost[i, 0] = 1e3
    for j in range(1, m + 1):
        cost[0, j] = 1e3
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (first[i - 1] - second[j - 1]) ** 2
            options = np.stack([cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]])
            cost[i, j] = d - 0.5 * _logsumexp(-options / 0.5, 0)
    return cost[n, m]


@program("s", "s")
def option_price(spot, volatility):
    """A binomial tree backwards, in one array that shrinks."""
    steps = 6
    up = math.exp(volatility * 0.1)
    down = 1.0 / up
    p = (1.001 - down) / (up - down)
    prices = np.zeros(steps + 1)
    for i in range(steps + 1):
        prices[i] = np.maximum(spot * up ** (steps - i) * down**i - 0.9, 0.0)
    for step in range(steps, 0, -1):
        prices[:step] = (p * prices[:step] + (1.0 - p) * prices[1 : step + 1]) / 1.001
    return prices[0]


@program(("v", 3), ("v", 3))
def ray_march(origin, direction):
    """A fixed number of steps towards a sphere by its distance, then the shading."""
    d = direction / np.sqrt(direction @ direction)
    travelled = 0.0
    for _ in range(5):
        place = origin + travelled * d
        distance = np.sqrt(place @ place) - 0.4
        travelled = travelled + 0.5 * distance
    place = origin + travelled * d
    normal = place / np.sqrt(place @ place)
    return np.maximum(normal @ np.array([0.3, 0.8, 0.5]), 0.1) + travelled


@program("s")
def newton_with_implicit_tolerance(a):
    """Newton's method for Kepler's equation, as long as it needs."""
    e = a
    correction = 1.0
    count = 0
    while abs(correction) > 1e-13 and count < 50:
        correction = (e - 0.3 * math.sin(e) - a) / (1.0 - 0.3 * math.cos(e))
        e = e - correction
        count += 1
    return e * e


@program(("v", 3), "s")
def adaptive_steps(start, rate):
    """An adaptive Euler scheme that halves its step where the error is too large."""
    y = start
    t = 0.0
    h = 0.2
    for _ in range(12):
        full = y + h * rate * np.sin(y)
        half = y + 0.5 * h * rate * np.sin(y)
        half = half + 0.5 * h * rate * np.sin(half)
        error = float(np.max(np.abs(full - half)))
        if error > 0.01:
            h = 0.5 * h
        else:
            y = half
            t = t + h
    return np.sum(y) + t
