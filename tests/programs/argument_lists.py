"""Lists of arguments that decorators and wrappers make, write entry by entry, and pass on."""

from __future__ import annotations

from functools import wraps

import numpy as np

from tests.programs.corpus import program


def all_as_arrays(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        args = list(args)
        for i, v in enumerate(args):
            if v is not None:
                args[i] = np.asarray(v)
        for k, v in kwargs.items():
            if v is not None:
                kwargs[k] = np.asarray(v)
        return function(*args, **kwargs)

    return wrapper


@all_as_arrays
def dot_of_arrays(first, second):
    return np.sum(first * second, axis=-1)


@all_as_arrays
def centre_of_arrays(box, scale=None):
    middle = (box[0] + box[1]) * 0.5
    return middle if scale is None else middle * scale


@program("v")
def decorated_to_get_arrays(x):
    return dot_of_arrays(x, x * 2.0) + centre_of_arrays(x) * centre_of_arrays(x, scale=x[1])


def doubled_at_first(function):
    def inner(*args):
        args = list(args)
        for i, a in enumerate(args):
            args[i] = a * 2.0
        first = args[0]
        args[0] = first + 1.0
        return function(*args) + first

    return inner


@doubled_at_first
def product_of_two(a, b):
    return a * b


@program("v")
def decorated_by_what_writes_entries(x):
    return product_of_two(x[0], x[1]) * product_of_two(x[1], x[2] * x[3])


def pair_of_arguments(*args):
    args = list(args)
    old = args[1]
    for k, a in enumerate(args):
        if a > 1.0:
            args[k] = a * a
        else:
            args[k] = a + old
    for a, s in zip(args, (2.0, 3.0), strict=True):
        args[0] = args[0] + a * s
    return np.hypot(*args)


@program("v")
def entries_written_in_branches_and_loops(x):
    return pair_of_arguments(x[0], x[1]) * pair_of_arguments(x[2], x[0])


def later_written_first(*args):
    args = list(args)
    for i, a in enumerate(args):
        args[i] = a * 2.0
        args[1] = a * args[1]
    return product_of_two(*args)


@program("v")
def later_entries_written_before_their_trip(x):
    return later_written_first(x[0], x[1]) * x[0]


@program("v")
def listed_and_numbered_while_later_ones_are_written(x):
    values = [x[0], x[1], x[2]]
    for i, a in enumerate(values):
        values[i] = a * 2.0
        values[2] = values[2] + a
    return values[0] * values[1] * values[2]


@program("v")
def argument_that_is_called_first(x):
    def called(*args):
        args = list(args)
        for i, a in enumerate(args):
            args[i] = a * a
        args.append(x[3])
        return product_of_two(*args[1:])

    return called(x[0], x[1]) * x[0]


@program("v")
def one_list_twice_in_another_that_grows(x):
    total = 0.0
    first = [0, 1]
    first = first  # noqa: PLW0127 - the list gets a name of its own
    rows = [first, first]
    for _ in range(x.shape[0]):
        for row in rows:
            row[0] += 0.3 + x[3] * x[3]
        total += max(rows[1])
    return total


def turned_and_grown(function):
    def inner(*args):
        args = list(args)
        args[0] += 0.5
        for i, a in enumerate(args):
            if a > 1.0:
                args[i] *= 2.0
        if args[0] > args[1]:
            args[0], args[1] = args[1], args[0] * args[1]
        return function(*args)

    return inner


@turned_and_grown
def quotient_of_two(a, b):
    return a / b


@program("v")
def entries_updated_and_exchanged(x):
    return quotient_of_two(x[0], x[1]) * quotient_of_two(x[2] * x[2], x[3])
