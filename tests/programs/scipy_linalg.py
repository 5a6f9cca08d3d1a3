"""Programs that call the functions of ``scipy.linalg`` as scientific code does."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy import linalg
from scipy.linalg import cho_factor, cho_solve, expm, solve_triangular

from tests.programs.corpus import program

POINTS = np.array([0.0, 0.4, 1.1, 1.9])
TARGETS = np.array([0.3, -0.2, 0.5, 0.1])


def _kernel(length, scale):
    return scale * np.exp(-((POINTS[:, None] - POINTS) ** 2) / (2 * length**2))


@program("s", "s", "s")
def gaussian_process_evidence(length, scale, noise):
    """The marginal likelihood by a Cholesky factor and two triangular solutions."""
    covariance = _kernel(length, scale) + (noise + 0.1) * np.eye(4)
    factor = linalg.cholesky(covariance, lower=True)
    half = solve_triangular(factor, TARGETS, lower=True)
    weights = solve_triangular(factor.T, half)
    return -0.5 * TARGETS @ weights - np.sum(np.log(np.diag(factor)))


@program("s", "s", "v")
def evidence_by_cho_solve(length, noise, y):
    """The factor is a pair that is handed on whole."""
    covariance = _kernel(length, 1.0) + (noise + 0.1) * np.eye(4)
    c_and_lower = cho_factor(covariance)
    return y @ cho_solve(c_and_lower, y)


@program("s", "v")
def evidence_by_unpacked_cho_factor(noise, y):
    """The factor is unpacked and packed again."""
    covariance = _kernel(0.7, 1.0) + (noise + 0.1) * np.eye(4)
    c, low = cho_factor(covariance, lower=True)
    return y @ cho_solve((c, low), y) + 2 * np.sum(np.log(np.diag(c)))


@program(("m", 4, 4), "v")
def by_lu_factors(a, b):
    """One factorisation, two solutions."""
    lu_and_piv = linalg.lu_factor(a + 4 * np.eye(4))
    first = linalg.lu_solve(lu_and_piv, b)
    return first @ linalg.lu_solve(lu_and_piv, first, trans=1)


@program(("m", 3, 3), "s")
def matrix_exponential_of_a_chain(rates, t):
    """A Markov chain in continuous time."""
    q = np.abs(rates)
    q = q - np.diag(np.sum(q, axis=1))
    return expm(0.3 * q * t)[0, 2]


@program(("m", 3, 3), ("m", 3, 2))
def quadratic_regulator(a, b):
    """The cost of the best control, and where the closed loop goes."""
    x = linalg.solve_continuous_are(a, b, np.eye(3), np.eye(2))
    gain = linalg.solve(np.eye(2), b.T @ x, assume_a="pos")
    return np.trace(x) + np.sum(gain**2)


@program(("m", 3, 3), ("v", 2))
def structured_matrices(a, c):
    """Blocks on a diagonal beside a Toeplitz matrix."""
    whole = linalg.block_diag(a, scipy.linalg.toeplitz(c))
    return scipy.linalg.norm(whole) + np.log(abs(scipy.linalg.det(whole + 3 * np.eye(5))))


@program(("m", 3, 3))
def geometric_mean_of_matrices(a):
    """Square roots of positive definite matrices."""
    first = a @ a.T + np.eye(3)
    root = np.real(linalg.sqrtm(first))
    return np.sum(root * linalg.inv(root + np.eye(3)))
