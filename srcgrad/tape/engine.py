"""Runs a graph backward: nodes in reverse order of recording, without recursion."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from srcgrad.tape.anomaly import check_finite, explain_failure
from srcgrad.tape.core import Core, make
from srcgrad.tape.limits import find_limits
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import LEAF_HOOKS, Edge, Node, accumulate, as_dtype
from srcgrad.tape.runhooks import run_post_hooks, run_pre_hooks, run_tensor_hooks
from srcgrad.tape.selection import Selections
from srcgrad.tape.tied import tied_nodes


class Pass:
    """One backward pass.

    Attributes:
        keep: Saved values stay for another pass.
        create: The pass itself is recorded, and gradients are tensors on the way.
        quiet: Hooks do not run.
        captures: For each node whose output gradient is asked for, (output number, slot) pairs.
        needed: The nodes to run; None for all.
        results: The gradients asked for, by slot.
    """

    def __init__(self, keep: bool, create: bool, *, careful: bool = False) -> None:
        self.keep = keep
        self.create = create
        self.quiet = False
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.needed: set[Node] | None = None
        self.reached: set[Node] = set()
        self.results: dict[int, Any] = {}
        self.accumulates = True
        self.nodes: dict[int, Node] = {}
        self.grads: dict[int, Any] = {}
        self.heap: list[int] = []
        self.leaves: list[int] = []
        self.waiting: dict[Node, int] | None = None  # contributions that leaves wait for
        self.roots: tuple[Node, ...] = ()
        self.selections = Selections(careful=careful)
        self._graph: set[Node] | None = None

    def want(
        self, wanted: Sequence[Edge], roots: Iterable[Node], ends: frozenset[Node] = frozenset()
    ) -> None:
        """Ask for the gradients at the edges `wanted`; nodes that do not lead there do not run.

        Neither do the `ends`, of which the gradients may be asked for.
        """
        for slot, (node, number) in enumerate(wanted):
            self.captures.setdefault(node, []).append((number, slot))
        needed = self.needed = leading_to(set(self.captures), roots, ends)
        self.reached = {
            node
            for node in needed - ends
            if any(edge is not None and edge[0] in needed for edge in node._edges)
        }

    def executes(self, node: Node) -> bool:
        """Return whether this pass runs `node`, or gives its gradient."""
        if self.needed is not None:
            return node in self.needed
        if self._graph is None:
            self._graph = below(self.roots)
        return node in self._graph

    def add(self, edge: Edge, grad: Any) -> None:
        """Add a contribution to the gradient that arrives at `edge`."""
        node, number = edge
        key = node._key
        grads = self.grads
        if self.selections.masks:
            self.selections.arrives(key)
        if key not in self.nodes:
            if self.needed is not None and node not in self.needed:
                return
            if node._leaf:
                if grad is None:
                    return
                self.leaves.append(key)
            else:
                heappush(self.heap, key)
            self.nodes[key] = node
            if node._outputs == 1:
                grads[key] = grad
                return
            grads[key] = [None] * node._outputs
        if grad is None:
            return
        held = grads[key]
        if node._outputs == 1:
            grads[key] = grad if held is None else held + grad
        else:
            held[number] = grad if held[number] is None else held[number] + grad

    def run(self) -> None:
        """Pull gradients back until no node is left."""
        if LEAF_HOOKS.used:
            self.waiting = count_contributions(self.nodes.values(), self.needed)
            self._release_leaves()
        heapify(self.heap)
        self._sweep()
        for key in self.leaves:
            if key in self.nodes:
                self._leaf(self.nodes.pop(key), self.grads.pop(key))

    def _sweep(self) -> None:  # noqa: C901, PLR0912 - one loop, because calls cost as much as it
        """Run nodes, the latest first, until only leaves are left."""
        heap, nodes, grads = self.heap, self.nodes, self.grads
        keep, waiting, needed = self.keep, self.waiting, self.needed
        closely = bool(self.create or STATE.anomaly or STATE.profiler or self.captures)
        ahead: Node | None = None  # the only node that waits, which then needs no heap
        ahead_grad: Any = None
        while heap or ahead is not None:
            if ahead is not None:
                node, grad = ahead, ahead_grad
                special = waiting is not None and node._special  # hooks of leaves may set hooks
                ahead = None
            else:
                key = heappop(heap)
                node, grad = nodes.pop(key), grads.pop(key)
                special = node._special
            if closely or special or grad is None:
                parts = self._step(node, grad)
                if parts is None:
                    continue
            else:
                parts = node.pull(grad)
            if not keep:
                node.release()
            edges = node._edges
            count = len(edges)
            edge = None
            if count <= 2 and count == len(parts) and not heap and waiting is None:
                if count == 1 or edges[1] is None:
                    edge, part = edges[0], parts[0]
                elif edges[0] is None:
                    edge, part = edges[1], parts[1]
            if edge is not None:
                target = edge[0]
                if not target._special:
                    if needed is None or target in needed:
                        ahead, ahead_grad = target, part
                    continue
            ahead, ahead_grad = self._distribute(edges, parts)
            if waiting is not None:
                self._notice(node)

    def _distribute(self, edges: Any, parts: tuple[Any, ...]) -> tuple[Node | None, Any]:
        """Add `parts` where `edges` lead; if one node alone waits after that, return it instead."""
        ahead: Node | None = None
        ahead_grad: Any = None
        needed, alone = self.needed, not self.heap
        for edge, part in zip(edges, parts):  # noqa: B905 - naming `strict` costs time
            if edge is None:
                continue
            target = edge[0]
            if alone and ahead is None and not target._special:
                if needed is None or target in needed:
                    ahead, ahead_grad = target, part
            elif target is ahead:
                ahead_grad = part if ahead_grad is None else _sum(ahead_grad, part)
            else:
                if not target._leaf:
                    alone = False
                    if ahead is not None:
                        self.add((ahead, 0), ahead_grad)
                        ahead = None
                self.add(edge, part)
        return ahead, ahead_grad

    # -- one node, with everything that can be on --------------------------------------------------

    def _step(self, node: Node, grad: Any) -> tuple[Any, ...] | None:
        """Run hooks, captures and the node; None if the node only had to be captured."""
        run = self.needed is None or node in self.reached
        multiple = node._outputs != 1
        grads = list(grad) if multiple else [grad]
        slots = self.captures.get(node)
        if slots is not None and run:
            self._capture(slots, grads)
        hooks = None if self.quiet else node._hooks
        if hooks is not None:
            grads = run_tensor_hooks(hooks, grads, node, self.create)
        if slots is not None and not run:
            self._capture(slots, grads)
        if not run:
            return None
        if hooks is not None and hooks.pre:
            grads = run_pre_hooks(hooks, grads, self.create)
        parts = self._pull(node, grads if multiple else grads[0])
        if hooks is not None and hooks.post:
            parts = run_post_hooks(hooks, parts, grads, node, self.create)
        return parts

    def _pull(self, node: Node, grad: Any) -> tuple[Any, ...]:
        if grad is None and not getattr(node, "_takes_none", False):
            return (None,) * len(node._edges)
        span = node.__dict__.get("_metadata", {}).get("profiler")
        before = STATE.anomaly_parent
        STATE.anomaly_parent = node if STATE.anomaly else None
        try:
            if span is not None and span is STATE.profiler:
                with span.span(node.name(), ()) as timed:
                    parts = self._call(node, grad)
                    timed.made(parts, (grad,))
            else:
                parts = self._call(node, grad)
        except Exception:
            if STATE.anomaly:
                explain_failure(node)
            raise
        finally:
            STATE.anomaly_parent = before
        if STATE.anomaly and STATE.check_nan:
            check_finite(node, parts)
        return parts

    def _call(self, node: Node, grad: Any) -> tuple[Any, ...]:
        pull = node.pull_recorded if self.create else node.pull
        selections = self.selections
        if node._selects or node._key in selections.masks or selections.careful:
            masked: tuple[Any, ...] = selections.pull(node, grad, pull, self.nodes)
            return masked
        return pull(grad)

    def _capture(self, slots: list[tuple[int, int]], grads: list[Any]) -> None:
        for number, slot in slots:
            self.results[slot] = grads[number]

    # -- leaves ------------------------------------------------------------------------------------

    def _leaf(self, node: Any, grad: Any) -> None:
        """Give a leaf its total: hooks, capture or accumulation, and the hooks after that."""
        if grad is None:
            return
        slots = self.captures.get(node)
        leaf = node.variable
        if leaf._hooks and not self.quiet:
            (grad,) = run_tensor_hooks(leaf._hooks, [grad], node, self.create)
        if slots is not None and not self.accumulates:
            self._capture(slots, [grad])
            return
        if not self.accumulates:
            return
        hooks = node._hooks
        grads = [grad]
        if hooks is not None and hooks.pre:
            grads = run_pre_hooks(hooks, grads, self.create)
        if self.create:
            node.pull_recorded(grads[0])
        else:
            accumulate(leaf, grads[0])
        if leaf._post_hooks:
            for hook in list(leaf._post_hooks.values()):
                hook(leaf)
        if hooks is not None and hooks.post:
            run_post_hooks(hooks, (), grads, node, self.create)

    def _notice(self, node: Node) -> None:
        """Count the contributions of `node` to leaves, and run those that wait for no more."""
        waiting = self.waiting
        assert waiting is not None
        for edge in node._edges:
            if edge is not None and edge[0] in waiting:
                waiting[edge[0]] -= 1
        self._release_leaves()

    def _release_leaves(self) -> None:
        assert self.waiting is not None
        for key in list(self.leaves):
            node = self.nodes.get(key)
            if node is not None and self.waiting.get(node, 0) <= 0:
                self.leaves.remove(key)
                del self.nodes[key]
                self._leaf(node, self.grads.pop(key))


def _sum(total: Any, part: Any) -> Any:
    return total if part is None else total + part


def leading_to(
    wanted: set[Node], roots: Iterable[Node], ends: frozenset[Node] = frozenset()
) -> set[Node]:
    """Return the nodes below `roots` from which a path leads to one of `wanted`, these included.

    Paths end at the `ends`.
    """
    good = set(wanted)
    seen: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while stack:
        node, done = stack.pop()
        if done:
            if any(edge is not None and edge[0] in good for edge in node._edges):
                good.add(node)
        elif node not in seen:
            seen.add(node)
            if node in ends:
                continue
            stack.append((node, True))
            stack.extend((edge[0], False) for edge in node._edges if edge is not None)
    return good


def below(roots: Iterable[Node]) -> set[Node]:
    """Return `roots` and every node that can be reached from them."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        for edge in stack.pop()._edges:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                stack.append(edge[0])
    return seen


