"""Asks functions what they give for any arrays, where they look at nothing but the kinds of those.

``get_backend(x, y)`` returns an object by what `isinstance` says of its arguments. It is asked with
stand-ins that tell their kind and nothing else. An answer counts if it is the same for all kinds
that it is given for, and if nothing was changed, reported or drawn on the way.
"""

from __future__ import annotations

import builtins
import itertools
import opcode
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, BuiltinMethodType, CodeType, FrameType
from typing import Any, Final

import numpy as np

from srcgrad.frontend.expand.token import Token, look
from srcgrad.ir.scopes import MISSING
from srcgrad.runtime.objects import is_plain_object

KINDS: Final = (np.ndarray, np.float64, float, int, list, tuple)
"""What a value of the run may be, beside None."""
_MOST: Final = 3000
_STORING: Final = frozenset(
    (
        *("STORE_ATTR", "STORE_GLOBAL", "STORE_SUBSCR", "STORE_SLICE"),
        *("DELETE_ATTR", "DELETE_GLOBAL", "DELETE_SUBSCR"),
    )
)
_ONCE: Final = (print, input, open, next, iter, id, hash, exec, eval, globals, locals, setattr)
_CONTAINERS: Final = (list, dict, set)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function gives, the lists and objects outside that tell it, and what ran for it."""

    value: Any
    containers: list[Any]
    codes: Collection[CodeType]


def answer_for(function: Callable[..., Any], ways: Sequence[Sequence[Any] | None]) -> Answer | None:
    """Return what a function gives for whatever is in the place of what is not known.

    `ways` are the values of its arguments that are known, and None for the others. None is returned
    where it looks at more than kinds, or gives nothing, or one thing or another.

    >>> def library(x):
    ...     if isinstance(x, np.ndarray):
    ...         return np
    ...     raise TypeError
    >>> answer_for(library, [None]).value is np
    True
    >>> answer_for(lambda x: np if len(x) > 3 else None, [None]) is None
    True
    >>> answer_for(lambda x: np if type(x) is np.ndarray else len, [None]) is None
    True
    """
    count = 1
    for way in ways:
        count *= len(KINDS) + 1 if way is None else len(way)
    if count > _MOST:
        return None
    each = [[*KINDS, None] if way is None else list(way) for way in ways]
    known = [way is not None for way in ways]
    answers = []
    for kinds in itertools.product(*each):
        answer = _answered(_run, function, kinds, known)
        if answer is None:
            return None
        if answer is not MISSING:
            answers.append((answer, kinds))
    watcher = _Watcher()  # what the function remembers is made by now
    for answer, kinds in answers:
        again = _answered(watcher.run, function, kinds, known)
        if not (again is answer is answers[0][0]) or watcher.saw:
            return None
    return Answer(answers[0][0], watcher.containers(), watcher.codes) if answers else None


def stand_in(kind: type) -> Any:
    """Return what stands for any value of a kind, of which nothing else is known."""
    return _STAND_INS[kind]()


def _answered(run: Any, function: Any, kinds: Sequence[Any], known: Sequence[bool]) -> Any:
    """Return what a function gives for values of some kinds; None where it looks at them.

    MISSING is returned where it raises, as it does in the run.
    """
    pairs = zip(kinds, known, strict=True)
    given = [kind if told or kind is None else stand_in(kind) for kind, told in pairs]
    try:
        answer = run(function, given)
    except Exception:  # noqa: BLE001 - whatever it is
        answer = MISSING
    looked = (item for item in given if isinstance(item, Token))
    seen = any(object.__getattribute__(item, "looked_at") for item in looked)
    return None if seen and answer is not MISSING else answer


def _run(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    return function(*given)


class _Watcher:
    """Watches what a function does: which instructions run, and which functions in C.

    Attributes:
        saw: Whether it did something else than to ask for kinds.
        codes: What ran.
    """

    def __init__(self) -> None:
        self.saw = False
        self._held: dict[int, tuple[Any, Any]] = {}
        self.codes: dict[CodeType, bytes] = {}

    def containers(self) -> list[Any]:
        """Return the lists, dicts and objects outside of what ran."""
        return [held for held, _ in self._held.values()]

    def run(self, function: Callable[..., Any], given: Sequence[Any]) -> Any:
        """Call a function, and watch what it does."""
        before = sys.gettrace(), sys.getprofile()
        sys.setprofile(self._called)
        sys.settrace(self._traced)
        try:
            return function(*given)
        finally:
            sys.settrace(before[0])
            sys.setprofile(before[1])
            for held, contents in self._held.values():
                self.saw |= _contents(held) != contents

    def _called(self, frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and frame.f_code is not _Watcher.run.__code__:
            self.saw |= not _is_harmless(function)

    def _hold(self, value: Any) -> None:
        """Note what is in a container or an object that was there before."""
        if type(value) in _CONTAINERS or is_plain_object(value):
            self._held.setdefault(id(value), (value, _contents(value)))

    def _traced(self, frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        code = frame.f_code
        self.codes.setdefault(code, code.co_code)
        for name in code.co_names:
            self._hold(frame.f_globals.get(name))
        for value in frame.f_locals.values():
            if not isinstance(value, Token):
                for own in (value, type(value)):
                    for item in list(getattr(own, "__dict__", {}).values()):
                        self._hold(item)
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, _: Any) -> Any:
        if event != "opcode":
            return self._stepped
        code, place = frame.f_code, frame.f_lasti
        name = opcode.opname[self.codes[code][place]]
        if (name in _STORING and not _makes(frame)) or (name == "STORE_DEREF" and code.co_freevars):
            self.saw = True
        elif name == "IS_OP":
            self.saw |= not _asks_for_none(self.codes[code], place, code)
        elif name in ("LOAD_GLOBAL", "LOAD_NAME"):
            self.saw |= _asks_for_type(self.codes[code], place, code, frame.f_globals)
        return self._stepped


def _makes(frame: FrameType) -> bool:
    """Say whether what runs is a constructor, which sets fields of what it makes."""
    return frame.f_code.co_name == "__init__"


def _asks_for_none(code: bytes, place: int, holder: CodeType) -> bool:
    before = place - 2
    loads = before >= 0 and opcode.opname[code[before]] in ("LOAD_CONST", "LOAD_COMMON_CONSTANT")
    return loads and holder.co_consts[code[before + 1]] is None


def _asks_for_type(code: bytes, place: int, holder: CodeType, names: dict[str, Any]) -> bool:
    """Say whether the name that is read may be that of `type`, which stand-ins cannot deceive."""
    index = code[place + 1]
    if opcode.opname[code[place]] == "LOAD_GLOBAL" and sys.version_info >= (3, 11):
        index >>= 1
    if place >= 2 and opcode.opname[code[place - 2]] == "EXTENDED_ARG":
        return True
    name = holder.co_names[index]
    return names.get(name, getattr(builtins, name, None)) is type


def _is_harmless(function: Any) -> bool:
    """Say whether a function in C is one of Python's own that does nothing for others to see."""
    if not isinstance(function, (BuiltinFunctionType, BuiltinMethodType)):
        return True  # a method of a type
    if any(function is item for item in _ONCE):
        return False
    if function.__module__ is not None:
        return function.__module__ == "builtins"
    return type(function.__self__).__module__ == "builtins"  # a method of a list, a text or such


def _contents(held: Any) -> Any:
    if type(held) in (list, set):
        return list(map(id, held))
    items = held if type(held) is dict else getattr(held, "__dict__", {})
    return {key: id(value) for key, value in items.items()}


def _of_kind(kind: type) -> type:

    def told(value: Any, name: str) -> Any:
        return kind if name == "__class__" else look(value)

    own = {"__slots__": (), "__class__": property(lambda _: kind), "__getattribute__": told}
    return type(f"Any{kind.__name__.title()}", (Token,), own)


_STAND_INS: Final = {kind: _of_kind(kind) for kind in KINDS}
