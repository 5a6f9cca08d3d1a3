"""Calls of the functions that are written out with others: at least one line for each."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from srcgrad import runtime as rt
from tests.unit.rules.opspec import A, C, OpSpec, S, op

FAMILIES = {
    polynomial: "poly",
    chebyshev: "cheb",
    legendre: "leg",
    laguerre: "lag",
    hermite: "herm",
    hermite_e: "herme",
}
PLACES = np.array([0.1, 0.9, 0.4, 0.45, 0.7])
KNOTS = np.array([0.0, 0.4, 0.8, 1.1])


def equivalents() -> list[OpSpec]:
    specs = [op(np.pad, A(4), 2, mode=mode) for mode in ("mean", "maximum", "minimum", "median")]
    specs += [
        op(np.pad, A(3, 4), ((1, 2), (3, 0)), "mean", stat_length=2),
        op(np.pad, A(3, 4), 2, "maximum", stat_length=((1, 2), (3, 4))),
        op(np.pad, A(3, 4), (2, 1), "linear_ramp"),
        op(np.pad, A(3), (2, 1), "linear_ramp", end_values=S()),
        op(np.interp, A(4), KNOTS, A(4), period=0.9),
        op(np.interp, A(4), KNOTS, A(4), period=S(0.85, 0.9)),
        op(np.trim_zeros, A(4)),
        op(rt.dot_along, A(2, 1, 3), A(4, 3), axis=2),
        op(rt.dot_along, A(3, 2), A(3, 1), axis=1),
        op(rt.dot_along, A(20, 40), A(20, 40), axis=-1, keepdims=True),
        op(np.union1d, A(3), A(4)),
        op(np.intersect1d, A(3), np.ones(2)),
        op(np.setdiff1d, A(3), np.ones(2)),
        op(np.setxor1d, A(3), A(2)),
        op(np.unique, A(4), return_counts=True),
        op(np.unique, A(2, 3), return_index=True),
        op(np.unique, A(4), return_inverse=True),
        op(np.histogram2d, PLACES, PLACES[::-1], weights=A(5), bins=3),
        op(np.histogram2d, A(5), PLACES, (2, KNOTS), density=True, weights=A(5)),
        op(np.sort_complex, C(4)),
        op(np.apply_along_axis, np.cumsum, 0, A(3, 4)),
        op(np.apply_along_axis, np.cumsum, 0, A(4)),
        op(np.apply_along_axis, np.cumsum, 1, A(2, 3, 4)),
        op(np.apply_along_axis, np.outer, 1, A(2, 3), np.array([1.0, -2.0])),
        op(np.apply_along_axis, np.prod, -1, A(3, 4)),
        op(np.apply_over_axes, np.sum, A(2, 3, 4), (0, 2)),
        op(np.apply_over_axes, np.max, A(2, 3), -1),
        op(np.polydiv, A(4), A(2)),
        op(np.polydiv, A(2), A(3)),
        op(np.power.outer, A(3), A(2)),
        op(np.hypot.outer, A(2, 3), A(2)),
        op(np.subtract.reduce, A(3, 4)),
        op(np.divide.reduce, A(3, 4), 1),
        op(np.logaddexp.accumulate, A(4)),
        op(np.subtract.accumulate, A(2, 3), axis=1),
        op(np.multiply.reduceat, A(5), (0, 2, 1)),
        op(np.maximum.reduceat, A(3, 5), (0, 3), axis=1),
        op(np.minimum.reduceat, A(3, 5), (1,)),
        op(polynomial.polymul, A(4), A(3)),
        op(polynomial.polyroots, A(4)),
    ]
    for module, name in FAMILIES.items():
        own = {kind: getattr(module, name + kind) for kind in ("add", "sub", "der", "int", "mulx")}
        specs += [
            op(own["add"], A(4), A(3)),
            op(own["sub"], A(2), A(3)),
            op(own["der"], A(5), 2),
            op(own["int"], A(3, 2), scl=0.5, axis=1),
            op(own["mulx"], A(3)),
            op(getattr(module, name + "val2d"), A(3), A(3), A(2, 3)),
            op(getattr(module, name + "grid2d"), A(2), A(3), A(2, 3)),
            op(getattr(module, name + "pow"), A(3), 2),
            op(getattr(module, name + "div"), A(4), A(2)),
            op(getattr(module, name + "div"), A(2), A(3)),
            op(getattr(module, name + "fromroots"), A(3)),
            op(getattr(module, name + "fit"), KNOTS, A(4), 2, w=np.array([1.0, 2, 1, 3])),
        ]
        if name != "poly":
            specs += [
                op(getattr(module, name + "mul"), A(3), A(2)),
                op(getattr(module, f"{name}2poly"), A(4)),
                op(getattr(module, f"poly2{name}"), A(4)),
            ]
    return specs
