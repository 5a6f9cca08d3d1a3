"""Lines of code for each row of the table of conventions, with the points where it says something.

A line is an expression in `x`; beside it stands what says the same in PyTorch, or None where that
has no such function or does something else (which the row tells). Lines of one row stand under what
`srcgrad.rules.kinks.KINKS` shows for it, and where.
"""

from __future__ import annotations

import numpy as np

NAN, INF = np.nan, np.inf
STEEP = "np.where(x > 0, np.sqrt(x), 0.0)"
ROOT = "x.clamp(min=1e-300).sqrt() * (x > 0)"

LINES = {
    ("`abs`, `fabs`", "0"): [
        ("np.abs(x)", "x.abs()", [-1.0, 0.0, 2.0]),
        ("np.fabs(x)", "x.abs()", [-1.0, 0.0, 2.0]),
        ("abs(x)", "x.abs()", [0.0]),
        ("abs(x[0]) + math.fabs(x[1])", "x.abs()", [0.0, 0.0]),
    ],
    ("`maximum`, `minimum`, `fmax`, `fmin`, Python's `max`, `min`", "equal arguments"): [
        ("np.maximum(x, 1.0)", "torch.maximum(x, torch.ones_like(x))", [0.5, 1.0, 2.0]),
        ("np.minimum(x, 1.0)", "torch.minimum(x, torch.ones_like(x))", [0.5, 1.0, 2.0]),
        ("np.maximum(0, x)", "torch.maximum(torch.zeros_like(x), x)", [-1.0, 0.0, 2.0]),
        ("np.maximum(x[:2], x[2:])", "torch.maximum(x[:2], x[2:])", [1.0, 2.0, 1.0, 3.0]),
        ("np.maximum(x, 1.0)", "torch.maximum(x, torch.ones_like(x))", [NAN, 2.0]),
        ("np.fmax(x, 1.0)", None, [0.5, 1.0, 2.0]),
        ("np.fmin(x, 1.0)", None, [0.5, 1.0, 2.0]),
        ("max(x[0], x[1], x[2])", None, [3.0, 1.0, 3.0]),
        ("max(0.0, x[0])", None, [0.0]),
        ("min(x)", None, [2.0, 2.0, 3.0]),
    ],
    ("`fmax`, `fmin`", "one argument is NaN"): [
        ("np.fmax(x, 1.0)", "torch.fmax(x, torch.ones_like(x))", [NAN, 2.0]),
        ("np.fmax(x, 1.0)", "torch.fmax(x, torch.ones_like(x))", [0.5, 2.0]),
        ("np.fmin(np.nan, x)", "torch.fmin(torch.full_like(x, float('nan')), x)", [1.0, 2.0]),
    ],
    ("`max`, `min` over axes, `nanmax`, `nanmin`", "ties"): [
        ("np.max(x)", "torch.amax(x)", [3.0, 1.0, 3.0]),
        ("np.min(x)", "torch.amin(x)", [1.0, 1.0, 3.0]),
        ("np.max(x.reshape(2, 2), axis=0)", "torch.amax(x.reshape(2, 2), 0)", [3.0, 1.0, 3.0, 2.0]),
        ("np.maximum.reduce(x)", "torch.amax(x)", [3.0, 1.0, 3.0]),
        ("np.nanmax(x) + np.nanmin(x)", None, [3.0, NAN, 3.0]),
        ("np.ptp(x)", "torch.amax(x) - torch.amin(x)", [1.0, 3.0, 3.0, 1.0]),
    ],
    ("`clip`", "at a bound"): [
        ("np.clip(x, 0.0, 1.0)", "x.clamp(0.0, 1.0)", [-1.0, 0.0, 0.5, 1.0, 2.0]),
        ("np.clip(x, None, 1.0)", "x.clamp(max=1.0)", [0.5, 1.0, 2.0]),
        ("x.clip(0.0)", "x.clamp(min=0.0)", [-1.0, 0.0, 2.0]),
    ],
    ("`clip`", "outside of the bounds"): [
        ("np.clip(0.5, x, 2.0)", "torch.clamp(0.0 * x + 0.5, x, 0.0 * x + 2.0)", [-1.0, 0.5, 1.0]),
        ("np.clip(0.5, -1.0, x)", "torch.clamp(0.0 * x + 0.5, 0.0 * x - 1.0, x)", [0.2, 0.5, 1.0]),
    ],
    ("`linalg.norm` of vectors, every order", "0"): [
        ("np.linalg.norm(x)", "torch.linalg.norm(x)", [0.0, 0.0]),
        ("np.linalg.norm(x, 1)", "torch.linalg.norm(x, 1)", [0.0, 2.0]),
        ("np.linalg.norm(x, 3)", "torch.linalg.norm(x, 3)", [0.0, 0.0]),
        ("np.linalg.norm(x, 3)", "torch.linalg.norm(x, 3)", [0.0, 2.0]),
        ("np.linalg.norm(x, np.inf)", "torch.linalg.norm(x, float('inf'))", [0.0, 0.0]),
        ("np.linalg.norm(x, np.inf)", "torch.linalg.norm(x, float('inf'))", [2.0, -2.0, 1.0]),
        ("np.linalg.norm(x, -np.inf)", "torch.linalg.norm(x, -float('inf'))", [2.0, -2.0, 3.0]),
        ("np.linalg.norm(x, 0)", None, [1.0, 0.0]),
        ("np.linalg.norm(x.reshape(2, 2), axis=1)", "x.reshape(2, 2).norm(dim=1)", [0.0, 0, 3, 4]),
    ],
    ("`linalg.norm` of matrices", "0"): [
        ("np.linalg.norm(x.reshape(2, 2))", "torch.linalg.norm(x.reshape(2, 2))", [0.0, 0, 0, 0]),
        ("np.linalg.norm(x.reshape(2, 2), 1)", None, [0.0, 0, 0, 0]),
        ("np.linalg.norm(x.reshape(2, 2), 2)", None, [0.0, 0, 0, 0]),
        ("np.linalg.norm(x.reshape(2, 2), 'nuc')", None, [0.0, 0, 0, 0]),
        ("np.linalg.norm(x.reshape(2, 2), 'nuc')", "x.reshape(2, 2).norm('nuc')", [2.0, 0, 0, 2]),
    ],
    ("`hypot`", "the origin"): [
        ("np.hypot(x, 0.0 * x)", None, [0.0, 2.0, -1.0]),
        ("np.hypot(x, 0.0 * x)", "torch.hypot(x, 0.0 * x)", [2.0, -1.0]),
        ("math.hypot(x[0], x[1]) + math.dist([x[0]], [0.0])", None, [0.0, 0.0]),
    ],
    ("`arctan2`, `math.atan2`", "the origin"): [
        ("np.arctan2(x, 2.0 * x)", "torch.atan2(x, 2.0 * x)", [0.0, 1.0]),
        ("math.atan2(x[0], x[1])", "torch.atan2(x[0], x[1])", [0.0, 0.0]),
    ],
    ("`std`", "a constant array"): [
        ("np.std(x)", "x.std(correction=0)", [2.0, 2.0, 2.0]),
        ("np.std(x, ddof=1)", "x.std()", [2.0, 2.0, 2.0]),
        ("np.nanstd(x)", None, [2.0, NAN, 2.0]),
    ],
    ("`x**y` in x", "y = 0, also at x = 0"): [
        ("x**0", "x**0", [0.0, 2.0]),
        ("x**0.0", "x**0.0", [0.0, 2.0]),
        ("x[0] ** 0 + math.pow(x[0], 0)", "x**0", [0.0]),
        ("np.power(x, np.zeros(2))", "torch.pow(x, torch.zeros_like(x))", [0.0, 2.0]),
    ],
    ("`x**y` in y", "x = 0, y >= 0"): [
        ("0.0**x", "0.0**x", [0.0, 2.0]),
        ("np.power(np.zeros(2), x)", "torch.pow(torch.zeros_like(x), x)", [0.0, 2.0]),
        ("np.power(x, x)", "torch.pow(x, x)", [0.0, 2.0]),
    ],
    ("`x**2`, `x**1`", "0"): [
        ("x**2", "x**2", [0.0, 2.0]),
        ("x**1", "x**1", [0.0, 2.0]),
        ("x**1.5", "x**1.5", [0.0, 2.0]),
    ],
    ("`prod`", "elements that are 0"): [
        ("np.prod(x)", "x.prod()", [0.0, 2.0, 3.0]),
        ("np.prod(x)", "x.prod()", [0.0, 0.0, 3.0]),
        ("np.nanprod(x)", None, [0.0, NAN, 3.0]),
    ],
    ("`cumprod`, `math.prod`", "elements that are 0"): [
        ("np.cumprod(x)", "x.cumprod(0)", [2.0, 0.0, 3.0, 4.0]),
        ("math.prod([x[0], x[1]])", "x.prod()", [0.0, 3.0]),
    ],
    ("`linalg.det`", "a singular matrix"): [
        ("np.linalg.det(x.reshape(2, 2))", None, [1.0, 2.0, 2.0, 4.0]),
    ],
    ("`sinc`", "0"): [
        ("np.sinc(x)", "torch.sinc(x)", [0.0, 0.5]),
        ("np.sinc(x)", None, [1e-9, -1e-6]),
    ],
    (
        "`where`, `select`; `maximum`, `minimum`, `clip` of steep functions",
        "what is not selected",
    ): [
        ("np.where(x > 0, x, 0.0)", "torch.where(x > 0, x, 0.0 * x)", [0.0, 1.0, -1.0]),
        (STEEP, ROOT, [0.0, 1.0, -1.0]),
        ("np.select([x > 0], [np.log(x)], 0.0)", None, [0.0, 1.0, -1.0]),
        ("np.maximum(np.log(x), -5.0)", None, [0.0, 1.0]),
        ("x * (x > 0)", "x * (x > 0)", [0.0, 1.0, -1.0]),
    ],
    (
        (
            "index arrays, masks, `take`, `compress`, `extract`, `choose`, `nan_to_num`, "
            "the versions for NaN, `max`, `min`, `where=` in reductions"
        ),
        "what is not taken",
    ): [
        ("np.sqrt(x)[x > 0]", ROOT, [0.0, 1.0]),
        ("np.nansum(x)", "torch.nansum(x)", [1.0, NAN]),
        ("np.nanmean(x)", "torch.nanmean(x)", [1.0, NAN, 2.0]),
        ("np.nan_to_num(x)", "torch.nan_to_num(x)", [1.0, NAN, INF]),
    ],
    ("`y[mask] = v`, `putmask`, `copyto`, `place`", "what is overwritten"): [],
    ("`unique`", "equal elements"): [("np.unique(x) * np.arange(2)", None, [2.0, 1.0, 2.0])],
    ("`sort`, Python's `sorted`", "equal elements"): [
        ("np.sort(x) * np.arange(3)", "x.sort(stable=True).values * torch.arange(3)", [2.0, 1, 2]),
        ("sorted(x)[1]", "x.sort(stable=True).values[1]", [2.0, 2.0, 3.0]),
    ],
    ("`partition`, `median`, `percentile`, `quantile`", "equal elements"): [
        ("np.median(x)", "torch.quantile(x, 0.5)", [2.0, 1.0, 3.0, 4.0]),
        ("np.percentile(x, 30)", "torch.quantile(x, 0.3)", [2.0, 3.0, 5.0, 1.0]),
        ("np.percentile(x, 30) + np.quantile(x, 0.5)", None, [2.0, 2.0, 5.0, 1.0]),
        ("np.median(x)", None, [2.0, 1.0, 2.0, 4.0]),
        ("np.partition(x, 1)[:2] * np.arange(2)", None, [2.0, 2.0, 1.0]),
    ],
    ("`maximum.accumulate`, `minimum.accumulate`", "equal elements"): [
        ("np.maximum.accumulate(x)", "torch.cummax(x, 0).values", [1.0, 3.0, 3.0, 2.0]),
        ("np.minimum.accumulate(x)", "torch.cummin(x, 0).values", [1.0, 3.0, 1.0, 2.0]),
    ],
    ("`argmax`, `argmin`, `argsort`, `searchsorted`, comparisons", "everywhere"): [
        ("x[np.argmax(x)]", "x[torch.argmax(x)]", [1.0, 3.0, 3.0]),
        ("x * (x > 1.0)", "x * (x > 1.0)", [1.0, 3.0]),
        ("x[np.argsort(x)] * np.arange(2)", "x[torch.argsort(x)] * torch.arange(2)", [3.0, 1.0]),
    ],
    ("`sign`, `round`, `rint`, `floor`, `ceil`, `trunc`, `heaviside`, `//`", "everywhere"): [
        ("np.sign(x) * x", "torch.sign(x) * x", [0.0, -2.0]),
        ("np.round(x) * x", "torch.round(x) * x", [2.4, 2.5, -1.6]),
        ("np.floor(x) * np.ceil(x) * x", "torch.floor(x) * torch.ceil(x) * x", [2.0, 2.5]),
        ("np.trunc(x) * np.rint(x) * x", "torch.trunc(x) * torch.round(x) * x", [2.0, 2.5]),
        ("np.heaviside(x, 0.5) * x", None, [0.0, 2.5, -1.0]),
        ("x // 2.0 * x", None, [7.5, -7.5]),
        ("round(x[0]) * x[0]", "torch.round(x) * x", [2.5]),
    ],
    ("`copysign(x, y)`", "x = 0; in y everywhere"): [
        ("np.copysign(x, -1.0)", "torch.copysign(x, -torch.ones_like(x))", [2.0, -3.0, 0.0]),
        ("math.copysign(x[0], x[1])", "torch.copysign(x[0], x[1])", [1.0, -2.0]),
    ],
    (
        "`sqrt`, `cbrt`, `log`, `x**p` with p < 1, `arccos` and the like",
        "the edge of the domain",
    ): [
        ("np.sqrt(x) + x**0.5", "x.sqrt() + x**0.5", [0.0, 4.0]),
        ("np.cbrt(x)", None, [0.0, 8.0, -8.0]),
        ("np.log(x) + np.log2(x)", "x.log() + x.log2()", [0.0, 1.0]),
        ("np.arcsin(x) - np.arccos(x)", "x.asin() - x.acos()", [1.0, 0.0]),
        ("np.log1p(x)", "x.log1p()", [-1.0, 0.0]),
    ],
    (
        "`math.sqrt`, `math.cbrt`, `math.acos` and the like, of Python's numbers",
        "the edge of the domain",
    ): [],
    (
        "`logaddexp`, `logaddexp.reduce`, `scipy.special.logsumexp`",
        "an argument is -inf",
    ): [
        ("np.logaddexp(x[0], x[1])", "torch.logaddexp(x[0], x[1])", [-INF, 1.0]),
        ("np.logaddexp(x[0], x[1])", "torch.logaddexp(x[0], x[1])", [1.0, 1.0]),
        ("np.logaddexp(x[0], x[1])", None, [-INF, -INF]),
        ("np.logaddexp2(x[0], x[1])", "torch.logaddexp2(x[0], x[1])", [1.0, 1.0]),
        ("np.logaddexp.reduce(x)", "torch.logsumexp(x, 0)", [0.0, -INF, 1.0]),
        ("np.log(np.sum(np.exp(x)))", "torch.logsumexp(x, 0)", [0.0, -INF, 1.0]),
    ],
    ("`interp` in x", "at a knot"): [
        ("np.interp(x, np.arange(3.0), np.array([0.0, 1.0, 4.0]))", None, [0.0, 1.0, 2.0, -1, 3]),
    ],
    ("`remainder`, `mod`, `fmod`, `divmod`", "everywhere"): [
        ("x % 2.0", "torch.remainder(x, 2.0)", [7.5, -7.5, 4.0]),
        ("np.mod(7.5, x)", "torch.remainder(0.0 * x + 7.5, x)", [2.0, -2.0]),
        ("np.fmod(x, 2.0)", "torch.fmod(x, 2.0)", [7.5, -7.5]),
        ("np.fmod(7.5, x)", "torch.fmod(0.0 * x + 7.5, x)", [2.0, -2.0]),
        ("divmod(x[0], x[1])[1] + math.fmod(x[0], x[1])", None, [7.5, 2.0]),
    ],
}
"""The lines of each row, by what it shows."""

