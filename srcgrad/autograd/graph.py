"""Mirrors torch.autograd.graph: nodes, edges, hooks on saved tensors and on several gradients."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from srcgrad.autograd.drawing import Drawing, draw
from srcgrad.locks import Lock
from srcgrad.tape.backward import GradientEdge
from srcgrad.tape.core import Core, edge_of
from srcgrad.tape.engine import RUNNING
from srcgrad.tape.hooks import MultiHandle
from srcgrad.tape.inplace import bump
from srcgrad.tape.modes import STATE
from srcgrad.tape.mutation import AllowMutation
from srcgrad.tape.node import Node
from srcgrad.tape.rulenode import modified_message
from srcgrad.tape.saved import HookPair


class saved_tensors_hooks:
    """Send each tensor saved inside through `pack_hook`, and through `unpack_hook` when read.

    Only the innermost pair is used; thread-local.
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook
        self._before: tuple[Any, ...] = ()

    def __enter__(self) -> None:
        if STATE.saved_hooks_disabled is not None:
            raise RuntimeError(STATE.saved_hooks_disabled)
        self._before = STATE.saved_hooks
        STATE.set(saved_hooks=(*self._before, HookPair(self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc: object) -> None:
        STATE.set(saved_hooks=self._before)


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in the memory of the CPU, where NumPy's arrays are already.

    Since that is their own memory, a pass refuses those that were changed in place.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Any) -> tuple[Any, int]:
            return tensor, tensor._counter[0]

        def unpack(packed: tuple[Any, int]) -> Any:
            tensor, version = packed
            if tensor._counter[0] != version:
                raise RuntimeError(
                    modified_message(tensor._array, None, tensor._counter[0], version)
                )
            return tensor

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks:
    """Make entering any pair of hooks inside raise `error_message`; a context and a decorator.

    Raises:
        RuntimeError: On entering, a pair is active already.
    """

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message
        self._before: str | None = None

    def __enter__(self) -> None:
        if STATE.saved_hooks:
            raise RuntimeError(self.error_message)
        self._before = STATE.saved_hooks_disabled
        STATE.set(saved_hooks_disabled=self.error_message)

    def __exit__(self, *exc: object) -> None:
        STATE.set(saved_hooks_disabled=self._before)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` with this context around each call."""

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with disable_saved_tensors_hooks(self.error_message):
                return function(*args, **kwargs)

        return wrapped


def allow_mutation_on_saved_tensors() -> AbstractContextManager[Any]:
    """Let saved tensors be changed in place: they are cloned just before.

    Forward and backward must run inside the same block.

    Raises:
        RuntimeError: On entering, such a block is active already.
    """
    return AllowMutation()


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Return the place of `tensor` in the graph, which can stand for it in backward and grad.

    Raises:
        RuntimeError: The tensor does not require grad.
    """
    edge = edge_of(tensor) if isinstance(tensor, Core) else None
    if edge is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    return GradientEdge(*edge, (tensor._array.shape, tensor._array.dtype))


def increment_version(tensor: Any) -> None:
    """Report that the memory of one tensor, or of several, was changed by other means.

    Raises:
        RuntimeError: A tensor made in inference mode: it has no version.
    """
    for item in (tensor,) if isinstance(tensor, Core) else tuple(tensor):
        if item._inference:
            raise RuntimeError("increment_version does not support inference tensors")
        bump(item)


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: str = "all"
) -> MultiHandle:
    """Call `fn` once a pass: with all gradients of `tensors` (mode "all"), or the first ("any").

    Tensors that the pass does not reach are None in the list.

    Raises:
        ValueError: Another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    handles = _all_hooks(tensors, fn) if mode == "all" else _any_hooks(tensors, fn)
    return MultiHandle(tuple(handles))


def _all_hooks(tensors: Sequence[Any], fn: Callable[[Any], None]) -> list[Any]:
    lock = Lock()
    seen: weakref.WeakKeyDictionary[Any, tuple[list[Any], list[int]]] = weakref.WeakKeyDictionary()
    edges = [edge_of(tensor) for tensor in tensors]
    if any(edge is None for edge in edges):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    nodes = [edge[0] for edge in edges if edge is not None]

    def hook_for(i: int) -> Callable[[Any], None]:
        def hook(grad: Any) -> None:
            task = RUNNING.task
            assert task is not None
            with lock:
                if task not in seen:
                    total = sum(task.executes(node) for node in nodes)
                    seen[task] = [None] * len(tensors), [total]
                grads, left = seen[task]
                grads[i] = grad
                left[0] -= 1
                done = left[0] == 0
            if done:
                fn(grads)
                del seen[task]

        return hook

    return [tensor.register_hook(hook_for(i)) for i, tensor in enumerate(tensors)]


def _any_hooks(tensors: Sequence[Any], fn: Callable[[Any], None]) -> list[Any]:
    lock = Lock()
    done: weakref.WeakSet[Any] = weakref.WeakSet()

    def hook(grad: Any) -> None:
        task = RUNNING.task
        assert task is not None
        with lock:
            first = task not in done
            done.add(task)
        if first:
            fn(grad)

    return [tensor.register_hook(hook) for tensor in tensors if tensor.requires_grad]


class region_activation_memory_budget:
    """Accept a memory budget and do nothing: it steers PyTorch's compiler only."""

    def __init__(self, budget: float) -> None:
        if not 0 <= budget <= 1:
            raise ValueError(f"activation memory budget must be between 0 and 1, got {budget}")
        self.budget = budget

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, *exc: object) -> None:
        """Do nothing."""


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Do nothing: there are no CUDA streams here."""


def set_override_stale_capture_stream(enabled: bool) -> None:
    """Do nothing: there are no CUDA streams here."""


__all__ = [
    "Drawing",
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "draw",
    "get_gradient_edge",
    "increment_version",
    "region_activation_memory_budget",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_override_stale_capture_stream",
    "set_warn_on_accumulate_grad_stream_mismatch",
]
