"""Programs whose expressions are known as a whole, and those whose helpers are put in place."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def scaled_sine(x, scale=2.0):
    inner = x * scale
    return np.sin(inner) + inner


def squared(x):
    x = x * x
    return x + 1.0


def exchanged(a, b):
    return b, a


def noisy(x, rng):
    return x * rng.normal(size=3)


@program("v")
def sigmoid_of_what_is_written_later(x):
    u = x * 1.0
    y = 1 / (1 + np.exp(-u))
    u[0] = 3.0 * x[0]
    return np.sum(y * u)


@program("v")
def falling_sigmoid_of_numbers(x):
    total = 0.0
    for item in x:
        total = total + 1.0 / (math.exp(2 * item) + 1.0) * item
    return total


@program("v", "s", "s")
def sigmoid_with_a_scale(x, k, x0):
    return np.sum(1 / (1 + np.exp(-k * (x - x0))) * x)


@program("v")
def helpers_called_in_loops_and_branches(x):
    total = 0.0
    for i in range(3):
        total += np.sum(scaled_sine(x) * i)
        x = squared(x) * 0.1 if i < 2 and sigmoid(total) > 0.0 else x
    return total


@program("v")
def helper_that_exchanges(x):
    a, b = x * 2.0, np.sin(x)
    a, b = exchanged(a, b)
    return np.sum(a * a * b)


@program("v")
def helpers_that_draw_in_their_order(x):
    rng = np.random.default_rng(1)
    first = x[:3] * rng.normal(size=3)
    second = rng.normal(size=3) * noisy(first, rng) + noisy(scaled_sine(first), rng)
    return np.sum(second * scaled_sine(second * rng.normal(size=3)) * rng.normal(size=3))


_cubed = lambda a: a * a * a  # noqa: E731 - this is about lambdas


@program("v")
def lambda_of_a_draw_after_a_draw(x):
    rng = np.random.default_rng(0)
    return np.sum(rng.normal(size=3) * _cubed(x[:3] * rng.normal(size=3)))


@program("v")
def lambda_of_an_entry_taken_after_another(x):
    entries = [x[0] * 2.0, x[1] * 3.0, x[2]]
    return entries.pop() * _cubed(entries.pop()) + entries[0]


@program("m")
def softmax_of_what_is_taken_off(x):
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.sum((weights / weights.sum(-1, keepdims=True)) ** 2)


@program("m")
def logarithm_of_a_sum_of_exponentials(x):
    peak = np.max(x, axis=1)
    return np.sum(peak + np.log(np.sum(np.exp(x - peak[:, None]), axis=1)))


@program("m")
def largest_of_all_taken_off(x):
    shifted = x - np.max(x)
    log_p = shifted - np.log(np.sum(np.exp(shifted)))
    return np.sum(log_p * np.sin(x)) + np.log(np.mean(np.exp(shifted), axis=0))[0] - shifted[0, 0]


@program("m")
def sum_along_another_axis_than_the_largest(x):
    peak = np.max(x, axis=1, keepdims=True)
    scaled = np.exp(x - peak)
    return np.sum((scaled / scaled.sum(axis=0, keepdims=True)) ** 2)


@program("m")
def largest_that_is_not_added_again(x):
    peak = np.max(x, axis=1)
    return np.sum(np.log(np.sum(np.exp(x - peak[:, None]), axis=1)))


@program("m")
def largest_taken_off_along_a_wrong_axis(x):
    square = x[:, :3]
    peak = np.max(square, axis=0)
    return np.sum(peak + np.log(np.sum(np.exp(square - peak[:, None]), axis=1)))


@program("m")
def largest_taken_off_twice(x):
    peak = np.max(x, axis=1, keepdims=True)
    weights = np.exp(x - peak - peak)
    return np.sum(weights * np.exp(2.0 * x)) / np.sum(weights)


@program("v")
def largest_taken_off_in_a_loop(x):
    total = 0.0
    for i in range(3):
        peak = np.max(x)
        total = total + peak + np.log(np.sum(np.exp(x - peak)))
        x = x * x + i * peak
    return total


@program("v")
def largest_taken_off_and_written_into(x):
    weights = np.exp(x - np.max(x))
    weights[0] = 2.0 * x[1]
    return np.sum((weights / np.sum(weights)) ** 2)
