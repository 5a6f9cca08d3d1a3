"""Keeps values for the backward pass: what they were, where they came from, and their version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.apply import INFERENCE_SAVED
from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import SECOND_BACKWARD, Edge, Node
from srcgrad.tape.rulenode import RuleNode, modified_message


class SavedTensor:
    """One tensor that a user's Function saved.

    An output is kept without its node, which would be a cycle; a leaf is kept as it is.
    """

    __slots__ = (
        "counter", "data", "edge", "hooks", "leaf", "number", "packed", "tangent", "version",
    )  # fmt: skip

    def __init__(self, tensor: Core, node: Node, number: int | None) -> None:
        if tensor._inference and not STATE.inference:
            raise RuntimeError(INFERENCE_SAVED)
        self.number = number  # which output of `node` it is, if one
        self.counter = tensor._counter
        self.version = tensor._counter[0]
        self.data: Any = None
        self.edge: Edge | None = None
        self.leaf: Core | None = None
        if number is None:
            self.edge = None if tensor._flag else edge_of(tensor)
            self.leaf = tensor if self.edge is None else None
        level = STATE.dual_level
        self.tangent = None if level is None else (level, level.tangent_of(tensor))
        self.hooks = STATE.saved_hooks[-1] if STATE.saved_hooks else None
        if self.hooks is None:
            self.data = tensor._array
            return
        self.leaf = tensor if tensor._flag else None
        with _no_grad():
            self.packed = self.hooks.pack(tensor.detach())

    def unpack(self, node: Node) -> Any:
        """Return the tensor, with its place in the graph.

        Raises:
            RuntimeError: It was changed in place since, or the graph was freed.
        """
        if self.hooks is None:
            if self.counter[0] != self.version:
                edge = (node, self.number) if self.number is not None else self.edge
                raise RuntimeError(modified_message(self.data, edge, self.counter[0], self.version))
            if self.leaf is not None:
                return self.leaf
            data = self.data
        else:
            data = self.hooks.unpacked(self.packed)._array
        edge = (node, self.number) if self.number is not None else self.edge
        if edge is None and self.leaf is not None:
            edge = edge_of(self.leaf)
        tensor = make(data, edge)
        if self.hooks is None:
            tensor._counter = self.counter
        if self.tangent is not None and self.tangent[1] is not None:
            tensor._tangent = self.tangent
        return tensor


class _no_grad:
    """Record nothing while a user's hook runs."""

    def __enter__(self) -> None:
        self._before = STATE.grad
        STATE.set(grad=False)

    def __exit__(self, *exc: object) -> None:
        STATE.set(grad=self._before)


class HookPair:
    """A pair of functions that saved tensors go through: `pack` when saved, `unpack` when read."""

    def __init__(self, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
        self.pack = pack
        self.unpack = unpack

    def unpacked(self, packed: Any) -> Any:
        """Return the tensor that `unpack` makes of `packed`.

        Raises:
            TypeError: It makes something else.
        """
        with _no_grad():
            tensor = self.unpack(packed)
        if not isinstance(tensor, Core):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        return tensor

    def pack_rule(self, node: RuleNode, outputs: list[Any]) -> PackedRule:
        """Pack the arrays that the rule of `node` has saved, and let the node go without them."""
        entries: list[Any] = []
        for value in node.saved_tensors:
            if isinstance(value, (np.ndarray, np.generic)):
                position = node.position_of(value)
                with _no_grad():
                    tensor = make(value)
                    entries.append((True, self.pack(tensor), position))
            else:
                entries.append((False, value, -1))
        node.saved_tensors = (PACKED,) * len(entries)
        return PackedRule(self, entries)


PACKED = "packed"


class PackedRule:
    """What a user's hooks made of the arrays that a rule saved."""

    __slots__ = ("entries", "freed", "hooks")

    def __init__(self, hooks: HookPair, entries: list[Any]) -> None:
        self.hooks = hooks
        self.entries = entries

    def arrays(self, node: RuleNode) -> tuple[Any, ...]:
        """Return the saved values as arrays, unpacked once for this pass."""
        return tuple(
            self.hooks.unpacked(value)._array if packed else value
            for packed, value, _ in self.entries
        )

    def tensors(self, node: RuleNode) -> tuple[Any, ...]:
        """Return the saved values as tensors with their place in the graph."""
        found: list[Any] = []
        for packed, value, position in self.entries:
            if not packed:  # a number of Python may be an argument, and a list hold some
                found.append(node.tensor_of(value))
                continue
            data = self.hooks.unpacked(value)._array
            found.append(node.tensor_at(data, position))
        return tuple(found)


class Gone:
    """Stands for packed values after a pass has freed them."""

    def arrays(self, node: RuleNode) -> Any:
        """Refuse.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(SECOND_BACKWARD)

    tensors = arrays
