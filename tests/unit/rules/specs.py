"""The table of specs: at least one line for each function with a rule."""

from __future__ import annotations

import math
import operator

import numpy as np

from srcgrad import runtime as rt
from srcgrad.runtime import drawing
from tests.unit.rules.cmath_specs import complex_numbers
from tests.unit.rules.opspec import A, C, OpSpec, S, op
from tests.unit.rules.scipy_specs import SCIPY_SPECS

MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])
LA = np.linalg
BEYOND = (np.emath.log2, np.emath.log10, np.emath.arcsin, np.emath.arccos, np.emath.arctanh)
PLUS = {"low": 0.2, "high": 2.0}
SIGNED = {"low": -2.0, "high": 2.0}


def elementwise() -> list[OpSpec]:
    specs = []
    for fn in (
        *(np.negative, np.positive, np.absolute, np.fabs, np.exp, np.exp2, np.expm1, np.square),
        *(np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arctan, np.arcsinh, np.cbrt),
        *(np.deg2rad, np.radians, np.rad2deg, np.degrees, np.sinc, rt.bessel_i1),
        *(np.conjugate, np.real, np.nan_to_num, np.unwrap),
    ):
        specs += [op(fn, A(3, 4, low=-1.2, high=1.3))]
    for fn in (np.log, np.log2, np.log10, np.log1p, np.sqrt, np.reciprocal):
        specs += [op(fn, A(3, 4, **PLUS))]
    for fn in (np.arcsin, np.arccos, np.arctanh):
        specs += [op(fn, A(3, 4, low=-0.9, high=0.9))]
    specs += [op(np.arccosh, A(3, 4, low=1.2, high=3.0))]
    specs += [op(np.i0, A(3, 4, low=-9, high=9))]
    specs += [op(np.real_if_close, A(3, 4))]
    specs += [op(np.imag, A(3, 4))]
    specs += [op(np.angle, A(3, 4))]
    specs += [op(np.modf, A(3, 4), _out_index=(0,))]
    specs += [op(np.frexp, A(3, 4, low=0.55, high=0.95), _out_index=(0,))]
    for fn in (
        *(np.negative, np.positive, np.absolute, np.exp, np.expm1, np.log, np.log2, np.log10),
        *(np.log1p, np.sqrt, np.square, np.reciprocal, np.sin, np.cos, np.tan, np.sinh, np.cosh),
        *(np.tanh, np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arccosh, np.arctanh),
        *(np.conjugate, np.real, np.imag, np.angle, np.real_if_close, rt.conj, rt.real_part),
    ):
        specs += [op(fn, C(2, 3))]
    specs += [op(np.angle, C(2, 3), deg=True)]
    low, high = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 1.0])
    specs += [op(rt.greater_part, A(3), low, high), op(rt.beside, A(3), low)]
    orders = np.arange(3, dtype=np.int8), low < high  # with ties, and without
    specs += [
        op(rule, A(3), order) for rule in (rt.part_if_greater, rt.part_if_less) for order in orders
    ]
    specs += [op(rt.kept_if, A(3), low < high), op(rt.kept_unless, A(3), low < high)]
    specs += [
        op(rt.kept_if, A(70, 70), np.tri(70) > 0),
        op(rt.kept_unless, A(70, 70), np.eye(70) > 0),
    ]
    specs += [
        op(rt.cast_like, A(3), low),
        op(rt.written_over, low, A(3)),
        op(rt.resize_axis, A(2, 3), 2, 1),
    ]
    specs += [op(rt.apart, A(3, 3), np.array([1.0, 2.0, 4.0]))]
    specs += [op(rt.once, A(3, 3), np.zeros((3, 3), dtype=bool))]
    specs += [op(rt.chosen_part, A(3), np.maximum(low, high), low, high)]
    return specs


def binary() -> list[OpSpec]:
    specs = []
    for fn in (
        *(np.add, np.subtract, np.multiply, np.divide, np.power, np.float_power, np.maximum),
        *(np.minimum, np.fmax, np.fmin, np.remainder, np.fmod, np.arctan2, np.hypot),
        *(np.logaddexp, np.logaddexp2),
    ):
        specs += [op(fn, A(3, 4, **PLUS), A(4, **PLUS))]
        specs += [op(fn, A(3, 1, **PLUS), A(1, 4, **PLUS), _single=fn is not np.float_power)]
    for fn in (np.add, np.subtract, np.multiply, np.divide, np.power, np.float_power):
        specs += [op(fn, C(2, 3), C(3))]
        specs += [op(fn, A(2, 3), C(3), _single=False)]
    for exponent in (2, 3, 2.5, 1, 0, -1, -0.5, np.array([0, 1, 2, 3])):
        specs += [op(np.power, A(3, 4, **PLUS), exponent, _single=np.ndim(exponent) == 0)]
    specs += [op(np.power, A(2, 3, low=-0.9, high=-0.2), C(3))]
    specs += [
        op(np.power, 2.5, A(3, 4, **SIGNED)),
        op(np.divide, 1, A(3, 4, **PLUS)),
        op(np.copysign, A(3, 4, **SIGNED), A(4, **SIGNED)),
        op(np.heaviside, np.array([-1.0, 0, 2]), A(3), _single=False),
        op(np.heaviside, A(3, **SIGNED), A(3)),
        op(np.nextafter, A(3, 4), A(4)),
        op(np.ldexp, A(3, 4), np.array([0, 1, -2, 3])),
        op(np.divmod, A(3, 4, low=2.1, high=2.9), A(4, low=0.95, high=1.04), _out_index=(1,)),
        op(np.clip, A(3, 4, **SIGNED), -0.5, 0.9),
        op(np.clip, A(3, 4, **SIGNED), A(low=-0.5, high=-0.4), A(4, low=0.4, high=0.5)),
        op(np.clip, A(3, 4, **SIGNED), min=-0.3),
        op(np.clip, A(3, 4, **SIGNED), max=A(3, 1, low=0.3, high=0.4)),
    ]
    return specs


