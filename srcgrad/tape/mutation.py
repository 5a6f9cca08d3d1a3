"""Lets tensors that were saved for backward be changed in place, by cloning them just before."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from srcgrad.tape.apply import UNCHANGING
from srcgrad.tape.core import Core, leaf_edge
from srcgrad.tape.modes import STATE, ModeContext
from srcgrad.tape.replacing import replace_saved
from srcgrad.tape.rulenode import ElementwiseNode, RuleNode
from srcgrad.tape.texts import Spoken

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the "
    "graph "
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


class KeepSaved:
    """Knows which nodes saved which memory, and gives them copies before it is written to.

    What one `around` it knows, such as that of an outer call on the tape, holds inside, too.
    """

    def __init__(self, around: KeepSaved | None = None) -> None:
        self._around = around
        self._savers: dict[int, tuple[list[int], list[weakref.ref[Any]]]] = {}
        self._refused: dict[int, tuple[list[int], Callable[[], Exception]]] = {}

    def refuse_writes(self, target: Core, error: Callable[[], Exception]) -> None:
        """Let writes into the memory of `target` raise an error."""
        self._refused[id(target._counter)] = target._counter, error

    def refuse_as(self, known: Core, target: Core) -> None:
        """Let writes into the memory of `target` be refused as those into that of `known` are."""
        _, error = self._refused.get(id(known._counter), (None, None))
        if error is not None:
            self.refuse_writes(target, error)
        elif self._around is not None:
            self._around.refuse_as(known, target)

    def watch(self, node: Any) -> None:
        """Remember a node that has just been recorded."""
        ref = weakref.ref(node)
        for counter in _counters(node):
            if counter is not UNCHANGING:
                self._savers.setdefault(id(counter), (counter, []))[1].append(ref)

    def before_write(self, target: Core) -> None:
        """Give every node that saved the memory of `target` a copy of its own, or refuse."""
        if self._around is not None:
            self._around.before_write(target)
        if id(target._counter) in self._refused:
            error = self._refused[id(target._counter)][1]()
            raise error
        self.keep(target)

    def keep(self, target: Core) -> None:
        """Give every node that saved the memory of `target` a copy of its own."""
        _, refs = self._savers.pop(id(target._counter), (None, []))
        for ref in refs:
            node = ref()
            if isinstance(node, RuleNode):
                _copy_rule(node, target._counter)
            elif node is not None:
                _copy_function(node, target._counter)

    def nodes(self) -> list[Any]:
        """Return the nodes that are still alive."""
        return [ref() for _, refs in self._savers.values() for ref in refs]


class AllowMutation(KeepSaved):
    """The block of `allow_mutation_on_saved_tensors`: backward must run inside it."""

    def __enter__(self) -> AllowMutation:
        if STATE.mutation is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        STATE.set(mutation=self)
        return self

    def __exit__(self, *exc: object) -> None:
        STATE.set(mutation=None)
        for node in self.nodes():
            if isinstance(node, RuleNode) and node.saved_tensors:
                node._packed = Outside()
        self._savers.clear()


def _counters(node: Any) -> list[list[int]]:
    """Return the version counters of what `node` saved."""
    if isinstance(node, RuleNode):
        return list(node._versions[::2]) if node.saved_tensors else []
    return [saved.counter for saved in getattr(node, "_saved", None) or () if saved]


class strict_fallback(ModeContext):
    """Run plain NumPy code on tensors: refuse, with a typed error, whatever would detach them.

    Inside, ``float(t)`` and ``np.asarray(t)`` of a tensor that requires grad raise
    `NotDifferentiableError` (the fallback lends plain code stand-ins for them); a tensor without
    axes behaves as a NumPy scalar (``x += y`` rebinds, ``isinstance(x, float)`` holds for float64)
    and others as an array (``isinstance(x, np.ndarray)``); results that carry no derivative are
    plain NumPy values; and saved values may be overwritten, as work arrays are: nodes get copies
    first. Code that does not speak torch finds no attribute on a tensor that an array has not.
    """

    def __init__(self, enabled: bool = True, *, speaks_torch: bool = True) -> None:
        self.enabled = enabled
        self.speaks_torch = speaks_torch
        self._before: list[tuple[Any, ...]] = []

    def __enter__(self) -> None:
        before = STATE.strict, STATE.mutation, STATE.refusals, STATE.spoken, STATE.speaks_torch
        self._before.append(before)
        on = self.enabled
        STATE.set(
            strict=on,
            mutation=KeepSaved(STATE.mutation) if on else None,
            refusals=[] if on else None,
            spoken=Spoken() if on else None,
            speaks_torch=self.speaks_torch,
        )

    def __exit__(self, *exc: object) -> None:
        strict, mutation, refusals, spoken, speaks_torch = self._before.pop()
        STATE.set(
            strict=strict,
            mutation=mutation,
            refusals=refusals,
            spoken=spoken,
            speaks_torch=speaks_torch,
        )

    def clone(self) -> strict_fallback:
        """Return a fresh context of the same kind."""
        return self.__class__(self.enabled, speaks_torch=self.speaks_torch)


def _copy_rule(node: RuleNode, counter: list[int]) -> None:
    versions = node._versions
    if isinstance(node, ElementwiseNode):
        if versions and versions[0] is counter and versions[1] == counter[0]:
            node.saved_tensors = tuple(
                value.copy() if hasattr(value, "copy") else value for value in node.saved_tensors
            )
            node._versions = (UNCHANGING, 0)
        return
    written = {
        known
        for position, known in enumerate(node._ids)
        if versions[2 * position] is counter and versions[2 * position + 1] == counter[0]
    }
    # One copy for each array: operands that are the same tensor stay the same one.
    copies = {
        id(value): value.copy()
        for value in node.saved_tensors
        if id(value) in written and hasattr(value, "copy")
    }
    replace_saved(node, copies)


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
