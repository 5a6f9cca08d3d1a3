"""Says how numbers and lengths of arrays in a function hang together, where they never change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from srcgrad.analyses.affine import Affine, affine_of, variable
from srcgrad.codegen.printer import to_source
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.kind import Array, Kind
from srcgrad.targets.loops.words import INTEGERS

_LIKE: Final = frozenset("zeros_like empty_like ones_like full_like copy copied".split())
_OF_SHAPE: Final = frozenset("zeros empty ones full".split())


def shape_name(array: str, axis: int) -> str:
    """Return the text for the length of an axis.

    >>> shape_name("a", 1)
    'a.shape[1]'
    """
    return f"{array}.shape[{axis}]"


class Shapes:
    """What is known of the integers and the arrays of one function.

    A name that is bound once, at the top of the function, holds one value throughout.
    """

    def __init__(self, function: Any, kind_of: Callable[[Any], Kind]) -> None:
        self._kind = kind_of
        bound = Counter(
            item.id for item in found_in(function, gast.Name) if not isinstance(item.ctx, gast.Load)
        )
        parameters = {item.id for item in function.args.args}
        self._stable = {name for name in parameters if bound[name] == 1}
        self._given = frozenset(self._stable)
        self._numbers: dict[str, Affine] = {}
        self._lengths: dict[str, Affine] = {}
        for statement in function.body:
            if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
                self._note(statement.targets[0], statement.value, bound)

    def _note(self, target: Any, value: Any, bound: Counter[str]) -> None:
        if isinstance(target, gast.Tuple):
            is_shape = isinstance(value, gast.Attribute) and value.attr == "shape"
            for axis, item in enumerate(target.elts if is_shape else []):
                if isinstance(value.value, gast.Name) and isinstance(item, gast.Name):
                    self._note(item, length_of(value.value.id, axis), bound)
            return
        if not isinstance(target, gast.Name) or bound[target.id] != 1:
            return
        name, kind = target.id, self._kind(target)
        if kind in INTEGERS:
            found = self.affine(value)
            if found is not None and self._are_stable(found):
                self._numbers[name] = found
        elif isinstance(kind, Array):
            for axis, found in enumerate(self._made(value, kind.ndim)):
                if found is not None and self._are_stable(found):
                    self._lengths[shape_name(name, axis)] = found
        self._stable.add(name)

    def are_given(self, names: Iterable[str]) -> bool:
        """Say whether names are parameters that are not bound again."""
        return self._given.issuperset(names)

    def _are_stable(self, found: Affine) -> bool:
        return all(name.partition(".")[0] in self._stable for name in found.terms)

    def _made(self, value: Any, ndim: int) -> list[Affine | None]:
        """Return the lengths of what an expression makes, as far as they are known."""
        unknown: list[Affine | None] = [None] * ndim
        if isinstance(value, gast.Name):
            return [self.length(value.id, axis) for axis in range(ndim)]
        if not isinstance(value, gast.Call):
            return unknown
        function = value.func
        name = getattr(function, "attr", getattr(function, "id", ""))
        is_method = isinstance(function, gast.Attribute) and name == "copy" and not value.args
        like = function.value if is_method else value.args[0] if value.args else None
        if name in _LIKE and isinstance(like, gast.Name):
            return [self.length(like.id, axis) for axis in range(ndim)]
        if name in _OF_SHAPE and value.args:
            shape = value.args[0]
            parts = list(shape.elts) if isinstance(shape, gast.Tuple) else [shape]
            return list(map(self.affine, parts)) if len(parts) == ndim else unknown
        return unknown

    def affine(self, node: Any) -> Affine | None:
        """Return an expression of integers as a sum, by the names that stand for others."""
        return affine_of(with_named_lengths(node), self._named)

    def _named(self, name: str) -> Affine | None:
        _, dot, _ = name.partition(".")
        if dot:
            found = self._lengths.get(name)
            return variable(name) if found is None else found
        return self._numbers.get(name, variable(name))

    def length(self, array: str, axis: int) -> Affine | None:
        """Return the length of an axis; None of an array that is bound again and again."""
        return self._named(shape_name(array, axis)) if array in self._stable else None

    def named_in(self, *sums: Affine) -> Iterable[str]:
        """Return the lengths in some sums, which are never negative."""
        return {name for item in sums for name in item.terms if "." in name}


def length_of(array: str, axis: int) -> Any:
    """Return the expression for the length of an axis."""
    shape = gast.Attribute(load(array), "shape", gast.Load())
    return gast.Subscript(shape, gast.Constant(axis, None), gast.Load())


def shown(item: Affine) -> Any:
    """Return a sum as an expression."""
    whole: Any = None
    for name, factor in sorted(item.terms.items(), key=lambda pair: (pair[1] < 0, pair[0])):
        array, dot, rest = name.partition(".shape[")
        term = length_of(array, int(rest[:-1])) if dot else load(name)
        if abs(factor) != 1:
            term = gast.BinOp(gast.Constant(abs(factor), None), gast.Mult(), term)
        if whole is None:
            whole = gast.UnaryOp(gast.USub(), term) if factor < 0 else term
        else:
            whole = gast.BinOp(whole, gast.Sub() if factor < 0 else gast.Add(), term)
    value = item.constant
    if whole is None:
        if value < 0:
            return gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
        return gast.Constant(value, None)
    if not value:
        return whole
    sign = gast.Sub() if value < 0 else gast.Add()
    return gast.BinOp(whole, sign, gast.Constant(abs(value), None))


def with_named_lengths(node: Any) -> Any:
    """Return an expression with one name for each length of an axis in it."""
    if isinstance(node, gast.Subscript) and getattr(node.value, "attr", "") == "shape":
        is_named = isinstance(node.value.value, gast.Name)
        return load(to_source(node)) if is_named else clone(node)
    if isinstance(node, gast.Call) and getattr(node.func, "id", "") == "len":
        (array,) = node.args
        return load(shape_name(array.id, 0)) if isinstance(array, gast.Name) else clone(node)
    if isinstance(node, gast.BinOp):
        left, right = with_named_lengths(node.left), with_named_lengths(node.right)
        return gast.BinOp(left, node.op, right)
    if isinstance(node, gast.UnaryOp):
        return gast.UnaryOp(node.op, with_named_lengths(node.operand))
    return clone(node)
