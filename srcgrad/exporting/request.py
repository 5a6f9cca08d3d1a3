"""Defines what is to be exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import BoundArguments
from types import FunctionType, ModuleType
from typing import Any

from srcgrad.compiler import Generated
from srcgrad.frontend.joining import Join


@dataclass(frozen=True, slots=True)
class Export:
    """A derivative that is to become a module of its own.

    Attributes:
        function: The function that is differentiated.
        written: The function that the user wrote: another one, if derivatives are differentiated.
        generated: The text of the derivative.
        module: The module that the text was loaded as.
        names: The parameters that gradients are taken by.
        single: Whether one alone was asked for, so that its gradient comes without a tuple.
        value: Whether the value is returned too.
        aux: Whether the function returns a pair, of which the first is differentiated.
        command: What makes the module again.
        given: The arguments that are functions or objects, for which the text was made.
        joins: What the function does with `+` and `*` to its arguments.
        example: Arguments to check the gradient at when the module is run as a program.
    """

    function: FunctionType
    written: FunctionType
    generated: Generated
    module: ModuleType
    names: tuple[str, ...]
    single: bool
    value: bool
    aux: bool
    command: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    joins: frozenset[Join] = frozenset()
    example: BoundArguments | None = None
