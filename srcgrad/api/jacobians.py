"""Defines Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Concatenate, Generic, overload

import numpy as np

from srcgrad.api.assembling import by_columns, by_rows
from srcgrad.api.binding import bound
from srcgrad.api.call_forms import by_form, named
from srcgrad.api.containers import goes_by_parts, of_parts, parts_of, put_together
from srcgrad.api.elsewhere import is_elsewhere
from srcgrad.api.filled_elsewhere import jacobian_elsewhere, refuse_all_but_plain
from srcgrad.api.gradient import Gradient
from srcgrad.api.halves import adjoints_of
from srcgrad.api.kinds import Kinds, is_bound_in_order, kinds_of, remember
from srcgrad.api.looks import P, Q, look_like
from srcgrad.api.made import Made
from srcgrad.api.making import made_once
from srcgrad.api.on_tensors import takes_tensors
from srcgrad.api.pickling import reduced
from srcgrad.api.plan import Plan
from srcgrad.api.policy import USUAL, Backend, Fallback, Policy, policy_of
from srcgrad.api.proofs import refuse_doubted
from srcgrad.api.pushforward import jvp, tangents_of
from srcgrad.api.refusal import describe
from srcgrad.api.selection import select
from srcgrad.api.short_ways import Columns, Rows, short_way
from srcgrad.api.sparse_jacobians import Mode, SparseMatrix, refuse_derivative
from srcgrad.api.stacking import count_of
from srcgrad.api.structures import float_leaves, split
from srcgrad.api.surroundings import tried
from srcgrad.api.tape_gradient import on_tape
from srcgrad.api.underlying import bind, owner, plain, to_differentiate
from srcgrad.api.values import check_input, is_complex
from srcgrad.errors import (
    ArgumentError,
    ExportError,
    NotDifferentiableError,
    UnsupportedError,
)
from srcgrad.exporting.request import Kind
from srcgrad.frontend.expand.operators import Taken, taken_from
from srcgrad.frontend.expand.unit_columns import columns_function
from srcgrad.runtime.objects import is_plain_object
from srcgrad.tape import in_another_call

Numbers = int | Sequence[int] | None
Names = str | Sequence[str] | None


class Jacobian(Made, Generic[P]):
    """The matrix of derivatives of a function: call it like the function, or read its text.

    Attributes:
        primal: The user's function.
        mode: "forward" (a column for each input), "reverse" (a row for each output), or "auto".
    """

    def __init__(  # noqa: PLR0913 - what it is of, and how it is taken
        self,
        primal: Callable[P, object],
        argnums: Numbers,
        argnames: Names,
        mode: Mode,
        *,
        has_aux: bool,
        sparsity: Any = None,
        policy: Policy = USUAL,
    ) -> None:
        if not callable(primal):
            raise ArgumentError(
                f"a Jacobian needs a function, not {type(primal).__name__}",
                hint="write srcgrad.jacobian(f), without calling f",
            )
        self.primal: Callable[..., Any] = primal
        self.mode = mode
        self._options = argnums, argnames, has_aux
        self._sparsity = sparsity
        self._policy = policy
        self._text: tuple[Plan, FunctionType] | None = None
        self._has_aux = has_aux
        function = plain(primal)
        self._selection = select(function, argnums, argnames, skip=len(owner(primal)))
        self._results: dict[Any, float] = {}
        self._calls: dict[Kinds, Columns | Rows] = {}
        self._is_one_array: bool | None = None
        self._last: Mode = "forward" if mode == "auto" else mode
        self._sparse = None
        if sparsity is not None:
            self._sparse = SparseMatrix(
                primal, self._selection, sparsity, has_aux=has_aux, policy=policy
            )
        look_like(self, function, len(owner(primal)), self._selection.signature)

    def __reduce__(self) -> Any:
        return reduced(self, _text=None, _results={}, _calls={})

    def __srcgrad_taken__(self) -> Taken:
        """Say to the compiler what this is, where a program that is differentiated calls it."""
        if self._sparse is not None:
            refuse_derivative()
        return Taken("jacobian", self.primal, *self._options)

    @takes_tensors
    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Return the derivative of each number of the result by each number of the arguments.

        For a result of shape r and an argument of shape s, it has the shape r + s. A result that is
        a container gives a container of Jacobians, and so does an argument, inside of that. With
        `has_aux`, it is a pair of that and the auxiliary part of the result. With `sparsity`, it
        is a matrix of `scipy.sparse` with a row for each number of the result.
        """
        if in_another_call():
            return on_tape(self)(*owner(self.primal), *args, **kwargs)
        kinds = None if kwargs else kinds_of(args)
        call = None if kinds is None else self._calls.get(kinds)
        again = None if call is None else call.again(args)
        if again is not None:
            self._last = "reverse" if isinstance(call, Rows) else "forward"
            return again
        if goes_by_parts(self.primal, (*args, *kwargs.values())):
            twin = self.of(of_parts(self.primal))
            return put_together(twin(*map(parts_of, args), **parts_of(kwargs)))
        arguments = bind(self.primal, args, kwargs)
        if is_elsewhere(arguments.values()):
            is_plain = self._sparse is None and not self._has_aux and not self._policy.verify
            refuse_all_but_plain(arguments, is_plain=is_plain)
            how: Any = {"mode": self.mode, "single": self._selection.single, "policy": self._policy}
            return jacobian_elsewhere(self.primal, self.names, arguments, **how)
        for name in self.names:
            check_input(arguments[name], name)
            _refuse_complex(arguments[name], f"its argument `{name}` is")
            if isinstance(arguments[name], int):
                arguments[name] = float(arguments[name])
        if self._sparse is not None:
            found, aux, self._last = self._sparse(arguments, self.mode)
            return (found, aux) if self._has_aux else found
        mode = self._last = self._chosen(arguments)
        make = by_rows if mode == "reverse" else by_columns
        options = {"single": self._selection.single, "has_aux": self._has_aux}
        found, aux = make(self.primal, self.names, arguments, policy=self._policy, **options)
        if self._has_aux:
            return found, aux
        if kinds is not None and is_bound_in_order(args, arguments):
            reverse = mode == "reverse"
            short = short_way(self._maker(mode), arguments, found, reverse=reverse)
            if short is not None:
                remember(self._calls, kinds, short)
        return found

    def differentiable(self, *, keep_complex: bool = False, arguments: Any = None) -> Any:
        """Return the Jacobian as one function with source, column by column.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        if self._sparse is not None:
            refuse_derivative()
        if keep_complex:
            raise UnsupportedError(
                "the derivative of a Jacobian at complex arguments",
                hint="differentiate with respect to the real and imaginary parts",
            )
        function = to_differentiate(self.primal, arguments=arguments)
        if self._text is None or not self._text[0].is_current(function):
            if not self._selection.single:
                raise UnsupportedError(
                    "the Jacobian by several arguments is not one function with source",
                    hint="take the Jacobian by each argument",
                )
            (name,) = self._selection.names
            plan = tangents_of(self.primal, (name,), self._policy).general_plan()
            refuse_doubted(plan)
            push: Any = plan.function
            self._text = plan, columns_function(push, function, name)
        return self._text[1]

    def refuse_containers(self, arguments: Mapping[str, Any]) -> None:
        """Raise where the Jacobian is not one array, which alone is one function with source.

        Raises:
            UnsupportedError: There is a container among the argument and the result.
        """
        if self._is_one_array is None:
            self._is_one_array = not self._has_aux and not _is_container(
                tried(self.primal, arguments)
            )
        if not self._is_one_array or any(_is_container(arguments[name]) for name in self.names):
            raise UnsupportedError(
                "the derivative of a Jacobian in containers",
                hint="take the Jacobian of a function of one array, or of a vector of all numbers",
            )

    @property
    def source(self) -> str:
        """The text of the generated module, of the mode that the last call used, if it chooses."""
        text: str = self._maker(self._last).stacked_source
        return text

    def maker(self, arguments: Mapping[str, Any] | None = None) -> Any:
        """Return what makes the text that gives a column or a row of the Jacobian."""
        return self._maker(self._mode(arguments))

    def _maker(self, mode: Mode) -> Any:
        make: Any = adjoints_of if mode == "reverse" else tangents_of
        return make(self.primal, self.names if mode == "reverse" else self.names[:1], self._policy)

    def export_kind(self, arguments: Mapping[str, Any] | None) -> Kind:
        """Return as what it is exported.

        Raises:
            ExportError: It is none that a module can hold.
        """
        for name in self.names:
            _refuse_complex((arguments or {}).get(name), f"its argument `{name}` is")
        inner = taken_from(self.primal)
        mode = self._mode(arguments)
        if inner is None and mode == "reverse":
            return "jacrev"
        is_other = inner is not None and (inner.kind != "grad" or inner.aux != self._has_aux)
        if is_other or (inner is not None and mode == "reverse"):
            raise ExportError(
                f"the {mode} Jacobian of such a derivative is not exported",
                hint="write a function that calls the derivative, and export the Jacobian of that",
            )
        if len(self.names) > 1:
            raise ExportError(
                "derivatives by several arguments are not exported column by column",
                hint="export those by each argument, or by one tuple or dict of all; or use jacrev",
            )
        return "jacfwd" if inner is None else "hessian"

    def afresh(self) -> Jacobian[P]:
        """Return the same derivative, as if nothing had been called.

        Raises:
            ExportError: It is sparse.
        """
        argnums, argnames, has_aux = self._options
        if self._sparse is not None:
            raise ExportError(
                "a sparse Jacobian, whose seeds are chosen at run time, is not exported",
                hint="leave sparsity= out, or export srcgrad.pushforward(f)",
            )
        several_at_once = self.mode == "auto" and len(self.names) > 1
        mode: Mode = "reverse" if several_at_once else self.mode
        options: dict[str, Any] = {"has_aux": has_aux, "policy": self._policy}
        return Jacobian(self.primal, argnums, argnames, mode, **options)

    @property
    def kind(self) -> str:
        """Which derivative it is, as the command line calls it."""
        if taken_from(self.primal) is not None:
            return "hessian"
        return {"forward": "jacfwd", "reverse": "jacrev"}.get(self.mode, "jacobian")

    def _mode(self, arguments: Mapping[str, Any] | None) -> Mode:
        """Return the mode for a call; without one, what the last call or nothing has chosen."""
        if arguments is not None:
            return self._chosen(arguments)
        return self._last

    def _chosen(self, arguments: Mapping[str, Any]) -> Mode:
        """Return the mode that takes fewer seeds."""
        if self.mode != "auto":
            return self.mode
        inputs = sum(count_of(arguments[name]) for name in self.names)
        if inputs <= 1:
            return "forward"
        return "reverse" if inputs > self._outputs(arguments) else "forward"

    def _outputs(self, arguments: Mapping[str, Any]) -> float:
        """Return how many real numbers the result holds: infinitely many if some are complex.

        The function is asked once for each shape of its arguments.
        """
        key = tuple(
            item.shape if type(item) is np.ndarray else tuple(map(np.shape, float_leaves(item)))
            for item in arguments.values()
        )
        found = self._results.get(key)
        if found is None:
            value, _ = split(tried(self.primal, arguments), has_aux=self._has_aux)
            found = np.inf if is_complex(value) else count_of(value)
            self._results = {key: found}
        return found

    def of(self, primal: Callable[..., Any]) -> Jacobian[...]:
        """Return the Jacobian of another function, with the same options."""
        argnums, argnames, has_aux = self._options
        options = {"has_aux": has_aux, "sparsity": self._sparsity, "policy": self._policy}
        return Jacobian(primal, argnums, argnames, self.mode, **options)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Jacobian[P]: ...
    @overload
    def __get__(
        self: Jacobian[Concatenate[Any, Q]], instance: object, owner: type | None = None
    ) -> Jacobian[Q]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind to an instance, as functions do; parameters are then counted after `self`."""
        return bound(self, instance)

    def __repr__(self) -> str:
        return f"<srcgrad.jacobian of {describe(self.primal)}, {self.mode} mode>"


