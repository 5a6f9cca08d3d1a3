"""Refuses plain code on the tape: at the user's line, and so that no `except` can swallow it."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from srcgrad.errors import Diagnostic, NotDifferentiableError, SrcgradError
from srcgrad.spans import Span, is_of_library, letters, within
from srcgrad.tape.modes import STATE

AnyRefusal = TypeVar("AnyRefusal", bound=SrcgradError)

_WANTS_ARRAY = re.compile(
    r"doesn't apply to a 'Tensor'|required, not '?Tensor\b|is not JSON serializable"
    r"|requires a 'numpy.ndarray' object but received a '\w+'"
    r"|conversion from (PythonFloat|Tensor) to Decimal"
)
_OWN = (str(Path(__file__).parent.parent), str(Path(np.__file__).parent), "<__array_function__")
_Place = tuple[FrameType, int, int]


def refusal(kind: type[AnyRefusal], message: str, hint: str = "") -> AnyRefusal:
    """Return an error to be raised; in strict mode it names the user's line and is noted.

    What is noted is raised again when the call ends, should the user's own `except` catch it.
    """
    if STATE.refusals is None:
        return kind(message, hint=hint)
    error = kind(diagnostics=[_placed(kind, message, hint, list(_running()))])
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
    message = f"what takes nothing but an array cannot follow its derivative: {error}"
    hint = "call the method of the value, or the function of NumPy: `x.reshape(n)`"
    return _where_raised(error, message, hint)


def raised_alone(error: Exception) -> NotDifferentiableError:
    """Return the refusal for what the tape raises and the function that runs on it does not."""
    what = str(error).partition("\n")[0]
    message = f"the tape alone raises {type(error).__name__} here: {what}"
    hint = "give NumPy an array, not a list of numbers: np.array([...]); or report the function"
    return _where_raised(error, message, hint)


def _where_raised(error: Exception, message: str, hint: str) -> NotDifferentiableError:
    """Return the refusal at the user's line that an error comes from."""
    passed: list[_Place] = []
    found = error.__traceback__
    while found is not None:
        passed.insert(0, (found.tb_frame, found.tb_lineno, found.tb_lasti))
        found = found.tb_next
    kind = NotDifferentiableError
    return kind(diagnostics=[_placed(kind, message, hint, passed)])


def _placed(kind: type[SrcgradError], message: str, hint: str, places: list[_Place]) -> Diagnostic:
    """Return what is refused at the innermost of some places that is in a file of the user's.

    Code of a library that lies further inside is named in a line of its own.
    """
    inner = _span(*places[0]) if places else None
    own = next((item for item in places if not is_of_library(item[0].f_code.co_filename)), None)
    span = inner if own is None else _span(*own)
    if span == inner or inner is None:
        return Diagnostic(kind.code, message, span, hint)
    return Diagnostic(kind.code, message, span, hint, (within(inner),))


def _running() -> Iterator[_Place]:
    """Yield the places of the running frames from that of the user, or a library's, outwards."""
    frame = user_frame()
    while frame is not None:
        yield frame, frame.f_lineno, frame.f_lasti
        frame = frame.f_back


def user_frame() -> FrameType | None:
    """Return the innermost running frame that is neither ours nor NumPy's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def user_span() -> Span | None:
    """Return where in the user's file the running call stands."""
    places = list(_running())
    return _placed(SrcgradError, "", "", places).span


def _span(frame: FrameType, line: int, last: int) -> Span:
    """Return where an instruction of a frame, in that line, stands in the file."""
    code = frame.f_code
    text = linecache.getline(code.co_filename, line, frame.f_globals).rstrip("\n")
    _, ends, start, end = list(code.co_positions())[last // 2]
    if start is None or end is None:  # where Python is told to keep none
        return Span(code.co_filename, line, len(text) - len(text.lstrip()), None, text)
    until = letters(text, end) if ends == line else None
    return Span(code.co_filename, line, letters(text, start), until, text)