COMPLEX_LINES = [
    ("np.abs(x)", "x.abs()", [3 + 4j, 0j]),
    ("np.abs(x) ** 2", "x.abs() ** 2", [3 + 4j, 0j]),
    ("np.real(x * x)", "(x * x).real", [3 + 4j, 0.5 - 1j]),
    ("np.imag(np.exp(x))", "x.exp().imag", [3 + 4j, 0.5 - 1j]),
    ("np.angle(x)", "x.angle()", [3 + 4j, 0j]),
    ("np.real(np.conj(x) * x * (1 + 2j))", "(x.conj() * x * (1 + 2j)).real", [3 + 4j]),
    ("np.linalg.norm(x)", "torch.linalg.norm(x)", [3 + 4j, 1j]),
    ("np.linalg.norm(x)", "torch.linalg.norm(x)", [0j, 0j]),
    ("np.linalg.norm(x, 1)", "torch.linalg.norm(x, 1)", [3 + 4j, 0j]),
    ("np.real(np.sqrt(x) + np.log(x))", "(x.sqrt() + x.log()).real", [3 + 4j, -1 + 0.5j]),
    ("np.real(x) + 2 * np.imag(x)", "x.real + 2 * x.imag", [3 + 4j]),
    ("np.real(x**2 / (1 + x))", "(x**2 / (1 + x)).real", [3 + 4j]),
    ("abs(x[0])", "x[0].abs()", [0j, 1j]),
    ("np.max(np.abs(x))", "x.abs().amax()", [3 + 4j, 5j]),
    ("np.std(x)", "x.std(correction=0)", [3 + 4j, 5j]),
    ("np.prod(np.abs(x))", "x.abs().prod()", [3 + 4j, 0j]),
]
"""Real losses of complex numbers."""
