"""Pulls adjoints back on the tape, where the compiler refuses a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.api.values import conform
from srcgrad.tape import Tensor, call_strictly, gradients_like, tensor, unwrapped, wrapped
from srcgrad.tape import grad as tape_grad


def pull_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    arguments: Mapping[str, Any],
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the value of a function and its pullback.

    Inputs are wrapped, not changed: a function that writes into its argument writes into a copy.
    """
    bound = inspect.BoundArguments(signature, dict(arguments))
    tracked: list[Any] = []
    for name in wrt:
        bound.arguments[name] = wrapped(bound.arguments[name], tracked)
    given = [bound.arguments[name] for name in wrt]
    result = call_strictly(function, *bound.args, **bound.kwargs)

    def pull(adjoint: Any) -> tuple[Any, ...]:
        outputs: list[Any] = []
        seeds: list[Any] = []
        _pair(result, adjoint, outputs, seeds)
        found: Sequence[Any] = [None] * len(tracked)
        if outputs:
            found = tape_grad(outputs, tracked, seeds, retain_graph=True, allow_unused=True)
        parts = iter(found)
        grads = [gradients_like(value, parts) for value in given]
        inputs = [arguments[name] for name in wrt]
        return tuple(conform(grad, value) for grad, value in zip(grads, inputs, strict=True))

    return unwrapped(result), pull


def _pair(result: Any, adjoint: Any, outputs: list[Any], seeds: list[Any]) -> None:
    """Collect the tensors of a result that carry derivatives, each with its adjoint."""
    if isinstance(result, dict):
        for key, item in result.items():
            _pair(item, adjoint[key], outputs, seeds)
    elif isinstance(result, (list, tuple)):
        for item, part in zip(result, adjoint, strict=True):
            _pair(item, part, outputs, seeds)
    elif isinstance(result, Tensor) and result.requires_grad and adjoint is not None:
        outputs.append(result)
        seeds.append(tensor(np.broadcast_to(adjoint, result.shape)))
