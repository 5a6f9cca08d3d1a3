"""Programs of a module that has functions of NumPy, and no name for NumPy itself."""

from __future__ import annotations

from numpy import add, clip, divide, exp, fmod, inf, multiply, putmask, repeat, sqrt, zeros

from tests.programs.corpus import program


@program("v")
def divided_where_it_may_be(x):
    return divide(x, 1.5 + x * x, out=repeat(inf, x.shape), where=x != 9.0).sum()


@program("v")
def remainders_into_an_array(x):
    a = x * 100.0
    fmod(a, 36.0, out=a)
    return a.sum()


@program("v")
def products_and_limits_into_an_array(x):
    a = x * 1.0
    multiply(a, a, out=a)
    clip(a, 0.1, 3.0, out=a)
    exp(x, where=x > 0.5, out=a)
    return (a * x).sum()


@program("v")
def added_at_places(x):
    a = zeros(3)
    add.at(a, [0, 1, 2], x[:3])
    add.at(a, [1, 1], x[:2])
    return (a * a).sum()


def _rooted(v):
    sqrt(v, out=v)
    return v


@program("v")
def roots_into_a_view_in_a_helper(x):
    a = x * x + 1.0
    return _rooted(a[:2])[0] * a[0] * x[0]


@program("v")
def put_where_a_mask_is(x):
    a = x * 2.0
    putmask(a, x > 0.3, x * x)
    return (a * a).sum()
