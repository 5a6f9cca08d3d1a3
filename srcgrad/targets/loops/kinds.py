"""Finds what the names of a text hold, given what its arguments are: numbers, arrays, lists.

What is found is a guess where functions are called that are not known here; a text that rests on it
is compared with that for NumPy when it first runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import gast
import numpy as np

_ROUNDS: Final = 12
_ORDER: Final = ("bool", "int", "float")
OF_RUNTIME: Final = frozenset("power_slope power_log_slope greater_part chosen_part sign".split())


@dataclass(frozen=True, slots=True)
class Array:
    """An array: its numbers, how many axes it has, and which are surely of length one."""

    dtype: str
    ndim: int
    ones: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple of known length, or a named one."""

    items: tuple[Any, ...]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Many:
    """A list of values of one kind; None if nothing is in it yet."""

    item: Any


UNKNOWN: Final = "unknown"
Kind = Any  # a word, or one of these; None where nothing is known yet


def joined(one: Kind, other: Kind) -> Kind:
    """Return the kind of what is of one kind or of another."""
    if one is None or one == other:
        return other
    if other is None:
        return one
    if one in _ORDER and other in _ORDER:
        return max(one, other, key=_ORDER.index)
    if isinstance(one, Array) and isinstance(other, Array) and one.ndim == other.ndim:
        return Array(joined(one.dtype, other.dtype), one.ndim, one.ones & other.ones)
    if isinstance(one, Many) and isinstance(other, Many):
        return Many(joined(one.item, other.item))
    if isinstance(one, Items) and isinstance(other, Items) and len(one.items) == len(other.items):
        return Items(tuple(map(joined, one.items, other.items)), one.fields or other.fields)
    return UNKNOWN


def beside(*kinds: Kind) -> Kind:
    """Return the kind of what is calculated entry by entry from values of some kinds."""
    if any(kind is None for kind in kinds):
        return None
    if not all(kind in _ORDER or isinstance(kind, Array) for kind in kinds):
        return UNKNOWN
    arrays = [kind for kind in kinds if isinstance(kind, Array)]
    dtype = reduce(joined, (k.dtype if isinstance(k, Array) else k for k in kinds))
    if not arrays:
        return dtype
    ndim = max(item.ndim for item in arrays)
    ones = [
        {axis + ndim - item.ndim for axis in item.ones} | set(range(ndim - item.ndim))
        for item in arrays
    ]
    return Array(dtype, ndim, frozenset(set.intersection(*ones)))


