"""The function that tells the library of arrays, and a library that it tells."""

from __future__ import annotations

import sys
from functools import wraps

import numpy as np

sin, sum, eye, float64 = np.sin, np.sum, np.eye, np.float64  # noqa: A001 - NumPy's names
expand_dims = np.expand_dims


def array_namespace(*arrays, api_version=None):
    found = {x.__array_namespace__(api_version=api_version) for x in arrays}
    (library,) = found
    return sys.modules[__name__] if library.__name__ == "numpy" else library


def asarray(x, /, *, dtype=None, copy=None):
    copy = np._CopyMode.IF_NEEDED if copy is None else copy
    return np.array(x, copy=copy, dtype=dtype)


def with_library(function):
    @wraps(function)
    def wrapped(*args, **options):
        return function(*args, xp=np, **options)

    return wrapped


@with_library
def matrix_norm(x, /, xp, *, keepdims=False, order="fro"):
    return xp.linalg.norm(x, axis=(-2, -1), keepdims=keepdims, ord=order)


def clip(x, /, min=None, max=None, **kwargs):  # noqa: A002 - the standard's names
    out = np.empty_like(x)
    np.clip(x, min, max, out=out, casting="no", **kwargs)
    return out[()]


def device(x, /):
    return "cpu" if isinstance(x, np.ndarray) else x.device


def ones(shape, *, dtype=None, device=None):
    return np.ones(shape, dtype=dtype)


def is_torch_array(x):
    return type(x).__module__.partition(".")[0] == "torch"
