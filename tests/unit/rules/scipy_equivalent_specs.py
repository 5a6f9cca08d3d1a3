"""Calls of SciPy's functions that are written out with others: at least one line for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import (
    fft,
    fftpack,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    spatial,
    special,
)
from scipy import stats as st
from scipy.spatial import distance

from tests.unit.rules.opspec import A, C, OpSpec, S, op


def scipy_equivalents() -> list[OpSpec]:
    return [
        *images(),
        *kernels(),
        *laws(),
        *samples(),
        *transforms(),
        *matrices(),
        *distances(),
        *signals(),
        *moments(),
        *integrals(),
    ]


def images() -> list[OpSpec]:
    return [
        op(ndimage.rotate, A(5, 4), S(20.0, 30.0)),
        op(ndimage.maximum_filter, A(4, 5), (3, 2), mode="mirror"),
        op(ndimage.maximum_filter, A(5), 3, mode="constant", cval=S()),
        op(ndimage.minimum_filter, A(4, 3), 2, mode="wrap"),
        op(ndimage.median_filter, A(4, 3), 3),
        op(ndimage.median_filter, A(6), size=4, mode="nearest"),
        op(signal.medfilt, A(3, 4), (1, 3)),
        op(ndimage.maximum_filter1d, A(4, 3), 3, axis=0, mode="wrap"),
        op(ndimage.minimum_filter1d, A(5), 2),
        op(ndimage.rank_filter, A(4, 3), -2, 3),
        op(ndimage.percentile_filter, A(4, 3), 30, (2, 3)),
        op(ndimage.percentile_filter, A(4, 3), 0, (2, 3)),
        op(ndimage.percentile_filter, A(4, 3), -25, (2, 3)),
        op(ndimage.grey_dilation, A(4, 3), 3, mode="constant"),
        op(ndimage.grey_erosion, A(4, 3), size=(3, 1)),
        op(ndimage.grey_opening, A(5), 3),
        op(ndimage.grey_closing, A(5), 3),
        op(ndimage.white_tophat, A(5), 3),
        op(ndimage.black_tophat, A(5), 3),
        op(ndimage.morphological_gradient, A(4, 3), 3),
        op(ndimage.morphological_laplace, A(4, 3), 3),
        op(ndimage.gaussian_laplace, A(4, 3), 0.7),
        op(ndimage.gaussian_gradient_magnitude, A(4, 3), 0.7, mode="wrap"),
        op(ndimage.sum_labels, A(4), LABELS, [5, 0]),
        op(ndimage.sum_labels, A(4), np.array([3, 1, 2, 3]), [1, 2]),  # which the last is beyond
        op(ndimage.sum, A(2, 4), LABELS),
        op(ndimage.mean, A(4), LABELS, np.array([0, 1])),
        op(ndimage.variance, A(4), LABELS, 1),
        op(ndimage.variance, A(4)),
        op(ndimage.standard_deviation, A(4), LABELS, [1]),
        op(ndimage.center_of_mass, A(4, 3)),
        op(ndimage.center_of_mass, A(4), LABELS, 1),
        op(ndimage.maximum, A(4, 3)),
        op(ndimage.minimum, A(4)),
        op(ndimage.median, A(4)),
        op(ndimage.rotate, A(4, 2, 3), S(20.0, 30.0), axes=(0, -1), reshape=False, mode="mirror"),
    ]


LABELS = np.array([1, 0, 1, 1])


LAWS = {
    st.maxwell: (),
    st.chi: (S(1.5, 2.5),),
    st.nakagami: (S(1.5, 2.5),),
    st.genpareto: (S(),),
    st.genextreme: (S(),),
    st.fisk: (S(1.5, 2.5),),
    st.lomax: (S(1.5, 2.5),),
    st.powerlaw: (S(1.5, 2.5),),
    st.loguniform: (S(0.1, 0.15), S(2.0, 3.0)),
    st.invgauss: (S(),),
    st.gengamma: (S(1.5, 2.5), S(1.2, 1.4)),
    st.halfcauchy: (),
    st.gennorm: (S(1.5, 2.5),),
    st.laplace_asymmetric: (S(),),
    st.johnsonsu: (S(), S(1.5, 2.5)),
    st.rice: (S(),),
    st.gompertz: (S(),),
    st.ncx2: (S(1.5, 2.5), S()),
}


def laws() -> list[OpSpec]:
    specs = []
    for distribution, shapes in LAWS.items():
        x, loc, scale = A(3, 1, low=0.3, high=0.6), A(2, low=-0.1, high=0.1), S(0.9, 1.2)
        specs += [op(distribution.logpdf, x, *shapes, loc, scale)]
        specs += [op(distribution.pdf, x, *shapes)]
    for distribution in (st.maxwell, st.chi, st.nakagami, st.genextreme, st.fisk):
        specs += [op(distribution.cdf, A(3), *LAWS[distribution])]
    specs += [op(st.ncx2.cdf, A(3), 2.5, S())]
    specs += [op(law, A(2), S(0.0, 0.0)) for law in (st.genextreme.logpdf, st.genextreme.cdf)]
    return specs


def integrals() -> list[OpSpec]:
    points = np.array([0.0, 0.3, 0.5, 1.1, 1.2])
    return [
        op(integrate.simpson, A(2, 5)),
        op(integrate.simpson, A(6, 2), dx=S(), axis=0),
        op(integrate.simpson, A(4), A(4, low=-3.0)),
        op(integrate.simpson, A(2, 5), np.cumsum(np.ones((2, 5)), axis=1) ** 2),
        op(integrate.simpson, A(4, 2), np.cumsum(np.ones((4, 2)), axis=0) ** 2, axis=0),
        op(integrate.cumulative_simpson, A(4, 2), x=np.arange(8.0).reshape(4, 2) ** 2, axis=0),
        op(integrate.cumulative_simpson, A(2, 4), dx=A(2, 1), initial=A(2, 1)),
        op(integrate.simpson, A(2, 2), A(2)),
        op(integrate.cumulative_simpson, A(5, 3), x=points, axis=0),
        op(integrate.cumulative_simpson, A(4), dx=S(), initial=2.0),
        op(integrate.cumulative_simpson, A(2)),
        op(integrate.romb, A(2, 9), S()),
        op(integrate.romb, A(5, 2), axis=0),
    ]


def kernels() -> list[OpSpec]:
    return [op(special.diric, A(3), 4), op(special.perm, S(3, 4), A(2, low=0.5))]


def samples() -> list[OpSpec]:
    return [
        op(st.zmap, A(3), A(5)),
        op(st.gstd, A(4, 3)),
        op(st.variation, A(4, 3), axis=1),
        op(st.pmean, A(4), S()),
        op(st.median_abs_deviation, A(5, 2)),
        op(st.median_abs_deviation, A(5), scale="normal"),
        op(st.median_abs_deviation, A(5, 2), axis=None, scale=S()),
        op(st.median_abs_deviation, A(5, 2), nan_policy="omit", scale=2.0),
        op(st.median_abs_deviation, A(5, 2), nan_policy="raise"),
        op(st.trim_mean, A(6, 2), 0.2),
        op(st.boxcox_llf, S(), A(5)),
        op(st.yeojohnson, A(4, low=-0.9), S()),
        op(st.yeojohnson_llf, S(), A(5, low=-0.9)),
        op(st.boxcox, A(4), S()),
        op(st.moment, A(4, 3), 3),
        op(st.moment, A(4), order=2, center=S()),
        op(st.skew, A(5, 2), bias=False),
        op(st.kurtosis, A(5), bias=False, fisher=False),
        op(st.kurtosis, A(2, 5), 1, bias=False),
        op(st.tmean, A(4, 3)),
        op(st.tvar, A(4, 3)),
        op(st.tstd, A(4)),
        op(st.tsem, A(4)),
        op(st.tmin, A(4, 3), axis=1),
        op(st.tmax, A(4)),
        op(st.iqr, A(5, 2), axis=0),
        op(st.scoreatpercentile, A(5), 30),
        op(st.trimboth, A(7, 2), 0.3),
        op(st.gzscore, A(4)),
        op(st.differential_entropy, A(2, 9), axis=1, method="vasicek"),
        op(st.wasserstein_distance, A(4), A(3)),
        op(st.energy_distance, A(4), A(3)),
        op(st.circmean, A(4, 2), axis=0),
        op(st.circvar, A(4), high=2.0),
        op(st.circstd, A(4)),
        op(st.pearsonr, A(5), A(5)),
        op(st.pearsonr, A(5, 2), A(5, 2), alternative="less"),
        op(st.linregress, A(5), A(5)),
        op(st.ttest_1samp, A(5, 2), S()),
        op(st.ttest_rel, A(5), A(5), alternative="greater"),
        op(st.ttest_ind, A(5), A(4)),
        op(st.ttest_ind, A(2, 5), A(2, 4), axis=1, equal_var=False),
        op(st.ttest_ind_from_stats, S(), S(), 5, S(), S(), 7),
        op(st.f_oneway, A(4), A(3), A(5)),
        op(st.chisquare, A(4)),
        op(st.chisquare, A(4, 2), ddof=1),
        op(st.jarque_bera, A(6)),
    ]


KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 0.45, 1.0, 1.0, 1.0, 1.0])
SURFACE = (KNOTS, np.array([0.0, 0.0, 0.0, 0.55, 2.0, 2.0, 2.0]), np.cos(np.arange(20.0)), 3, 2)


def matrices() -> list[OpSpec]:
    two = np.array([[0.4, 0.7], [0.2, 0.5], [0.9, 0.3]])
    return [
        op(interpolate.pchip_interpolate, np.array([0.0, 0.2, 0.5, 0.8, 1.0]), A(5), A(3)),
        op(interpolate.splev, A(3), (np.array([0.0, 0, 0.5, 1, 1]), np.array([0.5, 1.0, 0.2]), 1)),
        op(interpolate.bisplev, A(1), np.array([0.25, 0.75, 1.5]), SURFACE),
        op(interpolate.bisplev, S(0.1, 0.9), S(0.2, 1.8), SURFACE),
        op(interpolate.bisplev, S(0.1, 0.9), S(0.2, 0.5), SURFACE, 1, 1),
        op(interpolate.bisplev, S(1.1, 1.9), S(0.2, 0.5), SURFACE),
        op(optimize.nnls, A(3, 2), A(3)),
        op(optimize.rosen, A(4)),
        op(optimize.rosen_der, A(3)),
        op(linalg.companion, A(4)),
        op(linalg.convolution_matrix, A(3), 4),
        op(linalg.convolution_matrix, A(3), 5, mode="same"),
        op(linalg.convolution_matrix, A(4), 2, "valid"),
        op(linalg.leslie, A(3), A(2)),
        op(linalg.fiedler, A(4)),
        op(linalg.diagsvd, A(2), 2, 4),
        op(linalg.solve_circulant, A(3), A(3, 2)),
        op(linalg.solve_toeplitz, (A(3), A(3)), A(3)),
        op(linalg.solve_toeplitz, A(3), A(3)),
        op(linalg.matmul_toeplitz, A(3), A(3, 2)),
        op(linalg.solveh_banded, np.array([[9.0, 8, 7], [1, 2, 0]]), A(3), lower=True),
        op(linalg.solveh_banded, np.array([[0.0, 1, 2], [9, 8, 7]]), A(3, 2)),
        op(linalg.solveh_banded, A(1, 3), A(3)),
        op(linalg.eigvalsh_tridiagonal, A(4), A(3)),
        op(linalg.pinvh, A(3, 3)),
        op(linalg.pinvh, A(3, 3), lower=False),
        op(linalg.signm, A(2, 2, symmetric=True)),
        op(linalg.orth, A(3, 2)),
        op(linalg.orthogonal_procrustes, A(3, 2), A(3, 2)),
        op(linalg.expm_frechet, A(2, 2), A(2, 2)),
        op(spatial.procrustes, A(3, 2), two),
    ]


def distances() -> list[OpSpec]:
    specs = []
    options = {
        "minkowski": {"p": 3},
        "seuclidean": {"V": A(3)},
        "mahalanobis": {"VI": np.eye(3) + 0.2},
    }
    names = "correlation chebyshev minkowski canberra braycurtis seuclidean"
    for name in (*names.split(), "cosine", "mahalanobis"):
        given = options.get(name, {})
        specs += [op(distance.cdist, A(2, 3), A(4, 3), name, **given)]
        specs += [op(distance.pdist, A(4, 3), name, **given)]
        if name in names:
            specs += [op(getattr(distance, name), A(3), A(3), **given)]
    return [
        *specs,
        op(distance.jensenshannon, A(3, 2), A(3, 2), 2.0),
        op(spatial.distance_matrix, A(3, 2), A(4, 2)),
        op(spatial.distance_matrix, A(3, 2), A(2, 2), p=1),
        op(spatial.minkowski_distance, A(3, 2), A(3, 2), 3),
        op(spatial.minkowski_distance_p, A(3, 2), A(3, 2)),
    ]


def transforms() -> list[OpSpec]:
    specs = [op(fn, A(3, 4)) for fn in (fft.dctn, fft.idctn, fft.dstn, fft.idstn)]
    specs += [op(fn, A(3, 4)) for fn in (fftpack.dct, fftpack.idct, fftpack.dst, fftpack.idst)]
    specs += [op(fn, A(3, 4), axis=0) for fn in (fftpack.fft, fftpack.ifft)]
    specs.append(op(fftpack.dct, A(3, 4), type=2, axis=1, norm="ortho"))
    return [*specs, op(fft.dctn, A(2, 3), 3, s=(4,), axes=(0,), norm="ortho")]


def signals() -> list[OpSpec]:
    sos = np.array([[0.2, 0.4, 0.2, 1.0, -0.3, 0.1], [0.5, 0.1, 0.0, 1.0, 0.2, -0.1]])
    low, close = A(3), np.array([1.0, -0.2])
    return [
        op(signal.lfilter, low, close, A(4, 2), 0, A(2, 2)),
        op(signal.sosfilt, sos, A(4), zi=A(2, 2)),
        op(signal.lfilter_zi, low, close),
        op(signal.lfilter_zi, low, 2.0),
        op(signal.sosfilt_zi, A(1, 6)),
        op(signal.filtfilt, A(2), close, A(2, 8)),
        op(signal.filtfilt, A(2), close, A(8), padtype=None),
        op(signal.filtfilt, A(2), close, A(8), padtype="constant", padlen=3),
        op(signal.filtfilt, A(2), close, A(8), padtype="even"),
        op(signal.sosfiltfilt, sos, A(9), padtype=None),
        op(signal.sosfiltfilt, sos, A(9, 2), axis=0, padtype="even", padlen=4),
        op(signal.savgol_filter, A(2, 6), 3, 1),
        op(signal.savgol_filter, A(6, 2), 3, 1, deriv=1, axis=0, mode="mirror"),
        op(signal.resample_poly, A(6), 3, 2, window=np.array([0.2, 0.5, 0.4])),
        op(signal.decimate, A(9), 2, 4, "fir"),
        op(signal.decimate, A(9), 2, 4, "fir", zero_phase=False),
        op(signal.decimate, A(28), 2),
        op(signal.decimate, A(9, 2), 3, 2, axis=0, zero_phase=False),
        op(signal.deconvolve, A(5), A(2)),
        op(signal.wiener, A(4, 4)),
        op(signal.welch, A(9, 2), nperseg=4, axis=0, average="median"),
        op(signal.periodogram, A(5), 2.0, "hann"),
        op(signal.periodogram, A(2, 5)),
        op(signal.periodogram, A(5, 2), window=None, axis=0),
        op(signal.csd, A(9), A(9), nperseg=4, detrend="linear"),
        op(signal.csd, A(9), A(9), nperseg=4, average="median"),
        op(signal.csd, A(2, 8), A(2, 6), nperseg=4),
        op(signal.csd, A(6, 2), A(8, 2), nperseg=4, axis=0),
        op(signal.coherence, A(9), A(9), nperseg=4),
        op(signal.spectrogram, A(9), 2.0, nperseg=4, noverlap=1, scaling="spectrum"),
        op(signal.spectrogram, A(9), nperseg=4, mode="angle"),
        op(signal.spectrogram, A(9), nperseg=4, mode="complex", return_onesided=False),
        op(signal.spectrogram, A(9), nperseg=4, mode="magnitude"),
        op(signal.stft, A(9), nperseg=4, return_onesided=False),
        op(signal.istft, C(3, 4), noverlap=3),
        op(signal.istft, C(4, 3), input_onesided=False, scaling="psd"),
        op(signal.hilbert, A(2, 5), 6),
        op(signal.resample, A(4, 2), 7),
        op(signal.resample, C(2, 6), 4, axis=1, window="hann"),
        op(signal.freqz, A(3), A(2), 4),
        op(signal.freqs, A(2), A(2), np.array([0.5, 2.0])),
    ]


def moments() -> list[OpSpec]:
    shapes: dict[Any, tuple[Any, ...]] = dict.fromkeys(
        (st.norm, st.expon, st.uniform, st.laplace, st.logistic), ()
    )
    shapes |= dict.fromkeys((st.gamma, st.chi2, st.lognorm, st.weibull_min, st.t), (S(),))
    shapes[st.beta] = (S(), S())
    specs = []
    for law, given in shapes.items():
        if law is not st.t:
            specs += [op(fn, *given, S(), S()) for fn in (law.mean, law.var, law.std)]
        if law in (st.norm, st.expon, st.gamma, st.lognorm, st.beta, st.t):
            specs += [op(law.median, *given, S(), A(2)), op(law.interval, 0.8, *given, S())]
        if law in (st.norm, st.expon, st.uniform, st.gamma, st.beta):
            specs += [op(law.entropy, *given, S(), S())]
    wide = np.array([[2.0, 0.3], [0.3, 1.0]])
    return [
        *specs,
        op(st.norm.fit, A(4)),
        op(st.poisson.mean, S()),
        op(st.poisson.var, S()),
        op(st.binom.mean, 5, S()),
        op(st.binom.var, 5, S()),
        op(st.dirichlet.pdf, SHARES, A(3)),
        op(st.dirichlet.mean, A(3)),
        op(st.multivariate_normal.entropy, [0.0], A(1, 1)),
        op(st.multivariate_t.logpdf, A(3, 2), A(2), wide, S()),
        op(st.multivariate_t.pdf, A(2), A(2), wide, S()),
        op(st.wishart.logpdf, np.eye(2), S(2.0, 3.0), wide),
        op(st.invwishart.logpdf, np.eye(2), S(2.0, 3.0), wide),
    ]


SHARES = np.array([0.2, 0.3, 0.5])

BY_PROGRAM = {
    *("scipy.stats.multinomial.logpmf", "scipy.stats.multinomial.pmf"),
    *("scipy.optimize.lsq_linear", "scipy.integrate.fixed_quad"),
    *("scipy.signal.find_peaks", "scipy.signal.peak_prominences"),
}
"""Functions of shares, of functions, of peaks and that return objects: programs call them."""
