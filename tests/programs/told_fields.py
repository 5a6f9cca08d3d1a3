"""Objects whose fields are None, a bool or a text when they are made, and what binds them later."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


class Layer:
    def __init__(self, weights, act=None):
        self.weights, self.act = weights, act

    def __call__(self, v):
        z = self.weights * v
        return z if self.act is None else self.act(z)


@program("v")
def layers_with_activations_and_without(x):
    v = x
    for layer in (Layer(x), Layer(x * 0.5, np.tanh), Layer(x * 2.0)):
        v = layer(v)
    return np.sum(v)


class Stepper:
    def __init__(self, weights):
        self.weights, self.last, self.first, self.mode = weights, None, True, "sum"

    def step(self, v):
        if self.first:
            self.first = False
            out = v * self.weights
        else:
            out = v + self.last
        self.last = out
        return out


@program("v")
def field_bound_by_each_trip(x):
    stepper = Stepper(x)
    v = x
    for _ in range(3):
        v = stepper.step(v)
    return np.sum(v) if stepper.mode == "sum" else np.prod(v)


@program("v")
def field_bound_on_one_path(x):
    stepper = Stepper(x)
    if x[0] > 0.5:
        stepper.mode = "prod"
    v = stepper.step(x)
    return np.sum(v) if stepper.mode == "sum" else np.prod(v)


@program("v")
def loop_until_a_field_is_bound(x):
    stepper = Stepper(np.exp(x))
    while stepper.last is None or np.sum(stepper.last) < 30.0:
        stepper.step(np.exp(x))
    return np.sum(stepper.last)


class Switched:
    def __init__(self, w, flag=False):
        self.w, self.flag = w, flag

    def value(self):
        return self.w * 2.0 if self.flag else self.w


@program("v")
def made_with_and_without_a_flag(x):
    if x[0] > 0.5:
        made = Switched(x, True)
    else:
        made = Switched(x * 3.0)
    return np.sum(made.value() ** 2)


@program("v")
def made_anew_by_each_trip(x):
    made = Switched(x)
    for k in range(3):
        made = Switched(made.value() * x, flag=k == 1)
    return np.sum(made.value())


@program("v")
def flag_turned_by_an_inner_function(x):
    made = Switched(x)

    def turned():
        made.flag = not made.flag
        return made.value()

    return np.sum(turned() * turned() + turned())
