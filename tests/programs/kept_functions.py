"""Functions that are put into lists one by one, and functions that managers decorate."""

from __future__ import annotations

import contextlib

import numpy as np

from tests.programs.corpus import program


def power(k):
    def raised(y):
        return y**k

    return raised


@contextlib.contextmanager
def told(what, *, loudly=False):
    if loudly:
        print(what, end="")
    yield


@np.errstate(all="ignore")
def root(x):
    return np.sum(np.sqrt(np.abs(x)))


@told("squared", loudly=True)
def squared(x):
    return x * x


@program("v")
def functions_appended_one_by_one(x):
    steps = []
    steps.append(lambda y: y * 2)
    steps.append(np.sin)
    total = 0.0
    for step in steps:
        total = total + np.sum(step(x))
    return total


@program("v")
def layers_appended_in_a_loop(x):
    layers = []
    for _ in range(2):
        layers.append(np.tanh)
    for layer in layers:
        x = layer(x)
    return np.sum(x)


@program("v")
def lambdas_with_defaults_in_a_loop(x):
    steps = []
    for k in range(3):
        steps.append(lambda y, k=k: y ** (k + 1))
    total = 0.0
    for step in steps:
        total = total + np.sum(step(x))
    return total


@program("v")
def lambdas_that_read_the_last_trip(x):
    steps = []
    for k in range(3):
        steps.append(lambda y: y ** (k + 1))  # noqa: B023
    return sum(np.sum(step(x)) for step in steps)


@program("v")
def definitions_in_a_loop(x):
    steps = []
    for k in range(3):

        def step(y, k=k):
            z = y * k
            return z + x[0]

        steps.append(step)
    return sum(np.sum(step(x)) for step in steps) + steps[1](x)[2]


@program("v")
def lambdas_of_a_comprehension(x):
    steps = [lambda y, k=k: y**k for k in (1, 2, 3)]
    return sum(np.sum(step(x)) for step in steps)


@program("v")
def lambdas_of_a_comprehension_that_read_its_last_trip(x):
    steps = [lambda y: y**k for k in (1, 2, 3)]  # noqa: B023
    k = 5.0
    return sum(np.sum(step(x)) for step in steps) * k


@program("v")
def functions_that_a_factory_makes(x):
    first = [power(k) for k in range(1, 4)]
    then = []
    for k in (2, 1):
        then.append(power(k))
    total = 0.0
    for step in [*first, *then]:
        total += np.sum(step(x))
    return total


@program("v")
def function_wrapped_trip_after_trip(x):
    def around(inner):
        return lambda y: np.sin(inner(y)) + y

    step = np.cos
    for _ in range(3):
        step = around(step)
    return np.sum(step(x))


@program("v", by="tape")
def functions_appended_on_one_path(x):
    steps = [np.sin]
    if np.sum(x) > 0.0:
        steps.append(np.cos)
    return sum(np.sum(step(x)) for step in steps)


@program("v")
def function_with_a_manager_around_it(x):
    return root(x) + np.sum(squared(x))
