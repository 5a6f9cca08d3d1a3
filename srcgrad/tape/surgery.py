"""Runs blocks of `grad_of` on the gradients of tensors."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.runtime.surgery import Edit, set_engine
from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.inplace import set_edge
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import Edge, Node
from srcgrad.tape.runhooks import checked


class EditBackward(Node):
    """Hands a gradient on as a block of the user's leaves it."""

    __slots__ = ("edit",)

    def __init__(self, before: Edge, edit: Edit) -> None:
        super().__init__()
        self._edges = (before,)
        self.needs_input_grad = (True,)
        self.edit = edit

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Run the block on a copy, which it may keep."""
        given = make(np.array(grad))
        held = getattr(self.edit, "keywords", {})
        plain = {key: x.detach() if isinstance(x, Core) else x for key, x in held.items()}
        return (np.array(checked(self.edit(given, **plain), given)._array),)

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Do the same on tensors, so that what the block does is recorded."""
        return (checked(self.edit(grad.clone()), grad),)

    def spend(self) -> None:
        """Leave the block out from now on."""
        self.edit = _unedited


def _unedited(grad: Any) -> Any:
    return grad


class _Ignoring(threading.local):
    edits = False
    met: list[EditBackward] | None = None


_IGNORING = _Ignoring()


@contextlib.contextmanager
def ignored_edits() -> Iterator[None]:
    """Leave the blocks out, where adjoints are a means to find tangents."""
    before, _IGNORING.edits = _IGNORING.edits, True
    try:
        yield
    finally:
        _IGNORING.edits = before


@contextlib.contextmanager
def edited_once() -> Iterator[None]:
    """Leave the blocks met inside out afterwards: the derivative of an edited adjoint is plain."""
    before, _IGNORING.met = _IGNORING.met, []
    try:
        yield
    finally:
        for node in _IGNORING.met or ():
            node.spend()
        _IGNORING.met = before


class OwnEdits:
    """The blocks of one run, which are left out but where its own pullback runs."""

    def __init__(self) -> None:
        self._blocks: list[tuple[EditBackward, Edit]] = []

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """Note the blocks that are met inside, and leave them out from then on."""
        before, _IGNORING.met = _IGNORING.met, []
        try:
            yield
        finally:
            self._blocks += [(node, node.edit) for node in _IGNORING.met or ()]
            _IGNORING.met = before
            self._leave_out()

    @contextlib.contextmanager
    def run(self) -> Iterator[None]:
        """Let the blocks run inside."""
        for node, edit in self._blocks:
            node.edit = edit
        try:
            yield
        finally:
            self._leave_out()

    def _leave_out(self) -> None:
        for node, _ in self._blocks:
            node.spend()


def attach(x: Any, edit: Callable[[], Edit]) -> None:
    """Let later uses of a tensor hand their gradients through a block.

    Raises:
        RuntimeError: The tensor is a leaf.
    """
    if not isinstance(x, Core) or not STATE.grad or _IGNORING.edits:
        return
    before = edge_of(x)
    if before is None:
        return
    if x._flag:
        raise RuntimeError(
            "`grad_of` of a leaf tensor: give it a copy (x = x.clone()), or use x.register_hook"
        )
    node = EditBackward(before, edit())
    if _IGNORING.met is not None:
        _IGNORING.met.append(node)
    set_edge(x, (node, 0))
    if x._view is not None:  # who writes into the base from now on would lose the block: refused
        x._view.creation, x._view.multiple = "function", "EditBackward"


set_engine(attach)
