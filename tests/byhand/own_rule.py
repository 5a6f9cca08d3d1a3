"""The gradient of `own_rule` as one would write it by hand."""

import numpy as np


def gradient(w, x):
    product = w * x
    y = np.logaddexp(0.0, product)
    return 2 * y / y.size / (1 + np.exp(-product)) * x
