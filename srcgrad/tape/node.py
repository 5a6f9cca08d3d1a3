"""Defines the nodes of the graph: one recorded call and the edges to where its inputs came from."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np

from srcgrad.locks import Lock
from srcgrad.tape.hooks import NodeHooks, RemovableHandle, add_hook

_numbers = itertools.count(-1, -1)  # later calls get smaller numbers, and run backward first
_leaf_numbers = itertools.count(-(1 << 62), -1)

PLAIN_VALUES = frozenset({int, float, complex, bool, str, type(None)})  # saved without memory

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


class Freed(tuple[Any, ...]):
    """Stands for saved values that a backward pass has let go."""

    __slots__ = ()


FREED = Freed((None,))


next_number = _numbers.__next__  # the number of a call recorded now


class Node:
    """One step of the graph: what a tensor's ``grad_fn`` is.

    Every node answers `name()`, `next_functions`, `metadata`, `register_hook` and
    `register_prehook`. The tape's own state has an underscore; the rest belongs to the rule, which
    gets the node as its context.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_edges",
        "_ids",
        "_key",
        "_versions",
        "needs_input_grad",
        "saved_tensors",
    )

    _key: int
    _edges: tuple[Edge | None, ...]
    _ids: tuple[int, ...]
    _versions: tuple[Any, ...]
    needs_input_grad: tuple[bool, ...]
    saved_tensors: Any

    _outputs: int = 1
    _special: bool = False  # a leaf, or with hooks or several outputs: the engine looks closer
    _selects: bool = False  # of its operands only some elements matter (see `selection`)
    _stores: ClassVar[bool] = False  # it writes into elements of its first operand
    _hooks: NodeHooks | None = None
    _packed: Any = None
    _leaf: ClassVar[bool] = False

    def __init__(self) -> None:
        self._key = next(_numbers)
        self._edges = ()
        self._versions = ()
        self._ids = ()
        self.needs_input_grad = ()
        self.saved_tensors = ()

    # -- what users see ---------------------------------------------------------------------------

    def name(self) -> str:
        """Return the name of the node, such as ``MulBackward0``."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where the gradients go: (node, output number), or (None, 0) for a constant."""
        edges = self._edges[: self._shown()]
        return tuple((None, 0) if edge is None else edge for edge in edges)

    def _shown(self) -> int:
        """Return how many edges users see: options of a call have none."""
        return len(self._edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for users; the traceback of the forward call lies here in anomaly mode."""
        return self.__dict__.setdefault("_metadata", {})  # type: ignore[no-any-return]

    def register_hook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this node; it may return new grad_inputs."""
        return add_hook(node_hooks(self).post, fn)

    def register_prehook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node; it may return new grad_outputs."""
        return add_hook(node_hooks(self).pre, fn)

    def _sequence_nr(self) -> int:
        return -self._key

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"

    # -- what the engine calls --------------------------------------------------------------------

    def save_for_backward(self, *values: Any) -> None:
        """Keep arrays that the rule's backward reads."""
        self.saved_tensors = values

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Return one gradient for each edge, given that of the output (a list for several)."""
        raise NotImplementedError("a node needs `pull`")

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Do the same on tensors, so that it is recorded."""
        raise NotImplementedError("a node needs `pull_recorded`")

    def release(self) -> None:
        """Let go of saved values."""
        if self._packed is not None:
            self._packed, self.saved_tensors = None, FREED
        elif self.saved_tensors:
            for value in self.saved_tensors:
                if type(value) not in PLAIN_VALUES:
                    self.saved_tensors = FREED
                    break


Edge = tuple[Node, int]


def node_hooks(node: Node) -> NodeHooks:
    """Return the hooks of `node`, to add to."""
    if node._hooks is None:
        node._hooks = NodeHooks()
        node._special = True
        if node._leaf:
            LEAF_HOOKS.used = True
    return node._hooks


class _LeafHooks:
    """Remembers whether any leaf ever had a hook: only then must leaves run at an exact moment."""

    used: bool = False


LEAF_HOOKS = _LeafHooks()
ACCUMULATION = Lock()


class AccumulateGrad(Node):
    """The end of an edge at a leaf: adds what arrives to the leaf's ``.grad``."""

    __slots__ = ("variable",)

    _leaf = True
    _special = True

    def __init__(self, variable: Any) -> None:
        self._key = next(_leaf_numbers)
        self._edges = ()
        self._versions = ()
        self._ids = ()
        self.needs_input_grad = ()
        self.saved_tensors = ()
        self.variable = variable

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Make the sum of the leaf's gradient and `grad`, a tensor, its new gradient."""
        leaf = self.variable
        if leaf._grad_dtype is not None:
            grad = as_dtype(grad, leaf.grad_dtype)
        with ACCUMULATION:
            leaf._grad = copy_of(grad, leaf) if leaf._grad is None else leaf._grad + grad
        return ()


def as_dtype(grad: Any, dtype: Any) -> Any:
    """Return the tensor `grad` with another dtype; a real one gets the real part."""
    if grad._array.dtype == dtype:
        return grad
    if grad._array.dtype.kind == "c" and dtype.kind != "c":
        grad = grad.real
    return grad.astype(dtype)


def copy_of(grad: Any, leaf: Any) -> Any:
    """Return a recorded copy of the tensor `grad`, which others may hold."""
    return grad.clone() if grad.requires_grad else leaf.wrap(dense_like(grad._array, leaf))


def dense_like(grad: Any, leaf: Any) -> Any:
    """Return a fresh array with the values of `grad` and the dtype and axis order of `leaf`.

    The order of the leaf's axes in memory is kept if it is dense, else rows come first.
    """
    data = leaf._array
    dtype = data.dtype if leaf._grad_dtype == "same" else leaf._grad_dtype
    order = "C" if data.flags.c_contiguous or not _dense(data) else "K"
    if order == "C":
        fresh = np.empty(data.shape, dtype or np.result_type(grad))
    else:
        fresh = np.empty_like(data, dtype=dtype or np.result_type(grad))
    if fresh.dtype.kind != "c" and np.iscomplexobj(grad):
        grad = np.real(grad)
    fresh[...] = grad
    return fresh


def _dense(data: Any) -> bool:
    """Return whether the elements lie in memory without gaps or overlaps, in any order of axes."""
    expected = data.itemsize
    for stride, length in sorted(zip(data.strides, data.shape, strict=True)):
        if length != 1:
            if stride != expected:
                return False
            expected *= length
    return True


def accumulate(leaf: Any, grad: Any) -> None:
    """Add the array `grad` to ``leaf.grad``: in place if there is one, as a fresh array if not."""
    with ACCUMULATION:
        total = leaf._grad
        if total is not None and total._array.dtype.kind != "c" and np.iscomplexobj(grad):
            grad = np.real(grad)
        if total is None:
            leaf._grad = leaf.wrap(dense_like(grad, leaf))
        elif total.requires_grad or total._array.shape != np.shape(grad):
            leaf._grad = total.detach() + grad
        else:
            data = total._array
            np.add(data, grad, out=data, casting="same_kind")
            total._counter[0] += 1
