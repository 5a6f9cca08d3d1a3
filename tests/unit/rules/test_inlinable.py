"""Rules are written so that the compiler can put their text in place of a call."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from srcgrad.rules import library, scipy
from srcgrad.rules.base import Elementwise, Function, Pointwise
from srcgrad.rules.library import canonical_name
from srcgrad.runtime import SHORTCUTS
from tests.unit.rules.opspec import Call, Loss, OpSpec
from tests.unit.rules.specs import SPECS

RULES = {**library.RULES, **scipy.every_rule()}
FORMULAS = (Elementwise, Pointwise)
CLASSES = sorted(set(RULES.values()), key=lambda rule: rule.__qualname__)


def name_of(rule: type[Function]) -> str:
    return rule.__qualname__


def body(method: Callable[..., Any]) -> list[ast.stmt]:
    """The statements of a static method, from its source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.body


def bodies(rule: type[Function]) -> Iterator[list[ast.stmt]]:
    if issubclass(rule, Elementwise):
        yield body(rule.slope)
    elif issubclass(rule, Pointwise):
        yield body(rule.partials)
    else:
        yield body(rule.forward)
        yield body(rule.backward)


def is_option(node: ast.expr) -> bool:
    """A parameter, or a non-array kept on ctx."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "ctx"
    return isinstance(node, ast.Name)


def is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(is_constant(item) for item in node.elts)
    return isinstance(node, ast.Constant) or ast.unparse(node) == "math.e"


def folds(test: ast.expr) -> bool:
    """Whether a test is of the kind that the compiler may fold, or answer with False."""
    if isinstance(test, ast.BoolOp):
        return all(folds(value) for value in test.values)
    if isinstance(test, ast.UnaryOp):
        return folds(test.operand)
    if isinstance(test, ast.Compare):
        return is_option(test.left) and all(is_constant(item) for item in test.comparators)
    if isinstance(test, ast.Subscript):
        return ast.unparse(test.value) == "ctx.needs_input_grad" and is_constant(test.slice)
    if isinstance(test, ast.Call):
        assert isinstance(test.func, ast.Name)
        if test.func.id == "shortcut":
            return folds(test.args[0])
        return test.func.id in SHORTCUTS
    return is_option(test)


def is_target(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(is_target(item) for item in node.elts)
    if isinstance(node, ast.Starred):
        return is_target(node.value)
    return is_option(node)


def parts_of(node: ast.stmt) -> list[Any]:
    """Return the items of a tuple that is returned."""
    value = node.value if isinstance(node, ast.Return) else None
    return list(value.elts) if isinstance(value, ast.Tuple) else []


def check_statement(node: ast.stmt) -> None:
    text = ast.unparse(node)
    if isinstance(node, ast.If):
        assert folds(node.test), f"a test that cannot fold: {text}"
        for statement in [*node.body, *node.orelse]:
            assert not isinstance(statement, ast.Return), f"a return within a test: {text}"
            check_statement(statement)
    elif isinstance(node, ast.Assign):
        assert all(is_target(target) for target in node.targets), f"a write into an object: {text}"
    elif isinstance(node, ast.Expr):
        kept = isinstance(node.value, ast.Call) and ast.unparse(node.value.func)
        assert isinstance(node.value, ast.Constant) or kept == "ctx.save_for_backward", text
    else:
        assert isinstance(node, ast.Return), f"not straight-line: {text}"
    slopes = parts_of(node)
    for part in ast.walk(node):
        if part in slopes:
            continue  # it is put in place where that slope is wanted
        assert not isinstance(part, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield)), text
        if isinstance(part, ast.IfExp):
            assert folds(part.test), f"a test that cannot fold: {text}"


@pytest.mark.parametrize("rule", CLASSES, ids=name_of)
def test_bodies_are_straight_line_with_tests_that_fold(rule: type[Function]) -> None:
    for statements in bodies(rule):
        for statement in statements:
            check_statement(statement)
        assert isinstance(statements[-1], ast.Return)


@pytest.mark.parametrize("rule", CLASSES, ids=name_of)
def test_backward_reads_only_what_forward_keeps(rule: type[Function]) -> None:
    if issubclass(rule, Elementwise):
        (parameter,) = inspect.signature(rule.slope).parameters
        assert parameter in ("x", "y")
        return
    if issubclass(rule, Pointwise):
        last = body(rule.partials)[-1]
        assert isinstance(last, ast.Return)
        assert isinstance(last.value, ast.Tuple)
        names = [name for name in inspect.signature(rule.partials).parameters if name != "out"]
        assert len(last.value.elts) == len(names)
        return
    kept = {"needs_input_grad", "saved_tensors", "save_for_backward"}
    for node in ast.walk(ast.Module(body(rule.forward), [])):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            kept.add(node.attr)
    for node in ast.walk(ast.Module(body(rule.backward), [])):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ctx":
            assert node.attr in kept, f"ctx.{node.attr} is never set"


def is_variadic(rule: type[Function]) -> bool:
    parameters = inspect.signature(rule.forward).parameters.values()
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)


SHOWN = [s for s in SPECS if not issubclass(RULES[s.fn], FORMULAS) and not is_variadic(RULES[s.fn])]


@pytest.mark.parametrize("spec", SHOWN, ids=lambda spec: spec.label)
def test_several_gradients_are_returned_as_a_tuple_that_is_seen(spec: OpSpec) -> None:
    rng = np.random.default_rng(0)
    call = Call.of(spec, *spec.make_args(rng))
    result = call.rule.backward(call.context, *Loss(spec, call.output, rng).grads(call.output))
    last = body(call.rule.backward)[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(result, tuple) == isinstance(last.value, ast.Tuple)


@pytest.mark.parametrize("rule", CLASSES, ids=name_of)
def test_what_forward_saves_is_read(rule: type[Function]) -> None:
    if issubclass(rule, FORMULAS):
        return
    forward, backward = (ast.Module(body(m), []) for m in (rule.forward, rule.backward))
    read = {node.id for node in ast.walk(backward) if isinstance(node, ast.Name)}
    saved = [
        node
        for node in ast.walk(forward)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ctx.save_for_backward"
    ]
    assert bool(saved) == ("saved_tensors" in ast.unparse(backward))
    stored = {
        node.attr
        for node in ast.walk(forward)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    readers = [backward]
    if "jvp" in vars(rule):
        readers.append(ast.Module(body(rule.jvp), []))
    loaded = {n.attr for part in readers for n in ast.walk(part) if isinstance(n, ast.Attribute)}
    assert stored <= loaded, f"kept and never read: {stored - loaded}"
    assert read


# what never changes a derivative, or is handled by the engines
IGNORED = {"out", "order", "dtype", "like", "device", "subok", "casting", "interpolation"}
FUNCTIONS = [fn for fn in RULES if not hasattr(fn, "nin")]


LATER = {
    *(("numpy.sort", "descending"), ("numpy.argsort", "descending")),
    *(("numpy.unique", f"return_{what}") for what in ("index", "inverse", "counts")),  # written out
    *(("numpy.lib.stride_tricks.as_strided", o) for o in ("writeable", "check_bounds")),
    *(("numpy.unique", "axis"), ("numpy.unique", "sorted"), ("numpy.histogram", "density")),
    *(("numpy.polyfit", "full"), ("numpy.polyfit", "cov")),
    *(("numpy.lib.stride_tricks.sliding_window_view", "writeable"),),
}
"""Parameters that newer versions of NumPy have, or rare ones: a call with one is refused."""


@pytest.mark.parametrize("fn", FUNCTIONS, ids=canonical_name)
def test_parameters_are_those_of_the_function(fn: Any) -> None:
    try:
        signature = inspect.signature(fn)
    except ValueError:  # some builtins do not tell
        return
    theirs = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    ours = list(inspect.signature(RULES[fn].forward).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in theirs):
        return
    by_name = {p.name for p in ours}
    if canonical_name(fn).startswith("scipy."):  # a call with one of the others is refused by name
        takes_any = any(p.kind is p.VAR_POSITIONAL for p in [*theirs, *ours])
        assert takes_any or by_name <= {p.name for p in theirs}
        return
    accepts_more = any(p.kind is p.VAR_KEYWORD for p in ours)
    for parameter in theirs:
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            known = parameter.name in by_name or accepts_more or parameter.name in IGNORED
            known = known or (canonical_name(fn), parameter.name) in LATER
            assert known, f"{canonical_name(fn)} has a parameter {parameter.name!r}"
