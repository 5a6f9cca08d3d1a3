"""Adds up in one statement what several lines contribute to one adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.lines import take_lines
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.program import targets_of
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, spelled
from srcgrad.optimizations.fold_constants import is_fresh
from srcgrad.optimizations.merge_additions import is_sum
from srcgrad.optimizations.movement import Movement, Waiting
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST


class AdditionGathering:
    """Moves what is added to an adjoint down to the next addition, if nothing asks in between.

    So is what is added to a part of one, where the same part is added to again.
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
    >>> print(gathered("grad_a[i] += b; grad_c = d; grad_a[i] -= d; i = 2; grad_a[i] += d"))
    grad_c = d
    grad_a[i] += b - d
    i = 2
    grad_a[i] += d
    >>> print(gathered("grad_a[i] += b; grad_c += grad_a[j]; grad_a[i] += grad_c"))
    grad_a[i] += b
    grad_c += grad_a[j]
    grad_a[i] += grad_c
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
            key = _key(item) if self._purity.is_adjoint(name) else ""
            first = waiting.pop(key, None) if key else None
            joined = self._gathered(first, item) if first is not None else None
            if joined is not None:
                gone.add(id(first))
                statement = joined
            kept.append(statement)
            if waiting:
                self._settle(statement, waiting)
            if key and self._may_wait(statement):
                self._movement.wait(statement, key, waiting)
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

    def _gathered(self, first: Any, second: Any) -> Any:
        """Return one statement that does what both do, if it is right and not too wide, or None."""
        if not self._may_join(first, second):
            return None
        target = self._width(_target_of(second))
        terms = self._width(first.value) + self._width(_term(second))
        is_short = target + terms <= WIDEST
        if not is_short and target + terms // 2 > WIDEST:
            return None  # even if both are the same
        joined = _joined(first, second) if is_short else _joined(clone(first), clone(second))
        joined.value = self._collected(joined.value)
        if not is_short and target + self._width(joined.value) > WIDEST:
            return None
        take_lines(joined, second)
        take_lines(joined, first)
        return joined

    def _may_join(self, first: Any, second: Any) -> bool:
        term = _term(second)
        if term is None or _sum_of(second) in names_read(term):
            return False
        updates = isinstance(first, gast.AugAssign)
        if updates and self._movement.shares([_sum_of(second)], names_read(term)):
            return False  # what is added lies in the memory that the first update changes
        whole = isinstance(first, gast.Assign) and isinstance(second, gast.AugAssign)
        # what is added to may be memory that others read too
        return not whole or is_fresh(first.value)


def _sum_of(statement: Any) -> str:
    """Return the name that a statement binds or adds to, or to a part of, or an empty string."""
    target = _target_of(statement)
    return str(target.id if isinstance(target, gast.Name) else target.value.id) if target else ""


def _key(statement: Any) -> str:
    """Return what two statements have in common that bind or add to the same."""
    target = _target_of(statement)
    return str(target.id) if isinstance(target, gast.Name) else spelled(target)


def _target_of(statement: Any) -> Any:
    """Return the name that a statement binds or adds to, the part that it adds to, or None."""
    if isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub)):
        target = statement.target
        if isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name):
            return None if found_in(target.slice, gast.Call) else target
    elif isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    else:
        return None
    return target if isinstance(target, gast.Name) else None


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
        return gast.Add(), _sum(first.value, second.op, second.value)
    if isinstance(second.op, gast.Sub):
        return gast.Sub(), _sum(first.value, gast.Add(), second.value)
    return gast.Add(), gast.BinOp(second.value, gast.Sub(), first.value)


def _sum(left: Any, op: Any, right: Any) -> Any:
    """Return the sum of two values, one term after the other."""
    terms = isinstance(right, gast.BinOp) and isinstance(right.op, (gast.Add, gast.Sub))
    if terms and isinstance(op, gast.Add):
        return gast.BinOp(_sum(left, op, right.left), right.op, right.right)
    return gast.BinOp(left, op, right)
