"""Runs tangents and pullbacks at arrays of Dask: lazily, with the chunks of what they belong to."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, cast

from srcgrad.api.call_forms import named
from srcgrad.api.form import Form
from srcgrad.api.given_tangents import check_pair, check_tangent
from srcgrad.api.lazily import (
    as_blocks,
    conformed_blocks,
    gradients_in_blocks,
    has_complex,
    has_lazy,
    raise_unsettled,
    ready_for_blocks,
    refuse_lazily,
    update_of_blocks,
    without_tape,
)
from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.policy import Policy, policy_of
from srcgrad.api.proofs import is_taken_for_wrong
from srcgrad.api.structures import float_leaves, mapped
from srcgrad.api.underlying import bind, plain, positional_of, to_differentiate
from srcgrad.backends import dask as blocks
from srcgrad.errors import ArgumentError, LibraryGapError, MissingRuleError, UnsupportedError

Pull = Callable[[Any], tuple[Any, ...]]
F = TypeVar("F", bound=Callable[..., Any])


class Blocks:
    """The texts of one function that run at arrays of Dask."""

    def __init__(
        self, primal: Callable[..., Any], names: Sequence[str], policy: Policy, make: Any
    ) -> None:
        self._primal, self._names, self._policy, self._make = primal, names, policy, make
        self._plans: dict[bool, Any] = {}

    def plan(self, arguments: Mapping[str, Any]) -> Any:
        """Return the plan whose text runs at arguments.

        Raises:
            UnsupportedError: The function is not differentiated by source for those.
        """
        refuse_lazily(self._policy, self._names, arguments)
        function = to_differentiate(self._primal)
        kept = has_complex(arguments.values())
        plan = self._plans.get(kept)
        if plan is None or not plan.is_current(function):
            try:
                plan = self._plans[kept] = self._make(function, keep_complex=kept)
                if plan.generated.taped:
                    raise MissingRuleError(diagnostics=plan.generated.taped)
            except UnsupportedError as refusal:
                self._plans.pop(kept, None)
                raise without_tape(refusal) from None
        if plan.written:
            raise update_of_blocks(plain(self._primal))
        if is_taken_for_wrong(plan):
            raise_unsettled(plan)
        return plan

    def pullback(self, arguments: Mapping[str, Any]) -> tuple[Any, Pull]:
        """Return the value and its pullback."""
        plan: HalvesPlan = self.plan(arguments)
        twin, run = ready_for_blocks(plan)
        given = {name: _as_now(value) for name, value in arguments.items()}
        with blocks.nothing_computed():
            value, kept = run(twin.forward)(*given.values())
            inputs = [as_blocks(given[name]) for name in self._names]

        form = self._form

        def pull(adjoint: Any) -> tuple[Any, ...]:
            adjoint = adjoint if form is None else form.as_returned(adjoint)
            wanted = list(adjoint) if plan.gives_tuple else [adjoint]
            with blocks.nothing_computed():
                result = run(twin.backward)(twin.again(kept), *map(_as_now, wanted))
                parts = result if len(inputs) > 1 else (result,)
                return tuple(map(conformed_blocks, parts, inputs))

        return self._answered(value, given), pull

    @property
    def _form(self) -> Form | None:
        """The form of a gradient, if that is what is differentiated once more."""
        return getattr(self._primal, "form", None) if hasattr(self._primal, "in_form") else None

    def _answered(self, result: Any, arguments: Mapping[str, Any]) -> Any:
        """Return a result or its tangent; those of a gradient with the chunks of the arguments."""
        if self._form is None:
            return result
        with blocks.nothing_computed():
            return gradients_in_blocks(self._form, arguments, result)

    def pushforward(self, arguments: Mapping[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """Return the value and its tangent."""
        plan: Plan = self.plan(arguments)
        twin, run = ready_for_blocks(plan)
        given = [_as_now(value) for value in (*arguments.values(), *tangents)]
        with blocks.nothing_computed():
            value, tangent = run(twin.function)(*given)
            if self._form is not None:
                return self._answered(value, arguments), self._answered(tangent, arguments)
            return value, conformed_blocks(tangent, as_blocks(value))


def takes_blocks(at_blocks: Callable[..., Any], maker: Any) -> Callable[[F], F]:
    """Return a decorator of what takes derivatives: with arrays of Dask, another does so."""

    def decorated(derivative: F) -> F:
        @functools.wraps(derivative)
        def call(*args: Any, **kwargs: Any) -> Any:
            if has_lazy((*args, *kwargs.values())):
                return at_blocks(maker, *args, **kwargs)
            return derivative(*args, **kwargs)

        return cast("F", call)

    return decorated


def vjp_at_blocks(
    maker: Any,
    f: Callable[..., Any],
    *primals: Any,
    kwargs: Mapping[str, Any] | None = None,
    **options: Any,
) -> tuple[Any, Pull]:
    """Return the value of a function at arrays of Dask, and the function that pulls adjoints back.

    Raises:
        ArgumentError: No primal holds a float.
        UnsupportedError: It is not differentiated by source for these.
    """
    policy = _policy(options)
    f = named(f, len(primals), kwargs)
    bound = bind(f, primals, kwargs)
    names, starred = positional_of(f, len(primals))
    wrt = tuple(name for name in names if float_leaves(bound[name]))
    if starred or not wrt:
        raise ArgumentError(
            "no argument of srcgrad.vjp holds a floating-point number, or there are starred ones",
            hint="name the arguments, and convert one: x.astype(float)",
        )
    value, pull = maker(f, wrt, policy).blocks.pullback(bound)

    def pulled(adjoint: Any) -> tuple[Any, ...]:
        check_tangent(value, adjoint, "the value")
        found = dict(zip(wrt, pull(adjoint), strict=True))
        return tuple(found.get(name) for name in names)

    return value, pulled


def jvp_at_blocks(
    maker: Any,
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    **options: Any,
) -> tuple[Any, Any]:
    """Return the value of a function at arrays of Dask, and its tangent.

    Raises:
        ArgumentError: The tangents do not fit the primals, or all of them are None.
        UnsupportedError: It is not differentiated by source for these.
    """
    check_pair(primals, tangents)
    policy = _policy(options)
    f = named(f, len(primals), kwargs)
    bound = bind(f, primals, kwargs)
    names, starred = positional_of(f, len(primals))
    given = {n: t for n, t in zip(names, tangents, strict=not starred) if t is not None}
    if starred or not given:
        raise ArgumentError(
            "all tangents are None, or there are starred arguments",
            hint="give a tangent of one argument with a name",
        )
    for name, tangent in given.items():
        check_tangent(bound[name], tangent, name)
    blocks_of: Blocks = maker(f, tuple(given), policy).blocks
    return blocks_of.pushforward(bound, [*given.values()])


def refuse_aux_of_blocks() -> NoReturn:
    """Refuse what is returned beside a result.

    Raises:
        LibraryGapError: Always.
    """
    raise LibraryGapError(
        "`has_aux` is for arrays of NumPy, not of Dask", hint="leave the option out"
    )


def _policy(options: Mapping[str, Any]) -> Policy:
    """Return how a derivative is taken, of what there is at arrays of Dask.

    Raises:
        LibraryGapError: An option is for arrays of NumPy.
    """
    if options.get("has_aux"):
        refuse_aux_of_blocks()
    fallback, backend = options.get("fallback", "warn"), options.get("backend", "auto")
    return policy_of(fallback, backend, bool(options.get("verify")))


def _as_now(value: Any) -> Any:
    """Return containers with arrays of Dask as they are now: ``x[0] = 1`` changes the object."""
    return mapped(_copied, value, _same)


def _copied(leaf: Any) -> Any:
    return leaf.copy() if blocks.is_lazy(leaf) else leaf


def _same(leaf: Any) -> Any:
    return leaf
