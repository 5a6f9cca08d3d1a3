"""Defines derivatives along directions as objects that are called, read and exported."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic

from srcgrad.api.along_blocks import refuse_aux_of_blocks
from srcgrad.api.binding import bound
from srcgrad.api.call_forms import by_form
from srcgrad.api.containers import goes_by_parts
from srcgrad.api.given_tangents import check_tangent
from srcgrad.api.gradient import Gradient
from srcgrad.api.halves import adjoints_of
from srcgrad.api.jacobians import Names, Numbers
from srcgrad.api.lazily import has_lazy
from srcgrad.api.looks import P, look_like
from srcgrad.api.made import Made
from srcgrad.api.on_tensors import takes_tensors
from srcgrad.api.pickling import reduced
from srcgrad.api.policy import USUAL, Backend, Fallback, Policy, policy_of
from srcgrad.api.pullback import fitted, vjp
from srcgrad.api.pushforward import push_by_name, tangents_of
from srcgrad.api.refusal import describe
from srcgrad.api.selection import select
from srcgrad.api.structures import mapped, split
from srcgrad.api.underlying import bind, owner, parameters_of, plain
from srcgrad.api.values import check_input
from srcgrad.errors import ArgumentError, ExportError
from srcgrad.exporting.request import Kind
from srcgrad.frontend.expand.operators import taken_from


class Product(Made, Generic[P]):
    """What derivatives along directions share.

    Attributes:
        primal: The user's function.
    """

    def __init__(
        self,
        primal: Callable[P, object],
        argnums: Numbers,
        argnames: Names,
        *,
        has_aux: bool,
        policy: Policy = USUAL,
    ) -> None:
        if not callable(primal):
            raise ArgumentError(
                f"a derivative needs a function, not {type(primal).__name__}",
                hint="give the function itself, without calling it",
            )
        self.primal: Callable[..., Any] = primal
        self._options = argnums, argnames
        self._has_aux = has_aux
        self._policy = policy
        self._ran: Any = None  # the plan of the last call
        function = plain(primal)
        self._selection = select(function, argnums, argnames, skip=len(owner(primal)))
        look_like(self, function, len(owner(primal)), self._selection.signature)

    def __reduce__(self) -> Any:
        return reduced(self)

    @abstractmethod
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative at the given arguments."""

    @property
    def source(self) -> str:
        """The text of the generated module that ran last; before a call, the one for any arguments.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        maker: Any = self.maker()
        text: str = maker.shown(self._ran)
        return text

    def of(self, primal: Callable[..., Any]) -> Any:
        """Return the derivative of another function, with the same options."""
        return type(self)(primal, *self._options, has_aux=self._has_aux, policy=self._policy)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do; parameters are then counted after `self`."""
        return bound(self, instance)

    def __repr__(self) -> str:
        shown = ", ".join(self.names)
        return f"<srcgrad.{type(self).__name__} of {describe(self.primal)} by {shown}>"


