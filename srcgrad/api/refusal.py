"""Warns, at the caller's line, that the tape takes over."""

from __future__ import annotations

import linecache
import sys
import warnings
from types import FunctionType
from typing import Any, Final

from srcgrad.api.selection import innermost
from srcgrad.errors import (
    CompileWarning,
    FallbackWarning,
    MutationError,
    UnsupportedError,
    UnsupportedSyntaxError,
    VerificationWarning,
)
from srcgrad.runtime.long_loops import checkpointed
from srcgrad.spans import Span, printable

_RECORDED: Final = (
    "note: the tape records every trip of its checkpointed loop\n"
    "hint: put the trip into a function with @srcgrad.checkpoint, which keeps its arguments alone"
)


def describe(thing: Any) -> str:
    """Return the name of a function, or the type of anything else."""
    return getattr(thing, "__qualname__", None) or type(thing).__qualname__


def warn_of(refusal: UnsupportedError, primal: Any) -> None:
    """Warn at the line of the caller outside of this package."""
    message = f"`{describe(primal)}` is differentiated on the tape, not by source:\n{refusal}"
    if _has_long_loop(innermost(primal), set()):
        message += f"\n{_RECORDED}"
    _warn(message, FallbackWarning)


def warn_unverified(kind: str, primal: Any, why: str) -> None:
    """Warn at the line of the caller that a derivative was not compared with anything."""
    _warn(f"the {kind} of `{describe(primal)}` is not verified: {why}", VerificationWarning)


def warn_uncompiled(refusal: UnsupportedError, primal: Any) -> None:
    """Warn at the line of the caller that NumPy runs a derivative that Numba was to run."""
    _warn(f"the derivative of `{describe(primal)}` is run by NumPy:\n{refusal}", CompileWarning)


def warn_unbatched(refusal: UnsupportedError, primal: Any) -> None:
    """Warn at the line of the caller that a function is called for each example."""
    _warn(f"`{describe(primal)}` is called for each example:\n{refusal}", FallbackWarning)


def _warn(message: str, category: type[Warning]) -> None:
    depth = 2
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to the caller's line
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("srcgrad."):
        frame = frame.f_back
        depth += 1
    warnings.warn(printable(message), category, stacklevel=depth)


def _has_long_loop(function: Any, seen: set[Any]) -> bool:
    """Say whether a function, or one that it calls by a global name, has a checkpointed loop."""
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType) or function in seen:
        return False
    seen.add(function)
    names = function.__code__.co_names
    found = list(map(function.__globals__.get, names))
    if "checkpointed" in names:
        found += [getattr(item, "checkpointed", None) for item in found]
    return any(item is checkpointed for item in found) or any(
        _has_long_loop(item, seen) for item in found
    )


def lists_joined(function: Any) -> UnsupportedSyntaxError:
    """Return the refusal of list arguments that the function may join or repeat."""
    code = function.__code__
    line = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n")
    return UnsupportedSyntaxError(
        f"`{code.co_name}` joins, repeats or updates what is a list in this call",
        span=Span(code.co_filename, code.co_firstlineno, text=line),
        hint="pass an array, or make one of it: `x = np.asarray(x)`",
    )


def update_of_array(name: str, function: Any) -> MutationError:
    """Say that the function does ``x += v`` to what turns out to be an array of the caller's."""
    code = function.__code__
    line = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n")
    return MutationError(
        f"`{code.co_name}` updates in place what it shares with its argument `{name}`, an array",
        span=Span(code.co_filename, code.co_firstlineno, text=line),
        hint=f"work on a copy: `{name} = {name}.copy()`, or write `y = y + v` for `y += v`",
    )


def twice_complex(function: Any) -> UnsupportedError:
    """Return the refusal of the derivative of a derivative at complex numbers by one text."""
    return UnsupportedError(
        f"the gradient of the gradient of `{describe(function)}` at complex arguments",
        hint="take the inner gradient in a function of your own, and a real number of it",
    )


def ran_on_tape(function: Any, refusal: UnsupportedError) -> UnsupportedError:
    """Return the refusal of the text of a derivative whose last call was not by source."""
    return UnsupportedError(
        f"the last call of the derivative of `{describe(function)}` ran on the tape, which no text "
        f"shows, because of this:\n{refusal}",
        hint="for the text of other calls, read it before this one or after one of them",
    )
