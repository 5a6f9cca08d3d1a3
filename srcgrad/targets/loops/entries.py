"""Writes one entry of an elementwise expression: what a loop over arrays computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import gast

from srcgrad.codegen.printer import to_source
from srcgrad.ir.build import constant, load, subscript
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.kind import Array, Kind, is_number
from srcgrad.targets.loops.results import OF_RUNTIME, is_elementwise, parts_of
from srcgrad.targets.loops.words import FLOATS, INTEGERS


class NotElementwiseError(Exception):
    """An expression that is not written entry by entry."""


@dataclass(slots=True)
class Entry:
    """One entry of an elementwise expression.

    Attributes:
        node: The expression of numbers.
        reads: The entries of arrays that it reads: name and index, as text.
        lengths: For each axis, the lengths that have to agree, by their text.
        names: The names of numbers that it reads.
    """

    node: Any
    reads: set[tuple[str, str]] = field(default_factory=set)
    lengths: list[dict[str, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


class EntryWriter:
    """Writes the entries of expressions with some number of axes.

    Attributes:
        entry: What was found out of the expressions written so far.
    """

    def __init__(
        self,
        kind_of: Callable[[Any], Kind],
        indices: Sequence[str],
        views: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._kind_of = kind_of
        self._views = views
        self._indices = indices
        self._ndim = len(indices)
        self.entry = Entry(None, lengths=[{} for _ in indices])

    def written(self, node: Any) -> Any:
        """Return the expression of one entry.

        Raises:
            NotElementwiseError: There is none.
        """
        kind = self._kind_of(node)
        if is_number(kind):
            return self._number(node)
        if not isinstance(kind, Array) or kind.ndim > self._ndim:
            raise NotElementwiseError
        if isinstance(node, gast.Name) and node.id in self._views:
            view = self._views[node.id]
            return self.place(view.value, parts_of(view.slice), kind)
        if isinstance(node, gast.Name):
            return self.place(node, [gast.Slice(None, None, None)] * kind.ndim, kind)
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
            return self.place(node.value, parts_of(node.slice), kind)
        if isinstance(node, gast.BinOp) and not isinstance(node.op, gast.MatMult):
            return gast.BinOp(self.written(node.left), node.op, self.written(node.right))
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
            return gast.UnaryOp(node.op, self.written(node.operand))
        if isinstance(node, gast.Compare) and len(node.ops) == 1:
            return gast.Compare(
                self.written(node.left), node.ops, [self.written(node.comparators[0])]
            )
        return self._call(node)

    def _number(self, node: Any) -> Any:
        """Return an expression of numbers, which reads no array: those would be read each time."""
        if found_in(node, gast.Call, gast.Subscript, gast.Attribute, gast.NamedExpr):
            raise NotElementwiseError
        self.entry.names |= {item.id for item in found_in(node, gast.Name)}
        return node

    def _call(self, node: Any) -> Any:
        if not isinstance(node, gast.Call) or node.keywords:
            raise NotElementwiseError
        function = node.func
        if _is_conversion(node):
            return gast.Call(node.args[0], [self.written(function.value)], [])
        if isinstance(function, gast.Name) and function.id in OF_RUNTIME:
            return gast.Call(function, list(map(self.written, node.args)), [])
        if getattr(function, "id", "") == "unbroadcast":
            return self._unsummed(*node.args)
        if not isinstance(function, gast.Attribute) or getattr(function.value, "id", "") != "np":
            raise NotElementwiseError
        if not is_elementwise(function.attr):
            raise NotElementwiseError
        parts = list(map(self.written, node.args))
        if function.attr == "where":
            if len(parts) != 3:
                raise NotElementwiseError
            return gast.IfExp(*parts)
        return gast.Call(function, parts, [])

    def _unsummed(self, grad: Any, like: Any) -> Any:
        """Return the entry of an adjoint that has the shape of a value, which the loops check."""
        kind, other = self._kind_of(grad), self._kind_of(like)
        if not isinstance(like, gast.Name) or not isinstance(kind, Array) or kind.ones:
            raise NotElementwiseError
        if not isinstance(other, Array) or other.ones or other.ndim != kind.ndim:
            raise NotElementwiseError
        for axis, found in enumerate(self.entry.lengths[self._ndim - kind.ndim :]):
            shape = gast.Attribute(load(like.id), "shape", gast.Load())
            length = subscript(shape, constant(axis))
            found.setdefault(to_source(length), length)
        return self.written(grad)

    def place(self, array: Any, parts: Sequence[Any], kind: Array) -> Any:
        """Return the entry of an array, or of a part of it, that belongs to the indices."""
        whole = self._kind_of(array)
        if not isinstance(whole, Array):
            raise NotElementwiseError
        missing = whole.ndim - sum(not _is_new(part) for part in parts)
        parts = [*parts, *[gast.Slice(None, None, None)] * missing]
        axis, own = self._ndim - kind.ndim, 0
        index: list[Any] = []
        for part in parts:
            if _is_new(part):
                axis += 1
            elif isinstance(part, gast.Slice):
                index.append(self._along(array.id, part, own, axis, one=own in whole.ones))
                axis, own = axis + 1, own + 1
            elif self._kind_of(part) in INTEGERS:
                index.append(self._number(part))
                own += 1
            else:
                raise NotElementwiseError
        if axis != self._ndim:
            raise NotElementwiseError
        shown = index[0] if len(index) == 1 else gast.Tuple(index, gast.Load())
        self.entry.reads.add((array.id, to_source(shown)))
        return subscript(load(array.id), shown)

    def _along(self, name: str, part: Any, own: int, axis: int, *, one: bool) -> Any:
        """Return the index along an axis, and note its length."""
        low, high = _bounds(part)
        if one and (low, high) == (0, 0):
            return constant(0)
        length: Any = subscript(gast.Attribute(load(name), "shape", gast.Load()), constant(own))
        if low - high:
            length = gast.BinOp(length, gast.Sub(), constant(low - high))
        self.entry.lengths[axis].setdefault(to_source(length), length)
        index = load(self._indices[axis])
        return gast.BinOp(index, gast.Add(), constant(low)) if low else index


def _is_conversion(node: Any) -> bool:
    """Say whether a node is ``x.astype(np.float32)`` or the like."""
    if getattr(node.func, "attr", "") != "astype" or len(node.args) != 1:
        return False
    (kind,) = node.args
    is_numpy = isinstance(kind, gast.Attribute) and getattr(kind.value, "id", "") == "np"
    return is_numpy and kind.attr in FLOATS


def _is_new(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value is None


def is_view(node: Any) -> bool:
    """Say whether an expression is a part of an array that is named by small numbers."""
    if not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name):
        return False
    try:
        return bool([_bounds(part) for part in parts_of(node.slice) if not _is_new(part)])
    except (AttributeError, NotElementwiseError):
        return False  # it names elements


def _bounds(part: Any) -> tuple[int, int]:
    """Return where a slice begins and, counted from the end, stops.

    Raises:
        NotElementwiseError: That is not said by small numbers.
    """
    low = 0 if part.lower is None else getattr(part.lower, "value", None)
    if part.step is not None or type(low) is not int:
        raise NotElementwiseError
    if part.upper is None:
        return low, 0
    is_negative = isinstance(part.upper, gast.UnaryOp) and isinstance(part.upper.op, gast.USub)
    high = getattr(part.upper.operand, "value", None) if is_negative else None
    if type(high) is not int:
        raise NotElementwiseError
    return low, -high