class _AlongTangents(Product[P]):
    """What takes tangents by name: that of `x` as `x_dot`."""

    @abstractmethod
    def maker(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """Return what makes the text."""

    def _apart(self, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        dots = {f"{name}_dot": name for name in self.names}
        own = {key: value for key, value in kwargs.items() if key not in dots}
        return own, {dots[key]: value for key, value in kwargs.items() if key in dots}

    def _pushed(self, primal: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """Return the value of a function and its tangent; with `has_aux`, the rest third.

        Raises:
            ArgumentError: There is no tangent for a parameter, or it does not fit.
        """
        own, tangents = self._apart(kwargs)
        for name in self.names:
            if name not in tangents:
                raise ArgumentError(
                    f"the tangent of `{name}` is missing",
                    hint=f"give it by name: {name}_dot=",
                )
        in_order = {name: tangents[name] for name in self.names}
        if has_lazy((*args, *own.values())):
            return self._pushed_lazily(primal, bind(primal, args, own), in_order)
        how: dict[str, Any] = {"has_aux": self._has_aux, "policy": self._policy}
        pushed = push_by_name(primal, args, own, in_order, **how)
        self._ran = tangents_of(primal, self.names, self._policy).chosen()
        return pushed

    def _pushed_lazily(
        self, primal: Callable[..., Any], arguments: Mapping[str, Any], tangents: Mapping[str, Any]
    ) -> tuple[Any, Any]:
        """Return the value of a function at arrays of Dask, and its tangent."""
        if self._has_aux:
            refuse_aux_of_blocks()
        for name, tangent in tangents.items():
            check_tangent(arguments[name], tangent, name)
        made = tangents_of(primal, self.names, self._policy)
        return made.blocks.pushforward(arguments, [*tangents.values()])


class Pushforward(_AlongTangents[P]):
    """A function with its tangent: call it like the function with tangents by name, or read it.

    Attributes:
        primal: The user's function.
    """

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the value and its tangent; with `has_aux`, the auxiliary part third.

        It takes the arguments of the function, and the tangent of `x` as `x_dot=`.
        """
        return self._pushed(self.primal, args, kwargs)

    @property
    def kind(self) -> str:
        """Which derivative it is, as the command line calls it."""
        return "jvp"

    def maker(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """Return what makes the text."""
        del arguments
        return tangents_of(self.primal, self.names, self._policy)

    def export_kind(self, arguments: Mapping[str, Any] | None) -> Kind:
        """Return as what it is exported.

        Raises:
            ExportError: It is that of a derivative that is not a plain gradient.
        """
        del arguments
        inner = taken_from(self.primal)
        same = not isinstance(self.primal, Gradient) or self.primal.names == self.names
        if inner is not None and (inner.kind != "grad" or inner.aux or not same):
            _refuse_derivative("pushforward")
        return "jvp"


class HessianProduct(_AlongTangents[P]):
    """A product of second derivatives with a vector: call it like the function, or read it.

    Attributes:
        primal: The user's function.
    """

    def __init__(
        self,
        primal: Callable[P, object],
        argnums: Numbers,
        argnames: Names,
        *,
        has_aux: bool,
        policy: Policy = USUAL,
    ) -> None:
        super().__init__(primal, argnums, argnames, has_aux=has_aux, policy=policy)
        self._gradient: Gradient[..., Any] = Gradient(
            primal, argnums, argnames, has_aux, policy, False
        )

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative of the gradient along the tangents.

        It takes the arguments of the function, and the tangent of `x` as `x_dot=`. With
        `has_aux`, it returns a pair of that and the auxiliary part of the result.
        """
        done = self._pushed(self._gradient, args, kwargs)
        return (done[1], done[2]) if self._has_aux else done[1]

    @property
    def kind(self) -> str:
        """Which derivative it is, as the command line calls it."""
        return "hvp"

    def maker(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """Return what makes the text."""
        del arguments
        return tangents_of(self._gradient, self.names, self._policy)

    def export_kind(self, arguments: Mapping[str, Any] | None) -> Kind:
        """Return as what it is exported.

        Raises:
            ExportError: It is that of a derivative.
        """
        del arguments
        if taken_from(self.primal) is not None:
            _refuse_derivative("Hessian product")
        return "hvp"


class Pullback(Product[P]):
    """A function with the map from its adjoint to those of its arguments: call it, or read it.

    Attributes:
        primal: The user's function.
    """

    @takes_tensors
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Return the value, and the function that takes its adjoint to that of the arguments.

        With `has_aux`, the auxiliary part of the result is the third.
        """
        if goes_by_parts(self.primal, (*args, *kwargs.values())):
            return self._by_parts(args, kwargs)
        arguments = bind(self.primal, args, kwargs)
        for name in self.names:
            check_input(arguments[name], name)
        maker = adjoints_of(self.primal, self.names, self._policy)
        value, pull = maker(arguments)
        self._ran = maker.chosen()
        head, aux = split(value, has_aux=self._has_aux)

        def pulled(adjoint: Any) -> Any:
            whole = fitted(adjoint, head)
            if self._has_aux:
                whole = (whole, mapped(lambda leaf: leaf * 0, aux))
            found = pull(whole)
            return found[0] if self._selection.single else found

        return (head, pulled, aux) if self._has_aux else (head, pulled)

    def _by_parts(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the same by the parts of containers that cannot be read by field."""
        how: dict[str, Any] = {"has_aux": self._has_aux, **self._policy.options()}
        value, pull, *aux = vjp(self.primal, *args, kwargs=kwargs, **how)
        places = [parameters_of(self.primal).index(name) for name in self.names]

        def pulled(adjoint: Any) -> Any:
            found = pull(adjoint)
            chosen = tuple(found[place] for place in places)
            return chosen[0] if self._selection.single else chosen

        return value, pulled, *aux

    @property
    def kind(self) -> str:
        """Which derivative it is, as the command line calls it."""
        return "vjp"

    def maker(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """Return what makes the text."""
        del arguments
        return adjoints_of(self.primal, self.names, self._policy)

    def export_kind(self, arguments: Mapping[str, Any] | None) -> Kind:
        """Return as what it is exported.

        Raises:
            ExportError: It is that of a derivative.
        """
        del arguments
        if taken_from(self.primal) is not None:
            _refuse_derivative("pullback")
        return "vjp"


def _refuse_derivative(what: str) -> None:
    raise ExportError(
        f"the {what} of such a derivative is not exported",
        hint=f"write a function that calls the derivative, and export the {what} of that",
    )


@by_form
def pushforward(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Pushforward[P]:
    """Return the function of `jvp` as an object: to be called often, read, or exported.

    Args:
        f: An ordinary function of floats, arrays, and containers of those.
        argnums: The positional parameters that have tangents, as for `grad`.
        argnames: The same by name.
        has_aux: Whether `f` returns a pair of which only the first is differentiated.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Returns:
        A callable with the parameters of `f` and, by name, the tangent of each of those: that of
        `x` is `x_dot`. It returns the value and its tangent.

    Raises:
        ArgumentError: `argnums` or `argnames` make no sense; at a call, a tangent is missing or
            does not fit.
        UnsupportedError: At a call: neither the compiler nor the tape can differentiate `f`.
    """
    policy = policy_of(fallback, backend, verify, pure)
    return Pushforward(f, argnums, argnames, has_aux=has_aux, policy=policy)


@by_form
def pullback(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Pullback[P]:
    """Return the function of `vjp` as an object: to be called often, read, or exported.

    The arguments are those of `pushforward`.

    Returns:
        A callable with the parameters of `f`. It returns the value, and a function from an adjoint
        of that to the adjoint of the argument (a tuple of those if several were asked for).

    Raises:
        ArgumentError: `argnums` or `argnames` make no sense; by the second function, an adjoint
            does not fit the value.
        UnsupportedError: At a call: neither the compiler nor the tape can differentiate `f`.
    """
    policy = policy_of(fallback, backend, verify, pure)
    return Pullback(f, argnums, argnames, has_aux=has_aux, policy=policy)


@by_form
def hessian_product(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> HessianProduct[P]:
    """Return the function of `hvp` as an object: to be called often, read, or exported.

    The arguments are those of `pushforward`; `f` returns one real number.

    Returns:
        A callable with the parameters of `f` and, by name, the vector: the part of `x` is `x_dot`.
        It returns the derivative of the gradient along that.

    Raises:
        ArgumentError: `argnums` or `argnames` make no sense; at a call, a part of the vector is
            missing or does not fit.
        UnsupportedError: At a call: `f` cannot be differentiated twice.
    """
    policy = policy_of(fallback, backend, verify, pure)
    return HessianProduct(f, argnums, argnames, has_aux=has_aux, policy=policy)
