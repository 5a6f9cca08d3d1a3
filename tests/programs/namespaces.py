"""Programs that ask their arrays for the library whose functions to call."""

from __future__ import annotations

import warnings

import numpy as np

from tests.doubles.array_api_compat import common as array_api_compat
from tests.doubles.array_api_compat.common import array_namespace, device, is_torch_array
from tests.programs.corpus import program

SCALE = 0.5

try:
    import torch_that_is_not_there as torch
except ImportError:
    torch = None


@program("v")
def library_by_the_method(x):
    xp = x.__array_namespace__()
    return xp.sum(xp.sin(x) * x)


@program("v")
def library_by_the_method_of_what_is_computed(x):
    y = x * 2.0
    xp = y.__array_namespace__(api_version=None)
    return xp.sum(xp.where(y > 1.0, xp.exp(-y), y**2))


@program("v")
def library_by_a_function(x):
    xp = array_namespace(x)
    return xp.sum(xp.sin(x) * x)


def _checked(a, b):
    if a.shape != b.shape:
        raise ValueError("the shapes differ")
    return array_namespace(a, b)


@program("m")
def library_behind_a_check(m):
    a = m.T @ m
    xp = _checked(a, a.T)
    return xp.matrix_norm(a - xp.eye(len(a), dtype=xp.float64)) + xp.sum(a)


def _library_of(*arrays):
    try:
        return array_namespace(*arrays)
    except TypeError:
        warnings.warn("no arrays", DeprecationWarning, stacklevel=3)
        return array_api_compat


def _squared_norms(x):
    xp = _library_of(x)
    return xp.sum(x * x, axis=0)


@program("m")
def library_that_a_try_asks_for(m):
    a = _squared_norms(m)
    b = _squared_norms(np.sin(m))
    return np.sum(a * b)


def _settings_reached(x):
    return array_namespace(x).sum(x) * SCALE


@program("v")
def setting_beside_a_library(x):
    return _settings_reached(x * x)


def _columns(*arrays):
    xp = _library_of(*arrays)
    for array in arrays:
        array = xp.asarray(array)
        if array.ndim < 2:
            array = xp.expand_dims(array, axis=1)
        yield array


@program("v")
def library_in_a_generator(x):
    (column,) = _columns(x * x)
    first, second = _columns(x, np.sin(x))
    return np.sum(column @ first.T) + np.sum(second)


def _doubled(*arrays):
    xp = np
    for array in arrays:
        yield xp.multiply(array, 2.0)


@program("v")
def module_by_another_name_in_a_generator(x):
    return sum(np.sum(part * part) for part in _doubled(x, np.cos(x)))


@program("v")
def clipped_by_the_library(x):
    xp = array_namespace(x)
    return xp.sum(xp.clip(x * x, 0.3, None) * x) + xp.sum(xp.clip(x, min=-0.5, max=0.5))


def _library_and_device(like):
    if like is None:
        return array_api_compat, None
    return array_namespace(like), device(like)


@program("v")
def library_beside_a_device(x):
    xp, where = _library_and_device(x)
    weights = xp.ones(len(x), dtype=float, device=where)
    return xp.sum(xp.sin(x) * weights * x)


def tril_indices(n, k=0, *, like=None):
    if is_torch_array(like):
        return torch.tril_indices(n, n, offset=k, device=device(like))
    return np.tril_indices(n, k)


@program("v")
def places_by_a_library_that_is_not_there(x):
    a = np.outer(x, np.sin(x))
    rows, columns = tril_indices(len(x), -1, like=a)
    return np.sum(a[rows, columns] ** 2)
