"""Carries tangents along on the tape, where the compiler refuses a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.api.values import conform
from srcgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from srcgrad.tape import Tensor, run_plainly, tensor, unwrapped
from srcgrad.tape.lending import is_float


def push_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    arguments: Mapping[str, Any],
    tangents: Sequence[Any],
) -> tuple[Any, Any]:
    """Return the value of a function and its tangent.

    A function that writes into its argument does so once, as without tangents.
    """
    bound = inspect.BoundArguments(signature, dict(arguments))
    given = dict(zip(wrt, tangents, strict=True))
    order = [name for name in bound.arguments if name in given]
    moved = iter([part for name in order for part in _parts(bound.arguments[name], given[name])])
    with dual_level():
        run = run_plainly(function, bound, wrt, lambda value: _dual(value, next(moved)))
        return run.value, conform(_tangent(run.result), run.value)


def _parts(value: Any, tangent: Any) -> Iterator[Any]:
    """Yield the tangents of the numbers and arrays in a value, in the order they are wrapped."""
    if isinstance(value, (dict, list, tuple)):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from _parts(value[key], None if tangent is None else tangent[key])
    elif is_float(value) or (isinstance(value, int) and not isinstance(value, bool)):
        yield tangent


def _dual(value: Any, tangent: Any) -> Any:
    """Return a number or array as a tensor that carries its tangent."""
    moved = np.zeros_like(value) if tangent is None else np.asarray(tangent, np.result_type(value))
    return make_dual(tensor(value, requires_grad=True).clone(), tensor(moved))  # recorded, too


def _tangent(result: Any) -> Any:
    """Return the tangents of a result, None for what has none."""
    if isinstance(result, dict):
        return {key: _tangent(item) for key, item in result.items()}
    if isinstance(result, (list, tuple)):
        parts = [_tangent(item) for item in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if not isinstance(result, Tensor):
        return None
    tangent = unpack_dual(result).tangent
    return None if tangent is None else unwrapped(tangent)
