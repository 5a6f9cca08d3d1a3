"""Says which reads of an array that is being filled meet elements that nothing writes any more.

``y[i] = f(y[i - 1])`` writes each element once, in the order of `i`: what is read at ``y[i - 1]``
is still there when the loop has ended, and the backward pass can read it again. Whether a write
may come after a read and meet its elements is asked of the inequalities that indices, loops and
their order make (`affine.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import gast

from srcgrad.analyses.affine import Affine, affine_of, can_hold, number, variable
from srcgrad.analyses.regions import EVERYTHING, Names, Region, meet, regions
from srcgrad.ir.program import bound_by, targets_of
from srcgrad.ir.walk import blocks_of, names_read, nodes_in, root_name, statements

_MOST_WRITES: Final = 40  # to one array; beyond it, nothing is known


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop: if it counts, by what, from where and to where, as far as that is known."""

    node: Any
    key: str
    index: str = ""
    step: int = 0
    first: Affine | None = None
    stop: Affine | None = None

    def bounds(self) -> list[Affine]:
        """Return the sums that are not negative in any trip."""
        here = variable(self.key)
        inside = []
        if self.first is not None:
            inside.append((here - self.first).times(1 if self.step > 0 else -1))
        if self.stop is not None:
            inside.append((self.stop - here).times(1 if self.step > 0 else -1) - number(1))
        return inside


