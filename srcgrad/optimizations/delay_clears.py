"""Uses an adjoint before it is set to zero, rather than keep a copy of it.

What a store has overwritten has no part in what follows: its adjoint is taken out and set to zero,
``t = copied(grad_u[0]); grad_u[0] = 0.0; grad_u[1] += t``. Where nothing asks in between, that is
``grad_u[1] += grad_u[0]; grad_u[0] = 0.0``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.program import Counts, bound_by, header_reads, targets_of
from srcgrad.ir.putting import put
from srcgrad.ir.walk import blocks_of, names_read, root_name, walk
from srcgrad.optimizations.fold_constants import is_fresh
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST

_MOST_READS: Final = 3
_PLAIN: Final = (
    *(gast.Name, gast.Constant, gast.Slice, gast.Tuple),
    *(gast.UnaryOp, gast.USub, gast.Subscript),
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A part of an adjoint that is taken out: its name there, the array, and what is read."""

    name: str
    array: str
    part: Any


class ClearDelay:
    """Delays the clears of one body.

    `width(node)` is the printed width of an expression.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.width import width
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset(["copied"]))
    >>> def delayed(source):
    ...     return text(ClearDelay(purity, width).run(parse(source)))
    >>> print(delayed("grad_t = copied(grad_u[0]); grad_u[0] = 0.0; grad_u[1] += grad_t"))
    grad_u[1] += grad_u[0]
    grad_u[0] = 0.0
    >>> print(delayed("grad_t = copied(grad_u); grad_u[...] = 0.0; grad_u += grad_t * k"))
    grad_u *= k
    >>> print(delayed("grad_t = copied(grad_u[0]); grad_u[0] = 0.0; grad_u[-1] += grad_t"))
    grad_t = copied(grad_u[0])
    grad_u[0] = 0.0
    grad_u[-1] += grad_t
    """

    def __init__(self, purity: Purity, width: Callable[[Any], int]) -> None:
        self._purity = purity
        self._width = width

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with adjoints used before they are cleared."""
        self._movement = Movement(body, self._purity)
        self._counts = Counts(body)
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._block(part)
        place = 0
        while place < len(block):
            taken = self._taken(block[place])
            if taken is not None:
                block[place:] = self._without_copy(block[place:], taken)
            place += 1
        return block

    def _taken(self, statement: Any) -> Taken | None:
        """Return what a statement takes out of an adjoint, if it does nothing else."""
        if not isinstance(statement, gast.Assign) or not isinstance(
            statement.targets[0], gast.Name
        ):
            return None
        name, part = statement.targets[0].id, statement.value
        copies = getattr(getattr(part, "func", None), "id", "") == "copied"
        part = part.args[0] if copies else part
        if not copies and not (isinstance(part, gast.Subscript) and _is_element(part)):
            return None
        array = root_name(part) or ""
        plain = isinstance(part, gast.Name) or (
            isinstance(part, gast.Subscript) and isinstance(part.value, gast.Name)
        )
        reads = self._counts.reads[name]
        ours = all(map(self._purity.is_adjoint, (name, array))) and _is_simple(part, reads)
        if not plain or not ours or self._counts.binds[name] != 1:
            return None
        few = 0 < reads <= _MOST_READS
        return Taken(name, array, part) if few else None

    def _without_copy(self, rest: list[Any], taken: Taken) -> list[Any]:
        """Return the statements from the one on that takes out, with it left out if possible."""
        clear = rest[1] if len(rest) > 1 and clears(rest[1], taken) else None
        later = rest[2:] if clear is not None else rest[1:]
        if clear is not None and later:
            scaled = _as_scaling(later[0], taken, self._counts.reads[taken.name])
            if scaled is not None and not self._movement.shares(
                names_read(scaled.value), [taken.array]
            ):
                return [scaled, *later[1:]]
        count = self._readers_end(later, taken, clears=clear is not None)
        if not count:
            return rest
        for statement in later[:count]:
            put(statement, {taken.name: taken.part})
        return [*later[:count], *([clear] if clear is not None else []), *later[count:]]

    def _readers_end(self, later: list[Any], taken: Taken, *, clears: bool) -> int:
        """Return how many statements there are up to the last reader; 0 if one is in the way."""
        asked = 0
        for place, statement in enumerate(later):
            times = header_reads(statement).count(taken.name)
            asked += times
            is_last = asked == self._counts.reads[taken.name]
            if not self._may_pass(statement, taken, clears=clears, is_last=is_last):
                return 0
            if times and not self._may_read(statement, taken, times):
                return 0
            if is_last:
                return place + 1
        return 0

    def _may_pass(self, statement: Any, taken: Taken, *, clears: bool, is_last: bool) -> bool:
        """Say whether the part of the adjoint is the same before and after a statement."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign)):
            return False
        if set(bound_by(statement)) & {taken.array, *names_read(taken.part)}:
            return False
        if _is_apart(statement, taken):
            return True
        roots = [root_name(target) or "" for target in targets_of(statement)]
        stores = isinstance(statement, gast.AugAssign) or not isinstance(
            statement.targets[0], gast.Name
        )
        if stores and self._movement.shares(roots, [taken.array]):
            return is_last and not clears
        others = [name for name in header_reads(statement) if name != taken.name]
        return not (clears and self._movement.shares(others, [taken.array]))

    def _may_read(self, statement: Any, taken: Taken, times: int) -> bool:
        """Say whether a statement computes something of its own of what it reads."""
        value = statement.value
        wider = self._width(value) + times * (self._width(taken.part) - len(taken.name))
        if wider > WIDEST or not self._purity.of(value):
            return False
        if names_read(value).count(taken.name) != times:
            return False
        if is_fresh(value):
            return True
        roots = [root_name(target) or "" for target in targets_of(statement)]
        apart = _is_apart(statement, taken) or not self._movement.shares(roots, [taken.array])
        return isinstance(statement, gast.AugAssign) and apart


