"""Defines `vjp`: a function's value, and the map from its adjoint to those of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, overload

import numpy as np

from srcgrad.api.along_blocks import takes_blocks, vjp_at_blocks
from srcgrad.api.call_forms import named
from srcgrad.api.containers import goes_by_parts, of_parts, parts_of, put_together
from srcgrad.api.halves import Pull, adjoints_of
from srcgrad.api.on_tensors import takes_tensors
from srcgrad.api.policy import Backend, Fallback, Policy, policy_of
from srcgrad.api.structures import float_leaves, mapped, split
from srcgrad.api.underlying import (
    bind,
    positional_of,
)
from srcgrad.api.values import conform
from srcgrad.errors import ArgumentError

R = TypeVar("R")
Aux = TypeVar("Aux")


@overload
def vjp(
    f: Callable[..., R],
    *primals: Any,
    has_aux: Literal[False] = ...,
    kwargs: Mapping[str, Any] | None = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> tuple[R, Pull]: ...
@overload
def vjp(
    f: Callable[..., tuple[R, Aux]],
    *primals: Any,
    has_aux: Literal[True],
    kwargs: Mapping[str, Any] | None = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> tuple[R, Pull, Aux]: ...
@overload
def vjp(
    f: Callable[..., Any],
    *primals: Any,
    has_aux: bool = ...,
    kwargs: Mapping[str, Any] | None = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> tuple[Any, ...]: ...
@takes_blocks(vjp_at_blocks, adjoints_of)
@takes_tensors
def vjp(  # noqa: PLR0913 - see `grad`
    f: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    kwargs: Mapping[str, Any] | None = None,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> tuple[Any, ...]:
    """Return the value of a function, and the function that pulls adjoints back (reverse mode).

    Args:
        f: An ordinary function of floats, arrays, and containers of those; it may return any of
            them.
        primals: Its positional arguments.
        has_aux: Whether `f` returns a pair of which only the first is differentiated.
        kwargs: Further arguments by name, which are held.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Returns:
        The value, and a function from an adjoint of the value's structure and shapes to a tuple of
        one adjoint for each primal; None for primals without a float. It may be called repeatedly.
        With `has_aux`, the auxiliary part is the third.

    Raises:
        ArgumentError: No primal holds a float; or, by the second function, an adjoint that does not
            fit the value.
        UnsupportedError: Neither the compiler nor the tape can differentiate the function.
    """
    policy = policy_of(fallback, backend, verify, pure)
    f = named(f, len(primals), kwargs)
    if goes_by_parts(f, (*primals, *(kwargs or {}).values())):
        return _by_parts(f, primals, has_aux, kwargs, policy)
    bound = bind(f, primals, kwargs)
    names, starred = positional_of(f, len(primals))
    wrt = [name for name in names if float_leaves(bound[name])]
    if not wrt:
        raise ArgumentError(
            "no argument of srcgrad.vjp holds a floating-point number",
            hint="convert one: x.astype(float) or float(x)",
        )
    value, pull = adjoints_of(f, tuple(wrt), policy)(bound)

    head, aux = split(value, has_aux=has_aux)

    def pulled(adjoint: Any) -> tuple[Any, ...]:
        whole = fitted(adjoint, head)
        if has_aux:
            whole = (whole, mapped(np.zeros_like, aux))
        found = dict(zip(wrt, pull(whole), strict=True))
        each = [found.get(name) for name in names]
        if starred:
            each[-1:] = each[-1] or [None] * (len(primals) - len(names) + 1)
        return tuple(each)

    return (head, pulled, aux) if has_aux else (head, pulled)


def _by_parts(
    f: Callable[..., Any],
    primals: Any,
    has_aux: bool,
    kwargs: Mapping[str, Any] | None,
    policy: Policy,
) -> tuple[Any, ...]:
    """Do as `vjp` by the parts of containers that cannot be read by field."""
    given = parts_of(dict(kwargs or {}))
    how: dict[str, Any] = {"has_aux": has_aux, "kwargs": given, **policy.options()}
    value, pull, *aux = vjp(of_parts(f), *map(parts_of, primals), **how)

    def pulled(adjoint: Any) -> Any:
        return put_together(pull(parts_of(adjoint)))

    return put_together(value), pulled, *put_together(aux)


def fitted(adjoint: Any, value: Any) -> Any:
    """Return an adjoint with the types of the value it belongs to.

    Raises:
        ArgumentError: It has another structure or other shapes.
    """
    ours, theirs = float_leaves(value), float_leaves(adjoint)
    if len(ours) != len(theirs) or any(
        np.shape(a) != np.shape(b) for a, b in zip(ours, theirs, strict=True)
    ):
        raise ArgumentError(
            "the adjoint does not have the structure and shapes of the value",
            hint="give an array of the value's shape, or a container of those like the value",
        )
    return conform(adjoint, value)
