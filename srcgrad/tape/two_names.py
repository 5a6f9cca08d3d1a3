"""Refuses writes into a list or dict that a function is given and also reaches otherwise.

It is given another one in its place, of tensors, so that what is written by one name is not seen by
the other.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MappingProxyType, MethodType
from typing import Any, Final

import numpy as np

from srcgrad.errors import MutationError
from srcgrad.runtime.objects import held_by
from srcgrad.tape.core import Core
from srcgrad.tape.lending import Arguments
from srcgrad.tape.refusing import refusal
from srcgrad.tape.userspace import Reached, is_users

_MOST: Final = 20_000
_WRITES: Final = frozenset(("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR"))
_CHANGING: Final = {*dir(list), *dir(dict)} - {*dir(tuple), *dir(MappingProxyType)}
"""Methods of lists and dicts that tuples, and dicts that are only read, have not."""
_NEVER_HOLD: Final = (str, bytes, int, float, complex, np.generic, type(None))


class TwoNames:
    """The lists and dicts among arguments that the function reaches otherwise, as they are now."""

    def __init__(self, reached: Reached, arguments: Arguments, given: Iterable[Any]) -> None:
        values = list(given)
        self._codes = reached.codes
        held = [item for item in _containers(values) if arguments.knows(item)]
        named = set[int]()
        if held:
            others = [item for item in values if not arguments.knows(item)]
            named = _met([*_named(reached), *others], {id(item) for item in held})
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
            raise _refused("is changed")

    def refuse_changing(self) -> None:
        """Refuse the call if it may change one of them, and change it back before its end.

        Raises:
            MutationError: It may.
        """
        if self._kept and any(map(_may_change, self._codes)):
            raise _refused("may be changed")


def _refused(what: str) -> MutationError:
    return refusal(
        MutationError,
        f"a list or dict that is an argument {what}, and also reached by another name",
        "use one name for it",
    )


def _may_change(code: CodeType) -> bool:
    """Say whether code may change a list or a dict itself.

    >>> def reads(x):
    ...     return x[0]
    >>> def adds(x):
    ...     x.append(x[0])
    >>> [_may_change(f.__code__) for f in (reads, adds)]
    [False, True]
    """
    return not _CHANGING.isdisjoint(code.co_names) or any(
        step.opname in _WRITES for step in dis.get_instructions(code)
    )


def _named(reached: Reached) -> Iterator[Any]:
    """Yield what the names of modules, and the variables around functions, mean."""
    for space, names in reached.namespaces.values():
        yield from (space[name] for name in names if name in space)
    yield from _contents_of(reached.cells)


def _contents_of(cells: Iterable[Any]) -> Iterator[Any]:
    for cell in cells:
        try:
            yield cell.cell_contents
        except ValueError:  # it is not bound yet
            continue


def _met(values: Iterable[Any], sought: set[int]) -> set[int]:
    """Return which of some identities are met among values and in what they hold, at any depth.

    All of them are, if there is too much to look through.

    >>> inner = [1.0]
    >>> _met([{"a": (inner,)}], {id(inner)}) == _met([inner.append], {id(inner)}) == {id(inner)}
    True
    """
    waiting, seen = list(values), dict[int, Any]()
    while waiting and not sought <= seen.keys():
        value = waiting.pop()
        if id(value) in seen or isinstance(value, _NEVER_HOLD):
            continue
        seen[id(value)] = value
        if len(seen) > _MOST:
            return sought
        waiting += _inside(value)
    return sought & seen.keys()


def _inside(value: Any) -> Iterable[Any]:
    """Return what is in a value; of a function that is what it was made with."""
    is_code = isinstance(value, (FunctionType, type))
    if isinstance(value, Core) or (is_code and not is_users(value.__module__ or "__main__")):
        return ()
    if isinstance(value, MethodType):
        return (value.__self__, value.__func__)
    if isinstance(value, FunctionType):
        keys = (value.__kwdefaults__ or {}).values()
        cells = _contents_of(value.__closure__ or ())
        return (*(value.__defaults__ or ()), *keys, *vars(value).values(), *cells)
    if isinstance(value, type):
        return (*value.__bases__, *vars(value).values())
    return held_by(value)


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
