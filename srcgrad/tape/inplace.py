"""Writes into tensors in place and gives them, and the tensors they view, the right history."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MutationError
from srcgrad.runtime import getitem, unbroadcast
from srcgrad.runtime.indexing import may_repeat
from srcgrad.runtime.striding import reads_what_it_wrote
from srcgrad.tape.apply import UNCHANGING, apply, frozen, unwrap
from srcgrad.tape.core import Core, edge_of, make, requires_grad
from srcgrad.tape.modes import STATE, current_modes
from srcgrad.tape.nesting import to_array
from srcgrad.tape.node import Edge, Node, node_hooks
from srcgrad.tape.observers import observe_node
from srcgrad.tape.ops import Op, require_op
from srcgrad.tape.refusing import refusal
from srcgrad.tape.replacing import replace_saved
from srcgrad.tape.rulenode import ElementwiseNode, short_name
from srcgrad.tape.selection import note_overwriting
from srcgrad.tape.texts import refuse_spoken
from srcgrad.tape.views import ViewStep, register_view

_NO_GRAD_VIEW = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the no_grad block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
_INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update."
)


def check_writable(
    target: Core, recorded: bool, part: bool = False, verb: str = "is being"
) -> None:
    """Check that `target`, or a `part` of it, may be written to in place.

    Raises:
        RuntimeError: A leaf that requires grad, a view of one, a view whose base cannot be given a
            history, or a tensor of inference mode outside of it.
    """
    if target._inference and not STATE.inference:
        raise RuntimeError(_INFERENCE)
    if not STATE.grad or not recorded:
        return
    view = target._view
    if view is not None:
        if view.creation == "function":
            raise RuntimeError(
                f"Output 0 of {view.multiple} is a view and is being modified inplace. This "
                "view was created inside a custom Function (or because an input was returned "
                "as-is), whose own backward a change in place would override. Clone the output of "
                "the custom Function."
            )
        if view.multiple and not STATE.strict:  # PyTorch's rule; NumPy has none
            raise RuntimeError(
                f"Output 0 of {short_name(view.multiple)} is a view and is being modified "
                "inplace. This view is "
                "the output of a function that returns multiple views. Such functions do not allow "
                "the output views to be modified inplace. You should replace the inplace operation "
                "by an out-of-place one."
            )
        if view.creation == "no_grad":
            raise RuntimeError(_NO_GRAD_VIEW)
        if view.base._flag:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation."
            )
    if target._flag:
        what = "a view of a leaf" if part else "a leaf"
        raise RuntimeError(
            f"{what} Variable that requires grad {verb} used in an in-place operation."
        )


def bump(target: Core) -> None:
    """Count one in-place change of the memory of `target`."""
    if not target._inference:
        target._counter[0] += 1


def set_edge(tensor: Core, edge: Edge) -> None:
    """Give `tensor` a new history; a gradient that it keeps is kept at the new place."""
    old = tensor._edge
    tensor._edge = edge
    if tensor._retains and old is not None and old[0]._hooks is not None:
        kept = old[0]._hooks.retain.pop(old[1], None)
        if kept is not None:
            node_hooks(edge[0]).retain[edge[1]] = kept


# -- writing the result of a call back -------------------------------------------------------------


def apply_inplace(op: Op, target: Core, *args: Any) -> Any:
    """Do ``target = op(target, *args)`` in the memory of `target`.

    Raises:
        RuntimeError: `target` may not be written to, or the result does not fit into it.
    """
    recorded = requires_grad(target) or any(isinstance(a, Core) and requires_grad(a) for a in args)
    check_writable(target, recorded)
    replace(target, apply(op, (target, *args)))
    return target


def replace(target: Core, result: Any) -> None:
    """Make `result`, computed from `target` among others, the value of `target` in its memory.

    Raises:
        RuntimeError: It does not fit.
    """
    data = result._array if isinstance(result, Core) else np.asarray(result)
    edge = result._edge if isinstance(result, Core) else None
    level = STATE.dual_level
    tangent = None if level is None else level.tangent_of(result)
    write_back(target, data, edge)
    if level is not None:
        level.give(target, tangent)


def _fits(data: Any, memory: Any) -> bool:
    same_kind = np.can_cast(data.dtype, memory.dtype, "same_kind")
    return same_kind and bool(data.shape == memory.shape)


def write_back(target: Core, data: Any, edge: Edge | None) -> None:
    """Copy `data`, computed by the node of `edge`, into the memory of `target`.

    Raises:
        RuntimeError: It does not fit; in a function of arrays it is NumPy's own exception.
    """
    memory = target._array
    if STATE.strict and not _fits(data, memory):
        np.positive(data, out=memory)  # which raises what the update itself does
    if data.shape != memory.shape:
        raise RuntimeError(
            f"output with shape {list(memory.shape)} doesn't match the broadcast shape "
            f"{list(data.shape)}"
        )
    if not _fits(data, memory):
        raise RuntimeError(
            f"result type {data.dtype} can't be cast to the desired output type {memory.dtype}"
        )
    if STATE.mutation is not None:
        STATE.mutation.before_write(target)
    if edge is not None:
        _keep_saved(edge[0], target)
    np.copyto(memory, data, casting="same_kind")
    bump(target)
    if edge is not None:
        node = edge[0]
        if isinstance(node, ElementwiseNode) and node.op.reads_output and node._packed is None:
            edge[0].saved_tensors = (memory,)
            edge[0]._versions = (target._counter, target._counter[0])
        rebase(target, edge, data.shape)


def _keep_saved(node: Node, target: Core) -> None:
    """Let the node keep a copy where it has saved the memory that is about to be overwritten."""
    memory = target._array
    if node._packed is not None or not any(value is memory for value in node.saved_tensors):
        return
    kept = memory.copy()
    if isinstance(node, ElementwiseNode):
        node.saved_tensors = (kept,)
        node._versions = (UNCHANGING, 0)
        return
    replace_saved(node, {id(memory): kept})


def rebase(target: Core, edge: Edge | None, shape: tuple[int, ...]) -> None:
    """Make `edge` the history of what now fills `target`, and of that part of its base."""
    view = target._view
    if view is None or target._flag:
        if edge is not None:
            set_edge(target, edge)
        return
    base = view.base
    before = edge_of(base)
    node = CopySlices(base, view.chain, before, edge, shape)
    note_overwriting(node)
    set_edge(base, (node, 0))


class CopySlices(Node):
    """A write into a view, seen from its base."""

    __slots__ = ()
    _stores = True

    def __init__(
        self, base: Core, chain: Any, before: Edge | None, value: Edge | None, shape: Any
    ) -> None:
        super().__init__()
        self._edges = (before, value)
        self.needs_input_grad = (before is not None, value is not None)
        self.chain = chain
        self.shape = shape
        data = base._array
        self.is_complex = data.dtype.kind == "c"  # a gradient without imaginary parts may be real
        self.axes = tuple(np.argsort([-stride for stride in data.strides], kind="stable"))

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Split the gradient of the base into that of the written part and the rest."""
        if self.is_complex and not np.iscomplexobj(grad):
            grad = np.asarray(grad, np.result_type(grad, np.complex64))
        rest = in_order(grad, self.axes)
        part = rest
        for step in self.chain:
            part = step(part)
        if not np.shares_memory(part, rest) and part.size:
            raise RuntimeError("a view of this base cannot be followed through its gradient")
        grad_value = None
        if self._edges[1] is not None:
            grad_value = shrink(part.copy(), self.shape)
        part[...] = 0
        return rest, grad_value

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Do the same on tensors; parts of what does not vary would be arrays."""
        if not isinstance(grad, Core) or not requires_grad(grad):
            return self.pull(unwrap(grad))
        rest = make_copy(grad, self.axes)
        part = own_part(rest, self.chain)
        grad_value = None
        if self._edges[1] is not None:
            grad_value = shrink(apply(require_op(np.copy), (part,)), self.shape)
        set_item(part, ..., 0.0)
        return rest, grad_value


def own_part(whole: Core, chain: Any) -> Core:
    """Return the part of a tensor of the engine's own that a chain of views leads to.

    It is written by the engine, whom PyTorch's rule for views that come several at once spares.
    """
    part = whole
    for step in chain:
        part = step(part)
    if part._view is not None:
        part._view.multiple = ""
    return part


def shrink(grad: Any, shape: tuple[int, ...]) -> Any:
    """Sum the gradient of written elements back to the `shape` of the value that was written."""
    extra = len(shape) - grad.ndim  # a value may have leading axes of length one
    if extra <= 0:
        return unbroadcast(grad, shape)
    return np.reshape(unbroadcast(grad, shape[extra:]), shape)


def in_order(grad: Any, axes: tuple[int, ...]) -> Any:
    """Return a copy of `grad` whose axes lie in memory in the order `axes`."""
    grad = np.asarray(grad)
    if axes == tuple(range(grad.ndim)):
        return grad.copy(order="C")
    fresh = np.empty([grad.shape[i] for i in axes], grad.dtype)
    fresh = fresh.transpose(np.argsort(axes))
    fresh[...] = grad
    return fresh


def make_copy(grad: Any, axes: tuple[int, ...]) -> Any:
    """Return a recorded copy of a tensor whose axes lie in memory in the order `axes`."""
    result = apply(require_op(np.copy), (grad,))
    result._array = in_order(result._array, axes)
    if STATE.dual_level is not None:
        STATE.dual_level.give(result, STATE.dual_level.tangent_of(result))
    return result


# -- assignment to elements ------------------------------------------------------------------------


class SetItem(Node):
    """``target[index] = value``: the old elements get no gradient there, the value gets it."""

    __slots__ = ()
    _stores = True

    def __init__(self, before: Edge | None, value: Edge | None, index: Any, shape: Any) -> None:
        super().__init__()
        self._edges = (before, value)
        self.needs_input_grad = (before is not None, value is not None)
        self.index = index
        self.shape = shape
        self.last: Any = None  # for repeated indices: which of the writes stayed

    def name(self) -> str:
        """Return PyTorch's name of the operation."""
        return "CopyBackwards" if self.index is Ellipsis else "IndexPutBackward0"

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Clear the written elements and give their gradient to the value."""
        grad_old, grad_value = None, None
        if self._edges[1] is not None:
            grad_value = np.asarray(grad[self.index])
            if self.last is not None:
                grad_value = grad_value * self.last
            if np.may_share_memory(grad_value, grad):
                grad_value = grad_value.copy()
            grad_value = shrink(grad_value, self.shape)
        if self._edges[0] is not None:
            grad_old = np.array(grad)
            grad_old[self.index] = 0
        return grad_old, grad_value

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Do the same on tensors."""
        grad_old, grad_value = None, None
        if self._edges[1] is not None:
            grad_value = apply(require_op(getitem), (grad, self.index))
            if self.last is not None:
                grad_value = grad_value * self.last
            grad_value = shrink(grad_value, self.shape)
        if self._edges[0] is not None:
            grad_old = apply(require_op(np.copy), (grad,))
            set_item(grad_old, self.index, 0.0)
        return grad_old, grad_value


