"""Lets tensors that were saved for backward be changed in place, by cloning them just before."""

from __future__ import annotations

import weakref
from typing import Any

from srcgrad.tape.apply import UNCHANGING
from srcgrad.tape.core import Core, leaf_edge
from srcgrad.tape.modes import STATE
from srcgrad.tape.rulenode import ElementwiseNode, RuleNode

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph "
    "was originally recorded."
)


class Outside:
    """Stands for saved values once their block has ended."""

    def arrays(self, node: Any) -> Any:
        """Refuse.

        Raises:
            AssertionError: Always.
        """
        raise AssertionError(OUTSIDE)

    tensors = arrays


class AllowMutation:
    """The block of `allow_mutation_on_saved_tensors`: knows which nodes saved which memory."""

    def __init__(self) -> None:
        self._nodes: weakref.WeakSet[Any] = weakref.WeakSet()

    def __enter__(self) -> AllowMutation:
        if STATE.mutation is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        STATE.set(mutation=self)
        return self

    def __exit__(self, *exc: object) -> None:
        STATE.set(mutation=None)
        for node in list(self._nodes):
            if isinstance(node, RuleNode) and node.saved_tensors:
                node._packed = Outside()
        self._nodes.clear()

    def watch(self, node: Any) -> None:
        """Remember a node recorded inside the block."""
        self._nodes.add(node)

    def before_write(self, target: Core) -> None:
        """Give every node that saved the memory of `target` a copy of its own."""
        for node in list(self._nodes):
            if isinstance(node, RuleNode):
                _copy_rule(node, target._counter)
            else:
                _copy_function(node, target._counter)


def _copy_rule(node: RuleNode, counter: list[int]) -> None:
    versions = list(node._versions)
    if isinstance(node, ElementwiseNode):
        if versions and versions[0] is counter and versions[1] == counter[0]:
            node.saved_tensors = tuple(value.copy() for value in node.saved_tensors)
            node._versions = (UNCHANGING, 0)
        return
    saved, ids = list(node.saved_tensors), list(node._ids)
    for position, known in enumerate(ids):
        if versions[2 * position] is not counter or versions[2 * position + 1] != counter[0]:
            continue
        for k, value in enumerate(saved):
            if id(value) == known:
                saved[k] = value.copy()
                ids[position] = id(saved[k])
                versions[2 * position : 2 * position + 2] = UNCHANGING, 0
    node.saved_tensors, node._ids, node._versions = tuple(saved), tuple(ids), tuple(versions)


def _copy_function(node: Any, counter: list[int]) -> None:
    for saved in getattr(node, "_saved", None) or ():
        if saved is None or saved.hooks is not None or saved.counter is not counter:
            continue
        if saved.version == counter[0]:
            if saved.leaf is not None:
                saved.edge = leaf_edge(saved.leaf) if saved.leaf._flag else None
                saved.leaf = None
            saved.data = saved.data.copy()
            saved.counter = [saved.version]
