"""Losses that workers are given: functions of a module, of a call, and with data of their own."""

from __future__ import annotations

import os
from collections import namedtuple
from pathlib import Path

import numpy as np

Params = namedtuple("Params", "weights offset")
SCALES = np.array([1.0, 0.5, 2.0])


def bent(values, times):
    for _ in range(times):
        values = np.tanh(values)
    return values


def squares(params, batch):
    difference = bent(batch["x"] @ (params.weights * SCALES), 2) + params.offset - batch["y"]
    return np.sum(difference**2)


def mean_squares(params, batch):
    difference = bent(batch["x"] @ (params.weights * SCALES), 2) + params.offset - batch["y"]
    return np.mean(difference**2)


def with_aux(params, batch):
    return squares(params, batch), len(batch["x"])


def scaled_by(factor):
    def scaled(w, batch):
        return factor * np.sum(np.sin(batch @ w))

    return scaled


def writing(w, batch):
    batch *= w
    return np.sum(batch * batch)


def beside_a_mark(w, batch, mark):
    """Lose its worker where an example is above 100, unless the file of the mark is there."""
    if batch[-1] > 100.0 and not os.path.exists(mark):  # noqa: PTH110 - a call by source
        leave(mark)
    return np.sum(np.sin(batch * w))


def leave(mark):
    Path(mark).touch()
    os._exit(1)


class Model:
    def __init__(self, factor):
        self.factor = factor

    def loss(self, w, batch):
        return np.sum(self.factor * np.cos(batch @ w))


def params():
    return Params(np.array([0.3, -0.2, 0.5]), 0.1)


def batch(length, dtype=np.float64):
    rng = np.random.default_rng(length)
    x, y = rng.normal(size=(length, 3)), rng.normal(size=length)
    return {"x": x.astype(dtype), "y": y.astype(dtype)}
