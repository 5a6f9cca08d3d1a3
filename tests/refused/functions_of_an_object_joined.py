"""An object's list of functions that is updated."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Chain:
    def __init__(self, step):
        self.steps = [step]

    def run(self, v):
        for step in self.steps:
            v = step(v)
        return v


def program(x):
    chain = Chain(np.sin)
    chain.steps += [np.cos]  # SG101
    return np.sum(chain.run(x))  # SG110
