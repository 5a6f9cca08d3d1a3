"""Hands gradients to the exporter, and writes what it returns to a file."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from srcgrad.api import underlying
from srcgrad.api.refusal import describe
from srcgrad.errors import ArgumentError
from srcgrad.exporting import Export, standalone
from srcgrad.exporting.provenance import target_of
from srcgrad.frontend.joining import joins_of

if TYPE_CHECKING:
    from srcgrad.api.gradient import Gradient

Example = Sequence[Any] | Mapping[str, Any]


def export_gradient(
    gradient: Gradient[..., Any],
    path: str | PathLike[str] | None,
    example: Example | inspect.BoundArguments | None,
    with_check: bool,
    command: str = "",
) -> str:
    """Return a gradient as a module that stands alone; write it to `path` if there is one.

    Raises:
        ArgumentError: There is no example to check the gradient at.
        ExportError: It cannot stand alone.
    """
    if with_check and example is None:
        raise ArgumentError(
            "a module that checks itself needs arguments to do so",
            hint="give the arguments of a call: export(path, example=(...), with_check=True)",
        )
    call: Any = example
    if example is not None and not isinstance(example, inspect.BoundArguments):
        call = bound(gradient, example)
    plan, given = gradient.plan_to_export(call)
    function: Any = plan.function.__dict__["__srcgrad_primal__"]
    written: Any = underlying.plain(gradient.primal)
    export = Export(
        function,
        written,
        plan.generated,
        plan.module,
        gradient.names,
        gradient.single,
        gradient.gives_value,
        gradient.has_aux,
        command=command or command_of(gradient, function, example is not None),
        given={name: given[name] for name in plan.given if name in given},
        joins=frozenset(joins_of(function)),
        example=call if with_check else None,
    )
    text = standalone(export)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def bound(gradient: Gradient[..., Any], example: Example) -> inspect.BoundArguments:
    """Return the arguments of a call by the parameters of a function.

    Raises:
        ArgumentError: They are not arguments of the function.
    """
    signature, own = underlying.signature(gradient.primal), underlying.owner(gradient.primal)
    try:
        if isinstance(example, Mapping):
            return signature.bind(*own, **example)
        return signature.bind(*own, *example)
    except TypeError as error:
        raise ArgumentError(
            f"the example is no call of `{describe(gradient.primal)}`: {error}",
            hint="give all arguments in a tuple, or by name in a dict",
        ) from error


def command_of(gradient: Gradient[..., Any], function: Any, has_example: bool = False) -> str:
    """Return what makes the module again: a command, if one does."""
    is_made = function.__module__.startswith("srcgrad.")  # by another derivative
    if is_made or "<" in function.__qualname__ or has_example:
        shown = "example=..." if has_example else ""
        return f"export({shown}) of the gradient"
    return " ".join(["srcgrad export", target_of(function), *options_of(gradient, function)])


def options_of(gradient: Gradient[..., Any], function: Any) -> tuple[str, ...]:
    """Return how a gradient was asked for, as options of the command line."""
    found: list[str] = []
    first = next(iter(inspect.signature(function).parameters), None)
    if gradient.names != (first,) or not gradient.single:
        comma = "," if len(gradient.names) == 1 and not gradient.single else ""
        found += ["--wrt", ",".join(gradient.names) + comma]
    if gradient.gives_value:
        found.append("--value")
    if gradient.has_aux:
        found.append("--aux")
    return tuple(found)
