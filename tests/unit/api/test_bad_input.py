"""Wrong arguments, wrong functions and wrong results each get a clear error and change nothing."""

from __future__ import annotations

import functools
import inspect
import linecache
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0])


def square_sum(x):
    return np.sum(x * x)


def weighted(x, weights, *, scale=1.0):
    return np.sum(x * weights) * scale


def one_element(x):
    return x[:1] * 2.0


def vector(x):
    return x * 2.0


def nothing(x):
    y = x * x
    del y


def explicit_none(x):
    return None


def text(x):
    return "a"


def as_list(x):
    return [np.sum(x)]


def as_tuple(x):
    return np.sum(x), x


def three_values(x):
    return np.sum(x), x, 1.0


def comparison(x):
    return np.sum(x) > 0


def generator(x):
    yield x


async def coroutine(x):
    return x


async def asynchronous_generator(x):
    yield x


def two_names_of_a_list(x):
    numbers = [["sum", 1.0], ["rest", 0.0]]
    same = numbers[0]
    numbers[0][1] = np.sum(x * x)
    return sum(value for _, value in numbers) if same else 0.0


class Callable_:
    """An object that is called like a function, with methods of all kinds."""

    def __call__(self, x):
        return np.sum(x * x)

    def method(self, x):
        return np.sum(x * x)

    @staticmethod
    def static(x):
        return np.sum(x * x)

    @classmethod
    def of_class(cls, x):
        return np.sum(x * x)

    @sg.grad
    def decorated(self, x):
        return np.sum(x * x)


def assert_clear(error: sg.SrcgradError) -> None:
    """An error has a code, one sentence and a way out."""
    (item,) = error.diagnostics
    assert item.code.startswith("SG")
    assert item.message
    assert "\n" not in item.message
    assert item.hint
    assert item.code in str(error)


def refused(kind: type[sg.SrcgradError], call: Callable[[], Any]) -> sg.SrcgradError:
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert_clear(caught.value)
    return caught.value


BAD_VALUES = [
    (np.array([1, 2, 3]), sg.IntegerInputError, "int64"),
    (np.array([True, False]), sg.IntegerInputError, "bool"),
    (np.array([1.0, None], dtype=object), sg.IntegerInputError, "object"),
    (np.array(["a"]), sg.IntegerInputError, "<U1"),
    (np.int64(3), sg.IntegerInputError, "int64"),
    (True, sg.IntegerInputError, "bool"),
    ([1, 2], sg.IntegerInputError, "no float"),
    ([], sg.IntegerInputError, "no float"),
    ({"a": 1}, sg.IntegerInputError, "no float"),
    ("text", sg.NotDifferentiableError, "str"),
    (None, sg.NotDifferentiableError, "NoneType"),
    ({1.0}, sg.NotDifferentiableError, "set"),
]


@pytest.mark.parametrize("maker", [sg.grad, sg.value_and_grad])
@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize(
    ("value", "kind", "word"), BAD_VALUES, ids=[repr(v) for v, *_ in BAD_VALUES]
)
def test_a_value_without_derivative_is_named(
    value: Any, kind: Any, word: str, fallback: Any, maker: Any
) -> None:
    error = refused(kind, lambda: maker(square_sum, fallback=fallback)(value))
    assert "`x`" in str(error)
    assert word in str(error)


def test_the_argument_asked_for_is_named_and_others_may_be_integers() -> None:
    weights = np.array([1, 2, 3])
    np.testing.assert_array_equal(sg.grad(weighted)(X, weights), weights)
    error = refused(sg.IntegerInputError, lambda: sg.grad(weighted, 1)(X, weights))
    assert "`weights`" in str(error)


RESULTS = [
    (one_element, "(1,)"),
    (vector, "(3,)"),
    (explicit_none, "NoneType"),
    (text, "str"),
    (as_list, "list"),
    (as_tuple, "tuple"),
    (comparison, "bool"),
]


