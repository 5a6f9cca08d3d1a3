"""Finds sparse Jacobians and Hessians, with few seeds for many columns."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Literal, NoReturn

import numpy as np

from srcgrad.api.assembling import pulled, pushed
from srcgrad.api.compressing import Compression, by_columns, by_rows, by_symmetry
from srcgrad.api.gradient import Gradient
from srcgrad.api.policy import Policy
from srcgrad.api.selection import Selection
from srcgrad.api.sparsity import Pattern, detect
from srcgrad.api.stacking import count_of
from srcgrad.api.structures import float_leaves, leaves_as_in, mapped, split
from srcgrad.api.surroundings import tried
from srcgrad.api.values import is_complex, leaves
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.tape import in_another_call

Arguments = dict[str, Any]
Mode = Literal["forward", "reverse", "auto", "symmetric"]


class SparseMatrix:
    """The Jacobian of all numbers of a result by all of the arguments, as a sparse matrix."""

    def __init__(
        self,
        primal: Callable[..., Any],
        selection: Selection,
        sparsity: Any,
        *,
        has_aux: bool,
        policy: Policy,
    ) -> None:
        if isinstance(sparsity, str) and sparsity != "detect":
            raise ArgumentError(
                f"sparsity={sparsity!r} is neither 'detect' nor a matrix",
                hint="give an array or a matrix of scipy.sparse, with True where an entry may be",
            )
        self._primal = primal
        self._names = selection.names
        self._single = selection.single
        self._has_aux = has_aux
        self._policy = policy
        self._given = None if isinstance(sparsity, str) else Pattern.of(sparsity)
        self._compressed: dict[Any, Compression] = {}

    def __call__(self, arguments: Arguments, mode: Mode) -> tuple[Any, Any, Mode]:
        """Return the matrix, what comes with the result, and the mode that it was found in.

        The pattern is kept for arguments of the same shapes. Every matrix is compared with a
        product with one vector more: a program may go another way at other arguments.
        """
        if in_another_call():
            refuse_derivative()
        key = tuple(np.shape(leaf) for item in arguments.values() for leaf in float_leaves(item))
        for compression, is_certain in self._tries(key, arguments, mode):
            value, products = self._products(compression, arguments)
            head, aux = split(value, has_aux=self._has_aux)
            if sum(map(np.size, self._results(head, arguments))) != compression.pattern.shape[0]:
                continue
            row = None if is_certain else compression.wrong(products)
            if row is None:
                if not is_certain:
                    self._compressed = {key: compression}
                used: Mode = "reverse" if compression.by_rows else "forward"
                return _matrix(compression, products), aux, used
        raise ArgumentError(
            "sparsity= misses an entry of the Jacobian",
            hint="give the pattern of all entries that may be, or sparsity='detect'",
        )

    def _tries(
        self, key: Any, arguments: Arguments, mode: Mode
    ) -> Iterator[tuple[Compression, bool]]:
        """Yield ways to find the matrix, each with whether it needs no check."""
        known = self._compressed.get(key)
        if known is not None:
            yield known, False
        shape, is_real = self._shape(arguments)
        if mode == "auto" and not is_real:
            mode = "forward"
        if self._given is not None:
            if self._given.shape != shape:
                raise ArgumentError(
                    f"sparsity= has the shape {self._given.shape}, the Jacobian {shape}",
                    hint="rows are numbers of the result, columns those of the argument",
                )
            yield _compressed(self._given, mode), False
            return
        found = self._detected(arguments, mode, shape)
        if found is not None:
            is_alike = known is not None and known.pattern.shape == found.shape
            found = found | known.pattern if known and is_alike else found
            yield _compressed(found, mode), False
        yield _compressed(Pattern.full(shape), mode), True

    def _shape(self, arguments: Arguments) -> tuple[tuple[int, int], bool]:
        """Return the shape of the matrix, and whether it is real."""
        value, _ = split(tried(self._primal, arguments), has_aux=self._has_aux)
        given = [arguments[name] for name in self._names]
        for item in (value, *given):
            if not float_leaves(item):
                kind = getattr(item, "dtype", type(item).__name__)
                raise ArgumentError(
                    f"a sparse Jacobian is that of floats by floats, not of a {kind}",
                    hint="convert whole numbers: x.astype(float)",
                )
        rows = sum(map(np.size, self._results(value, arguments)))
        return (rows, sum(map(count_of, given))), not is_complex(value)

    def _results(self, head: Any, arguments: Arguments) -> list[Any]:
        """Return the leaves of a result that have rows: of a gradient, those that have columns.

        A whole number in a container has a gradient, but no column.
        """
        if not isinstance(self._primal, Gradient):
            return float_leaves(head)
        given = [arguments[name] for name in self._names]
        return leaves_as_in(given[0] if self._single else tuple(given), head)

    def _detected(self, arguments: Arguments, mode: Mode, shape: tuple[int, int]) -> Pattern | None:
        """Return the pattern, found in the mode that has fewer numbers to start from."""
        if mode == "reverse" or (mode == "auto" and shape[0] < shape[1]):
            found = detect(lambda seeds: self._pulled(arguments, seeds)[1], shape[0])
            return None if found is None else found.transposed
        return detect(lambda seeds: self._pushed(arguments, seeds)[1], shape[1])

    def _products(self, compression: Compression, arguments: Arguments) -> tuple[Any, Any]:
        run = self._pulled if compression.by_rows else self._pushed
        return run(arguments, compression.seeds)

    def _pushed(self, arguments: Arguments, seeds: Any) -> tuple[Any, Any]:
        options: dict[str, Any] = {"has_aux": self._has_aux, "policy": self._policy}
        value, columns = pushed(self._primal, self._names, arguments, seeds, **options)
        head, _ = split(value, has_aux=self._has_aux)
        if isinstance(self._primal, Gradient):
            places = count()
            numbered = mapped(lambda _: next(places), head)
            columns = [columns[place] for place in self._results(numbered, arguments)]
        return value, _side_by_side(columns, len(seeds))

    def _pulled(self, arguments: Arguments, seeds: Any) -> tuple[Any, Any]:
        options: dict[str, Any] = {"has_aux": self._has_aux, "policy": self._policy}
        if isinstance(self._primal, Gradient) and _holds_int([arguments[n] for n in self._names]):
            raise ArgumentError(
                "a whole number among the arguments has a row in reverse mode, but no column",
                hint="use srcgrad.hessian or jacfwd, or make it a float",
            )
        value, rows = pulled(self._primal, self._names, arguments, seeds, **options)
        return value, _side_by_side([part for parts in rows for part in parts], len(seeds))


def _holds_int(value: Any) -> bool:
    return any(type(leaf) is int for leaf in leaves(value))


def _side_by_side(parts: list[Any], height: int) -> Any:
    """Return derivatives of all leaves, with a row for each seed, as one matrix."""
    return np.concatenate([part.reshape(height, -1) for part in parts], axis=1)


def _compressed(pattern: Pattern, mode: Mode) -> Compression:
    """Return the products that show the entries, the fewest that the mode has."""
    if mode == "symmetric":
        return by_symmetry(pattern | pattern.transposed)
    if mode == "forward":
        return by_columns(pattern)
    if mode == "reverse":
        return by_rows(pattern)
    return min(by_columns(pattern), by_rows(pattern), key=lambda item: item.count)


def _matrix(compression: Compression, products: Any) -> Any:
    """Return the entries as a matrix of SciPy; those that are zero by chance are kept."""
    sparse: Any = importlib.import_module("scipy.sparse")  # needed here alone
    pattern = compression.pattern
    starts = np.searchsorted(pattern.rows, np.arange(pattern.shape[0] + 1))
    parts = compression.entries(products), pattern.columns, starts
    return sparse.csr_array(parts, shape=pattern.shape)


def refuse_derivative() -> NoReturn:
    """Raise because of a sparse Jacobian in a program that is differentiated.

    Raises:
        UnsupportedError: Always.
    """
    raise UnsupportedError(
        "the derivative of a sparse Jacobian",
        hint="leave sparsity= out where the Jacobian is differentiated again",
    )
