"""Calls of SciPy's functions that are written out with others: at least one line for each."""

from __future__ import annotations

from scipy import fft, ndimage, signal
from scipy import stats as st

from tests.unit.rules.opspec import A, OpSpec, S, op


def scipy_equivalents() -> list[OpSpec]:
    return [*images(), *laws(), *samples(), *transforms()]


def images() -> list[OpSpec]:
    return [
        op(ndimage.rotate, A(5, 4), S(20.0, 30.0)),
        op(ndimage.maximum_filter, A(4, 5), (3, 2), mode="mirror"),
        op(ndimage.maximum_filter, A(5), 3, mode="constant", cval=S()),
        op(ndimage.minimum_filter, A(4, 3), 2, mode="wrap"),
        op(ndimage.median_filter, A(4, 3), 3),
        op(ndimage.median_filter, A(6), size=4, mode="nearest"),
        op(signal.medfilt, A(3, 4), (1, 3)),
        op(ndimage.rotate, A(4, 2, 3), S(20.0, 30.0), axes=(0, -1), reshape=False, mode="mirror"),
    ]


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
}


def laws() -> list[OpSpec]:
    specs = []
    for distribution, shapes in LAWS.items():
        x, loc, scale = A(3, 1, low=0.3, high=0.6), A(2, low=-0.1, high=0.1), S(0.9, 1.2)
        specs += [op(distribution.logpdf, x, *shapes, loc, scale)]
        specs += [op(distribution.pdf, x, *shapes)]
    for distribution in (st.maxwell, st.chi, st.nakagami, st.genextreme, st.fisk):
        specs += [op(distribution.cdf, A(3), *LAWS[distribution])]
    return specs


def samples() -> list[OpSpec]:
    return [
        op(st.zmap, A(3), A(5)),
        op(st.gstd, A(4, 3)),
        op(st.variation, A(4, 3), axis=1),
        op(st.pmean, A(4), S()),
        op(st.median_abs_deviation, A(5, 2)),
        op(st.trim_mean, A(6, 2), 0.2),
        op(st.boxcox_llf, S(), A(5)),
    ]


def transforms() -> list[OpSpec]:
    specs = [op(fn, A(3, 4)) for fn in (fft.dctn, fft.idctn, fft.dstn, fft.idstn)]
    return [*specs, op(fft.dctn, A(2, 3), 3, s=(4,), axes=(0,), norm="ortho")]
