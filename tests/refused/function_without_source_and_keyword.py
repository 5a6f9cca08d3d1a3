"""A function without source that takes a value with a derivative by keyword."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])

NAMESPACE = {"np": np}
exec("def scaled(v, by): return v * by", NAMESPACE)
scaled = NAMESPACE["scaled"]


def program(x):
    y = scaled(x, by=x[0])  # SG110
    return np.sum(y)
