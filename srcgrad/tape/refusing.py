"""Refuses plain code on the tape: at the user's line, and so that no `except` can swallow it."""

from __future__ import annotations

import linecache
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from srcgrad.errors import NotDifferentiableError, SrcgradError
from srcgrad.spans import Span
from srcgrad.tape.modes import STATE

AnyRefusal = TypeVar("AnyRefusal", bound=SrcgradError)

_WANTS_ARRAY = re.compile(r"doesn't apply to a 'Tensor'|required, not '?Tensor\b")
_OWN = (str(Path(__file__).parent.parent), str(Path(np.__file__).parent), "<__array_function__")


def refusal(kind: type[AnyRefusal], message: str, hint: str = "") -> AnyRefusal:
    """Return an error to be raised; in strict mode it names the user's line and is noted.

    What is noted is raised again when the call ends, should the user's own `except` catch it.
    """
    if STATE.refusals is None:
        return kind(message, hint=hint)
    error = kind(message, hint=hint, span=user_span())
    STATE.refusals.append(error)
    return error


def detaching(value: Any, what: str) -> NotDifferentiableError:
    """Return the error for plain code that would lose the derivative of `value`."""
    return refusal(
        NotDifferentiableError,
        f"{what} of a value that a gradient is asked for would cut it off from its gradient",
        "keep it an array expression: np. functions in place of other libraries', and for arrays "
        "that it is written into np.zeros_like(x) or a copy of x; or srcgrad.stop_gradient if it "
        "is meant to be a constant",
    )


def not_taken(error: TypeError) -> NotDifferentiableError | None:
    """Return the refusal for what wants an array itself and says so of a tensor; else None.

    Such are ``memoryview(t)`` and ``np.ndarray.reshape(t, n)``, which ask no tensor.
    """
    if not _WANTS_ARRAY.search(str(error)):
        return None
    found = error.__traceback__
    while found is not None and found.tb_next is not None:
        found = found.tb_next
    return NotDifferentiableError(
        f"what takes nothing but an array cannot follow its derivative: {error}",
        hint="call the method of the value, or the function of NumPy: `x.reshape(n)`",
        span=None if found is None else _span(found.tb_frame, found.tb_lineno, found.tb_lasti),
    )


def user_frame() -> FrameType | None:
    """Return the innermost running frame that is neither ours nor NumPy's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def user_span() -> Span | None:
    """Return where in the user's file the running call stands."""
    frame = user_frame()
    return None if frame is None else _span(frame, frame.f_lineno, frame.f_lasti)


def _span(frame: FrameType, line: int, last: int) -> Span:
    """Return where an instruction of a frame, in that line, stands in the file."""
    code = frame.f_code
    text = linecache.getline(code.co_filename, line, frame.f_globals).rstrip("\n")
    places = list(code.co_positions())
    at = places[last // 2] if last >= 0 else (line, line, None, None)
    start, end = (at[2], at[3]) if at[0] == line else (None, None)
    if start is None:
        start, end = len(text) - len(text.lstrip()), None
    return Span(code.co_filename, line, start, end if at[1] == line else None, text)
