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
_FILLING: Final = frozenset(("setdefault", "update", "__setitem__", "setitem"))
_FIXED: Final = (int, str, bytes, type(None), type)


class Memos:
    """The dicts that were there before a call, and how much was in them; what objects held."""

    def __init__(self, reached: Reached) -> None:
        self._reached = reached
        self._sizes = [(item, len(item)) for item in reached.holders if isinstance(item, dict)]
        self._kept = [value for item in reached.holders for value in _values_kept(item, reached)]
        self._kept += filter(_is_kept, _bound_outside(reached))

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


def _values_kept(holder: Any, reached: Reached) -> list[Any]:
    """Return the arrays and floats in an object, list or dict into which code puts some."""
    if isinstance(holder, (list, dict)):
        values = list(holder.values() if isinstance(holder, dict) else holder)
        filled = any(_STORES in code.co_code[::2] for code in reached.codes)
    else:
        fields, stored = getattr(holder, "__dict__", {}), _stored_by(reached, "STORE_ATTR")
        values = [value for name, value in fields.items() if name in stored]
        filled = bool(values)
    return list(filter(_is_kept, values)) if filled else []


def _bound_outside(reached: Reached) -> list[Any]:
    """Return what names outside hold that code binds: of classes, of modules and of functions."""
    fields, names = _stored_by(reached, "STORE_ATTR"), _stored_by(reached, "STORE_GLOBAL")
    spaces: list[tuple[Mapping[str, Any], set[str]]]
    spaces = [(vars(kind), fields) for kind in reached.classes]
    spaces += [(space, names) for space, _ in reached.namespaces.values()]
    values = [space[name] for space, bound in spaces for name in bound if name in space]
    cells = reached.cells if _stored_by(reached, "STORE_DEREF") else []
    return [*values, *map(content_of, cells)]


def _stored_by(reached: Reached, how: str) -> set[str]:
    opcode = dis.opmap[how]
    codes = [code for code in reached.codes if opcode in code.co_code[::2]]
    steps = [step for code in codes for step in dis.get_instructions(code)]
    return {step.argval for step in steps if step.opcode == opcode}


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
