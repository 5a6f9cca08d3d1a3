"""Holds hooks of tensors and nodes, with handles that remove them."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

Hooks = dict[int, Callable[..., Any]]


class HookDict(dict[int, Any]):
    """Hooks by number, in order of registration; can be referred to weakly."""

    __slots__ = ("__weakref__",)


class RemovableHandle:
    """Removes its hook: by `remove()` or at the end of a ``with`` block."""

    _numbers = itertools.count()

    def __init__(self, hooks: Any) -> None:
        self._hooks = weakref.ref(hooks)
        self.id = next(RemovableHandle._numbers)

    def remove(self) -> None:
        """Remove the hook; twice does no harm."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class MultiHandle:
    """Removes several hooks together."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Remove every hook."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class NodeHooks:
    """All hooks of one node, in the order in which they run.

    `tensor` holds hooks of output tensors by output number, `retain` the tensors that keep their
    gradient, `pre` and `post` the hooks of the node itself.
    """

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, HookDict] = {}
        self.retain: dict[int, Any] = {}
        self.pre = HookDict()
        self.post = HookDict()


def add_hook(hooks: HookDict, fn: Callable[..., Any]) -> RemovableHandle:
    """Add `fn` to `hooks` and return the handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = fn
    return handle
