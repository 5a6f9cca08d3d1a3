"""A product with `*` of a sparse matrix, which multiplies matrices."""

import numpy as np
import scipy.sparse

MATRIX = scipy.sparse.csr_matrix(np.array([[2.0, 1.0], [0.3, 3.0]]))
X = np.array([0.5, -1.2])


def program(x):
    return np.sum((MATRIX * x) ** 2)  # SG101
