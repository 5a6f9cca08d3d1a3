"""Applies rules to tensors: runs the function on arrays and records one node for the call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from srcgrad.tape import views
from srcgrad.tape.core import (
    INFERENCE,
    USUAL_OPERANDS,
    Core,
    counter_in,
    edge_of,
    leaf_edge,
    make,
    raw_of,
)
from srcgrad.tape.modes import STATE, current_modes
from srcgrad.tape.near import note_difference
from srcgrad.tape.node import Edge, next_number
from srcgrad.tape.observers import observe_call, observe_node
from srcgrad.tape.ops import Op
from srcgrad.tape.refusing import detaching
from srcgrad.tape.rulenode import FLOAT, RuleNode, flattened
from srcgrad.tape.tied import note_tied

NOTHING: Mapping[str, Any] = MappingProxyType({})
UNCHANGING: list[int] = [0]  # the version counter of values that are no tensors
ONE_NEEDED = (True,)  # tuples that nodes share
BOTH_NEEDED, LEFT_NEEDED, RIGHT_NEEDED = (True, True), (True, False), (False, True)

new: Any = object.__new__


def wrap(data: Any, node: RuleNode) -> Any:
    """Return the one result of `node`, in plain mode: `make` without its questions."""
    tensor = new(Core.kind)
    tensor._array = data if type(data) is np.ndarray else np.asarray(data)
    tensor._edge = (node, 0)
    tensor._flag = False
    tensor._grad = None
    tensor._counter = [0]
    tensor._leaf = None
    tensor._view = None
    return tensor


def unary(op: Op, a: Core) -> Any:
    """Apply the rule of a function of one array to a tensor, without options."""
    if not current_modes().plain or (
        op.slope is None and not (op.single and a._array.dtype.kind == "f")
    ):
        return apply(op, (a,))
    edge = a._edge if a._view is None else edge_of(a)
    if edge is None:
        if not a._flag:
            return apply(op, (a,))
        edge = leaf_edge(a)
    x = a._array
    node = new(op.node_class)
    node._key = next_number()
    node._edges = (edge,)
    node.needs_input_grad = ONE_NEEDED
    if op.slope is None:
        return _without_slope(op, a, node)
    y = op.primal(x)
    result = wrap(y, node)
    if op.reads_output:
        node.saved_tensors = (y,)
        node._versions = (result._counter, 0)
        return result
    counter = a._counter
    node.saved_tensors = (x,)
    node._versions = (counter, counter[0])
    if counter is INFERENCE:
        refuse_inference(node)
    return result


def _without_slope(op: Op, a: Core, node: RuleNode) -> Any:
    """Run the rule's forward, of one real operand, and let `node` note its memory."""
    x, counter = a._array, a._counter
    node.saved_tensors = ()
    y = op.forward(node, x)
    result = wrap(y, node)
    node._ids = (id(x), id(y))
    node._versions = (counter, counter[0], result._counter, 0)
    if counter is INFERENCE:
        refuse_inference(node)
    return result


