"""The tables of rules, constants, operators and methods."""

from __future__ import annotations

import ast
import importlib
import math
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import srcgrad as sg
from srcgrad.rules import library, operators
from srcgrad.rules.base import Function
from srcgrad.rules.library import (
    CONSTANT,
    RULES,
    canonical_name,
    constant_reason,
    rule_for,
)
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy import FILES, is_special


def test_the_tables_cannot_be_written_to() -> None:
    for table in (RULES, CONSTANT, operators.METHODS, operators.BINARY):
        with pytest.raises(TypeError):
            table[np.sin] = None  # type: ignore[index]


def test_no_function_is_both_constant_and_differentiable() -> None:
    assert not set(RULES) & set(CONSTANT)


def test_a_second_rule_for_a_function_is_refused() -> None:
    table = RuleTable("twice")
    table.rule(np.sin)(Function)
    with pytest.raises(ValueError, match="already has a rule"):
        table.rule(np.sin)(Function)


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (np.abs, "numpy.absolute"),
        (np.add.reduce, "numpy.add.reduce"),
        (np.fft.rfft, "numpy.fft.rfft"),
        (np.concatenate, "numpy.concatenate"),
        (math.sin, "math.sin"),
        (abs, "builtins.abs"),
        (range, "builtins.range"),
    ],
)
def test_canonical_names(fn: Any, name: str) -> None:
    assert canonical_name(fn) == name


def foreign(module: str, name: str) -> Any:
    """A function that says that it comes from another library."""
    function = types.FunctionType((lambda: None).__code__, {})
    function.__module__, function.__name__, function.__qualname__ = module, name, name
    return function


class Answering:
    """An object that has an attribute of any name, as registries of units do."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return 1.0

    def __call__(self) -> float:
        return 1.0


def test_an_object_that_answers_to_any_name_is_no_ufunc() -> None:
    assert canonical_name(Answering()).endswith(".Answering")


def test_functions_of_cupy_are_found_by_their_names() -> None:
    assert rule_for(foreign("cupy._math.sumprod", "sum")) is RULES[np.sum]
    assert rule_for(foreign("cupy.linalg._solve", "inv")) is RULES[np.linalg.inv]
    assert constant_reason(foreign("cupy._sorting.search", "argmax")) == "returns an index"


def test_a_users_function_is_not_taken_for_one_of_numpy() -> None:
    assert rule_for(foreign("numpy_tricks", "sum")) is None
    assert rule_for(foreign("__main__", "sum")) is None
    assert constant_reason(foreign("model", "floor")) is None


def test_what_cannot_be_a_key_has_no_rule() -> None:
    assert rule_for([]) is None
    assert constant_reason({}) is None


def test_functions_without_a_derivative_say_why() -> None:
    assert constant_reason(np.floor) == "constant between jumps"
    assert constant_reason(np.argmax) == "returns an index"
    assert constant_reason(len) == "returns sizes"
    assert constant_reason(np.zeros) == "creates an array of constants"
    assert constant_reason(np.sin) is None


@pytest.mark.parametrize("name", sorted(operators.METHODS))
def test_every_method_has_a_rule_or_a_reason(name: str) -> None:
    fn = operators.METHODS[name]
    assert hasattr(np.ndarray, name)
    assert rule_for(fn) is not None or constant_reason(fn) is not None


CALLS: dict[str, tuple[Any, ...]] = {
    "__matmul__": (np.array([[0.5, 2.0], [1.5, 0.3], [0.7, 0.1]]),),
    "__sub__": (np.array([0.5, 0.3, 2.0]),),
    "__truediv__": (np.array([0.5, 0.3, 2.0]),),
    "argpartition": (1,),
    "astype": (np.float32,),
    "choose": ([np.zeros(3), np.ones(3)],),
    "clip": (0.2, 0.5),
    "compress": ([True, False], 0),
    "dot": (np.ones((3, 2)),),
    "repeat": (2, 1),
    "reshape": ((3, 2),),
    "searchsorted": (0.5,),
    "swapaxes": (0, 1),
    "take": ([0, 0], 1),
    "item": (1,),
}
VECTORS = {"searchsorted"}
WHOLE = {"choose"}


@pytest.mark.parametrize("name", sorted(operators.METHODS))
def test_a_method_and_its_function_do_the_same(name: str) -> None:
    x: Any = np.array([[0.1, 0.7, 0.4], [0.9, 0.3, 0.8]])
    if name in VECTORS:
        x = np.sort(x.ravel())
    if name in WHOLE:
        x = np.array([0, 1, 0])
    args = CALLS.get(name, ())
    expected = getattr(x, name)(*args)
    actual = operators.METHODS[name](x, *args)
    np.testing.assert_equal(actual, expected)


@pytest.mark.parametrize("name", sorted(operators.ATTRIBUTES))
def test_an_attribute_and_its_function_do_the_same(name: str) -> None:
    x = np.arange(24.0).reshape(2, 3, 4) + 1j
    np.testing.assert_array_equal(operators.ATTRIBUTES[name](x), getattr(x, name))
    assert rule_for(operators.ATTRIBUTES[name]) is not None


def test_constant_attributes_and_methods_exist() -> None:
    assert all(hasattr(np.ndarray, name) for name in operators.CONSTANT_ATTRIBUTES)
    known = set(dir(np.ndarray)) | set(dir(float)) | set(dir(list))
    assert known >= operators.CONSTANT_METHODS


@pytest.mark.parametrize("table", [operators.BINARY, operators.UNARY, operators.COMPARE])
def test_operators_are_named_as_in_the_syntax_tree(table: Any) -> None:
    for name, fn in table.items():
        assert issubclass(getattr(ast, name), ast.AST)
        assert rule_for(fn) is not None or constant_reason(fn) is not None


def test_every_file_of_rules_is_in_the_library() -> None:
    folder = Path(library.__file__).parent
    names = [path.stem for path in folder.glob("*.py") if "RuleTable(" in path.read_text("utf-8")]
    assert len(names) > 10
    for name in names:
        table = importlib.import_module(f"srcgrad.rules.{name}").RULES
        assert all(RULES.get(primal) is rule for primal, rule in table.items()), name


def with_a_rare_option(x: Any) -> Any:
    return np.sum(scipy.special.logsumexp(np.array([x, 1.0]), return_sign=True)[0])


def in_the_degree_of_a_polynomial(v: Any) -> Any:
    return scipy.special.eval_legendre(v, 0.3)


def that_may_overwrite(a: Any) -> Any:
    return np.sum(scipy.linalg.inv(a, overwrite_a=True))


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (with_a_rare_option, 1.5),
        (in_the_degree_of_a_polynomial, 1.5),
        (that_may_overwrite, np.eye(2)),
    ],
)
def test_what_a_rule_of_scipy_does_not_cover_is_refused_by_both_engines(
    function: Any, x: Any
) -> None:
    with pytest.raises(sg.MissingRuleError):
        sg.grad(function, fallback="error")(x)
    with pytest.raises(sg.SrcgradError), pytest.warns(sg.FallbackWarning):
        sg.grad(function)(x)


def test_a_ufunc_of_anybody_else_is_not_taken_for_one_of_scipy() -> None:
    theirs = types.SimpleNamespace(nin=1, __name__="erf")
    assert not is_special(theirs)
    assert is_special(scipy.special.erf)


def test_every_file_of_rules_of_scipy_is_named() -> None:
    folder = Path(library.__file__).parent / "scipy"
    named = {file for files in FILES.values() for file in files}
    tables = [path for path in folder.glob("*.py") if "RULES = table" in path.read_text("utf-8")]
    assert {path.stem for path in tables} == named
