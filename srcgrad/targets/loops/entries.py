"""Writes one entry of an elementwise expression: what a loop over arrays computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from srcgrad.codegen.printer import to_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, constant, load, subscript
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.kind import Array, Items, Kind, is_number, word_in
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
        before: What is found once, before the loops: numbers, and parts of arrays.
        hints: For each axis, slices along it: the same ones are likely of the same length.
        hoisted: The names that those numbers are calculated from.
        viewed: The names of the arrays whose parts those are.
    """

    node: Any
    reads: set[tuple[str, str]] = field(default_factory=set)
    lengths: list[dict[str, Any]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    before: list[Any] = field(default_factory=list)
    hints: list[set[str]] = field(default_factory=list)
    hoisted: set[str] = field(default_factory=set)
    viewed: set[str] = field(default_factory=set)


class EntryWriter:
    """Writes the entries of expressions with some number of axes.

    `name` gives a free name for a wish, and notes the kind of what will have it.

    Attributes:
        entry: What was found out of the expressions written so far.
    """

    def __init__(
        self,
        kind_of: Callable[[Any], Kind],
        indices: Sequence[str],
        views: Mapping[str, Any],
        name: Callable[[str, Kind], str],
    ) -> None:
        self._kind_of = kind_of
        self._name = name
        self._views = views
        self._indices = indices
        self._ndim = len(indices)
        self._of_ours: dict[str, Callable[..., Any]] = {
            "copied": self.written,
            "unbroadcast": self._unsummed,
            "within": self._within,
            "written_over": self._updated,
        }
        self.entry = Entry(None, lengths=[{} for _ in indices], hints=[set() for _ in indices])

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
        if isinstance(node, gast.Name):
            return self._whole(node, kind)
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
            return self.place(node.value, parts_of(node.slice), kind)
        return self._calculated(node)

    def _whole(self, node: Any, kind: Array) -> Any:
        """Return the entry of a name: of an array, or of a part that has it."""
        view = self._views.get(node.id)
        if view is not None:
            return self.place(view.value, parts_of(view.slice), kind)
        return self.place(node, [gast.Slice(None, None, None)] * kind.ndim, kind)

    def _calculated(self, node: Any) -> Any:
        """Return the entry of what is calculated of others."""
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Pow):
            return self._power(node.left, node.right)
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
        """Return an expression of numbers; what it reads or calls is found before the loops."""
        if not found_in(node, gast.Call, gast.Subscript, gast.Attribute, gast.NamedExpr):
            self.entry.names |= {item.id for item in found_in(node, gast.Name)}
            return node
        if found_in(node, gast.NamedExpr):
            raise NotElementwiseError
        if isinstance(node, gast.BinOp):
            return gast.BinOp(self._number(node.left), node.op, self._number(node.right))
        if isinstance(node, gast.UnaryOp):
            return gast.UnaryOp(node.op, self._number(node.operand))
        owner = getattr(node.value, "id", "") if isinstance(node, gast.Subscript) else ""
        self.entry.hoisted |= {item.id for item in found_in(node, gast.Name)}
        kind = self._kind_of(node)
        return load(self._found_before(f"{owner}_part" if owner else "number", node, kind))

    def _found_before(self, wish: str, node: Any, kind: Kind) -> str:
        """Return the name that an expression has before the loops."""
        text = to_source(node)
        for known in self.entry.before:
            if to_source(known.value) == text:
                return str(known.targets[0].id)
        name = self._name(wish, kind)
        self.entry.before.append(assign(name, node))
        return name

    def _call(self, node: Any) -> Any:
        if not isinstance(node, gast.Call) or node.keywords:
            raise NotElementwiseError
        function = node.func
        if _is_conversion(node):
            return gast.Call(node.args[0], [self.written(function.value)], [])
        if isinstance(function, gast.Name) and function.id in OF_RUNTIME:
            return gast.Call(function, list(map(self.written, node.args)), [])
        own = self._of_ours.get(getattr(function, "id", ""))
        if own is not None:
            return own(*node.args)
        if not isinstance(function, gast.Attribute) or getattr(function.value, "id", "") != "np":
            raise NotElementwiseError
        if not is_elementwise(function.attr) and function.attr != "clip":
            raise NotElementwiseError
        if function.attr == "clip":
            return self._clipped(*node.args)
        parts = list(map(self.written, node.args))
        if function.attr == "where":
            if len(parts) != 3:
                raise NotElementwiseError
            return gast.IfExp(*parts)
        return gast.Call(function, parts, [])

    def _updated(self, old: Any, new: Any) -> Any:
        """Return the entry of an updated array, which keeps its shape and type."""
        if word_in(self._kind_of(old)) != word_in(self._kind_of(new)):
            raise NotElementwiseError
        return self._unsummed(new, old)

    def _unsummed(self, grad: Any, like: Any) -> Any:
        """Return the entry of an adjoint that has the shape of a value, which the loops check."""
        kind, other = self._kind_of(grad), self._kind_of(like)
        if not isinstance(like, gast.Name) or not isinstance(kind, Array) or kind.ones:
            raise NotElementwiseError
        is_shape = isinstance(other, Items) and len(other.items) == kind.ndim
        is_array = isinstance(other, Array) and not other.ones and other.ndim == kind.ndim
        if not is_shape and not is_array:
            raise NotElementwiseError
        shape: Any = load(like.id)
        if is_array:
            shape = gast.Attribute(shape, "shape", gast.Load())
        for axis, found in enumerate(self.entry.lengths[self._ndim - kind.ndim :]):
            length = subscript(shape, constant(axis))
            found.setdefault(to_source(length), length)
        if is_shape:
            self.entry.hoisted.add(like.id)
        return self.written(grad)

    def _power(self, base: Any, exponent: Any) -> Any:
        """Return the entry of a power; one of a half is a root, as NumPy computes it."""
        value = _value_of(exponent)
        if value == 0.5:
            return call("np.sqrt", self.written(base))
        if type(value) is int or not {self._dtype(base), self._dtype(exponent)} <= FLOATS:
            return gast.BinOp(self.written(base), gast.Pow(), self.written(exponent))
        return call("np.power", self.written(base), self.written(exponent))

    def _dtype(self, node: Any) -> str:
        return word_in(self._kind_of(node)) or ""

    def _clipped(self, value: Any, low: Any, high: Any) -> Any:
        """Return the entry of ``np.clip(value, low, high)``."""
        entry = self.written(value)
        for name, bound in (("np.maximum", low), ("np.minimum", high)):
            if not (isinstance(bound, gast.Constant) and bound.value is None):
                entry = call(name, entry, self.written(bound))
        return entry

    def _within(self, value: Any, low: Any, high: Any) -> Any:
        """Return whether the entry of a value lies between two bounds."""
        entry, parts = self.written(value), []
        for operator, bound in ((gast.GtE(), low), (gast.LtE(), high)):
            if not (isinstance(bound, gast.Constant) and bound.value is None):
                parts.append(gast.Compare(clone(entry), [operator], [self.written(bound)]))
        if not parts:
            raise NotElementwiseError
        return parts[0] if len(parts) == 1 else gast.BinOp(parts[0], gast.BitAnd(), parts[1])

    def place(self, array: Any, parts: Sequence[Any], kind: Array) -> Any:
        """Return the entry of an array, or of a part of it, that belongs to the indices."""
        whole = self._kind_of(array)
        if not isinstance(whole, Array):
            raise NotElementwiseError
        missing = whole.ndim - sum(not _is_new(part) for part in parts)
        parts = [*parts, *[gast.Slice(None, None, None)] * missing]
        if not all(map(_is_small, parts)):
            return self._in_part(array, parts, kind)
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

    def _in_part(self, array: Any, parts: Sequence[Any], kind: Array) -> Any:
        """Return the entry of a part of an array that is made before the loops."""
        axis = self._ndim - kind.ndim
        places: list[str] = []
        index: list[Any] = []
        shown: list[Any] = []
        lengths: list[str] = []  # those of parts that are the same are, too
        for part in parts:
            if _is_new(part) or isinstance(part, gast.Slice):
                is_one = axis - (self._ndim - kind.ndim) in kind.ones
                index.append(constant(0) if is_one else load(self._indices[axis]))
                lengths.append("1")
                if not _is_new(part):
                    lengths[-1] = f"{array.id}.shape[{len(places)}][{to_source(part)}]"
                    places.append(f"{to_source(part)}@{to_source(index[-1])}")
                axis += 1
            elif self._kind_of(part) in INTEGERS:
                shown.append(self._number(part))
                places.append(to_source(shown[-1]))
                continue
            else:
                raise NotElementwiseError
            if isinstance(part, gast.Slice) and found_in(part, gast.Subscript, gast.Call):
                raise NotElementwiseError
            self.entry.names |= {item.id for item in found_in(part, gast.Name)}
            shown.append(part)
        whole = shown[0] if len(shown) == 1 else gast.Tuple(shown, gast.Load())
        name = self._found_before(f"{array.id}_part", subscript(load(array.id), whole), kind)
        self.entry.viewed.add(array.id)
        for k in range(kind.ndim):
            if k not in kind.ones:
                length = subscript(gast.Attribute(load(name), "shape", gast.Load()), constant(k))
                found = self.entry.lengths[self._ndim - kind.ndim + k]
                found.setdefault(lengths[k], length)
                self.entry.hints[self._ndim - kind.ndim + k].add(lengths[k].rpartition("[")[2])
        self.entry.reads.add((array.id, ", ".join(places)))
        return subscript(
            load(name), index[0] if len(index) == 1 else gast.Tuple(index, gast.Load())
        )

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


def _value_of(node: Any) -> Any:
    """Return the number that an expression of constants is; None for others."""
    if isinstance(node, gast.Constant):
        return node.value
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Sub):
        left, right = _value_of(node.left), _value_of(node.right)
        return None if left is None or right is None else left - right
    return None


def _is_conversion(node: Any) -> bool:
    """Say whether a node is ``x.astype(np.float32)`` or the like."""
    if getattr(node.func, "attr", "") != "astype" or len(node.args) != 1:
        return False
    (kind,) = node.args
    is_numpy = isinstance(kind, gast.Attribute) and getattr(kind.value, "id", "") == "np"
    return is_numpy and kind.attr in FLOATS


def _is_small(part: Any) -> bool:
    """Say whether a part of an index is no slice, or one that is named by small numbers."""
    if not isinstance(part, gast.Slice):
        return True
    try:
        return bool(_bounds(part))
    except NotElementwiseError:
        return False


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
