"""Looks once, before the loops, at the indices that loops reach, where Numba would at each of them.

A look inside of a loop keeps LLVM from computing several entries at a time, and costs about as much
as reading the entry does. What cannot be said before the loops is said before the statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.analyses.affine import Affine, can_hold, number, variable
from srcgrad.ir import gast
from srcgrad.ir.build import call, clone
from srcgrad.ir.marks import IS_LOOKED_AT
from srcgrad.ir.walk import blocks_of, found_in, own_nodes, walk
from srcgrad.targets.loops.kind import Array, Items, Kind, Many
from srcgrad.targets.loops.results import parts_of
from srcgrad.targets.loops.shapes import Shapes, length_of, shape_name, shown
from srcgrad.targets.loops.words import INTEGERS

LOOK: Final = "look_at_indices"
_JUMPS: Final = (gast.Break, gast.Continue, gast.Return)
_GUARDING: Final = (gast.IfExp, gast.BoolOp)


class _NotSaidError(Exception):
    """An index of which it cannot be said, before it is used, where it lies."""


@dataclass(slots=True)
class _Loop:
    """A loop around a statement: its counter and that one's range, and what it stores."""

    statement: Any
    counter: str
    least: Affine | None
    most: Affine | None
    stored: set[str]


@dataclass(slots=True)
class _Place:
    """A statement in its block, and the loops between that and whatever is run conditionally."""

    loops: list[_Loop] = field(default_factory=list)
    facts: list[Affine] = field(default_factory=list)
    is_certain: bool = False


@dataclass(slots=True)
class _Look:
    """A look at indices, from one to another, along an axis of some length."""

    at: Any
    least: Affine
    most: Affine
    length: Affine

    def written(self) -> Any:
        """Return it as a statement."""
        found = gast.Expr(call(LOOK, *map(shown, (self.least, self.most, self.length))))
        found.lineno = getattr(self.at, "lineno", None)
        return found


