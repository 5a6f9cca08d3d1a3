"""Says which functions only keep, for others to look at, what they are told: ``log(loss)``.

What such a function writes into is reached by nobody else whom the program reaches. So its call may
be run as it is, without a derivative, if nobody asks what it returns.
"""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.expand.session import Session
from srcgrad.ir.reach import reached_functions, read_outside
from srcgrad.runtime.objects import held_by, is_plain_object

_HIDDEN: Final = frozenset({"setattr", "delattr", "globals", "vars", "__dict__", "exec", "eval"})
_STORED: Final = frozenset({"STORE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_NAME"})
_PLAIN: Final = (int, float, complex, str, bytes, np.generic, type(None), ModuleType)
_MEMORY: Final = (dict, list, set, deque, np.ndarray)
_MOST: Final = 20_000
"""Objects that are looked through: whoever reaches more may reach anything."""


def only_keeps(session: Session, function: FunctionType) -> bool:
    """Say whether a function writes into nothing that others read whom the program reaches."""
    if function not in session.keepers:
        session.keepers[function] = _only_keeps(session, function)
    return session.keepers[function]


def _only_keeps(session: Session, function: FunctionType) -> bool:
    if session.starts is None:
        return False
    given = list(session.arguments.values())
    kept_by, reached = reached_functions(function), reached_functions(session.starts, given)
    own, every = kept_by.functions, reached.functions
    if not kept_by.are_all or not reached.are_all or session.starts in own:
        return False
    others = [item for item in every if item not in own]
    if any(not _HIDDEN.isdisjoint(_names_in(item.__code__)) for item in own):
        return False
    asked = {name for item in others for name in _names_in(item.__code__)}
    stored = {name for item in own for name in _stored_in(item.__code__)}
    if not stored.isdisjoint(asked):
        return False
    cells = {id(cell) for item in others for cell in item.__closure__ or ()}
    bound = (cell for item in own for cell in _bound_cells(item))
    if any(id(cell) in cells for cell in bound):
        return False
    if _may_meet(_memory(own, []), _memory(others, given)):
        return False
    session.assume(KeepsApart(tuple(own), tuple(others)), True)
    return True


@dataclass(frozen=True, slots=True)
class KeepsApart:
    """Says whether functions write into what others do not reach now: names may be bound anew.

    Lists that they keep values in are not looked through: they may have grown long.
    """

    own: tuple[FunctionType, ...]
    others: tuple[FunctionType, ...]

    def __call__(self, arguments: Mapping[str, Any]) -> bool:
        """Look through what both reach outside, and the arguments."""
        kept = _memory(self.own, [], lists=False)
        return not _may_meet(kept, _memory(self.others, arguments.values()))


def _names_in(code: CodeType) -> Iterator[str]:
    for item in _codes(code):
        yield from (*item.co_names, *item.co_freevars)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _codes(item)


def _stored_in(code: CodeType) -> Iterator[str]:
    """Yield the names of a module, and of attributes, that a function binds."""
    for item in _codes(code):
        for step in dis.get_instructions(item):
            if step.opname in _STORED:
                yield str(step.argval)


def _bound_cells(function: FunctionType) -> Iterator[Any]:
    """Yield the variables around a function that it binds anew."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for item in _codes(function.__code__):
        for step in dis.get_instructions(item):
            if step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in cells:
                yield cells[step.argval]


def _memory(
    functions: Iterable[FunctionType], given: Iterable[Any], *, lists: bool = True
) -> dict[int, Any] | None:
    """Return the objects that can be changed and that functions reach, or None if they are many.

    What is in lists counts where `lists` says so.
    """
    waiting = [*given, *(value for _, value in read_outside(functions))]
    found: dict[int, Any] = {}
    while waiting:
        value = waiting.pop()
        if isinstance(value, _PLAIN) or id(value) in found:
            continue
        if len(found) > _MOST:
            return None
        parts = _parts_of(value)
        if not (parts or isinstance(value, _MEMORY) or is_plain_object(value)):
            continue
        found[id(value)] = value
        if lists or not isinstance(value, (list, deque)):
            waiting += parts
    return found


def _parts_of(value: Any) -> list[Any]:
    """Return what is in an object, and what memory an array lies in."""
    if isinstance(value, np.ndarray) and value.base is not None:
        return [value.base]
    if isinstance(value, FunctionType):
        return list(vars(value).values())
    parts = list(held_by(value))
    if isinstance(value, type):  # its methods are reached as functions
        return [item for item in parts if not callable(item)]
    return parts


def _may_meet(kept: dict[int, Any] | None, seen: dict[int, Any] | None) -> bool:
    """Say whether an object is, or shares memory with, one of others, or there are too many."""
    if kept is None or seen is None:
        return True
    fixed = (type, tuple, frozenset, FunctionType)
    if any(key in seen and not isinstance(value, fixed) for key, value in kept.items()):
        return True
    arrays = [item for item in seen.values() if isinstance(item, np.ndarray)]
    own = [item for item in kept.values() if isinstance(item, np.ndarray)]
    return any(np.may_share_memory(one, other) for one in own for other in arrays)
