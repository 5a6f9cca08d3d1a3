"""A module of helpers with state, as programs import them."""

from math import exp

import numpy as np


def buffer(x):
    o = np.zeros(len(x))
    for i in range(len(x)):
        o[i] = exp(x[i])
    return o


class Sim:
    def __init__(self):
        self.u = np.array([1.0, 2.0, 3.0])
        self.hist = []
        self.d = {"v": np.ones(3)}

    def step(self, k):
        self.u[1:] += k * self.u[:-1]
        self.hist.append(self.u.sum())
        self.d["v"] *= k

    @property
    def energy(self):
        return (self.u**2).sum() + self.hist[-1] + self.d["v"].sum()

    @staticmethod
    def st(v):
        return float(v) * 2

    @classmethod
    def mk(cls):
        return cls()
