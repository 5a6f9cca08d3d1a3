"""Takes gradients of tensors on the tape, so that they can be differentiated once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.api.gradient import Gradient
from srcgrad.api.underlying import plain, signature
from srcgrad.api.values import is_float
from srcgrad.errors import UnsupportedError
from srcgrad.runtime.containers import part_names, with_parts
from srcgrad.runtime.objects import is_plain_object
from srcgrad.tape import Tensor, tensor, unwrapped
from srcgrad.tape import grad as tape_grad


def on_tape(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that does what `f` does: of a gradient, that gradient.

    Raises:
        UnsupportedError: `f` is the gradient of a function with auxiliary results.
    """
    if not isinstance(f, Gradient):
        return plain(f)
    if f.has_aux:
        raise UnsupportedError(
            "a gradient with has_aux=True is not differentiated on the tape",
            hint="leave has_aux out for the second derivative",
        )
    form, function = signature(f), plain(f)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        bound = form.bind(*args, **kwargs)
        bound.apply_defaults()
        for name in f.names:  # those that are held further outside are no tensors
            bound.arguments[name] = _lifted(bound.arguments[name])
        inputs = [bound.arguments[name] for name in f.names]
        leaves = [leaf for item in inputs for leaf in _tensors(item)]
        output = function(*bound.args, **bound.kwargs)
        found: Any = [None] * len(leaves)
        if isinstance(output, Tensor) and output.requires_grad:
            found = tape_grad(output, leaves, create_graph=True, allow_unused=True)
        pairs = zip(found, leaves, strict=True)
        parts = iter([_zeros(leaf) if grad is None else grad for grad, leaf in pairs])
        grads = tuple(_like(item, parts) for item in inputs)
        answer = grads[0] if f.single else grads
        return (output, answer) if f.gives_value else answer

    return gradient


def _lifted(value: Any) -> Any:
    """Return a value with tensors for the floats in it that are none."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, dict):
        return {key: _lifted(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_lifted(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return tensor(value, requires_grad=True) if is_float(value) else value


def _zeros(leaf: Any) -> Any:
    return tensor(np.zeros_like(unwrapped(leaf)))


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _tensors(item)]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _tensors(item)]
    if is_plain_object(value):
        return [leaf for name in part_names(value) for leaf in _tensors(getattr(value, name))]
    return [value] if isinstance(value, Tensor) else []


def _like(value: Any, parts: Iterator[Any]) -> Any:
    if isinstance(value, dict):
        return {key: _like(item, parts) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_like(item, parts) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if is_plain_object(value):
        return with_parts(value, {n: _like(getattr(value, n), parts) for n in part_names(value)})
    return next(parts) if isinstance(value, Tensor) else None
