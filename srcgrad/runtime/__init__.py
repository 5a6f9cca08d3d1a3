"""Is all of srcgrad that generated code may call."""

from __future__ import annotations

from srcgrad.runtime.adjoints import complex_zeros_like, refuse_integers, scalar_seed, zeros_like
from srcgrad.runtime.broadcasting import (
    any_selected,
    expand_reduced,
    kept,
    reduced_size,
    shape_of,
    single,
    unbroadcast,
)
from srcgrad.runtime.calculus import (
    corrcoef_back,
    cov_back,
    diff_back,
    ediff1d_back,
    gradient_back,
    interp_back,
    interp_push,
    trapezoid_back,
    undo_diff,
)
from srcgrad.runtime.complex_parts import (
    COMPLEX_ONLY,
    as_complex,
    conj,
    imag_back,
    is_complex,
    of_reals,
    real_part,
)
from srcgrad.runtime.contractions import (
    contracted,
    cross_left,
    cross_right,
    einsum_back,
    inner_left,
    inner_right,
    kron_left,
    kron_right,
    multi_dot_back,
    tensordot_left,
    tensordot_right,
)
from srcgrad.runtime.copies import copied, copied_like, gathered, several
from srcgrad.runtime.creating import (
    arange_back,
    astype,
    cast_back,
    flatten,
    linspace_back,
    logspace_back,
    result_dtype,
    vander_back,
)
from srcgrad.runtime.cumulating import (
    cumprod_back,
    cumsum_back,
    exclusive_cumprod,
    others_product,
    recurrence,
    reduceat_back,
    running_back,
    tail,
)
from srcgrad.runtime.dispatch import (
    beside,
    recordable,
    records,
)
from srcgrad.runtime.distinct import (
    distinct_back,
    distinct_take,
    edges_back,
    ends_back,
    histogram_back,
)
from srcgrad.runtime.drawing import checked_generator
from srcgrad.runtime.factors import (
    are_tied,
    at_ties,
    cholesky_back,
    eig_back,
    eigh_back,
    eigvals_back,
    eigvalsh_back,
    on_diagonal,
    onto_triangle,
    over_gaps,
    qr_back,
    qr_r_back,
)
from srcgrad.runtime.fitting import (
    poly_back,
    poly_push,
    polyfit_back,
    polyfit_push,
    roots_back,
    roots_push,
)
from srcgrad.runtime.fourier import (
    fft_back,
    fftn_back,
    ifft_back,
    ifftn_back,
    irfft_back,
    irfftn_back,
    opposite,
    resize_axis,
    rfft_back,
    rfftn_back,
    transformed_axes,
)
from srcgrad.runtime.gathering import (
    border_sum,
    choose_back,
    crop,
    diag_back,
    diagonal_back,
    gather,
    gather_back,
    insert_back,
    item_shapes,
    negated,
    pad_back,
    pad_push,
    places,
    put_along_axis,
    repeat_back,
    select_back,
    take_along,
    take_back,
    taken,
    tile_back,
    trace_back,
    trim_back,
)
from srcgrad.runtime.indexing import (
    accumulate,
    add_at,
    add_entries,
    compress,
    getitem,
    item,
    item_index,
    last_written,
    may_repeat,
    picked,
    scatter,
)
from srcgrad.runtime.joining import (
    block_back,
    join_columns,
    join_pieces,
    join_rows,
    nested_shapes,
    restack,
    split_column_stack,
    split_columns,
    split_dstack,
    split_hstack,
    split_like,
    split_rows,
    split_vstack,
    unstack_like,
)
from srcgrad.runtime.linear_algebra import (
    cond_back,
    det_back,
    lstsq_back,
    matrix_norm_back,
    matrix_power_back,
    norm_back,
    pinv_back,
    slogdet_back,
    solve_back,
    spread,
    tensorinv_back,
    tensorsolve_back,
    vector_norm_back,
)
from srcgrad.runtime.long_loops import refuse_array, reverse_steps, run_steps
from srcgrad.runtime.numbers import (
    as_shape,
    digamma,
    dist_back,
    divided_each,
    number_sign,
    product_back,
    repeated,
    shared_each,
    sign,
    trigamma,
)
from srcgrad.runtime.ordering import (
    as_rows,
    from_rows,
    quantile_back,
    spread_pair,
)
from srcgrad.runtime.polynomials import (
    convolve_part,
    correlate_back,
    full_grad,
    last_part,
    polyder_back,
    polyint_back,
    polyval_left,
    polyval_right,
)
from srcgrad.runtime.predicates import (
    SHORTCUTS,
    is_matrix,
    is_number,
    is_vector,
    shortcut,
)
from srcgrad.runtime.products import (
    adjoint,
    dot_left,
    dot_right,
    matmul_left,
    matmul_right,
)
from srcgrad.runtime.reducing import (
    across,
    along,
    along_back,
    average_back,
    cast_like,
    expand_mean,
    expand_sum,
    given,
    logaddexp_back,
    numbers,
    prod_back,
    prod_initial_back,
    share_among_ties,
    sum_trailing,
    var_back,
)
from srcgrad.runtime.shadows import add_to_shadows, shadow_of, shadow_of_view
from srcgrad.runtime.shaping import (
    inverse_axes,
    meshgrid_back,
    read_order,
    reshape_back,
    reshape_each,
    rollaxis_back,
    unbroadcast_each,
)
from srcgrad.runtime.singular import svd_back, svd_push, svdvals_back, svdvals_push
from srcgrad.runtime.slopes import (
    angle_slope,
    bessel_i1,
    bessel_i1_slope,
    chosen_part,
    divide_or_zero,
    exp2_difference,
    exp_difference,
    greater_part,
    is_above,
    is_below,
    only_if,
    power_log_slope,
    power_slope,
    scaled_back,
    shares,
    sign_flip,
    sinc_slope,
    within,
)
from srcgrad.runtime.solving import differences_back, differences_push, solution_back, solution_push
from srcgrad.runtime.stopping import stop_gradient
from srcgrad.runtime.tangents import (
    cholesky_push,
    cumprod_push,
    eig_push,
    eigh_push,
    eigvalsh_push,
    extreme_push,
    matrix_power_push,
    multi_dot_push,
    pinv_push,
    polyval_push,
    solve_push,
)
from srcgrad.runtime.taped import on_tape
from srcgrad.runtime.units import unit_vectors

