"""Remembers what is found out about functions, as long as nothing that they are made of can change.

A function is asked about by each of its callers and by theirs in turn, once for each call that they
make: without a memory, the work grows with the number of ways through the calls.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, Final, TypeVar

from srcgrad.errors import SrcgradError
from srcgrad.frontend.source import FunctionSource, find_source, is_made
from srcgrad.ir.reach import nothing_bound

_MOST_ROUNDS: Final = 16

_Key = tuple[Any, Any]
T = TypeVar("T")


class Memory:
    """What was found, by the question and the function.

    Functions that call each other are asked about once, with nothing assumed of those that are
    being asked about; then anew with what was found, until nothing changes any more (the least
    fixed point, as in any analysis between procedures).
    """

    def __init__(self) -> None:
        self._known: dict[_Key, Any] = {}
        self._of_made: dict[_Key, Any] = {}
        self._leans: list[set[Any]] = []
        self._assumed: dict[_Key, tuple[Any, set[Any]]] = {}
        self._open: list[tuple[_Key, Callable[[], Any]]] = []
        self._steady = 0

    def assumed(self, question: Any, function: Any, nothing: T) -> T:
        """Return what is taken to be found about a function that is being asked about.

        What is found upon that is right only inside of that question: it leans on it.
        """
        key = question, function
        found: T
        found, leans = self._assumed.get(key, (nothing, {key}))
        if self._leans:
            self._leans[-1] |= leans
        return found

    def found(self, question: Any, function: Any, find: Callable[[], T]) -> T:
        """Return what `find` finds, from memory if it was found before and stands by itself.

        A function of our own making may be changed by the next pass, and with it what calls it:
        it is remembered until the outermost question is answered, or while all is `steady`.
        """
        key = question, function
        found: T
        if key in self._known:
            found = self._known[key]
            return found
        if key in self._of_made:
            if self._leans:
                self._leans[-1].add(None)
            found = self._of_made[key]
            return found
        if key in self._assumed:
            found = self.assumed(question, function, self._assumed[key][0])
            return found
        start = len(self._open)
        self._leans.append(set())
        try:
            found = find()
        except BaseException:
            self._forget(start)
            self._leave(function, self._leans.pop())
            raise
        leans = self._leans.pop()
        own = leans & {key}
        others = leans - own - {None}
        if others:  # it is a part of what calls each other, whose first one is still open
            self._open.append((key, find))
            self._assumed[key] = found, leans
        elif own or len(self._open) > start:
            found = self._settle(key, find, found, leans, start)
        else:
            self._keep_found(key, found, leans)
        self._leave(function, leans - own)
        return found

    def _settle(self, key: _Key, find: Callable[[], T], found: T, leans: set[Any], start: int) -> T:
        """Ask functions that call each other anew, upon what was found, until nothing changes."""
        members = [*self._open[start:], (key, find)]
        self._assumed[key] = found, set()
        for member, _ in members:
            self._assumed[member] = self._assumed[member][0], set()
        try:
            for _ in range(_MOST_ROUNDS):
                if not any(self._is_changed(*member) for member in members):
                    for member, _ in members:
                        self._keep_found(member, self._assumed[member][0], leans)
                    break
            settled: T = self._assumed[key][0]
            return settled
        finally:
            self._assumed.pop(key, None)
            self._forget(start)

    def _is_changed(self, key: _Key, find: Callable[[], Any]) -> bool:
        self._leans.append(set())
        try:
            found = find()
        finally:
            self._leans.pop()
        before, leans = self._assumed[key]
        self._assumed[key] = found, leans
        return bool(found != before)

    def _keep_found(self, key: _Key, found: Any, leans: set[Any]) -> None:
        """Remember what was found: as long as functions of our own making are what they are."""
        made = None in leans or (isinstance(key[1], FunctionType) and is_made(key[1]))
        if not made:
            self._known[key] = found
        elif self._leans or self._steady:
            self._of_made[key] = found

    def _leave(self, function: Any, leans: set[Any]) -> None:
        """Hand on what an answer leans on to the question around it."""
        if isinstance(function, FunctionType) and is_made(function):
            leans = leans | {None}
        if self._leans:
            self._leans[-1] |= leans
        elif not self._steady:
            self._of_made.clear()

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Let functions of our own making be remembered within a block, which changes none."""
        self._steady += 1
        try:
            yield
        finally:
            self._steady -= 1
            if not self._steady and not self._leans:
                self._of_made.clear()

    def _forget(self, start: int) -> None:
        """Forget what was assumed of the functions since one."""
        for key, _ in self._open[start:]:
            self._assumed.pop(key, None)
        del self._open[start:]

    def knows(self, question: Any, function: Any) -> bool:
        """Say whether something was kept."""
        return (question, function) in self._known

    def keep(self, question: Any, function: Any, found: Any) -> None:
        """Keep what was found otherwise."""
        self._known[question, function] = found


_CURRENT: Final[ContextVar[Memory | None]] = ContextVar("srcgrad_remembered", default=None)


@contextmanager
def nothing_changes(memory: Memory | None = None) -> Iterator[Memory]:
    """Let answers be remembered within a block, in which no name and no function changes.

    What an earlier block remembers, since which nothing has changed, can be gone on with.
    """
    current = _CURRENT.get()
    if current is not None:
        yield current
        return
    memory = memory or Memory()
    token = _CURRENT.set(memory)
    try:
        with nothing_bound():
            yield memory
    finally:
        _CURRENT.reset(token)


@contextmanager
def steady() -> Iterator[None]:
    """Let answers about functions of our own making last for a block, too, which changes none."""
    with nothing_changes() as memory, memory.steady():
        yield


@contextmanager
def anew() -> Iterator[None]:
    """Let nothing be known in a block of what is remembered around it: functions are read anew."""
    token = _CURRENT.set(Memory())
    try:
        with nothing_bound():
            yield
    finally:
        _CURRENT.reset(token)


def source_to_read(function: FunctionType) -> FunctionSource:
    """Return the source of a function for those who write nothing into it, and so share one copy.

    Raises:
        SourceNotFoundError: See `find_source`.
        NotDifferentiableError: See `find_source`.
    """
    with nothing_changes() as memory:
        found: FunctionSource = memory.found("source", function, lambda: find_source(function))
        return found


def tree_to_read(function: FunctionType) -> Any:
    """Return the definition of a function, to be read alone; None of one that has no source."""
    try:
        return source_to_read(function).tree
    except SrcgradError:
        return None


def remembered(nothing: Callable[[], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a question about a function, which asks itself about those that it calls, be remembered.

    It is given the function, and those that are being asked about, itself among them: asked about
    one of these again it is answered with `nothing`.
    """

    def decorate(find: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(find)
        def ask(function: Any, seen: frozenset[Any] = frozenset()) -> Any:
            with nothing_changes() as memory:
                if function in seen:
                    return memory.assumed(find, function, nothing())
                return memory.found(find, function, lambda: find(function, seen | {function}))

        return ask

    return decorate
