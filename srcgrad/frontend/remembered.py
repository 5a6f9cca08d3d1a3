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
from typing import Any, Final

from srcgrad.frontend.source import FunctionSource, find_source, is_made


class Memory:
    """What was found, by the question and the function."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, Any], Any] = {}
        self._of_made: dict[tuple[Any, Any], Any] = {}
        self._within: dict[tuple[Any, Any], list[tuple[frozenset[Any], Any]]] = {}
        self._leans: list[set[Any]] = []

    def lean_on(self, function: Any) -> None:
        """Note that what is being found is right only inside of the question about a function."""
        if self._leans:
            self._leans[-1].add(function)

    def found(
        self,
        question: Any,
        function: Any,
        find: Callable[[], Any],
        active: frozenset[Any] = frozenset(),
    ) -> Any:
        """Return what `find` finds, from memory if it was found before and stands by itself.

        What leans on other questions is the same as long as these are `active`, which are not asked
        again: else functions that call each other were gone through by each way there is.

        A function of our own making may be changed by the next pass, and with it what calls it:
        it is remembered until the outermost question is answered.
        """
        key = question, function
        if key in self._known:
            return self._known[key]
        if key in self._of_made:
            self._leans[-1].add(None)
            return self._of_made[key]
        for within, known in self._within.get(key, ()):
            if within <= active:
                if self._leans:
                    self._leans[-1] |= within
                return known
        self._leans.append(set())
        try:
            found = find()
        finally:
            leans = self._leans.pop() - {function, (question, function)}
            if isinstance(function, FunctionType) and is_made(function):
                leans.add(None)
            if self._leans:
                self._leans[-1] |= leans
            else:
                self._of_made.clear()
        if not leans:
            self._known[key] = found
        elif self._leans and leans == {None}:
            self._of_made[key] = found
        elif None not in leans:
            self._within.setdefault(key, []).append((frozenset(leans), found))
        return found

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
        yield memory
    finally:
        _CURRENT.reset(token)


@contextmanager
def anew() -> Iterator[None]:
    """Let nothing be known in a block of what is remembered around it: functions are read anew."""
    token = _CURRENT.set(Memory())
    try:
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
                    memory.lean_on(function)
                    return nothing()
                return memory.found(find, function, lambda: find(function, seen | {function}), seen)

        return ask

    return decorate