def _is_container(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple)) or is_plain_object(value)


def _refuse_complex(value: Any, what: str) -> None:
    if is_complex(value):
        raise NotDifferentiableError(
            f"a Jacobian is not one array of complex numbers where {what} complex",
            hint="take real and imaginary parts as two real arguments: f(x + 1j * y)",
        )


@by_form
def jacfwd(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    sparsity: Any = None,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Jacobian[P]:
    """Return the Jacobian of a function, column by column in forward mode.

    Use it where there are fewer inputs than outputs. See `jacobian` for arguments and errors.
    """
    policy = policy_of(fallback, backend, verify, pure)
    options = {"has_aux": has_aux, "sparsity": sparsity, "policy": policy}
    return Jacobian(f, argnums, argnames, "forward", **options)


@by_form
def jacrev(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    sparsity: Any = None,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Jacobian[P]:
    """Return the Jacobian of a function, row by row in reverse mode.

    Use it where there are fewer outputs than inputs. See `jacobian` for arguments and errors.
    """
    policy = policy_of(fallback, backend, verify, pure)
    options = {"has_aux": has_aux, "sparsity": sparsity, "policy": policy}
    return Jacobian(f, argnums, argnames, "reverse", **options)


@by_form
def jacobian(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    sparsity: Any = None,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Jacobian[P]:
    """Return the Jacobian of a function, in the mode that takes fewer seeds.

    Args:
        f: An ordinary function of floats, arrays and containers of those, which may return any of
            them.
        argnums: The positional parameters to differentiate with respect to: an int, or a tuple for
            a tuple of Jacobians. The first if neither these nor names are given.
        argnames: Parameters by name, likewise.
        has_aux: Whether `f` returns a pair of which only the first is differentiated; the second
            is handed on as it is.
        sparsity: Where entries may be, as an array or a matrix of `scipy.sparse`, or "detect". The
            Jacobian is then one `scipy.sparse.csr_array` with a row for each number of the result
            and a column for each number of the arguments, in their order, found from one seed for
            each group of columns (or rows) that do not overlap.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Returns:
        A callable with the parameters of `f`. For a result of shape r and an argument of shape s it
        returns an array of shape r + s; containers give containers, the result's outside. Where the
        generated text can carry all seeds at once, it runs once.

    Raises:
        ArgumentError: `argnums` or `argnames` make no sense; at the call, `sparsity` has another
            shape or misses an entry.
        UnsupportedError: At the call: neither the compiler nor the tape can differentiate `f`.
    """
    policy = policy_of(fallback, backend, verify, pure)
    options = {"has_aux": has_aux, "sparsity": sparsity, "policy": policy}
    return Jacobian(f, argnums, argnames, "auto", **options)


@by_form
def hessian(  # noqa: PLR0913 - each is an option of its own
    f: Callable[P, object],
    argnums: Numbers = None,
    argnames: Names = None,
    has_aux: bool = False,
    sparsity: Any = None,
    *,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Jacobian[P]:
    """Return the matrix of second derivatives of a function that returns one real number.

    It is the Jacobian, in forward mode, of the generated gradient. For one argument of shape s it
    has the shape s + s; several give a tuple of tuples, containers give containers of containers.
    The arguments are those of `jacobian`; with `sparsity`, the symmetry saves seeds.

    Raises:
        ArgumentError: `argnums` or `argnames` make no sense.
        UnsupportedError: At the call: `f` cannot be differentiated twice.
    """
    policy = policy_of(fallback, backend, verify, pure)
    gradient: Gradient[P, Any] = Gradient(f, argnums, argnames, has_aux, policy, False)
    mode: Mode = "forward" if sparsity is None else "symmetric"
    options = {"has_aux": has_aux, "sparsity": sparsity, "policy": policy}
    return Jacobian(gradient, argnums, argnames, mode, **options)


@made_once
def _gradient_of(
    f: Callable[..., Any], argnums: Numbers, has_aux: bool, policy: Policy
) -> Gradient[..., Any]:
    """Return the gradient of `f`, the same one at every call."""
    return Gradient(f, argnums, None, has_aux, policy, False)


def hvp(  # noqa: PLR0913 - each is an option of its own
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = False,
    kwargs: Mapping[str, Any] | None = None,
    backend: Backend = "auto",
    fallback: Fallback = "warn",
    pure: bool = False,
    verify: bool = False,
) -> Any:
    """Return the product of a function's second derivatives with a vector.

    Args:
        f: A function that returns one real number.
        primals: Its positional arguments.
        tangents: The vector: one tangent for each of them; None for an argument that is held.
        has_aux: Whether `f` returns a pair of which only the first is differentiated.
        kwargs: Further arguments by name, which are held.
        backend: What runs: generated text, or the tape; see `grad`.
        fallback: What to do with a function that source transformation refuses; see `grad`.
        pure: Leave the caller's arguments as they are, and do without what only they would show.
        verify: Compare each generated text with the other engine and with differences.

    Returns:
        The derivative of the gradient along the tangents: of the structure of the argument, or a
        tuple of those if several arguments have tangents. With `has_aux`, a pair of that and the
        auxiliary part.

    Raises:
        ArgumentError: The tangents do not fit the primals.
        UnsupportedError: `f` cannot be differentiated twice.
    """
    chosen = [place for place, tangent in enumerate(tangents) if tangent is not None]
    if not chosen:
        raise ArgumentError(
            "srcgrad.hvp needs a tangent for one of the arguments",
            hint="give None only for arguments that are held",
        )
    f = named(f, len(primals), kwargs, chosen)
    argnums = chosen[0] if len(chosen) == 1 else tuple(chosen)
    policy = policy_of(fallback, backend, verify, pure)
    gradient = _gradient_of(f, argnums, has_aux, policy)
    how: dict[str, Any] = {"has_aux": has_aux, "kwargs": kwargs, **policy.options()}
    _, *found = jvp(gradient, primals, tangents, **how)
    return tuple(found) if has_aux else found[0]
