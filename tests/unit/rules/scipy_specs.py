"""The specs of SciPy's functions: at least one for each function with a rule."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy import fft, integrate, interpolate, ndimage, optimize, signal, sparse
from scipy import linalg as la
from scipy import special as sp
from scipy import stats as st
from scipy.spatial import distance

from srcgrad.rules.scipy import every_rule
from srcgrad.rules.scipy.interpolation import bspline, interpolated, interpolation
from srcgrad.runtime.scipy.carlson import carlson
from srcgrad.runtime.scipy.circular import vonmises_curve, vonmises_slope
from srcgrad.runtime.scipy.curvatures import betainc_curve, betainc_twist, gammainc_curve
from srcgrad.runtime.scipy.implicit import root_back, value_back
from srcgrad.runtime.scipy.orders import (
    iv_slope,
    ive_slope,
    jv_slope,
    kv_slope,
    kve_slope,
    yv_slope,
)
from srcgrad.runtime.scipy.parameters import betainc_slope, gammainc_slope
from tests.unit.rules.opspec import A, C, OpSpec, S, op

every_rule()  # functions of the runtime get theirs where the files of rules are read

BETWEEN = {"low": 0.2, "high": 0.8}
SIGNED = {"low": -1.8, "high": 1.9}
LARGE = {"low": 1.2, "high": 3.4}


def special_of_one() -> list[OpSpec]:
    specs = []
    for fn in (
        *(sp.erf, sp.erfc, sp.erfcx, sp.erfi, sp.dawsn, sp.expit, sp.log_expit, sp.ndtr),
        *(sp.log_ndtr, sp.exprel, sp.expm1, sp.exp2, sp.exp10, sp.cbrt, sp.cosm1, sp.sindg),
        *(sp.cosdg, sp.tandg, sp.softplus, sp.gamma, sp.psi, sp.rgamma, sp.j0, sp.j1, sp.i0),
        *(sp.i1, sp.i0e, sp.i1e, sp.wrightomega, sp.ber, sp.bei, sp.airy, sp.fresnel),
        *(sp.berp, sp.beip),
    ):
        specs += [op(fn, A(3, 4, **SIGNED))]
    for fn in (
        *(sp.gammaln, sp.loggamma, sp.expi, sp.exp1, sp.spence, sp.log1p, sp.cotdg, sp.entr),
        *(
            sp.y0,
            sp.y1,
            sp.k0,
            sp.k1,
            sp.k0e,
            sp.k1e,
            sp.ker,
            sp.kei,
            sp.kerp,
            sp.keip,
            sp.sici,
            sp.shichi,
        ),
    ):
        specs += [op(fn, A(3, 4, **LARGE))]
    for fn in (*(sp.erfinv, sp.erfcinv, sp.logit, sp.ndtri, sp.ellipk, sp.ellipkm1, sp.ellipe),):
        specs += [op(fn, A(3, 4, **BETWEEN))]
    for fn in (sp.erf, sp.erfcx, sp.dawsn, sp.wofz, sp.gamma, sp.loggamma, sp.expi, sp.airy):
        specs += [op(fn, C(2, 3))]
    specs += [
        op(sp.ndtri_exp, A(3, 4, low=-2, high=-0.3)),
        op(sp.kolmogorov, A(3, 4, low=0.3, high=2.2)),
        op(sp.factorial, A(4, low=0.3, high=3)),
        op(sp.factorial, A(2, low=-0.7, high=-0.2)),
        op(sp.spence, A(2, low=1.0, high=1.0)),
        op(sp.multigammaln, A(3, low=3, high=5), 3),
        op(sp.multigammaln, S(3, 5), 2),
        op(sp.logsumexp, A(3, 4)),
        op(sp.logsumexp, A(3, 4), axis=1),
        op(sp.logsumexp, A(2, 3, 4), axis=(0, 2), keepdims=True),
        op(sp.logsumexp, A(3, 4), axis=0, b=A(4)),
        op(sp.logsumexp, A(3, 4), b=A(3, 1)),
        op(sp.softmax, A(3, 4)),
        op(sp.softmax, A(3, 4), axis=-1),
        op(sp.log_softmax, A(3, 4)),
        op(sp.log_softmax, A(3, 4), axis=0),
        op(sp.lambertw, A(3, **BETWEEN)),
        op(sp.lambertw, C(3)),
        op(sp.lambertw, C(3), 1),
    ]
    return specs


def special_of_several() -> list[OpSpec]:
    specs = []
    for fn in (
        *(sp.xlogy, sp.xlog1py, sp.rel_entr, sp.kl_div, sp.beta, sp.betaln, sp.poch, sp.binom),
        *(sp.huber, sp.pseudo_huber, sp.boxcox, sp.boxcox1p, sp.inv_boxcox, sp.inv_boxcox1p),
        *(sp.powm1, sp.owens_t, sp.agm, sp.comb, sp.ellipeinc, sp.ellipkinc),
    ):
        specs += [op(fn, A(3, 1), A(4))]
    specs += [
        op(sp.huber, S(0.5, 0.6), A(4, **SIGNED)),
        op(sp.huber, S(2.1, 2.6), A(4, **SIGNED)),
        op(sp.boxcox, A(3, **LARGE), 0.0),
        op(sp.boxcox, A(3, **LARGE), S(-1e-3, -5e-4)),
        op(sp.inv_boxcox, A(3), S(5e-4, 1e-3)),
        *(op(fn, A(2), S(-5e-5, 5e-5)) for fn in (sp.boxcox, sp.boxcox1p)),  # where a series is
        *(op(fn, A(2), S(-5e-5, 5e-5)) for fn in (sp.inv_boxcox, sp.inv_boxcox1p)),
        op(sp.comb, A(3, low=3, high=4), A(3), repetition=True),
        op(sp.voigt_profile, A(3, 1, **SIGNED), A(4), A(4)),
        op(sp.elliprf, A(3, 1), A(4), S()),
        op(sp.elliprd, A(3, 1), A(2), S()),
        op(sp.elliprg, A(3, 1), A(2), S()),
        op(sp.elliprc, A(3, 1), A(2)),
        op(sp.elliprj, A(3), A(3), A(3), S()),
        op(carlson, 1.5, 0.5, 0.5, A(3, 1), A(2), 0.7, 1, S()),
        op(sp.ellipkinc, A(3, low=2, high=4), S(0.3, 0.5)),
        op(sp.ellipeinc, A(3, low=-4, high=-2), S(-0.5, -0.3)),
        op(sp.ellipj, A(3, 1, **SIGNED), A(2, low=0.3, high=0.7)),
        op(sp.ellipj, A(2, low=3, high=7), S(0.2, 0.5)),
        op(sp.zeta, 3.0, A(4)),
        op(sp.polygamma, 2, A(4)),
        op(sp.expn, 3, A(4)),
        op(sp.expn, 0, A(4)),
        op(sp.hyp2f1, 0.3, 1.2, 2.1, A(3, **BETWEEN)),
        op(sp.hyp1f1, 0.3, 1.2, A(3, **SIGNED)),
        op(sp.hyp0f1, 0.7, A(3, **SIGNED)),
        op(sp.hyperu, 0.7, 1.1, A(3)),
        op(sp.lpmv, 1, 2.5, A(4)),
    ]
    for fn in (sp.gammainc, sp.gammaincc, sp.gammaincinv, sp.gammainccinv):
        specs += [op(fn, 1.7, A(4, **BETWEEN)), op(fn, A(2, 1, low=0.6, high=2.3), A(3, **BETWEEN))]
    for fn in (sp.betainc, sp.betaincc, sp.betaincinv, sp.betainccinv):
        specs += [op(fn, 1.7, 0.8, A(4, **BETWEEN)), op(fn, S(), A(2, **LARGE), A(2, **BETWEEN))]
    specs += [op(fn, 1.7, A(2)) for fn in (gammainc_slope, gammainc_curve)]
    for fn in (betainc_slope, betainc_curve, betainc_twist):
        specs += [op(fn, 1.7, 0.8, A(2, **BETWEEN))]
    for fn in (
        *(sp.jv, sp.yv, sp.yn, sp.iv, sp.kv, sp.kn, sp.ive, sp.kve, sp.hankel1, sp.hankel2),
        *(sp.hankel1e, sp.hankel2e, sp.struve, sp.modstruve, sp.spherical_jn, sp.spherical_yn),
        *(sp.spherical_in, sp.spherical_kn, sp.jvp, sp.yvp, sp.ivp, sp.kvp, sp.h1vp, sp.h2vp),
    ):
        specs += [op(fn, 2, A(3, **LARGE)), op(fn, 0, A(3, **LARGE))]
    for fn in (sp.jv, sp.iv, sp.kv, sp.hankel1):
        specs += [op(fn, 1.5, C(3))]
    for fn in (sp.spherical_jn, sp.spherical_yn, sp.spherical_in, sp.spherical_kn):
        specs += [op(fn, n, A(2, **LARGE), derivative=True) for n in (0, 2)]
    for fn in (sp.jv, sp.yv, sp.iv, sp.kv, sp.ive, sp.kve, sp.hankel1, sp.hankel2):
        specs += [op(fn, A(2, 1, low=-1.3, high=3.4), A(2, **LARGE))]
    for fn in (jv_slope, yv_slope, iv_slope, kv_slope, ive_slope, kve_slope):
        specs += [op(fn, 1.3, A(2, **LARGE))]
    return specs


def special_families() -> list[OpSpec]:
    specs = []
    for fn in (
        *(sp.itj0y0, sp.iti0k0, sp.it2j0y0, sp.it2i0k0, sp.itairy, sp.airye, sp.kelvin),
        *(sp.itstruve0, sp.itmodstruve0, sp.it2struve0),
    ):
        specs += [op(fn, A(2))]
    for fn in (sp.pbdv, sp.pbvv, sp.jve, sp.yve):
        specs += [op(fn, 1.3, A(2))]
    for fn in (sp.wright_bessel, sp.log_wright_bessel):
        specs += [op(fn, 0.7, 1.2, A(2))]
    for fn in (sp.eval_chebyc, sp.eval_chebys, sp.eval_sh_chebyt, sp.eval_sh_chebyu):
        specs += [op(fn, n, A(2, **BETWEEN)) for n in (0, 3)]
    specs += [
        op(sp.eval_sh_jacobi, 3, 1.7, 0.6, A(2, **BETWEEN)),
        op(sp.eval_sh_jacobi, 0, 1.7, 0.6, A(2, **BETWEEN)),
        op(sp.gdtrix, S(), S(1, 2), A(2, **BETWEEN)),
        op(sp.gdtria, S(0.3, 0.6), S(1, 2), A(2), _tolerance=1e-5, _single=False),
        op(sp.gdtrib, S(), S(0.3, 0.6), A(2), _tolerance=1e-5, _single=False),
        op(sp.btdtria, S(0.3, 0.6), S(1, 2), A(2, **BETWEEN), _tolerance=1e-5, _single=False),
        op(sp.btdtrib, S(1, 2), S(0.3, 0.6), A(2, **BETWEEN), _tolerance=1e-5, _single=False),
        op(sp.chdtriv, S(0.3, 0.6), A(2), _tolerance=1e-5, _single=False),
        op(sp.stdtridf, S(0.75, 0.8), A(2, low=0.9), _tolerance=1e-5, _single=False),
        op(sp.fdtri, S(2, 3), S(4, 5), A(2, **BETWEEN)),
        op(sp.pdtri, 2, A(2, **BETWEEN)),
        op(sp.bdtri, 2, 5, A(2, **BETWEEN), _single=False),
        op(sp.nbdtr, 2, 5, A(2, **BETWEEN), _single=False),
        op(sp.nbdtrc, 2, 5, A(2, **BETWEEN), _single=False),
        op(sp.nbdtri, 2, 5, A(2, **BETWEEN), _single=False),
        op(sp.chndtr, A(2), 2.5, S()),
        op(sp.chndtrix, A(2, **BETWEEN), 2.5, S(), _tolerance=1e-5, _single=False),
    ]
    for fn in (
        *(sp.eval_legendre, sp.eval_sh_legendre, sp.eval_chebyt, sp.eval_chebyu),
        *(sp.eval_hermite, sp.eval_hermitenorm, sp.eval_laguerre),
    ):
        specs += [op(fn, n, A(4, **BETWEEN)) for n in (0, 1, 4)]
    for n in (0, 3):
        specs += [
            op(sp.eval_genlaguerre, n, 0.4, A(4)),
            op(sp.eval_gegenbauer, n, 0.4, A(4)),
            op(sp.eval_jacobi, n, 0.4, 1.3, A(4)),
        ]
    specs += [
        op(sp.stdtr, A(4, **LARGE), A(4, **SIGNED)),
        op(sp.stdtrit, A(4, **LARGE), A(4, **BETWEEN)),
        op(sp.chdtr, S(3, 4), A(4)),
        op(sp.chdtrc, S(3, 4), A(4)),
        op(sp.chdtri, S(3, 4), A(4)),
        op(sp.gdtr, A(3, 1), S(1, 2), A(4)),
        op(sp.gdtrc, A(3, 1), S(1, 2), A(4)),
        op(sp.pdtr, 2, A(4)),
        op(sp.pdtrc, 2, A(4)),
        op(sp.bdtr, 2, 5, A(4), _single=False),
        op(sp.bdtrc, 2, 5, A(4), _single=False),
        op(sp.fdtr, S(2, 3), S(4, 5), A(4)),
        op(sp.fdtrc, S(2, 3), S(4, 5), A(4)),
    ]
    return specs


SQUARE = A(3, 3, spd=True)
GENERAL = A(3, 3, low=-1, high=1)
HERMITIAN = A(3, 3, low=-1, high=1, complex=True, spd=True)
COMPLEX = A(3, 3, complex=True)
STABLE = A(3, 3, low=-0.3, high=0.3)
FACTOR = np.array([[1.2, 0.3, 0.5], [0.4, 0.9, 0.2], [0.3, 0.6, 1.4]])
PIVOTS = np.array([1, 2, 2], dtype=np.int32)


def linear_systems() -> list[OpSpec]:
    specs = [
        op(la.inv, SQUARE),
        op(la.inv, COMPLEX),
        op(la.det, GENERAL),
        op(la.pinv, A(4, 3)),
        op(la.pinv, A(3, 4)),
        op(la.solve, SQUARE, A(3)),
        op(la.solve, SQUARE, A(3, 2)),
        op(la.solve, COMPLEX, C(3, 2)),
        op(la.solve, SQUARE, A(3), transposed=True),
        op(la.solve, SQUARE, A(3, 2), assume_a="upper triangular"),
        op(la.solve, SQUARE, A(3, 2), assume_a="tridiagonal"),
        op(la.solve, SQUARE, A(3, 2), assume_a="diagonal"),
    ]
    for kind in ("pos", "sym", "her"):
        specs += [
            op(la.solve, SQUARE, A(3), assume_a=kind),
            op(la.solve, SQUARE, A(3, 2), lower=True, assume_a=kind),
            op(la.solve, HERMITIAN, C(3, 2), assume_a=kind),
        ]
    for trans in (0, 1, 2, "T"):
        specs += [
            op(la.solve_triangular, SQUARE, A(3), trans=trans),
            op(la.solve_triangular, SQUARE, A(3, 2), trans=trans, lower=True),
            op(la.solve_triangular, SQUARE, A(3), trans, True, True),
            op(la.solve_triangular, HERMITIAN, C(3, 2), trans=trans, lower=True),
        ]
    for lower in (True, False):
        specs += [
            op(la.cho_solve, (SQUARE, lower), A(3)),
            op(la.cho_solve, (HERMITIAN, lower), C(3, 2)),
        ]
    for trans in (0, 1, 2):
        specs += [
            op(la.lu_solve, (SQUARE, PIVOTS), A(3), trans=trans),
            op(la.lu_solve, (COMPLEX, PIVOTS), C(3, 2), trans=trans),
        ]
    specs += [
        op(la.solve_banded, (1, 2), A(4, 5, low=1, high=3), A(5)),
        op(la.solve_banded, (1, 1), A(3, 4, low=1, high=3, complex=True), C(4, 2)),
        op(la.lstsq, A(4, 3), A(4), _out_index=(0,)),
        op(la.lstsq, A(4, 3), A(4, 2), _out_index=(0, 1, 3)),
        op(la.lstsq, A(3, 4), A(3), _out_index=(0,)),
        op(la.norm, A(3, 4)),
        op(la.norm, A(3, 4), 1, axis=1),
        op(la.norm, A(3, 4), "nuc"),
        op(la.norm, A(3, 4), 3, axis=0, keepdims=True),
        op(la.norm, C(4)),
    ]
    return specs


def factorisations() -> list[OpSpec]:
    specs = []
    for lower in (True, False):
        specs += [
            op(la.cholesky, SQUARE, lower=lower),
            op(la.cholesky, HERMITIAN, lower=lower),
            op(la.cho_factor, SQUARE, lower=lower, _out_index=(0,)),
            op(la.cho_factor, HERMITIAN, lower=lower, _out_index=(0,)),
            op(la.eigh, SQUARE, lower=lower, _squared=(1,)),
            op(la.eigh, HERMITIAN, lower=lower, _squared=(1,)),
            op(la.eigh, GENERAL, A(3, 3, spd=True), lower=lower, _squared=(1,)),
            op(la.eigh, HERMITIAN, HERMITIAN, lower=lower, _squared=(1,)),
            op(la.eigh, GENERAL, SQUARE, lower=lower, eigvals_only=True),
            op(la.eigvalsh, GENERAL, SQUARE, lower=lower),
        ]
    specs += [
        op(la.eigh, SQUARE, eigvals_only=True),
        op(la.eigvalsh, SQUARE),
        op(la.eig, GENERAL, _squared=(1,), _single=False),
        op(la.eig, COMPLEX, _squared=(1,)),
        op(la.eigvals, GENERAL, _single=False),
        op(la.eigh_tridiagonal, A(4, low=1, high=3), A(3), _squared=(1,)),
        op(la.lu_factor, GENERAL, _out_index=(0,)),
        op(la.lu_factor, COMPLEX, _out_index=(0,)),
        op(la.lu, GENERAL, _out_index=(1, 2)),
        op(la.svd, A(4, 3), _squared=(0, 2)),
        op(la.svd, A(4, 3), full_matrices=False, _squared=(0, 2)),
        op(la.svd, A(4, 3), compute_uv=False),
        op(la.svdvals, A(3, 4)),
        op(la.qr, A(3, 3)),
        op(la.qr, A(4, 3), mode="economic"),
        op(la.qr, A(3, 5)),
        op(la.polar, A(4, 3)),
        op(la.polar, GENERAL),
        op(la.polar, A(3, 4), side="left"),
        op(la.polar, A(3, 4)),
        op(la.polar, A(4, 3), side="left"),
        op(la.polar, COMPLEX),
    ]
    return specs


def matrix_functions() -> list[OpSpec]:
    specs = []
    for fn in (la.expm, la.sinm, la.cosm, la.tanm, la.sinhm, la.coshm, la.tanhm):
        specs += [op(fn, STABLE), op(fn, A(3, 3, low=-0.5, high=0.5, complex=True))]
    cost, weight = np.eye(3) + 0.2, np.eye(2) + 0.1
    specs += [
        op(la.expm, A(2, 3, 3)),
        op(la.logm, SQUARE, _single=False),
        op(la.logm, HERMITIAN, _single=False),
        op(la.logm, A(3, 3, low=-0.9, high=0.2), _single=False),  # one eigenvalue is below zero
        op(la.sqrtm, SQUARE),
        op(la.sqrtm, HERMITIAN),
        op(la.fractional_matrix_power, SQUARE, 0.3),
        op(la.fractional_matrix_power, A(3, 3, low=-0.9, high=0.2), 0.3, _single=False),
        op(la.solve_sylvester, SQUARE, A(2, 2, spd=True), A(3, 2)),
        op(la.solve_sylvester, HERMITIAN, A(2, 2, complex=True, spd=True), C(3, 2)),
        op(la.solve_continuous_lyapunov, SQUARE, GENERAL),
        op(la.solve_continuous_lyapunov, HERMITIAN, COMPLEX),
        op(la.solve_discrete_lyapunov, STABLE, GENERAL),
        op(la.solve_discrete_lyapunov, A(3, 3, low=-0.3, high=0.3, complex=True), COMPLEX),
        op(la.solve_discrete_lyapunov, STABLE, GENERAL, "bilinear"),
        op(la.solve_continuous_are, GENERAL, A(3, 2), cost, weight, _single=False),
        op(la.solve_discrete_are, GENERAL, A(3, 2), cost, weight, _single=False),
        op(la.block_diag, A(2, 3), A(3), S(), A(1, 1)),
        op(la.toeplitz, A(3)),
        op(la.toeplitz, C(3)),
        op(la.toeplitz, A(3), A(4)),
        op(la.hankel, A(3)),
        op(la.hankel, A(3), A(4)),
        op(la.circulant, A(4)),
        op(la.khatri_rao, A(3, 2), A(4, 2)),
        op(la.khatri_rao, C(3, 2), C(4, 2)),
    ]
    return specs


METHODS = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")
DISTRIBUTIONS = {
    st.norm: (),
    st.halfnorm: (),
    st.uniform: (),
    st.laplace: (),
    st.logistic: (),
    st.cauchy: (),
    st.gumbel_r: (),
    st.gumbel_l: (),
    st.expon: (),
    st.rayleigh: (),
    st.lognorm: (0.7,),
    st.truncnorm: (-1.2, 2.9),
    st.skewnorm: (1.4,),
    st.t: (3.5,),
    st.vonmises: (1.7,),
    st.gamma: (2.3,),
    st.invgamma: (2.3,),
    st.chi2: (3.5,),
    st.beta: (1.6, 2.4),
    st.f: (5.5, 7.5),
    st.weibull_min: (1.6,),
    st.pareto: (2.2,),
}


def distributions() -> list[OpSpec]:
    specs = []
    for dist, shapes in DISTRIBUTIONS.items():
        drawn = [S(value - 0.05, value + 0.05) for value in shapes]
        x = A(3, 1, low=1.1, high=1.2) if dist is st.pareto else A(3, 1, low=0.25, high=0.45)
        loc, scale = A(4, low=0.0, high=0.1), S(0.6, 0.8)
        for name in METHODS:
            specs += [op(getattr(dist, name), x, *drawn, loc, scale)]
        q = A(3, 1, **BETWEEN)
        specs += [op(getattr(dist, name), q, *drawn, loc, scale) for name in ("ppf", "isf")]
        specs += [op(dist.logpdf, x, *drawn)]
    specs += [op(fn, 1.7, A(2)) for fn in (vonmises_slope, vonmises_curve)]
    counts = np.array([[0], [2], [3]])
    for name in ("logpmf", "pmf"):
        specs += [
            op(getattr(st.poisson, name), counts, A(4)),
            op(getattr(st.binom, name), counts, 5, A(4)),
            op(getattr(st.bernoulli, name), np.array([[0], [1]]), A(4)),
            op(getattr(st.nbinom, name), counts, S(1.2, 2.2), A(4)),
            op(getattr(st.geom, name), counts + 1, A(4)),
            op(getattr(st.betabinom, name), counts, 5, A(4), S()),
        ]
    for name in ("cdf", "sf"):
        specs += [op(getattr(st.poisson, name), counts, A(4))]
        specs += [op(getattr(st.binom, name), counts, 5, A(4))]
    normal = st.multivariate_normal
    for fn in (normal.logpdf, normal.pdf):
        specs += [
            op(fn, A(4, 3), A(3), A(3, 3, spd=True)),
            op(fn, A(3), A(3), A(3, 3, spd=True)),
            op(fn, A(4, 3), A(3), A(3)),
            op(fn, A(4, 3), A(3), S()),
            op(fn, A(4)),
            op(fn, A(4), S(), S()),
            op(fn, S(), S(), S()),
        ]
    specs += [op(st.dirichlet.logpdf, np.array([0.2, 0.5, 0.3]), A(3))]
    return specs


def sample_statistics() -> list[OpSpec]:
    specs = []
    for fn in (st.zscore, st.gmean, st.hmean, st.sem, st.skew, st.kurtosis):
        specs += [op(fn, A(5)), op(fn, A(4, 5), axis=1), op(fn, A(4, 5), axis=None)]
    specs += [
        op(st.zscore, A(4, 5), ddof=1),
        op(st.sem, A(4, 5), ddof=0),
        op(st.kurtosis, A(5), fisher=False),
        op(st.entropy, A(4)),
        op(st.entropy, A(4, 3), base=2.0, axis=1),
        op(st.entropy, A(4, 3), A(4, 3), axis=0),
    ]
    return specs


def transforms() -> list[OpSpec]:
    specs = []
    for fn in (fft.fft, fft.ifft, fft.irfft, fft.hfft):
        specs += [op(fn, C(5)), op(fn, C(3, 4), n=6, axis=0), op(fn, C(3, 4), n=3, norm="ortho")]
    for fn in (fft.rfft, fft.ihfft):
        specs += [op(fn, A(6)), op(fn, A(5)), op(fn, A(3, 4), n=6, axis=0, norm="forward")]
    for fn in (fft.fftn, fft.ifftn, fft.irfftn, fft.fft2, fft.ifft2, fft.irfft2):
        specs += [op(fn, C(3, 4)), op(fn, C(3, 4), s=(4, 3), axes=(0, 1), norm="ortho")]
    for fn in (fft.rfftn, fft.rfft2):
        specs += [op(fn, A(3, 4)), op(fn, A(3, 5), s=(4, 3), axes=(0, 1), norm="ortho")]
    for fn in (fft.dct, fft.idct, fft.dst, fft.idst):
        specs += [op(fn, A(3, 4), kind) for kind in (1, 2, 3, 4)]
        specs += [op(fn, A(3, 4), n=6, axis=0, norm="ortho"), op(fn, A(3, 4), n=3)]
    for fn in (fft.fftfreq, fft.rfftfreq):
        specs += [op(fn, 5, S(0.3, 0.9)), op(fn, 4, A(4 if fn is fft.fftfreq else 3))]
    for fn in (fft.fftshift, fft.ifftshift):
        specs += [op(fn, A(3, 4)), op(fn, A(3, 5), axes=1)]
    return specs


def signals() -> list[OpSpec]:
    specs = []
    for mode in ("full", "same", "valid"):
        for fn in (signal.convolve, signal.correlate, signal.fftconvolve, signal.oaconvolve):
            specs += [op(fn, A(6), A(3), mode=mode), op(fn, A(6), A(4), mode=mode)]
            specs += [op(fn, A(4, 5), A(2, 3), mode=mode)]
        specs += [op(fn, A(3), A(6), mode=mode) for fn in (signal.convolve, signal.correlate)]
        for fn in (signal.convolve2d, signal.correlate2d):
            specs += [op(fn, A(4, 5), A(2, 3), mode=mode), op(fn, C(4, 5), C(3, 2), mode=mode)]
        specs += [op(fn, C(6), C(3), mode=mode) for fn in (signal.convolve, signal.correlate)]
    stable = np.array([[0.2, 0.4, 0.2, 1.0, -0.3, 0.1], [0.5, 0.1, 0.0, 1.0, 0.2, -0.1]])
    specs += [
        op(signal.upfirdn, A(3), A(5), 3, 2),
        op(signal.upfirdn, A(2), A(4, 2), 2, 3, axis=0),
        op(signal.lfilter, A(3), S(), A(4)),
        op(signal.lfilter, A(3), A(3, low=0.6, high=0.9), A(8)),
        op(signal.lfilter, A(2), A(4, low=0.6, high=0.9), A(5, 3), axis=0),
        op(signal.lfilter, C(3), C(3), C(6)),
        op(signal.sosfilt, stable, A(7)),
        op(signal.sosfilt, stable, A(5, 2), axis=0),
        op(signal.detrend, A(2, 8)),
        op(signal.detrend, A(8, 2), axis=0, type="constant", bp=[3]),
    ]
    return specs


SPLINE_MODES = (
    *("reflect", "mirror", "nearest", "wrap", "constant"),
    *("grid-wrap", "grid-mirror", "grid-constant"),
)


def images() -> list[OpSpec]:
    specs = []
    for mode in ("reflect", "mirror", "nearest", "wrap", "constant"):
        for fn in (ndimage.correlate, ndimage.convolve):
            specs += [op(fn, A(4, 5), A(2, 3), mode=mode)]
            specs += [op(fn, A(4, 5), A(3, 2), mode=mode, origin=(1, 0), cval=0.3)]
        for fn in (ndimage.correlate1d, ndimage.convolve1d):
            specs += [op(fn, A(4, 5), A(3), axis=0, mode=mode)]
            specs += [op(fn, A(4, 5), A(4), mode=mode, cval=0.7)]
        specs += [
            op(ndimage.gaussian_filter, A(4, 5), 0.8, mode=mode, cval=0.7),
            op(ndimage.gaussian_filter, A(4, 5), (0.6, S(1.05, 1.1)), (1, 0), mode=mode, cval=0.7),
            op(ndimage.gaussian_filter1d, A(4, 5), S(0.78, 0.83), 0, 2, mode=mode, cval=0.7),
            op(ndimage.uniform_filter, A(4, 5), (2, 3), mode=mode, cval=0.7),
            op(ndimage.uniform_filter1d, A(4, 5), 3, axis=0, mode=mode, cval=0.7),
            op(ndimage.sobel, A(4, 5), axis=0, mode=mode, cval=0.7),
            op(ndimage.prewitt, A(4, 5), mode=mode, cval=0.7),
            op(ndimage.laplace, A(4, 5), mode=mode, cval=0.7),
        ]
    homogeneous = np.array([[1.1, 0.1, 0.2], [0.2, 0.9, 0.1], [0.0, 0.0, 1.0]])
    specs += [
        op(ndimage.laplace, A()),
        op(ndimage.shift, A(6, 5), (0.3, -1.2)),
        op(ndimage.shift, A(6), 1.4, order=1, mode="nearest"),
        op(ndimage.zoom, A(4, 5), 1.6),
        op(ndimage.zoom, A(6), 0.7, order=1),
        op(ndimage.zoom, A(4), 2, mode="grid-constant", cval=0.7, grid_mode=True),
        op(ndimage.map_coordinates, A(4, 5), A(2, 6, low=0.1, high=2.9), order=1),
        op(ndimage.map_coordinates, A(4), A(1, 6, low=-1.5, high=4.4), order=1, mode="nearest"),
        op(ndimage.map_coordinates, C(4, 3), A(2, 5, low=0.1, high=1.9)),
        op(ndimage.map_coordinates, A(3, 2, 4), A(3, 2, 2, low=0.1, high=0.9), order=2),
        op(ndimage.shift, A(6, 5), A(2)),
        op(ndimage.shift, A(6, 5), S(), order=2, mode="mirror"),
        op(ndimage.affine_transform, A(4, 5), A(2, 2), A(2), mode="reflect"),
        op(ndimage.affine_transform, A(4, 5), A(2), S(), output_shape=(3, 2)),
        op(ndimage.affine_transform, A(4, 5), A(2, 3), mode="mirror", order=2),
        op(ndimage.affine_transform, A(4, 5), A(2, 2), (0.3, 0.2), mode="wrap"),
        op(ndimage.affine_transform, A(4, 5), A(2, 3), A(2), mode="mirror"),
        op(ndimage.affine_transform, A(4, 5), homogeneous, A(2), mode="mirror", order=2),
        op(ndimage.spline_filter1d, A(4, 5), axis=0, mode="reflect"),
        op(ndimage.spline_filter1d, A(70), 5),
    ]
    for mode in SPLINE_MODES:
        for order in (2, 3, 5):
            far = A(1, 6, low=-3.3, high=7.7)
            specs += [op(ndimage.map_coordinates, A(5), far, order=order, mode=mode, cval=0.4)]
        specs += [
            op(ndimage.map_coordinates, A(4, 3), A(2, 4), mode=mode, prefilter=False),
            op(ndimage.spline_filter, A(4, 5), mode=mode),
        ]
    return specs


def integrals() -> list[OpSpec]:
    return [
        op(integrate.trapezoid, A(3, 4), A(4)),
        op(integrate.trapezoid, A(3, 4), dx=S(), axis=0),
        op(integrate.cumulative_trapezoid, A(3, 4), A(4)),
        op(integrate.cumulative_trapezoid, A(3, 4), A(3, 4), axis=0),
        op(integrate.cumulative_trapezoid, A(5), dx=S(), initial=0),
    ]


def distances() -> list[OpSpec]:
    specs = [
        op(distance.squareform, A(6)),
        op(distance.mahalanobis, A(3), A(3), A(3, 3, spd=True)),
    ]
    for metric in ("euclidean", "sqeuclidean", "cityblock"):
        specs += [op(distance.cdist, A(3, 2), A(4, 2), metric), op(distance.pdist, A(4, 2), metric)]
    for fn in (distance.euclidean, distance.sqeuclidean, distance.cityblock, distance.cosine):
        specs += [op(fn, A(4), A(4))]
    return specs


def _bump(t: Any, width: Any, shift: Any) -> Any:
    return np.exp(-width * t * t) * np.cos(t + shift)


_SYMMETRIC = sparse.csr_array(np.array([[2.0, 1, 0], [1, 3, 0.1], [0, 0.1, 2.5]]))


def _curve(t: Any, a: Any, b: Any) -> Any:
    return a * np.cos(t) + b * t * t


def _curve_slopes(t: Any, a: Any, b: Any) -> Any:
    return np.stack([np.cos(t), t * t], axis=1)


def _held(y: Any, a: Any, b: Any) -> Any:
    return (y - 0.7) * (a * a + y * y + np.exp(b * y))


def _kepler(e: Any, mean: Any, eccentricity: Any) -> Any:
    return e - eccentricity * np.sin(e) - mean


def _system(x: Any, p: Any, q: Any) -> Any:
    return np.stack([x[0] ** 2 + p * x[1] - 3 * q, x[0] * x[1] - p])


def _shrinking(x: Any, p: Any) -> Any:
    return np.cos(p * x) + 0 * p


def _pendulum(y: Any, t: Any, stiffness: Any, friction: Any) -> Any:
    return np.stack([y[1], -stiffness * np.sin(y[0]) - friction * y[1]])


TIMES = np.array([0.0, 0.3, 0.7, 1.0])


def solvers() -> list[OpSpec]:
    specs = [
        op(integrate.quad, _bump, S(), S(1.2, 1.5), (S(), S()), _out_index=(0,)),
        op(integrate.quad, _bump, 0.0, np.inf, (S(), 0.3), _out_index=(0,)),
        op(optimize.newton, _kepler, 1.0, args=(S(), S())),
        op(optimize.curve_fit, _curve, A(6), A(6), sigma=A(6), jac=_curve_slopes, _out_index=(0,)),
        op(root_back, S(), _held, S(0.7, 0.7), (S(), S()), None),
        op(value_back, S(), _held, S(), (S(), S())),
        op(optimize.fsolve, _system, np.array([1.5, 0.7]), args=(S(), S(0.8, 0.9)), xtol=1e-13),
        op(optimize.fixed_point, _shrinking, 0.5, args=(S(),), xtol=1e-12, _tolerance=1e-5),
        op(
            integrate.odeint,
            _pendulum,
            A(2),
            TIMES,
            (S(), S()),
            rtol=1e-11,
            atol=1e-11,
            _single=False,
        ),
        op(scipy.sparse.linalg.expm_multiply, _SYMMETRIC, A(3), _single=False),
        op(
            scipy.sparse.linalg.spsolve_triangular,
            sparse.csr_array(np.array([[2.0, 0, 0], [0.3, 3, 0], [0.2, 1, 2.5]])),
            A(3),
            _single=False,
        ),
        op(
            scipy.sparse.linalg.spsolve,
            sparse.csc_matrix(np.array([[2.0, 1, 0], [0.3, 3, 0.1], [0, 1, 2.5]])),
            A(3),
            _single=False,
        ),
    ]
    bracketing = (optimize.brentq, optimize.brenth, optimize.bisect, optimize.ridder)
    for fn in (*bracketing, optimize.toms748):
        specs += [op(fn, _kepler, 0.0, 4.0, (S(), S()))]
    return specs


KNOTS = np.linspace(0.0, 3.1, 6)
ROWS = np.stack([np.sin(KNOTS), KNOTS**2, np.cos(KNOTS)], axis=1)


def interpolations() -> list[OpSpec]:
    there = [
        interpolate.CubicSpline(KNOTS, ROWS[:, 0]),
        interpolate.CubicSpline(KNOTS, ROWS.T, axis=1),
        interpolate.PchipInterpolator(KNOTS, ROWS),
        interpolate.Akima1DInterpolator(KNOTS, ROWS[:, 2]),
        interpolate.UnivariateSpline(KNOTS, ROWS[:, 1], s=0.1),
        interpolate.make_interp_spline(KNOTS, ROWS, k=4),
        interpolate.interp1d(KNOTS, ROWS.T),
        interpolate.interp1d(KNOTS, ROWS[:, 0], kind="cubic"),
    ]
    specs = [op(interpolated, spline, A(2, 2), _single=False) for spline in there]
    specs += [op(interpolated, there[0], S(), 1, _single=False)]
    ends = np.array([0.0, 0, 0, 0.5, 1, 1, 1])
    specs += [op(bspline, ends, A(4), 2, A(3), nu, _single=False) for nu in (0, 1)]
    for make in (
        interpolate.CubicSpline,
        interpolate.interp1d,
        interpolate.InterpolatedUnivariateSpline,
        interpolate.make_interp_spline,
        interpolate.BarycentricInterpolator,
        partial(interpolate.UnivariateSpline, s=0),
        partial(interpolate.make_smoothing_spline, lam=0.1),
        partial(interpolate.CubicSpline, bc_type="natural"),
        partial(interpolate.interp1d, kind="quadratic"),
    ):
        specs += [op(interpolation, make, KNOTS, A(6), A(2, 2), _single=False)]
    lines = (KNOTS, np.array([0.0, 0.4, 1.0]))
    specs += [
        op(interpolate.interpn, lines, A(6, 3), A(4, 2)),
        op(interpolate.interpn, lines, A(6, 3), A(3, 2, low=-1.0), "linear", False, 0.3),
        op(interpolate.interpn, (KNOTS,), A(6), A(3)),
    ]
    wide = partial(interpolate.interp1d, axis=0, bounds_error=False, fill_value=0.3)
    specs += [
        op(interpolation, wide, KNOTS, A(6, 2), A(3, low=2.0, high=5.0), _single=False),
        op(interpolation, interpolate.CubicSpline, KNOTS, A(6, 2), S(), 1, _single=False),
    ]
    return specs


SCIPY_SPECS: list[OpSpec] = [
    *special_of_one(),
    *special_of_several(),
    *special_families(),
    *linear_systems(),
    *factorisations(),
    *matrix_functions(),
    *distributions(),
    *sample_statistics(),
    *transforms(),
    *signals(),
    *images(),
    *integrals(),
    *distances(),
    *solvers(),
    *interpolations(),
]
