"""Defines `checkpoint`: a function whose calls are run again in the backward pass."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import CellType, FunctionType, MethodType
from typing import Any, Concatenate, Generic, overload

from srcgrad.api.looks import P, Q, R_co, look_like
from srcgrad.api.values import leaves
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import ArgumentError
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.long_loops import mark_repeating, repeated
from srcgrad.frontend.repeatable import not_repeatable
from srcgrad.locks import kept_property
from srcgrad.tape import Tensor, is_grad_enabled
from srcgrad.tape.modes import STATE
from srcgrad.tape.mutation import strict_fallback
from srcgrad.tape.pynumbers import PythonFloat, as_python
from srcgrad.utils.checkpoint import checkpoint as run_again


class Checkpointed(Generic[P, R_co]):
    """A function that keeps nothing for the backward pass, which runs it again.

    Attributes:
        primal: The user's function.
    """

    def __init__(self, primal: Callable[P, R_co]) -> None:
        if not isinstance(primal, FunctionType):
            raise ArgumentError(
                f"srcgrad.checkpoint needs a Python function, not {type(primal).__name__}",
                hint="wrap it in a `def`",
            )
        self.primal: FunctionType = primal
        look_like(self, primal)
        self.__srcgrad_repeated__ = repeated(primal)

    @overload
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...  # with tensors among them
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function; on tensors, keep none of what it saves."""
        records = is_grad_enabled() and STATE.dual_level is None and self._reads(args, kwargs)
        if not records or not self._may_repeat:
            return self.primal(*args, **kwargs)
        return run_again(_as_given(self.primal, args, kwargs), *args, use_reentrant=False)

    def _reads(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Say whether a call reads tensors that require a gradient."""
        enclosed = [c.cell_contents for c in self.primal.__closure__ or () if _is_set(c)]
        values = [item for value in (*args, *kwargs.values(), *enclosed) for item in leaves(value)]
        return any(isinstance(item, Tensor) and item.requires_grad for item in values)

    @kept_property
    def _may_repeat(self) -> bool:
        """Whether the function does the same when it is run again, as far as its text tells."""
        written = written_parameters(self.primal, VOCABULARY)
        return not written and not_repeatable(self.primal, VOCABULARY) is None

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Checkpointed[P, R_co]: ...
    @overload
    def __get__(
        self: Checkpointed[Concatenate[Any, Q], R_co], instance: object, owner: type | None = None
    ) -> Callable[Q, R_co]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<srcgrad.checkpoint of {self.primal.__qualname__}>"


def _as_given(
    function: Callable[..., Any], given: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any]:
    """Return a function of tensors that runs `function` with them as Python's numbers again."""
    strict = STATE.strict
    kinds = [
        getattr(item, "_python", float) if isinstance(item, PythonFloat) else None for item in given
    ]

    def run(*args: Any) -> Any:
        values = [
            as_python(item, kind)
            if kind is not None and not isinstance(item, PythonFloat)
            else item
            for item, kind in zip(args, kinds, strict=True)
        ]
        with strict_fallback() if strict and not STATE.strict else contextlib.nullcontext():
            return function(*values, **kwargs)

    return run


def _is_set(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading it is the test
    except ValueError:
        return False
    return True


def checkpoint(f: Callable[P, R_co]) -> Checkpointed[P, R_co]:
    """Return a function like `f` of which the backward pass keeps the arguments alone.

    What it computes on the way is not kept: the backward pass runs it again. Use it as
    ``@checkpoint`` or ``checkpoint(f)``. A call without derivatives is a call of `f`.

    Raises:
        ArgumentError: `f` is no Python function.
    """
    return Checkpointed(f)


mark_repeating(checkpoint)