class Kinds:
    """The kinds of the names in each function of a text.

    Attributes:
        names: For each function, the kinds of its names.
    """

    def __init__(self, functions: Mapping[str, Any], entry: str, given: Sequence[Kind]) -> None:
        self._functions = functions
        self.names: dict[str, dict[str, Kind]] = {name: {} for name in functions}
        self._returned: dict[str, Kind] = dict.fromkeys(functions)
        self._in = entry
        self._bind(entry, given)
        for _ in range(_ROUNDS):
            before = {name: dict(found) for name, found in self.names.items()}
            before_returned = dict(self._returned)
            for name, function in functions.items():
                self._in = name
                self._block(function.body)
            if before == self.names and before_returned == self._returned:
                return
        for found in self.names.values():
            found.clear()

    def _bind(self, name: str, kinds: Sequence[Kind]) -> None:
        parameters = [item.id for item in self._functions[name].args.args]
        own = self.names[name]
        for parameter, kind in zip(parameters, kinds, strict=False):
            own[parameter] = joined(own.get(parameter), kind)

    # -- statements

    def _block(self, body: Sequence[Any]) -> None:
        for statement in body:
            handle = getattr(self, f"_{type(statement).__name__}", None)
            if handle is not None:
                handle(statement)
            elif isinstance(statement, (gast.If, gast.While, gast.With, gast.Try)):
                for name in ("body", "orelse", "finalbody"):
                    self._block(getattr(statement, name, []))

    def _Assign(self, statement: Any) -> None:
        kind = self.of(statement.value)
        for target in statement.targets:
            self._store(target, kind)

    def _store(self, target: Any, kind: Kind) -> None:
        if isinstance(target, gast.Name):
            own = self.names[self._in]
            own[target.id] = joined(own.get(target.id), kind)
        elif isinstance(target, gast.Tuple):
            parts = kind.items if isinstance(kind, Items) else (_item(kind),) * len(target.elts)
            if len(parts) != len(target.elts):
                parts = (UNKNOWN,) * len(target.elts)
            for item, part in zip(target.elts, parts, strict=True):
                self._store(item, part)

    def _AugAssign(self, statement: Any) -> None:
        if isinstance(statement.target, gast.Name):
            old = self.of(gast.Name(statement.target.id, gast.Load(), None, None))
            self._store(statement.target, _of_operator(statement.op, old, self.of(statement.value)))

    def _For(self, loop: Any) -> None:
        iterated = loop.iter
        function = getattr(getattr(iterated, "func", None), "id", "")
        if function == "range":
            kind: Kind = "int"
        elif function == "enumerate":
            kind = Items(("int", _item(self.of(iterated.args[0]))))
        elif function == "zip":
            kind = Items(tuple(_item(self.of(item)) for item in iterated.args))
        else:
            kind = _item(self.of(iterated))
        self._store(loop.target, kind)
        self._block(loop.body)
        self._block(loop.orelse)

    def _Return(self, statement: Any) -> None:
        if statement.value is not None:
            kind = joined(self._returned[self._in], self.of(statement.value))
            self._returned[self._in] = kind

    def _Expr(self, statement: Any) -> None:
        self.of(statement.value)
        call = statement.value
        is_append = isinstance(call, gast.Call) and getattr(call.func, "attr", "") == "append"
        if is_append and isinstance(call.func.value, gast.Name) and len(call.args) == 1:
            self._store_item(call.func.value.id, self.of(call.args[0]))

    def _store_item(self, name: str, kind: Kind) -> None:
        own = self.names[self._in]
        own[name] = joined(own.get(name), Many(kind))

    # -- expressions

    def of(self, node: Any, function: str = "") -> Kind:
        """Return the kind of an expression, in a function if one is named."""
        if function:
            self._in = function
        handle = getattr(self, f"_{type(node).__name__}", None)
        return UNKNOWN if handle is None else handle(node)

    def _Constant(self, node: Any) -> Kind:
        known = {bool: "bool", int: "int", float: "float"}
        return known.get(type(node.value), UNKNOWN)

    def _Name(self, node: Any) -> Kind:
        return self.names[self._in].get(node.id)

    def _BinOp(self, node: Any) -> Kind:
        return _of_operator(node.op, self.of(node.left), self.of(node.right))

    def _UnaryOp(self, node: Any) -> Kind:
        kind = self.of(node.operand)
        return "bool" if isinstance(node.op, gast.Not) else kind

    def _Compare(self, node: Any) -> Kind:
        kind = beside(self.of(node.left), *map(self.of, node.comparators))
        return Array("bool", kind.ndim, kind.ones) if isinstance(kind, Array) else kind and "bool"

    def _IfExp(self, node: Any) -> Kind:
        return joined(self.of(node.body), self.of(node.orelse))

    def _BoolOp(self, node: Any) -> Kind:
        return reduce(joined, map(self.of, node.values))

    def _Tuple(self, node: Any) -> Kind:
        return Items(tuple(map(self.of, node.elts)))

    def _List(self, node: Any) -> Kind:
        return Many(reduce(joined, map(self.of, node.elts), None))

    def _Attribute(self, node: Any) -> Kind:
        kind = self.of(node.value)
        if isinstance(kind, Items) and node.attr in kind.fields:
            return kind.items[kind.fields.index(node.attr)]
        if isinstance(kind, Array):
            known: dict[str, Kind] = {
                "T": Array(kind.dtype, kind.ndim),
                "shape": Items(("int",) * kind.ndim),
                "size": "int",
                "ndim": "int",
            }
            return known.get(node.attr, UNKNOWN)
        return None if kind is None else UNKNOWN

    def _Subscript(self, node: Any) -> Kind:
        kind, index = self.of(node.value), node.slice
        if isinstance(kind, Array):
            return _of_index(kind, [(part, self._part(part)) for part in parts_of(index)])
        if isinstance(kind, Items):
            place = getattr(index, "value", None)
            if type(place) is int and -len(kind.items) <= place < len(kind.items):
                return kind.items[place]
            if isinstance(index, gast.Slice):
                return UNKNOWN
            return reduce(joined, kind.items, None)
        if isinstance(kind, Many):
            return kind if isinstance(index, gast.Slice) else kind.item
        return None if kind is None else UNKNOWN

    def _part(self, part: Any) -> Kind:
        return "slice" if isinstance(part, gast.Slice) else self.of(part)

    def _Call(self, node: Any) -> Kind:
        function = node.func
        kinds = [self.of(item) for item in node.args]
        if isinstance(function, gast.Name):
            return self._own_call(function.id, node, kinds)
        if isinstance(function, gast.Attribute):
            if getattr(function.value, "id", "") == "np":
                return self._of_numpy(function.attr, node, kinds)
            if getattr(function.value, "id", "") == "math":
                return "float"
            return self._of_method(function.attr, self.of(function.value), node)
        return UNKNOWN

    def _own_call(self, name: str, node: Any, kinds: Sequence[Kind]) -> Kind:
        if name in self._functions:
            self._bind(name, kinds)
            return self._returned[name]
        if name == "stacked":
            return _stacked(kinds[0])
        if name == "stacked_shape":
            return self._made("shape", [_stacked(kinds[0])])
        if name.endswith("_along"):
            return self._along(name, node, kinds[0])
        if name in OF_RUNTIME:
            return beside(*kinds, "float")
        return self._of_runtime(name, kinds)

    def _of_runtime(self, name: str, kinds: Sequence[Kind]) -> Kind:
        if name in ("copied", "abs", "cast_back"):
            return kinds[0]
        if name == "zeros_like":
            return _zeros_of(kinds[0])
        if name == "unbroadcast" and None in kinds:
            return None
        if name == "unbroadcast" and isinstance(kinds[0], Array):
            like = kinds[1]
            if isinstance(like, Array):
                return Array(kinds[0].dtype, like.ndim, like.ones)
            return kinds[0].dtype if like in _ORDER else UNKNOWN
        if name in ("int_floor_divided", "int_remainder", "int_times", "power", "min", "max"):
            return beside(*kinds)
        return {"len": "int", "int": "int", "float": "float", "bool": "bool"}.get(name, UNKNOWN)

    def _along(self, name: str, node: Any, kind: Kind) -> Kind:
        if not isinstance(kind, Array):
            return None if kind is None else UNKNOWN
        axis, keeps = node.args[1], getattr(node.args[2], "value", None)
        axes = _axes_of(axis, kind.ndim)
        if axes is None:
            return UNKNOWN
        dtype = "float" if name.startswith("mean") else kind.dtype
        dtype = "bool" if name.startswith(("any", "all")) else dtype
        if keeps is True:
            return Array(dtype, kind.ndim, kind.ones | axes)
        left = kind.ndim - len(axes)
        return Array(dtype, left) if left else dtype

    def _of_numpy(self, name: str, node: Any, kinds: Sequence[Kind]) -> Kind:
        if node.keywords:
            return UNKNOWN
        if name == "where" and len(kinds) == 3:
            kind, chosen = beside(*kinds), beside(*kinds[1:])
            dtype = chosen.dtype if isinstance(chosen, Array) else chosen
            return Array(dtype, kind.ndim, kind.ones) if isinstance(kind, Array) else dtype
        if is_elementwise(name):
            return _of_ufunc(getattr(np, name), kinds)
        if name in ("sum", "max", "min", "prod", "mean") and len(kinds) == 1:
            return _reduced(name, kinds[0])
        return self._made(name, kinds)

    def _made(self, name: str, kinds: Sequence[Kind]) -> Kind:
        if name in ("array", "stack", "asarray") and len(kinds) == 1:
            return _stacked(kinds[0])
        if name in ("zeros", "ones", "empty") and len(kinds) == 1:
            return _shaped(kinds[0], "float")
        if name in ("zeros_like", "ones_like", "empty_like", "full_like", "copy"):
            return kinds[0]
        if name == "broadcast_to":
            return _shaped(kinds[1], kinds[0].dtype if isinstance(kinds[0], Array) else kinds[0])
        if name == "dot" and len(kinds) == 2:
            return _product(*kinds)
        if name == "outer":
            return Array("float", 2)
        if name == "shape":
            return Items(("int",) * kinds[0].ndim) if isinstance(kinds[0], Array) else UNKNOWN
        return "int" if name in ("size", "ndim") else UNKNOWN

    def _of_method(self, name: str, kind: Kind, node: Any) -> Kind:
        if isinstance(kind, Array):
            if node.args or node.keywords:
                return UNKNOWN
            if name in ("sum", "max", "min", "prod", "mean"):
                return _reduced(name, kind)
            return kind if name == "copy" else UNKNOWN
        if isinstance(kind, Many) and name == "pop":
            return kind.item
        return None if kind is None else UNKNOWN


