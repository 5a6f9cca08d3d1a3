"""Tracks which tensors are views of which, so that in-place changes reach all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from srcgrad.tape.core import Core, ViewInfo
from srcgrad.tape.modes import STATE


class ViewStep:
    """One step from a base to its view: a call of `op` in which the viewed tensor is left open."""

    __slots__ = ("args", "kwargs", "op", "part", "position")

    def __init__(
        self,
        op: Any,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        position: Any,
        part: int | None,
    ) -> None:
        self.op = op
        self.args = args
        self.kwargs = kwargs
        self.position = position
        self.part = part

    def __call__(self, value: Any) -> Any:
        """Return the view of `value`, a tensor or an array."""
        if self.op is None:  # the same elements
            return value if isinstance(value, Core) else value.view()
        args, kwargs = list(self.args), dict(self.kwargs)
        if isinstance(self.position, int):
            args[self.position] = value
        else:
            kwargs[self.position] = value
        if isinstance(value, Core):
            result = type(self).record(self.op, tuple(args), kwargs)
        else:
            result = self.op.call_primal(tuple(args), kwargs)
        return result if self.part is None else result[self.part]

    record: ClassVar[Callable[..., Any]]  # how a call is recorded; set where that is defined


def note_views(
    op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any, tensors: list[Core]
) -> None:
    """Register the results that look into the memory of one of the `tensors`."""
    if isinstance(result, Core):
        if result._array.base is not None or _same_array(result, tensors):
            _note(op, args, kwargs, result, None, tensors)
    elif isinstance(result, (list, tuple)):
        for part, item in enumerate(result):
            if isinstance(item, Core) and (
                item._array.base is not None or _same_array(item, tensors)
            ):
                _note(op, args, kwargs, item, part, tensors)


def _same_array(result: Core, tensors: list[Core]) -> bool:
    for tensor in tensors:
        if tensor._array is result._array:
            result._array = result._array.view()
            return True
    return False


def _note(
    op: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    result: Core,
    part: int | None,
    tensors: list[Core],
) -> None:
    for tensor in tensors:
        if np.may_share_memory(result._array, tensor._array):
            break
    else:
        return
    position: Any = next((i for i, arg in enumerate(args) if arg is tensor), None)
    if position is None:
        position = next((key for key, arg in kwargs.items() if arg is tensor), None)
    if position is None:  # inside a list: not a view of one argument
        return
    held = tuple(None if arg is tensor else arg for arg in args)
    named = {key: value for key, value in kwargs.items() if value is not tensor}
    step = ViewStep(op, held, named, position, part)
    multiple = op.node_class.__name__ if part is not None else ""
    register_view(result, tensor, step, multiple)


def register_view(view: Core, of: Core, step: Any, multiple: str = "") -> None:
    """Make `view` a view of the tensor `of`, from which `step` leads to it."""
    parent = of._view
    base = of if parent is None else parent.base
    chain = (step,) if parent is None else (*parent.chain, step)
    creation = ""
    if STATE.inference:
        creation = "inference_mode"
    elif not STATE.grad:
        creation = "no_grad"
    if parent is not None:
        creation = creation or parent.creation
        multiple = multiple or parent.multiple
    view._counter = of._counter
    view._view = ViewInfo(base, chain, creation, multiple)
    if of._inference:
        view._inference = True
