"""Are the self-checks of products and Jacobians: one is copied into modules that have one."""

from __future__ import annotations

import copy
import sys
from typing import Any

import numpy as np

from srcgrad.exporting.matrices import filled, floats_of


def compare_slopes(function: Any, slope: Any, arguments: Any, places: Any) -> None:
    """Compare a derivative with differences along three directions; exit with 1 if one is wrong.

    `slope` returns that of the weighted result, from arguments, directions and weights.
    """
    step = precision(arguments) ** (1 / 3)
    errors = []
    for number in range(3):
        along = [direction_like(arguments[place], number) for place in places]
        weights = direction_like(function(*copied_arguments(arguments)), number + 7)
        above = function(*moved_by(arguments, places, along, step))
        below = function(*moved_by(arguments, places, along, -step))
        difference = inner_product(weights, above) - inner_product(weights, below)
        found = slope(copied_arguments(arguments), along, weights)
        errors.append((found, difference / (2 * step)))
    judge(errors, 1e-4)


def compare_curvatures(function: Any, curvature: Any, arguments: Any, places: Any) -> None:
    """Compare second derivatives with differences along pairs of directions.

    `curvature` returns that of the function, from arguments and two lists of directions.
    """
    step = precision(arguments) ** (1 / 4)
    errors = []
    for number in range(3):
        one = [direction_like(arguments[place], number) for place in places]
        other = [direction_like(arguments[place], number + 7) for place in places]
        total = 0.0
        for sign in (1, -1):
            for way in (step, -step):
                moved = moved_by(arguments, places, one, way)
                moved = moved_by(moved, places, other, sign * way)
                total += sign * float(function(*moved))
        found = curvature(copied_arguments(arguments), one, other)
        errors.append((found, total / (4 * step**2)))
    judge(errors, max(1e-4, 30 * step**2))


def judge(errors: Any, tolerance: float) -> None:
    """Print the largest error in pairs of slopes; exit with 1 if it is too large."""
    worst = max(abs(found - expected) / max(1.0, abs(expected)) for found, expected in errors)
    sys.stdout.write(f"largest relative error {worst:.1e}\n")
    if not worst < tolerance:
        raise SystemExit("the derivative does not agree with differences")
    sys.stdout.write("the derivative agrees with differences\n")


def precision(arguments: Any) -> float:
    """Return the rounding of the least precise number in arguments."""
    kinds = [np.asarray(leaf).dtype for item in arguments for leaf in floats_of(item)]
    return max(float(np.finfo(kind).eps) for kind in kinds)


def copied_arguments(arguments: Any) -> list[Any]:
    """Return copies of arguments, which a function may write into."""
    return list(copy.deepcopy(arguments))  # noqa: TID251 - values, no trees


def direction_like(value: Any, number: int) -> Any:
    """Return numbers between -1 and 1 in the structure of a value, others for each `number`."""
    count = sum(np.size(leaf) for leaf in floats_of(value))
    return filled(value, np.cos(np.arange(count) * (1.3 + number) + number))


def moved_by(arguments: Any, places: Any, along: Any, step: float) -> list[Any]:
    """Return copies of arguments, moved along directions."""
    copies = copied_arguments(arguments)
    for place, direction in zip(places, along, strict=True):
        pairs = zip(floats_of(copies[place]), floats_of(direction), strict=True)
        numbers = [np.ravel(value + step * move) for value, move in pairs]
        copies[place] = filled(copies[place], np.concatenate(numbers), keep=True)
    return copies


def inner_product(one: Any, other: Any) -> float:
    """Return the inner product of two values of one structure."""
    pairs = zip(floats_of(one), floats_of(one, other), strict=True)
    return float(sum(np.sum(np.real(a * b)) for a, b in pairs))


def contracted(weights: Any, jacobian: Any, along: Any) -> float:
    """Return the product of a Jacobian with weights of the result and a direction."""
    total = 0.0
    for weight, blocks in zip(floats_of(weights), floats_of(weights, jacobian), strict=True):
        for move, block in zip(floats_of(along), floats_of(along, blocks), strict=True):
            total += float(np.sum(weight * np.tensordot(block, move, np.ndim(move))))
    return total
