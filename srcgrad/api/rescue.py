"""Asks the tape where the backward half of a text raises what the function itself does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from srcgrad.api.blame import Asked, own_error
from srcgrad.api.whole import refusal_of
from srcgrad.codegen.tracebacks import annotate, failed_going_back
from srcgrad.errors import LibraryGapError, NotProvenError, SrcgradError, UnsupportedError
from srcgrad.tape import in_another_call

Found = TypeVar("Found")


def instead_of(
    error: Exception,
    again: Callable[[], Found],
    fall_back: Callable[[UnsupportedError], None],
    *,
    now: bool,
    subject: Asked | None = None,
    left_out: Mapping[str, UnsupportedError] = MappingProxyType({}),
) -> Found:
    """Return what `again` returns on the tape for a text that has raised an error, or raise that.

    `now` says that the function may be run once more. It has returned when the backward half
    raises, so that the derivative alone is at fault; the tape is told of by `fall_back`. Otherwise
    the function is asked, if it is given as `subject`. Numbers of Python's that are divided by zero
    may be those of the function, too: NumPy divides its own, ``np.sum(x) / len(x)`` of an empty
    array, which is NaN. A text that stops where a part is left out says which of `left_out`.

    Raises:
        NotProvenError: The derivative is at fault, and the policy is to raise that.
        SrcgradError: So it is, and the tape refuses the function.
    """
    annotate(error)
    refused = refusal_of(error, left_out)
    if refused is not None:
        fall_back(refused)
        return again()
    divides = isinstance(error, ZeroDivisionError)
    is_meant = divides or isinstance(error, (SrcgradError, MemoryError))
    at_fault = not is_meant and failed_going_back(error)
    own: Exception | None = error
    if now and not (is_meant or at_fault or subject is None or in_another_call()):
        own = own_error(error, subject)
        at_fault = own is None
    if own is not None and (not now or not (divides or at_fault)):
        raise own from own.__cause__
    try:
        found = again()
    except Exception as refusal:  # noqa: BLE001 - whatever the tape refuses, the error came first
        refuses = isinstance(refusal, SrcgradError) and not isinstance(refusal, LibraryGapError)
        told = refusal if at_fault and refuses else error  # the tape is not for all libraries
        raise told from told.__cause__
    if at_fault:
        fall_back(
            NotProvenError(
                f"the derivative is not proven: the derivative alone raises {error!r}",
                hint="the tape differentiates it; please report the function",
            )
        )
    return found
