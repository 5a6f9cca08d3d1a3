"""Carries tangents beside values: forward mode over the same rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import NotDifferentiableError
from srcgrad.rules.base import Context
from srcgrad.tape.apply import apply, differentiable, remade, tensors_in
from srcgrad.tape.backward import grad, grad_of_call
from srcgrad.tape.core import Core, edge_of, make, requires_grad
from srcgrad.tape.inplace import own_part, set_item
from srcgrad.tape.memory_order import laid_out
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import Node, as_dtype
from srcgrad.tape.ops import Op, require_op
from srcgrad.tape.rulenode import RuleNode
from srcgrad.tape.turning import turned_push


class _reverse_only:
    """Compute tangents themselves with recording on and no tangents of theirs."""

    def __enter__(self) -> None:
        self._before = STATE.grad, STATE.dual_level, STATE.strict
        STATE.set(grad=True, dual_level=None, strict=False)

    def __exit__(self, *exc: object) -> None:
        grad_mode, level, strict = self._before
        STATE.set(grad=grad_mode, dual_level=level, strict=strict)


class DualLevel:
    """One level of forward mode; the tangents of its tensors count while it lasts."""

    def tangent_of(self, tensor: Any) -> Any:
        """Return the tangent of `tensor`, of a view that of its part of the base, or None."""
        if not isinstance(tensor, Core):
            return None
        view = tensor._view
        if view is not None:
            base = self.tangent_of(view.base)
            if base is None:
                return None
            with _reverse_only():
                for step in view.chain:
                    base = step(base)
            return base
        held = tensor._tangent
        return held[1] if held is not None and held[0] is self else None

    def give(self, tensor: Core, tangent: Any) -> None:
        """Make `tangent` the tangent of `tensor`; of a view, of its part of the base."""
        if tensor._view is None:
            tensor._tangent = None if tangent is None else (self, ordered_as(tangent, tensor))
            return
        self.write(tensor, ..., tangent)

    def write(self, target: Core, index: Any, tangent: Any) -> None:
        """Do to the tangent what ``target[index] = value`` did to the value."""
        base = target if target._view is None else target._view.base
        whole = self.tangent_of(base)
        if whole is None and tangent is None:
            return
        with _reverse_only():
            copy = require_op(np.copy)
            zeros = make(np.zeros_like(base._array)) if whole is None else None
            whole = zeros if zeros is not None else apply(copy, (whole,))
            part = own_part(whole, () if target._view is None else target._view.chain)
            set_item(part, index, 0 if tangent is None else tangent)
        base._tangent = (self, whole)

    def active(self, tensors: list[Core]) -> bool:
        """Return whether one of the `tensors` has a tangent."""
        return any(self.tangent_of(tensor) is not None for tensor in tensors)

    def push(self, op: Op, values: list[Any], result: Any) -> None:
        """Give the outputs of a call their tangents."""
        outputs = [result] if isinstance(result, Core) else list(result)
        turned = op.rule.tells_unused and turned_push(op, values, outputs, self._known(values))
        if turned:
            tangents = turned
        elif op.slope is not None:
            tangents = [self._elementwise(op, values[0], outputs[0])]
        elif op.rule.pushes:
            tangents = self._by_rule(op, values)
        else:
            tangents = self._by_transposing(op, values)
        for out, tangent in zip(outputs, tangents, strict=True):
            if isinstance(out, Core) and tangent is not None and out._view is None:
                out._tangent = (self, ordered_as(like_output(tangent, out), out))
        edge = next((out._edge for out in outputs if isinstance(out, Core) and out._edge), None)
        if edge is not None and isinstance(edge[0], RuleNode) and STATE.grad:
            self._remember(edge[0], values, outputs)

    def _remember(self, node: RuleNode, values: list[Any], outputs: list[Any]) -> None:
        """Let the node know the tangents of what it may have saved: backward may run on them."""
        flat: list[Any] = []
        for value in values:
            nested = isinstance(value, (list, tuple)) and tensors_in(value)
            flat.extend(value if nested else [value])
        known = {i: self.tangent_of(item) for i, item in enumerate([*flat, *outputs])}
        node._tangents = (self, {i: t for i, t in known.items() if t is not None})

    def _elementwise(self, op: Op, x: Any, y: Any) -> Any:
        tangent = self.tangent_of(x)
        assert op.slope is not None
        with _reverse_only():
            return tangent * op.slope(y if op.reads_output else x)

    def _by_rule(self, op: Op, values: list[Any]) -> list[Any]:
        """Return the tangents of the outputs that the rule itself gives."""
        with _reverse_only():
            ctx = Context()
            op.call_forward(ctx, values)
            found = op.jvp(ctx, *self._known(values)) if op.jvp is not None else None
        return list(found) if isinstance(found, tuple) else [found]

    def _known(self, values: list[Any]) -> list[Any]:
        return [self.tangent_of(value) for value in values]

    def _by_transposing(self, op: Op, values: list[Any]) -> list[Any]:
        """Return the tangents of the outputs: the rule's backward, transposed by backward."""
        with _reverse_only():
            twins: list[Any] = []
            tangents: list[Any] = []

            def twin(value: Any) -> Any:
                if isinstance(value, (list, tuple)) and tensors_in(value):
                    return remade(value, map(twin, value))
                if not isinstance(value, Core):
                    return value
                tangent = self.tangent_of(value)
                if tangent is None:
                    return value
                alias = alias_of(value)
                twins.append(alias)
                tangents.append(tangent)
                return alias

            given = [twin(value) for value in values]
            args, named = op.split(given)
            result = apply(op, tuple(args), named)
            outputs = [result] if isinstance(result, Core) else list(result)
            ends = frozenset(edge[0] for item in tensors_in(given) if (edge := edge_of(item)))
            found = [transposed(out, twins, tangents, ends) for out in outputs]
            tracked = any(requires_grad(t) for t in (*tensors_in(values), *tangents))
            return [t if tracked or t is None else t.detach() for t in found]

    def push_function(self, cls: Any, ctx: Any, inputs: tuple[Any, ...], outputs: Any) -> None:
        """Give the outputs of a user's Function the tangents that its jvp returns."""
        tangents = [self.tangent_of(value) for value in inputs]
        if all(tangent is None for tangent in tangents):
            return
        filled = [
            make(np.zeros_like(value._array))
            if tangent is None and isinstance(value, Core) and differentiable(value._array)
            else tangent
            for value, tangent in zip(inputs, tangents, strict=True)
        ]
        with _reverse_only():
            ctx._in_jvp = True
            try:
                result = cls.jvp(ctx, *filled)
            finally:
                ctx._in_jvp = False
        results = result if isinstance(result, tuple) else (result,)
        for out, tangent in zip(outputs, results, strict=True):
            if isinstance(out, Core) and tangent is not None:
                out._view = None if out._tangent is None else out._view
                out._tangent = (self, ordered_as(tangent, out))


