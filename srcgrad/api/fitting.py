"""Tries the forms of a text that the arguments of a call may need, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from srcgrad.api.whole import whole
from srcgrad.errors import MissingRuleError, MutationError, UnsupportedError
from srcgrad.later import later

if TYPE_CHECKING:
    from srcgrad.compiler import list_depths
else:
    list_depths = later("srcgrad.compiler.list_depths")

Made = TypeVar("Made")


def whole_or_in_part(make: Callable[[], Made]) -> Made:
    """Return what is made of a whole function, or else without the parts that are refused.

    Raises:
        UnsupportedError: It is refused in both ways.
    """
    try:
        with whole():
            return make()
    except UnsupportedError:
        return make()


def fitted(
    plain: Callable[[], Made],
    shaped: Callable[[], Made | None],
    wide: Callable[[], Made],
    seen: Mapping[str, Any],
) -> tuple[Made, bool]:
    """Return the first text that is not refused, and whether it is the plain one.

    `shaped` relies on the shapes of arguments, which are `seen`, and `wide` on their kinds.

    Raises:
        UnsupportedError: All are refused.
    """
    try:
        return plain(), True
    except (MutationError, MissingRuleError) as problem:  # the shapes may be what is missing
        asks = list_depths.asks_for_axes(problem)
        if not asks and not isinstance(problem, MutationError):
            raise
        first = asks or () in seen.values()
        if first and (found := shaped()) is not None:
            return found, False
        try:
            return wide(), False
        except UnsupportedError:
            found = None if first else shaped()
            if found is None:
                raise problem from problem.__cause__
            return found, False
