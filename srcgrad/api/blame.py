"""Tells an error of a function from one that its derivative alone raises.

A function that raises is meant to, and so is its derivative then. Where the function returns, what
its derivative raises is a fault of ours, or something that an engine cannot do: it is refused. The
function is asked by one more run, on copies. So it is asked of errors alone that programs do not
live with, such as a TypeError: who inverts matrices may catch a LinAlgError, and is called once. On
the tape it is asked of a ValueError, too: libraries raise it of kinds of values they do not know.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from srcgrad.api.structures import copied
from srcgrad.codegen.tracebacks import failed_in_tangent
from srcgrad.errors import SrcgradError
from srcgrad.tape import in_another_call
from srcgrad.tape.refusing import raised_alone

Self = TypeVar("Self")
P = ParamSpec("P")
Found = TypeVar("Found")
Asked = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
MEANT: Final = (SrcgradError, MemoryError, RecursionError, NotImplementedError)
"""Errors that are told by name, or for want of room."""
_ASKED: Final = (TypeError, AttributeError, RuntimeError, NameError)
_ON_THE_TAPE: Final = (*_ASKED, ValueError)


def refusing_alone(
    subject: Callable[Concatenate[Self, P], Asked],
) -> Callable[[Callable[Concatenate[Self, P], Found]], Callable[Concatenate[Self, P], Found]]:
    """Make a method that runs on the tape refuse what the tape alone raises.

    `subject` returns the user's function with the arguments of the call.
    """

    def decorated(
        method: Callable[Concatenate[Self, P], Found],
    ) -> Callable[Concatenate[Self, P], Found]:
        @functools.wraps(method)
        def run(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> Found:
            try:
                return method(self, *args, **kwargs)
            except _ON_THE_TAPE as error:
                if not isinstance(error, _ASKED) and type(error) is not ValueError:
                    raise
                if in_another_call() or not is_alone(error, subject(self, *args, **kwargs)):
                    raise
                raise raised_alone(error) from error

        return run

    return decorated


def is_alone(error: Exception, subject: Asked) -> bool:
    """Say whether a derivative has raised what its function does not."""
    return own_error(error, subject, asks=type(error) is ValueError) is None


def own_error(error: Exception, subject: Asked, *, asks: bool = False) -> Exception | None:
    """Return what a function itself raises where its derivative has raised `error`, if anything.

    A function that is not asked is taken to raise the same; with `asks` it is asked anyway. A name
    that is bound to nothing, and a variable of the text, are told by the function's error: it has
    the user's names.
    """
    is_asked = asks or isinstance(error, _ASKED) or failed_in_tangent(error)
    if isinstance(error, MEANT) or not is_asked:
        return error
    f, args, kwargs = subject
    try:
        f(*copied(args), **copied(kwargs))
    except Exception as own:  # noqa: BLE001 - it is asked whether the user's function raises
        is_same = type(own) is type(error) and not isinstance(error, NameError)
        return error if is_same else own
    return None
