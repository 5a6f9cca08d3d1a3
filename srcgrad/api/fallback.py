"""Differentiates a function on the tape, where the compiler refuses it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.runtime import scalar_seed
from srcgrad.tape import Tensor, call_strictly, gradients_like, unwrapped, wrapped
from srcgrad.tape import grad as tape_grad


def run_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    aux: bool,
) -> tuple[Any, tuple[Any, ...]]:
    """Return the value of a function and one gradient for each parameter in `wrt`.

    With `aux`, the value is the pair that the function returned. Inputs are wrapped, not changed:
    a function that writes into its argument writes into a copy.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    tracked: list[Any] = []
    for name in wrt:
        bound.arguments[name] = wrapped(bound.arguments[name], tracked)
    given = [bound.arguments[name] for name in wrt]
    result = call_strictly(function, *bound.args, **bound.kwargs)
    output = result[0] if aux else result
    parts = iter(_gradients(output, tracked))
    grads = tuple(gradients_like(value, parts) for value in given)
    value = (unwrapped(output), unwrapped(result[1])) if aux else unwrapped(output)
    return value, grads


def _gradients(output: Any, tracked: list[Any]) -> Sequence[Any]:
    scalar_seed(output.detach().numpy() if isinstance(output, Tensor) else output)
    if not isinstance(output, Tensor) or not output.requires_grad:
        return [None] * len(tracked)
    gradients: Sequence[Any] = tape_grad(output, tracked, allow_unused=True)
    return gradients
