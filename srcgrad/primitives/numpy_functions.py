"""Records of NumPy's functions that compute: of each element, of whole arrays, of matrices."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.primitives.record import Primitive, records

Facts = dict[str, Any]

_REDUCED: Final[Facts] = {"shape": "reduced", "gives": "number"}
_BROADCAST_ARRAY: Final[Facts] = {"shape": "broadcast", "gives": "array", "kind": "promoted"}
_INNER: Final = "m,m->; km,m->k; m,km->k; km,lm->kl"
_EACH: Final[Facts] = {"shape": "broadcast", "gives": "number"}

REDUCTIONS: Final[tuple[Primitive, ...]] = (
    *records("numpy", "sum prod max min amax amin", joins=True, kind="promoted", **_REDUCED),
    *records("numpy", "mean", joins=True, kind="float", **_REDUCED),
    *records("numpy", "std var median average", kind="float", **_REDUCED),
    *records("numpy", "nanmean nanstd nanvar nanmedian", kind="float", **_REDUCED),
    *records("numpy", "nansum nanprod nanmax nanmin ptp", kind="promoted", **_REDUCED),
    *records("numpy", "any all", kind="truth", **_REDUCED),
    *records("numpy", "count_nonzero", kind="int", **_REDUCED),
    *records("numpy", "argmax argmin", kind="int", along="flat", **_REDUCED),
    *records("numpy", "nanargmax nanargmin", kind="int", along="flat", **_REDUCED),
    *records("numpy", "linalg.norm", shape="reduced", axis=2, gives="number", kind="float"),
    *records("numpy", "percentile quantile nanpercentile nanquantile", kind="promoted"),
    *records("numpy", "trapezoid", axes="m->", gives="number", kind="promoted"),
    *records("numpy", "histogram histogram2d histogramdd", kind="mixed"),
)

ELEMENTWISE: Final[tuple[Primitive, ...]] = (
    *records("numpy", "add subtract", slope="constant", **_EACH),
    *records("numpy", "negative positive", slope="constant", at_zero=True, **_EACH),
    *records("numpy", "multiply square absolute", at_zero=True, **_EACH),
    *records("numpy", "degrees radians deg2rad rad2deg", slope="constant", **_EACH),
    # the method returns an array of real numbers itself
    *records("numpy", "conjugate", slope="constant", memory="layout", **_EACH),
    *records(
        "numpy", "real", shape="each", slope="constant", same=True, memory="itself", kind="first"
    ),
    *records("numpy", "imag", shape="each", slope="constant", memory="itself", kind="first"),
    *records("numpy", "real_if_close", same=True, memory="layout", kind="first"),
    *records("numpy", "where", least=3, slope="constant", **_BROADCAST_ARRAY),
    *records("numpy", "clip", **_EACH),
    *records("numpy", "nan_to_num", shape="each", gives="number", memory="optional"),
    *records("numpy", "round around fix angle", shape="each", gives="number"),
    *records("numpy", "i0", shape="each", gives="array", kind="float"),
    *records(
        "numpy",
        "float64 complex128",
        shape="each",
        gives="number",
        kind="float",
        same=True,
        memory="itself",
    ),
    *records("numpy", "exp exp2 expm1 sinh cosh tan hypot arctan2", slope="steep", **_EACH),
    *records("numpy", "logaddexp logaddexp2", slope="steep", **_EACH),
    *records("numpy", "power float_power divide reciprocal", slope="steep", edge=0, **_EACH),
    *records("numpy", "sqrt cbrt log log2 log10", slope="edge", edge=0, **_EACH),
    *records("numpy", "arcsin arccos arctanh arccosh log1p", slope="edge", edge=1, **_EACH),
)

PRODUCTS: Final[tuple[Primitive, ...]] = (
    *records("numpy", "matmul dot", shape="product", gives="number", kind="promoted"),
    *records("numpy", "inner", axes=_INNER, gives="number", kind="promoted"),
    *records("numpy", "vdot", shape="number", gives="number", kind="promoted"),
    *records("numpy", "outer", gives="array", kind="promoted"),
    *records("numpy", "add.outer subtract.outer multiply.outer divide.outer", shape="pairs"),
    *records("numpy", "kron", axes="m,n->k; km,ln->ij", kind="promoted"),
    *records("numpy", "convolve correlate", axes="m,n->k", gives="array", kind="promoted"),
    *records("numpy", "interp", axes=",m,m->; n,m,m->n; kn,m,m->kn", kind="float"),
    *records("numpy", "polyval", axes="m,->; m,n->n; m,kn->kn", kind="promoted"),
    *records("numpy", "gradient", axes="m->m", kind="float"),
    *records("numpy", "einsum", memory="optional", viewed="any", kind="promoted"),
)

# the other functions of these packages return floats (`PACKAGES`)
LINEAR_ALGEBRA: Final[tuple[Primitive, ...]] = (
    *records("numpy.linalg", "det", gives="number", kind="float"),
    *records("numpy.linalg", "solve inv pinv cholesky eigvalsh", gives="array", kind="float"),
    *records("numpy.fft", "fft ifft rfft irfft hfft ihfft", gives="array", kind="float"),
    *records("numpy.fft", "fft2 ifft2 fftfreq rfftfreq", gives="array", kind="float"),
    *records("numpy.linalg", "multi_dot outer cross trace vecdot", kind="promoted"),
    *records("numpy.linalg", "matmul tensordot", kind="promoted"),
    *records("numpy.linalg", "lstsq", kind="mixed"),
    *records("numpy.fft", "fftshift ifftshift", kind="promoted"),
)

INDICES: Final[tuple[Primitive, ...]] = (
    *records("numpy", "argsort", gives="array", kind="int", shape="flat", along="last"),
    *records("numpy", "flatnonzero argwhere", gives="array"),
    *records("numpy", "size ndim", shape="number", kind="int"),
)

WRITERS: Final[tuple[Primitive, ...]] = (
    *records("numpy", "add.at subtract.at copyto fill_diagonal put", writes=(0,), stores=True),
    *records("numpy", "place putmask put_along_axis multiply.at maximum.at", writes=(0,)),
    *records("numpy.random.RandomState", "shuffle", writes=(0,)),
)

RECORDS: Final = (*REDUCTIONS, *ELEMENTWISE, *PRODUCTS, *LINEAR_ALGEBRA, *INDICES, *WRITERS)
