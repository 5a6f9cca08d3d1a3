"""Programs that draw random numbers with parameters: the generator is made anew in each call."""

from __future__ import annotations

import random

import numpy as np

from tests.programs.corpus import program


@program("v", "s")
def reparametrised(mean, width):
    rng = np.random.default_rng(1)
    z = rng.normal(mean, width, size=(5, 4))
    return np.mean(z * z)


@program("v", "s")
def in_a_loop(x, rate):
    rng = np.random.default_rng(seed=2)
    total = 0.0
    for _ in range(3):
        x = x * 0.5 + rng.normal(scale=rate, size=4)
        total = total + np.sum(x * rng.uniform(0.0, rate)) * rng.random()
    return total


@program("s", "s")
def several_distributions(a, b):
    rng = np.random.RandomState(3)
    y = rng.laplace(a, b) + rng.gumbel(a, b) * rng.logistic(a, b)
    return y + rng.lognormal(a, b) + rng.exponential(b) * rng.rayleigh(a) + rng.gamma(2.0, b)


@program("s")
def shapes_of_tails(a):
    rng = np.random.default_rng(4)
    return np.sum(rng.weibull(a, 3) + rng.pareto(a + 1.0, 3) * rng.power(a, 3))


@program("v")
def correlated(mean):
    rng = np.random.default_rng(5)
    draws = rng.multivariate_normal(mean, np.eye(4) * 0.5, 6)
    return np.sum(draws**2)


def _noise(rng, x):
    return x + rng.normal(0.0, x * x)


@program("v")
def generator_handed_on(x):
    rng = np.random.default_rng(6)
    return np.sum(_noise(rng, x) * _noise(rng, x))


@program("v")
def module_that_draws_seeded(x):
    items = list(x)
    random.seed(1)
    return items.pop(random.randint(0, 0)) ** 2 * random.random() + np.sum(x * x)


class Loaded(random.Random):
    """Draws what is twice as large."""

    def random(self):
        return 2.0 * super().random()


LOADED = Loaded(3)
loaded = LOADED.random


@program("v")
def method_of_a_library_class_by_a_name(x):
    LOADED.seed(4)
    return np.sum(x * x) * loaded()