def count_contributions(roots: Iterable[Node], needed: set[Node] | None) -> dict[Node, int]:
    """Return how many edges lead to each leaf from the nodes that will run."""
    counts: dict[Node, int] = {}
    stack = list(roots)
    seen = set(stack)
    while stack:
        for edge in stack.pop()._edges:
            if edge is None or (needed is not None and edge[0] not in needed):
                continue
            target = edge[0]
            if target._leaf:
                counts[target] = counts.get(target, 0) + 1
            elif target not in seen:
                seen.add(target)
                stack.append(target)
    return counts


class HoldingPass(Pass):
    """A backward pass in which what is infinitely steep is held (see `selection`)."""

    def __init__(self, keep: bool, create: bool, *, careful: bool = False) -> None:
        super().__init__(keep, create, careful=careful)
        self.selections.holds = True


@np.errstate(all="ignore")  # the way back gives no warnings that the function would not give
def run_backward(
    roots: Sequence[Edge],
    seeds: Sequence[Any],
    *,
    keep: bool,
    create: bool,
    wanted: Sequence[Edge] = (),
    accumulates: bool = True,
    stop: frozenset[Node] = frozenset(),
    ends: frozenset[Node] = frozenset(),
    careful: bool = False,
    kind: type[Pass] = Pass,
) -> dict[int, Any]:
    """Pull `seeds` back from `roots` and return the gradients at the edges `wanted`, by position.

    Without `wanted`, gradients are added to the leaves; with `create`, seeds and results are
    tensors, otherwise arrays. The nodes of `stop` do not run, and with these no hooks do. No path
    to what is wanted goes on from `ends`, so that what lies below is not looked through. A
    `careful` pass for `wanted` edges takes every step for steep (see `selection`).
    """
    task = kind(keep, create, careful=careful)
    task.accumulates = accumulates
    task.quiet = bool(stop)
    task.roots = tuple(node for node, _ in roots)
    if wanted:
        task.want(wanted, task.roots, stop | ends)
    for edge, seed in zip(roots, seeds, strict=True):
        if task.needed is None or edge[0] in task.needed:
            task.add(edge, seed)
    before, running, limits = (STATE.grad, STATE.inference), RUNNING.task, STATE.limits
    tied = [] if stop else [node for node in tied_nodes() if task.executes(node)]
    try:
        if tied:
            find_limits(tied, roots, seeds, run_backward)
        STATE.set(grad=create, inference=False)
        RUNNING.task = task
        task.run()
    finally:
        STATE.limits = limits
        RUNNING.task = running
        STATE.set(grad=before[0], inference=before[1])
    return task.results