def reductions() -> list[OpSpec]:
    specs = []
    options: tuple[dict[str, object], ...] = (
        {},
        {"axis": 0},
        {"axis": (0, -1)},
        {"axis": -1, "keepdims": True},
        {"axis": None, "keepdims": True},
    )
    for fn in (
        *(np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin, np.var, np.std, np.ptp),
        *(np.median, np.average, np.nansum, np.nanmean, np.nanprod, np.nanmax, np.nanmin),
        *(np.nanvar, np.nanstd, np.nanmedian),
    ):
        specs += [op(fn, A(3, 4, **SIGNED), **kwargs) for kwargs in options]
    for fn in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp):
        axes = (0, None, (0, 1)) if fn is not np.logaddexp else (0, 1)
        specs += [op(fn.reduce, A(3, 4), axis=axis) for axis in axes]
        specs += [op(fn.reduce, A(3, 4), axis=1, keepdims=True)]
    for fn in (np.sum, np.mean, np.prod, np.nansum, np.nanmean, np.var, np.std, np.nanprod):
        specs += [op(fn, A(3, 4), axis=1, where=MASK)]
    for fn in (np.max, np.min, np.nanmax, np.nanmin):
        specs += [op(fn, A(3, 4), axis=0, where=MASK, initial=0.5)]
    specs += [
        op(np.sum, A(3, 4), axis=0, initial=S()),
        op(np.sum, C(3, 4), axis=1),
        op(np.prod, C(2, 3), axis=1),
        op(np.prod, A(3, 4), axis=1, initial=2.0),
        op(np.prod, A(3, 4), axis=1, initial=S()),
        op(np.prod, A(3, 4), axis=1, initial=S(), where=MASK),
        op(np.nansum, A(3, 4), axis=1, initial=S()),
        op(np.nanprod, A(3, 4), initial=S()),
        op(np.add.reduce, A(3, 4), axis=1, initial=S()),
        op(np.multiply.reduce, A(3, 4), axis=1, initial=S()),
        op(np.var, A(3, 4), axis=1, mean=A(3, 1)),
        op(np.std, A(3, 4), mean=A(1, 1)),
        op(np.nanvar, A(3, 4), axis=0, mean=A(1, 4)),
        op(np.mean, [A(3), A(3)], axis=0),
        op(np.sum, [S(), S(), S()]),
        op(np.var, A(3, 4), axis=1, ddof=1),
        op(np.std, A(3, 4), axis=(0, 1), ddof=1, keepdims=True),
        op(np.var, A(3, 4), axis=0, correction=1),
        op(np.nanvar, A(3, 4), axis=0, ddof=1),
        op(np.average, A(3, 4), axis=1, weights=A(3, 4)),
        op(np.average, A(3, 4), axis=1, weights=A(4)),
        op(np.average, A(3, 4), weights=A(3, 4), returned=True),
        op(np.average, A(3, 4, 2), axis=(2, 0), weights=A(2, 3)),
        op(np.average, A(3, 4), axis=0, weights=A(3), keepdims=True),
        op(np.average, C(3, 4), axis=0, weights=C(3)),
        op(np.average, C(4), weights=A(4), _single=False),
        op(np.var, C(3, 4)),
        op(np.var, C(3, 4), axis=1, keepdims=True),
        op(np.std, C(3, 4)),
        op(np.std, C(3, 4), axis=0, ddof=1),
        op(rt.expand_reduced, A(4), (3, 4), 0),
        op(rt.expand_reduced, A(3, 1), (3, 4), 1, True),
        op(rt.copied, A(3, 4)),
        op(rt.exp_difference, A(3, 1), A(4, low=1.0, high=1.6)),
        op(rt.unbroadcast, A(2, 3, 4), (3, 1)),
        op(rt.unbroadcast, A(3, 4), ()),
    ]
    return specs


def cumulative() -> list[OpSpec]:
    specs = []
    for fn in (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod):
        specs += [op(fn, A(3, 4)), op(fn, A(3, 4), axis=0), op(fn, A(3, 4), axis=-1)]
    for fn in (np.cumulative_sum, np.cumulative_prod):
        specs += [op(fn, A(4)), op(fn, A(3, 4), axis=1, include_initial=True)]
    for fn in (np.add, np.multiply, np.maximum, np.minimum):
        specs += [op(fn.accumulate, A(4)), op(fn.accumulate, A(3, 4), axis=1)]
    for fn in (np.add, np.subtract, np.multiply, np.divide):
        specs += [op(fn.outer, A(2, 3), A(4)), op(fn.outer, A(2), A(2, 2))]
    specs += [
        op(np.add.reduceat, A(6), np.array([0, 2, 4])),
        op(np.add.reduceat, A(5, 3), np.array([0, 3, 1, 4]), axis=0),
    ]
    return specs


