"""Programs that ask whether an array is a masked one, or a matrix: none is that is given."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _middle(data):
    median = np.ma.median if isinstance(data, np.ma.MaskedArray) else np.median
    return median(data)


@program("v")
def median_for_masked_arrays_or_others(x):
    return _middle(x) * _middle(x * x)


@program("v")
def nothing_where_much_is_masked(x):
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        return 0.0
    return np.sum(x * x)


def _weighted(v, weight):
    if isinstance(v, (np.ma.MaskedArray, np.matrix)):
        return np.ma.sum(v * weight)
    return np.sum(v * weight)


@program("v")
def masked_or_a_matrix_in_a_helper(x):
    return _weighted(x, 2.0) * _weighted(np.sin(x), np.ones(len(x)))


@program("v")
def filled_where_it_is_masked(x):
    if np.ma.isMaskedArray(x):
        x = np.ma.filled(x, np.nan)
    return np.sum(np.ma.getdata(x) ** 2) * np.ma.filled(x, 0.0)[0]


@program("v")
def without_what_a_mask_marks(x):
    mask = np.ma.getmask(x)
    if mask is not np.ma.nomask and mask.any():
        x = x[~mask]
    return np.sum(x * x)


@program("v")
def functions_of_one_module_or_another(x):
    module = np.ma if isinstance(x, np.ma.MaskedArray) else np
    return module.sum(module.exp(x))