class _Running:
    """Which pass is running in this thread."""

    def __init__(self) -> None:
        self._local = threading.local()

    @property
    def task(self) -> Pass | None:
        return getattr(self._local, "task", None)

    @task.setter
    def task(self, task: Pass | None) -> None:
        self._local.task = task


RUNNING = _Running()


def is_plain_backward() -> bool:
    """Return whether this code runs in a plain ``backward()``, so that leaves get their gradients.

    Outside a pass the answer is True, as PyTorch's is.
    """
    task = RUNNING.task
    return task is None or task.needed is None


def cast_result(grad: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    """Return a gradient, array or tensor, as a tensor of the `dtype` and `shape` of its input."""
    if isinstance(grad, Core):
        return grad if dtype is None else as_dtype(grad, np.dtype(dtype))
    array = np.asarray(grad)
    if dtype is not None and array.dtype != dtype:
        if np.dtype(dtype).kind != "c":
            array = np.real(array)
        array = array.astype(dtype)
    if array.shape != shape:
        array = np.broadcast_to(array, shape)
    if not array.flags.writeable or array.base is not None:
        array = array.copy()
    return make(array)


def warn_cycle() -> None:
    """Warn that ``backward(create_graph=True)`` ties ``.grad`` to the graph."""
    warnings.warn(
        "Using backward() with create_graph=True will create a reference cycle between the "
        "parameter and its gradient which can cause a memory leak. We recommend using "
        "autograd.grad "
        "when creating the graph to avoid this. If you have to use this function, make sure to "
        "reset the .grad fields of your parameters to None after use to break the cycle and avoid "
        "the leak.",
        UserWarning,
        stacklevel=3,
    )
