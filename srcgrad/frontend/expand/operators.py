"""Knows the functions that make derivatives, such as `grad`, where a program calls them itself.

The layers above say which functions those are and how a derivative is made, when they are imported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final, Literal

from srcgrad.errors import InternalError
from srcgrad.runtime.objects import held_attribute

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


_OPERATORS: Final[dict[str, frozenset[str]]] = {}
"""The names of the public functions that make derivatives, by their modules."""

_MAKERS: list[Callable[[Wish], Derived]] = []


def made_by(maker: Callable[[Wish], Derived]) -> None:
    """Say how the text of a derivative is made that a program takes itself."""
    _MAKERS[:] = [maker]


def name_operators(module: str, names: str) -> None:
    """Say which functions of a module, which need not be there yet, make derivatives."""
    _OPERATORS[module] = frozenset(names.split())


def operator_of(function: Any) -> str | None:
    """Return the name of a function that makes derivatives; None if it is another one."""
    module, name = held_attribute(function, "__module__"), held_attribute(function, "__name__")
    if not isinstance(module, str) or name not in _OPERATORS.get(module, ()):
        return None
    return name if getattr(sys.modules.get(module), name, None) is function else None


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
