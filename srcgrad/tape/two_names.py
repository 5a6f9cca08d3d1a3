"""Refuses writes into a list or dict that a function is given and also reaches by another name.

It is given another one in its place, of tensors, so that what is written by one name is not seen by
the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from srcgrad.errors import MutationError
from srcgrad.tape.lending import Arguments
from srcgrad.tape.refusing import refusal
from srcgrad.tape.userspace import Reached

_MOST: Final = 5_000


class TwoNames:
    """The lists and dicts among arguments that have a name in the function, with their contents."""

    def __init__(self, reached: Reached, arguments: Arguments, given: Iterable[Any]) -> None:
        held = [item for item in _containers(given) if arguments.knows(item)]
        named = {id(item) for item in _containers(_named(reached))} if held else set()
        self._kept = [
            (part, _contents(part))
            for item in held
            if id(item) in named
            for part in (item, arguments.instead(item))
        ]

    def refuse_changed(self) -> None:
        """Refuse the call if it has changed one of them.

        Raises:
            MutationError: It has.
        """
        if any(not _same(_contents(part), before) for part, before in self._kept):
            raise refusal(
                MutationError,
                "a list or dict that is an argument is changed, and also reached by another name",
                "use one name for it",
            )


def _named(reached: Reached) -> Iterator[Any]:
    """Yield what the names of modules, and the variables around functions, mean."""
    for space, names in reached.namespaces.values():
        yield from (space[name] for name in names if name in space)
    for cell in reached.cells:
        try:
            yield cell.cell_contents
        except ValueError:  # it is not bound yet
            continue


def _containers(values: Iterable[Any]) -> list[Any]:
    """Return the lists and dicts among values, and in them."""
    waiting, found = list(values), dict[int, Any]()
    while waiting and len(found) < _MOST:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting += value
        elif isinstance(value, (list, dict)) and id(value) not in found:
            found[id(value)] = value
            waiting += value.values() if isinstance(value, dict) else value
    return list(found.values())


def _contents(value: Any) -> list[Any]:
    return [*value, *value.values()] if isinstance(value, dict) else list(value)


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
