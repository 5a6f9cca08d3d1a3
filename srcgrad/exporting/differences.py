"""Is the self-check of exported modules: it is copied into those that are to have one."""

from __future__ import annotations

import copy
import sys
from typing import Any

import numpy as np

from srcgrad.exporting.checks import fields_of, rebuilt


def compare(function: Any, gradients: Any, arguments: Any, places: Any) -> None:
    """Compare gradients with central differences; print the errors, exit with 1 if one is large."""
    grads = gradients(*copy.deepcopy(arguments))  # noqa: TID251 - values, no trees
    worst = 0.0
    for place, grad in zip(places, grads, strict=True):
        error = largest_error(function, arguments, place, grad)
        sys.stdout.write(f"argument {place}: largest relative error {error:.1e}\n")
        worst = max(worst, error)
    if not worst < 1e-4:
        raise SystemExit("the gradient does not agree with differences")
    sys.stdout.write("the gradient agrees with central differences\n")


def largest_error(function: Any, arguments: Any, place: int, grad: Any) -> float:
    """Return the largest relative error of the gradient with respect to one argument."""
    numbers = numbers_of(arguments[place])
    if not numbers:
        raise SystemExit(f"argument {place} has no real numbers to compare")
    worst = 0.0
    for path, value in numbers:
        step = np.finfo(getattr(value, "dtype", np.float64)).eps ** (1 / 3) * max(1.0, abs(value))
        above = function(*moved(arguments, place, path, step))
        below = function(*moved(arguments, place, path, -step))
        expected = (float(above) - float(below)) / (2 * float(step))
        found = float(part_of(grad, path))
        worst = max(worst, abs(found - expected) / max(1.0, abs(expected)))
    return worst


def numbers_of(value: Any, path: Any = ()) -> Any:
    """Return the float numbers in nested containers, objects and arrays, and the ways to them."""
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, (list, tuple)):
        parts = list(enumerate(value))
    elif isinstance(value, np.ndarray):
        indices = np.ndindex(value.shape) if value.dtype.kind == "f" else ()
        return [((*path, index), value[index]) for index in indices]
    elif fields := fields_of(value):
        parts = list(fields.items())
    else:
        return [(path, value)] if isinstance(value, (float, np.floating)) else []
    return [found for key, item in parts for found in numbers_of(item, (*path, key))]


def part_of(value: Any, path: Any) -> Any:
    """Return what the keys, indices and names of fields of a path lead to."""
    for key in path:
        inside = isinstance(value, (dict, list, tuple, np.ndarray))
        value = value[key] if inside else getattr(value, key)
    return value


def moved(arguments: Any, place: int, path: Any, step: Any) -> list[Any]:
    """Return copies of arguments, of which one number is moved by a step."""
    copies = copy.deepcopy(list(arguments))  # noqa: TID251
    copies[place] = changed(copies[place], path, step)
    return copies


def changed(value: Any, path: Any, step: Any) -> Any:
    """Return a value with the number at the end of a path moved by a step."""
    if not path:
        return value + step
    key, rest = path[0], path[1:]
    if isinstance(value, tuple):
        items = [changed(v, rest, step) if i == key else v for i, v in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if fields := {} if isinstance(value, (dict, list)) else fields_of(value):
        return rebuilt(value, {**fields, key: changed(fields[key], rest, step)})
    value[key] = changed(value[key], rest, step)
    return value