def products() -> list[OpSpec]:
    specs = []
    for x, y in (
        (A(3, 4), A(4, 2)),
        (A(3, 4), A(4)),
        (A(4), A(4, 2)),
        (A(4), A(4)),
        (A(2, 3, 4), A(4, 2)),
        (A(3, 4), A(2, 4, 3)),
        (A(2, 1, 3, 4), A(3, 4, 2)),
        (A(4), A(2, 4, 3)),
        (A(2, 3, 4), A(4)),
        (C(2, 3), C(3, 2)),
        (C(3), C(3, 2)),
        (C(3), C(3)),
    ):
        specs += [op(np.matmul, x, y), op(LA.matmul, x, y)] if len(x.shape) > 1 else []
        specs += [op(np.matmul, x, y)]
        specs.append(
            op(rt.matmul_left, _out(x, y), np.ones(x.shape), y)
            if not x.complex
            else op(np.dot, x, y)
        )
        if not x.complex:
            specs += [op(rt.matmul_right, _out(x, y), x, np.ones(y.shape))]
    for x, y in (
        (A(3, 4), A(4, 2)),
        (A(4), A(4)),
        (A(2, 3, 4), A(4)),
        (A(4), A(4, 2)),
        (A(2, 3, 4), A(3, 4, 2)),
        (A(), A(3, 2)),
        (A(3), S()),
    ):
        specs += [op(np.dot, x, y)]
        if x.shape and y.shape:
            specs += [op(rt.dot_left, _dot_out(x, y), np.ones(x.shape), y)]
            specs += [op(rt.dot_right, _dot_out(x, y), x, np.ones(y.shape))]
    specs += [
        op(np.inner, A(2, 3), A(4, 3)),
        op(np.inner, A(3), A(3)),
        op(np.inner, A(2, 2, 3), A(3)),
        op(np.inner, S(), A(3)),
        op(np.inner, C(2, 3), C(3)),
        op(np.outer, A(3), A(4)),
        op(np.outer, A(2, 2), A(3)),
        op(np.outer, C(2), C(3)),
        op(LA.outer, A(3), A(4)),
        op(np.vdot, A(4), A(4)),
        op(np.vdot, C(2, 2), C(2, 2)),
        op(np.vecdot, A(2, 3), A(3)),
        op(np.vecdot, C(2, 3), C(3)),
        op(LA.vecdot, A(3, 2), A(3, 2), axis=0),
        op(LA.vecdot, C(3, 2), C(3, 2)),
        op(np.matvec, A(2, 3, 4), A(4)),
        op(np.matvec, C(3, 4), C(2, 4)),
        op(np.vecmat, A(3), A(2, 3, 4)),
        op(np.vecmat, C(3), C(3, 2)),
        op(np.tensordot, A(2, 3, 4), A(3, 4, 2)),
        op(np.tensordot, A(2, 3, 4), A(4, 3, 5), axes=([1, 2], [1, 0])),
        op(np.tensordot, A(2, 3), A(4), axes=0),
        op(np.tensordot, C(2, 3), C(3, 2), axes=1),
        op(np.tensordot, A(2, 3), A(3, 2), axes=(-1, 0)),
        op(LA.tensordot, A(2, 3), A(3, 2), axes=1),
        op(np.kron, A(2, 3), A(2, 2)),
        op(np.kron, A(3), A(2, 2)),
        op(np.kron, C(2), C(2, 2)),
        op(np.cross, A(2, 3), A(2, 3)),
        op(np.cross, A(3), A(2, 3)),
        op(np.cross, A(3, 2), A(3, 2), axis=0),
        op(LA.cross, A(2, 3), A(2, 3)),
        op(LA.multi_dot, [A(2, 3), A(3, 4), A(4, 2)]),
        op(LA.multi_dot, [A(3), A(3, 4), A(4)]),
        op(LA.multi_dot, [C(2, 3), C(3, 2), C(2, 2)]),
    ]
    return specs + einsums()


def einsums() -> list[OpSpec]:
    return [
        op(np.einsum, "ij,jk->ik", A(2, 3), A(3, 4)),
        op(np.einsum, "ij,jk", A(2, 3), A(3, 4)),
        op(np.einsum, "ij,ij,j->", A(2, 3), A(2, 3), A(3)),
        op(np.einsum, "ii->i", A(3, 3)),
        op(np.einsum, "ii", A(3, 3)),
        op(np.einsum, "iij->ji", A(3, 3, 2)),
        op(np.einsum, "ijj,j->", A(2, 3, 3), A(3)),
        op(np.einsum, "ij->", A(2, 3)),
        op(np.einsum, "ij,k->k", A(2, 3), A(4)),
        op(np.einsum, "...ij,...jk->...ik", A(2, 2, 3), A(3, 4)),
        op(np.einsum, "b...,b...->...", A(2, 3, 2), A(2, 1, 2)),
        op(np.einsum, "i,i->i", A(3), A(1)),
        op(np.einsum, A(2, 3), [0, 1], A(3, 2), [1, 2], [0, 2]),
        op(np.einsum, "ij,jk->ik", C(2, 3), C(3, 2)),
        op(np.einsum, "ij,j->i", A(2, 3), A(3), optimize=True),
    ]


def _out(x, y):
    return A(*np.matmul(np.zeros(x.shape), np.zeros(y.shape)).shape)


def _dot_out(x, y):
    return A(*np.dot(np.zeros(x.shape), np.zeros(y.shape)).shape)


