"""Defines `grad` and `value_and_grad`, as functions and as decorators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, overload

from srcgrad.api.call_forms import by_form
from srcgrad.api.gradient import Gradient
from srcgrad.api.policy import Backend, Fallback, policy_of
from srcgrad.insight.switch import ANYTHING

P = ParamSpec("P")
Value = TypeVar("Value")
Aux = TypeVar("Aux")
Function = Callable[..., Any]


class Grad(Protocol):
    """A decorator that makes gradients."""

    def __call__(self, f: Callable[P, object], /) -> Gradient[P, Any]:
        """Return the gradient of `f`."""


class GradAndAux(Protocol):
    """A decorator that makes gradients of functions that return more beside the number."""

    def __call__(self, f: Callable[P, tuple[Any, Aux]], /) -> Gradient[P, tuple[Any, Aux]]:
        """Return the gradient of `f`, which returns what is beside it too."""


class ValueAndGrad(Protocol):
    """A decorator that makes functions of the value and the gradient."""

    def __call__(self, f: Callable[P, Value], /) -> Gradient[P, tuple[Value, Any]]:
        """Return the gradient of `f`, which returns the value too."""


@overload
def grad(
    f: Callable[P, tuple[Any, Aux]],
    argnums: int | Sequence[int] | None = ...,
    argnames: str | Sequence[str] | None = ...,
    *,
    has_aux: Literal[True],
    backend: Backend = ...,
    fallback: Fallback = ...,
    debug_nans: bool = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> Gradient[P, tuple[Any, Aux]]: ...
@overload
def grad(
    f: Callable[P, object],
    argnums: int | Sequence[int] | None = ...,
    argnames: str | Sequence[str] | None = ...,
    has_aux: bool = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    *,
    debug_nans: bool = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> Gradient[P, Any]: ...
@overload
def grad(  # type: ignore[overload-overlap] # True is a bool too
    f: None = ...,
    argnums: int | Sequence[int] | None = ...,
    argnames: str | Sequence[str] | None = ...,
    *,
    has_aux: Literal[True],
    backend: Backend = ...,
    fallback: Fallback = ...,
    debug_nans: bool = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> GradAndAux: ...
@overload
def grad(
    f: None = ...,
    argnums: int | Sequence[int] | None = ...,
    argnames: str | Sequence[str] | None = ...,
    has_aux: bool = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    *,
    debug_nans: bool = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> Grad: ...
@by_form
def grad(  # noqa: PLR0913 - each is an option of its own
    f: Function | None = None,
    argnums: int | Sequence[int] | None = None,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    *,
    debug_nans: bool = False,
    pure: bool = False,
    verify: bool = False,
) -> Any:
    """Return the gradient of a function that returns one real number.

    Use it as ``grad(f)``, ``@grad`` or ``@grad(argnums=1)``. The result is called like `f`.

    Args:
        f: An ordinary function of floats, NumPy arrays, and containers of those.
        argnums: The positional parameters to differentiate with respect to, counted from 0 (from
            the end if negative): an int for one gradient, a tuple for a tuple. 0 if nothing is
            given.
        argnames: The same by name.
        has_aux: `f` returns a pair of the number and something to hand on; so does the gradient.
        backend: What runs: "auto" the generated text on the library that owns the arrays, "numpy"
            and "cupy" the same on that library alone (see the guide on arrays of CuPy), "numba" the
            text compiled (`numba(...)` with options; see the guide on compiled loops), "tape" the
            tape, without text.
        fallback: What to do with a function that source transformation refuses: "warn" and run it
            on the tape, do so silently ("tape"), or raise ("error").
        debug_nans: Stop at the first NaN or infinity, in a value or an adjoint, and say where it
            comes from; many times slower.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text, at its first call, with the other engine and with
            differences; see `verifying`.

    Returns:
        A callable; its result has the structure, shapes and types of the arguments differentiated.

    Raises:
        ArgumentError: The arguments make no sense together.
        UnsupportedError: At the first call, with ``fallback="error"``.
        NonFiniteError: At a call, with ``debug_nans=True``.
        VerificationError: At a call, with ``verify=True``: the gradient is wrong.
    """
    policy = policy_of(fallback, backend, verify, pure)

    def made(function: Function) -> Gradient[..., Any]:
        gradient: Gradient[..., Any] = Gradient(function, argnums, argnames, has_aux, policy, False)
        gradient.checks = debug_nans
        ANYTHING.on |= debug_nans
        return gradient

    return made if f is None else made(f)


@overload
def value_and_grad(
    f: Callable[P, Value],
    argnums: int | Sequence[int] | None = ...,
    argnames: str | Sequence[str] | None = ...,
    has_aux: bool = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    *,
    debug_nans: bool = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> Gradient[P, tuple[Value, Any]]: ...
@overload
def value_and_grad(
    f: None = ...,
    argnums: int | Sequence[int] | None = ...,
    argnames: str | Sequence[str] | None = ...,
    has_aux: bool = ...,
    backend: Backend = ...,
    fallback: Fallback = ...,
    *,
    debug_nans: bool = ...,
    pure: bool = ...,
    verify: bool = ...,
) -> ValueAndGrad: ...
@by_form
def value_and_grad(  # noqa: PLR0913 - see `grad`
    f: Function | None = None,
    argnums: int | Sequence[int] | None = None,
    argnames: str | Sequence[str] | None = None,
    has_aux: bool = False,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    *,
    debug_nans: bool = False,
    pure: bool = False,
    verify: bool = False,
) -> Any:
    """Return a callable for the pair of a function's value and its gradient; see `grad`.

    With `has_aux` the value is the pair that `f` returned.
    """
    policy = policy_of(fallback, backend, verify, pure)

    def made(function: Function) -> Gradient[..., Any]:
        gradient: Gradient[..., Any] = Gradient(function, argnums, argnames, has_aux, policy, True)
        gradient.checks = debug_nans
        ANYTHING.on |= debug_nans
        return gradient

    return made if f is None else made(f)