class Bounds:
    """Writes the looks of one function.

    `mark` begins the names of the counters of nests, whose lengths are looked at as they are.
    """

    def __init__(self, function: Any, kind_of: Callable[[Any], Kind], mark: str) -> None:
        self._function = function
        self._kind = kind_of
        self._mark = mark
        self._shapes = Shapes(function, kind_of)
        self._before: dict[int, list[Any]] = {}
        self._facts: list[Affine] = []

    def find(self) -> bool:
        """Find where to look, and say whether all indices of the function are looked at then."""
        if found_in(self._function, gast.Try):
            return False  # it may take what a look raises for what an index does
        try:
            self._block(self._function.body, _Place(is_certain=True))
        except _NotSaidError:
            return False
        return True

    def write(self) -> bool:
        """Write what was found into the function, and say whether that is anything."""
        _insert(self._function, self._before)
        return bool(self._before)

    # -- statements

    def _block(self, body: Sequence[Any], place: _Place) -> None:
        for statement in body:
            for access, is_certain in _accesses(statement):
                self._access(access, statement, place, is_certain=is_certain)
            if isinstance(statement, gast.For):
                self._block(statement.body, self._inside(statement, place))
                self._block(statement.orelse, _Place([], place.facts))
                continue
            for block in blocks_of(statement):
                self._block(block, _Place([], place.facts))

    def _inside(self, loop: Any, place: _Place) -> _Place:
        """Return where the statements of a loop stand."""
        stored = _stored_in(loop.body)
        counter = getattr(loop.target, "id", "")
        ends = self._ends(loop.iter) if counter and counter not in stored else None
        least, most = ends or (None, None)
        found = _Loop(loop, counter, least, most, stored | _stored_in([loop.target]))
        facts = [] if least is None or most is None else _between(variable(counter), least, most)
        facts = [item for item in facts if not stored & _roots(item)]
        kept = [item for item in place.facts if not found.stored & _roots(item)]
        if any(found_in(item, *_JUMPS) for item in loop.body):
            return _Place([], [*kept, *facts])
        return _Place([*place.loops, found], [*kept, *facts], is_certain=place.is_certain)

    def _ends(self, iterated: Any) -> tuple[Affine, Affine] | None:
        """Return the least and the greatest number of a range; None for what is not known."""
        function = getattr(getattr(iterated, "func", None), "id", "")
        if function not in ("range", "prange") or iterated.keywords:
            return None
        ends: list[Affine] = []
        for item in iterated.args:
            found = self._affine(item)
            if found is None:
                return None
            ends.append(found)
        if len(ends) == 1:
            return number(0), ends[0] - number(1)
        step = ends[2] if len(ends) == 3 else number(1)
        if step == number(1):
            return ends[0], ends[1] - number(1)
        return (ends[1] + number(1), ends[0]) if step == number(-1) else None

    def _affine(self, node: Any) -> Affine | None:
        return self._shapes.affine(node)

    # -- indices

    def _access(self, node: Any, statement: Any, place: _Place, *, is_certain: bool) -> None:
        """Look at the numbers in the index of an array.

        Raises:
            _NotSaidError: It cannot be said before the statement where one of them lies.
        """
        kind = self._kind(node.value)
        if isinstance(kind, (Many, Items)):
            return
        if not isinstance(kind, Array):
            raise _NotSaidError
        if isinstance(node.ctx, gast.Store) and _stored_in([statement]) & _names_in(node.slice):
            raise _NotSaidError  # which is bound just before
        axis = 0
        for part in parts_of(node.slice):
            if isinstance(part, gast.Constant) and part.value is None:
                continue
            if not isinstance(part, gast.Slice):
                self._part(node.value, axis, part, statement, place, is_certain=is_certain)
            axis += 1

    def _part(
        self, array: Any, axis: int, part: Any, statement: Any, place: _Place, *, is_certain: bool
    ) -> None:
        if self._kind(part) not in INTEGERS and not self._is_of_nest(part):
            raise _NotSaidError  # an array of indices, or of truth values
        if self._is_of_nest(part):
            return
        index = self._affine(part)
        length = self._length(array, axis)
        if index is not None and self._is_proven(index, length, place):
            return
        if not is_certain or not isinstance(array, gast.Name):
            raise _NotSaidError
        if index is None:
            if found_in(part, gast.Call, gast.IfExp, gast.BoolOp, gast.NamedExpr):
                raise _NotSaidError
            self._say_of(statement, part, length_of(array.id, axis))
            return
        self._hoisted(index, array, axis, statement, place)

    def _is_of_nest(self, part: Any) -> bool:
        found = found_in(part, gast.Name)
        return bool(found) and all(item.id.startswith(self._mark) for item in found)

    def _length(self, array: Any, axis: int) -> Affine | None:
        if not isinstance(array, gast.Name):
            return None
        return self._shapes.length(array.id, axis)

    def _is_proven(self, index: Affine, length: Affine | None, place: _Place) -> bool:
        """Say whether an index lies within an array as far as the loops go."""
        if length is None:
            return False
        facts = [*place.facts, *self._facts]
        facts += map(variable, self._shapes.named_in(index, length, *facts))
        below, above = index.times(-1) - number(1), index - length
        return not can_hold([*facts, below]) and not can_hold([*facts, above])

    def _hoisted(self, index: Affine, array: Any, axis: int, statement: Any, place: _Place) -> None:
        """Say, before as many loops as that can be said of, where an index will lie."""
        least = most = index
        at = statement
        for loop in reversed(place.loops):
            if array.id in loop.stored:
                break
            ends = [self._without(item, loop, sign) for item, sign in ((least, 1), (most, -1))]
            if None in ends or any(loop.stored & _roots(item) for item in ends if item):
                break
            least, most = ends  # type: ignore[assignment]
            at = loop.statement
        length = self._shapes.length(array.id, axis) or variable(shape_name(array.id, axis))
        roots = _roots(least) | _roots(most) | _roots(length)
        if place.is_certain and self._shapes.are_given(roots):
            if not least.terms:
                least = number(min(least.constant, 0))
                self._facts.append(length - most - number(1))  # none is negative
            at = self._function.body[1 if gast.get_docstring(self._function) else 0]
        self._say(at, least, most, length)

    def _without(self, item: Affine, loop: _Loop, sign: int) -> Affine | None:
        """Return the least of a sum in all trips of a loop, or the greatest for a negative sign."""
        factor = item.terms.get(loop.counter, 0)
        if not factor:
            return item
        end = loop.least if factor * sign > 0 else loop.most
        if end is None:
            return None
        return item + (end - variable(loop.counter)).times(factor)

    def _say_of(self, at: Any, index: Any, length: Any) -> None:
        """Note to look, before a statement, at an index that is no sum."""
        look = gast.Expr(call(LOOK, clone(index), clone(index), length))
        look.lineno = getattr(at, "lineno", None)
        self._before.setdefault(id(at), []).append(look)

    def _say(self, at: Any, least: Affine, most: Affine, length: Affine) -> None:
        """Note to look at indices before a statement, at those of one length at once."""
        looks = self._before.setdefault(id(at), [])
        for look in [item for item in looks if isinstance(item, _Look)]:
            terms = look.least.terms, look.most.terms, look.length
            if terms == (least.terms, most.terms, length):
                look.least = min(look.least, least, key=_constant)
                look.most = max(look.most, most, key=_constant)
                return
        looks.append(_Look(at, least, most, length))


def _constant(item: Affine) -> int:
    return item.constant


def _between(counter: Affine, least: Affine, most: Affine) -> list[Affine]:
    return [counter - least, most - counter]


def _roots(item: Affine) -> set[str]:
    """Return the names that a sum is calculated from."""
    return {name.partition(".")[0] for name in item.terms}


def _names_in(node: Any) -> set[str]:
    return {item.id for item in found_in(node, gast.Name)}


def _stored_in(nodes: Sequence[Any]) -> set[str]:
    return {
        item.id
        for node in nodes
        for item in found_in(node, gast.Name)
        if not isinstance(item.ctx, gast.Load)
    }


def _accesses(statement: Any) -> Iterator[tuple[Any, bool]]:
    """Yield the subscripts in a statement's own expressions, and whether each is surely reached.

    Those that others need for their indices come first.
    """
    guarded: set[int] = set()
    nodes = own_nodes(statement)
    for node in nodes:
        if isinstance(node, _GUARDING) or isinstance(statement, gast.While):
            guarded |= {id(item) for item in walk(node)}
    for node in reversed(nodes):
        is_looked_at = IS_LOOKED_AT.of(node)
        if isinstance(node, gast.Subscript) and not is_looked_at and not _is_of_shape(node):
            yield node, id(node) not in guarded


def _is_of_shape(node: Any) -> bool:
    return isinstance(node.value, gast.Attribute) and node.value.attr == "shape"


def _written(look: Any) -> Any:
    return look.written() if isinstance(look, _Look) else look


def _insert(owner: Any, before: dict[int, list[Any]]) -> None:
    """Put looks before the statements that they belong to."""
    for block in [owner.body] if isinstance(owner, gast.FunctionDef) else blocks_of(owner):
        done: list[Any] = []
        for statement in block:
            _insert(statement, before)
            done += [*(_written(look) for look in before.get(id(statement), ())), statement]
        block[:] = done