def shapes() -> list[OpSpec]:
    specs = [
        op(np.reshape, A(3, 4), (2, 6)),
        op(np.reshape, A(3, 4), (2, -1), order="F"),
        op(np.ravel, A(3, 4)),
        op(np.ravel, A(3, 4), order="F"),
        op(np.ravel, A(3, 4), order="K"),
        op(np.transpose, A(3, 4)),
        op(np.transpose, A(2, 3, 4), (2, 0, 1)),
        op(np.transpose, A(2, 3, 4), axes=(-1, 0, 1)),
        op(np.squeeze, A(3, 1, 4, 1)),
        op(np.squeeze, A(3, 1, 4, 1), axis=1),
        op(np.expand_dims, A(3, 4), (0, 2)),
        op(np.swapaxes, A(2, 3, 4), 0, 2),
        op(np.moveaxis, A(2, 3, 4), (0, 1), (-1, 0)),
        op(np.rollaxis, A(2, 3, 4), 2),
        op(np.rollaxis, A(2, 3, 4), 0, 2),
        op(np.rollaxis, A(2, 3, 4), 1, 3),
        op(np.rollaxis, A(2, 3, 4), -1, -2),
        op(np.rollaxis, A(2, 3, 4), 0, -1),
        op(np.rollaxis, A(2, 3, 4), 1, 1),
        op(np.matrix_transpose, A(2, 3, 4)),
        op(LA.matrix_transpose, A(2, 3, 4)),
        op(np.broadcast_to, A(3, 1), (2, 3, 4)),
        op(np.broadcast_arrays, A(3, 1), A(4)),
        op(np.tile, A(2, 3), (2, 2)),
        op(np.tile, A(3), 3),
        op(np.tile, A(2, 2), (2, 1, 2)),
        op(np.repeat, A(2, 3), 2),
        op(np.repeat, A(2, 3), 2, axis=0),
        op(np.repeat, A(2, 3), [1, 0, 3], axis=1),
        op(np.flip, A(3, 4)),
        op(np.flip, A(3, 4), axis=1),
        op(np.fliplr, A(3, 4)),
        op(np.flipud, A(3, 4)),
        op(np.rot90, A(3, 4)),
        op(np.rot90, A(3, 4, 2), k=3, axes=(1, 2)),
        op(np.roll, A(3, 4), 2),
        op(np.roll, A(3, 4), (1, -2), axis=(0, 1)),
        op(np.resize, A(2, 3), (4, 4)),
        op(np.resize, A(2, 3), (2, 2)),
        op(np.meshgrid, A(3), A(4)),
        op(np.meshgrid, A(2), A(3), A(2), indexing="ij"),
        op(np.meshgrid, A(3), A(4), sparse=True),
        op(np.diag, A(3)),
        op(np.diag, A(3), k=-1),
        op(np.diag, A(3, 4), k=1),
        op(np.diagflat, A(2, 2), k=1),
        op(np.diagonal, A(3, 4)),
        op(np.diagonal, A(3, 4, 2), offset=-1, axis1=2, axis2=0),
        op(LA.diagonal, A(2, 3, 4), offset=1),
        op(rt.diagonal_back, A(2, 2), (2, 2, 3), 1, (-2, -1)),
        op(np.trace, A(3, 4)),
        op(np.trace, A(3, 4, 2), offset=1, axis1=0, axis2=2),
        op(np.trace, A(3, 4), offset=-2),
        op(LA.trace, A(2, 3, 3), offset=-1),
        op(np.tril, A(2, 3, 4), k=-1),
        op(np.triu, A(3, 4), k=1),
        op(np.tril, A(3)),
        op(np.fft.fftshift, A(3, 4)),
        op(rt.join_rows, [A(3), A(2)]),
        op(rt.join_rows, [S(), A(3), S()]),
        op(rt.join_rows, [A(2, 3), A(1, 3)]),
        op(rt.join_columns, [A(3), A(3)]),
        op(rt.join_columns, [A(2, 3), A(2)]),
        op(rt.join_columns, [A(2, 2, 3), A(2, 2, 1)]),
        op(np.fft.ifftshift, A(3, 5), axes=1),
    ]
    for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
        specs += [op(fn, A()), op(fn, A(3)), op(fn, A(2, 3)), op(fn, A(3), A(2, 2), S())]
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "empty"):
        width = ((1, 2), (2, 1))
        specs += [op(np.pad, A(3, 4), width, mode=mode)] if mode != "empty" else []
    specs += [
        op(np.pad, A(3, 4), 1),
        op(np.pad, A(3), (1, 2), constant_values=5.0),
        op(np.pad, A(3), (1, 2), constant_values=S()),
        *(
            [op(np.pad, A(3, 4), {-1: (1, 2)})]
            if np.lib.NumpyVersion(np.__version__) >= "2.3.0"
            else []
        ),
    ]
    return specs


def joining() -> list[OpSpec]:
    specs = [
        op(np.concatenate, [A(2, 3), A(1, 3)]),
        op(np.concatenate, (A(2, 3), A(2, 1)), axis=-1),
        op(np.concatenate, [A(2, 3), A(2)], axis=None),
        op(np.stack, [A(2, 3), A(2, 3)]),
        op(np.stack, [A(2, 3), A(2, 3)], axis=-1),
        op(np.append, A(2, 3), A(4)),
        op(np.append, A(2, 3), A(1, 3), axis=0),
        op(np.append, A(3), S()),
        op(np.block, [[A(2, 2), A(2, 1)], [A(1, 2), A(1, 1)]]),
        op(np.block, [A(2), A(3)]),
        op(np.block, [[A(2)], [A(2)]]),
        op(np.block, [[A(2, 2, 1), A(2, 2, 2)]]),
        op(np.hstack, [A(2), A(3)]),
        op(np.hstack, [A(2, 1), A(2, 2)]),
        op(np.hstack, [S(), A(2)]),
        op(np.vstack, [A(3), A(2, 3)]),
        op(np.vstack, [A(3), A(3)]),
        op(np.dstack, [A(2), A(2)]),
        op(np.dstack, [A(2, 3), A(2, 3, 2)]),
        op(np.column_stack, [A(3), A(3, 2)]),
        op(np.unstack, A(2, 3), axis=1),
        op(np.unstack, A(3, 2), _out_index=(0, 2)),
        op(np.split, A(6, 2), 3),
        op(np.split, A(6, 2), 3, _out_index=(1,)),
        op(np.split, A(2, 6), [1, 4], axis=-1),
        op(np.array_split, A(7), 3),
        op(np.hsplit, A(2, 4), 2),
        op(np.hsplit, A(4), 2),
        op(np.vsplit, A(4, 2), [1]),
        op(np.dsplit, A(2, 2, 4), 2),
        op(np.array, A(2, 3)),
        op(np.array, [[S(), S()], [S(), S()]]),
        op(np.array, [A(2), A(2)], ndmin=3),
        op(np.array, S(), dtype=float),
        op(np.copy, A(2, 3)),
        op(np.astype, A(2, 3), np.float64),
        op(np.astype, A(2, 3), np.int64),
        op(rt.astype, A(2, 3), float, copy=False),
        op(rt.astype, A(2, 3), "int32", _single=False),
        op(rt.flatten, A(2, 3)),
        op(rt.flatten, A(2, 3), "F"),
        op(np.asfortranarray, A(2, 3)),
        op(np.require, A(2, 3), None, ["C"]),
        op(np.full, (2, 3), S()),
        op(np.full, (2, 3), A(3)),
        op(np.full_like, np.zeros((2, 3)), S(), _single=False),
        op(np.full_like, np.zeros((2, 3)), A(2, 1), _single=False),
        op(np.full_like, np.zeros((2, 3)), S(), dtype=int),
        op(np.full_like, A(2, 3), S()),
        op(np.linspace, S(), S(), 5),
        op(np.linspace, A(2), A(3, 1), 4, endpoint=False),
        op(np.linspace, S(), S(1, 2), 4, axis=-1),
        op(np.linspace, S(), S(1, 2), 4, retstep=True),
        op(np.logspace, S(), S(), 4),
        op(np.logspace, S(), S(), 4, base=S(1.5, 3)),
        op(np.geomspace, S(), S(), 4),
        op(np.geomspace, A(2), A(2), 3),
        op(np.arange, S(0.2, 0.3), 2.0, S(0.51, 0.6)),
        op(np.vander, A(3)),
        op(np.vander, A(3), 4, increasing=True),
        op(rt.cast_back, A(2, 3), (2, 3), None),
        op(rt.cast_push, A(2, 3), float),
    ]
    for fn in (np.asarray, np.asanyarray, np.ascontiguousarray, np.asarray_chkfinite):
        specs += [op(fn, A(2, 3)), op(fn, [A(2), A(2)])]
    specs += [op(np.ascontiguousarray, S())]
    return specs