@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize(("function", "word"), RESULTS, ids=[f.__name__ for f, _ in RESULTS])
def test_a_result_that_is_no_real_number_is_named(function: Any, word: str, fallback: Any) -> None:
    before = X.copy()
    error = refused(
        sg.NonScalarOutputError, lambda: sg.value_and_grad(function, fallback=fallback)(X)
    )
    assert word in str(error)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("function", [square_sum, three_values])
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_has_aux_needs_a_pair(function: Any, fallback: Any) -> None:
    error = refused(
        sg.NonScalarOutputError, lambda: sg.grad(function, has_aux=True, fallback=fallback)(X)
    )
    assert "has_aux=True needs a function that returns a pair" in str(error)


def test_a_function_that_returns_nothing_is_named() -> None:
    error = refused(sg.NonScalarOutputError, lambda: sg.grad(nothing, fallback="tape")(X))
    assert "the function returns nothing" in str(error)
    error = refused(sg.NonScalarOutputError, lambda: sg.grad(explicit_none)(X))
    assert "NoneType" in str(error)
    assert "ends without `return`" in str(error)


@pytest.mark.parametrize(
    ("argnums", "words"),
    [
        (1, "argnums=1 is out of range: `square_sum` has 1 positional parameter"),
        (-2, "argnums=-2 is out of range"),
        ((0, 3), "argnums=3 is out of range"),
        (True, "not True"),
        (1.0, "not 1.0"),
        ("x", "not 'x'"),
        ((), "no parameter"),
        ((0, 0), "'x' of `square_sum` is chosen twice"),
        ((0, -1), "'x' of `square_sum` is chosen twice"),
    ],
    ids=str,
)
def test_wrong_argnums_are_refused_when_the_gradient_is_made(argnums: Any, words: str) -> None:
    error = refused(sg.ArgumentError, lambda: sg.grad(square_sum, argnums))
    assert words in str(error)


@pytest.mark.parametrize(
    ("argnames", "hint"),
    [
        ("weigths", "did you mean 'weights'?"),
        (["x", "scal"], "did you mean 'scale'?"),
        ("other", "['x', 'weights', 'scale']"),
    ],
)
def test_an_unknown_name_gets_the_nearest_one(argnames: Any, hint: str) -> None:
    error = refused(sg.ArgumentError, lambda: sg.grad(weighted, argnames=argnames))
    assert hint in error.hint


def test_names_and_numbers_of_one_parameter_are_refused() -> None:
    refused(sg.ArgumentError, lambda: sg.grad(weighted, 0, argnames="x"))


def test_a_keyword_parameter_is_chosen_by_name() -> None:
    grad = sg.grad(weighted, argnames="scale")(X, X, scale=2.0)
    assert grad == pytest.approx(np.sum(X * X))


@pytest.mark.parametrize("thing", [3, "f", X, [square_sum]], ids=["int", "str", "array", "list"])
def test_what_is_no_function_is_refused(thing: Any) -> None:
    error = refused(sg.ArgumentError, lambda: sg.grad(thing))
    assert type(thing).__name__ in str(error)


@pytest.mark.parametrize("options", [{"fallback": "never"}, {"backend": "tpu"}])
def test_unknown_options_are_refused(options: Any) -> None:
    refused(sg.ArgumentError, lambda: sg.grad(square_sum, **options))


@pytest.mark.parametrize("call", [(), (X, X)], ids=["none", "two"])
def test_a_wrong_number_of_arguments_is_pythons_own_error(call: Any) -> None:
    with pytest.raises(TypeError, match="argument"):
        sg.grad(square_sum)(*call)


# -- functions that cannot be read


def without_source() -> Any:
    names: dict[str, Any] = {"np": np}
    exec("def made(x):\n    return np.sum(x * x)\n", names)
    return names["made"]


