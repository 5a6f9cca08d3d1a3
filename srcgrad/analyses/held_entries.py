"""Says whether a list or dict that a program makes may hold one array several times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import repeated_entries
from srcgrad.ir.program import Program, direct_names, is_store, store_target
from srcgrad.ir.walk import blocks_of, names_bound

_LOOPS = (gast.For, gast.While)


class HeldEntries:
    """What is put into the containers of a program in normal form, and where.

    `shared(statement)` returns the names whose memory an assignment may share, `is_number(value)`
    says what has no memory.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     a = x * 2
    ...     pair = [a, a]
    ...     several = []
    ...     other = []
    ...     for i in range(3):
    ...         several.append(a)
    ...         b = a * i
    ...         other.append(b)
    ...     return pair[0]
    ... ''')
    >>> held = HeldEntries(program, lambda statement: [], lambda value: False)
    >>> [held.may_repeat({name}) for name in ("pair", "several", "other")]
    [True, True, False]
    """

    def __init__(
        self,
        program: Program,
        shared: Callable[[Any], list[str]],
        is_number: Callable[[Any], bool],
    ) -> None:
        self._shared = shared
        self._is_number = is_number
        self._puts: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self._makers: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
        self._repeated: set[str] = set()
        for statement, loop in _in_loops(program.body, None):
            self._note(statement, loop)

    def may_repeat(self, members: set[str]) -> bool:
        """Say whether one of these containers, or all of them together, may hold an array twice."""
        puts = [put for name in members for put in self._puts.get(name, ())]
        several = max(Counter(value for value, _ in puts).values(), default=0) > 1
        return (
            several
            or not self._repeated.isdisjoint(members)
            or not all(self._is_new(value, loop) for value, loop in puts)
        )

    def _is_new(self, value: str, loop: Any) -> bool:
        """Say whether what is put in is made for that, each time it is put in."""
        makers = self._makers.get(value, [])
        return len(makers) == 1 and makers[0][1] is loop and not self._shared(makers[0][0])

    def _note(self, statement: Any, loop: Any) -> None:
        change = change_of(statement)
        if change is not None:
            if change.value is not None:
                self._put(change.name, change.value, loop)
        elif is_store(statement):
            holder = store_target(statement).value
            if isinstance(holder, gast.Name) and isinstance(statement, gast.Assign):
                self._put(holder.id, statement.value, loop)
        elif isinstance(statement, gast.Assign):
            names = [name for target in statement.targets for name in names_bound(target)]
            for name in names:
                self._makers[name].append((statement, loop))
                self._display(name, statement.value, loop)

    def _display(self, name: str, value: Any, loop: Any) -> None:
        repeated = repeated_entries(value)
        if repeated is not None:
            if not all(map(self._is_number, repeated)):
                self._repeated.add(name)
        elif isinstance(value, (gast.List, gast.Tuple)):
            stars = [item for item in value.elts if isinstance(item, gast.Starred)]
            if len(stars) > 1:
                self._repeated.add(name)
            for item in value.elts:
                if not isinstance(item, gast.Starred):
                    self._put(name, item, loop)
        elif isinstance(value, gast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                if key is not None:
                    self._put(name, item, loop)

    def _put(self, holder: str, value: Any, loop: Any) -> None:
        if not self._is_number(value):
            self._puts[holder] += [(name, loop) for name in direct_names(value)]


def _in_loops(body: list[Any], loop: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each statement with the innermost loop that it is in."""
    for statement in body:
        yield statement, loop
        inner = statement if isinstance(statement, _LOOPS) else loop
        for block in blocks_of(statement):
            yield from _in_loops(block, inner)
