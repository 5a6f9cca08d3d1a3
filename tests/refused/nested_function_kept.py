"""A nested function of several statements that is kept in a dict."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    def run(v):  # SG101
        w = np.sin(v)
        return w * x[0]

    table = {}
    table["run"] = run  # SG101
    return np.sum(table["run"](x))
