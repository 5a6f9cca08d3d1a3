"""Says where and in what order the statements of a function meet the elements of an array.

An index such as ``y[i - 1]`` is a block of elements in terms of the loops around it
(`regions.py`), and whether one access may come after another and meet its elements is asked of
the inequalities that indices, loops and their order make (`affine.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.analyses.affine import Affine, affine_of, can_hold, number, variable
from srcgrad.analyses.regions import EVERYTHING, Names, Region, meet, regions
from srcgrad.ir import gast
from srcgrad.ir.program import bound_by
from srcgrad.ir.walk import blocks_of, names_read, statements


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: if it counts, by what, from where and to where, as far as that is known.

    A loop over `reversed` goes through the same numbers the other way.
    """

    node: Any
    key: str
    index: str = ""
    step: int = 0
    first: Affine | None = None
    stop: Affine | None = None
    backwards: bool = False

    def bounds(self) -> list[Affine]:
        """Return the sums that are not negative in any trip."""
        here = variable(self.key)
        inside = []
        if self.first is not None:
            inside.append((here - self.first).times(1 if self.step > 0 else -1))
        if self.stop is not None:
            inside.append((self.stop - here).times(1 if self.step > 0 else -1) - number(1))
        return inside

    def later(self) -> Affine:
        """Return the sum that is not negative where the trip of another access comes later."""
        if not self.step:
            return number(0)
        there, here = variable(_of_other(self.key)), variable(self.key)
        grows = (self.step > 0) is not self.backwards
        return (there - here).times(1 if grows else -1) - number(abs(self.step))


@dataclass(frozen=True, slots=True)
class Access:
    """A statement that reads or writes an array: where it is, and what part it names."""

    statement: Any
    place: int
    loops: tuple[Loop, ...]
    blocks: list[Region]
    signs: tuple[Affine, ...] = ()

    def bounds(self) -> list[Affine]:
        """Return the sums that are not negative in any trip of the loops around."""
        return [*self.signs, *(item for loop in self.loops for item in loop.bounds())]


class Accesses:
    """The places of the statements of one function, and the loops around them.

    Args:
        body: The function.
        given: The parameters: their values are there from the beginning.
        is_integer: Says which names are surely bound to whole numbers.
    """

    def __init__(
        self, body: list[Any], given: Collection[str], is_integer: Callable[[str], bool]
    ) -> None:
        self.binds = Counter(name for item in statements(body) for name in bound_by(item))
        self.binds.update(given)
        self._is_integer = is_integer
        whole = {name for item in body if not is_loop(item) for name in bound_by(item)}
        self._fixed = whole | set(given)
        self._counts: set[str] = set()
        for item in body:
            if isinstance(item, gast.Assign) and _is_count(item.value, self._counts):
                self._counts.update(name for name in bound_by(item) if self.binds[name] == 1)
        self._around: dict[int, tuple[Loop, ...]] = {}
        self._places: dict[int, int] = {}
        self._visit(body, ())

    @property
    def count(self) -> int:
        """How many statements there are."""
        return len(self._places)

    def knows(self, statement: Any) -> bool:
        """Say whether a statement is one of the function."""
        return id(statement) in self._places

    def loops_around(self, statement: Any) -> tuple[Loop, ...]:
        """Return the loops that a statement is in, the outer first."""
        return self._around[id(statement)]

    def place(self, statement: Any) -> int:
        """Return how many statements stand above one."""
        return self._places[id(statement)]

    def at(self, statement: Any, name: str, index: Any) -> Access:
        """Return the access of a statement to an array at an index, or None for all of it."""
        loops = self._around[id(statement)]
        if index is None:
            return Access(statement, self._places[id(statement)], loops, [EVERYTHING])
        bounds = [item for loop in loops for item in loop.bounds()]
        used = {*names_read(index), *(term for item in bounds for term in item.terms)}
        signs = tuple(variable(item) for item in sorted(used & self._counts))
        blocks = regions(name, index, self._names(loops), [*bounds, *signs])
        return Access(statement, self._places[id(statement)], loops, blocks, signs)

    def _visit(self, block: list[Any], loops: tuple[Loop, ...]) -> None:
        for statement in block:
            self._places[id(statement)] = len(self._places)
            self._around[id(statement)] = loops
            inner = (*loops, self._loop(statement, loops)) if is_loop(statement) else loops
            for part in blocks_of(statement):
                self._visit(part, inner)

    def _loop(self, node: Any, outer: tuple[Loop, ...]) -> Loop:
        key = f"trip {len(self._places)}"
        call, backwards = _counted(getattr(node, "iter", None))
        target = getattr(node, "target", None)
        if call is None or not isinstance(target, gast.Name) or node.orelse:
            return Loop(node, key)
        if any(target.id in bound_by(item) for item in statements(node.body)):
            return Loop(node, key)
        step: Any = affine_of(call.args[2], lambda _: None) if len(call.args) > 2 else number(1)
        if step is None or not step.constant:
            return Loop(node, key)
        names = self._names(outer)
        ends = [gast.Constant(0, None), *call.args] if len(call.args) == 1 else call.args
        first, stop = (affine_of(item, names) for item in ends[:2])
        return Loop(node, key, target.id, step.constant, first, stop, backwards)

    def _names(self, loops: Sequence[Loop]) -> Names:
        """Return what names stand for within some loops: trips, and what is bound once."""

        def name_of(name: str) -> Affine | None:
            for loop in reversed(loops):
                if loop.index == name:
                    return variable(loop.key)
            fixed = self.binds[name] == 1 and name in self._fixed and self._is_integer(name)
            return variable(name) if fixed else None

        return name_of