def ordered_as(tangent: Any, out: Core) -> Any:
    """Return `tangent` in the order in memory of `out`, so that views of both are alike."""
    data = laid_out(tangent._array, out._array)
    if data is tangent._array:
        return tangent
    if not requires_grad(tangent):
        return make(data)
    order = "C" if out._array.flags.c_contiguous else "F"
    with _reverse_only():
        return apply(require_op(np.copy), (tangent,), {"order": order})


def like_output(tangent: Any, out: Core) -> Any:
    """Return `tangent` with the dtype of `out`: real numbers get the real part."""
    with _reverse_only():
        return as_dtype(tangent, out._array.dtype)


def alias_of(tensor: Core) -> Any:
    """Return a tensor with the value of `tensor` that a gradient can be asked for."""
    if requires_grad(tensor):
        return apply(require_op(np.copy), (tensor,))
    return make(tensor._array.view(), flag=True)


def transposed(
    out: Any, inputs: list[Any], tangents: list[Any], ends: frozenset[Node] = frozenset()
) -> Any:
    """Return the tangent of `out`, given those of the `inputs` it was computed from.

    `ends` are the nodes of all that it was computed from.
    """
    if not isinstance(out, Core) or edge_of(out) is None:
        return None
    seed = make(np.zeros_like(out._array), flag=True)
    pulled = grad_of_call([out], inputs, [seed], ends)
    _check_linked(out, inputs, pulled)
    pairs = [
        (g, t) for g, t in zip(pulled, tangents, strict=True) if g is not None and requires_grad(g)
    ]
    if not pairs:
        return make(np.zeros_like(out._array))
    cast = [t if t._array.dtype == g._array.dtype else t.astype(g._array.dtype) for g, t in pairs]
    (tangent,) = grad_of_call([g for g, _ in pairs], [seed], cast, ends)
    return make(np.zeros_like(out._array)) if tangent is None else tangent


def _check_linked(out: Any, inputs: list[Any], pulled: Any) -> None:
    """Raise where a gradient that is not zero does not stem from the seed as the tape sees it.

    A rule whose backward calculates outside of the tape cannot be transposed: that would give zero.
    """
    if all(g is None or requires_grad(g) for g in pulled):
        return
    seed = make(np.ones_like(out._array))
    found = grad(out, inputs, seed, retain_graph=True, allow_unused=True)
    for known, g in zip(pulled, found, strict=True):
        if known is not None and not requires_grad(known) and g is not None and np.any(g._array):
            raise NotDifferentiableError(
                "this is not differentiated in forward mode: its gradient is calculated at once",
                hint="use srcgrad.grad or srcgrad.vjp",
            )
