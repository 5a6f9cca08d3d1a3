"""Defines what is to be exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import BoundArguments
from types import FunctionType, ModuleType
from typing import Any, Final, Literal

from srcgrad.compiler import Generated
from srcgrad.frontend.joining import Join

Kind = Literal["grad", "jvp", "vjp", "hvp", "jacfwd", "jacrev", "hessian", "vmap"]
_ENDINGS: Final = {"jacfwd": "jacobian", "jacrev": "jacobian"}


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
        given: The arguments that are functions, objects or flags, for which the text was made.
        joins: What the function does with `+` and `*` to its arguments.
        example: Arguments to check the gradient at when the module is run as a program.
        kind: Which derivative it is.
        writes: Whether the function may write into its arguments.
        of_gradient: Whether the function is the gradient, by the same arguments, of another.
        axes: Along which axis of the arguments examples lie, if the text is over a batch of them.
        count: The expression of how many examples there are.
        uses_up: Whether a run of the backward half leaves what was kept as nothing to run on again.
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
    kind: Kind = "grad"
    writes: bool = False
    of_gradient: bool = False
    axes: Mapping[str, Any] = field(default_factory=dict)
    count: str = ""
    uses_up: bool = False

    @property
    def entry(self) -> str:
        """The name of the function that is called, if nothing else has it."""
        entry = self.generated.entry
        if self.kind in ("grad", "jvp", "vmap"):
            return entry
        stem = entry.removesuffix("_jvp").removesuffix("_forward")
        if self.kind in ("hvp", "hessian"):
            stem = stem.removesuffix("_grad")
        return f"{stem}_{_ENDINGS.get(self.kind, self.kind)}"
