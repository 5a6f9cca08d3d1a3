"""Finds the extremes that are but taken off, so that the result does not depend on them.

The largest of some values is taken off before an exponential so that it does not overflow. What is
left depends on it, and so do the exponentials and their sum, but the quotient of two such, or the
logarithm with the largest added again, does not: that derivative is 0 whatever the largest is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, header_reads
from srcgrad.ir.walk import blocks_of, names_bound, names_read, statements

Pattern = tuple[int | None, ...]

_EXTREMES: Final = (np.max, np.min, np.amax, np.amin)
_SUMS: Final = (np.sum, np.mean)


@dataclass(frozen=True, slots=True)
class _Share:
    """How a value depends on the extreme `m`: it is ``v + count * m`` or ``v * exp(count * m)``.

    `axes` says for each axis of the value which axis of the operand `m` is read along; None where
    it is the same along the whole axis.
    """

    kind: Literal["added", "factor"]
    count: int
    axes: Pattern


def taken_off(
    program: Program, rank: Callable[[Any], int | None], mutated: Collection[str]
) -> frozenset[str]:
    """Return the names of extremes that no result depends on.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     m = np.max(x, axis=1, keepdims=True)
    ...     p = np.exp(x - m)
    ...     return p / np.sum(p, axis=1, keepdims=True)
    ... ''')
    >>> sorted(taken_off(program, lambda node: 2, ()))
    ['m']
    """
    bound = Counter(
        name
        for statement in statements(program.body)
        for target in getattr(statement, "targets", [])
        for name in names_bound(target)
    )
    steady = {name for name, count in bound.items() if count == 1} - set(mutated)
    found = set()
    for block in _blocks(program.body):
        for place, statement in enumerate(block):
            start = _extreme(program, statement, rank)
            if start is not None and statement.targets[0].id in steady:
                search = _Search(program, rank, steady, {statement.targets[0].id: start})
                if search.settles(block, place + 1):
                    found.add(statement.targets[0].id)
    return frozenset(found)


def _blocks(block: list[Any]) -> list[list[Any]]:
    inner = [found for item in block for part in blocks_of(item) for found in _blocks(part)]
    return [block, *inner]


def _extreme(program: Program, statement: Any, rank: Callable[[Any], int | None]) -> Any:
    """Return how an extreme along one axis, or of all, depends on itself."""
    if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
        return None
    operation = program.operation(statement)
    if operation.kind != "primitive" or operation.primal not in _EXTREMES:
        return None
    count = rank(operation.args[0])
    options = _options(operation, count)
    if count is None or options is None:
        return None
    axis, keeps = options
    kept: list[int | None] = []
    for position in range(count):
        if axis is not None and position != axis:
            kept.append(position)
        elif keeps:
            kept.append(None)
    return _Share("added", 1, tuple(kept))


def _options(operation: Operation, rank: int | None) -> tuple[int | None, bool] | None:
    """Return the axis of a reduction and whether it is kept; None if that is not plain."""
    given = dict(operation.keywords)
    if len(operation.args) == 2:
        given["axis"] = operation.args[1]
    if len(operation.args) > 2 or not set(given) <= {"axis", "keepdims"} or rank is None:
        return None
    axis = _integer(given.get("axis", gast.Constant(None, None)))
    keeps = getattr(given.get("keepdims", gast.Constant(False, None)), "value", None)
    if axis is _UNKNOWN or not isinstance(keeps, bool):
        return None
    if axis is not None and not -rank <= axis < rank:
        return None
    return None if axis is None else axis % rank, keeps


_UNKNOWN: Final[Any] = object()


def _integer(node: Any) -> Any:
    """Return the value of a literal integer or None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _integer(node.operand)
        return -value if type(value) is int else _UNKNOWN
    value = getattr(node, "value", _UNKNOWN) if isinstance(node, gast.Constant) else _UNKNOWN
    return value if value is None or type(value) is int else _UNKNOWN


class _Search:
    """Follows what depends on one extreme through the statements of a block."""

    def __init__(
        self,
        program: Program,
        rank: Callable[[Any], int | None],
        steady: Collection[str],
        shares: dict[str, _Share],
    ) -> None:
        self._program = program
        self._rank = rank
        self._steady = steady
        self._shares = shares

    def settles(self, block: list[Any], start: int) -> bool:
        """Say whether all that depends on the extreme ends in values that do not."""
        inside = {id(item) for item in block[start:]}
        for statement in statements(self._program.body):
            reads = set(header_reads(statement)) & set(self._shares)
            if not reads:
                continue
            if id(statement) not in inside or not self._step(statement):
                return False
        return True

    def _step(self, statement: Any) -> bool:
        """Note how the value of a statement depends on the extreme; say whether that is known."""
        if not isinstance(statement, gast.Assign) or not isinstance(
            statement.targets[0], gast.Name
        ):
            return False
        name = statement.targets[0].id
        if name not in self._steady or name in self._program.outputs:
            share = self._share(statement)
            return share is not None and share.count == 0
        share = self._share(statement)
        if share is None:
            return False
        if share.count:
            self._shares[name] = share
        return True

    def _share(self, statement: Any) -> _Share | None:
        operation = self._program.operation(statement)
        if operation.kind == "copy":
            return self._shares.get(statement.value.id)
        if operation.kind != "primitive":
            return None
        if operation.primal is self._program.reader.vocabulary.getitem:
            return self._subscript(statement.value)
        if operation.primal in _SUMS:
            return self._sum(operation)
        if operation.keywords or not all(map(self._is_plain, operation.args)):
            return None
        return self._elementwise(operation)

    def _is_plain(self, node: Any) -> bool:
        return isinstance(node, gast.Name) or not set(names_read(node)) & set(self._shares)

    def _of(self, node: Any) -> _Share | None:
        return self._shares.get(getattr(node, "id", ""))

    def _elementwise(self, operation: Operation) -> _Share | None:
        shares = [self._of(item) for item in operation.args]
        if len(shares) == 1 and shares[0] is not None:
            return _of_one(operation.primal, shares[0])
        if len(shares) != 2 or operation.primal not in _OF_TWO:
            return None
        ranks = [self._rank(item) for item in operation.args]
        left, right = shares
        if ranks[0] is None or ranks[1] is None:
            return None
        size = max(ranks[0], ranks[1])
        kind, sign = _OF_TWO[operation.primal]
        given = [item for item in shares if item is not None]
        if any(item.kind != kind for item in given):
            return None
        patterns = {(None,) * (size - len(item.axes)) + item.axes for item in given}
        if len(patterns) != 1:
            return None
        count = (left.count if left else 0) + sign * (right.count if right else 0)
        return _Share(kind, count, patterns.pop())

    def _sum(self, operation: Operation) -> _Share | None:
        """A sum along axes in which the extreme is the same has its factor."""
        share = self._of(operation.args[0])
        options = _options(operation, len(share.axes) if share is not None else None)
        if share is None or share.kind != "factor" or options is None:
            return None
        axis, keeps = options
        summed = range(len(share.axes)) if axis is None else [axis]
        if any(share.axes[position] is not None for position in summed):
            return None
        kept = [
            pattern
            for position, pattern in enumerate(share.axes)
            if keeps or position not in summed
        ]
        return _Share("factor", share.count, tuple(kept))

    def _subscript(self, node: Any) -> _Share | None:
        """Whole axes and new ones, as ``m[:, None]`` has them."""
        share = self._of(node.value)
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        if share is None or set(names_read(node.slice)) & set(self._shares):
            return None
        rest, made = list(share.axes), list[int | None]()
        for part in parts:
            if (
                isinstance(part, gast.Slice)
                and not (part.lower or part.upper or part.step)
                and rest
            ):
                made.append(rest.pop(0))
            elif isinstance(part, gast.Constant) and part.value is None:
                made.append(None)
            else:
                return None
        return _Share(share.kind, share.count, (*made, *rest))


_OF_TWO: Final[dict[Any, tuple[Literal["added", "factor"], int]]] = {
    np.add: ("added", 1),
    np.subtract: ("added", -1),
    np.multiply: ("factor", 1),
    np.divide: ("factor", -1),
}


def _of_one(primal: Any, share: _Share) -> _Share | None:
    if primal is np.exp and share.kind == "added":
        return _Share("factor", share.count, share.axes)
    if primal is np.log and share.kind == "factor":
        return _Share("added", share.count, share.axes)
    if primal is np.negative:
        return _Share(
            share.kind, -share.count if share.kind == "added" else share.count, share.axes
        )
    return None
