"""Is all of srcgrad that generated code may call."""

from __future__ import annotations

from srcgrad.runtime.adjoints import scalar_seed, zeros_like
from srcgrad.runtime.broadcasting import (
    expand_reduced,
    kept,
    reduced_size,
    shape_of,
    unbroadcast,
)
from srcgrad.runtime.complex_parts import COMPLEX_ONLY, conj, is_complex, real_part
from srcgrad.runtime.indexing import accumulate, add_at, getitem, scatter
from srcgrad.runtime.predicates import SHORTCUTS, is_matrix, is_number, shortcut
from srcgrad.runtime.products import dot_left, dot_right, matmul_left, matmul_right
from srcgrad.runtime.reducing import (
    cast_like,
    expand_mean,
    expand_sum,
    given,
    share_among_ties,
)
from srcgrad.runtime.shaping import inverse_axes, reshape_back, split_like, unstack_like
from srcgrad.runtime.slopes import greater_part, power_log_slope, power_slope

__all__ = [
    "COMPLEX_ONLY",
    "SHORTCUTS",
    "accumulate",
    "add_at",
    "cast_like",
    "conj",
    "dot_left",
    "dot_right",
    "expand_mean",
    "expand_reduced",
    "expand_sum",
    "getitem",
    "given",
    "greater_part",
    "inverse_axes",
    "is_complex",
    "is_matrix",
    "is_number",
    "kept",
    "matmul_left",
    "matmul_right",
    "power_log_slope",
    "power_slope",
    "real_part",
    "reduced_size",
    "reshape_back",
    "scalar_seed",
    "scatter",
    "shape_of",
    "share_among_ties",
    "shortcut",
    "split_like",
    "unbroadcast",
    "unstack_like",
    "zeros_like",
]
