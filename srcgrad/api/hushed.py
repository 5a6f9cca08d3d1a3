"""Keeps NumPy's floating-point warnings to those that the user's function alone would give.

A text mixes the two ways, and slopes may be infinite where values are not: `sqrt` at 0. So texts
run while NumPy notes such events without a word. Where it has noted any, which is rare, the
function itself is run once more, without effect, and what it warns of is told.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar, Token, copy_context
from threading import get_ident
from typing import Any, Final, TypeVar

import numpy as np

from srcgrad.api.structures import copied
from srcgrad.api.surroundings import Surroundings
from srcgrad.api.underlying import called

Found = TypeVar("Found")

_KINDS: Final = {
    "divide by zero": "divide",
    "overflow": "over",
    "underflow": "under",
    "invalid value": "invalid",
}
_MESSAGE: Final = re.compile(f"({'|'.join(_KINDS)}) encountered in ")
HEARD: Final[dict[int, set[str]]] = {}
"""What was noted, by thread, until it is told."""


def _hear(kind: str, _flag: int) -> None:
    HEARD.setdefault(get_ident(), set()).add(kind)


def _find_variable() -> ContextVar[Any] | None:
    """Return where NumPy keeps what to do at such events: setting that takes a tenth of `errstate`.

    None if this NumPy keeps it elsewhere.
    """
    with np.errstate(all="ignore"):
        there = copy_context()
    with np.errstate(all="ignore"):
        then = copy_context()
    changed = [item for item in then if there.get(item) is not then[item]]
    return changed[0] if len(changed) == 1 else None


_VARIABLE: Final = _find_variable()
_QUIET: Final[dict[frozenset[str], Any]] = {}
"""What notes some kinds and ignores the others."""
_LIKE: Final[dict[int, tuple[Any, Any]]] = {}
"""What was found for settings of the user's, by identity, with those, which so stay alive."""
_MOST: Final = 64


def hush() -> Token[Any] | None:
    """Have events noted from now on; None if they are already, or nobody wants to know of any."""
    if _VARIABLE is None:
        return None
    if HEARD:
        _forget_others()
    now = _VARIABLE.get()
    known = _LIKE.get(id(now))
    quiet = _quiet_for(now) if known is None else known[1]
    return None if quiet is None else _VARIABLE.set(quiet)


def restore(token: Token[Any] | None) -> None:
    """Undo what `hush` did."""
    if token is not None:
        assert _VARIABLE is not None
        _VARIABLE.reset(token)


def _forget_others() -> None:
    """Forget what was noted by a text that then raised, unless that is still running."""
    assert _VARIABLE is not None
    if not any(_VARIABLE.get() is quiet for quiet in list(_QUIET.values())):
        HEARD.pop(get_ident(), None)


def _quiet_for(now: Any) -> Any:
    """Return what to set in the place of some settings; None if those may stay."""
    assert _VARIABLE is not None
    if any(now is quiet for quiet in list(_QUIET.values())):
        return None
    told = frozenset(kind for kind, mode in np.geterr().items() if mode != "ignore")
    quiet = _QUIET.get(told)
    if told and quiet is None:
        modes: dict[str, Any] = {k: "call" if k in told else "ignore" for k in _KINDS.values()}
        with np.errstate(**modes, call=_hear):
            quiet = _QUIET.setdefault(told, _VARIABLE.get())
    if len(_LIKE) >= _MOST:
        _LIKE.clear()
    _LIKE[id(now)] = now, quiet
    return quiet


def quietly(
    run: Callable[[], Found],
    primal: Callable[..., Any],
    arguments: Callable[[], Mapping[str, Any]],
) -> Found:
    """Return what `run` returns, and warn only of what a function itself would.

    `arguments` gives its arguments, which `run` must leave as they are.
    """
    token = hush()
    if token is None:
        return run()
    try:
        result = run()
    finally:
        restore(token)
    if HEARD:
        tell(primal, arguments())
    return result


def tell(primal: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Give the warnings of a function, if this thread has noted anything while its text ran."""
    heard = HEARD.pop(get_ident(), None)
    if not heard:
        return
    modes: Mapping[str, Any] = {**np.geterr()}
    for found in _own_warnings(primal, arguments, modes):
        kind = _MESSAGE.match(str(found.message))
        if kind is not None:
            _give(found, kind[1], modes[_KINDS[kind[1]]])


def _own_warnings(
    primal: Callable[..., Any], arguments: Mapping[str, Any], modes: Mapping[str, Any]
) -> list[warnings.WarningMessage]:
    told: dict[str, Any] = {
        k: "ignore" if mode == "ignore" else "warn" for k, mode in modes.items()
    }
    found: list[warnings.WarningMessage] = []
    with contextlib.suppress(Exception):
        given, around = copied(arguments), Surroundings(primal)
        with around.kept(), np.errstate(**told), _recorded(found):
            called(primal, given)
    return found


@contextlib.contextmanager
def _recorded(found: list[warnings.WarningMessage]) -> Iterator[None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            found += caught


_REGISTRIES: Final[dict[str, dict[Any, Any]]] = {}


def _give(found: warnings.WarningMessage, kind: str, mode: str) -> None:
    """Do at an event of the function's own what NumPy would have done there."""
    message = str(found.message)
    if mode == "raise":
        raise FloatingPointError(message)
    if mode == "call":
        np.geterrcall()(kind, 0)  # type: ignore[operator, misc]
    elif mode == "log":
        np.geterrcall().write(f"Warning: {message}\n")  # type: ignore[union-attr]
    elif mode == "print":
        print(f"Warning: {message}")  # noqa: T201 - as NumPy does
    else:
        registry = _REGISTRIES.setdefault(found.filename, {})
        place = found.filename, found.lineno
        warnings.warn_explicit(found.message, found.category, *place, registry=registry)
