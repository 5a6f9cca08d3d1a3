"""Refuses what a function has kept of another run under a key made of what a gradient is asked for.

A cache that a program fills itself outlives the call, with plain values: one that is found there
would be a constant.
"""

from __future__ import annotations

import dis
from itertools import islice
from types import CodeType
from typing import Any, Final

from srcgrad.errors import NotDifferentiableError
from srcgrad.tape.modes import STATE
from srcgrad.tape.refusing import refusal
from srcgrad.tape.texts import says
from srcgrad.tape.userspace import Reached

_STORES: Final = dis.opmap["STORE_SUBSCR"]
_FILLING: Final = frozenset(("setdefault", "update", "__setitem__", "setitem"))
_FIXED: Final = (int, str, bytes, type(None), type)


class Memos:
    """The dicts that were there before a call, and how much was in them."""

    def __init__(self, reached: Reached) -> None:
        self._reached = reached
        self._sizes = [(item, len(item)) for item in reached.holders if isinstance(item, dict)]

    def refuse_found(self) -> None:
        """Refuse the call if a key of a value that varies was in a dict that such calls fill.

        Raises:
            NotDifferentiableError: It was.
        """
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
