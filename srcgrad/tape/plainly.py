"""Runs plain functions of arrays on the tape: wraps what goes in, unwraps what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.errors import MutationError, SrcgradError
from srcgrad.runtime.taped import set_engine
from srcgrad.tape.backward import grad as tape_grad
from srcgrad.tape.creation import tensor
from srcgrad.tape.modes import enable_grad
from srcgrad.tape.mutation import strict_fallback
from srcgrad.tape.tensor import Tensor


def wrapped(value: Any, tracked: list[Any]) -> Any:
    """Return `value` with every float leaf as a tensor that may be written into.

    The leaves that gradients are asked for are added to `tracked`.
    """
    if isinstance(value, dict):
        return {key: wrapped(item, tracked) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [wrapped(item, tracked) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*parts)
        return parts if isinstance(value, list) else tuple(parts)
    if not is_float(value):
        return value
    leaf = tensor(value, requires_grad=True)
    tracked.append(leaf)
    is_array = isinstance(value, np.ndarray) and value.ndim == 0
    return leaf.reshape(()) if is_array else leaf.clone()  # a 0-d array is not a number


def is_float(value: Any) -> bool:
    """Say whether a leaf is a floating-point number or array."""
    if isinstance(value, (float, complex)):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def unwrapped(value: Any) -> Any:
    """Return `value` with every tensor as a plain array or number."""
    if isinstance(value, Tensor):
        array = value.detach().numpy()
        return array[()] if array.ndim == 0 else array
    if isinstance(value, dict):
        return {key: unwrapped(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [unwrapped(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def gradients_like(value: Any, parts: Iterator[Any]) -> Any:
    """Return gradients in the structure of a wrapped value; None for what is no tensor."""
    if isinstance(value, dict):
        return {key: gradients_like(item, parts) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [gradients_like(item, parts) for item in value]
    if not isinstance(value, Tensor):
        return None
    part = next(parts)
    return None if part is None else part.detach().numpy()


def call_strictly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function where nothing may leave the tape unseen.

    NumPy wraps our refusals in errors of its own, which say less: ours is raised.
    """
    with enable_grad(), strict_fallback():
        try:
            return function(*args, **kwargs)
        except (ValueError, TypeError) as error:
            if isinstance(error.__cause__, SrcgradError):
                raise error.__cause__ from None
            raise


def run_call(
    function: Callable[..., Any], active: tuple[bool, ...], *args: Any, **kwargs: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run one call on the tape; return its value and its pullback (see `runtime.on_tape`)."""
    tracked: list[Any] = []
    given = [wrapped(a, tracked) if flag else a for a, flag in zip(args, active, strict=True)]
    versions = [item._version if isinstance(item, Tensor) else 0 for item in given]
    result = call_strictly(function, *given, **kwargs)
    _refuse_writes(function, given, versions)
    wanted = [(a, t) for a, t, flag in zip(args, given, active, strict=True) if flag]

    def pullback(grad: Any) -> Any:
        if isinstance(result, Tensor) and result.requires_grad:
            seed = tensor(np.broadcast_to(grad, result.shape))
            found: Any = tape_grad(result, tracked, seed, retain_graph=True, allow_unused=True)
        else:
            found = [None] * len(tracked)
        parts = iter(found)
        grads = [_filled(gradients_like(t, parts), a) for a, t in wanted]
        return grads[0] if len(grads) == 1 else tuple(grads)

    return unwrapped(result), pullback


def _refuse_writes(function: Any, given: list[Any], versions: list[int]) -> None:
    """A call that writes into its arguments wrote into copies: its caller would not see that."""
    for item, version in zip(given, versions, strict=True):
        if isinstance(item, Tensor) and item._version != version:
            name = getattr(function, "__qualname__", None) or type(function).__qualname__
            raise MutationError(
                f"`{name}`, which runs on the tape for want of source, writes into its argument",
                hint="define it in a file, or return the new value instead",
            )


def _filled(grad: Any, value: Any) -> Any:
    """Return zeros for the gradient of a number or array that the result does not depend on."""
    return np.zeros_like(value) if grad is None and is_float(value) else grad


set_engine(run_call)
