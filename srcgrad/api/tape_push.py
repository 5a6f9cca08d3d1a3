"""Carries tangents along on the tape, where the compiler refuses a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from srcgrad.tape import Tensor, call_strictly, tensor, unwrapped
from srcgrad.tape.plainly import is_float


def push_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    arguments: Mapping[str, Any],
    tangents: Sequence[Any],
) -> tuple[Any, Any]:
    """Return the value of a function and its tangent.

    Inputs are wrapped, not changed: a function that writes into its argument writes into a copy.
    """
    bound = inspect.BoundArguments(signature, dict(arguments))
    with dual_level():
        for name, tangent in zip(wrt, tangents, strict=True):
            bound.arguments[name] = _dual(bound.arguments[name], tangent)
        result = call_strictly(function, *bound.args, **bound.kwargs)
        return unwrapped(result), _tangent(result)


def _dual(value: Any, tangent: Any) -> Any:
    """Return `value` with every float leaf as a tensor that carries its tangent."""
    if isinstance(value, dict):
        return {key: _dual(item, tangent[key]) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_dual(item, part) for item, part in zip(value, tangent, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if not is_float(value):
        return value
    moved = np.zeros_like(value) if tangent is None else np.asarray(tangent, np.result_type(value))
    dual = make_dual(tensor(value, requires_grad=True).clone(), tensor(moved))  # recorded, too
    is_array = isinstance(value, np.ndarray) and value.ndim == 0
    return dual.reshape(()) if is_array else dual.clone()  # a 0-d array is not a number


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
