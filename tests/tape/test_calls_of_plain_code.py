"""Calls of NumPy, SciPy and Python in plain code on the tape, in forms that are seldom written."""

# ruff: noqa: E721, UP031, PLW0108 - programs are written as people write them

from __future__ import annotations

import ast
import inspect
import io
import json
from typing import Any

import numpy as np
import pytest
from scipy import integrate, sparse, stats
from scipy.sparse import linalg as sparse_linalg

import srcgrad as sg
from srcgrad import tape
from srcgrad.api.fallback import run_on_tape
from srcgrad.errors import (
    MissingRuleError,
    MutationError,
    NotDifferentiableError,
    UnsupportedError,
)
from tests.differences import assert_same, numerical_gradient

X = np.array([0.5, 1.5])
TABLE = np.array([[0.5, 1.5], [3.0, 0.4]])


def on_tape(function: Any, *args: Any) -> tuple[Any, Any]:
    value, (found,) = run_on_tape(
        function, inspect.signature(function), ("x",), args, {}, aux=False
    )
    return value, found


def compare(function: Any, x: Any) -> None:
    """Compare value and gradient on the tape with the plain function and its differences."""
    for point in (x, x * 1.25):  # stand-ins of the first call must not be met by the second
        value, found = on_tape(function, np.copy(point))
        np.testing.assert_allclose(value, function(np.copy(point)), 1e-12)
        assert_same(found, numerical_gradient(function, (np.copy(point),), 0))


# -- pieces of a function --------------------------------------------------------------------------

