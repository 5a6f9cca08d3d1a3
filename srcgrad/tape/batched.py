"""Computes vector-Jacobian products for a batch of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.tape.apply import apply
from srcgrad.tape.core import Core, make
from srcgrad.tape.edges import roots_of, unused, wanted_edges
from srcgrad.tape.ops import require_op
from srcgrad.tape.stacked import finished, stacked_grad


def batched_grad(
    once: Callable[..., list[Any]],
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    grads: Any,
    keep: bool,
    create: bool,
    allow_unused: bool,
) -> list[Any]:
    """Call `once` for each vector of the batch and stack what it returns.

    Raises:
        RuntimeError: The vectors do not have the shape of their outputs.
    """
    given = (grads,) if isinstance(grads, (Core, np.ndarray)) else tuple(grads or ())
    given = tuple(g if g is None or isinstance(g, Core) else make(g) for g in given)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    for i, (out, grad) in enumerate(zip(outputs, given, strict=True)):
        if grad is not None and isinstance(out, Core) and grad._array.shape[1:] != out._array.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                "match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {list(grad._array.shape)} and output[{i}] has a "
                f"shape of {list(out._array.shape)}."
            )
    size = next(len(grad) for grad in given if grad is not None)
    if not create:
        found = _at_once(outputs, inputs, given, size, keep, allow_unused)
        if found is not None:
            return found
    rows = []
    for n in range(size):
        seeds = [None if grad is None else grad[n] for grad in given]
        last = n == size - 1
        rows.append(once(outputs, inputs, seeds, keep or not last, create, allow_unused))
    stack = require_op(np.stack)
    columns = list(zip(*rows, strict=True))
    return [None if c[0] is None else apply(stack, (list(c),)) for c in columns]


def _at_once(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    given: Sequence[Any],
    size: int,
    keep: bool,
    allow_unused: bool,
) -> list[Any] | None:
    """Return the gradients for all vectors from one pass; None if it has to be one for each."""
    rows = [None if grad is None else grad._array for grad in given]
    found = stacked_grad(roots_of(outputs), wanted_edges(inputs), rows, keep=keep)
    if found is None:
        return None
    results: list[Any] = []
    for slot, item in enumerate(inputs):
        value = found.get(slot)
        if value is None and not allow_unused:
            raise unused(slot)
        results.append(None if value is None else finished(value, item, size))
    return results
