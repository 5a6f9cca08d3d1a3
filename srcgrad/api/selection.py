"""Chooses the parameters to differentiate with respect to, from numbers or names."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from srcgrad.api.making import has_attributes
from srcgrad.errors import ArgumentError
from srcgrad.frontend.long_loops import repeated_of
from srcgrad.runtime.objects import may_be_static

_SIGNATURES: Final[WeakKeyDictionary[FunctionType, Any]] = WeakKeyDictionary()
_WITHOUT_TEXT: Final = np.ufunc, type(np.sum)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen parameters.

    Attributes:
        names: Their names, in the order asked for.
        single: Whether one alone was asked for, so that its gradient comes without a tuple.
        signature: The function's signature.
    """

    names: tuple[str, ...]
    single: bool
    signature: inspect.Signature

    def positions(self) -> tuple[int | None, ...]:
        """Return the place of each chosen parameter in a positional call, or None."""
        order = [p.name for p in self.signature.parameters.values() if p.kind in _POSITIONAL]
        return tuple(order.index(name) if name in order else None for name in self.names)

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name, defaults included."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments


def select(
    function: Callable[..., Any],
    argnums: int | Sequence[int] | None,
    argnames: str | Sequence[str] | None,
    skip: int = 0,
) -> Selection:
    """Return the parameters that `argnums` and `argnames` mean.

    `skip` leading parameters (a bound `self`) are not counted.

    Raises:
        ArgumentError: A number is out of range, a name is unknown, or one is asked for twice.
    """
    signature = signature_of(function)
    positional = [p.name for p in signature.parameters.values() if p.kind in _POSITIONAL][skip:]
    chosen: list[str] = []
    if argnums is None and argnames is None:
        argnums = 0
    if argnums is not None:
        chosen += [_by_number(item, positional, function) for item in _as_list(argnums)]
    if argnames is not None:
        if not isinstance(argnames, (str, tuple, list)):
            raise ArgumentError(
                f"argnames must be a name or a tuple of names, not {argnames!r}",
                hint="give parameters by number with argnums=",
            )
        names = [argnames] if isinstance(argnames, str) else list(argnames)
        chosen += [_by_name(name, signature, function) for name in names]
    _refuse_none_and_twice(chosen, function)
    single = isinstance(argnums, int) and argnames is None
    single = single or (argnums is None and isinstance(argnames, str))
    return Selection(tuple(chosen), single, signature)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function itself; ``*args`` where Python does not know it."""
    if not isinstance(function, FunctionType) or function.__kwdefaults__:
        return _read_signature(function)
    if has_attributes(function):
        return _read_signature(function)
    made_of = function.__code__, function.__defaults__
    kept = _SIGNATURES.get(function)
    if kept is None or kept[0][0] is not made_of[0] or kept[0][1] is not made_of[1]:
        kept = _SIGNATURES[function] = made_of, _read_signature(function)
    return kept[1]


def _read_signature(function: Callable[..., Any]) -> inspect.Signature:
    if isinstance(function, _WITHOUT_TEXT):
        name = getattr(function, "__name__", "f")
        raise ArgumentError(
            f"`{name}` is a function of NumPy itself, without parameters to choose from",
            hint=f"write one around it: lambda x: np.{name}(x)",
        )
    try:
        return inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])


def _as_list(argnums: int | Sequence[int]) -> list[Any]:
    return list(argnums) if isinstance(argnums, (tuple, list)) else [argnums]


def _by_number(number: Any, positional: Sequence[str], function: Any) -> str:
    if isinstance(number, bool) or not isinstance(number, int):
        raise ArgumentError(
            f"argnums must be an int or a tuple of ints, not {number!r}",
            hint="give parameters by name with argnames=",
        )
    count = len(positional)
    if not -count <= number < count:
        raise ArgumentError(
            f"argnums={number} is out of range: `{_name(function)}` has {count} positional "
            f"parameter{'' if count == 1 else 's'}",
            hint="count from 0, or give parameters by name with argnames=",
        )
    return positional[number]


def _by_name(name: Any, signature: inspect.Signature, function: Any) -> str:
    if name in signature.parameters:
        return str(name)
    near = difflib.get_close_matches(str(name), list(signature.parameters), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"they are {list(signature.parameters)}"
    raise ArgumentError(f"`{_name(function)}` has no parameter {name!r}", hint=hint)


def _refuse_none_and_twice(chosen: Sequence[str], function: Any) -> None:
    if not chosen:
        raise ArgumentError(
            f"no parameter of `{_name(function)}` is chosen to differentiate",
            hint="give argnums= or argnames=",
        )
    for name in chosen:
        if list(chosen).count(name) > 1:
            raise ArgumentError(
                f"parameter {name!r} of `{_name(function)}` is chosen twice",
                hint="give each parameter once",
            )


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


def innermost(primal: Any) -> Any:
    """Return the user's function of a derivative of a derivative, or of a checkpointed function."""
    while hasattr(primal, "__srcgrad_taken__"):
        primal = primal.primal
    found = repeated_of(primal)
    if found is not None and isinstance(primal, MethodType):
        return MethodType(found, primal.__self__)
    return found or primal


def defaults_of(function: Any) -> tuple[Any, ...]:
    """Return the defaults of a function as they are now."""
    named = getattr(function, "__kwdefaults__", None) or {}
    return (*(getattr(function, "__defaults__", None) or ()), *named.values())


def static_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call, by name, that are functions or objects."""
    if not any(map(may_be_static, (*args, *kwargs.values(), *defaults_of(function)))):
        return {}
    try:  # the signature as it is now: defaults may have been replaced
        bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    except TypeError:
        return {}  # the call itself says what is wrong
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if may_be_static(value)}
