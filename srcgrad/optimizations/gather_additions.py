"""Adds up in one statement what several lines contribute to one adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at
from srcgrad.ir.lines import take_lines
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.program import targets_of
from srcgrad.ir.walk import blocks_of, names_bound, names_read
from srcgrad.optimizations.fold_constants import is_fresh
from srcgrad.optimizations.merge_additions import is_sum
from srcgrad.optimizations.movement import Movement, Waiting
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST


class AdditionGathering:
    """Moves what is added to an adjoint down to the next addition, if nothing asks in between.

    `width(node)` is the printed width of an expression, `collected(node)` a sum as one writes it.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.width import width
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> def gathered(source):
    ...     return text(AdditionGathering(purity, width).run(parse(source)))
    >>> print(gathered("grad_a = b * c; grad_b = d; grad_a += d; grad_a = grad_a - e"))
    grad_b = d
    grad_a = b * c + d - e
    >>> print(gathered("grad_a -= b; grad_a += c"))
    grad_a += c - b
    >>> print(gathered("grad_a = b * c; b = grad_a; grad_a -= d"))
    grad_a = b * c
    b = grad_a
    grad_a -= d
    >>> print(gathered("grad_a = g[:-1]; grad_b = g[1:]; grad_a += c; grad_a += grad_b * d"))
    grad_a = g[:-1]
    grad_b = g[1:]
    grad_a += c
    grad_a += grad_b * d
    """

    def __init__(
        self,
        purity: Purity,
        width: Callable[[Any], int],
        collected: Callable[[Any], Any] = lambda node: node,
    ) -> None:
        self._purity = purity
        self._width = width
        self._collected = collected

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with additions gathered."""
        self._movement = Movement(body, self._purity)
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        waiting = Waiting()
        kept: list[Any] = []
        gone: set[int] = set()
        for item in block:
            for part in blocks_of(item):
                part[:] = self._block(part)
            name, statement = _sum_of(item), item
            name = name if self._purity.is_adjoint(name) else ""
            first = waiting.pop(name, None) if name else None
            if first is not None and self._fits(first, item):
                gone.add(id(first))
                statement = _joined(first, item)
                statement.value = self._collected(statement.value)
                take_lines(statement, item)
                take_lines(statement, first)
            kept.append(statement)
            if waiting:
                self._settle(statement, waiting)
            if name and self._may_wait(statement):
                self._movement.wait(statement, name, waiting)
        return [item for item in kept if id(item) not in gone]

    def _settle(self, statement: Any, waiting: Waiting) -> None:
        read = self._movement.look(statement).reads
        bound = {name for target in targets_of(statement) for name in names_bound(target)}
        moved = self._movement.stopped(statement, waiting)
        stopped = {*moved, *read, *bound}
        for name in stopped.intersection(waiting):
            del waiting[name]

    def _may_wait(self, statement: Any) -> bool:
        if CLOSING.of(statement) or isinstance(statement.value, gast.Constant):
            return False
        return is_sum(statement.value) and self._movement.is_pure(statement)

    def _fits(self, first: Any, second: Any) -> bool:
        term = _term(second)
        if term is None or _sum_of(second) in names_read(term):
            return False
        updates = isinstance(first, gast.AugAssign)
        if updates and self._movement.shares([_sum_of(second)], names_read(term)):
            return False  # what is added lies in the memory that the first update changes
        whole = isinstance(first, gast.Assign) and isinstance(second, gast.AugAssign)
        if whole and not is_fresh(first.value):
            return False  # what is added to may be memory that others read too
        return self._width(first.value) + self._width(term) + len(_sum_of(second)) <= WIDEST


def _sum_of(statement: Any) -> str:
    """Return the name that a statement binds or adds to, or an empty string."""
    target = None
    if isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub)):
        target = statement.target
    elif isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    return target.id if isinstance(target, gast.Name) else ""


def _term(statement: Any) -> Any:
    """Return what a statement adds to its target: `b` of ``a += b`` and of ``a = a + b``."""
    if isinstance(statement, gast.AugAssign):
        return statement.value
    value = statement.value
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, (gast.Add, gast.Sub)):
        return None
    ours = isinstance(value.left, gast.Name) and value.left.id == _sum_of(statement)
    return value.right if ours else None


def _joined(first: Any, second: Any) -> Any:
    """Return one statement that does what both do."""
    op = second.op if isinstance(second, gast.AugAssign) else second.value.op
    if isinstance(first, gast.AugAssign) and isinstance(second, gast.AugAssign):
        return at(gast.AugAssign(second.target, *_change(first, second)), second)
    start = first.value
    if isinstance(first, gast.AugAssign):
        start = gast.BinOp(second.value.left, first.op, start)
    target = second.target if isinstance(second, gast.AugAssign) else second.targets[0]
    joined = at(gast.Assign([target], gast.BinOp(start, op, _term(second)), None), second)
    CLOSING.put(joined, CLOSING.of(second))
    return joined


def _change(first: Any, second: Any) -> tuple[Any, Any]:
    """Return what two updates do as the operator and value of one."""
    if isinstance(first.op, gast.Add):
        return gast.Add(), gast.BinOp(first.value, second.op, second.value)
    if isinstance(second.op, gast.Sub):
        return gast.Sub(), gast.BinOp(first.value, gast.Add(), second.value)
    return gast.Add(), gast.BinOp(second.value, gast.Sub(), first.value)
