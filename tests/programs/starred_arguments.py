"""Programs that hand on as many arguments as an array or list holds, by a star."""

from __future__ import annotations

import functools

import numpy as np
from scipy import optimize

from tests.programs.corpus import program


def _model(x, a, b, c=1.0):
    return a * x + b * c


def _exact(x, a, b):
    return np.exp(-a * x) * b


def _late(x, a, b=0.5, *, k=2.0):
    return (a * x + b) ** k


class _Scaling:
    def __init__(self, s):
        self.s = s

    def run(self, x, a, b=1.0):
        return self.s * x * a + b


@program(("v", 2), ("v", 5))
def as_many_as_are_there(p, x):
    return np.sum((_model(x, *p) - 1.0) ** 2)


def _loss(p, x, f):
    return np.sum(f(x, *p) ** 2)


@program(("v", 2), ("v", 5))
def handed_on_by_a_function_that_is_given(p, x):
    return _loss(p, x, _exact) + _loss(p, x, _model)


@program(("v", 2), ("v", 5))
def with_a_keyword_in_a_loop(p, x):
    t = 0.0
    for k in range(3):
        t = t + np.sum(_late(x * (k + 1), *p, k=3))
    return t


@program(("v", 3), ("v", 5))
def into_a_method(p, x):
    m = _Scaling(p[0])
    return np.sum(m.run(x, *p[1:]))


@program(("v", 4), ("v", 5))
def into_a_comprehension(p, x):
    q = p.reshape(2, 2)
    return sum(np.sum(_exact(x, *row)) for row in q)


@program(("v", 2), ("v", 5))
def in_branches(p, x):
    if p[0] > 0:
        y = _exact(x[0], *p) * _model(x[1], *p[:1], 2.0)
    else:
        y = _model(*p, 3.0)
    return np.sum(y)


@program(("v", 2), ("v", 5))
def two_calls_in_one_statement(p, x):
    return np.sum(np.where(x > 0, _model(x, *p), _exact(x, *p)) * p[0])


def _gauss(x, *p):
    y = np.zeros_like(x)
    for i in range(0, len(p), 2):
        y = y + p[i] * np.exp(-((x - p[i + 1]) ** 2))
    return y


@program(("v", 4), ("v", 5))
def as_a_star_of_its_own(p, x):
    return np.sum(_gauss(x, *p) ** 2)


def _write(out, a, b=1.0):
    out[0] = a * b
    return out


@program(("v", 2), ("v", 5))
def into_what_writes(p, x):
    y = x * 1.0
    return np.sum(_write(y, *p) * y)


@program(("v", 4), ("v", 5))
def into_an_inner_function(p, x):
    def inner(x, *q, k=2.0):
        return x * q[0] + q[-1] * k

    return np.sum(inner(x, *p) * inner(x, *p[1:], k=3.0))


def _rec(x, *p):
    if len(p) == 0:
        return x * x
    return p[0] * _rec(x, *p[1:])


@program(("v", 3), ("v", 5))
def by_recursion(p, x):
    return np.sum(_rec(x, *p))


def _sumsq(*vs):
    return sum(v * v for v in vs)


@program("v")
def of_a_list_that_is_made(p):
    rows = [v * 2.0 for v in p]
    return _sumsq(*rows)


def _overwritten(p):
    p[0] = p[1] * 3.0
    return p[1]


@program("v", by="tape")
def written_before_it_is_taken_apart(x):
    q = x[:2] * 1.0
    return _overwritten(q) + np.sum(_model(q[0], *q))


@program(("v", 2), by="tape")
def written_by_an_argument_before(p):
    q = p * 1.0
    return np.sum(_model(_overwritten(q), *q) * q)


@program(("v", 2))
def what_a_map_gives(p):
    return np.sum(_model(p, *map(lambda v: v * 2.0, p)))


def _root_by_secants(function, guess, args=(), options={}):  # noqa: B006 - as others write it
    last, now = guess, 1.1 * guess
    for _ in range(12):
        before = function(last, *args, **options)
        after = function(now, *args, **options)
        if before == after:
            break
        last, now = now, now - after * (now - last) / (after - before)
    return now


def _off_a_square(x, a, b):
    return b * x * x - a


@program("s", "s")
def default_without_entries_that_is_passed_on(a, b):
    return _root_by_secants(_off_a_square, 1.0, args=(a, b)) * a


def _smaller(pair, x):
    last = len(pair)
    return np.minimum(pair[0:last], x[:last])


@program("v")
def tuple_of_numbers_cut_by_a_length(x):
    pair = (x[3] * x[0], x[2] * x[1])
    pair = pair if x[0] > 9.0 else pair[::-1]
    return np.sum(_smaller(pair, 2.0 * x) * x[1:3])


def _with_old_names(names):
    def decorate(function):
        @functools.wraps(function)
        def called(*args, **kwargs):
            for new, old in names:
                if old in kwargs:
                    kwargs[new] = kwargs.pop(old)
                    _warned.add(old)
            return function(*args, **kwargs)

        return called

    return decorate


_warned = set()


def _as_arrays(*given):
    given = tuple(np.asarray(item) for item in given)
    return np, *given


@_with_old_names([("scale", "factor")])
def _scaled_sum(x, scale=2.0):
    _, x = _as_arrays(x)
    return np.sum(x * x) * scale


@program("v")
def options_by_old_names_that_nobody_gives(x):
    """Nothing is in no options, so that what is done with them is never come by."""
    return _scaled_sum(x)


@program("v")
def module_among_several_results(x):
    _, y = _as_arrays(x)
    return np.sum(y * y)


def _passing_on(function):
    @functools.wraps(function)
    def passed(*args, **kwargs):
        return function(*args, **kwargs)

    return passed


_exponential = _passing_on(np.exp)
_total = _passing_on(np.sum)


@program("m")
def functions_of_numpy_in_wrappers(x):
    return np.sum(_exponential(0.1 * x) * _total(x, axis=0))


def _otherwise(function):
    @functools.wraps(function)
    def computed(x, *args, **kwargs):
        return x * 3.0 + np.sum(x * x)

    return computed


_no_total = _otherwise(np.sum)
_no_places = _otherwise(np.argmax)
_no_root = _otherwise(optimize.root)


@program("v")
def functions_that_say_they_are_of_a_library(x):
    return np.sum(_no_total(x) * x) + np.sum(_no_places(x)) * np.sum(_no_root(x))


def _of_arrays(function):
    """Let a function of arrays take numbers, which are rows of one then."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if np.array(args[0]).shape == ():
            is_number = True
            rows = ()
            for i in range(len(args)):
                rows = rows + (np.array([args[i]]),)  # noqa: RUF005 - as it is often written
            args = rows
        else:
            is_number = False
        result = function(*args, **kwargs)
        if not is_number:
            return result
        out = ()
        for i in range(result.shape[1]):
            out = out + (result[0, i],)  # noqa: RUF005
        return out

    return wrapped


@_of_arrays
def _polar(a, b):
    return np.array([np.sqrt(a**2 + b**2), np.arctan2(b, a)]).T


@program("v")
def arguments_bound_anew_in_a_branch(x):
    radius, angle = _polar(x[0], x[1])
    return radius * angle + np.sum(_polar(x, x * x) ** 2)


def _scaled(*args):
    for i in range(2):
        args = (*args, args[i] * 1.5)
    return args


@program("v")
def arguments_bound_anew_in_a_loop(x):
    a, b, c, d = _scaled(x[0], x[1])
    return a * b + c * d