def binary(op: Op, a: Any, b: Any) -> Any:
    """Apply a rule of two parameters to two values, of which one at least is a tensor."""
    if not current_modes().plain:
        return apply(op, (a, b))
    edge_a: Edge | None = None
    edge_b: Edge | None = None
    counter_a = counter_b = UNCHANGING
    x, y = a, b
    if type(a) not in USUAL_OPERANDS and isinstance(a, Core):
        x, counter_a = a._array, a._counter
        edge_a = a._edge if a._view is None else edge_of(a)
        if edge_a is None and a._flag:
            edge_a = leaf_edge(a)
    if type(b) not in USUAL_OPERANDS and isinstance(b, Core):
        y, counter_b = b._array, b._counter
        edge_b = b._edge if b._view is None else edge_of(b)
        if edge_b is None and b._flag:
            edge_b = leaf_edge(b)
    if edge_a is None and edge_b is None:
        return apply(op, (a, b))
    needs = (LEFT_NEEDED if edge_b is None else BOTH_NEEDED) if edge_a is not None else RIGHT_NEEDED
    if op.partials is None:
        node = new(op.node_class)
        node.needs_input_grad = needs
        node.saved_tensors = ()
        z = op.forward(node, x, y)
    else:
        z = op.primal(x, y)
        real = z.dtype is FLOAT or z.dtype.kind == "f"
        node = new(op.partials_class if real else op.node_class)
        node.needs_input_grad = needs
        node.saved_tensors = () if op.keep is None else op.keep(needs, x, y, z)
        if edge_a is not None:
            node.x_shape = x.shape
        if edge_b is not None:
            node.y_shape = y.shape
    node._key = next_number()
    node._edges = (edge_a, edge_b)
    node._ids = (id(x), id(y), id(z))
    result = wrap(z, node)
    node._versions = (counter_a, counter_a[0], counter_b, counter_b[0], result._counter, 0)
    if counter_a is INFERENCE or counter_b is INFERENCE:
        refuse_inference(node)
    return result


INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `no_grad()` instead of "
    "`inference_mode()`."
)


def refuse_inference(node: RuleNode) -> None:
    """Check that the node has not saved a tensor of inference mode.

    Raises:
        RuntimeError: It has.
    """
    saved = {id(value) for value in node.saved_tensors}
    if node.op.slope is not None:
        raise RuntimeError(INFERENCE_SAVED)
    for position, known in enumerate(node._ids):
        if known in saved and node._versions[2 * position] is INFERENCE:
            raise RuntimeError(INFERENCE_SAVED)


def unwrap(value: Any) -> Any:
    """Return `value` with arrays in the place of tensors, also inside lists, tuples and dicts."""
    if isinstance(value, Core):
        return raw_of(value)
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([unwrap(item) for item in value])
    if isinstance(value, tuple) and hasattr(kind, "_make"):
        return remade(value, map(unwrap, value))
    if kind is dict:
        return {key: unwrap(item) for key, item in value.items()}
    return value


def remade(value: Any, items: Iterable[Any]) -> Any:
    """Return a list or tuple like another, with other items; a named tuple is one of its class.

    >>> remade((1, 2), [3, 4])
    (3, 4)
    """
    kind = type(value)
    return kind._make(items) if hasattr(kind, "_make") else kind(items)


def tensors_in(values: Iterable[Any]) -> list[Core]:
    """Return the tensors among `values`, also those inside lists, tuples and dicts."""
    found: list[Core] = []
    for value in values:
        if isinstance(value, Core):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(tensors_in(value))
        elif type(value) is dict:
            found.extend(tensors_in(value.values()))
    return found


def apply(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any] = NOTHING) -> Any:
    """Call the primitive of `op`, recording the call if that is on and an argument needs it.

    Tensors may lie inside list and tuple arguments.
    """
    if (selective := current_modes().selective) is not None:
        return selective.call(op, args, kwargs)
    return call_op(op, args, kwargs)


