"""Models of prices, charges, flows and waves that go on step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

import srcgrad as sg
from bench.kernels.model import Model

ACROSS = (0, 1, 0, -1, 0, 1, -1, -1, 1)
ALONG = (0, 0, 1, 0, -1, 1, 1, -1, -1)
BACK = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])
SHARES = np.array([16.0, 4.0, 4.0, 4.0, 4.0, 1.0, 1.0, 1.0, 1.0]) / 36.0


def american(price, rate, turmoil, steps):
    """Return the price of an option to sell at 1 whenever one likes, from a tree of prices."""
    span = 1.0 / steps
    up = np.exp(turmoil * np.sqrt(span))
    chance = (np.exp(rate * span) - 1.0 / up) / (up - 1.0 / up)
    later = np.exp(-rate * span)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(1.0 - price * up ** (2 * i - steps), 0.0)
    for step in range(steps - 1, -1, -1):
        for i in range(step + 1):
            kept = later * (chance * values[i + 1] + (1.0 - chance) * values[i])
            values[i] = max(kept, 1.0 - price * up ** (2 * i - step))
    return values[0]


def particles(starts, speeds, cells, steps):
    """Return the energy of the field of charges on a ring, after some steps."""
    places, speeds = starts.copy(), speeds.copy()
    count = places.shape[0]
    energy = 0.0
    for _ in range(steps):
        charge = np.full(cells, -1.0)
        for p in range(count):
            cell = int(places[p])
            share = places[p] - cell
            charge[cell] += (1.0 - share) * cells / count
            charge[(cell + 1) % cells] += share * cells / count
        field = np.zeros(cells)
        for i in range(1, cells):
            field[i] = field[i - 1] + 0.5 * (charge[i - 1] + charge[i])
        field -= np.mean(field)
        for p in range(count):
            cell = int(places[p])
            share = places[p] - cell
            push = (1.0 - share) * field[cell] + share * field[(cell + 1) % cells]
            speeds[p] += 0.1 * push
            places[p] = (places[p] + 0.1 * speeds[p]) % cells
        energy += np.sum(field * field)
    return energy


def lattice(start, wall, ease, steps):
    """Return the energy of a flow around a wall by the method of Boltzmann on a lattice."""
    flow = start.copy()
    for _ in range(steps):
        for k in range(9):
            flow[k] = np.roll(flow[k], (ACROSS[k], ALONG[k]), axis=(0, 1))
        thrown = flow[BACK][:, wall]
        mass = np.sum(flow, axis=0)
        u = (flow[1] - flow[3] + flow[5] - flow[6] - flow[7] + flow[8]) / mass
        v = (flow[2] - flow[4] + flow[5] + flow[6] - flow[7] - flow[8]) / mass
        square = 1.5 * (u * u + v * v)
        for k in range(9):
            along = 3.0 * (ACROSS[k] * u + ALONG[k] * v)
            rest = SHARES[k] * mass * (1.0 + along + 0.5 * along * along - square)
            flow[k] += (rest - flow[k]) / ease
        flow[:, wall] = thrown
    return np.sum(mass * (u * u + v * v))


def inversion(speed, source, heard):
    """Return the squares of what a row of ears hears otherwise, through ground of some speed."""
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    middle = speed.shape[1] // 2
    wrong = 0.0
    for t in sg.checkpointed(range(source.shape[0])):
        after = 2.0 * now - before
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        after[1:-1, 1:-1] += speed[1:-1, 1:-1] ** 2 * (around - 4.0 * now[1:-1, 1:-1])
        after[2, middle] += source[t]
        away = after[1] - heard[t]
        wrong += np.sum(away * away)
        before, now = now, after
    return wrong


def _for_particles(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return 16.0 * rng.random(n), rng.normal(size=n), 16, 10


def _for_lattice(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    start = SHARES[:, None, None] * (1.0 + 0.1 * rng.normal(size=(9, n, n)))
    start[1] += 0.03
    wall = np.zeros((n, n), bool)
    wall[n // 3 : n // 2, n // 3 : n // 2] = True
    return start, wall, 0.8, 10


def _for_inversion(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    times = np.linspace(-2.0, 2.0, 2 * n)
    source = (1.0 - 4.0 * times * times) * np.exp(-2.0 * times * times)
    return 0.5 + 0.05 * rng.random((n, n)), source, 0.1 * rng.normal(size=(2 * n, n))


MODELS = (
    Model(american, lambda n: (1.05, 0.03, 0.3, n), 100, (0, 1, 2)),
    Model(particles, _for_particles, 300, (0, 1), small=9),
    Model(lattice, _for_lattice, 40, (0, 2), small=7),
    Model(inversion, _for_inversion, 60, small=7),
)
