"""Checks what records say of NumPy's functions against NumPy itself."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

from srcgrad.primitives import RECORDS, Primitive, named, numpy_arrays, numpy_functions
from srcgrad.rules import library, scipy
from srcgrad.rules.nondiff import function_named
from srcgrad.rules.records import numpy_primitive, primitive_of
from tests.unit.primitives.calls import results

SKIPPED = ("einsum", "multi_dot", "cross", "as_strided", "meshgrid", "take_along_axis", "lexsort")
SKIPPED += ("histogram2d",)


NAMED = {name: function_named(name) for name in RECORDS}
MODULES = (numpy_arrays, numpy_functions)
SAID = {record.name for module in MODULES for record in module.RECORDS}  # more than the reason
OF_NUMPY = {
    name: function
    for name, function in NAMED.items()
    if function is not None and name in SAID and not RECORDS[name].writes
}
CALLED = {n: f for n, f in OF_NUMPY.items() if n.rpartition(".")[2] not in SKIPPED}

OF_METHODS = ("numpy.conjugate",)  # the function copies, and the method need not

every = pytest.mark.parametrize("name", [n for n, f in NAMED.items() if f is not None])
called = pytest.mark.parametrize("name", CALLED)


def calls_of(name: str) -> tuple[Primitive, list[tuple[Any, Any]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return primitive_of(CALLED[name]), results(name, CALLED[name])


def shares(operand: Any, result: Any) -> bool:
    parts = result if isinstance(result, (list, tuple)) else [result]
    return any(np.shares_memory(operand, part) for part in parts if isinstance(part, np.ndarray))


@every
def test_a_record_has_the_name_that_its_function_is_found_by(name: str) -> None:
    assert library.canonical_name(NAMED[name]) == name


@called
def test_there_are_calls_to_check(name: str) -> None:
    assert calls_of(name)[1]


@called
def test_memory_is_where_the_record_says(name: str) -> None:
    known, pairs = calls_of(name)
    found = [(item, result) for item, result in pairs if item is not None]
    if known.memory not in ("fresh", "optional") and name not in OF_METHODS:
        assert any(shares(*pair) for pair in found)
    for operand, result in found:
        shared = shares(operand, result)
        assert known.same or result is not operand
        if known.memory in ("fresh", "optional"):
            assert not shared
        elif known.memory == "view":
            assert shared
        elif known.memory == "frozen" and shared:
            assert not result.flags.writeable or np.iscomplexobj(operand)


@called
def test_what_moves_elements_makes_up_none(name: str) -> None:
    known, pairs = calls_of(name)
    if not known.moves or known.adds or name in ("numpy.tril", "numpy.triu", "numpy.diag"):
        return
    for operand, result in pairs:
        parts = [*np.ravel(operand), 0]  # `append` adds one
        assert np.isin(np.ravel(result), parts).all()


@called
def test_shapes_are_what_the_record_says(name: str) -> None:
    known, pairs = calls_of(name)
    for operand, result in pairs:
        shape = () if known.kind == "mixed" else np.shape(result)  # of all, which are of many
        if known.shape in ("broadcast", "each", "first") and operand is not None:
            assert shape == np.shape(operand)
        if known.shape == "ranked":
            assert len(shape) >= np.ndim(operand)
        if known.shape in ("reduced", "number"):
            assert shape == ()
        if known.shape == "flat":
            assert shape in (np.shape(operand), (np.size(operand),))


@called
def test_results_without_axes_are_arrays_or_numbers_as_the_record_says(name: str) -> None:
    known, pairs = calls_of(name)
    for _, result in pairs:
        if known.gives == "array":
            assert isinstance(result, np.ndarray)
        if known.gives == "number" and np.shape(result) == ():
            assert not isinstance(result, np.ndarray)
        assert (known.gives == "list") == (isinstance(result, list) and known.memory == "view")
        if known.gives == "tuple":
            assert isinstance(result, tuple)
            assert len({np.shape(part) for part in result}) == 1


@called
def test_results_consist_of_what_the_record_says(name: str) -> None:
    known, pairs = calls_of(name)
    for operand, result in pairs:
        parts = result if isinstance(result, (list, tuple)) else [result]
        kinds = {np.asarray(part).dtype.kind for part in parts}
        whole = operand is not None and operand.dtype.kind in "iu"
        if known.kind == "float" and name != "numpy.linalg.slogdet":
            assert kinds <= {"f", "c"}
        if known.kind == "truth":
            assert kinds == {"b"}
        if known.kind == "int":
            assert kinds == {"i"}
        if known.kind == "first" and operand is not None and not whole:
            assert kinds <= {"f", "c"}
        if known.kind == "promoted" and operand is not None and not whole:
            assert kinds <= {"f", "c"}


@pytest.mark.parametrize("name", [n for n in CALLED if RECORDS[n].at_zero])
def test_nothing_becomes_nothing(name: str) -> None:
    rest = (5.0,) if name == "numpy.multiply" else ()
    assert CALLED[name](0.0, *rest) == 0


@pytest.mark.parametrize("name", [n for n in CALLED if RECORDS[n].edge is not None])
def test_slopes_are_infinite_at_the_edge(name: str) -> None:
    known, function = RECORDS[name], CALLED[name]
    places = [s * known.edge for s in (1.0, -1.0)]
    before = {"numpy.power": (), "numpy.float_power": ()}.get(name, ())
    rest = {"numpy.power": (0.5,), "numpy.float_power": (0.5,)}.get(name, before)
    if name == "numpy.divide":
        rest, places = (), [0.0]

        def function(x: Any) -> Any:
            return np.divide(1.0, x)

    with np.errstate(all="ignore"):
        steps = [
            abs(function(p + s, *rest) - function(p, *rest)) / 1e-12
            for p in places
            for s in (1e-12, -1e-12)
        ]
    assert any(not np.isfinite(step) or step > 1e4 for step in steps)


def test_what_is_written_into_is_written_into() -> None:
    target = np.arange(9.0).reshape(3, 3)
    calls: dict[str, Any] = {
        "numpy.add.at": lambda a: np.add.at(a, 0, 1.0),
        "numpy.subtract.at": lambda a: np.subtract.at(a, 0, 1.0),
        "numpy.multiply.at": lambda a: np.multiply.at(a, 1, 2.0),
        "numpy.maximum.at": lambda a: np.maximum.at(a, 0, 9.0),
        "numpy.copyto": lambda a: np.copyto(a, 7.0),
        "numpy.fill_diagonal": lambda a: np.fill_diagonal(a, 7.0),
        "numpy.put": lambda a: np.put(a, 0, 7.0),
        "numpy.place": lambda a: np.place(a, a > 1, 7.0),
        "numpy.putmask": lambda a: np.putmask(a, a > 1, 7.0),
        "numpy.put_along_axis": lambda a: np.put_along_axis(a, np.zeros((1, 3), int), 7.0, 0),
        "numpy.random.RandomState.shuffle": lambda a: np.random.default_rng(0).shuffle(a),
    }
    assert calls.keys() == {n for n in RECORDS if RECORDS[n].writes and n.startswith("numpy.")}
    for name, call in calls.items():
        written = target.copy()
        call(written)
        assert not np.array_equal(written, target), name


def test_elementwise_rules_broadcast_without_a_record() -> None:
    assert primitive_of(np.tanh).acts_on_each_element
    assert primitive_of(np.sinc).acts_on_each_element
    assert not primitive_of(np.matmul).acts_on_each_element
    assert not primitive_of(np.modf).acts_on_each_element


def elementwise() -> dict[str, Any]:
    """Return the functions that are no ufuncs and broadcast by their rules, by name."""
    tables = [library.RULES, *(scipy.tables(f"{package}.").RULES for package in scipy.FILES)]
    functions = [fn for table in tables for fn in table if not isinstance(fn, np.ufunc)]
    known = {fn: primitive_of(fn) for fn in functions}
    return {
        f"{known[fn].name} {i}": fn
        for i, fn in enumerate(functions)
        if known[fn].acts_on_each_element
    }


ELEMENTWISE = elementwise()


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_what_is_elementwise_by_its_rule_broadcasts(name: str) -> None:
    function, known = ELEMENTWISE[name], primitive_of(ELEMENTWISE[name])
    rule: Any = known.rule
    wanted = [
        p
        for p in list(inspect.signature(rule.forward).parameters.values())[1:]
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    row, column = np.full(4, 0.5), np.full((3, 1), 0.5)
    operands = [row, *[column] * (len(wanted) - 1)][: len(wanted)]
    try:
        with np.errstate(all="ignore"):
            result = function(*operands)
    except (TypeError, ValueError):
        return  # it takes numbers alone, or other ones
    assert np.shape(result) == np.broadcast_shapes(*map(np.shape, operands))
    assert not any(shares(operand, result) for operand in operands) or known.may_view


def test_a_name_of_generated_text_is_one_of_numpy() -> None:
    assert numpy_primitive("sum").shape == "reduced"
    assert numpy_primitive("no such function").shape == ""
    assert [record.name for record in named("astype")] == [
        "numpy.astype",
        "srcgrad.runtime.creating.astype",
    ]
