"""Lets generated code run one call on the tape, where a function has neither a rule nor source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.errors import InternalError

Runner = Callable[..., tuple[Any, Callable[..., Any]]]

_engines: list[Runner] = []


def set_engine(runner: Runner) -> None:
    """Say who runs calls on the tape; the tape does so when it is imported."""
    _engines[:] = [runner]


def on_tape(
    function: Callable[..., Any], active: tuple[bool, ...], *args: Any, **kwargs: Any
) -> tuple[Any, Callable[..., Any]]:
    """Return the value of a call and its pullback.

    `active` says which positional arguments need a gradient. The pullback takes the adjoint of the
    value and returns those of the active arguments: alone if there is one, else as a tuple.
    """
    if not _engines:
        raise InternalError("no tape is there to run a call on")
    return _engines[0](function, active, *args, **kwargs)