@dataclass(frozen=True, slots=True)
class _Access:
    """A statement that reads or writes an array: where it is, and what part it names."""

    statement: Any
    place: int
    loops: tuple[_Loop, ...]
    blocks: list[Region]

    def bounds(self) -> list[Affine]:
        return [item for loop in self.loops for item in loop.bounds()]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the names and expressions of a function.

    Attributes:
        may_share: Says whether two names may lie in the same memory.
        is_pure: Says whether an expression changes nothing.
        is_integer: Says which names are surely bound to whole numbers.
        is_adjoint: Says which names are those of adjoints, which lie elsewhere.
    """

    may_share: Callable[[str, str], bool]
    is_pure: Callable[[Any], bool]
    is_integer: Callable[[str], bool] = lambda _: False
    is_adjoint: Callable[[str], bool] = lambda _: False


class FinalElements:
    """The elements of the arrays of one function that nothing writes any more.

    Args:
        body: A function in normal form, or a derivative that is made of one.
        known: What is known of its names.
        given: The parameters: their values are there from the beginning.
        owned: Those parameters that nobody else writes until the derivative is known.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... y = np.zeros(n)
    ... y[0] = x
    ... for i in range(1, n):
    ...     a = y[i - 1]
    ...     b = y[i]
    ...     c = y[:i]
    ...     y[i] = a * b
    ... ''')
    >>> found = FinalElements(body, Known(str.__eq__, lambda node: True))
    >>> [found.is_read_for_good(statement) for statement in body[2].body]
    [True, False, True, False]
    """

    def __init__(
        self,
        body: list[Any],
        known: Known,
        given: Collection[str] = (),
        owned: Collection[str] = (),
    ) -> None:
        self._facts = known
        self._binds = Counter(name for item in statements(body) for name in bound_by(item))
        self._binds.update(given)
        whole = {name for item in body if not _is_loop(item) for name in bound_by(item)}
        self._fixed = whole | set(given)
        self._made = {name for item in body for name in _made_by(item)} | set(owned)
        self._around: dict[int, tuple[_Loop, ...]] = {}
        self._places: dict[int, int] = {}
        self._writes: list[tuple[Any, str]] = []
        self._to: dict[str, list[_Access] | None] = {}
        self._visit(body, ())

    def is_read_for_good(self, statement: Any) -> bool:
        """Say whether ``t = y[...]`` reads elements that nothing writes any more."""
        value: Any = getattr(statement, "value", None)
        if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Subscript):
            return False
        return self._lasts(statement, value)

    def is_stored_for_good(self, statement: Any) -> bool:
        """Say whether ``y[...] = t`` writes elements that nothing writes any more.

        >>> from srcgrad.compiler.doctesting import parse
        >>> body = parse('''
        ... y = np.zeros(n)
        ... z = np.zeros(n)
        ... for i in range(n):
        ...     y[i] = a * i
        ...     z[0] = a * i
        ... ''')
        >>> found = FinalElements(body, Known(str.__eq__, lambda node: True))
        >>> [found.is_stored_for_good(statement) for statement in body[2].body]
        [True, False]
        """
        plain = isinstance(statement, gast.Assign) and len(statement.targets) == 1
        if not plain or not isinstance(statement.targets[0], gast.Subscript):
            return False
        return self._lasts(statement, statement.targets[0])

    def _lasts(self, statement: Any, part: Any) -> bool:
        """Say whether nothing writes a part of an array after a statement."""
        name = getattr(part.value, "id", "")
        if name not in self._made or self._binds[name] != 1 or id(statement) not in self._places:
            return False
        writes = self._writes_to(name)
        if writes is None:
            return False
        here = self._access(statement, name, part.slice)
        return not any(_may_follow(here, write) for write in writes)

    # -- what there is

    def _visit(self, block: list[Any], loops: tuple[_Loop, ...]) -> None:
        for statement in block:
            self._places[id(statement)] = len(self._places)
            self._around[id(statement)] = loops
            self._writes += [(statement, name) for name in _written(statement, self._facts.is_pure)]
            inner = (*loops, self._loop(statement, loops)) if _is_loop(statement) else loops
            for part in blocks_of(statement):
                self._visit(part, inner)

    def _loop(self, node: Any, outer: tuple[_Loop, ...]) -> _Loop:
        key = f"trip {len(self._places)}"
        call: Any = getattr(node, "iter", None)
        target = getattr(node, "target", None)
        counts = isinstance(call, gast.Call) and getattr(call.func, "id", "") == "range"
        if not counts or not isinstance(target, gast.Name) or call.keywords or node.orelse:
            return _Loop(node, key)
        if any(target.id in bound_by(item) for item in statements(node.body)):
            return _Loop(node, key)
        step: Any = affine_of(call.args[2], lambda _: None) if len(call.args) > 2 else number(1)
        if step is None or not step.constant:
            return _Loop(node, key)
        names = self._names(outer)
        ends = [gast.Constant(0, None), *call.args] if len(call.args) == 1 else call.args
        first, stop = (affine_of(item, names) for item in ends[:2])
        return _Loop(node, key, target.id, step.constant, first, stop)

    def _names(self, loops: Sequence[_Loop]) -> Names:
        """Return what names stand for within some loops: trips, and what is bound once."""

        def name_of(name: str) -> Affine | None:
            for loop in reversed(loops):
                if loop.index == name:
                    return variable(loop.key)
            fixed = self._binds[name] == 1 and name in self._fixed and self._facts.is_integer(name)
            return variable(name) if fixed else None

        return name_of

    def _access(self, statement: Any, name: str, index: Any) -> _Access:
        loops = self._around[id(statement)]
        bounds = [item for loop in loops for item in loop.bounds()]
        blocks = [EVERYTHING] if index is None else regions(name, index, self._names(loops), bounds)
        return _Access(statement, self._places[id(statement)], loops, blocks)

    def _writes_to(self, name: str) -> list[_Access] | None:
        """Return what may write an array; None if that is too much to look at."""
        if name not in self._to:
            found = [
                (item, other)
                for item, other in self._writes
                if other == name
                or (not self._facts.is_adjoint(other) and self._facts.may_share(other, name))
            ]
            few = len(found) <= _MOST_WRITES
            self._to[name] = (
                [self._access(item, name, _index_into(item, name)) for item, _ in found]
                if few
                else None
            )
        return self._to[name]


def _may_follow(here: _Access, write: _Access) -> bool:
    """Say whether a write may come after an access, and meet its elements.

    It comes in a later trip of one of the loops around both, or further down in the same trips.
    """
    common = 0
    for one, other in zip(here.loops, write.loops, strict=False):
        if one.node is not other.node:
            break
        common += 1
    later = [
        _can_meet(here, write, depth, [_is_later(here.loops[depth])]) for depth in range(common)
    ]
    return any(later) or (write.place > here.place and _can_meet(here, write, common, []))


def _is_later(loop: _Loop) -> Affine:
    """Return the sum that is not negative where the trip of a write comes after that of a read."""
    if not loop.step:
        return number(0)
    there, here = variable(_of_write(loop.key)), variable(loop.key)
    return (there - here).times(1 if loop.step > 0 else -1) - number(abs(loop.step))


def _can_meet(here: _Access, write: _Access, same: int, order: list[Affine]) -> bool:
    """Say whether two accesses may meet where the first loops around both are in the same trip."""
    theirs = {loop.key for loop in write.loops[same:]}

    def new(name: str) -> str:
        return _of_write(name) if name in theirs else name

    sums = [*here.bounds(), *(item.renamed(new) for item in write.bounds()), *order]
    return any(
        can_hold([*sums, *meet(block, other.renamed(new))])
        for block in here.blocks
        for other in write.blocks
    )


def _of_write(name: str) -> str:
    return f"{name} of the write"


def _is_loop(statement: Any) -> bool:
    return isinstance(statement, (gast.For, gast.While))


def _made_by(statement: Any) -> list[str]:
    return [] if _is_loop(statement) else bound_by(statement)


def _index_into(statement: Any, name: str) -> Any:
    """Return the index at which a statement writes into an array, None if that is not all of it."""
    if not isinstance(statement, (gast.Assign, gast.AugAssign)):
        return None
    targets = targets_of(statement)
    (target, *others) = targets
    plain = isinstance(target, gast.Subscript) and getattr(target.value, "id", "") == name
    return target.slice if plain and not others else None


def _written(statement: Any, is_pure: Callable[[Any], bool]) -> Iterator[str]:
    """Yield the names through which a statement may write into memory."""
    for part in nodes_in(statement):
        if not isinstance(part, gast.stmt) and not is_pure(part):
            yield from names_read(part)
    removed = statement.targets if isinstance(statement, gast.Delete) else []
    updates = isinstance(statement, gast.AugAssign)
    for target in [*targets_of(statement), *removed]:
        for item in _single(target):
            name = root_name(item)
            if name is not None and (updates or not isinstance(item, gast.Name)):
                yield name


def _single(target: Any) -> list[Any]:
    """Return the targets in a target."""
    if isinstance(target, gast.Starred):
        return _single(target.value)
    if isinstance(target, (gast.Tuple, gast.List)):
        return [part for item in target.elts for part in _single(item)]
    return [target]
