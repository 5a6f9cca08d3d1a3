"""Differentiates a function on the tape, where the compiler refuses it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.runtime import scalar_seed
from srcgrad.tape import Tensor, gradients_like, run_plainly, unwrapped
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

    With `aux`, the value is the pair that the function returned. A function that writes into its
    argument does so once, and the gradient is with respect to what it held before.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    run = run_plainly(function, bound, wrt)
    output = run.result[0] if aux else run.result
    scalar_seed(unwrapped(output))
    parts = iter(_gradients(output, run.tracked, run.nested))
    order = [name for name in run.given if name in wrt]
    grads = {name: gradients_like(run.given[name], parts) for name in order}
    return run.value, tuple(grads[name] for name in wrt)


def _gradients(output: Any, tracked: list[Any], nested: bool) -> Sequence[Any]:
    if not isinstance(output, Tensor) or not output.requires_grad:
        return [None] * len(tracked)
    gradients: Sequence[Any] = tape_grad(output, tracked, create_graph=nested, allow_unused=True)
    return gradients
