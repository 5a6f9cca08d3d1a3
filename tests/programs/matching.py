"""Programs with `match`: values, sequences, mappings, classes, guards, captures, alternatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.programs.corpus import program

KINDS = ("relu", "square", "sine", "none")


@dataclass
class Box:
    low: float
    high: float


@program("v")
def match_on_strings(x):
    total = 0.0
    for kind, v in zip(KINDS, x):
        match kind:
            case "relu" | "clip":
                y = v if v > 0 else 0.0 * v
            case "square":
                y = v * v
            case "sine":
                y = np.sin(v)
            case _:
                y = v
        total = total + y * x[0]
    return total


@program("v", "n")
def match_on_numbers_with_guards(x, n):
    total = x[0]
    for k in range(6):
        match k:
            case 0:
                continue
            case 1 | 2:
                total = total * x[k]
            case m if m == n:
                total = total + m * x[3]
            case m if m > n + 1:
                total = total * m
                break
            case _:
                total = total - 1.0
    return total


@program("t")
def match_on_a_sequence_of_values(pair):
    match pair:
        case []:
            return 0.0
        case [a]:
            return np.sum(a)
        case (a, b):
            return np.sum(a * np.sin(b))
        case _:
            return 1.0


@program("v")
def match_on_nested_sequences(x):
    total = 0.0
    for shape in [(1, (2, 3)), (1, 2), [0, 1, 2, 3], "ab", range(3)]:
        match shape:
            case (i, (j, k)):
                total = total + x[i] * x[j] * x[k]
            case (i, j):
                total = total * x[i] + x[j]
            case [first, *_, last]:
                total = total + x[first] * x[last]
            case str():
                total = total * len(shape)
    return total


@program("d")
def match_on_a_mapping(params):
    match params:
        case {"slope": slope}:
            return np.sum(slope)
        case {"w": w, "b": b}:
            return np.sum(w * w) + np.sum(b)
    return 0.0


@program("v")
def match_on_classes(x):
    total = 0.0
    for thing in [Box(0.5, 2.0), 3, 2.5, None, True, (0, 1)]:
        match thing:
            case Box(low=low, high=high) if high > low:
                total = total + low * x[0] * high
            case Box(low, _):
                total = total + low
            case bool():
                total = total * 1.5
            case int(n):
                total = total + n * x[1] ** 2
            case float() as f:
                total = total * f
            case None:
                total = total - x[2]
            case (i, j) | [i, j, _]:
                total = total + x[i] * x[j]
    return total


@program("s")
def match_on_the_type_of_an_argument(s):
    match s:
        case float():
            y = s * s
        case np.ndarray():
            y = np.sum(s)
        case _:
            raise TypeError(s)
    return y


@program("v")
def match_without_a_hit(x):
    y = np.sum(x)
    match len(x):
        case 1:
            y = y * 2.0
        case 2:
            y = y * 3.0
    return y * y


@program("v")
def match_on_an_expression_that_returns(x):
    for i in range(4):
        match (x[i] > 0, i % 2):
            case (True, 0):
                x = x * 1.5
            case (True, _) if i > 2:
                return np.sum(x * x)
            case (False, r):
                x = x + r
    return np.sum(x)


@program("v")
def machine_of_instructions(x):
    stack = x[0]
    other = x[1]
    code = ["add", ("push", 2), "mul", "swap", ("push", 3), ("scale", 0.5), "halt", "mul"]
    for instruction in code:
        match instruction:
            case "add":
                stack = stack + other
            case "mul":
                stack = stack * other
            case "swap":
                stack, other = other, stack
            case ("push", i):
                other = x[i]
            case ("scale", factor):
                stack = stack * factor
            case "halt":
                break
            case unknown:
                raise ValueError(unknown)
    return stack * other
