"""Defines the node that one call of a built-in rule leaves in the graph."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from srcgrad.errors import InternalError, MissingRuleError
from srcgrad.rules.reasons import refusal_of
from srcgrad.runtime import conj, real_part
from srcgrad.runtime.choosing import matters
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import FREED, SECOND_BACKWARD, Edge, Node
from srcgrad.tape.tied import pulled_at_ties

FLOAT = np.dtype(float)  # the usual dtype, which is one object: faster to tell than its kind


class RuleNode(Node):
    """A call of a rule; it is the context of the rule's forward and backward.

    `_ids` names the memory of each input and then of each output, and `_versions` holds for each of
    them the shared counter of changes and its value when the call was recorded.
    """

    __slots__ = ()

    op: ClassVar[Any]
    rule_backward: Any  # the static method of the rule
    _layout: tuple[int | None, ...] | None = None
    _tangents: Any = None  # in forward mode: the level, and tangents by position
    _takes_real: bool = False  # a real result of complex arguments: so is its gradient
    _zeros: Any = None  # for several outputs, what stands for a gradient that never came

    def _shown(self) -> int:
        last = max((i for i, edge in enumerate(self._edges) if edge is not None), default=-1)
        return max(last + 1, getattr(self.op.primal, "nin", 1))

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Run the rule's backward on arrays."""
        if self._packed is None:
            if self.saved_tensors:
                self.check_saved()
            result = self._run(self, grad)
        else:
            result = self._run(Replay(self, self._packed.arrays(self)), grad)
        return self._complete(self.spread(result))

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Run the rule's backward on tensors."""
        if self._packed is not None:
            saved = self._packed.tensors(self)
        else:
            self.check_saved()
            saved = tuple(self.tensor_of(value) for value in self.saved_tensors)
        return self._complete(self.spread(self._run(Replay(self, saved), grad)))

    def _run(self, ctx: Any, grad: Any) -> Any:
        backward = type(self).rule_backward
        if self._outputs == 1 and self._zeros is None:
            return backward(ctx, real_part(grad) if self._takes_real else grad)
        grads = grad if isinstance(grad, list) else [grad]
        if self.op.rule.tells_unused:
            if matters(grads, ctx.saved_tensors):
                if STATE.met is not None:
                    STATE.met.append(self.op.label)
                return pulled_at_ties(self, ctx, grads)
            return backward(ctx, *grads)
        filled = [
            np.zeros(*zeros) if part is None else part
            for part, zeros in zip(grads, self._zeros, strict=True)
        ]
        return backward(ctx, *filled)

    def spread(self, result: Any) -> tuple[Any, ...]:
        """Return what backward returned as one gradient for each edge."""
        parts = result if type(result) is tuple else (result,)
        layout = self._layout
        if layout is None:
            return parts
        flat: list[Any] = []
        for i, count in enumerate(layout):
            part = parts[i] if i < len(parts) else None
            if count is None:
                flat.append(part)
            else:
                flat.extend([None] * count if part is None else flattened(part))
        return tuple(flat)

    def _complete(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the gradients that a rule gave, one for each tensor.

        Raises:
            MissingRuleError: The rule has none for an argument, which is not to say that it is 0.
        """
        known = len(parts)
        for i, edge in enumerate(self._edges):
            if edge is not None and (i >= known or parts[i] is None):
                self._refuse_missing(i)
        return parts

    def _refuse_missing(self, position: int) -> None:
        names: list[str] = []
        layout = self._layout or (None,) * len(self.op.names)
        for each, count in zip(self.op.names, layout, strict=False):
            names.extend([each] * (1 if count is None else count))
        name = names[position] if position < len(names) else ""
        if name in self.op.rule.inert:
            return
        message, hint = refusal_of(self.op.label, name)
        raise MissingRuleError(message, hint=hint)

    def check_saved(self) -> None:
        """Check that saved memory is still there and has not been written to since.

        Raises:
            RuntimeError: A pass has freed it, or an in-place operation has changed it.
        """
        if self.saved_tensors is FREED:
            raise RuntimeError(SECOND_BACKWARD)
        versions = self._versions
        for i in range(0, len(versions), 2):
            if versions[i][0] != versions[i + 1]:
                self._complain(i // 2)

    def _complain(self, position: int) -> None:
        wanted = self._ids[position]
        for value in _leaves(self.saved_tensors):
            if id(value) == wanted:
                source = self._source(position)
                counter, version = self._versions[2 * position : 2 * position + 2]
                raise RuntimeError(modified_message(value, source, counter[0], version))

    def _source(self, position: int) -> Edge | None:
        """Return the node that made the value at `position`, and its output number."""
        if position >= len(self._edges):
            return self, position - len(self._edges)
        return self._edges[position]

    def position_of(self, value: Any) -> int:
        """Return which input, or output after these, `value` is; -1 for neither.

        A constant that is returned as it is counts as the output, which may depend on other inputs.
        """
        wanted = id(value)
        places = [i for i, known in enumerate(self._ids) if known == wanted]
        return next((i for i in places if self.edge_at(i) is not None), places[0] if places else -1)

    def edge_at(self, position: int) -> Any:
        """Return the edge of the input or output at `position`, or None for a constant."""
        if position >= len(self._edges):
            return (self, position - len(self._edges))
        return None if position < 0 else self._edges[position]

    def tensor_of(self, value: Any) -> Any:
        """Return a saved value as the tensor it was, with its place in the graph."""
        if type(value) in (float, complex):  # a Python number; one of ours if it was an argument
            position = self.position_of(value)
            return value if position < 0 else self.tensor_at(value, position)
        if type(value) in (tuple, list):  # as what is handed on to a function
            return type(value)(map(self.tensor_of, value))
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        position = self.position_of(value)
        if position < 0 and value.dtype.kind in "fc":
            raise InternalError(
                f"the rule of {self.op.label} saves an array that is neither argument nor result: "
                "its second derivative is not known"
            )
        return self.tensor_at(value, position)

    def tensor_at(self, value: Any, position: int) -> Any:
        """Return the array `value`, input or output number `position`, as a tensor."""
        edge = self.edge_at(position)
        held = None if self._tangents is None else self._tangents[1].get(position)
        if edge is None and held is None:
            return value
        tensor = self.attach(value, edge)
        if held is not None:
            tensor._tangent = (self._tangents[0], held)
        return tensor

    attach: Any  # how a tensor is made; set where tensors are


class BinaryNode(RuleNode):
    """A call of a rule with two parameters and one output, without options."""

    __slots__ = ("x_shape", "y_shape")  # what rules of operands that are broadcast note

    x_shape: tuple[int, ...]
    y_shape: tuple[int, ...]

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Run the rule's backward on arrays."""
        saved = self.saved_tensors
        if self._layout is not None:  # a list of tensors as an operand
            return RuleNode.pull(self, grad)
        if saved:
            a, a_then, b, b_then, z, z_then = self._versions
            if (
                a[0] != a_then
                or b[0] != b_then
                or z[0] != z_then
                or saved is FREED
                or self._packed is not None
            ):
                return RuleNode.pull(self, grad)
        result = self.rule_backward(self, grad)
        return result if type(result) is tuple else (result,)

    def release(self) -> None:
        """Let go of the saved values."""
        if self.saved_tensors:
            self.saved_tensors = FREED
            if self._packed is not None:
                self._packed = None


class ElementwiseNode(RuleNode):
    """A call of a function of one array that acts on each element."""

    __slots__ = ()

    slope: Any  # the static method of the rule

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Multiply with the slope."""
        saved = self.saved_tensors
        counter, version = self._versions
        if counter[0] != version or saved is FREED or self._packed is not None:
            return RuleNode.pull(self, grad)
        try:
            slope = self.slope(saved[0])
        except ZeroDivisionError:
            slope = _edge_slope(self.slope, saved[0])
        if type(slope) is not np.ndarray or slope.dtype is not FLOAT:
            slope = conj(slope)
        return (grad * slope,)

    def release(self) -> None:
        """Let go of the saved value."""
        self.saved_tensors = FREED
        if self._packed is not None:
            self._packed = None

    def check_saved(self) -> None:
        """Check that the saved value is there and unchanged."""
        if self.saved_tensors is FREED:
            raise RuntimeError(SECOND_BACKWARD)
        counter, version = self._versions
        if counter[0] != version:
            source = self._source(self.position_of(None))
            value = self.saved_tensors[0]
            raise RuntimeError(modified_message(value, source, counter[0], version))

    def position_of(self, value: Any) -> int:
        """Return 0 if the rule saves its input, 1 if its output."""
        return 1 if self.op.reads_output else 0


def _edge_slope(slope: Any, x: Any) -> Any:
    """Return the infinite slope at the edge of a domain, with the sign that it has beside.

    Numbers of Python's are not divided by zero, as those of NumPy are.

    >>> _edge_slope(lambda x: -1 / math.sqrt(1 - x * x), 1.0)
    -inf
    """
    for inside in (math.nextafter(x, 0.0), math.nextafter(x, 1.0)):
        with suppress(ZeroDivisionError):
            return math.copysign(math.inf, slope(inside))
    raise ZeroDivisionError("float division by zero")


class Replay:
    """A rule's context with other saved values: tensors, or what a user's hooks unpacked."""

    def __init__(self, node: Node, saved: tuple[Any, ...]) -> None:
        self._node = node
        self.saved_tensors = saved
        self.needs_input_grad = node.needs_input_grad

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


def _leaves(values: Any) -> Iterator[Any]:
    for value in values:
        if type(value) in (tuple, list):
            yield from _leaves(value)
        else:
            yield value


def flattened(value: Any) -> list[Any]:
    """Return what lies in nested lists and tuples, in order; an array stands for its rows.

    >>> flattened([[1, 2], (3,)])
    [1, 2, 3]
    """
    flat: list[Any] = []
    for item in value:
        flat.extend(flattened(item) if isinstance(item, (list, tuple)) else (item,))
    return flat


def modified_message(value: Any, source: Edge | None, now: int, then: int) -> str:
    """Return PyTorch's words for a saved value that was changed in place."""
    kind = f"{np.asarray(value).dtype.name.capitalize()}Tensor {list(np.shape(value))}"
    origin = ""
    if source is not None:
        node, number = source
        origin = f", which is output {number} of {short_name(node.name())},"
    return (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind}]{origin} is at version {now}; expected version {then} instead. Hint: "
        "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "srcgrad.autograd.set_detect_anomaly(True)."
    )


def short_name(name: str) -> str:
    """Return the name of a node without what says that it runs backward.

    >>> short_name("ExpBackward0")
    'Exp'
    """
    return name.rstrip("0123456789").removesuffix("Backward")
