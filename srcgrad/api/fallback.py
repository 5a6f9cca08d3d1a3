"""Differentiates a function on the tape, where the compiler refuses it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.api.tied_plans import directions_of
from srcgrad.api.values import conform
from srcgrad.runtime import scalar_seed
from srcgrad.tape import Tensor, gradients_like, run_plainly, unwrapped
from srcgrad.tape import grad as tape_grad
from srcgrad.tape.surgery import edited_once
from srcgrad.tape.turning import meeting


@edited_once()
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
    given = dict(bound.arguments)
    run = run_plainly(function, bound, wrt)
    output = run.result[0] if aux else run.result
    scalar_seed(unwrapped(output))
    met: list[str] = []
    with meeting(met):
        parts = iter(_gradients(output, run.tracked, run.nested))
    order = [name for name in run.given if name in wrt]
    grads = {name: gradients_like(run.given[name], parts, keep=run.nested) for name in order}
    found = tuple(grads[name] for name in wrt)
    if met and not run.nested and not hasattr(function, "__srcgrad_taken__"):
        found = tuple(conform(grad, given[name]) for name, grad in zip(wrt, found, strict=True))
        slopes = directions_of(function, wrt, given)
        found = tuple(slopes.gradients(found, [1.0], run.value))
    return run.value, found


def _gradients(output: Any, tracked: list[Any], nested: bool) -> Sequence[Any]:
    if not isinstance(output, Tensor) or not output.requires_grad:
        return [None] * len(tracked)
    gradients: Sequence[Any] = tape_grad(output, tracked, create_graph=nested, allow_unused=True)
    return gradients
