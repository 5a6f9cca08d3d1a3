"""Switches the search for NaN and infinity, and the check of new texts, on and off."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from typing import Final

from srcgrad import settings

_NANS: Final = ContextVar("srcgrad_debug_nans", default=False)


class _Checks:
    """What is checked in this thread or task."""

    @property
    def nans(self) -> bool:
        """Whether the first NaN or infinity raises."""
        return _NANS.get()

    @nans.setter
    def nans(self, enabled: bool) -> None:
        _NANS.set(enabled)


class _Anything:
    """Whether any check was ever asked for: until then, calls need not look which is on."""

    __slots__ = ("on",)

    def __init__(self) -> None:
        self.on = settings.verifies()


CHECKS: Final = _Checks()
ANYTHING: Final = _Anything()
_VERIFYING: Final[ContextVar[bool | None]] = ContextVar("srcgrad_verifying", default=None)
_BY_ENVIRONMENT: Final = settings.verifies()


_COMPARING: Final = ContextVar("srcgrad_comparing", default=False)


def is_comparing() -> bool:
    """Say whether a text is being run to compare it, with no word to the user."""
    return _COMPARING.get()


@contextlib.contextmanager
def comparing() -> Iterator[None]:
    """Let a text be compared within a block."""
    token = _COMPARING.set(True)
    try:
        yield
    finally:
        _COMPARING.reset(token)


class Switch:
    """Puts the switch back to where it was, at the end of a ``with`` block."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        """Do nothing: the switch was set when this was made."""

    def __exit__(self, *exc: object) -> None:
        CHECKS.nans = self._before


def debug_nans(enabled: bool = True) -> Switch:
    """Check each value and each adjoint of all derivatives: the first NaN or infinity raises.

    The switch is set at once, for this thread or task; in a ``with`` statement, until its end.
    Derivatives then run a variant of their text that looks at every value, many times slower.

    Raises:
        NonFiniteError: By the derivatives: with your line, the generated line, the operands and
            what to do.
    """
    before = CHECKS.nans
    CHECKS.nans = enabled
    ANYTHING.on = True
    return Switch(before)


class verifying:
    """Compare each new generated text with the other engine and with differences, within a block.

    The first call of each text in the block runs on copies of its arguments: by the text, by
    forward mode on the tape, and by differences along a direction. ``verifying(False)`` leaves the
    check out in its block, also where `verify=True` or ``SRCGRAD_VERIFY=1`` asks for it. The
    innermost block counts; a block is that of its thread or task.

    Raises:
        VerificationError: By the derivatives: the text is wrong, with the numbers and the argument.

    >>> with verifying():
    ...     verifies(False)
    True
    """

    def __init__(self, enabled: bool = True) -> None:
        self._enabled = bool(enabled)
        self._before: list[Token[bool | None]] = []

    def __enter__(self) -> None:
        """Switch the check on or off."""
        if self._enabled:
            ANYTHING.on = True
        self._before.append(_VERIFYING.set(self._enabled))

    def __exit__(self, *exc: object) -> None:
        _VERIFYING.reset(self._before.pop())


def verifies(asked: bool) -> bool:
    """Say whether a new text is to be checked; `asked` says whether its derivative asks for it."""
    inside = _VERIFYING.get()
    return (asked or _BY_ENVIRONMENT) if inside is None else inside


class Brief:
    """What is found of a text of which nobody asked for numbers, so that they may not take long.

    Attributes:
        is_new: Says, after the text has run, whether numbers have to be compared.
        tells_errors: Whether an exception of the text alone speaks against it. Else the call that
            is about to run is left to meet it.
        compared: Whether numbers were, and agree.
        too_dear: Whether they never are: the function runs too long, or arguments have no copies.
    """

    def __init__(
        self, is_new: Callable[[], bool] = lambda: True, *, tells_errors: bool = True
    ) -> None:
        self.is_new = is_new
        self.tells_errors = tells_errors
        self.compared = False
        self.too_dear = False


_BRIEF: ContextVar[Brief | None] = ContextVar("srcgrad_brief", default=None)


@contextlib.contextmanager
def briefly(brief: Brief | None = None) -> Iterator[None]:
    """Verify functions that run long by differences alone, and those that run longer not at all.

    That is for texts of which nobody asked for numbers.
    """
    before = _BRIEF.set(brief or Brief())
    try:
        yield
    finally:
        _BRIEF.reset(before)


def in_brief() -> Brief | None:
    """Return what is to be found of what is verified, if nobody asked for it."""
    return _BRIEF.get()
