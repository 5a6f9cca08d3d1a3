"""The tables that rules are collected in, and what a rule is without its formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.rules import kinks, library, nondiff, reasons
from srcgrad.rules.base import Context, Elementwise, Function, Pointwise
from srcgrad.rules.equivalents import loops
from srcgrad.rules.equivalents.registry import EquivalentTable, in_place
from srcgrad.rules.equivalents.table import equivalent, why_not
from srcgrad.rules.records import primitive_of
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy import package_tables

GRAD = np.array([1.0, 2.0])


def cube(x: Any) -> Any:
    return x**3


def fourth(x: Any) -> Any:
    return x**4


def weighted(x: Any, y: Any, z: Any = 1.0) -> Any:
    return x * y**2 + 0 * z


class Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def __call__(self) -> None: ...


def run(rule: Any, *args: Any) -> tuple[Any, Any]:
    context = Context((True,) * len(args))
    return rule.forward(context, *args), rule.backward(context, GRAD)


@pytest.mark.parametrize("real", [True, False])
def test_a_slope_makes_a_rule_for_each_function(real: bool) -> None:
    table = RuleTable("slopes", real=real)

    @table.slope(cube)
    def of_cube(x: Any) -> Any:
        return 3 * x**2

    @table.slope(fourth)
    def of_fourth(y: Any) -> Any:
        return 4 * y**0.75

    rules = table.freeze()
    x = np.array([2.0, 3.0])
    for function, slope in ((cube, 3 * x**2), (fourth, 4 * x**3)):
        rule = rules[function]
        value, grad = run(rule, x)
        np.testing.assert_allclose(value, function(x))
        np.testing.assert_allclose(grad, GRAD * slope)
        assert rule.real is real
        assert rule.holomorphic is not real
        assert rule.__module__ == __name__
    assert rules[cube].__name__ == "OfCube"
    with pytest.raises(ValueError, match=r"slopes: .* already has a rule"):
        table.slope(cube)(lambda x: x)
    with pytest.raises(TypeError):
        rules[abs] = rules[cube]  # type: ignore[index]


def test_partials_make_a_rule_whose_result_they_may_read() -> None:
    table = RuleTable("partials")

    @table.partials(weighted)
    def of_weighted(x: Any, y: Any, z: Any = 1.0, *, out: Any) -> Any:
        return out / x, lambda: 2 * x * y, None

    rule = table.freeze()[weighted]
    x, y = np.array([2.0, 3.0]), 1.5
    context = Context((True, True, False))
    np.testing.assert_allclose(rule.forward(context, x, y, 1.0), weighted(x, y))
    of_x, of_y, of_z = rule.backward(context, GRAD)
    np.testing.assert_allclose(of_x, GRAD * y**2)
    np.testing.assert_allclose(of_y, np.sum(GRAD * 2 * x * y))
    assert of_z is None
    context.needs_input_grad = (True, True, True)
    with pytest.raises(sg.SrcgradError, match="the derivative of `weighted` in its argument `z`"):
        rule.backward(context, GRAD)


def test_a_rule_without_its_formulas_says_what_it_needs() -> None:
    for method, sort in (
        (Function.forward, "Function needs a static method `forward"),
        (Function.backward, "Function needs a static method `backward"),
        (Elementwise.slope, "Elementwise rule needs a static method `slope`"),
        (Pointwise.partials, "Pointwise rule needs a static method `partials`"),
    ):
        with pytest.raises(NotImplementedError, match=sort):
            method(None)


def test_equivalents_of_a_function_are_kept_in_their_order() -> None:
    table = EquivalentTable()
    first = table.of(cube, "lead", option=("mode", 1), values=("a",))(lambda lead, x: x)
    second = table.of(cube)(lambda x: x)
    (one, other), found = table.freeze()[cube], table.freeze()
    assert (one.function, one.lead, one.option, one.values) == (
        first,
        ("lead",),
        ("mode", 1),
        ("a",),
    )
    assert (other.function, other.lead, other.option, other.values) == (second, (), None, ())
    assert vars(first)["__srcgrad_written_out__"] is True
    table.of(cube)(lambda x: x)
    assert len(found[cube]) == 2


def test_a_function_that_is_put_in_place_is_marked() -> None:
    marked = in_place(lambda x: x)
    assert {name for name in vars(marked) if name.startswith("__srcgrad")} >= {
        "__srcgrad_written_out__"
    }


def test_all_tables_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    assert library._merge() == library.RULES
    assert nondiff._table() == nondiff.CONSTANT
    assert kinks._numpy("sin linalg.norm") == ("numpy.sin", "numpy.linalg.norm")
    monkeypatch.setattr(library, "_MODULES", (*library._MODULES, library._MODULES[0]))
    with pytest.raises(sg.SrcgradError, match="two entries"):
        library._merge()


def test_a_name_of_no_function_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    assert nondiff.function_named("numpy.random.RandomState.shuffle") == np.random.shuffle
    assert nondiff.function_named("numpy.no.such") is None
    monkeypatch.setattr(nondiff, "function_named", lambda name: None)
    with pytest.raises(sg.SrcgradError, match="there is no"):
        nondiff._table()


def test_what_is_no_key_has_no_rule() -> None:
    function = Unhashable()
    assert primitive_of(function).rule is None
    assert equivalent(function, [], {}) is None
    assert why_not(function) is None
    assert not library.canonical_name(function).startswith("numpy.")


def test_a_package_that_is_not_known_has_empty_tables() -> None:
    assert package_tables("other.part") == ({}, {})


def test_a_refusal_names_the_argument_if_there_is_one() -> None:
    assert "in one of its arguments has no rule" in reasons.refusal_of("f", "")[0]
    assert "in its argument `a` has no rule" in reasons.refusal_of("f", "a", "a")[0]


def test_a_vectorized_function_is_mapped_over_as_many_arrays_as_it_is_given() -> None:
    mapped = [loops.of_vectorize(count) for count in (2, 3, 4, 5)]
    assert [None if found is None else found.function for found in mapped] == [
        *(loops.mapped, loops.mapped_pairs, loops.mapped_triples, None)
    ]
    once = [loops.of_vectorize(count, once=True) for count in (2, 3, 4, 1)]
    assert [None if found is None else found.function for found in once] == [
        *(loops.once_or_mapped, loops.once_or_pairs, loops.once_or_triples, None)
    ]
    call = equivalent(np.vectorize, [cube, GRAD], {})
    assert call is not None
    assert call.function is loops.mapped
    assert equivalent(np.vectorize, [cube, *[GRAD] * 4], {}) is None
