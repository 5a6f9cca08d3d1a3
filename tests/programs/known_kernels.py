"""Kernels that everybody writes, on matrices and grids: lengths that agree, masks and averages."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("m", 4, 5), ("m", 4, 5), ("m", 4, 5), ("v", 2))
def fields_on_shifted_grids(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


@program(("m", 3, 4), ("v", 3))
def a_column_stored_into_every_row(x, y):
    a = np.zeros((3, 4))
    a[:, 1:] += x[:, 1:] * y[:, None]
    a[1:] = y[1:, None]
    return np.sum(a * x)


def _prey_and_hunters(x, y, rates):
    a, b, c, d = rates
    return a * x - b * x * y, d * x * y - c * y


@program(("v", 4), ("m", 2, 3))
def hunters_by_runge_and_kutta(rates, start):
    x, y = start
    for _ in range(2):
        k1x, k1y = _prey_and_hunters(x, y, rates)
        k2x, k2y = _prey_and_hunters(x + 0.05 * k1x, y + 0.05 * k1y, rates)
        x, y = x + 0.1 * k2x, y + 0.1 * k2y
    return np.sum(x + y)


@program(("v", 2), ("m", 2, 2))
def numbers_and_rows_unpacked(x, m):
    a, b = x
    upper, lower = m
    return np.sum(a * upper + b * lower * upper) * a


@program(("m", 4, 3), ("m", 3, 2), ("m", 3, 2), ("m", 3, 2))
def attention_to_what_came_before(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    s = q @ k.T / np.sqrt(k.shape[-1])
    s = np.where(np.tril(np.ones(s.shape, dtype=bool)), s, -1e9)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return np.mean((e / e.sum(axis=-1, keepdims=True) @ v) ** 2)


@program(("m", 5, 3), ("v", 3), ("v", 3))
def normalised_in_columns_and_cut_off(x, gain, shift):
    away = x - x.mean(axis=0)
    scaled = away / np.sqrt((away**2).mean(axis=0) + 1e-5)
    return np.sum(np.maximum(gain * scaled + shift, 0.0) ** 2)


@program(("m", 4, 5), ("v", 5), ("m", 4, 5))
def normalised_in_rows(x, gain, weights):
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True)
    return np.sum(weights * gain * (x - mean) / np.sqrt(var + 1e-5)) + np.sum(np.var(x, axis=0))


@program(("m", 3, 4), ("v", 3), ("v", 4), ("v", 4))
def products_of_vectors_added_to_a_matrix(a, u, v, y):
    b = a + np.outer(u, v)
    x = 1.2 * b.T @ (b @ y)
    return np.sum((1.5 * b @ x) ** 2) + np.inner(v, y)


@program(("m", 5, 5), ("m", 5, 5))
def total_variation_and_a_bent_loss(u, noisy):
    dx, dy = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
    r = u - noisy
    bent = np.where(np.abs(r) < 0.5, 0.5 * r**2, 0.5 * (np.abs(r) - 0.25))
    return 0.2 * np.sum(np.sqrt(dx**2 + dy**2 + 1e-6)) + np.sum(bent)


@program("s")
def averages_of_neighbours_in_a_list(x):
    values = [x * i * 0.3 for i in range(5)]
    for step in range(4, 0, -1):
        for i in range(step):
            values[i] = 0.999 * (0.5 * values[i + 1] + 0.5 * values[i])
    return values[0]


@program(("v", 5), ("v", 5))
def distances_on_a_sphere(here, there):
    chord = np.sin(here / 9.0) ** 2 + np.cos(here / 9.0) * 0.1 * np.sin(there / 9.0) ** 2 + 0.1
    return np.sum(2.0 * np.arctan2(np.sqrt(chord), np.sqrt(1.0 - chord)))


@program(("m", 4, 3), ("v", 3), ("v", 4))
def logarithms_of_odds(x, w, y):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


@program(("m", 5, 3))
def covariances_row_by_row(data):
    found = np.zeros((3, 3))
    for i in range(data.shape[1]):
        found[i, i:] = data[:, i] @ data[:, i:] / (data.shape[0] - 1.0) * (data.size / 15)
        found[i:, i] = found[i, i:]
    return np.sum(found * found)


def _pulls(pos, mass):
    x, y = pos[:, 0:1], pos[:, 1:2]
    dx, dy = x.T - x, y.T - y
    inverse = dx**2 + dy**2 + 0.1
    near = inverse > 0
    np.power(inverse, -1.5, out=inverse, where=near)
    return np.hstack(((dx * inverse) @ mass, (dy * inverse) @ mass))


def _potential(pos, mass):
    x, y = pos[:, 0:1], pos[:, 1:2]
    inverse = np.sqrt((x.T - x) ** 2 + (y.T - y) ** 2)
    apart = inverse > 0
    np.divide(1.0, inverse, out=inverse, where=apart)
    return np.sum(np.triu(-(mass * mass.T) * inverse, 1))


@program(("m", 4, 2), ("m", 4, 2), ("m", 4, 1), warns=True)
def bodies_in_columns(pos, vel, mass):
    pos, vel = pos * 3.0, vel * 1.0
    energies = np.zeros(3)
    acc = _pulls(pos, mass)
    for i in range(3):
        vel += acc * 0.05
        pos += vel * 0.1
        acc = _pulls(pos, mass)
        vel += acc * 0.05
        energies[i] = 0.5 * np.sum(mass * vel**2) + _potential(pos, mass)
    return np.sum(energies)


@program(("m", 4, 3), warns=True)
def pairs_of_a_triangle(x):
    apart = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))
    total = 0.0
    for k in range(2):
        total = total + np.sum(np.tril(apart * x[:, :1] * k, -1))
    return total + np.sum(np.triu(apart * 2.0, 1) ** 2)


@program(("m", 7, 7), ("m", 3, 3), ("m", 3, 3))
def fluxes_over_a_part_of_the_field(field, out, coeff):
    n, m = out.shape[0], out.shape[1]
    out = out * 1.0
    around = field[2 : n + 4, 1 : m + 3] + field[0 : n + 2, 1 : m + 3]
    lap = 4.0 * field[1 : n + 3, 1 : m + 3] - around
    flux = lap[1:, 1 : m + 1] - lap[:-1, 1 : m + 1]
    inside = field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]
    flux = np.where(flux * inside > 0, 0, flux)
    out[:, :] = field[2 : n + 2, 2 : m + 2] - coeff[:, :] * (flux[1:, :] - flux[:-1, :])
    return np.sum(out**2)


@program(("m", 4, 4))
def shortest_paths_by_sums_of_pairs(path):
    path = path * 1.0
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return np.sum(path**2)


@program(("v", 6), "n")
def beginnings_up_to_a_number(x, n):
    y = x[:n] * np.arange(n)
    y += x[1 : n + 1]
    return np.sum(y * x[0:n]) + np.sum(np.column_stack([y, x[:n]]).T @ y)


@program(("v", 4), "s")
def sums_of_powers_from_the_last(x, base):
    total = np.zeros(4)
    for i in reversed(range(len(x))):
        total[i] = x[i] * base ** (len(x) - i)
        for j in reversed(range(i + 1, 4)):
            total[i] += total[j] * base**j
    return np.sum(total)


@program("s", "s", "n")
def tree_of_prices_in_lists(price, rate, n):
    values = [max(0, 1.1 - price * rate**j) for j in range(n + 1)]
    for i in reversed(range(n)):
        values = [
            max(0.4 * values[j + 1] + 0.5 * values[j], 1.1 - price * rate ** (i - j))
            for j in range(i + 1)
        ]
    return values[0]
