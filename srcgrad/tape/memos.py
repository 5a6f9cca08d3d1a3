"""Refuses what a function has kept of another run, and finds by what a gradient is asked for.

A cache that a program fills itself outlives the call, with plain values: one that is found there
would be a constant. It is found by a key, or since what was kept of the argument equals it.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Mapping
from itertools import islice
from types import CodeType
from typing import Any, Final

import numpy as np

from srcgrad.errors import NotDifferentiableError
from srcgrad.tape.modes import STATE
from srcgrad.tape.refusing import refusal
from srcgrad.tape.texts import says
from srcgrad.tape.userspace import Reached, content_of

_STORES: Final = dis.opmap["STORE_SUBSCR"]
_BINDS_FIELD: Final = dis.opmap["STORE_ATTR"]
_BINDS_GLOBAL: Final = dis.opmap["STORE_GLOBAL"]
_BINDS_CELL: Final = dis.opmap["STORE_DEREF"]
_FILLING: Final = frozenset(("setdefault", "update", "__setitem__", "setitem"))
_FIXED: Final = (int, str, bytes, type(None), type)


class Memos:
    """The dicts that were there before a call, and how much was in them; what objects held."""

    def __init__(self, reached: Reached) -> None:
        self._reached = reached
        self._sizes = [(item, len(item)) for item in reached.holders if isinstance(item, dict)]
        bound = _Bound(reached)
        self._kept = [value for item in reached.holders for value in bound.kept_in(item)]
        self._kept += filter(_is_kept, bound.outside(reached))

    def refuse_found(self, identity: Callable[[int], int] = int) -> None:
        """Refuse the call if a value that varies has led to what an earlier one has kept.

        It was a key of a dict that such calls fill, or equal to what was bound before where they
        bind something: in objects, classes, lists and dicts, and outside of the function. For what
        is used in the call, `identity` tells the identity of what the caller has.

        Raises:
            NotDifferentiableError: It has.
        """
        near = set(map(identity, getattr(STATE.spoken, "near", ())))
        if any(id(kept) in near or _is_equal(kept) for kept in self._kept):
            raise refusal(
                NotDifferentiableError,
                "a value that a gradient is asked for equals what an earlier call has kept, "
                "so that what is kept beside may be a constant",
                "keep nothing from call to call, or forget it before",
            )
        if not STATE.spoken and not getattr(STATE.spoken, "hashes", None):
            return
        for known, size in self._sizes:
            if any(map(_is_met, islice(known.items(), size))) and self._is_filled(known):
                raise refusal(
                    NotDifferentiableError,
                    "a value that a gradient is asked for is the key of what an earlier call has "
                    "kept, which is a constant",
                    "keep it under `functools.lru_cache`, or empty the cache before",
                )

    def _is_filled(self, known: dict[Any, Any]) -> bool:
        names = self._reached.names_of(known)
        return not names or any(_fills(code, names) for code in self._reached.codes)


class _Bound:
    """What the code that a call reaches binds: entries, fields, names of modules and of cells."""

    def __init__(self, reached: Reached) -> None:
        self._fields: set[str] = set()
        self._names: set[str] = set()
        self._stores = self._binds_cells = False
        for code in reached.codes:
            opcodes = set(code.co_code[::2])
            self._stores = self._stores or _STORES in opcodes
            self._binds_cells = self._binds_cells or _BINDS_CELL in opcodes
            if not opcodes.isdisjoint((_BINDS_FIELD, _BINDS_GLOBAL)):
                for step in dis.get_instructions(code):
                    if step.opcode == _BINDS_FIELD:
                        self._fields.add(step.argval)
                    elif step.opcode == _BINDS_GLOBAL:
                        self._names.add(step.argval)

    def kept_in(self, holder: Any) -> list[Any]:
        """Return the arrays and floats in an object, list or dict into which code puts some."""
        if isinstance(holder, (list, dict)):
            values = (
                (holder.values() if isinstance(holder, dict) else holder) if self._stores else ()
            )
        else:
            fields = getattr(holder, "__dict__", {})
            values = [value for name, value in fields.items() if name in self._fields]
        return list(filter(_is_kept, values))

    def outside(self, reached: Reached) -> list[Any]:
        """Return what names outside hold that code binds: of classes, modules and functions."""
        spaces: list[tuple[Mapping[str, Any], set[str]]]
        spaces = [(vars(kind), self._fields) for kind in reached.classes]
        spaces += [(space, self._names) for space, _ in reached.namespaces.values()]
        values = [space[name] for space, bound in spaces for name in bound if name in space]
        cells = reached.cells if self._binds_cells else []
        return [*values, *map(content_of, cells)]


def _is_kept(value: Any) -> bool:
    return isinstance(value, (float, np.ndarray))


def _is_same(one: Any, other: Any) -> bool:
    arrays = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    return one is other or (arrays and one.size > 0 and bool(np.array_equal(one, other)))


def _is_equal(kept: Any) -> bool:
    """Say whether a value that varies was found to equal what is kept."""
    return any(_is_same(value, kept) for value in getattr(STATE.spoken, "equals", ()))


def _is_met(entry: tuple[Any, Any]) -> bool:
    key, value = entry
    return not isinstance(value, _FIXED) and not callable(value) and _is_said(key)


def _is_said(key: Any) -> bool:
    if isinstance(key, str):
        return says(key)
    if isinstance(key, (tuple, frozenset)):
        return any(map(_is_said, key))
    return key is not None and hash(key) in STATE.spoken.hashes


def _fills(code: CodeType, names: set[str]) -> bool:
    """Say whether code that names a dict stores by key."""
    stores = _STORES in code.co_code[::2] or not _FILLING.isdisjoint(code.co_names)
    return stores and not names.isdisjoint(code.co_names)