@pytest.mark.parametrize(
    "function", [generator, coroutine, asynchronous_generator], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("fallback", ["error", "warn", "tape"])
def test_generators_and_coroutines_have_no_value(function: Any, fallback: Any) -> None:
    error = refused(sg.NotDifferentiableError, lambda: sg.grad(function, fallback=fallback)(X))
    assert function.__name__ in str(error)
    assert error.span is not None
    assert error.span.line == inspect.getsourcelines(function)[1]


@pytest.mark.parametrize(
    ("function", "word", "point"),
    [
        (without_source(), "made", X),
    ],
    ids=["exec"],
)
def test_a_function_without_source_is_named(function: Any, word: str, point: Any) -> None:
    error = refused(sg.SourceNotFoundError, lambda: sg.grad(function, 0, fallback="error")(point))
    assert word in str(error)


@pytest.mark.parametrize(
    "function",
    [without_source(), functools.partial(without_source())],
    ids=["exec", "partial of it"],
)
def test_a_function_without_source_runs_on_the_tape_after_one_warning(function: Any) -> None:
    derivative = sg.grad(function)
    with pytest.warns(sg.FallbackWarning, match="tape"):
        grad = derivative(X)
    np.testing.assert_allclose(grad, 2.0 * X)
    np.testing.assert_allclose(derivative(X), 2.0 * X)  # warnings are errors here: no second one


@pytest.mark.parametrize(
    "function",
    [Callable_().method, Callable_.static, Callable_.of_class],
    ids=["method", "static", "class"],
)
def test_methods_of_all_kinds_are_differentiated_by_source(function: Any) -> None:
    np.testing.assert_allclose(sg.grad(function, fallback="error")(X), 2.0 * X)


def test_a_decorated_method_counts_parameters_after_self() -> None:
    np.testing.assert_allclose(Callable_().decorated(X), 2.0 * X)


def test_a_class_makes_no_number() -> None:
    with pytest.warns(sg.FallbackWarning), pytest.raises(sg.NonScalarOutputError):
        sg.grad(type("Made", (), {"__init__": lambda self, x: None}))(X)


def test_lambdas_on_one_line_are_told_apart() -> None:
    first, second = lambda x: np.sum(x * x), lambda x: np.sum(3.0 * x)
    np.testing.assert_allclose(sg.grad(first, fallback="error")(X), 2.0 * X)
    np.testing.assert_allclose(sg.grad(second, fallback="error")(X), [3.0, 3.0, 3.0])


def test_a_changed_file_is_not_read_as_the_functions_source(tmp_path: Any) -> None:
    path = tmp_path / "changing.py"
    path.write_text("def first(x):\n    return (x * x).sum()\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    path.write_text("# moved\n\n\ndef other(y):\n    return (3.0 * y).sum()\n")
    linecache.clearcache()
    error = refused(sg.SourceNotFoundError, lambda: sg.grad(names["first"], fallback="error")(X))
    assert "first" in str(error)


# -- the fallback


def test_the_warning_names_file_line_and_construct_once_for_a_function() -> None:
    derivative = sg.grad(two_names_of_a_list)
    line = inspect.getsourcelines(two_names_of_a_list)[1] + 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first, second = derivative(X), derivative(X)
    assert [item.category for item in caught] == [sg.FallbackWarning]
    message = str(caught[0].message)
    assert f"{__file__}:{line}" in message
    assert "also reached as `numbers`" in message
    assert "hint:" in message
    np.testing.assert_allclose(first, 2.0 * X)
    np.testing.assert_array_equal(first, second)


def test_the_fallback_can_be_silent_or_an_error() -> None:
    np.testing.assert_allclose(sg.grad(two_names_of_a_list, fallback="tape")(X), 2.0 * X)
    gradient = sg.grad(two_names_of_a_list, fallback="error")
    error = refused(sg.MutationError, lambda: gradient(X))
    assert error.span is not None
    assert error.span.file == __file__


def test_an_error_of_the_users_own_passes_through() -> None:
    def failing(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sg.grad(failing, fallback="error")(X)


def test_the_arguments_are_left_alone_by_calls_that_fail() -> None:
    values = {"a": X.copy(), "b": [1.0, X.copy()]}

    def fails_late(p):
        y = p["a"] * 2.0
        return y[10] * p["b"][0]

    with pytest.raises(IndexError):
        sg.grad(fails_late, fallback="error")(values)
    np.testing.assert_array_equal(values["a"], X)
    np.testing.assert_array_equal(values["b"][1], X)
    assert values["b"][0] == 1.0


def test_a_number_of_numpy_read_from_text_is_refused_by_both_engines() -> None:
    def read_back(x):
        return np.float64(str(x[0])) * x[1]

    refused(sg.NotDifferentiableError, lambda: sg.grad(read_back)(X))
    refused(sg.NotDifferentiableError, lambda: sg.jvp(read_back, (X,), (X,)))
