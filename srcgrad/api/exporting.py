"""Hands gradients to the exporter, and writes what it returns to a file."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from srcgrad.api import underlying
from srcgrad.api.plan import Plan
from srcgrad.api.refusal import describe
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import ArgumentError, ExportError
from srcgrad.exporting import Export, standalone
from srcgrad.exporting.provenance import target_of
from srcgrad.exporting.request import Kind
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.joining import joins_of
from srcgrad.parsing import parsed
from srcgrad.targets.loops.border import RefusedArgumentError, described, kind_of
from srcgrad.targets.loops.exporting import loops_module

if TYPE_CHECKING:
    from srcgrad.api.reading import Reading

Target = Literal["numpy", "numba"]
Example = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Exported:
    """What a derivative gives to be exported.

    Attributes:
        plan: The plan whose text it is.
        kind: Which derivative it is.
        of_gradient: Whether it is one of a derivative.
        given: The functions and objects that the text is made for, by parameter.
    """

    plan: Plan
    kind: Kind = "grad"
    of_gradient: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)


def exported(
    derivative: Reading,
    path: str | PathLike[str] | None,
    example: Example | inspect.BoundArguments | None,
    with_check: bool,
    command: str = "",
    *,
    target: Target = "numpy",
) -> str:
    """Return a derivative as a module that stands alone; write it to `path` if there is one.

    Raises:
        ArgumentError: There is no example to check the derivative at.
        ExportError: It cannot stand alone.
    """
    _refuse_check_without(example, with_check)
    call = bound(derivative, example)
    found = derivative.for_export(call)
    plan = found.plan
    function: Any = plan.function.__dict__["__srcgrad_primal__"]
    written: Any = underlying.plain(derivative.primal)
    is_gradient = found.kind == "grad"
    named = function if is_gradient else written
    export = Export(
        function,
        written,
        plan.generated,
        plan.module,
        derivative.names,
        derivative.single,
        value=getattr(derivative, "gives_value", False),
        aux=derivative.has_aux,
        command=command or command_of(derivative, named, example is not None),
        given=found.given,
        joins=frozenset(joins_of(function)),
        example=call if with_check else None,
        kind=found.kind,
        writes=not is_gradient and bool(written_parameters(function, VOCABULARY)),
        of_gradient=found.of_gradient,
        uses_up=getattr(plan, "shadows", False),
    )
    text = standalone(export)
    if target != "numpy":
        text = _for_numba(text, found.kind, call)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def batch_exported(
    batched: Any, plan: Plan, axes: Mapping[str, Any], count: str, path: str | PathLike[str] | None
) -> str:
    """Return a program over a batch as a module that stands alone; write it if there is a path.

    Raises:
        ExportError: It cannot stand alone.
    """
    function: Any = plan.function.__dict__["__srcgrad_primal__"]
    written: Any = underlying.plain(batched.user_function)
    of = batched.primal if hasattr(batched.primal, "in_form") else None
    export = Export(
        function,
        written,
        plan.generated,
        plan.module,
        () if of is None else of.names,
        of is None or of.single,
        value=getattr(of, "gives_value", False),
        aux=of is not None and of.has_aux,
        command="export(example=...) of the vmapped function",
        given={name: plan.options["request"].given[name] for name in plan.given},
        kind="vmap",
        axes=axes,
        count=count,
    )
    text = standalone(export)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def _for_numba(text: str, kind: str, call: inspect.BoundArguments | None) -> str:
    """Return a module for NumPy as one that Numba compiles.

    Raises:
        ExportError: There is no example, or it is not compiled.
    """
    if call is None or kind != "grad":
        raise ExportError(
            "only gradients, for arguments like those of an example, are exported for Numba",
            hint="give the arguments of a call: export(path, example=(...), target='numba')",
        )
    try:
        kinds = [kind_of(value) for value in call.arguments.values()]
    except RefusedArgumentError as problem:
        raise ExportError(f"an argument is {problem}") from None
    if any(type(value) in (list, dict) for value in call.arguments.values()):
        raise ExportError(
            "a list or a dict among the arguments of a module for Numba",
            hint="pass tuples, or arrays",
        )
    entry = [item.name for item in parsed(text).body if isinstance(item, ast.FunctionDef)][1]
    module, refused = loops_module(text, entry, [described(kind) for kind in kinds])
    if refused:
        raise ExportError(f"Numba does not compile {refused[0][0]}")
    return module


def _refuse_check_without(example: object, with_check: bool) -> None:
    if with_check and example is None:
        raise ArgumentError(
            "a module that checks itself needs arguments to do so",
            hint="give the arguments of a call: export(path, example=(...), with_check=True)",
        )


def bound(derivative: Any, example: Any) -> inspect.BoundArguments | None:
    """Return the arguments of a call by the parameters of a function; None for none.

    Raises:
        ArgumentError: They are not arguments of the function.
    """
    if example is None or isinstance(example, inspect.BoundArguments):
        return example
    signature, own = underlying.signature(derivative.primal), underlying.owner(derivative.primal)
    try:
        if isinstance(example, Mapping):
            return signature.bind(*own, **example)
        return signature.bind(*own, *example)
    except TypeError as error:
        raise ArgumentError(
            f"the example is no call of `{describe(derivative.primal)}`: {error}",
            hint="give all arguments in a tuple, or by name in a dict",
        ) from error


def command_of(derivative: Any, function: Any, has_example: bool = False) -> str:
    """Return what makes the module again: a command, if one does."""
    is_made = function.__module__.startswith("srcgrad.")  # by another derivative
    if is_made or "<" in function.__qualname__ or has_example:
        shown = "example=..." if has_example else ""
        return f"export({shown}) of the {_noun(derivative)}"
    return " ".join(["srcgrad export", target_of(function), *options_of(derivative, function)])


def _noun(derivative: Any) -> str:
    kind = getattr(derivative, "kind", "gradient")
    return {"jvp": "pushforward", "vjp": "pullback", "hvp": "Hessian product"}.get(kind, kind)


def options_of(derivative: Any, function: Any) -> tuple[str, ...]:
    """Return how a derivative was asked for, as options of the command line."""
    found: list[str] = []
    if hasattr(derivative, "kind"):
        found += ["--mode", derivative.kind]
    first = next(iter(inspect.signature(function).parameters), None)
    if derivative.names != (first,) or not derivative.single:
        comma = "," if len(derivative.names) == 1 and not derivative.single else ""
        found += ["--wrt", ",".join(derivative.names) + comma]
    if getattr(derivative, "gives_value", False):
        found.append("--value")
    if derivative.has_aux:
        found.append("--aux")
    return tuple(found)
