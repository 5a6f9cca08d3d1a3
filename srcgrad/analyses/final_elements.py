"""Says which reads of an array that is being filled meet elements that nothing writes any more.

``y[i] = f(y[i - 1])`` writes each element once, in the order of `i`: what is read at ``y[i - 1]``
is still there when the loop has ended, and the backward pass can read it again. Whether a write
may come after a read and meet its elements is asked of their indices and loops (`accesses.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.accesses import Access, Accesses, is_loop, may_follow
from srcgrad.ir import gast
from srcgrad.ir.marks import PUTS_BACK
from srcgrad.ir.program import bound_by, targets_of
from srcgrad.ir.walk import names_read, nodes_in, root_name, statements

_MOST_WRITES: Final = 40  # to one array; beyond it, nothing is known


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
        self._accesses = Accesses(body, given, known.is_integer)
        self._made = {name for item in body for name in _made_by(item)} | set(owned)
        self._writes = [
            (item, name)
            for item in statements(body)
            if not PUTS_BACK.of(item)  # what is read before it is written again
            for name in written_names(item, known.is_pure)
        ]
        self._to: dict[str, list[Access] | None] = {}

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
        accesses = self._accesses
        if name not in self._made or accesses.binds[name] != 1 or not accesses.knows(statement):
            return False
        writes = self._writes_to(name)
        if writes is None:
            return False
        here = accesses.at(statement, name, part.slice)
        return not any(may_follow(here, write) for write in writes)

    def _writes_to(self, name: str) -> list[Access] | None:
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
                [self._accesses.at(item, name, _index_into(item, name)) for item, _ in found]
                if few
                else None
            )
        return self._to[name]


def _made_by(statement: Any) -> list[str]:
    return [] if is_loop(statement) else bound_by(statement)


def _index_into(statement: Any, name: str) -> Any:
    """Return the index at which a statement writes into an array, None if that is not all of it."""
    if not isinstance(statement, (gast.Assign, gast.AugAssign)):
        return None
    targets = targets_of(statement)
    (target, *others) = targets
    plain = isinstance(target, gast.Subscript) and getattr(target.value, "id", "") == name
    return target.slice if plain and not others else None


def written_names(statement: Any, is_pure: Callable[[Any], bool]) -> Iterator[str]:
    """Yield the names through which a statement may write into memory.

    A loop that runs backward writes no more than what makes the numbers that it goes through.

    >>> from srcgrad.compiler.doctesting import parse
    >>> is_pure = lambda node: getattr(getattr(node, "func", None), "id", "range") == "range"
    >>> texts = ["range(n)", "drawn(y)"]
    >>> loops = [parse(f"for i in reversed({text}): x = i") for text in texts]
    >>> [list(written_names(loop, is_pure)) for (loop,) in loops]
    [[], ['drawn', 'y']]
    """
    for part in nodes_in(statement):
        turns = isinstance(part, gast.Call) and getattr(part.func, "id", "") == "reversed"
        for item in part.args if turns and isinstance(statement, gast.For) else [part]:
            if not isinstance(item, gast.stmt) and not is_pure(item):
                yield from names_read(item)
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