def indexing() -> list[OpSpec]:
    return [
        op(rt.getitem, A(3, 4), 1),
        op(rt.getitem, A(4), -1),
        op(rt.getitem, A(3, 4), (1, 2)),
        op(rt.getitem, A(3, 4), (slice(None), slice(None, None, -2))),
        op(rt.getitem, A(3, 4), (None, Ellipsis, 1)),
        op(rt.getitem, A(3, 4), [0, 0, 2]),
        op(rt.getitem, A(3, 4), (np.array([0, 0, 2]), np.array([1, 1, 3]))),
        op(rt.getitem, A(3, 4), (slice(0, 2), np.array([[0, 1], [1, 1]]))),
        op(rt.getitem, A(3, 4), MASK),
        op(rt.getitem, A(3, 4), np.array([True, False, True])),
        op(rt.getitem, A(3, 4), (np.array([True, False, True]), np.array([0, 1]))),
        op(rt.scatter, A(4), 1, (3, 4)),
        op(rt.scatter, A(3, 4), [0, 0, 2], (3, 4)),
        op(rt.gather_back, A(4), np.array([0, 2, 2, -1]), (3, 1)),
        op(rt.put_along_axis, A(2, 2), np.array([[0, 1], [1, 1]]), (2, 3), 1),
        op(np.where, MASK, A(3, 4), A(4)),
        op(np.where, MASK, S(), A(3, 1)),
        op(np.take, A(3, 4), [0, 5, 5]),
        op(np.take, A(3, 4), np.array([[0, 1], [1, 1]]), axis=1),
        op(np.take, A(4), 2),
        op(np.take, A(4), [7, -9], mode="wrap"),
        op(np.take, A(4), [7, -9], mode="clip"),
        op(np.take_along_axis, A(3, 4), np.array([[0, 0], [1, 3], [2, 2]]), axis=1),
        op(np.take_along_axis, A(3, 4), np.array([[0, 0, 1, 2]]), axis=0),
        op(np.take_along_axis, A(3, 4), np.array([1, 1, 5]), axis=None),
        op(np.choose, np.array([0, 1, 1, 0]), [A(4), A(4)]),
        op(np.choose, np.array([[0], [2]]), [A(3), S(), A(2, 3)], mode="wrap"),
        op(np.compress, [True, False, True], A(3, 4), axis=0),
        op(np.compress, [True, False, True], A(3, 4)),
        op(rt.compress, A(3, 4), [True, False, True], axis=0),
        op(rt.item, A(1, 1)),
        op(rt.item, A(3, 4), 5),
        op(rt.item, A(3, 4), 2, 1),
        op(rt.item, A(3, 4), (2, 1)),
        op(np.extract, MASK, A(3, 4)),
        op(np.select, [MASK, ~MASK], [A(3, 4), A(4)]),
        op(np.select, [MASK, MASK], [A(3, 4), A(4)], default=S()),
        op(np.delete, A(3, 4), 1, axis=0),
        op(np.delete, A(3, 4), [0, 5]),
        op(np.delete, A(5), slice(1, 3)),
        op(np.insert, A(4), 1, S()),
        op(np.insert, A(4), [1, 3], A(2)),
        op(np.insert, A(3, 4), 1, A(4), axis=0),
        op(np.insert, A(3, 2), [0, 2], A(3, 1), axis=1),
        op(np.bincount, np.array([0, 1, 1, 4]), A(4)),
    ]


