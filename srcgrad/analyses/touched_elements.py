"""Says which elements of an array of zeros nothing has touched before, or touches afterwards.

What a trip of a loop adds to ``grad_y[i]`` may be the first that is added there, and what sets it
to zero again may be the last that is done to it. Every mention of the array counts, a read too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.accesses import Access, Accesses, may_follow
from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.program import bound_by
from srcgrad.ir.walk import blocks_of, own_nodes

_MOST_TOUCHES: Final = 40  # of one array; beyond it, nothing is known


@dataclass(frozen=True, slots=True)
class _Found:
    """A write into an array: what made that, where it goes, and every mention of the array.

    The array is made anew in each trip of the loops that it is `within`.
    """

    maker: Any
    here: Access
    within: int
    touches: list[tuple[Any, Access]]


class TouchedElements:
    """The elements of the arrays of one function, and what touches them.

    Args:
        body: A derivative.
        given: Its parameters.
        is_integer: Says which names are surely bound to whole numbers.
        sharing: What shares memory.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... grad_y = zeros_like(y)
    ... grad_z = zeros_like(y)
    ... for i in reversed(range(1, n)):
    ...     grad_y[i] += a
    ...     grad_y[i] += b
    ...     grad_z[i - 1] += a
    ...     grad_z[i] += a
    ... ''')
    >>> sharing = Sharing(body, lambda node: True)
    >>> found = TouchedElements(body, (), "n".__eq__, sharing)
    >>> [found.is_first(statement) for statement in body[2].body]
    [True, False, True, False]
    >>> [found.is_last(statement) for statement in body[2].body]
    [False, True, False, True]
    """

    def __init__(
        self,
        body: list[Any],
        given: Collection[str],
        is_integer: Callable[[str], bool],
        sharing: Sharing,
    ) -> None:
        self._accesses = Accesses(body, given, is_integer)
        self._sharing = sharing
        self._given = given
        self._binders: dict[str, list[Any]] = defaultdict(list)
        self._blocks: dict[int, tuple[int, ...]] = {}
        self._named: dict[str, list[Any]] = defaultdict(list)
        self._found: dict[int, list[tuple[Any, Access]] | None] = {}
        self._visit(body, ())

    def is_first(self, statement: Any, but: Collection[int] = ()) -> bool:
        """Say whether a statement is the first to touch a part of an array of zeros.

        What statements do that are given by their identities is left out of account.
        """
        found = self._look(statement)
        if found is None or not _makes_zeros(found.maker):
            return False
        return not any(
            may_follow(touch, found.here, found.within)
            for item, touch in found.touches
            if id(item) not in but
        )

    def is_last(self, statement: Any, but: Collection[int] = ()) -> bool:
        """Say whether a statement writes a part that nothing touches any more, but for some."""
        found = self._look(statement)
        if found is None:
            return False
        return not any(
            may_follow(found.here, touch, found.within)
            for item, touch in found.touches
            if item is not statement and id(item) not in but
        )

    def _visit(self, block: list[Any], around: tuple[int, ...]) -> None:
        around = (*around, id(block))
        for statement in block:
            self._blocks[id(statement)] = around
            updates = isinstance(statement, gast.AugAssign)
            for name in () if updates else bound_by(statement):
                self._binders[name].append(statement)
            names = {node.id for node in own_nodes(statement) if isinstance(node, gast.Name)}
            for group in self._sharing.groups(names):
                self._named[group].append(statement)
            for part in blocks_of(statement):
                self._visit(part, around)

    def _look(self, statement: Any) -> _Found | None:
        """Return what there is to know of a write into an array of our own; None if too little."""
        target: Any = part_written(statement)
        name = getattr(getattr(target, "value", None), "id", "")
        maker, end = self._lifetime(statement, name)
        if maker is None or any(self._sharing.may_share(name, item) for item in self._given):
            return None
        touches = self._touches(name, maker, end)
        if touches is None:
            return None
        here = self._accesses.at(statement, name, target.slice)
        return _Found(maker, here, len(self._accesses.loops_around(maker)), touches)

    def _lifetime(self, statement: Any, name: str) -> tuple[Any, int]:
        """Return what binds a name as a statement finds it, and where it is bound anew."""
        binders = self._binders.get(name, ())
        if not binders or not self._accesses.knows(statement):
            return None, 0
        homes = {self._blocks[id(item)][-1] for item in binders}
        if len(homes) > 1 or not homes.issubset(self._blocks[id(statement)]):
            return None, 0  # it may be another array, of another trip or branch
        place = self._accesses.place
        before = [item for item in binders if place(item) < place(statement)]
        after = [place(item) for item in binders if place(item) >= place(statement)]
        maker = before[-1] if before else None
        return maker, min(after, default=self._accesses.count)

    def _touches(self, name: str, maker: Any, end: int) -> list[tuple[Any, Access]] | None:
        """Return every mention of an array after it was made; None if that is unclear."""
        if id(maker) not in self._found:
            (group,) = self._sharing.groups([name])
            start, home = self._accesses.place(maker), self._blocks[id(maker)][-1]
            touches: list[tuple[Any, Access]] | None = []
            for item in self._named[group]:
                for other, index in self._mentions(item, name):
                    place = self._accesses.place(item)
                    if other == name and not start < place <= end:
                        continue  # another array of that name
                    if touches is None or len(touches) == _MOST_TOUCHES:
                        touches = None
                    elif item is not maker:
                        inside = home in self._blocks[id(item)] and place > start
                        touches.append((item, self._accesses.at(item, name, index)))
                        touches = touches if inside else None
            self._found[id(maker)] = touches
        return self._found[id(maker)]

    def _mentions(self, statement: Any, name: str) -> Iterable[tuple[str, Any]]:
        """Yield the names by which a statement reaches an array, and the index; None for all."""
        nodes = own_nodes(statement)
        parts = [n for n in nodes if isinstance(n, gast.Subscript) and _names(n.value, name)]
        yield from ((name, part.slice) for part in parts)
        inside = {id(part.value) for part in parts}
        for node in nodes:
            whole = isinstance(node, gast.Name) and id(node) not in inside
            if whole and self._sharing.may_share(node.id, name):
                yield node.id, None


def part_written(statement: Any) -> Any:
    """Return the part of an array that a statement writes or adds to, if it is one part."""
    if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    else:
        target = getattr(statement, "target", None)
    plain = isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name)
    return target if plain and not isinstance(statement, gast.For) else None


def _names(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _makes_zeros(statement: Any) -> bool:
    """Say whether a statement binds a name to an array of zeros, if to an array."""
    func = getattr(statement.value, "func", None)
    name = getattr(func, "attr", getattr(func, "id", ""))
    return name in ("zeros_like", "complex_zeros_like")