def may_follow(here: Access, other: Access, within: int = 0) -> bool:
    """Say whether another access may come after one, and meet its elements.

    It comes in a later trip of one of the loops around both, or further down in the same trips. Of
    the loops that both are `within`, so many of the outer ones are in the same trip.
    """
    common = 0
    for one, two in zip(here.loops, other.loops, strict=False):
        if one.node is not two.node:
            break
        common += 1
    later = [
        _can_meet(here, other, depth, [here.loops[depth].later()])
        for depth in range(within, common)
    ]
    return any(later) or (other.place > here.place and _can_meet(here, other, common, []))


def _can_meet(here: Access, other: Access, same: int, order: list[Affine]) -> bool:
    """Say whether two accesses may meet where the first loops around both are in the same trip."""
    theirs = {loop.key for loop in other.loops[same:]}

    def new(name: str) -> str:
        return _of_other(name) if name in theirs else name

    sums = [*here.bounds(), *(item.renamed(new) for item in other.bounds()), *order]
    return any(
        can_hold([*sums, *meet(block, another.renamed(new))])
        for block in here.blocks
        for another in other.blocks
    )


def _of_other(name: str) -> str:
    return f"{name} of the other"


def is_loop(statement: Any) -> bool:
    """Say whether a statement is a loop."""
    return isinstance(statement, (gast.For, gast.While))


def _is_count(value: Any, counts: Collection[str]) -> bool:
    """Say whether a value is a length, or a length by a whole number, and so not negative."""
    if isinstance(value, gast.BinOp) and isinstance(value.op, gast.FloorDiv):
        divisor = getattr(value.right, "value", None)
        return type(divisor) is int and divisor > 0 and _is_count(value.left, counts)
    if isinstance(value, gast.Subscript):
        return isinstance(value.value, gast.Attribute) and value.value.attr == "shape"
    return _is_call(value, "len") or getattr(value, "id", "") in counts


def _counted(node: Any) -> tuple[Any, bool]:
    """Return the call of `range` that a loop goes through, and whether it does so backwards."""
    backwards = _is_call(node, "reversed") and len(node.args) == 1
    call = node.args[0] if backwards else node
    return (call if _is_call(call, "range") else None), backwards


def _is_call(node: Any, name: str) -> bool:
    calls = isinstance(node, gast.Call) and getattr(node.func, "id", "") == name
    return calls and not node.keywords
