"""Masks the gradients of what `np.where` and its like select from, on the way back.

What is not selected contributes nothing, whatever its derivative is. So a selection sends the mask
of each operand along with its gradient, and the elementwise steps behind it mask theirs, too.

A careful pass, which is made where a gradient is NaN although the value is not, takes every step
for steep. It also knows that NaN goes through all arithmetic: where an operand is NaN, nothing that
was made of it can have reached the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.rules.records import primitive_of
from srcgrad.runtime import (
    any_selected,
    compress,
    getitem,
    places,
    share_among_ties,
    unbroadcast,
    within,
)
from srcgrad.tape.core import Core
from srcgrad.tape.node import FREED, Node
from srcgrad.tape.rulenode import Replay, RuleNode

Masks = dict[int, Any]
"""The masks of operands, by their position among the edges of a node."""

_FARTHEST: Final = 32  # nodes that are looked at before a chain is taken for steep
_NEAR: Final = 4  # those that are looked at for every element that is read


def _of_where(node: Any) -> Masks:
    (condition,) = node.saved_tensors
    others = np.logical_not(condition)
    return {1: np.logical_not(others), 2: others}  # the condition may be a list, or no mask at all


def _of_larger(node: Any) -> Masks:
    x, y = node.saved_tensors[:2]
    return {0: np.greater_equal(x, y), 1: np.greater_equal(y, x)}


def _of_smaller(node: Any) -> Masks:
    x, y = node.saved_tensors[:2]
    return {0: np.less_equal(x, y), 1: np.less_equal(y, x)}


def _of_extreme_number(node: Any) -> Masks:
    x, y, z = node.saved_tensors
    return {0: np.equal(x, z), 1: np.equal(y, z)}


def _of_clip(node: Any) -> Masks:
    return {0: within(*node.saved_tensors)}


def _of_select(node: Any) -> Masks:
    conditions, choices, _ = node._layout or (None, None, None)
    if choices is None:
        return {}
    masks: Masks = {}
    rest: Any = True
    first = conditions or 1
    for place, condition in enumerate(node.conditions):
        masks[first + place] = np.logical_and(rest, condition)
        rest = np.logical_and(rest, np.logical_not(condition))
    return {**masks, first + choices: rest}


def _of_reduction(node: Any) -> Masks:
    saves = node.op.primal in (np.prod, np.std, np.var)
    where = node.saved_tensors[1] if saves else node.where
    return {} if where is True else {0: where._array if isinstance(where, Core) else where}


def _of_largest(node: Any) -> Masks:
    a, y = node.saved_tensors
    shares = share_among_ties(np.ones_like(y), a, y, node.axis, node.keepdims, _raw(node.where))
    return {0: np.not_equal(shares, 0)}


def _of_numbers(node: Any) -> Masks:
    return {0: node.saved_tensors[-1]}


def _of_take(node: Any) -> Masks:
    indices = _raw(node.indices)
    return {0: _among(np.take(places(node.shape), indices, node.axis, mode=node.mode), node.shape)}


def _of_compress(node: Any) -> Masks:
    axis = getattr(node, "axis", None)  # `np.extract` has none
    kept = np.compress(np.ravel(_raw(node.condition)), places(node.shape), axis)
    place = 0 if node.op.primal is compress else 1
    return {place: _among(kept, node.shape)}


def _of_choose(node: Any) -> Masks:
    if not node._layout or node._layout[1] is None:
        return {}
    index = _raw(node.index)
    return {1 + place: np.equal(index, place) for place in range(node._layout[1])}


def _of_nan_to_num(node: Any) -> Masks:
    return {0: node.saved_tensors[0]}


def _among(source: Any, shape: tuple[int, ...]) -> Any:
    """Return which places of an array are among some, as truth values."""
    full = np.zeros(shape, bool)
    full.flat[np.ravel(source)] = True
    return full


def _raw(value: Any) -> Any:
    """Return an index or a condition without tensors."""
    if isinstance(value, tuple):
        return tuple(map(_raw, value))
    return value._array if isinstance(value, Core) else value


SELECTORS: Mapping[Any, Callable[[Any], Masks]] = MappingProxyType(
    {
        np.where: _of_where,
        np.maximum: _of_larger,
        np.minimum: _of_smaller,
        np.fmax: _of_extreme_number,
        np.fmin: _of_extreme_number,
        np.clip: _of_clip,
        np.select: _of_select,
        **dict.fromkeys((np.sum, np.mean, np.prod, np.std, np.var), _of_reduction),
        **dict.fromkeys((np.max, np.min, np.amax, np.amin, np.nanmax, np.nanmin), _of_largest),
        **dict.fromkeys((np.nansum, np.nanmean), _of_numbers),
        np.take: _of_take,
        **dict.fromkeys((np.compress, np.extract, compress), _of_compress),
        np.choose: _of_choose,
        np.nan_to_num: _of_nan_to_num,
    }
)
"""For functions that select: the mask of each operand, from what their rule saved."""


def note_selection(result: Any, index: Any) -> None:
    """Note that `result` consists of elements of a tensor that may be steep."""
    edge = getattr(result, "_edge", None)  # a constant has none
    node: Any = edge[0] if edge is not None else None
    below = node._edges[0] if isinstance(node, RuleNode) and node.op.primal is getitem else None
    if below is None:
        return
    parts = index if isinstance(index, tuple) else (index,)
    by_arrays = any(isinstance(part, (np.ndarray, list, Core)) for part in parts)
    if _is_fed_by_steep(below, _FARTHEST if by_arrays else _NEAR):
        node._special = node._selects = True


def note_overwriting(store: Node) -> None:
    """Note that a store overwrites elements of what may be steep."""
    if _is_fed_by_steep(store._edges[0]):
        store._special = store._selects = True


def _is_fed_by_steep(edge: Any, farthest: int = _FARTHEST) -> bool:
    if edge is None or not _can_be_masked(edge[0]):
        return False
    return _is_steep(edge[0], farthest=farthest)


class Selections:
    """The masks of one backward pass.

    Attributes:
        masks: For nodes that wait, by their key: where their gradient can be other than zero.
        careful: Every step is taken for steep, and what is NaN for unused.
        holds: What a step would pull that is infinite or NaN is left out, as if its operand were
            held: a guess, which differences have to confirm.
    """

    __slots__ = ("_coming", "careful", "holds", "masks")

    def __init__(self, *, careful: bool = False) -> None:
        self.masks: dict[int, Any] = {}
        self.careful = careful
        self.holds = False
        self._coming: dict[int, int] = {}

    def arrives(self, key: int) -> None:
        """Note a contribution to a node; one without a mask makes all of it count."""
        if self._coming.get(key, 0):
            self._coming[key] -= 1
        else:
            self.masks.pop(key, None)

    def pull(self, node: Node, grad: Any, pull: Callable[[Any], Any], nodes: Any) -> Any:
        """Return what is pulled through a node, masked, and hand masks on to its operands."""
        outer = self.masks.pop(node._key, None)
        if _passes(node):
            parts = pull(grad)
            if outer is not None or self._starts(node):
                used = np.ones(np.shape(grad), bool) if outer is None else outer
                self._hand_on(node, parts, None, _used_by(node, used), nodes)
            return parts
        if not isinstance(node, RuleNode):
            return pull(grad)
        primal = node.op.primal
        chosen = self._chosen(node, primal)
        each = primitive_of(primal).acts_on_each_element
        if self.careful and each and primal not in _DROPPING:
            outer = _both(outer, _numbers_of(node))
        elif self.careful and node.op.rule.multilinear and _numbers_of(node) is not None:
            return _pulled_without_nan(node, grad)
        if (outer is None and not self.holds) or not each:
            parts, outer = pull(grad), None
        else:
            parts = _masked(node, outer, grad, pull, holds=self.holds)
        if each or chosen:
            self._hand_on(node, parts, outer, chosen, nodes)
        return parts

    def _starts(self, node: Any) -> bool:
        if self.careful:
            return True
        if isinstance(node, RuleNode) and primitive_of(node.op.primal).picks:
            return any(map(_is_fed_by_steep, node._edges))
        return bool(node._selects)

    def _chosen(self, node: Any, primal: Any) -> Masks:
        maker = SELECTORS.get(primal)
        if maker in _DEAR and not self.careful and not any(map(_is_fed_by_steep, node._edges)):
            return {}
        if maker is None or node._packed is not None or node.saved_tensors is FREED:
            return {}
        return maker(node)

    def _hand_on(
        self, node: Any, parts: tuple[Any, ...], outer: Any, chosen: Masks, nodes: Any
    ) -> None:
        primal = node.op.primal if isinstance(node, RuleNode) else None
        bounds = outer is None and primal not in (np.where, np.select)
        for place, (edge, part) in enumerate(zip(node._edges, parts, strict=False)):
            mask = _both(outer, chosen.get(place))
            if mask is None or edge is None or part is None:
                continue
            target, _ = edge
            if not _can_be_masked(target):
                continue
            if not self.careful and not _is_steep(target, curved=not bounds):
                continue
            key = target._key
            if key in nodes and key not in self.masks:
                continue  # something came without a mask
            mask = any_selected(mask, np.shape(part))
            held = self.masks.get(key)
            self.masks[key] = mask if held is None else np.logical_or(held, mask)
            self._coming[key] = self._coming.get(key, 0) + 1
            target._special = True


_DROPPING: Final = frozenset({np.where, np.fmax, np.fmin, np.nan_to_num, np.copysign})
"""Functions that may give a number where an operand is NaN."""

_DEAR: Final = (_of_largest, _of_take, _of_compress)


def _both(outer: Any, own: Any) -> Any:
    if outer is None or own is None:
        return own if outer is None else outer
    return np.logical_and(outer, own)


def _numbers_of(node: Any) -> Any:
    """Return where nothing that a node saved is NaN; None if that is everywhere."""
    found: Any = None
    if node._packed is not None or node.saved_tensors is FREED:
        return found
    for value in node.saved_tensors:
        data = value._array if isinstance(value, Core) else value
        if isinstance(data, (np.ndarray, np.generic, float, complex)):
            missing = np.isnan(data) if np.result_type(data).kind in "fc" else False
            if np.any(missing):
                found = _both(found, np.logical_not(missing))
    return found


def _pulled_without_nan(node: RuleNode, grad: Any) -> tuple[Any, ...]:
    """Return what a node pulls with 0 for the NaN that it saved, which its gradient is 0 for."""
    recorded = isinstance(grad, Core)
    saved = map(node.tensor_of, node.saved_tensors) if recorded else node.saved_tensors
    context = Replay(node, tuple(map(_without_nan, saved)))
    return node._complete(node.spread(node._run(context, grad)))


def _without_nan(value: Any) -> Any:
    data = value._array if isinstance(value, Core) else value
    if not isinstance(data, (np.ndarray, np.generic, float, complex)):
        return value
    if np.result_type(data).kind not in "fc" or not np.any(np.isnan(data)):
        return value
    return np.where(np.isnan(data), 0, value)


def _passes(node: Any) -> bool:
    """Say whether a node leaves elements as they are, as a store does and what moves them."""
    if isinstance(node, RuleNode):
        return primitive_of(node.op.primal).moves and node._outputs == 1
    return bool(node._stores)


def _can_be_masked(node: Any) -> bool:
    if isinstance(node, RuleNode) and primitive_of(node.op.primal).acts_on_each_element:
        return node._layout is None  # a list of tensors has a gradient for each, of no axes
    return _passes(node)


def _used_by(node: Any, used: Any) -> Masks:
    """Return which elements of the operands become the `used` ones of a node that passes them."""
    if node._packed is not None or node.saved_tensors is FREED:
        return {}
    both = 1.0 + 1.0j if getattr(node, "is_complex", False) else 1.0  # parts have a gradient each
    parts = node.pull(used * both)
    return {place: part != 0 for place, part in enumerate(parts) if part is not None}


def _is_steep(node: Any, *, curved: bool = False, farthest: int = _FARTHEST) -> bool:
    """Say whether a node or a step that leads to it is steep, or `curved` at least.

    Chains that are too long to be followed are taken for steep; short looks give up.
    """
    stack, seen = [node], {node}
    while stack:
        item = stack.pop()
        if len(seen) > farthest:
            return farthest == _FARTHEST
        if not _passes(item):
            slope = primitive_of(item.op.primal).slope
            if slope in ("steep", "edge") or (curved and slope != "constant"):
                return True
        for edge in item._edges:
            if edge is not None and edge[0] not in seen and _can_be_masked(edge[0]):
                seen.add(edge[0])
                stack.append(edge[0])
    return False


_SHAPES: Final = ("x_shape", "y_shape")


def _masked(
    node: Any,
    mask: Any,
    grad: Any,
    pull: Callable[[Any], tuple[Any, ...]],
    *,
    holds: bool = False,
) -> tuple[Any, ...]:
    """Return what an elementwise node pulls, masked before it is summed to the operands' shapes.

    A rule that keeps those shapes under names of its own sums by itself, so it gets a masked
    gradient. With `holds`, what is infinite or NaN is masked, too.
    """
    mask = True if mask is None else mask
    known = {name: shape for name in _SHAPES if (shape := getattr(node, name, None)) is not None}
    several = getattr(node, "shapes", None)  # a rule given by its partial derivatives
    full = np.broadcast_shapes(np.shape(mask), *known.values(), *(several or ()))
    if any(name.endswith("shape") for name in vars(node).keys() - known.keys()):
        grad = _nothing_outside(mask, grad, None)
    for name in known:
        setattr(node, name, full)
    if several is not None:
        node.shapes = [full] * len(several)
    try:
        parts = pull(grad)
    finally:
        for name, shape in known.items():
            setattr(node, name, shape)
        if several is not None:
            node.shapes = several
    first = 1 if node.op.primal is np.where else 0
    shapes = several or [None] * first + [known.get(name) for name in _SHAPES]
    if holds:
        parts = tuple(part if part is None else _held(part) for part in parts)
    return tuple(
        part
        if part is None or (shape is None and np.shape(part) != full)
        else _nothing_outside(mask, part, shape)
        for part, shape in zip_longest(parts, shapes[: len(parts)])
    )


def _held(part: Any) -> Any:
    return np.where(np.isfinite(part), part, _zero(part))


def _nothing_outside(mask: Any, part: Any, shape: Any) -> Any:
    """Return a gradient with 0 outside of the mask, summed to a shape if one is given."""
    done = np.where(mask, part, _zero(part))
    return done if shape is None else unbroadcast(done, shape)


def _zero(part: Any) -> Any:
    """Return a zero that leaves the dtype of a gradient as it is."""
    data = part._array if isinstance(part, Core) else part
    return np.result_type(data).type(0)
