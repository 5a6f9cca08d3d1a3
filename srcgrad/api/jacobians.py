"""Defines Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Literal

import numpy as np

from srcgrad.api.gradient import Gradient
from srcgrad.api.plan import Plan
from srcgrad.api.pullback import Pullback
from srcgrad.api.pushforward import Pushforward, jvp, pushforward
from srcgrad.api.refusal import describe
from srcgrad.api.selection import select
from srcgrad.api.structures import copied, float_leaves, mapped, stacked, units
from srcgrad.api.underlying import bind, owner, plain, to_differentiate
from srcgrad.api.values import check_input
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.expand.operators import Taken
from srcgrad.frontend.expand.unit_columns import columns_function
from srcgrad.insight.explanation import Explanation

Mode = Literal["forward", "reverse", "auto"]


class Jacobian:
    """The matrix of derivatives of a function: call it like the function, or read its text.

    Attributes:
        primal: The user's function.
        mode: "forward" (a column for each input), "reverse" (a row for each output), or "auto".
    """

    def __init__(
        self, primal: Callable[..., Any], argnums: int | Sequence[int], mode: Mode
    ) -> None:
        self.primal = primal
        self.mode = mode
        self._argnums = argnums
        self._text: tuple[Plan, FunctionType] | None = None
        function = plain(primal)
        self._selection = select(function, argnums, None, skip=len(owner(primal)))
        functools.update_wrapper(self, function)

    def __srcgrad_taken__(self) -> Taken:
        """Say to the compiler what this is, where a program that is differentiated calls it."""
        return Taken("jacobian", self.primal, self._argnums, None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the derivative of each number of the result by each number of the arguments.

        For a result of shape r and an argument of shape s, it has the shape r + s. A result that is
        a container gives a container of Jacobians, and so does an argument, inside of that. The
        function runs once for each column, on copies of the arguments, or once for all rows.
        """
        arguments = bind(self.primal, args, kwargs)
        names = self._selection.names
        for name in names:
            check_input(arguments[name], name)
        if self.mode == "reverse":
            found = self._by_rows(arguments)
        elif self.mode == "forward" or not self._is_wide(arguments):
            found = self._by_columns(arguments)
        else:
            found = self._by_rows(arguments)
        return found

    def differentiable(self, *, keep_complex: bool = False) -> Callable[..., Any]:
        """Return the Jacobian as one function with source, column by column.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        if keep_complex:
            raise UnsupportedError(
                "the derivative of a Jacobian at complex arguments",
                hint="differentiate with respect to the real and imaginary parts",
            )
        function = to_differentiate(self.primal)
        if self._text is None or not self._text[0].is_current(function):
            if not self._selection.single:
                raise UnsupportedError(
                    "the Jacobian by several arguments is not one function with source",
                    hint="take the Jacobian by each argument",
                )
            (name,) = self._selection.names
            plan = Pushforward(self.primal, (name,)).general_plan()
            push: Any = plan.function
            self._text = plan, columns_function(push, function, name)
        return self._text[1]

    @property
    def source(self) -> str:
        """The text of the generated module that runs once for each column, or for each row."""
        names = self._selection.names
        if self.mode == "reverse":
            return Pullback(self.primal, names).source
        return Pushforward(self.primal, names[:1]).source

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Say what is differentiated, recorded and called in the text of `source`, and why.

        With arguments, what is kept in a run is measured, on copies of them.
        """
        arguments = bind(self.primal, args, kwargs) if args or kwargs else None
        names = self._selection.names
        if self.mode == "reverse":
            return Pullback(self.primal, names).explain(arguments)
        return Pushforward(self.primal, names[:1]).explain(arguments)

    def _is_wide(self, arguments: dict[str, Any]) -> bool:
        """Say whether there are more inputs than outputs, so that rows are fewer than columns."""
        inputs = sum(np.size(x) for n in self._selection.names for x in float_leaves(arguments[n]))
        if inputs <= 1:
            return False
        first = self._selection.names[0]
        column = next(units(arguments[first]), None)
        if column is None:
            return False
        value, _ = pushforward(self.primal, (first,))(copied(arguments), [column])
        return bool(inputs > sum(np.size(leaf) for leaf in float_leaves(value)))

    def _by_columns(self, arguments: dict[str, Any]) -> Any:
        found = [self._columns_of(name, arguments) for name in self._selection.names]
        if self._selection.single:
            return found[0]
        return _transposed(found)

    def _columns_of(self, name: str, arguments: dict[str, Any]) -> Any:
        push = pushforward(self.primal, (name,))
        value: Any = None
        columns: list[list[Any]] = []
        for tangent in units(arguments[name]):
            value, column = push(copied(arguments), [tangent])
            columns.append(float_leaves(column))
        places = iter(range(len(columns[0]) if columns else 0))

        def fill(leaf: Any) -> Any:
            del leaf
            place = next(places)
            return stacked([column[place] for column in columns], arguments[name])

        return mapped(fill, value)

    def _by_rows(self, arguments: dict[str, Any]) -> Any:
        value, pull = Pullback(self.primal, self._selection.names)(copied(arguments))
        rows = [pull(adjoint) for adjoint in units(value)]
        rest = iter(rows)

        def fill(leaf: Any) -> Any:
            ours = [next(rest) for _ in range(np.size(leaf))]
            parts = tuple(
                _rows_like(arguments[name], [row[place] for row in ours], np.shape(leaf))
                for place, name in enumerate(self._selection.names)
            )
            return parts[0] if self._selection.single else parts

        return mapped(fill, value)

    def __repr__(self) -> str:
        return f"<srcgrad.jacobian of {describe(self.primal)}, {self.mode} mode>"