def _is_apart(statement: Any, taken: Taken) -> bool:
    """Say whether a statement adds to another element of the same array, and reads none else."""
    target = targets_of(statement)[0]
    if not isinstance(target, gast.Subscript) or not isinstance(taken.part, gast.Subscript):
        return False
    if getattr(target.value, "id", "") != taken.array:
        return False
    ours, theirs = _number(taken.part.slice), _number(target.slice)
    if ours is None or theirs is None or ours == theirs or (ours < 0) != (theirs < 0):
        return False
    return taken.array not in names_read(statement.value)


def _as_scaling(statement: Any, taken: Taken, reads: int) -> Any:
    """Return ``g *= k`` for ``g += t * k`` after `g` was taken out as `t` and cleared."""
    if not isinstance(statement, gast.AugAssign) or not isinstance(statement.op, gast.Add):
        return None
    value = statement.value
    same = gast.dump(as_load(statement.target)) == gast.dump(taken.part)
    scales = isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Mult, gast.Div))
    if reads != 1 or not same or not scales or getattr(value.left, "id", "") != taken.name:
        return None
    if taken.array in names_read(value.right):
        return None
    return at(gast.AugAssign(statement.target, value.op, value.right), statement)


def as_load(target: Any) -> Any:
    """Return a place as an expression that reads it."""
    copy = clone(target)
    copy.ctx = gast.Load()
    return copy


def clears(statement: Any, taken: Taken) -> bool:
    """Say whether a statement sets to zero what was taken out."""
    if not isinstance(statement, gast.Assign) or getattr(statement.value, "value", None) != 0.0:
        return False
    target = statement.targets[0]
    if not isinstance(target, gast.Subscript) or getattr(target.value, "id", "") != taken.array:
        return False
    if isinstance(taken.part, gast.Name):
        return getattr(target.slice, "value", None) is Ellipsis
    return bool(gast.dump(target.slice) == gast.dump(taken.part.slice))


def _is_element(part: Any) -> bool:
    return _number(part.slice) is not None


def _number(index: Any) -> int | None:
    """Return an index that is a whole number."""
    negative = isinstance(index, gast.UnaryOp) and isinstance(index.op, gast.USub)
    value = getattr(index.operand if negative else index, "value", None)
    if type(value) is not int:
        return None
    return -value if negative else value


def _is_simple(part: Any, times: int) -> bool:
    """Say whether looking a part up so many times costs no more than a name does.

    What is read once is looked up once in any case, so that its index may be arithmetic.
    """
    kinds = _PLAIN if times != 1 else (*_PLAIN, gast.BinOp, gast.operator)
    return all(isinstance(node, kinds) for node in walk(part))
