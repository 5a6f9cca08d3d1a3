"""Networks, with their layers written in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.kernels.kernel import Kernel


def convolution(images, kernels):
    """Return the sum of squares of a layer, a product for each place of the kernel's window."""
    size = kernels.shape[0]
    rows, columns = images.shape[1] - size + 1, images.shape[2] - size + 1
    out = np.zeros((images.shape[0], rows, columns, kernels.shape[3]))
    for i in range(size):
        for j in range(size):
            out += images[:, i : i + rows, j : j + columns] @ kernels[i, j]
    hidden = np.maximum(out, 0.0)
    return np.sum(hidden * hidden)


def convolution_by_hand(images, kernels):
    size = kernels.shape[0]
    rows, columns = images.shape[1] - size + 1, images.shape[2] - size + 1
    out = np.zeros((images.shape[0], rows, columns, kernels.shape[3]))
    for i in range(size):
        for j in range(size):
            out += images[:, i : i + rows, j : j + columns] @ kernels[i, j]
    out *= out > 0
    out *= 2.0
    flat = out.reshape(-1, kernels.shape[3])
    grad_images, grad_kernels = np.zeros_like(images), np.empty_like(kernels)
    for i in range(size):
        for j in range(size):
            part = images[:, i : i + rows, j : j + columns]
            grad_kernels[i, j] = part.reshape(-1, kernels.shape[2]).T @ flat
            grad_images[:, i : i + rows, j : j + columns] += out @ kernels[i, j].T
    return grad_images, grad_kernels


def perceptron(x, w1, b1, w2, b2, target):
    """Return the mean square error of a network of one hidden layer."""
    hidden = np.tanh(x @ w1 + b1)
    wrong = hidden @ w2 + b2 - target
    return np.mean(wrong * wrong)


def perceptron_by_hand(x, w1, b1, w2, b2, target):
    hidden = x @ w1
    hidden += b1
    np.tanh(hidden, out=hidden)
    grad = hidden @ w2
    grad += b2
    grad -= target
    grad *= 2.0 / grad.size
    grad_w2, grad_b2 = hidden.T @ grad, grad.sum(axis=0)
    grad = grad @ w2.T
    grad *= 1.0 - hidden * hidden
    return x.T @ grad, grad.sum(axis=0), grad_w2, grad_b2


def _logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(weights, inputs):
    """Return a number of the states of a recurrent network, which go into a list."""
    units = weights.shape[1] // 4
    hidden, cell = np.zeros(units), np.zeros(units)
    states = []
    for x in inputs:
        gates = np.concatenate((x, hidden)) @ weights
        keep, take = _logistic(gates[:units]), _logistic(gates[units : 2 * units])
        give, new = _logistic(gates[2 * units : 3 * units]), np.tanh(gates[3 * units :])
        cell = keep * cell + take * new
        hidden = give * np.tanh(cell)
        states.append(hidden)
    total = 0.0
    for state in states:
        total = total + np.sum(state * state)
    return total


def lstm_by_hand(weights, inputs):
    units = weights.shape[1] // 4
    hidden, cell = np.zeros(units), np.zeros(units)
    kept = []
    for x in inputs:
        given = np.concatenate((x, hidden))
        gates = given @ weights
        gates[: 3 * units] = 1.0 / (1.0 + np.exp(-gates[: 3 * units]))
        np.tanh(gates[3 * units :], out=gates[3 * units :])
        keep, take, give, new = gates.reshape(4, units)
        before, cell = cell, keep * cell + take * new
        bent = np.tanh(cell)
        hidden = give * bent
        kept.append((given, gates, before, bent, hidden))
    grad, grad_hidden, grad_cell = np.zeros_like(weights), np.zeros(units), np.zeros(units)
    grad_gates = np.empty(4 * units)
    for given, gates, before, bent, hidden in reversed(kept):
        keep, take, give, new = gates.reshape(4, units)
        grad_hidden += 2.0 * hidden
        grad_cell += grad_hidden * give * (1.0 - bent * bent)
        grad_gates[:units] = grad_cell * before
        grad_gates[units : 2 * units] = grad_cell * new
        grad_gates[2 * units : 3 * units] = grad_hidden * bent
        grad_gates[: 3 * units] *= gates[: 3 * units] * (1.0 - gates[: 3 * units])
        grad_gates[3 * units :] = grad_cell * take * (1.0 - new * new)
        grad += np.outer(given, grad_gates)
        grad_hidden = weights[-units:] @ grad_gates
        grad_cell = grad_cell * keep
    return grad


def attention(queries, keys, values):
    """Return the sum of squares of what queries get by a softmax over keys."""
    scores = queries @ keys.T / np.sqrt(float(queries.shape[1]))
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = weights / np.sum(weights, axis=1, keepdims=True)
    out = weights @ values
    return np.sum(out * out)


def attention_by_hand(queries, keys, values):
    scale = 1.0 / np.sqrt(float(queries.shape[1]))
    weights = queries @ keys.T
    weights *= scale
    weights -= weights.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    grad_out = weights @ values
    grad_out *= 2.0
    grad = grad_out @ values.T
    grad -= np.einsum("ij,ij->i", grad, weights)[:, None]
    grad *= weights
    grad *= scale
    return grad @ keys, grad.T @ queries, weights.T @ grad_out


def _normal(n: int, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return tuple(0.3 * rng.normal(size=shape) for shape in shapes)


def _for_lstm(steps: int) -> tuple[Any, ...]:
    weights, rows = _normal(steps, (24, 64), (steps, 8))
    return weights, list(rows)


KERNELS = (
    Kernel(
        convolution,
        convolution_by_hand,
        lambda n: _normal(n, (4, n, n, 3), (3, 3, 3, 8)),
        (12, 24, 48),
        (0, 1),
    ),
    Kernel(
        perceptron,
        perceptron_by_hand,
        lambda n: _normal(n, (n, 64), (64, 32), (32,), (32, 8), (8,), (n, 8)),
        (32, 128, 512),
        (1, 2, 3, 4),
        is_plain=True,
    ),
    Kernel(lstm, lstm_by_hand, _for_lstm, (25, 50, 100)),
    Kernel(
        attention,
        attention_by_hand,
        lambda n: _normal(n, (n, 32), (n, 32), (n, 32)),
        (32, 128, 256),
        (0, 1, 2),
        is_plain=True,
    ),
)
