"""Rules of orthogonal polynomials and spherical harmonics: in the argument, not in the degree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.registry import RuleTable

table = RuleTable("polynomials")


@table.partials(special.eval_legendre)
def eval_legendre(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, (n + 1) / 2 * special.eval_jacobi(n - 1, 1, 1, x))


@table.partials(special.eval_sh_legendre)
def eval_sh_legendre(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, (n + 1) * special.eval_jacobi(n - 1, 1, 1, 2 * x - 1))


@table.partials(special.eval_chebyt)
def eval_chebyt(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, n * special.eval_chebyu(n - 1, x))


@table.partials(special.eval_chebyu)
def eval_chebyu(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, 2 * special.eval_gegenbauer(n - 1, 2, x))


@table.partials(special.eval_chebyc)
def eval_chebyc(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, n * special.eval_chebyu(n - 1, x / 2))


@table.partials(special.eval_chebys)
def eval_chebys(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, special.eval_gegenbauer(n - 1, 2, x / 2))


@table.partials(special.eval_sh_chebyt)
def eval_sh_chebyt(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, 2 * n * special.eval_chebyu(n - 1, 2 * x - 1))


@table.partials(special.eval_sh_chebyu)
def eval_sh_chebyu(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, 4 * special.eval_gegenbauer(n - 1, 2, 2 * x - 1))


@table.partials(special.eval_sh_jacobi)
def eval_sh_jacobi(n: Any, p: Any, q: Any, x: Any) -> tuple[Any, ...]:
    lower = special.eval_jacobi(n - 1, p - q + 1, q, 2 * x - 1)
    size = (n + p) / special.binom(2 * n + p - 1, n)
    return None, None, None, np.where(n == 0, 0, size * lower)


@table.partials(special.eval_hermite)
def eval_hermite(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, 2 * n * special.eval_hermite(np.maximum(n - 1, 0), x))


@table.partials(special.eval_hermitenorm)
def eval_hermitenorm(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, n * special.eval_hermitenorm(np.maximum(n - 1, 0), x))


@table.partials(special.eval_laguerre)
def eval_laguerre(n: Any, x: Any) -> tuple[Any, ...]:
    return None, np.where(n == 0, 0, -special.eval_genlaguerre(n - 1, 1, x))


@table.partials(special.eval_genlaguerre)
def eval_genlaguerre(n: Any, alpha: Any, x: Any) -> tuple[Any, ...]:
    return None, None, np.where(n == 0, 0, -special.eval_genlaguerre(n - 1, alpha + 1, x))


@table.partials(special.eval_jacobi)
def eval_jacobi(n: Any, alpha: Any, beta: Any, x: Any) -> tuple[Any, ...]:
    lower = special.eval_jacobi(n - 1, alpha + 1, beta + 1, x)
    return None, None, None, np.where(n == 0, 0, (n + alpha + beta + 1) / 2 * lower)


@table.partials(special.eval_gegenbauer)
def eval_gegenbauer(n: Any, alpha: Any, x: Any) -> tuple[Any, ...]:
    return None, None, np.where(n == 0, 0, 2 * alpha * special.eval_gegenbauer(n - 1, alpha + 1, x))


@table.partials(special.lpmv)
def lpmv(m: Any, v: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    return None, None, (v * x * out - (v + m) * special.lpmv(m, v - 1, x)) / (x * x - 1)


FRESH = "creates an array of constants"
STEPS = "constant between jumps"
CONSTANT = {
    **dict.fromkeys((special.round, special.gammasgn), STEPS),
    **dict.fromkeys((special.roots_legendre, special.roots_sh_legendre), FRESH),
    **dict.fromkeys((special.roots_chebyt, special.roots_chebyu, special.roots_hermite), FRESH),
    **dict.fromkeys((special.roots_hermitenorm, special.roots_laguerre), FRESH),
    **dict.fromkeys((special.jn_zeros, special.jnp_zeros, special.yn_zeros), FRESH),
    **dict.fromkeys((special.ai_zeros, special.bi_zeros), FRESH),
}
RULES = table.freeze()
