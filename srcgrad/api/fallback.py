"""Differentiates a function on the tape, where the compiler refuses it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.api.values import is_float
from srcgrad.errors import NonScalarOutputError, SrcgradError
from srcgrad.runtime import scalar_seed
from srcgrad.tape import Tensor, enable_grad, strict_fallback, tensor
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
        bound.arguments[name] = _wrap(bound.arguments[name], tracked)
    with enable_grad(), strict_fallback():
        result = _call(function, bound)
    output = result[0] if aux else result
    gradients = _gradients(output, tracked)
    parts = iter(gradients)
    grads = tuple(_unwrap_like(bound.arguments[name], parts) for name in wrt)
    value = (_plain(output), _plain(result[1])) if aux else _plain(output)
    return value, grads


def _call(function: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
    """Call the function; NumPy wraps our refusals in errors of its own, which say less."""
    try:
        return function(*bound.args, **bound.kwargs)
    except (ValueError, TypeError) as error:
        if isinstance(error.__cause__, SrcgradError):
            raise error.__cause__ from None
        raise


def _wrap(value: Any, tracked: list[Any]) -> Any:
    """Return `value` with every float leaf as a tensor that may be written into."""
    if isinstance(value, dict):
        return {key: _wrap(item, tracked) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_wrap(item, tracked) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*parts)
        return parts if isinstance(value, list) else tuple(parts)
    if not is_float(value):
        return value
    leaf = tensor(value, requires_grad=True)
    tracked.append(leaf)
    return leaf.clone()


def _gradients(output: Any, tracked: list[Any]) -> Sequence[Any]:
    if not isinstance(output, Tensor):
        scalar_seed(output)
        return [None] * len(tracked)
    scalar_seed(output.detach().numpy())
    if not output.requires_grad:
        return [None] * len(tracked)
    if not tracked:
        raise NonScalarOutputError("there is nothing to differentiate with respect to")
    gradients: Sequence[Any] = tape_grad(output, tracked, allow_unused=True)
    return gradients


def _unwrap_like(value: Any, parts: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unwrap_like(item, parts) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_unwrap_like(item, parts) for item in value]
    if not isinstance(value, Tensor):
        return None
    part = next(parts)
    return None if part is None else part.detach().numpy()


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        array = value.detach().numpy()
        return array[()] if array.ndim == 0 else array
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_plain(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value
