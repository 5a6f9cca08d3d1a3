"""Finds what the names of a text hold, given what its arguments are: numbers, arrays, lists.

What is found is a guess where functions are called that are not known here; a text that rests on it
is compared with that for NumPy when it first runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.targets.loops.kind import (
    UNKNOWN,
    Array,
    Items,
    Kind,
    Many,
    beside,
    is_number,
    joined,
    spread,
    word_in,
)
from srcgrad.targets.loops.results import (
    OF_RUNTIME,
    axes_of,
    displayed,
    is_elementwise,
    item_of,
    of_index,
    of_maker,
    of_operator,
    of_runtime,
    of_slope,
    parts_of,
    reduced,
    stacked,
)
from srcgrad.targets.loops.words import NUMBERS, real_of

_ROUNDS: Final = 12


class Kinds:
    """The kinds of the names in each function of a text.

    Attributes:
        names: For each function, the kinds of its names.
        returned: For each function, the kind of what it returns.
        endless: The function and name of what has no kind, since it would hold itself; else None.
    """

    def __init__(
        self,
        functions: Mapping[str, Any],
        entry: str,
        given: Sequence[Kind],
        records: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self._functions = functions
        self._records = records
        self.names: dict[str, dict[str, Kind]] = {name: {} for name in functions}
        self.returned: dict[str, Kind] = dict.fromkeys(functions)
        self._in = entry
        self._bind(entry, given)
        self.endless: tuple[str, str] | None = None
        order = list(functions)
        for _ in range(_ROUNDS):
            order.reverse()  # to those that are called, and from what they return
            before = {name: dict(found) for name, found in self.names.items()}
            before_returned = dict(self.returned)
            for name in order:
                self._in = name
                self._block(functions[name].body)
            if before == self.names and before_returned == self.returned:
                return
        self.endless = self._changed(before)
        for found in self.names.values():
            found.clear()
        self.returned = dict.fromkeys(functions, UNKNOWN)

    def _changed(self, before: Mapping[str, Mapping[str, Kind]]) -> tuple[str, str]:
        """Return the function and name of a kind that is not what it was; no name for a result."""
        found = [
            (function, name)
            for function, kinds in self.names.items()
            for name, kind in kinds.items()
            if before[function].get(name) != kind
        ]
        return found[0] if found else (next(iter(self.names)), "")

    def parameters(self) -> dict[str, list[Kind]]:
        """Return the kinds of the parameters of each function, in order."""
        return {
            name: [self.names[name].get(item.id) for item in function.args.args]
            for name, function in self._functions.items()
        }

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
            self._widen_by(statement.value, target)

    def _widen_by(self, value: Any, target: Any) -> None:
        """Let lists that have another name now hold what is stored under that."""
        if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
            if len(target.elts) == len(value.elts):
                for item, part in zip(value.elts, target.elts, strict=True):
                    self._widen_by(item, part)
        elif isinstance(target, gast.Name):
            self._widen(value, self.names[self._in].get(target.id))

    def _widen(self, node: Any, kind: Kind) -> None:
        """Let the list that an expression stands for hold what it may hold by another name."""
        if not isinstance(kind, (Many, Items)):
            return
        if isinstance(node, gast.Name):
            own = self.names[self._in]
            if isinstance(own.get(node.id), type(kind)):
                own[node.id] = joined(own[node.id], kind)
            return
        if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice):
            return
        if isinstance(node, (gast.Subscript, gast.Attribute)):
            whole = self.of(node.value)
            if isinstance(whole, Many):
                self._widen(node.value, Many(kind))
            elif isinstance(whole, Items):
                self._widen(node.value, _with_part(whole, node, kind))

    def _store(self, target: Any, kind: Kind) -> None:
        if isinstance(target, gast.Name):
            own = self.names[self._in]
            own[target.id] = joined(own.get(target.id), kind)
        elif isinstance(target, gast.Tuple):
            parts = kind.items if isinstance(kind, Items) else (item_of(kind),) * len(target.elts)
            if len(parts) != len(target.elts):
                parts = (UNKNOWN,) * len(target.elts)
            for item, part in zip(target.elts, parts, strict=True):
                self._store(item, part)
        elif isinstance(target, gast.Subscript):
            is_part = isinstance(target.slice, gast.Slice)
            self._widen(target.value, kind if is_part else Many(kind))

    def _AugAssign(self, statement: Any) -> None:
        if isinstance(statement.target, gast.Name):
            old = self.of(gast.Name(statement.target.id, gast.Load(), None, None))
            if not isinstance(old, Array):  # which stays what it is, written in place
                kind = of_operator(statement.op, old, self.of(statement.value))
                self._store(statement.target, kind)
        elif isinstance(statement.target, gast.Subscript):
            old = self.of(statement.target)
            if not isinstance(old, Array):
                kind = of_operator(statement.op, old, self.of(statement.value))
                self._store(statement.target, kind)

    def _For(self, loop: Any) -> None:
        iterated = loop.iter
        function = getattr(getattr(iterated, "func", None), "id", "")
        if function == "range":
            kind: Kind = "int"
        elif function == "enumerate":
            kind = Items(("int", item_of(self.of(iterated.args[0]))))
        elif function == "zip":
            kind = Items(tuple(item_of(self.of(item)) for item in iterated.args))
        else:
            kind = item_of(self.of(iterated))
        self._store(loop.target, kind)
        if isinstance(loop.target, gast.Name):
            self._widen(iterated, Many(self.names[self._in].get(loop.target.id)))
        self._block(loop.body)
        self._block(loop.orelse)

    def _Return(self, statement: Any) -> None:
        if statement.value is not None:
            kind = joined(self.returned[self._in], self.of(statement.value))
            self.returned[self._in] = kind

    def _Expr(self, statement: Any) -> None:
        self.of(statement.value)
        call = statement.value
        is_append = isinstance(call, gast.Call) and getattr(call.func, "attr", "") == "append"
        if is_append and isinstance(call.func.value, gast.Name) and len(call.args) == 1:
            self._storeitem_of(call.func.value.id, self.of(call.args[0]))

    def _storeitem_of(self, name: str, kind: Kind) -> None:
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
        known = {bool: "bool", int: "int", float: "float", complex: "complex"}
        return known.get(type(node.value), UNKNOWN)

    def _Name(self, node: Any) -> Kind:
        return self.names[self._in].get(node.id)

    def _BinOp(self, node: Any) -> Kind:
        return of_operator(node.op, self.of(node.left), self.of(node.right))

    def _UnaryOp(self, node: Any) -> Kind:
        kind = self.of(node.operand)
        return "bool" if isinstance(node.op, gast.Not) else kind

    def _Compare(self, node: Any) -> Kind:
        kinds = [self.of(node.left), *map(self.of, node.comparators)]
        if None in kinds:
            return None
        return spread("bool", kinds) if all(map(word_in, kinds)) else UNKNOWN

    def _IfExp(self, node: Any) -> Kind:
        return joined(self.of(node.body), self.of(node.orelse))

    def _BoolOp(self, node: Any) -> Kind:
        return reduce(joined, map(self.of, node.values))

    def _Tuple(self, node: Any) -> Kind:
        return Items(tuple(map(self.of, node.elts)))

    def _List(self, node: Any) -> Kind:
        return Many(reduce(joined, map(self.of, node.elts), None))

    def _Attribute(self, node: Any) -> Kind:
        if node.attr in _CONSTANTS and getattr(node.value, "id", "") in ("np", "math"):
            return "float"
        kind = self.of(node.value)
        if is_number(kind) and node.attr in ("real", "imag"):
            return real_of(kind)
        if isinstance(kind, Items) and node.attr in kind.fields:
            return kind.items[kind.fields.index(node.attr)]
        if isinstance(kind, Array):
            known: dict[str, Kind] = {
                "T": Array(kind.dtype, kind.ndim),
                "real": Array(real_of(kind.dtype), kind.ndim, kind.ones),
                "imag": Array(real_of(kind.dtype), kind.ndim, kind.ones),
                "shape": Items(("int",) * kind.ndim),
                "size": "int",
                "ndim": "int",
            }
            return known.get(node.attr, UNKNOWN)
        return None if kind is None else UNKNOWN

    def _Subscript(self, node: Any) -> Kind:
        kind, index = self.of(node.value), node.slice
        if isinstance(kind, Array):
            return of_index(kind, [(part, self._part(part)) for part in parts_of(index)])
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
            self._take_lists_back(name, node)
            return self.returned[name]
        if name == "taken_out":
            return item_of(kinds[0])
        if name in self._records:
            return Items(tuple(kinds), tuple(self._records[name]))
        if name == "stacked":
            return stacked(kinds[0])
        if name == "stacked_shape":
            return of_maker("shape", [stacked(kinds[0])])
        if name.endswith("_along") and name != "roll_along":
            return self._along(name, node, kinds[0])
        if name in OF_RUNTIME:
            return of_slope(name, kinds)
        return of_runtime(name, kinds)

    def _take_lists_back(self, name: str, node: Any) -> None:
        """Let lists that a function is given hold what it puts into them."""
        own = self.names[name]
        for item, parameter in zip(node.args, self._functions[name].args.args, strict=False):
            self._widen(item, own.get(parameter.id))

    def _along(self, name: str, node: Any, kind: Kind) -> Kind:
        if not isinstance(kind, Array):
            return None if kind is None else UNKNOWN
        axis, keeps = node.args[1], getattr(node.args[2], "value", None)
        axes = axes_of(axis, kind.ndim)
        if axes is None:
            return UNKNOWN
        whole = reduced(name.removesuffix("_along"), kind)
        dtype = "bool" if name.startswith(("any", "all")) else whole
        if keeps is True:
            return Array(dtype, kind.ndim, kind.ones | axes)
        left = kind.ndim - len(axes)
        return Array(dtype, left) if left else dtype

    def _of_numpy(self, name: str, node: Any, kinds: Sequence[Kind]) -> Kind:
        options = {item.arg: item.value for item in node.keywords}
        if options.keys() == {"dtype"} and name in _MAKERS:
            dtype = self._type(options["dtype"])
            return UNKNOWN if dtype is None else _with_dtype(self._made(name, node, kinds), dtype)
        if options:
            return UNKNOWN
        if name in NUMBERS and len(kinds) == 1:
            return spread(name, kinds) if word_in(kinds[0]) else UNKNOWN
        if name == "where" and len(kinds) == 3:
            chosen = word_in(beside(np.add, *kinds[1:]))
            return spread(chosen, kinds) if chosen and all(map(word_in, kinds)) else UNKNOWN
        if name == "clip" and len(kinds) == 3:
            return self._clipped(node, kinds)
        if name != "where" and is_elementwise(name):  # with one argument, it gives places
            return beside(getattr(np, name), *kinds)
        if name in ("sum", "max", "min", "prod", "mean") and len(kinds) == 1:
            return reduced(name, kinds[0])
        return self._made(name, node, kinds)

    def _clipped(self, node: Any, kinds: Sequence[Kind]) -> Kind:
        whole = kinds[0]
        for kind, bound in zip(kinds[1:], node.args[1:], strict=True):
            if not (isinstance(bound, gast.Constant) and bound.value is None):
                whole = beside(np.maximum, whole, kind)
        return whole

    def _type(self, node: Any) -> str | None:
        """Return the word for the numbers that an expression names the type of."""
        if isinstance(node, gast.Attribute):
            if getattr(node.value, "id", "") == "np":
                return node.attr.rstrip("_") if node.attr.rstrip("_") in NUMBERS else None
            kind = self.of(node.value)
            return word_in(kind) if node.attr == "dtype" else None
        return {"float": "float64", "int": "int64", "bool": "bool"}.get(getattr(node, "id", ""))

    def _made(self, name: str, node: Any, kinds: Sequence[Kind]) -> Kind:
        is_display = len(kinds) == 1 and isinstance(node.args[0], (gast.List, gast.Tuple))
        if is_display and name in ("array", "stack", "asarray"):
            return displayed(list(map(self.of, node.args[0].elts)))
        return of_maker(name, kinds)

    def _of_method(self, name: str, kind: Kind, node: Any) -> Kind:
        if isinstance(kind, Array):
            if name == "astype" and len(node.args) == 1 and not node.keywords:
                dtype = self._type(node.args[0])
                return UNKNOWN if dtype is None else _with_dtype(kind, dtype)
            if node.args or node.keywords:
                return UNKNOWN
            if name in ("sum", "max", "min", "prod", "mean"):
                return reduced(name, kind)
            return kind if name == "copy" else UNKNOWN
        if isinstance(kind, Many) and name == "pop":
            return kind.item
        return None if kind is None else UNKNOWN


def _with_part(whole: Items, node: Any, kind: Kind) -> Kind:
    """Return the kind of a tuple of which the part that a node names is of a kind."""
    place = getattr(getattr(node, "slice", None), "value", None)
    if isinstance(node, gast.Attribute):
        place = whole.fields.index(node.attr) if node.attr in whole.fields else None
    if type(place) is not int or not -len(whole.items) <= place < len(whole.items):
        return UNKNOWN
    items = list(whole.items)
    items[place] = kind
    return Items(tuple(items), whole.fields)


_CONSTANTS: Final = frozenset("pi e inf nan tau euler_gamma".split())
_MAKERS: Final = frozenset(
    "array asarray zeros ones empty full zeros_like ones_like empty_like full_like arange linspace "
    "eye identity".split()
)


def _with_dtype(kind: Kind, dtype: str) -> Kind:
    return Array(dtype, kind.ndim, kind.ones) if isinstance(kind, Array) else kind
