"""Calls the hooks of tensors and nodes with tensors, and takes what they return."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.core import Core, make
from srcgrad.tape.hooks import HookDict, NodeHooks
from srcgrad.tape.node import dense_like


def boxed(grad: Any) -> Any:
    """Return a gradient as the tensor that hooks see."""
    return grad if grad is None or isinstance(grad, Core) else make(np.asarray(grad))


def unboxed(grad: Any, create: bool) -> Any:
    """Return a gradient as the pass wants it: a tensor if it is recorded, else an array."""
    return grad._array if isinstance(grad, Core) and not create else grad


def checked(new: Any, old: Any) -> Any:
    """Return the gradient `new` that a hook returned in the place of `old`.

    Raises:
        TypeError: It is no tensor.
        RuntimeError: It has another shape.
    """
    if isinstance(new, np.ndarray) and not isinstance(new, Core):  # in strict mode it is both
        new = make(new)
    if not isinstance(new, Core):
        raise TypeError(
            f"hook {type(new).__name__!r} is not a tensor: expected a Tensor, but got "
            f"{type(new).__name__}"
        )
    if old is not None and new._array.shape != np.shape(
        old if not isinstance(old, Core) else old._array
    ):
        raise RuntimeError("hook has changed the size of value")
    return new


def run_tensor_hooks(hooks: Any, grads: list[Any], node: Any, create: bool) -> list[Any]:
    """Run the hooks of output tensors, then keep gradients for those that retain theirs."""
    if isinstance(hooks, HookDict):
        return [_run_each(hooks, grads[0], create)]
    assert isinstance(hooks, NodeHooks)
    grads = list(grads)
    for number, own in hooks.tensor.items():
        if grads[number] is not None:
            grads[number] = _run_each(own, grads[number], create)
    for number, ref in list(hooks.retain.items()):
        tensor = ref()
        if tensor is not None and grads[number] is not None:
            _retain(tensor, grads[number], create)
    return grads


def _run_each(hooks: HookDict, grad: Any, create: bool) -> Any:
    for hook in list(hooks.values()):
        value = boxed(grad)
        result = hook(value)
        grad = value if isinstance(grad, Core) else (None if value is None else value._array)
        if result is not None:
            grad = unboxed(checked(result, value), create)
    return grad


def _retain(tensor: Any, grad: Any, create: bool) -> None:
    if isinstance(grad, Core):
        tensor._grad = grad if tensor._grad is None else tensor._grad + grad
    elif tensor._grad is None:
        tensor._grad = make(dense_like(grad, tensor))
    else:
        tensor._grad = make(tensor._grad._array + grad)


def run_pre_hooks(hooks: NodeHooks, grads: list[Any], create: bool) -> list[Any]:
    """Run the hooks before a node on all its output gradients."""
    for hook in list(hooks.pre.values()):
        values = tuple(boxed(grad) for grad in grads)
        result = hook(values)
        if result is not None:
            if not isinstance(result, tuple):
                result = (result,)
            if len(result) != len(values):
                raise RuntimeError("hook has returned an incorrect number of values")
            grads = [
                None if new is None else unboxed(checked(new, old), create)
                for new, old in zip(result, values, strict=True)
            ]
    return grads


def run_post_hooks(
    hooks: NodeHooks, parts: tuple[Any, ...], grads: list[Any], node: Any, create: bool
) -> tuple[Any, ...]:
    """Run the hooks after a node on the gradients of its inputs and outputs."""
    outputs = tuple(boxed(grad) for grad in grads)
    for hook in list(hooks.post.values()):
        edges = node._edges
        values = tuple(
            boxed(part) if i < len(edges) and edges[i] is not None else None
            for i, part in enumerate(parts[: len(edges)])
        )
        result = hook(values, outputs)
        if result is not None:
            if not isinstance(result, tuple):
                result = (result,)
            if len(result) != len(values):
                raise RuntimeError("hook has returned an incorrect number of values")
            parts = tuple(None if new is None else unboxed(new, create) for new in result)
    return parts
