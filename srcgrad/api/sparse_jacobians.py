"""Finds sparse Jacobians and Hessians, with few seeds for many columns."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NoReturn

import numpy as np

from srcgrad.api.assembling import pulled, pushed
from srcgrad.api.compressing import Compression, by_columns, by_rows, by_symmetry
from srcgrad.api.selection import Selection
from srcgrad.api.sparsity import Pattern, detect
from srcgrad.api.structures import copied, float_leaves, split
from srcgrad.api.underlying import called
from srcgrad.api.values import is_complex, is_float
from srcgrad.errors import ArgumentError, UnsupportedError
from srcgrad.tape import in_another_call

Arguments = dict[str, Any]
Mode = Literal["forward", "reverse", "auto", "symmetric"]
_ONE_ARRAY: Final = "a sparse Jacobian is that of one array by one array"


class SparseMatrix:
    """The Jacobian of a function of one array that returns one, as a sparse matrix."""

    def __init__(
        self, primal: Callable[..., Any], selection: Selection, sparsity: Any, *, has_aux: bool
    ) -> None:
        if not selection.single:
            raise ArgumentError(_ONE_ARRAY, hint="give argnums= as one number, not as a tuple")
        if isinstance(sparsity, str) and sparsity != "detect":
            raise ArgumentError(
                f"sparsity={sparsity!r} is neither 'detect' nor a matrix",
                hint="give an array or a matrix of scipy.sparse, with True where an entry may be",
            )
        self._primal = primal
        self._name = selection.names[0]
        self._has_aux = has_aux
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
            if np.size(head) != compression.pattern.shape[0]:
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
        value, _ = split(called(self._primal, copied(arguments)), has_aux=self._has_aux)
        for item in (value, arguments[self._name]):
            if not is_float(item):
                kind = getattr(item, "dtype", type(item).__name__)
                raise ArgumentError(
                    f"{_ONE_ARRAY} of floats, not of a {kind}",
                    hint="lay the numbers out in one array, as srcgrad.scipy_objective does",
                )
        return (np.size(value), np.size(arguments[self._name])), not is_complex(value)

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
        options = {"has_aux": self._has_aux}
        value, (found,) = pushed(self._primal, self._name, arguments, seeds, **options)
        return value, found.reshape(len(seeds), -1)

    def _pulled(self, arguments: Arguments, seeds: Any) -> tuple[Any, Any]:
        options = {"has_aux": self._has_aux}
        value, ((found,),) = pulled(self._primal, (self._name,), arguments, seeds, **options)
        return value, found.reshape(len(seeds), -1)


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
