"""Lists functions without a derivative, each with the reason."""

from __future__ import annotations

import cmath
import json
import math
import operator
import pickle
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from srcgrad.runtime import (
    add_at,
    any_selected,
    are_tied,
    came_from,
    complex_shadow_of,
    complex_zeros_like,
    is_above,
    is_below,
    is_complex,
    is_matrix,
    is_number,
    item_shapes,
    nested_shapes,
    numbers,
    picked,
    reduced_size,
    refuse_array,
    refuse_integers,
    scalar_seed,
    shadow_of,
    shape_of,
    shortcut,
    stop_gradient,
    strided_places,
    taken,
    unit_vectors,
    within,
    zeros_like,
)

STEPS = "constant between jumps"
TRUTH = "returns truth values"
INDEX = "returns an index"
SIZES = "returns sizes"
FRESH = "creates an array of constants"
PYTHON = "returns no real number that depends smoothly on its arguments"
TYPES = "is about types"
RANDOM = "draws random numbers that depend on no argument smoothly"
TEXT = "returns text"
REPORT = "tells somebody a value, and returns none"

_STEPS = (
    *(np.sign, np.signbit, np.floor, np.ceil, np.rint, np.trunc, np.fix, np.round, np.around),
    *(np.floor_divide, np.spacing, math.floor, math.ceil, math.trunc, round, math.ulp),
    *(operator.floordiv, math.nextafter),
)
_TRUTH = (
    *(np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.isclose, np.allclose),
    *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor, np.any, np.all),
    *(np.array_equal, np.array_equiv, np.isin, np.isreal, np.iscomplex, np.isrealobj),
    *(np.iscomplexobj, np.isscalar, np.invert, np.bitwise_and, np.bitwise_or, np.bitwise_xor),
    *(np.left_shift, np.right_shift, np.gcd, np.lcm, np.isnat, np.shares_memory),
    *(np.may_share_memory, math.isnan, math.isinf, math.isfinite, math.isclose, math.gcd),
    *(math.factorial, math.comb, math.perm, math.isqrt, math.lcm, operator.eq, operator.ne),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.not_, operator.truth),
    *(operator.is_, operator.is_not, operator.contains, operator.index, operator.invert),
    *(operator.lshift, operator.rshift),
    *(operator.countOf, operator.indexOf, operator.length_hint, np.bitwise_count, np.packbits),
    *(np.unpackbits, np.isfortran, np.is_busday, cmath.isnan, cmath.isinf, cmath.isfinite),
    *(cmath.isclose,),
)
_INDEX = (
    *(np.argmax, np.argmin, np.argsort, np.nanargmax, np.nanargmin, np.argpartition, np.lexsort),
    *(np.count_nonzero, np.searchsorted, np.digitize, np.nonzero, np.flatnonzero, np.argwhere),
    *(np.diag_indices_from, np.diag_indices, np.tril_indices, np.triu_indices, np.indices),
    *(np.tril_indices_from, np.triu_indices_from, np.unravel_index, np.ravel_multi_index, np.ix_),
    *(np.linalg.matrix_rank, np.ndindex),
)
_SIZES = (np.shape, np.size, np.ndim, len, np.broadcast_shapes, np.iterable)
_FRESH = (
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye),
    *(np.identity, np.tri, np.mask_indices, np.hamming, np.hanning, np.blackman, np.bartlett),
    *(np.fft.fftfreq, np.fft.rfftfreq, np.random.default_rng),
)
_TYPES = (
    *(np.dtype, np.result_type, np.promote_types, np.can_cast, np.finfo, np.iinfo, np.issubdtype),
    *(np.min_scalar_type, np.common_type, np.errstate, np.seterr, np.geterr, np.set_printoptions),
    *(np.isdtype, np.typename, np.mintypecode, np.get_printoptions, np.printoptions),
    *(np.geterrcall, np.getbufsize, np.einsum_path, np.datetime_data, np.show_config),
    *(np.show_runtime, np.get_include, np.info),
)
_PYTHON = (
    *(range, isinstance, issubclass, type, id, hash, repr, str, format, callable, bool, int),
    *(hasattr, ord, chr, bin, hex, oct, ascii, slice, bytes, bytearray, input, open, dir, vars),
    *(any, all, globals, locals),
)
_RANDOM = (
    *(np.random.seed, np.random.rand, np.random.randn, np.random.randint, np.random.random),
    *(np.random.random_sample, np.random.RandomState),
)
_TEXT = (
    *(np.array2string, np.array_repr, np.array_str, np.format_float_positional),
    *(np.format_float_scientific, np.base_repr, np.binary_repr, np.datetime_as_string),
)
_REPORTS = (
    *(print, warnings.warn, warnings.warn_explicit, pickle.dump, json.dump),
    *(np.save, np.savez, np.savez_compressed, np.savetxt),
)
_RUNTIME = (
    *(add_at, any_selected, complex_zeros_like, is_matrix, is_number, scalar_seed, shortcut),
    *(are_tied, is_complex, numbers),
    *(picked, taken, refuse_array, refuse_integers, stop_gradient, unit_vectors, zeros_like),
    *(item_shapes, nested_shapes, shape_of, reduced_size),
    *(came_from, is_above, is_below, shadow_of, strided_places, within, complex_shadow_of),
)


def _table() -> dict[Callable[..., Any], str]:
    """Give every function its reason."""
    groups: tuple[tuple[tuple[Any, ...], str], ...] = (
        (_STEPS, STEPS),
        (_TRUTH, TRUTH),
        (_INDEX, INDEX),
        (_SIZES, SIZES),
        (_FRESH, FRESH),
        (_TYPES, TYPES),
        (_RANDOM, RANDOM),
        (_TEXT, TEXT),
        (_REPORTS, REPORT),
        (_PYTHON, PYTHON),
        (_RUNTIME, PYTHON),
    )
    return {function: reason for functions, reason in groups for function in functions}


CONSTANT: Mapping[Callable[..., Any], str] = MappingProxyType(_table())