def linalg() -> list[OpSpec]:
    square = A(3, 3, low=-1, high=1, spd=True)
    batch = A(2, 3, 3, low=-1, high=1, spd=True)
    hermitian = A(3, 3, low=-1, high=1, complex=True, spd=True)
    specs = [
        op(LA.inv, square),
        op(LA.inv, batch),
        op(LA.inv, hermitian),
        op(LA.det, square),
        op(LA.det, batch),
        op(LA.det, hermitian),
        op(LA.slogdet, batch, _out_index=(1,)),
        op(LA.slogdet, A(2, 2, complex=True)),
        op(LA.solve, square, A(3)),
        op(LA.solve, square, A(3, 2)),
        op(LA.solve, batch, A(3, 2)),
        op(LA.solve, square, A(2, 3, 1)),
        op(LA.solve, hermitian, C(3)),
        op(LA.lstsq, A(4, 2), A(4), _out_index=(0, 1, 3)),
        op(LA.lstsq, A(4, 2), A(4, 3), _out_index=(0, 1)),
        op(LA.pinv, A(4, 2)),
        op(LA.pinv, A(2, 2, 3)),
        op(LA.pinv, C(3, 2)),
        op(LA.tensorinv, A(2, 2, 4), ind=2),
        op(LA.tensorsolve, A(2, 2, 4), A(2, 2)),
        op(LA.tensorsolve, A(2, 4, 2), A(2, 2), axes=(1,)),
        op(LA.cond, square),
        op(LA.cond, square, p=-2),
        op(LA.cond, square, p=1),
        op(LA.cond, square, p="fro"),
        op(LA.cond, A(4, 3)),
    ]
    specs += [op(LA.matrix_power, square, n) for n in (0, 1, 2, 3, 5, -1, -2)]
    specs += [op(LA.matrix_power, hermitian, 3)]
    for order in (None, 2, 1, 3, 1.5, 0, np.inf, -np.inf, -1):
        specs += [op(LA.norm, A(5, **SIGNED), ord=order)]
        specs += [op(LA.norm, A(3, 4, **SIGNED), ord=order, axis=1, keepdims=True)]
    for order in ("fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf):
        specs += [op(LA.norm, A(3, 4, **SIGNED), ord=order)]
        specs += [op(LA.norm, A(3, 2, 4, **SIGNED), ord=order, axis=(2, 0))]
        specs += [op(LA.matrix_norm, A(2, 3, 4, **SIGNED), ord=order, keepdims=True)]
    specs += [
        op(LA.norm, A(3, 4, **SIGNED)),
        op(LA.norm, A(2, 3, 4, **SIGNED)),
        op(LA.norm, C(3, 2)),
        op(LA.norm, C(3, 2), ord=1),
        op(LA.vector_norm, C(3, 2), axis=0, ord=1),
        op(LA.matrix_norm, C(3, 2), ord="nuc"),
        op(LA.cond, A(2, 2, complex=True)),
        op(LA.norm, C(4), ord=3),
        op(LA.norm, A(3, 4), axis=(0, 1)),
        op(LA.vector_norm, A(3, 4, **SIGNED)),
        op(LA.vector_norm, A(3, 4, **SIGNED), axis=0, ord=3),
        op(LA.vector_norm, A(3, 4, **SIGNED), ord=1, keepdims=True),
    ]
    return specs


def decompositions() -> list[OpSpec]:
    square = A(3, 3, low=-1, high=1, spd=True)
    batch = A(2, 3, 3, low=-1, high=1, spd=True)
    hermitian = A(3, 3, low=-1, high=1, complex=True, spd=True)
    general = A(3, 3, low=-1, high=1)
    return [
        op(LA.cholesky, square),
        op(LA.cholesky, batch, upper=True),
        op(LA.cholesky, hermitian),
        op(LA.eigh, square, _squared=(1,)),
        op(LA.eigh, batch, UPLO="U", _squared=(1,)),
        op(LA.eigh, hermitian, _squared=(1,)),
        op(LA.eigh, square, _out_index=(0,)),
        op(LA.eigvalsh, square),
        op(LA.eigvalsh, hermitian, UPLO="U"),
        op(LA.eig, square, _squared=(1,)),
        op(LA.eig, general, _squared=(1,), _single=False),
        op(LA.eig, A(3, 3, complex=True), _squared=(1,)),
        op(LA.eigvals, square),
        op(LA.eigvals, A(3, 3, complex=True)),
        op(LA.svd, A(4, 3), _squared=(0, 2)),
        op(LA.svd, A(3, 4), _squared=(0, 2)),
        op(LA.svd, A(4, 3), full_matrices=False, _squared=(0, 2)),
        op(LA.svd, A(2, 3, 3), _squared=(0, 2)),
        op(LA.svd, A(3, 3, complex=True), _squared=(0, 2)),
        op(LA.svd, A(4, 3, complex=True), full_matrices=False, _out_index=(0,), _squared=(0,)),
        op(LA.svd, A(4, 3), compute_uv=False),
        op(LA.svdvals, C(2, 3)),
        op(LA.svd, A(3, 4), _out_index=(1,)),
        op(LA.svdvals, A(3, 4)),
        op(LA.qr, A(4, 3)),
        op(LA.qr, A(3, 3)),
        op(LA.qr, A(3, 5)),
        op(LA.qr, A(2, 4, 3)),
        op(LA.qr, A(3, 3, complex=True)),
        op(LA.qr, A(4, 3), mode="r"),
        op(LA.qr, A(3, 3), mode="complete"),
    ]


def fourier() -> list[OpSpec]:
    f = np.fft
    specs = []
    for norm in (None, "ortho", "forward"):
        for fn in (f.fft, f.ifft, f.hfft, f.irfft):
            specs += [op(fn, C(5), norm=norm)]
        for fn in (f.rfft, f.ihfft):
            specs += [op(fn, A(6), norm=norm), op(fn, A(5), norm=norm)]
    for fn in (f.fft, f.ifft, f.irfft, f.hfft):
        specs += [op(fn, C(3, 4), n=6, axis=0), op(fn, C(3, 4), n=3), op(fn, A(3, 4))]
        specs += [op(fn, C(6), n=9)]
    for fn in (f.rfft, f.ihfft):
        specs += [op(fn, A(3, 4), n=6, axis=0), op(fn, A(3, 4), n=3)]
    for fn in (f.fft2, f.ifft2, f.fftn, f.ifftn, f.irfft2, f.irfftn):
        specs += [op(fn, C(3, 4)), op(fn, C(3, 4), s=(4, 3), axes=(0, 1), norm="ortho")]
    for fn in (f.rfft2, f.rfftn):
        specs += [op(fn, A(3, 4)), op(fn, A(3, 5), s=(4, 3), axes=(0, 1), norm="ortho")]
    specs += [op(f.rfftn, A(3, 2, 4), axes=(2, 0))]
    for fn in (np.fft.fftfreq, np.fft.rfftfreq):
        specs += [op(fn, 5, S(0.3, 0.9)), op(fn, 4, A(4 if fn is np.fft.fftfreq else 3))]
    return specs


def ordering() -> list[OpSpec]:
    specs = [
        op(np.sort, A(3, 4)),
        op(np.sort, A(3, 4), axis=0),
        op(np.sort, A(3, 4), axis=None),
        op(np.partition, A(6), 3),
        op(np.partition, A(4, 3), 1, axis=0),
        op(np.median, A(4)),
        op(np.median, A(2, 3, 4), axis=(0, 2)),
    ]
    for fn in (np.quantile, np.nanquantile):
        specs += [
            op(fn, A(7), S(0.2, 0.8)),
            op(fn, A(3, 4), A(2, low=0.2, high=0.8), axis=0),
            op(fn, A(3, 4), 0.35, axis=1, keepdims=True),
            op(fn, A(3, 4, 2), [0.1, 0.6], axis=(0, 2), keepdims=True),
            op(fn, A(3, 4), 0.35, method="lower"),
            op(fn, A(3, 4), 0.35, axis=1, method="hazen"),
            op(fn, A(3, 4), 0.35, method="median_unbiased"),
        ]
    for fn in (np.percentile, np.nanpercentile):
        specs += [op(fn, A(3, 4), S(20, 80)), op(fn, A(3, 4), [10, 30], axis=1)]
    return specs


def calculus() -> list[OpSpec]:
    xs = np.array([0.0, 0.3, 1.0, 1.4])
    specs = [
        op(np.diff, A(5)),
        op(np.diff, A(3, 5), n=2, axis=0),
        op(np.diff, A(3, 4), prepend=A(3, 1), append=S()),
        op(np.ediff1d, A(2, 3)),
        op(np.ediff1d, A(4), to_end=A(2), to_begin=S()),
        op(np.gradient, A(5)),
        op(np.gradient, A(5), S()),
        op(np.gradient, A(4, 5)),
        op(np.gradient, A(4, 5), 0.5, S(), edge_order=2),
        op(np.gradient, A(4, 5), xs, axis=0),
        op(np.gradient, A(4, 5), A(5, low=-0.9), axis=1),
        op(np.gradient, A(4, 2), A(4), S()),
        op(np.trapezoid, A(5)),
        op(np.trapezoid, A(3, 4), dx=S(), axis=0),
        op(np.trapezoid, A(3, 4), A(4)),
        op(np.trapezoid, A(3, 4), A(3, 4), axis=0),
        op(np.interp, A(4, low=-0.3, high=1.7), xs, A(4)),
        op(np.interp, S(0.4, 0.9), xs, A(4)),
        op(np.interp, A(2, 3, low=-0.3, high=1.7), xs, A(4), left=0.0, right=S()),
        op(np.interp, A(4, low=-0.9, high=-0.3), xs, A(4), S()),
        op(np.interp, A(4, low=0.1, high=1.3), INCREASING, A(4)),
        op(np.polyval, A(4), A(3)),
        op(np.polyval, A(4), S()),
        op(np.polyval, A(4, 2), S()),
        op(np.polyval, A(3, 2), A(2)),
        op(np.polyval, A(3, 1), A(4)),
        op(np.polyval, A(3, 3), A(2, 1)),
        op(np.polymul, A(4), A(3)),
        op(np.polyadd, A(4), A(3)),
        op(np.polysub, A(2), A(3)),
        op(np.polyder, A(5)),
        op(np.polyder, A(5), 2),
        op(np.polyint, A(3), 2),
        op(np.cov, A(3, 5)),
        op(np.cov, A(5)),
        op(np.cov, A(5), A(5)),
        op(np.cov, A(5, 3), rowvar=False, ddof=0),
        op(np.cov, A(3, 5), bias=True, aweights=np.array([1.0, 2, 1, 3, 1])),
        op(np.corrcoef, A(3, 5)),
        op(np.corrcoef, A(5), A(5)),
    ]
    for mode in ("full", "same", "valid"):
        for fn in (np.convolve, np.correlate):
            for sizes in ((6, 3), (3, 6), (6, 4), (4, 6), (4, 4)):
                specs += [op(fn, A(sizes[0]), A(sizes[1]), mode=mode)]
            specs += [op(fn, C(5), C(3), mode=mode)]
    return specs


INCREASING = (0.0, 0.35, 0.9, 1.4)


def python() -> list[OpSpec]:
    specs = []
    for fn in (
        *(math.exp, math.expm1, math.exp2, math.sin, math.cos, math.tan, math.sinh, math.cosh),
        *(math.tanh, math.asin, math.acos, math.atan, math.asinh, math.atanh, math.erf, math.erfc),
        *(math.gamma, math.lgamma, math.log, math.log2, math.log10, math.log1p, math.sqrt),
        *(math.cbrt, math.degrees, math.radians, math.fabs, abs, float, rt.digamma, rt.trigamma),
    ):
        specs += [op(fn, S(0.3, 0.8))]
    for fn in (math.pow, pow, math.atan2, math.fmod, math.hypot, max, min, complex):
        specs += [op(fn, S(1.2, 1.4), S(0.7, 0.8))]
    specs += [
        op(operator.add, A(3), S()),
        op(operator.sub, A(3), A(2, 1)),
        op(operator.mul, S(), S()),
        op(operator.truediv, S(), A(3)),
        op(operator.pow, A(3), 2),
        op(operator.mod, S(1.6, 1.7), S(0.7, 0.75)),
        op(operator.neg, A(3)),
        op(operator.pos, A(3)),
        op(operator.abs, A(3, **SIGNED)),
        op(operator.matmul, A(2, 3), A(3)),
        op(operator.getitem, A(2, 3), (0, slice(1, None))),
        op(rt.polygamma, 2, S()),
        op(rt.trigamma, S(-1.8, -1.2)),
        op(math.acosh, S(1.2, 2)),
        op(math.log, S(), S(2, 3)),
        op(math.log, S(), 2),
        op(math.gamma, S(-1.7, -1.2)),
        op(math.pow, S(), 2),
        op(pow, S(), 2),
        op(pow, A(3), A(3)),
        op(math.remainder, S(1.6, 1.65), S(0.7, 0.72)),
        op(math.copysign, S(-0.9, -0.3), -2.0),
        op(math.nextafter, S(0.3, 0.9), S(1.2, 2.0)),
        op(math.ldexp, S(), 3),
        op(math.modf, S(), _out_index=(0,)),
        op(divmod, S(2.1, 2.4), S(0.9, 1.0), _out_index=(1,)),
        op(math.hypot, S(), S(), S()),
        op(math.dist, [S(), S()], [S(), S()]),
        op(math.fsum, [S(), S(), S()]),
        op(math.prod, [S(), S(), S()], start=S()),
        op(sum, [S(), S(), S()]),
        op(sum, [A(2), A(2)], A(2)),
        op(max, S(), S(), S()),
        op(max, [S(), S(), S()]),
        op(min, [S(), S()]),
        op(abs, A(2, 3, **SIGNED)),
        op(abs, C(2)),
        op(float, A()),
        op(complex, S()),
    ]
    return specs


def draws() -> list[OpSpec]:
    """Draws from a generator made anew from a seed at each call."""
    specs = []
    for fn in (
        drawing.draw_normal,
        drawing.draw_laplace,
        drawing.draw_gumbel,
        drawing.draw_logistic,
        drawing.draw_lognormal,
    ):
        specs += [op(fn, 3, A(4), A(4)), op(fn, 3, A(4), A(3, 1)), op(fn, 3, S(), 0.5, (2, 3))]
    for fn in (
        drawing.draw_exponential,
        drawing.draw_rayleigh,
        drawing.draw_weibull,
        drawing.draw_pareto,
        drawing.draw_power,
    ):
        specs += [op(fn, 3, A(4)), op(fn, 3, S(), 5)]
    return [
        *specs,
        op(np.unique, A(5)),
        op(np.unique, A(2, 3)),
        op(np.unique_values, A(5)),
        op(rt.distinct_back, A(3), np.array([0.5, 0.1, 0.5, 0.9]), np.array([0.1, 0.5, 0.9])),
        op(rt.distinct_take, A(4), np.array([0.5, 0.1, 0.5, 0.9]), np.array([0.1, 0.5, 0.9])),
        op(np.histogram, np.linspace(0, 1, 7), weights=A(7), _out_index=(0,)),
        op(np.histogram, A(7), 3, _out_index=(1,)),
        op(np.histogram, A(7), np.array([-1.0, 0.2, 1.0]), (S(0.1), S(0.8)), _out_index=(1,)),
        op(np.histogram, np.linspace(0, 1, 7), 4, (S(0.1, 0.2), S(0.8, 0.9)), _out_index=(1,)),
        op(np.histogram, np.linspace(0, 1, 7), 4, (0.2, 0.9), weights=A(7), _out_index=(0,)),
        op(np.poly, A(4)),
        op(np.poly, A(3, 3)),
        op(np.roots, A(4), _single=False),
        op(np.polyfit, A(6), A(6), 2, _tolerance=1e-4, _single=False),
        op(np.polyfit, np.linspace(0, 1, 6), A(6, 2), 3, w=np.linspace(1, 2, 6), _single=False),
        op(np.emath.sqrt, A(4)),
        op(np.emath.sqrt, A(4, low=-0.9, high=-0.2)),
        op(np.emath.log, A(4, low=-0.9, high=-0.2)),
        *(op(fn, A(4, low=0.2, high=0.9)) for fn in BEYOND),
        *(op(fn, A(4, low=-2.5, high=-1.2)) for fn in BEYOND),
        *(op(fn, A(4, low=1.2, high=2.5)) for fn in BEYOND),
        op(np.lib.stride_tricks.sliding_window_view, A(6), 3),
        op(np.lib.stride_tricks.as_strided, A(6), (2, 3), (16, 8), _single=False),
        op(np.lib.stride_tricks.as_strided, C(6), (3,), (32,), _single=False),
        op(np.lib.stride_tricks.sliding_window_view, A(4, 5), (2, 3)),
        op(np.lib.stride_tricks.sliding_window_view, A(4, 5), 2, axis=1),
        op(np.float64, S()),
        op(np.float64, A(3)),
        op(np.complex128, S()),
        op(np.complex128, A(3)),
        op(np.complex128, C(3)),
        op(drawing.draw_uniform, 3, A(4), A(4, low=1.0, high=2.0)),
        op(drawing.draw_uniform, 3, 0.0, A(4), size=(3, 4)),
        op(drawing.draw_gamma, 3, 2.0, A(4)),
        op(drawing.draw_multivariate_normal, 3, A(2), np.eye(2), 5),
    ]


SPECS: list[OpSpec] = [
    *draws(),
    *elementwise(),
    *binary(),
    *reductions(),
    *cumulative(),
    *products(),
    *shapes(),
    *joining(),
    *indexing(),
    *linalg(),
    *decompositions(),
    *fourier(),
    *ordering(),
    *calculus(),
    *python(),
    *complex_numbers(),
    *SCIPY_SPECS,
]
