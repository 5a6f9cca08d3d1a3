"""Draws random numbers whose distribution has parameters with derivatives.

Generated code calls the methods of the user's generator; these functions stand for them in the
tables of rules. A generator may be given as a seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError, NotDifferentiableError

_GENERATORS = ("numpy.random", "cupy.random")


def checked_generator(rng: Any) -> Any:
    """Return `rng`, which the derivatives of draws are for.

    Raises:
        NotDifferentiableError: It is something else, with a method of the same name.
    """
    kinds = {kind.__module__ for kind in type(rng).__mro__}
    if not any(module.startswith(_GENERATORS) for module in kinds):
        raise NotDifferentiableError(
            f"the method of a {type(rng).__name__}, which is no random generator of NumPy, has no "
            "derivative rule",
            hint="call a function instead, or write a `Function` for it",
        )
    return rng


def _generator(rng: Any) -> Any:
    return np.random.default_rng(rng) if isinstance(rng, int) else rng


def draw_normal(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.normal(loc, scale, size)``."""
    return _generator(rng).normal(loc, scale, size)


def draw_laplace(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.laplace(loc, scale, size)``."""
    return _generator(rng).laplace(loc, scale, size)


def draw_gumbel(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.gumbel(loc, scale, size)``."""
    return _generator(rng).gumbel(loc, scale, size)


def draw_logistic(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.logistic(loc, scale, size)``."""
    return _generator(rng).logistic(loc, scale, size)


def draw_lognormal(rng: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.lognormal(mean, sigma, size)``."""
    return _generator(rng).lognormal(mean, sigma, size)


def draw_uniform(rng: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.uniform(low, high, size)``."""
    return _generator(rng).uniform(low, high, size)


def draw_exponential(rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.exponential(scale, size)``."""
    return _generator(rng).exponential(scale, size)


def draw_rayleigh(rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.rayleigh(scale, size)``."""
    return _generator(rng).rayleigh(scale, size)


def draw_gamma(rng: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``rng.gamma(shape, scale, size)``."""
    return _generator(rng).gamma(shape, scale, size)


def draw_weibull(rng: Any, a: Any, size: Any = None) -> Any:
    """Return ``rng.weibull(a, size)``."""
    return _generator(rng).weibull(a, size)


def draw_pareto(rng: Any, a: Any, size: Any = None) -> Any:
    """Return ``rng.pareto(a, size)``."""
    return _generator(rng).pareto(a, size)


def draw_power(rng: Any, a: Any, size: Any = None) -> Any:
    """Return ``rng.power(a, size)``."""
    return _generator(rng).power(a, size)


def draw_multivariate_normal(rng: Any, mean: Any, cov: Any, size: Any = None) -> Any:
    """Return ``rng.multivariate_normal(mean, cov, size)``."""
    return _generator(rng).multivariate_normal(mean, cov, size)


def multivariate_normal_push(mean_dot: Any, cov_dot: Any, shape: Any) -> Any:
    """Return the tangent of draws of a shape, which are the mean plus what the covariance makes.

    Raises:
        MissingRuleError: The covariance varies.
    """
    if cov_dot is not None:
        raise MissingRuleError(
            "the derivative of `multivariate_normal` in its argument `cov` depends on how NumPy "
            "factorises it",
            hint="draw standard normal numbers z, and write mean + z @ np.linalg.cholesky(cov).T",
        )
    return np.broadcast_to(mean_dot, shape)