def is_elementwise(name: str) -> bool:
    """Say whether a function of NumPy has one result, entry by entry.

    >>> is_elementwise("tanh"), is_elementwise("where"), is_elementwise("matmul")
    (True, True, False)
    """
    found = getattr(np, name, None)
    if name == "where":
        return True
    return isinstance(found, np.ufunc) and found.signature is None and found.nout == 1


def _of_ufunc(function: np.ufunc, kinds: Sequence[Kind]) -> Kind:
    """Return the kind of what a function gives entry by entry."""
    kind = beside(*kinds)
    if all(loop.endswith("?") for loop in function.types):
        return Array("bool", kind.ndim, kind.ones) if isinstance(kind, Array) else kind and "bool"
    keeps = f"{'l' * function.nin}->l" in function.types
    return kind if keeps or kind is None else beside(kind, "float")


def parts_of(index: Any) -> list[Any]:
    """Return the parts of an index, one for each axis that it names."""
    return list(index.elts) if isinstance(index, gast.Tuple) else [index]


def _axes_of(axis: Any, ndim: int) -> frozenset[int] | None:
    items = axis.elts if isinstance(axis, gast.Tuple) else [axis]
    found = []
    for item in items:
        sign, node = (-1, item.operand) if isinstance(item, gast.UnaryOp) else (1, item)
        value = getattr(node, "value", UNKNOWN)
        if value is None:
            return frozenset(range(ndim))
        if type(value) is not int:
            return None
        found.append(sign * value)
    return frozenset(value % ndim for value in found)


