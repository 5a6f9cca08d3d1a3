"""A lambda that calls a function of its own frame, kept in a dict."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    function = np.sin
    table = {}
    table["run"] = lambda v: function(v) * x[0]  # SG101
    return np.sum(table["run"](x))  # SG110