def is_basic(index: Any) -> bool:
    """Return whether reading `index` gives a view: integers, slices, None and Ellipsis only."""
    if isinstance(index, tuple):
        return all(is_basic(part) for part in index)
    return (
        index is None
        or index is Ellipsis
        or isinstance(index, (slice, np.integer))
        or (isinstance(index, int) and not isinstance(index, bool))
    )


def set_item(target: Core, index: Any, value: Any) -> None:
    """Do ``target[index] = value`` in place, with history.

    Raises:
        RuntimeError: `target` may not be written to.
    """
    index = unwrap(index)
    refuse_spoken(value)
    if isinstance(value, (list, tuple)):
        value = to_array(value)  # of tensors, which NumPy would take for numbers
    edge = edge_of(value) if isinstance(value, Core) else None
    before = edge_of(target)
    part = index is not Ellipsis and is_basic(index)
    check_writable(target, before is not None or edge is not None, part)
    raw = unwrap(value)
    if STATE.mutation is not None:
        STATE.mutation.before_write(target)
    if isinstance(raw, np.ndarray) and np.may_share_memory(np.asarray(raw), target._array):
        if (part or index is Ellipsis) and reads_what_it_wrote(target._array[index], raw):
            raise refusal(
                MutationError,
                "this stores over elements that it has yet to read",
                "store a copy: `y[::2] = x.copy()`",
            )
        raw = raw.copy()
    if target._array.dtype.kind not in "fc":
        edge = None
    target._array[index] = raw
    bump(target)
    if STATE.dual_level is not None:
        STATE.dual_level.write(target, index, STATE.dual_level.tangent_of(value))
    record = STATE.grad and (before is not None or edge is not None)
    if not record:
        return
    if target._view is None or target._flag:
        set_edge(target, (_set_node(target, before, edge, index, np.shape(raw)), 0))
    elif is_basic(index):
        place = target if index is Ellipsis else _part(target, index)
        rebase(place, edge, np.shape(raw))
    else:
        node = _set_node(target, before, edge, index, np.shape(raw))
        rebase(target, (node, 0), target._array.shape)


def _part(target: Core, index: Any) -> Core:
    """Return the view of `target` at a basic index, without history of its own."""
    raw = target._array[index]
    if not isinstance(raw, np.ndarray):  # one element: keep it a view
        wider = (*index, ...) if isinstance(index, tuple) else (index, ...)
        return _part(target, wider)
    part: Core = make(raw)
    register_view(part, target, ViewStep(require_op(getitem), (None, index), {}, 0, None))
    return part


def _set_node(
    target: Core, before: Edge | None, edge: Edge | None, index: Any, shape: Any
) -> SetItem:
    node = SetItem(before, edge, frozen(index, index), shape)
    note_overwriting(node)
    if edge is not None and may_repeat(index):
        order = np.empty(target._array.shape, dtype=np.intp)
        writes = np.arange(order[index].size).reshape(order[index].shape)
        order[index] = writes
        if not (order[index] == writes).all():
            node.last = order[index] == writes
    if not current_modes().plain:
        observe_node(node, [])
    return node


def copy_in(target: Core, value: Any) -> Any:
    """Fill `target` with `value`, which is broadcast; return `target`."""
    set_item(target, ..., value)
    return target