def call_op(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Do what `apply` does, without asking whether a result is known already."""
    if current_modes().profiler is not None:
        with observe_call(op.label, args) as span:
            result = _apply(op, args, kwargs)
            span.made(result, (args, dict(kwargs)))
            return result
    return _apply(op, args, kwargs)


def _apply(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    modes = current_modes()  # asked once: each mode by itself costs as much as a small step
    tensors = tensors_in((*args, *kwargs.values()))
    if modes.grad and _one_varies(tensors):
        result = record_call(op, op.bind(args, kwargs))
    else:
        raw = op.call_primal(unwrap(args), unwrap(dict(kwargs)))
        result = wrap_constant(raw, tensors)
    if modes.strict:
        _note_arrays(op, args, kwargs, result)
        if op.primal is np.subtract and modes.spoken is not None:
            note_difference(args, result)
    views.note_views(op, args, kwargs, result, tensors)
    if modes.dual_level is not None and modes.dual_level.active(tensors):
        modes.dual_level.push(op, op.bind(args, kwargs), result)
    return result


def _one_varies(tensors: list[Core]) -> bool:
    """Say whether one of the tensors has a history, or begins one."""
    for tensor in tensors:  # noqa: SIM110 - `any` of a generator takes several times as long
        if edge_of(tensor) is not None:
            return True
    return False


def _note_arrays(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> None:
    """Note the results that are arrays without axes, into which updates in place write."""
    if isinstance(result, Core):
        if not result._array.ndim and not result._weak:
            result._is_array = _returns_array(op, args, kwargs)
    elif isinstance(result, (list, tuple)):
        for item in result:
            if isinstance(item, Core) and not item._array.ndim:
                item._is_array = item._array.base is not None  # a number would be no view


def _returns_array(op: Op, args: tuple[Any, ...], kwargs: Mapping[str, Any] = NOTHING) -> bool:
    """Ask NumPy whether a result without axes is an array: some hand on numbers as numbers."""
    given = as_given(args)
    if isinstance(op.primal, np.ufunc) and not kwargs:  # which makes numbers of numbers
        return any(type(value) is np.ndarray for value in given) and _asks(op, given, {})
    return _asks(op, given, as_given(dict(kwargs)))


def _asks(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    with np.errstate(all="ignore"):
        found = op.call_primal(args, kwargs)
    return type(found) is np.ndarray


def as_given(value: Any) -> Any:
    """Return what plain code would have in the place of tensors: numbers that are no arrays."""
    if isinstance(value, Core):
        data = raw_of(value)
        return data if value._weak or data.ndim or value._is_array else data[()]
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([as_given(item) for item in value])
    if isinstance(value, tuple) and hasattr(kind, "_make"):
        return remade(value, map(as_given, value))
    if kind is dict:
        return {key: as_given(item) for key, item in value.items()}
    return value


class _Inputs:
    """The arguments of a recorded call, flattened: edges, memory and versions of each."""

    __slots__ = ("edges", "ids", "layout", "needs", "nested", "raw", "versions")

    def __init__(self, values: list[Any]) -> None:
        self.raw: list[Any] = []
        self.edges: list[Edge | None] = []
        self.ids: list[int] = []
        self.versions: list[Any] = []
        self.needs: list[bool] = []
        self.layout: list[int | None] = []
        self.nested = False
        for value in values:
            self._add(value)

    def _add(self, value: Any) -> None:
        is_tensor = isinstance(value, Core)  # whose `__class__` is dear to ask
        if not is_tensor and isinstance(value, (list, tuple)) and tensors_in(value):
            raw = unwrap(value)
            self.raw.append(raw)
            flat = list(zip(flattened(value), flattened(raw), strict=True))
            self.layout.append(len(flat))
            self.nested = True
            self.needs.append(self._note_all(flat))
            return
        raw = frozen(raw_of(value) if is_tensor else value, value)
        self.raw.append(raw)
        self.layout.append(None)
        self.needs.append(self._note(value, raw))

    def _note_all(self, flat: list[tuple[Any, Any]]) -> bool:
        needed = [self._note(item, array) for item, array in flat]
        return any(needed)

    def _note(self, value: Any, raw: Any) -> bool:
        edge = None
        if isinstance(value, Core):
            edge = edge_of(value)
            counter = counter_in(value)
            self.versions += (counter, counter[0])
        else:
            self.versions += (UNCHANGING, 0)
        self.edges.append(edge)
        self.ids.append(id(raw))
        return edge is not None


def frozen(raw: Any, value: Any) -> Any:
    """Return an argument as the node may keep it, though the caller may write into it later.

    Arrays of integers and truth values, which select elements, are copied; so are plain arrays of
    other numbers in strict mode. Tensors have version counters and need no copy.
    """
    kind = type(raw)
    if kind is np.ndarray:
        if raw.dtype.kind in "iub" or (raw is value and current_modes().strict):
            return raw.copy()
    elif kind is tuple or kind is list:
        return kind([frozen(unwrap(item), item) for item in raw])
    return raw


def record_call(op: Op, values: list[Any]) -> Any:
    """Run the rule's forward and leave a node; `values` has one entry for each parameter."""
    node = op.node_class()
    inputs = _Inputs(values)
    node._edges = tuple(inputs.edges)
    node.needs_input_grad = tuple(inputs.needs)
    if inputs.nested:
        node._layout = tuple(inputs.layout)
    raw = op.call_forward(node, inputs.raw)
    result, outputs, arrays = wrap_recorded(raw, node)
    if has_complex(inputs.raw) and not isinstance(raw, (tuple, list)):
        node._takes_real = np.asarray(raw).dtype.kind != "c"
    if op.slope is None:
        node._ids = (*inputs.ids, *map(id, arrays))
        for output in outputs:
            inputs.versions += (output._counter, 0)
        node._versions = tuple(inputs.versions)
    elif op.reads_output:
        node._versions = (outputs[0]._counter, 0)
    else:
        node._versions = (inputs.versions[0], inputs.versions[1])
    for counter in node._versions[::2]:
        if counter is INFERENCE:
            refuse_inference(node)
    if op.rule.tells_unused:
        note_tied(node, arrays)
    if not current_modes().plain:
        observe_node(node, outputs)
    return result


def differentiable(value: Any) -> bool:
    """Return whether `value` is of floating point or complex numbers."""
    dtype = getattr(value, "dtype", None)
    return isinstance(value, (float, complex)) if dtype is None else dtype.kind in "fc"


def has_complex(values: list[Any]) -> bool:
    """Return whether one of the arguments of a call is an array of complex numbers."""
    for value in values:  # noqa: SIM110 - as above
        if isinstance(value, np.ndarray) and value.dtype.kind == "c":
            return True
    return False


_CUT_OFF = {"O": "an array of objects", "U": "the text", "S": "the text", "V": "a record"}


def wrap_recorded(raw: Any, node: RuleNode) -> tuple[Any, list[Any], list[Any]]:
    """Return the result as the user gets it, its tensors, and the values they were made of."""
    if not isinstance(raw, (tuple, list)):
        if current_modes().strict and (what := _CUT_OFF.get(getattr(raw, "dtype", FLOAT).kind)):
            raise detaching(raw, what)
        edge = (node, 0) if differentiable(raw) else None
        made = make(raw, edge)
        return made, [made], [raw]
    node._outputs = len(raw)
    node._special = True
    node._zeros = [(np.shape(item), np.asarray(item).dtype) for item in raw]
    made = [make(item, (node, i) if differentiable(item) else None) for i, item in enumerate(raw)]
    return same_container(raw, made), made, list(raw)


def same_container(like: Any, items: list[Any]) -> Any:
    """Return `items` in a container of the type of `like`: a list, tuple or namedtuple."""
    if isinstance(like, list):
        return items
    return type(like)(*items) if hasattr(like, "_fields") else tuple(items)


def may_be_filled(raw: Any) -> bool:
    """Return whether strict mode keeps a constant a tensor: active values may be written to it."""
    return isinstance(raw, np.ndarray) and raw.dtype.kind in "fc"


def wrap_constant(raw: Any, tensors: list[Core]) -> Any:
    """Return a result without history: tensors in the place of arrays, plain values if strict."""
    if STATE.strict and not may_be_filled(raw) and not isinstance(raw, (list, tuple)):
        return raw
    if isinstance(raw, (np.ndarray, np.generic, float, complex)):
        return make(raw)
    if isinstance(raw, (list, tuple)):
        return same_container(raw, [wrap_constant(item, tensors) for item in raw])
    return raw


views.ViewStep.record = staticmethod(apply)
RuleNode.attach = staticmethod(make)
