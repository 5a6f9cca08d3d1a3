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
from types import BuiltinFunctionType, BuiltinMethodType, CodeType, FrameType, FunctionType
from typing import Any, Final, NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from srcgrad.frontend.expand.token import Token, look
from srcgrad.ir.scopes import MISSING
from srcgrad.primitives.methods import WRITING
from srcgrad.runtime.objects import is_plain_object


class Anything:
    """Stands for the class of an object of the user's."""


KINDS: Final = (
    *(np.ndarray, np.float64, float, int, bool, complex, str, list, tuple, dict, FunctionType),
    Anything,
)
"""What a value of the run may be, beside None."""
_MOST: Final = 2500
_STORING: Final = frozenset(
    (
        *("STORE_ATTR", "STORE_GLOBAL", "STORE_SUBSCR", "STORE_SLICE"),
        *("DELETE_ATTR", "DELETE_GLOBAL", "DELETE_SUBSCR"),
    )
)
_ONCE: Final = (print, input, open, next, iter, id, hash, exec, eval, globals, locals, setattr)
_CONTAINERS: Final = (list, dict, set)
_MOST_STEPS: Final = 100_000
"""So many instructions may be run for all kinds of arguments together: a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function gives, the lists and objects outside that tell it, and what ran for it."""

    value: Any
    containers: list[Any]
    codes: Collection[CodeType]


def answer_for(
    function: Callable[..., Any],
    ways: Sequence[Sequence[Any] | None],
) -> Answer | None:
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
    answering = _ANSWERING.setdefault(function, {})
    key = tuple(map(id, itertools.chain([len(each)], *each)))
    watcher = _Watcher()
    try:
        if key not in answering:
            answering[key] = [], each
            first = _Watcher()
            for kinds in itertools.product(*each):
                if first.answer(function, _stand_ins(kinds, known)) is not MISSING:
                    answering[key][0].append(kinds)
        answers = [watcher.answer(function, _stand_ins(k, known)) for k in answering[key][0]]
    except SeenError:
        answering[key] = [], each
        return None
    if not answers or not all(answer is answers[0] for answer in answers):
        return None
    return Answer(answers[0], watcher.containers(), watcher.codes)


def stand_in(kind: type) -> Any:
    """Return what stands for any value of a kind, of which nothing else is known."""
    return _STAND_INS[kind]()


def _stand_ins(kinds: Sequence[Any], known: Sequence[bool]) -> list[Any]:
    pairs = zip(kinds, known, strict=True)
    return [kind if told or kind is None else stand_in(kind) for kind, told in pairs]


class SeenError(BaseException):
    """A function is about to do more than to ask for kinds; not an Exception, so it gets out."""


class _Watcher:
    """Watches what a function does, and stops it before it changes anything.

    Attributes:
        codes: What ran.
    """

    def __init__(self) -> None:
        self.codes: dict[CodeType, bytes] = {}
        self._held: dict[int, Any] = {}
        self._met: dict[int, Any] = {}
        self._doubts = self._stopped = False
        self._steps = 0

    def containers(self) -> list[Any]:
        """Return the lists, dicts and objects outside of what ran."""
        return list(self._held.values())

    def answer(self, function: Callable[..., Any], given: Sequence[Any]) -> Any:
        """Return what a function gives; MISSING where it raises, as it does in the run.

        Raises:
            SeenError: It does more than to ask what kind its arguments are of.
        """
        self._doubts = False
        try:
            answer = self._run(function, given)
        except Exception:  # noqa: BLE001 - whatever it is
            answer = MISSING
        tokens = [item for item in given if isinstance(item, Token)]
        looked = any(object.__getattribute__(item, "looked_at") for item in tokens)
        doubts = answer is not MISSING and (self._doubts or answer is None)
        if looked or self._stopped or doubts:  # what is raised upon a look, the run may not raise
            raise SeenError("it hangs on more than kinds")
        return answer

    def _run(self, function: Callable[..., Any], given: Sequence[Any]) -> Any:
        before = sys.gettrace(), sys.getprofile()
        sys.setprofile(self._called)
        sys.settrace(self._traced)
        try:
            return function(*given)
        finally:
            sys.settrace(before[0])
            sys.setprofile(before[1])

    def _stop(self) -> NoReturn:
        self._stopped = True
        raise SeenError("it does more than to ask for kinds")

    def _called(self, frame: FrameType, event: str, function: Any) -> None:
        if event != "c_call" or frame.f_code is _Watcher._run.__code__:
            return
        owner = getattr(function, "__self__", None)
        held = id(owner) in self._held and function.__name__ in WRITING
        if held or not _is_harmless(function):
            self._stop()

    def _hold(self, value: Any) -> None:
        """Note a container or an object that was there before."""
        if type(value) in _CONTAINERS or is_plain_object(value):
            self._held.setdefault(id(value), value)

    def _traced(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename.startswith("<frozen "):
            return None  # what `isinstance` runs
        if code not in self.codes:
            self.codes[code] = code.co_code
            for name in code.co_names:
                self._hold(frame.f_globals.get(name))
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        for value in frame.f_locals.values():
            if not isinstance(value, Token) and id(value) not in self._met:
                self._met[id(value)] = value
                for own in (value, type(value)):
                    for item in list(getattr(own, "__dict__", {}).values()):
                        self._hold(item)
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, _: Any) -> Any:
        if event != "opcode":
            return self._stepped
        self._steps += 1
        if self._steps > _MOST_STEPS:  # it is no mere question, as where it imports a library
            self._stop()
        code, place = frame.f_code, frame.f_lasti
        name = opcode.opname[self.codes[code][place]]
        if name in _STORING and not self._may_store(name, code):
            self._stop()
        if name == "STORE_DEREF" and code.co_freevars:
            self._stop()
        if name == "IS_OP":
            self._doubts |= not _asks_for_none(self.codes[code], place, code)
        elif name in ("LOAD_GLOBAL", "LOAD_NAME"):
            self._doubts |= _asks_for_type(self.codes[code], place, code, frame.f_globals)
        return self._stepped

    def _may_store(self, name: str, code: CodeType) -> bool:
        """Say whether what runs is a constructor, which sets fields."""
        return name == "STORE_ATTR" and code.co_name == "__init__"


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
    module: str | None = function.__module__
    if module is not None:
        return module in ("builtins", "_abc")  # which `isinstance` asks, too
    return type(function.__self__).__module__ == "builtins"  # a method of a list, a text or such


def _of_kind(kind: type) -> type:

    def told(value: Any, name: str) -> Any:
        return kind if name == "__class__" else look(value)

    own = {"__slots__": (), "__class__": property(lambda _: kind), "__getattribute__": told}
    return type(f"Any{kind.__name__.title()}", (Token,), own)


_ANSWERING: Final[WeakKeyDictionary[Any, dict[Any, Any]]] = WeakKeyDictionary()
"""For functions that were asked: the kinds of arguments for which they give something."""
_STAND_INS: Final[dict[Any, type]] = {kind: _of_kind(kind) for kind in KINDS}
