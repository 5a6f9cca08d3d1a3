"""Keeps the Function classes of old code."""

from __future__ import annotations

from typing import Any

from srcgrad.tape.function import Function


def traceable(cls: type[Function]) -> type[Function]:
    """Mark a Function as one that a tracer may look into; nothing here reads the mark."""
    cls.is_traceable = True  # type: ignore[attr-defined]
    return cls


class InplaceFunction(Function):
    """A Function that remembers whether it works in place; kept for old code."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Kept for old code, which must be rewritten: it can no longer be called.

    A call raises, as PyTorch's does; use a Function with several arguments.
    """

    @property
    def saved_tensors(self) -> Any:
        """Refuse: nothing can have been saved."""
        raise RuntimeError("NestedIOFunction can no longer be called, so it has saved nothing")

    def forward(self, *args: Any) -> Any:  # type: ignore[override]
        """Call `forward_extended`, which old subclasses define."""
        return self.forward_extended(*args)

    def backward(self, *grads: Any) -> Any:  # type: ignore[override]
        """Call `backward_extended`, which old subclasses define."""
        return self.backward_extended(*grads)

    def mark_dirty(self, *args: Any, **kwargs: Any) -> None:
        """Remember inputs that are changed in place."""
        self.dirty_tensors = (args, kwargs)

    def mark_non_differentiable(self, *args: Any, **kwargs: Any) -> None:
        """Remember outputs that need no gradient."""
        self.non_differentiable = (args, kwargs)

    def forward_extended(self, *inputs: Any) -> Any:
        """Compute the value; old subclasses define it."""
        raise NotImplementedError("NestedIOFunction needs `forward_extended`")

    def backward_extended(self, *grads: Any) -> Any:
        """Compute the gradients; old subclasses define it."""
        raise NotImplementedError("NestedIOFunction needs `backward_extended`")
