"""Programs that call the functions of ``scipy.special`` as scientific code does."""

from __future__ import annotations

import numpy as np
import scipy.special
import scipy.special as sc
from scipy import special
from scipy.special import expit, gammaln, xlogy

from tests.programs.corpus import program

COUNTS = np.array([0, 2, 1, 4])
LABELS = np.array([0.0, 1.0, 1.0, 0.0])


@program("v", "s", "s")
def negative_binomial_likelihood(x, size, mean):
    """A regression of counts with a log link."""
    mu = mean * np.exp(0.1 * x)
    loglik = gammaln(COUNTS + size) - gammaln(size) - gammaln(COUNTS + 1)
    loglik = loglik + xlogy(size, size / (size + mu)) + xlogy(COUNTS, mu / (size + mu))
    return np.sum(loglik)


@program("s", "s", "v")
def beta_likelihood(a, b, x):
    """The density of the beta distribution, of values squashed into the unit interval."""
    p = expit(x)
    return np.sum((a - 1) * np.log(p) + (b - 1) * np.log1p(-p) - scipy.special.betaln(a, b))


@program("m", "v")
def softmax_regression(w, x):
    """Class probabilities, their entropy and the logarithm of the partition function."""
    scores = w @ x
    p = special.softmax(scores)
    return np.sum(special.entr(p)) + special.logsumexp(scores) + special.log_softmax(scores)[1]


@program("v", "s")
def probit_loss(x, scale):
    """Signs matter: each label picks its own tail."""
    total = 0.0
    for i in range(len(x)):
        sign = 1.0 if LABELS[i] > 0.5 else -1.0
        total = total - sc.log_ndtr(sign * x[i] / scale)
    return total


@program("v", "s")
def bessel_window(x, beta):
    """Kaiser's window, and waves on a drum."""
    t = np.tanh(x)
    window = sc.i0(beta * np.sqrt(1 - t * t)) / sc.i0(beta)
    return np.sum(window * sc.jv(1, 3 * t))


@program("v", "n")
def legendre_series(x, n):
    """A series whose degree is the counter of a loop."""
    total = np.zeros_like(x)
    for k in range(n + 1):
        total = total + special.eval_legendre(k, np.tanh(x)) / (k + 1)
    return np.sum(total**2)


@program("s", "s")
def diffusion_from_a_point(x, t):
    """Python floats all the way."""
    spread = 2.0 * t**0.5
    profile = special.erfc(x / spread) + special.erfcx(x) * special.exp1(t)
    return profile + special.gammaincc(2.5, x)
