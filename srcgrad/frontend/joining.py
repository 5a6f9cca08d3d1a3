"""Says what a function does to its parameters that is another thing for lists than for arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.parameter_parts import DEEPEST, Origins, Use, copied, origin, uses_of
from srcgrad.frontend.remembered import remembered, tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.scopes import Scope, scope_of
from srcgrad.ir.walk import found_in, is_same, names_bound

_OWN: Final = "srcgrad.runtime."
"""Where what texts call stands, which takes lists for what they are."""


@dataclass(frozen=True, slots=True)
class Join:
    """An operation that would join or repeat an argument that is a list.

    Attributes:
        name: The parameter.
        depth: 0 for itself, 1 for an entry of it, 2 for an entry of an entry.
        other: The parameter that is the other operand, if it is one.
        entries: Whether an entry of a copy of it is updated, which changes an array that a copied
            list shares with the list.
    """

    name: str
    depth: int
    other: str | None
    entries: bool = False

    def happens(self, arguments: Mapping[str, Any]) -> bool:
        """Say whether the arguments may make it one of lists."""
        if not _lists(arguments.get(self.name), self.depth, of_arrays=self.entries):
            return False
        return not isinstance(arguments.get(self.other or ""), np.ndarray)


def _lists(value: Any, depth: int, *, of_arrays: bool = False) -> bool:
    """Say whether there are lists so deep in a value; with `of_arrays`, such that hold arrays."""
    if isinstance(value, dict) and depth:
        return any(_lists(item, depth - 1, of_arrays=of_arrays) for item in value.values())
    if not isinstance(value, (list, tuple)):
        return False
    if not depth:
        return not of_arrays or not all(isinstance(item, (int, float, complex)) for item in value)
    return any(_lists(item, depth - 1, of_arrays=of_arrays) for item in value)


@remembered(set)
def joins_of(function: FunctionType, seen: frozenset[FunctionType]) -> set[Join]:
    """Return what a function and those that it calls do to its parameters, or to parts of them.

    That is `+` and `*`, updates of copies, slices of what is written, and, of parts, copies and the
    functions of NumPy.
    """
    if is_library(function) or (function.__module__ or "").startswith(_OWN):
        return set()
    tree = tree_to_read(function)
    if tree is None:
        return set()
    scope = scope_of(function, tree)
    tree = _with_arrays(tree, scope)
    names = {item.id for item in [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]}
    uses = uses_of(tree, names)
    found = {*_updates_of_copies(uses), *_slices_written(uses), *_inner_uses(uses, scope)}
    for node, origins in uses:
        for side, other in _operands(node):
            if _is_no_list(side, other):
                continue
            for name, depth in origin(side, origins):
                known = other.id if isinstance(other, gast.Name) and other.id in names else None
                found.add(Join(name, depth, known))
        if isinstance(node, gast.Call):
            found |= _joins_inside(node, scope, origins, seen)
    return found


def _with_arrays(tree: Any, scope: Scope) -> Any:
    """Write ``np.array(p)`` for ``np.copy(p)``: unlike other copies of a list it is an array."""

    def copies(tree: Any) -> list[Any]:
        calls = found_in(tree, gast.Call)
        return [call for call in calls if scope.resolve(call.func) is np.copy]

    if not copies(tree):
        return tree
    tree = clone(tree)
    for call in copies(tree):
        call.func = gast.Attribute(call.func, np.array.__name__, gast.Load())
    return tree


def operands(node: Any) -> list[Any]:
    """Return the operands of `+` and `*`, in updates also; none of other nodes."""
    return [side for side, _ in _operands(node)]


def _is_no_list(side: Any, other: Any) -> bool:
    """Say whether one operand is an attribute of the other that no list has: ``x + x.T``."""
    of_side = isinstance(other, gast.Attribute) and is_same(other.value, side)
    return of_side and not hasattr(list, other.attr)


def _inner_uses(uses: list[Use], scope: Scope) -> Iterator[Join]:
    """Yield what is copied, or used as an array, out of a parameter: it may be a list there."""
    for node, origins in uses:
        source = copied(node)
        if source is None and isinstance(node, gast.Call) and node.args:
            function = scope.resolve(node.func)
            name = getattr(function, "__name__", "")
            is_numpy = name != "" and vars(np).get(name) is function
            source = node.args[0] if is_numpy and name not in _TAKING_LISTS else None
        for name, depth in origin(source, origins):
            if depth:
                yield Join(name, depth, None)


def _operands(node: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(node, (gast.BinOp, gast.AugAssign)) and isinstance(
        node.op, (gast.Add, gast.Mult)
    ):
        is_update = isinstance(node, gast.AugAssign)
        left, right = (node.target, node.value) if is_update else (node.left, node.right)
        yield left, right
        yield right, left


def _updates_of_copies(uses: list[Use]) -> Iterator[Join]:
    """Yield what ``q = p.copy(); q[i] += v`` does to `p` if that is a list of arrays."""
    copies: dict[str, set[tuple[str, int]]] = {}
    for node, origins in uses:
        if isinstance(node, gast.Assign) and (source := copied(node.value)) is not None:
            for name in [name for target in node.targets for name in names_bound(target)]:
                copies.setdefault(name, set()).update(origin(source, origins))
    for node, _ in uses:
        target = node.target if isinstance(node, gast.AugAssign) else None
        if isinstance(target, gast.Subscript) and not isinstance(target.slice, gast.Slice):
            for name, depth in copies.get(getattr(target.value, "id", ""), ()):
                yield Join(name, depth, None, entries=True)


def _slices_written(uses: list[Use]) -> Iterator[Join]:
    """Yield what has a part that is bound to a name, and is written into: a list's is a copy.

    A slice that is itself written takes as many entries as the list then has.
    """
    parts: set[tuple[str, int]] = set()
    written: set[tuple[str, int]] = set()
    for node, origins in uses:
        if isinstance(node, gast.Assign) and _is_slice(node.value):
            parts |= origin(node.value, origins)
        if not isinstance(getattr(node, "ctx", None), gast.Store):
            continue
        if isinstance(node, gast.Subscript):
            written |= origin(node.value, origins)
            parts |= origin(node.value, origins) if _is_slice(node) else set()
    for name, depth in parts & written:
        yield Join(name, depth, None)


def _is_slice(node: Any) -> bool:
    return isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice)


_TAKING_LISTS: Final = (
    *("array", "asarray", "stack", "concatenate", "vstack", "hstack", "column_stack", "dot"),
    *("shape", "size", "ndim", "block", "meshgrid", "broadcast_arrays", "asanyarray"),
)
"""What makes arrays of lists, or asks for their size: the rules know lists as operands."""


def _joins_inside(
    call: Any, scope: Scope, origins: Origins, seen: frozenset[FunctionType]
) -> set[Join]:
    callee = scope.resolve(call.func)
    if not isinstance(callee, FunctionType):
        return set()
    order = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    given = dict([*zip(order, call.args, strict=False), *[(k.arg, k.value) for k in call.keywords]])
    found: set[Join] = set()
    for join in joins_of(callee, seen):
        for name, depth in origin(given.get(join.name), origins):
            other = getattr(given.get(join.other or ""), "id", None)
            found.add(Join(name, min(depth + join.depth, DEEPEST), other, join.entries))
    return found
