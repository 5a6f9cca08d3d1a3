"""Models as one writes them for JAX: loops over time by `scan`, over entries by arrays and `vmap`.

Branches on values choose among numbers that are both finite, so that no slope is NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from bench.kernels import simulations
from bench.kernels.in_jax import _trips


def mixture(np, means, scales, points):
    away = (points[:, None, :] - means) * np.exp(-scales)
    scores = -0.5 * np.sum(away * away, axis=2) - np.sum(scales, axis=1)
    return np.sum(_log_sum(np, scores, 1))


def _log_sum(np, scores, axis):
    most = np.max(scores, axis=axis, keepdims=True)
    return np.squeeze(most, axis) + np.log(np.sum(np.exp(scores - most), axis=axis))


def lstm(np, weights, inputs):
    from jax import lax
    from jax.nn import sigmoid

    units = weights.shape[1] // 4

    def step(state, x):
        hidden, cell = state
        gates = np.concatenate((x, hidden)) @ weights
        keep, take, give, new = gates.reshape(4, units)
        cell = sigmoid(keep) * cell + sigmoid(take) * np.tanh(new)
        hidden = sigmoid(give) * np.tanh(cell)
        return (hidden, cell), hidden

    _, states = lax.scan(step, (np.zeros(units), np.zeros(units)), np.stack(inputs))
    return np.sum(states * states)


def _turned(np, turn, point):
    square = np.sum(turn * turn)
    still = square < 1e-16
    angle = np.sqrt(np.where(still, 1.0, square))
    axis = turn / angle
    along = np.dot(axis, point) * (1.0 - np.cos(angle))
    turned = point * np.cos(angle) + np.cross(axis, point) * np.sin(angle) + axis * along
    return np.where(still, point + np.cross(turn, point), turned)


def bundle(np, cameras, points, weights, *sights):
    from jax import vmap

    seen, by, of = sights

    def wrong(camera, point, weight, place):
        sight = _turned(np, camera[:3], point - camera[3:6])
        flat = sight[:2] / sight[2]
        square = np.sum(flat * flat)
        bend = 1.0 + camera[9] * square + camera[10] * square * square
        off = weight * (camera[6] * bend * flat + camera[7:9] - place)
        return np.sum(off * off) + (1.0 - weight * weight) ** 2

    return np.sum(vmap(wrong)(cameras[by], points[of], weights, seen))


def hand(np, angles, bones, parents, *skins):
    from jax import vmap

    skin, weights, seen = skins

    def rotation(angle):
        (a, b, c), (d, e, f) = np.sin(angle), np.cos(angle)
        about_x = np.array([[1.0, 0.0, 0.0], [0.0, d, -a], [0.0, a, d]])
        about_y = np.array([[e, 0.0, b], [0.0, 1.0, 0.0], [-b, 0.0, e]])
        about_z = np.array([[f, -c, 0.0], [c, f, 0.0], [0.0, 0.0, 1.0]])
        return about_z @ about_y @ about_x

    local = vmap(rotation)(angles)

    def joint(state, j):
        turns, places = state
        up = parents[j]
        turn = np.where(up < 0, np.eye(3), turns[up])
        place = np.where(up < 0, 0.0, places[up])
        return turns.at[j].set(turn @ local[j]), places.at[j].set(place + turn @ bones[j])

    start = np.zeros_like(local), np.zeros_like(bones)
    turns, places = _trips(joint, start, angles.shape[0])
    each = np.einsum("jab,vb->vja", turns, skin) + places
    away = np.einsum("vj,vja->va", weights, each) - seen
    return np.sum(away * away)


def k_means(np, centers, points):
    away = points[:, None, :] - centers
    return np.sum(np.min(np.sum(away * away, axis=2), axis=1))


def kalman(np, step, drift, look, noise, seen):
    def update(state, t):
        mean, spread, total = state
        mean = step @ mean
        spread = step @ spread @ step.T + drift @ drift.T
        wrong = seen[t] - look @ mean
        doubt = look @ spread @ look.T + noise @ noise.T
        gain = np.linalg.solve(doubt, look @ spread).T
        total += np.dot(wrong, np.linalg.solve(doubt, wrong)) + np.log(np.linalg.det(doubt))
        return mean + gain @ wrong, spread - gain @ look @ spread, total

    n = step.shape[0]
    return -0.5 * _trips(update, (np.zeros(n), np.eye(n), 0.0), seen.shape[0])[2]


def hidden_markov(np, start, move, show, seen):
    def step(chances, t):
        return _log_sum(np, chances[:, None] + move, 0) + show[:, seen[t + 1]]

    chances = _trips(step, start + show[:, seen[0]], seen.shape[0] - 1)
    return _log_sum(np, chances, 0)


def _slope(np, state, rates):
    x, y = state
    return np.array([rates[0] * x - rates[1] * x * y, rates[2] * x * y - rates[3] * y])


def runge_kutta(np, rates, start, steps):
    h = 0.01

    def step(state, _):
        k1 = _slope(np, state, rates)
        k2 = _slope(np, state + 0.5 * h * k1, rates)
        k3 = _slope(np, state + 0.5 * h * k2, rates)
        k4 = _slope(np, state + h * k3, rates)
        return state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    return np.sum(_trips(step, start, steps))


def option(np, price, steps):
    up = 1.0 + 0.2 / steps
    down = 1.0 / up
    each = np.arange(steps + 1)
    values = np.maximum(price * up**each * down ** (steps - each) - 1.0, 0.0)

    def step(values, _):
        return values.at[:-1].set(0.999 * (0.5 * values[1:] + 0.5 * values[:-1]))

    return _trips(step, values, steps)[0]


def american(np, price, rate, turmoil, steps):
    span = 1.0 / steps
    up = np.exp(turmoil * np.sqrt(span))
    chance = (np.exp(rate * span) - 1.0 / up) / (up - 1.0 / up)
    later = np.exp(-rate * span)
    each = np.arange(steps + 1.0)

    def step(values, k):
        kept = later * (chance * values[1:] + (1.0 - chance) * values[:-1])
        paid = 1.0 - price * up ** (2.0 * each[:-1] - k)
        return values.at[:-1].set(np.maximum(kept, paid))

    start = np.maximum(1.0 - price * up ** (2.0 * each - steps), 0.0)
    return _trips(step, start, steps, down=True)[0]


def particles(np, places, speeds, cells, steps):
    count = places.shape[0]

    def step(state, _):
        places, speeds, energy = state
        cell = places.astype(int)
        share, after = places - cell, (cell + 1) % cells
        charge = np.full(cells, -1.0).at[cell].add((1.0 - share) * cells / count)
        charge = charge.at[after].add(share * cells / count)
        middle = 0.5 * (charge[:-1] + charge[1:])
        field = np.concatenate((np.zeros(1), np.cumsum(middle)))
        field = field - np.mean(field)
        speeds = speeds + 0.1 * ((1.0 - share) * field[cell] + share * field[after])
        return (places + 0.1 * speeds) % cells, speeds, energy + np.sum(field * field)

    return _trips(step, (places, speeds, 0.0), steps)[2]


def lattice(np, start, wall, ease, steps):
    across, along = np.array(simulations.ACROSS), np.array(simulations.ALONG)
    shares = np.array(simulations.SHARES)[:, None, None]

    def step(state, _):
        flow = state[0]
        pairs = zip(flow, simulations.ACROSS, simulations.ALONG, strict=True)
        flow = np.stack([np.roll(part, (a, b), axis=(0, 1)) for part, a, b in pairs])
        mass = np.sum(flow, axis=0)
        u = np.tensordot(across, flow, axes=1) / mass
        v = np.tensordot(along, flow, axes=1) / mass
        on = 3.0 * (across[:, None, None] * u + along[:, None, None] * v)
        rest = shares * mass * (1.0 + on + 0.5 * on * on - 1.5 * (u * u + v * v))
        new = flow + (rest - flow) / ease
        return np.where(wall, flow[simulations.BACK], new), np.sum(mass * (u * u + v * v))

    return _trips(step, (start, 0.0), steps)[1]


def inversion(np, speed, source, heard):
    """Go in blocks of steps, of which each is run again on the way back."""
    import jax

    middle = speed.shape[1] // 2
    block = max(1, round(source.shape[0] ** 0.5))

    def step(state, t):
        before, now, wrong = state
        after = 2.0 * now - before
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        pull = speed[1:-1, 1:-1] ** 2 * (around - 4.0 * now[1:-1, 1:-1])
        after = after.at[1:-1, 1:-1].add(pull).at[2, middle].add(source[t])
        away = after[1] - heard[t]
        return now, after, wrong + np.sum(away * away)

    @functools.partial(jax.checkpoint, static_argnums=2)
    def several(state, first, count):
        return _trips(lambda state, i: step(state, first + i), state, count)

    blocks, rest = divmod(source.shape[0], block)
    state = np.zeros_like(speed), np.zeros_like(speed), 0.0
    state = _trips(lambda state, k: several(state, k * block, block), state, blocks)
    return several(state, blocks * block, rest)[2]


def of(name: str, np: Any) -> Callable[..., Any] | None:
    """Return one of these functions; None where there is none."""
    found = globals().get(name)
    return None if found is None else lambda *args: found(np, *args)
