"""Models that are fitted to what was seen: cameras, joints, clusters, states that are hidden."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.kernels.model import Model


def _turned(turn, point):
    """Return a point after a turn about an axis as long as the angle, as Rodrigues has it."""
    square = np.sum(turn * turn)
    if square < 1e-16:
        return point + np.cross(turn, point)
    angle = np.sqrt(square)
    axis = turn / angle
    along = np.dot(axis, point) * (1.0 - np.cos(angle))
    return point * np.cos(angle) + np.cross(axis, point) * np.sin(angle) + axis * along


def _projected(camera, point):
    """Return where a camera of turn, place, focus, middle and distortion sees a point."""
    seen = _turned(camera[:3], point - camera[3:6])
    flat = seen[:2] / seen[2]
    square = flat[0] * flat[0] + flat[1] * flat[1]
    bend = 1.0 + camera[9] * square + camera[10] * square * square
    return camera[6] * bend * flat + camera[7:9]


def bundle(cameras, points, weights, seen, by, of):
    """Return the squares of what cameras see otherwise than it was seen, and of weights from 1."""
    total = 0.0
    for k in range(seen.shape[0]):
        wrong = weights[k] * (_projected(cameras[by[k]], points[of[k]]) - seen[k])
        total += np.sum(wrong * wrong)
        rest = 1.0 - weights[k] * weights[k]
        total += rest * rest
    return total


def _rotation(angles):
    """Return the matrix of turns about three axes, one after the other."""
    a, b, c = np.sin(angles)
    d, e, f = np.cos(angles)
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, d, -a], [0.0, a, d]])
    about_y = np.array([[e, 0.0, b], [0.0, 1.0, 0.0], [-b, 0.0, e]])
    about_z = np.array([[f, -c, 0.0], [c, f, 0.0], [0.0, 0.0, 1.0]])
    return about_z @ about_y @ about_x


def hand(angles, bones, parents, skin, weights, seen):
    """Return how far the skin over a chain of joints is from what was seen."""
    joints = angles.shape[0]
    turns, places = np.zeros((joints, 3, 3)), np.zeros((joints, 3))
    for j in range(joints):
        turn = _rotation(angles[j])
        if j == 0:
            turns[j] = turn
            places[j] = bones[j]
        else:
            up = parents[j]
            turns[j] = turns[up] @ turn
            places[j] = places[up] + turns[up] @ bones[j]
    total = 0.0
    for v in range(skin.shape[0]):
        place = np.zeros(3)
        for j in range(joints):
            place += weights[v, j] * (turns[j] @ skin[v] + places[j])
        away = place - seen[v]
        total += np.sum(away * away)
    return total


def k_means(centers, points):
    """Return the squares of the distances from points to the nearest of centers."""
    total = 0.0
    for i in range(points.shape[0]):
        least = np.inf
        for k in range(centers.shape[0]):
            square = 0.0
            for d in range(points.shape[1]):
                away = points[i, d] - centers[k, d]
                square += away * away
            if square < least:  # noqa: PLR1730 - as many write it
                least = square
        total += least
    return total


def kalman(step, drift, look, noise, seen):
    """Return the logarithm of the likelihood of a series under a linear system with noise."""
    n = step.shape[0]
    mean, spread = np.zeros(n), np.eye(n)
    total = 0.0
    for t in range(seen.shape[0]):
        mean = step @ mean
        spread = step @ spread @ step.T + drift @ drift.T
        wrong = seen[t] - look @ mean
        doubt = look @ spread @ look.T + noise @ noise.T
        gain = np.linalg.solve(doubt, look @ spread).T
        total += np.dot(wrong, np.linalg.solve(doubt, wrong)) + np.log(np.linalg.det(doubt))
        mean = mean + gain @ wrong
        spread = spread - gain @ look @ spread
    return -0.5 * total


def hidden_markov(start, move, show, seen):
    """Return the logarithm of the likelihood of signs under a chain of hidden states."""
    steps, states = seen.shape[0], start.shape[0]
    chances = np.zeros((steps, states))
    for s in range(states):
        chances[0, s] = start[s] + show[s, seen[0]]
    for t in range(1, steps):
        for s in range(states):
            scores = chances[t - 1] + move[:, s]
            most = np.max(scores)
            chances[t, s] = most + np.log(np.sum(np.exp(scores - most))) + show[s, seen[t]]
    most = np.max(chances[steps - 1])
    return most + np.log(np.sum(np.exp(chances[steps - 1] - most)))


def _drawn(n: int, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return tuple(rng.normal(size=shape) for shape in shapes)


def _for_bundle(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    cameras = np.zeros((4, 11))
    cameras[:, :3] = 0.3 * rng.normal(size=(4, 3))
    cameras[0, :3] = 0.0  # which does not turn
    cameras[:, 3:6] = 0.1 * rng.normal(size=(4, 3)) - np.array([0.0, 0.0, 5.0])
    cameras[:, 6] = 2.0
    cameras[:, 7:] = 0.05 * rng.normal(size=(4, 4))
    points = rng.normal(size=(n, 3))
    by, of = np.divmod(np.arange(4 * n), n)
    return cameras, points, 1.0 + 0.1 * rng.normal(size=4 * n), rng.normal(size=(4 * n, 2)), by, of


def _for_hand(n: int) -> tuple[Any, ...]:
    angles, bones, skin, weights, seen = _drawn(n, (10, 3), (10, 3), (n, 3), (n, 10), (n, 3))
    parents = np.array([-1, 0, 1, 2, 0, 4, 5, 0, 7, 8])
    weights = weights * weights
    return 0.3 * angles, bones, parents, skin, weights / weights.sum(axis=1, keepdims=True), seen


def _for_kalman(n: int) -> tuple[Any, ...]:
    step, drift, look, noise, seen = _drawn(n, (4, 4), (4, 4), (2, 4), (2, 2), (n, 2))
    return 0.4 * step, 0.3 * drift, look, noise + 2.0 * np.eye(2), seen


def _for_hidden_markov(n: int) -> tuple[Any, ...]:
    start, move, show = _drawn(n, (6,), (6, 6), (6, 4))
    return start, move, show, np.random.default_rng(n).integers(4, size=n)


MODELS = (
    Model(bundle, _for_bundle, 50, (0, 1, 2), small=3),
    Model(hand, _for_hand, 50),
    Model(k_means, lambda n: _drawn(n, (5, 3), (n, 3)), 200),
    Model(kalman, _for_kalman, 100, (0, 1, 2, 3)),
    Model(hidden_markov, _for_hidden_markov, 100, (0, 1, 2)),
)