SQUARE_OR_TRIPLE = [lambda v: v * v, lambda v: 3.0 * v]
PIECES = {
    "a condition of each element": lambda x: np.piecewise(x, [True, False], SQUARE_OR_TRIPLE),
    "one array": lambda x: np.piecewise(x, x > 1.0, SQUARE_OR_TRIPLE),
    "one array in a list": lambda x: np.piecewise(x, [x > 1.0], SQUARE_OR_TRIPLE),
    "a row for each": lambda x: np.piecewise(x, np.array([x > 1.0, x <= 1.0]), SQUARE_OR_TRIPLE),
    "lists": lambda x: np.piecewise(x, [[True, False], [False, True]], SQUARE_OR_TRIPLE),
    "a tuple and a number": lambda x: np.piecewise(x, (x > 1.0, x < 0.1), [lambda v: v**3, 2.0]),
    "conditions that overlap": lambda x: np.piecewise(
        x, [x > 0.1, x > 1.0], [*SQUARE_OR_TRIPLE, 7.0]
    ),
    "nothing chosen": lambda x: np.piecewise(x, [x > 9.0], [lambda v: 1.0 / v[0], lambda v: v**3]),
    "a truth value": lambda x: np.piecewise(x, True, SQUARE_OR_TRIPLE[:1]),
    "arguments": lambda x: np.piecewise(x, [x > 1.0], [lambda v, k, p: k * v**p] * 2, 3.0, p=3),
    "a number": lambda x: np.piecewise(x[1], x[1] > 1.0, SQUARE_OR_TRIPLE) * x,
    "a number in a list": lambda x: np.piecewise(x[0], [x[1] < 1.0], SQUARE_OR_TRIPLE) * x,
    "a number of Python": lambda x: np.piecewise(float(x[0]), [False, True], SQUARE_OR_TRIPLE) * x,
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces_are_chosen_as_numpy_chooses_them(name: str) -> None:
    pieces = PIECES[name]
    compare(lambda x: np.sum(pieces(x)), X)


def of_rows(x: Any) -> Any:
    return np.sum(np.piecewise(x, x > 1.0, SQUARE_OR_TRIPLE))


def of_elements(x: Any) -> Any:
    return np.sum(np.piecewise(x, [True, False], SQUARE_OR_TRIPLE))


@pytest.mark.parametrize(("function", "x"), [(of_rows, TABLE), (of_elements, X)])
def test_rows_of_a_condition_are_conditions(function: Any, x: Any) -> None:
    compare(function, x)
    assert_same(sg.grad(function, fallback="tape")(x), numerical_gradient(function, (x,), 0))


def test_too_few_pieces_are_numpys_own_error() -> None:
    with pytest.raises(ValueError, match="with 2 condition"):
        on_tape(lambda x: np.sum(np.piecewise(x, [x > 1.0, x < 1.0], SQUARE_OR_TRIPLE[:1])), X)


# -- methods of ufuncs -----------------------------------------------------------------------------

LOGICAL = {
    "or of each beginning": lambda x: np.logical_or.accumulate(x),
    "and of each beginning": lambda x: np.logical_and.accumulate(x, axis=1),
    "xor of one row": lambda x: np.logical_xor.reduce(x[:1]),
    "xor of all rows": lambda x: np.logical_xor.reduce(x > 1.0),
    "xor of pieces": lambda x: np.logical_xor.reduceat(x, [0, 1]),
    "and of rows": lambda x: np.logical_and.reduce(x, axis=1, keepdims=True),
    "and of all": lambda x: np.logical_and.reduce(x, axis=None, initial=False) + 1.0,
    "or of some": lambda x: np.logical_or.reduce(x, where=x > 1.0),
    "and of the first axis": lambda x: np.logical_and.reduce(x > 0.45),
    "and into an array": lambda x: np.logical_and.reduce(x, out=np.zeros(2)),
    "or into a tuple": lambda x: np.logical_or.reduce(x, out=(np.zeros(2, bool),)),
    "or into an array of the tape": lambda x: np.logical_or.reduce(
        x > 2.0, out=np.zeros_like(x[0])
    ),
    "and of pairs": lambda x: np.logical_and.outer(x[0], x[1])[0],
    "and of bits": lambda x: np.bitwise_and.accumulate(x > 1.0),
    "whole parts": lambda x: np.floor_divide.accumulate(x[:1]) * 0.0 + x[:1],
}


@pytest.mark.parametrize("name", LOGICAL)
def test_what_is_true_of_a_row_is_no_float_with_a_gradient(name: str) -> None:
    asked = LOGICAL[name]

    def function(x: Any) -> Any:
        return np.sum(x * asked(x) * x)

    compare(function, TABLE)
    assert_same(
        sg.grad(function, fallback="tape")(TABLE), numerical_gradient(function, (TABLE,), 0)
    )


def test_ufuncs_into_arrays_where_chosen() -> None:
    def constant(x: Any) -> Any:
        found = np.zeros(2)
        np.floor(x * 3.0, out=found, where=[False, True])
        return np.sum(x * found)

    compare(constant, X)
    t = tape.tensor(X, requires_grad=True)
    found = np.zeros(2)
    with tape.no_grad():
        np.sin(t, out=found, where=[True, False])
    assert found.tolist() == [np.sin(0.5), 0.0]
    with pytest.raises(NotDifferentiableError, match="out="):
        np.sin(t, out=found, where=[True, False])
    np.sin(tape.tensor([1.0, 2.0]), out=found, where=[False, True])
    assert found.tolist() == [np.sin(0.5), np.sin(2.0)]
    flags = tape.tensor([0.0, 0.0])
    np.add.at(flags, [1, 1], 2.0)
    assert flags.tolist() == [0.0, 4.0]
    with tape.no_grad():
        np.add.at(t, [1, 1], 2.0)  # a leaf, which may be written where nothing is recorded
    assert t.tolist() == [0.5, 5.5]


CONSTANT = np.zeros(2)


# -- makers of arrays ------------------------------------------------------------------------------

MADE = {
    "up to a number": lambda x: np.sum(np.arange(x[0] * 4.1) * x[1]),
    "up to a number by name": lambda x: np.sum(np.arange(stop=x[1] * 2.1) * x[0]),
    "from and to": lambda x: np.sum(np.arange(x[0], 4.0) * x[1]),
    "to by name": lambda x: np.sum(np.arange(x[0], stop=4.0) * x[1]),
    "all by name": lambda x: np.sum(np.arange(start=x[0], stop=3.3, step=0.7) * x[1]),
    "in steps": lambda x: np.sum(np.arange(0.1, 5.0, x[1]) ** 2),
    "sums with options": lambda x: np.sum(
        np.einsum("i,ij->j", x, TABLE, dtype=float, order="C", casting="safe") ** 2
    ),
    "a row of elements": lambda x: (
        np.sum(np.add(x.flat, 1.0)) + np.sum(x.flat.base**2) + x.flat.copy()[1] * len(x.flat)
    ),
    "no method of a row": lambda x: x[0] * 3.0 if hasattr(x.flat, "sum") else x[1] * 5.0,
    "a class of its own": lambda x: np.sum(x * MARKED),
    "division with rest": lambda x: np.sum(
        np.array(divmod(7.3, float(x[0]))) * x[1] + np.array(divmod(x[1], 0.4))
    ),
}


class Marked(np.ndarray):
    """An array of a class of the user's."""


MARKED = np.array([2.0, 3.0]).view(Marked)


@pytest.mark.parametrize("name", MADE)
def test_arrays_are_made_as_numpy_makes_them(name: str) -> None:
    compare(MADE[name], X + 0.013)


def test_arrays_of_other_classes_are_no_arguments() -> None:
    def product(x: Any, y: Any) -> Any:
        return np.sum(x * y)

    compare(lambda x: product(x, MARKED), X)
    with pytest.raises(UnsupportedError, match="Marked"):
        on_tape(lambda x: product(x, 2.0), MARKED)
    value, found = on_tape(product, X, MARKED)
    assert value == 5.5
    np.testing.assert_array_equal(found, [2.0, 3.0])


# -- sparse matrices and distributions of constants ------------------------------------------------

FIXED = sparse.csr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
MATRIX = sparse.csr_matrix(FIXED)
COLUMNS = sparse.csc_array(FIXED)
FACTORS = sparse_linalg.splu(sparse.csc_array(np.array([[1.0, 2.0], [0.5, 3.0]])))
SOLVE = FACTORS.solve


def lower(kind: Any) -> Any:
    class Lower(kind):  # type: ignore[misc, valid-type]
        pass

    return Lower


class Own(sparse.csr_array):
    """A class of the user's."""


SPARSE = {
    "an array on the left": lambda x: np.sum((x @ FIXED) ** 2) + np.sum(FIXED.__rmatmul__(x)),
    "a table on the left": lambda x: np.sum((np.outer(x, x) @ FIXED) ** 2),
    "times a number": lambda x: (FIXED * x[0]).sum() + (x[1] * FIXED).sum(),
    "over a number": lambda x: (FIXED / x[0]).sum() * x[1] + (FIXED / 2.0).sum() * x[0],
    "element by element": lambda x: FIXED.multiply(x).sum() + FIXED.multiply(2.0).sum() * x[0],
    "plus a matrix": lambda x: np.sum((FIXED + sparse.diags_array(x)) @ x),
    "minus a matrix": lambda x: np.sum((FIXED - sparse.diags_array(x)) @ x),
    "to a matrix": lambda x: np.sum((sparse.diags_array(x) + FIXED) @ x),
    "from a matrix": lambda x: np.sum((sparse.diags_array(x) - FIXED) @ x),
    "of constants": lambda x: np.sum((FIXED + FIXED - 2.0 * FIXED * 0.3) @ x),
    "a matrix on the left": lambda x: np.sum((sparse.diags_array(x) @ FIXED) @ x),
    "a matrix on the right": lambda x: np.sum((FIXED @ sparse.diags_array(x)) @ x),
    "a product of matrices": lambda x: np.sum((MATRIX * x) ** 2),
    "a matrix times a number": lambda x: (MATRIX * x[0] + x[1] * MATRIX).toarray().sum(),
    "solved with factors": lambda x: (
        np.sum(FACTORS.solve(x) ** 2) + np.sum(FACTORS.solve(CONSTANT + 1.0)) * x[0]
    ),
    "solved with a method": lambda x: (
        np.sum(SOLVE(x) ** 2) + np.sum(SOLVE(x, "T") ** 3) + SOLVE(CONSTANT + 1.0)[0] * x[0]
    ),
    "asked for their size": lambda x: FACTORS.nnz * x[0] + FACTORS.shape[1] * x[1],
    "the same class": lambda x: (
        x[0] * (type(FIXED) is sparse.csr_array)
        + x[1] * (type(FIXED) == sparse.csr_array)
        + 3.0 * x[0] * (sparse.csr_array == type(FIXED))
        + 5.0 * x[1] * (type(FIXED @ FIXED) is type(FIXED))
        + 7.0 * x[0] * isinstance(FIXED, type(FIXED))
        + {sparse.csr_array: 11.0 * x[1]}[type(FIXED)]
        + 13.0 * x[0] * (sparse.csr_array == sparse.csr_array)
        + len(type(FIXED).__name__) * x[1]
    ),
    "another class": lambda x: (
        x[0] * (type(COLUMNS) is sparse.csr_array)
        + x[1] * (type(COLUMNS) != sparse.csr_array)
        + 3.0 * x[0] * (sparse.csr_array == sparse.csc_array)
        + 5.0 * x[1] * isinstance(COLUMNS, sparse.csr_array)
    ),
    "a class below": lambda x: (
        x[0] * issubclass(Own, sparse.csr_array)
        + 3.0 * x[1] * isinstance(Own(TABLE), sparse.csr_array)
        + 5.0 * x[0] * issubclass(sparse.csc_array, sparse.csr_array)
        + 7.0 * x[1] * isinstance(FIXED, lower(sparse.csr_array))
    ),
}


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_matrices_of_constants_meet_what_varies(name: str) -> None:
    compare(SPARSE[name], X)


def test_a_row_times_a_sparse_matrix_is_to_be_written_otherwise() -> None:
    with pytest.raises(MissingRuleError, match="product of a sparse matrix"):
        on_tape(lambda x: np.sum(x * MATRIX), X)


NORMAL, GAMMA = stats.norm(1.0, scale=2.0), stats.gamma(2.0)
LAWS = {
    "held by a module": lambda x: np.sum(NORMAL.logpdf(x)) + np.sum(GAMMA.logpdf(x)),
    "its parameters": lambda x: NORMAL.args[0] * x[0] + NORMAL.kwds["scale"] * x[1],
    "made of what varies": lambda x: stats.norm(x[0], scale=3.0).args[0] * x[1],
    "made here": lambda x: stats.norm(0.5, scale=3.0).kwds["scale"] * x[0] * x[1],
    "without parameters": lambda x: np.sum(NORMAL.dist.logpdf(x) * stats.norm(0.5).dist.pdf(x)),
    "drawn and expected": lambda x: (
        x[0] * NORMAL.rvs(random_state=3)
        + x[1] * stats.norm(0.5).rvs(random_state=3)
        + x[0] * stats.norm(0.7).support()[1] * 0.0
        if np.isfinite(NORMAL.support()[1])
        else x[0] * NORMAL.rvs(random_state=3) + x[1] * stats.norm(0.5).rvs(random_state=3)
    ),
    "named": lambda x: len(stats.norm.name) * x[0] + NORMAL.mean() * x[1],
}


@pytest.mark.parametrize("name", LAWS)
def test_distributions_hold_their_parameters(name: str) -> None:
    compare(LAWS[name], X)


# -- functions that solvers call -------------------------------------------------------------------


def integral(inner: Any) -> Any:
    return integrate.quad(inner, 0.0, 1.0)[0]


def of_what_stays(x: Any) -> Any:
    held, flags = np.array([2.0, np.nan]), np.array([True, False])
    names = {"held": held, "text": np.array(["a"])}
    if x[0] > 100.0:
        later = 1.0

    def inner(t: float) -> Any:
        return t * x[0] * names["held"][0] * flags[0] * len(names) if x[0] < 90.0 else later

    return integral(inner) * x[1]


def of_what_is_counted(x: Any) -> Any:
    class Counter:
        calls = 0

    counter = Counter()

    def inner(t: float) -> Any:
        counter.calls += 1
        return t * x[0]

    return integral(inner) * x[1]


@pytest.mark.parametrize("function", [of_what_stays, of_what_is_counted])
def test_a_function_of_a_solver_closes_over_what_stays(function: Any) -> None:
    compare(function, X)


def changes_a_list(x: Any) -> Any:
    seen = [1.0]

    def inner(t: float) -> Any:
        seen[0] = 2.0
        return t * x[0]

    return integral(inner)


def changes_an_array_in_a_list(x: Any) -> Any:
    seen = [np.array(["a", "b"])]

    def inner(t: float) -> Any:
        seen[0][0] = "c"
        return t * x[0]

    return integral(inner)


def changes_the_kind(x: Any) -> Any:
    seen: Any = [1.0]

    def inner(t: float) -> Any:
        nonlocal seen
        seen = (1.0,)
        return t * x[0]

    return integral(inner)


def changes_a_dict(x: Any) -> Any:
    seen = {"a": np.array([1, 2])}

    def inner(t: float) -> Any:
        seen["a"][1] = 7
        return t * x[0]

    return integral(inner)


@pytest.mark.parametrize(
    "function", [changes_a_list, changes_an_array_in_a_list, changes_the_kind, changes_a_dict]
)
def test_a_function_of_a_solver_writes_into_nothing(function: Any) -> None:
    with pytest.raises(MutationError, match="writes into"):
        on_tape(function, X)


# -- texts of numbers ------------------------------------------------------------------------------

READ = {
    "in a dict": lambda x: json.loads(json.dumps({"a": 1.5}))["a"] * x[0],
    "in a list": lambda x: ast.literal_eval('{"a": [1.5]}')["a"][0] * x[0],
    "of names": lambda x: eval("b + c", {"b": 2.0}, {"c": 1.0}) * x[1],
    "of globals": lambda x: eval("b", {"b": 2.0}) * x[1],
    "of a file": lambda x: np.sum(np.loadtxt(io.StringIO("1.5 2.5")) * x),
    "of bytes": lambda x: np.sum(np.genfromtxt(io.BytesIO(b"1.5 2.5")) * x),
    "of an array": lambda x: np.sum(np.array(np.array(["1.5", "2.5"]), float) * x),
    "of numbers": lambda x: (
        np.sum(np.array(np.array([1.5, 2.5]), float) * x) + len("%s" % x[0]) * 0
    ),
}
CUT_OFF = {
    "in a dict": lambda x: float(str({"a": x[0]})[6:-1]),
    "in keys": lambda x: json.loads(json.dumps({str(float(x[0])): 1})),
    "a file of text": lambda x: json.load(io.StringIO("[%r]" % float(x[0])))[0],
    "a file": lambda x: np.loadtxt(io.StringIO(str(x[0]))) * 1.0,
    "bytes": lambda x: np.genfromtxt(io.BytesIO(str(x[0]).encode())) * 1.0,
    "a list": lambda x: np.loadtxt([str(x[0])]) * 1.0,
    "a dict in a call": lambda x: np.array([{"a": str(x[0])}["a"]], float)[0],
    "an array of texts": lambda x: np.array([np.array(str(x[0]))], float)[0],
    "objects": lambda x: np.array(texts_of(x), float)[0],
    "an iterator": lambda x: np.fromiter([str(x[0])], float)[0],
    "a number for all": lambda x: np.full(2, str(x[0]), float)[0],
    "an element": lambda x: stored(x, 0, str(x[0])),
    "elements": lambda x: stored(x, slice(None), ["1.0", str(x[0])]),
    "code": lambda x: eval(str(x[0])),
}


def texts_of(x: Any) -> Any:
    made = np.empty(2, object)
    made[0], made[1] = str(x[0]), "1.0"
    return made


def stored(x: Any, index: Any, text: Any) -> Any:
    made = np.zeros(2)
    made[index] = text
    return made[0] * x[1]


@pytest.mark.parametrize("name", READ)
def test_texts_of_constants_are_read(name: str) -> None:
    compare(READ[name], X)


@pytest.mark.parametrize("name", CUT_OFF)
def test_texts_of_what_varies_are_not_read_as_numbers(name: str) -> None:
    with pytest.raises(NotDifferentiableError, match="reading as a number"):
        on_tape(CUT_OFF[name], X)
