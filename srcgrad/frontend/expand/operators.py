"""Knows the functions that make derivatives, such as `grad`, where a program calls them itself.

The layers above say which functions those are and how a derivative is made, when they are imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final, Literal

from srcgrad.errors import InternalError

Kind = Literal["grad", "value_and_grad", "jvp", "vjp", "jacobian"]


@dataclass(frozen=True, slots=True)
class Wish:
    """A derivative that a program takes.

    Attributes:
        kind: What of; "vjp" means the pair of halves.
        function: The function to differentiate.
        names: The parameters to differentiate with respect to.
        aux: Whether the function returns a pair of which only the first is differentiated.
        keep_complex: Whether complex numbers may appear.
    """

    kind: Kind
    function: FunctionType
    names: tuple[str, ...]
    aux: bool
    keep_complex: bool


@dataclass(frozen=True, slots=True)
class Derived:
    """The functions of a derivative: one, or a forward and a backward half.

    `is_current` says whether they still hold for the user's program.
    """

    functions: tuple[FunctionType, ...]
    is_current: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a derivative that was made outside of a program is: its operator, function, options."""

    kind: Kind
    function: Any
    argnums: int | Sequence[int] | None
    argnames: str | Sequence[str] | None
    aux: bool = False


OPERATORS: Final[dict[int, str]] = {}
"""The public functions that make derivatives, by identity."""

_MAKERS: list[Callable[[Wish], Derived]] = []


def name_operators(maker: Callable[[Wish], Derived], **operators: Any) -> None:
    """Say which functions make derivatives, and how their text is made."""
    _MAKERS[:] = [maker]
    OPERATORS.update({id(function): name for name, function in operators.items()})


def make_derived(wish: Wish) -> Derived:
    """Return a derivative as functions with source.

    Raises:
        UnsupportedError: It cannot be taken by source.
    """
    if not _MAKERS:
        raise InternalError("nobody is there to make a derivative")
    return _MAKERS[0](wish)


def taken_from(value: Any) -> Taken | None:
    """Return what a callable object is the derivative of, or None."""
    found = getattr(type(value), "__srcgrad_taken__", None)
    taken: Taken | None = None if found is None else found(value)
    return taken
