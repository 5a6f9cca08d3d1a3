"""Finds the Python function behind a method or a derivative, so that it can be differentiated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any, Final

from srcgrad.api.refusal import describe
from srcgrad.api.selection import innermost, signature_of
from srcgrad.errors import SourceNotFoundError
from srcgrad.frontend.expand.flags import PRESENT
from srcgrad.frontend.expand.operators import taken_from
from srcgrad.runtime.objects import holds_objects, is_plain_object, may_be_static

_STARS: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def plain(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the user's function of a bound method or of a derivative, or `f` itself."""
    f = innermost(f)
    return f.__func__ if isinstance(f, MethodType) else f


def to_differentiate(
    f: Callable[..., Any],
    *,
    keep_complex: bool = False,
    arguments: Mapping[str, Any] | None = None,
) -> FunctionType:
    """Return the Python function to differentiate for `f`: of a gradient, its generated text.

    `keep_complex` asks for the text of a gradient that is right for complex numbers too. Where
    none serves all arguments, it is that for those of a call, if they are given.

    Raises:
        UnsupportedError: `f` is a gradient that is not computed by source.
        SourceNotFoundError: There is no Python function behind `f`.
    """
    taken = getattr(f, "differentiable", None) if hasattr(f, "__srcgrad_taken__") else None
    at = {} if arguments is None else {"arguments": arguments}
    function = plain(f) if taken is None else taken(keep_complex=keep_complex, **at)
    if hasattr(function, "__srcgrad_refusal__"):
        raise function.__srcgrad_refusal__
    if not isinstance(function, FunctionType):
        raise SourceNotFoundError(
            f"`{describe(function)}` is not a Python function with source",
            hint="wrap it in a `def`",
        )
    return function


def mode_of(mode: str, f: Callable[..., Any]) -> str:
    """Return how a function is differentiated, and how it was before if it is a derivative."""
    taken = taken_from(f)
    return mode if taken is None else f"{mode} of {taken.kind}"


def owner(f: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the bound `self` of a method, or of a method's gradient, as a tuple; else none."""
    inner = innermost(f)
    return (inner.__self__,) if isinstance(inner, MethodType) else ()


def held_for_text(
    f: Callable[..., Any], given: Mapping[str, Any], wrt: Sequence[str], *, by_field: bool = False
) -> dict[str, Any]:
    """Return the functions and objects that a text is made for: those given, and a bound `self`.

    The text of a derivative has them already, and what is differentiated is no constant; with
    `by_field` it is told of objects that are differentiated, field by field. Of what may be left
    out it may be told that it is given, also where it is differentiated.
    """
    chosen = {n: v for n, v in given.items() if n in wrt} if by_field else {}
    objects = {n: v for n, v in chosen.items() if is_plain_object(v) or _has_entries(v)}
    if hasattr(f, "__srcgrad_taken__"):  # which may write the fields of objects
        return {n: v for n, v in given.items() if n not in wrt and is_plain_object(v)} | objects
    objects.update((n, v) for n, v in given.items() if n in wrt and v is PRESENT)
    names = signature(f).parameters
    own = {
        name: value for name, value in zip(names, owner(f), strict=False) if may_be_static(value)
    }
    held = {name: value for name, value in {**given, **own}.items() if name not in wrt}
    return {**held, **objects}


def _has_entries(value: Any) -> bool:
    return holds_objects(value) or type(value) in (dict, list, tuple)


def signature(f: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of the function behind `f`, with its `self`."""
    return signature_of(plain(f))


def bind(
    f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return all arguments of a call by name, defaults and a bound `self` included.

    They are in the order of a code object, which generated functions have too: what ``*args`` takes
    comes after the parameters that are given by name alone.
    """
    found = None if kwargs else _bound_by_position(plain(f), (*owner(f), *args))
    if found is not None:
        return found
    parameters = signature(f)
    bound = parameters.bind(*owner(f), *args, **(kwargs or {}))
    bound.apply_defaults()
    found = dict(bound.arguments)
    for name, item in parameters.parameters.items():
        if item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD):
            found[name] = found.pop(name)
    return found


def _bound_by_position(function: Any, args: tuple[Any, ...]) -> dict[str, Any] | None:
    """Bind as Python does, from the code alone; None for parameters of other kinds and errors."""
    if type(function) is not FunctionType or function.__dict__:  # it may name another signature
        return None
    code = function.__code__
    if code.co_flags & _STARS or code.co_kwonlyargcount:
        return None
    count, defaults = code.co_argcount, function.__defaults__ or ()
    missing = count - len(args)
    if missing < 0 or missing > len(defaults):
        return None
    if missing:
        args += defaults[len(defaults) - missing :]
    return dict(zip(code.co_varnames, args, strict=False))


def called(f: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Return what `f` returns for all its arguments by name, as `bind` gives them."""
    bound = inspect.BoundArguments(signature(f), dict(arguments))
    return f(*bound.args[len(owner(f)) :], **bound.kwargs)


def parameters_of(f: Callable[..., Any]) -> list[str]:
    """Return the names of a function's parameters, without a bound `self`."""
    return list(signature(f).parameters)[len(owner(f)) :]


def positional_of(f: Callable[..., Any], count: int) -> tuple[list[str], bool]:
    """Return the names that take `count` positional arguments, and whether the last one is starred.

    A starred one takes all the rest, as a tuple.
    """
    names = parameters_of(f)[:count]
    kinds = [signature(f).parameters[name].kind for name in names]
    star = inspect.Parameter.VAR_POSITIONAL
    return (names[: kinds.index(star) + 1], True) if star in kinds else (names, False)
