"""Programs of loops beside functions that Numba does not know."""

from __future__ import annotations

import numpy as np

V = np.random.default_rng(7).normal(size=8)


def heat_of_a_signal(x, n):
    """Loop over values of a transform, which no loop holds."""
    y = np.fft.irfft(np.fft.rfft(x) * 0.5, len(x))
    total = 0.0
    for k in range(n):
        for i in range(1, len(y)):
            total += y[i] * y[i - 1] * x[i] * (k + 1)
    return total


def two_loops(x, w):
    """Stop a loop early, behind a sum of products."""
    low = np.zeros(len(x))
    for i in range(len(x)):
        low[i] = np.sin(x[i]) * w[i]
    c = np.einsum("i,i->", low, x)
    total = 0.0
    for i in range(len(x)):
        total += low[i] * c
        if total > 100.0:
            break
    return total


def steps_of_a_state(x, steps):
    """Hold a transform and a loop in each step."""
    u = x.copy()
    for _ in range(steps):
        u = np.real(np.fft.ifft(np.fft.fft(u) * 0.9))
        v = np.zeros_like(u)
        for i in range(1, len(u)):
            v[i] = u[i] * u[i - 1]
        u = u + 0.1 * v
    return np.sum(u * u)


def kept_for_later(x, w):
    """Keep numbers of one loop until after what stands between."""
    y = x[0]
    for k in range(len(w)):
        y = y * w[k] + np.sin(y)
    z = np.einsum("i,i->", x, x * y)
    u = 0.0
    for k in range(len(w)):
        if u > -1e9:
            u = u * u * w[k] + z
    return u


def one_list_for_two(x, w):
    """Fill one list in two loops."""
    ys = []
    for k in range(len(w)):
        ys.append(x[0] * w[k])  # noqa: PERF401 - a list that grows
    c = np.fft.rfft(w).real[0] * x[1]
    for k in range(len(w)):
        ys.append(ys[-1] * w[k] * c)
    return np.sum(np.array(ys))


def lists_of_the_caller(x, kept):
    """Append to a list that the caller has, beside what is no loop."""
    c = np.einsum("i,i->", x, x)
    for i in range(len(x)):
        if x[i] > 0.0:
            kept.append(x[i] * c)
    return kept[-1] * c


def of_a_pair(pair, x):
    """Update adjoints of a tuple, which are a list, in several loops."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * pair[1] + pair[0][i]
    c = np.einsum("i,i->", pair[0], x)
    for i in range(len(x)):
        total += x[i] * c * pair[1] * pair[0][i]
    return total * pair[1]


def under_two_names(x, n):
    """Write under one name and read under another, on both sides of what is no loop."""
    t = x * 1.0
    b = t
    t[1] += x[2]
    c = np.einsum("i,i->", x, x)
    b, t = t, b
    for k in range(n):
        b[1:] += t[:-1] * c * (k + 1)
    return np.sum(t * t)


def of_a_helper(x, n):
    """Call a helper that holds both."""

    def smoothed(v):
        low = np.fft.irfft(np.fft.rfft(v) * 0.5, len(v))
        total = 0.0
        for i in range(1, len(v)):
            total = total * 0.5 + low[i] * v[i - 1]
        return total

    total = 0.0
    for k in range(n):
        total += smoothed(x * (k + 1.0))
    return total


def told(x):
    """Say something before a loop and after it."""
    print("begin")
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    print("end")
    return total


def noisy(x, rng):
    """Draw random numbers before a loop and after it."""
    noise = rng.normal(size=len(x))
    total = 0.0
    for i in range(len(x)):
        total = total * 0.9 + x[i] * x[i] * noise[i]
    return total * rng.normal()


CASES = {
    heat_of_a_signal: (V, 3),
    two_loops: (V, V**2),
    steps_of_a_state: (V, 3),
    kept_for_later: (V, V**2),
    one_list_for_two: (V, V**2),
    under_two_names: (V, 3),
    of_a_helper: (V, 2),
}