def _item(kind: Kind) -> Kind:
    """Return what a loop over a value of some kind goes through."""
    if isinstance(kind, Many):
        return kind.item
    if isinstance(kind, Array):
        return Array(kind.dtype, kind.ndim - 1) if kind.ndim > 1 else kind.dtype
    if isinstance(kind, Items):
        return reduce(joined, kind.items, None)
    return None if kind is None else UNKNOWN


def _of_operator(operator: Any, left: Kind, right: Kind) -> Kind:
    if isinstance(operator, gast.MatMult):
        return _product(left, right)
    if isinstance(operator, (gast.Add, gast.Mult)) and isinstance(left, (Many, Items)):
        return UNKNOWN
    kind = beside(left, right)
    return beside(kind, "float") if isinstance(operator, gast.Div) and kind is not None else kind


def _product(left: Kind, right: Kind) -> Kind:
    if left is None or right is None:
        return None
    if not (isinstance(left, Array) and isinstance(right, Array)):
        return UNKNOWN
    if left.ndim > 2 or right.ndim > 2:
        return UNKNOWN
    ndim = left.ndim + right.ndim - 2
    return Array("float", ndim) if ndim else "float"


def _stacked(kind: Kind) -> Kind:
    """Return the kind of the array that is made of the items of a value."""
    if isinstance(kind, Array):
        return kind
    items = (kind.item,) if isinstance(kind, Many) else getattr(kind, "items", (None,))
    whole = reduce(joined, items, None)
    if isinstance(whole, Array):
        return Array(whole.dtype, whole.ndim + 1)
    return Array(whole, 1) if whole in _ORDER else None if kind is None else UNKNOWN


def _reduced(name: str, kind: Kind) -> Kind:
    dtype = kind.dtype if isinstance(kind, Array) else kind
    if dtype not in _ORDER:
        return None if dtype is None else UNKNOWN
    if name == "mean":
        return "float"
    return "int" if dtype == "bool" and name in ("sum", "prod") else dtype


def _shaped(shape: Kind, dtype: Kind) -> Kind:
    if dtype not in _ORDER:
        return None if dtype is None else UNKNOWN
    if shape == "int":
        return Array(dtype, 1)
    return Array(dtype, len(shape.items)) if isinstance(shape, Items) else UNKNOWN


def _zeros_of(kind: Kind) -> Kind:
    if kind in _ORDER:
        return "float"
    if isinstance(kind, Array):
        return Array("float", kind.ndim, kind.ones)
    return None if kind is None else UNKNOWN


def _of_index(kind: Array, parts: Sequence[tuple[Any, Kind]]) -> Kind:
    """Return the kind of what a basic index, or one array of integers among it, selects."""
    named = [part for part, _ in parts if not _is_new(part) and not _is_rest(part)]
    rest = kind.ndim - len(named)
    if rest < 0:
        return UNKNOWN
    axes: list[bool] = []  # whether each axis of the result is surely of length one
    place, arrays = 0, 0
    for part, part_kind in parts:
        if _is_new(part):
            axes.append(True)
        elif _is_rest(part):
            axes += [place + k in kind.ones for k in range(rest)]
            place, rest = place + rest, 0
        elif part_kind == "slice":
            axes.append(False)
            place += 1
        elif part_kind == "int":
            place += 1
        elif isinstance(part_kind, Array) and part_kind.dtype == "int" and not arrays:
            axes += [False] * part_kind.ndim
            place, arrays = place + 1, 1
        else:
            return None if part_kind is None else UNKNOWN
    axes += [place + k in kind.ones for k in range(rest)]
    if not axes:
        return kind.dtype
    return Array(kind.dtype, len(axes), frozenset(k for k, one in enumerate(axes) if one))


def _is_new(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value is None


def _is_rest(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value is Ellipsis