def _rows_like(value: Any, rows: list[Any], shape: tuple[int, ...]) -> Any:
    """Return gradients of each number of a result as Jacobians in the structure of an argument."""
    leaves = [float_leaves(row) for row in rows]
    places = iter(range(len(float_leaves(value))))

    def fill(leaf: Any) -> Any:
        place = next(places)
        if not rows:
            return np.zeros(shape + np.shape(leaf))
        return np.stack([row[place] for row in leaves]).reshape(shape + np.shape(leaf))

    return mapped(fill, value)


def _transposed(found: list[Any]) -> Any:
    """Turn one result for each argument into a result of tuples, one entry for each argument."""
    first = found[0]
    if isinstance(first, dict):
        return {key: _transposed([item[key] for item in found]) for key in first}
    if isinstance(first, (list, tuple)):
        parts = [_transposed([item[i] for item in found]) for i in range(len(first))]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return None if first is None else tuple(found)


def jacfwd(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Jacobian:
    """Return the Jacobian of a function, column by column in forward mode.

    Use it where there are fewer inputs than outputs. See `jacobian` for shapes and errors.
    """
    return Jacobian(f, argnums, "forward")


def jacrev(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Jacobian:
    """Return the Jacobian of a function, row by row in reverse mode.

    Use it where there are fewer outputs than inputs. See `jacobian` for shapes and errors.
    """
    return Jacobian(f, argnums, "reverse")


def jacobian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Jacobian:
    """Return the Jacobian of a function, in the mode that takes fewer runs.

    Args:
        f: An ordinary function of floats, arrays and containers of those, which may return any of
            them.
        argnums: The positional parameters to differentiate with respect to: an int, or a tuple for
            a tuple of Jacobians.

    Returns:
        A callable with the parameters of `f`. For a result of shape r and an argument of shape s it
        returns an array of shape r + s; containers give containers, the result's outside.

    Raises:
        ArgumentError: `argnums` makes no sense.
        UnsupportedError: At the call: neither the compiler nor the tape can differentiate `f`.
    """
    return Jacobian(f, argnums, "auto")


def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Jacobian:
    """Return the matrix of second derivatives of a function that returns one real number.

    It is the Jacobian, in forward mode, of the generated gradient. For one argument of shape s it
    has the shape s + s; several give a tuple of tuples, containers give containers of containers.

    Raises:
        ArgumentError: `argnums` makes no sense.
        UnsupportedError: At the call: `f` cannot be differentiated twice.
    """
    return Jacobian(Gradient(f, argnums, None, False, "warn", False), argnums, "forward")


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the product of a function's second derivatives with a vector.

    Args:
        f: A function that returns one real number.
        primals: Its positional arguments.
        tangents: The vector: one tangent for each of them; None for an argument that is held.

    Returns:
        The derivative of the gradient along the tangents: of the structure of the argument, or a
        tuple of those if several arguments have tangents.

    Raises:
        ArgumentError: The tangents do not fit the primals.
        UnsupportedError: `f` cannot be differentiated twice.
    """
    chosen = [place for place, tangent in enumerate(tangents) if tangent is not None]
    argnums = chosen[0] if len(chosen) == 1 else tuple(chosen)
    return jvp(Gradient(f, argnums, None, False, "warn", False), primals, tangents)[1]