# fmt: off
__all__ = [
    "COMPLEX_ONLY", "SHORTCUTS", "accumulate", "across", "add_at", "add_entries", "add_to_shadows",
    "adjoint", "along", "along_back", "angle_slope", "any_selected", "arange_back", "are_tied",
    "as_complex", "as_rows", "as_shape", "astype", "at_ties", "average_back", "beside", "bessel_i1",
    "bessel_i1_slope", "block_back", "border_sum", "cast_back", "cast_like", "checked_generator",
    "cholesky_back", "cholesky_push", "choose_back", "chosen_part", "complex_zeros_like",
    "compress", "cond_back", "conj", "contracted", "convolve_part", "copied", "copied_like",
    "corrcoef_back", "correlate_back", "cov_back", "crop", "cross_left", "cross_right",
    "cumprod_back", "cumprod_push", "cumsum_back", "det_back", "diag_back", "diagonal_back",
    "diff_back", "differences_back", "differences_push", "digamma", "dist_back", "distinct_back",
    "distinct_take", "divide_or_zero", "divided_each", "dot_left", "dot_right", "edges_back",
    "ediff1d_back", "eig_back", "eig_push", "eigh_back", "eigh_push", "eigvals_back",
    "eigvalsh_back", "eigvalsh_push", "einsum_back", "ends_back", "exclusive_cumprod",
    "exp2_difference", "exp_difference", "expand_mean", "expand_reduced", "expand_sum",
    "extreme_push", "fft_back", "fftn_back", "flatten", "from_rows", "full_grad", "gather",
    "gather_back", "gathered", "getitem", "given", "gradient_back", "greater_part",
    "histogram_back", "ifft_back", "ifftn_back", "imag_back", "inner_left", "inner_right",
    "insert_back", "interp_back", "interp_push", "inverse_axes", "irfft_back", "irfftn_back",
    "is_above", "is_below", "is_complex", "is_matrix", "is_number", "is_vector", "item",
    "item_index", "item_shapes", "join_columns", "join_pieces", "join_rows", "kept", "kron_left",
    "kron_right", "last_part", "last_written", "linspace_back", "logaddexp_back", "logspace_back",
    "lstsq_back", "matmul_left", "matmul_right", "matrix_norm_back", "matrix_power_back",
    "matrix_power_push", "may_repeat", "meshgrid_back", "multi_dot_back", "multi_dot_push",
    "negated", "nested_shapes", "norm_back", "number_sign", "numbers", "of_reals", "on_diagonal",
    "on_tape", "only_if", "onto_triangle", "opposite", "others_product", "over_gaps", "pad_back",
    "pad_push", "picked", "pinv_back", "pinv_push", "places", "poly_back", "poly_push",
    "polyder_back", "polyfit_back", "polyfit_push", "polyint_back", "polyval_left", "polyval_push",
    "polyval_right", "power_log_slope", "power_slope", "prod_back", "prod_initial_back",
    "product_back", "put_along_axis", "qr_back", "qr_r_back", "quantile_back", "read_order",
    "real_part", "recordable", "records", "recurrence", "reduceat_back", "reduced_size",
    "refuse_array", "refuse_integers", "repeat_back", "repeated", "reshape_back", "reshape_each",
    "resize_axis", "restack", "result_dtype", "reverse_steps", "rfft_back", "rfftn_back",
    "rollaxis_back", "roots_back", "roots_push", "run_steps", "running_back", "scalar_seed",
    "scaled_back", "scatter", "select_back", "several", "shadow_of", "shadow_of_view", "shape_of",
    "share_among_ties", "shared_each", "shares", "shortcut", "sign", "sign_flip", "sinc_slope",
    "single", "slogdet_back", "solution_back", "solution_push", "solve_back", "solve_push",
    "split_column_stack", "split_columns", "split_dstack", "split_hstack", "split_like",
    "split_rows", "split_vstack", "spread", "spread_pair", "stop_gradient", "sum_trailing",
    "svd_back", "svd_push", "svdvals_back", "svdvals_push", "tail", "take_along", "take_back",
    "taken", "tensordot_left", "tensordot_right", "tensorinv_back", "tensorsolve_back", "tile_back",
    "trace_back", "transformed_axes", "trapezoid_back", "trigamma", "trim_back", "unbroadcast",
    "unbroadcast_each", "undo_diff", "unit_vectors", "unstack_like", "vander_back", "var_back",
    "vector_norm_back", "within", "zeros_like",
]
# fmt: on
