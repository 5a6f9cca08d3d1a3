"""Programs that ask their arrays for the library whose functions to call."""

from __future__ import annotations

from tests.doubles.array_api_compat.common import array_namespace
from tests.programs.corpus import program


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
