"""The functions that generated code calls."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import srcgrad.runtime as rt
from srcgrad.errors import NonScalarOutputError
from srcgrad.runtime.objects import outline

Pair = namedtuple("Pair", "left right")


def test_everything_exported_exists_once() -> None:
    assert len(set(rt.__all__)) == len(rt.__all__)
    assert all(hasattr(rt, name) for name in rt.__all__)


def test_unbroadcast_returns_the_gradient_itself_if_shapes_agree() -> None:
    grad = np.ones((2, 3))
    assert rt.unbroadcast(grad, (2, 3)) is grad
    assert rt.unbroadcast(grad, np.zeros((2, 3))) is grad
    number = 2.5
    assert rt.unbroadcast(number, 7.0) is number
    assert rt.unbroadcast(number, ()) is number


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3), (2, 1), (4, 1, 3), (1, 1, 1)])
def test_unbroadcast_is_the_adjoint_of_broadcasting(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    grad, x = rng.normal(size=(4, 2, 3)), rng.normal(size=shape)
    back = rt.unbroadcast(grad, x)
    assert np.shape(back) == shape
    inner = np.sum(grad * np.broadcast_to(x, grad.shape))
    np.testing.assert_allclose(np.sum(back * x), inner)


def test_a_tuple_of_floats_or_arrays_is_no_shape() -> None:
    np.testing.assert_array_equal(rt.unbroadcast(np.ones((4, 2)), (4.0, 2.0)), [4.0, 4.0])
    np.testing.assert_array_equal(rt.unbroadcast(np.ones(2), (2.0, 3.0)), [1.0, 1.0])
    rows = (np.zeros(3), np.zeros(3))
    np.testing.assert_array_equal(rt.unbroadcast(np.ones((5, 2, 3)), rows), np.full((2, 3), 5.0))
    np.testing.assert_array_equal(rt.expand_reduced(np.array(2.0), (1.0, 1.0)), [2.0, 2.0])


def test_unbroadcast_keeps_single_precision_and_empty_shapes() -> None:
    assert rt.unbroadcast(np.ones((2, 3), np.float32), (3,)).dtype == np.float32
    np.testing.assert_array_equal(rt.unbroadcast(np.ones((0, 3)), (3,)), [0, 0, 0])


def test_expand_reduced_undoes_the_shape_of_a_reduction() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for axis in (None, 0, -1, (0, 2), (-1, 0), ()):
        for keepdims in (False, True):
            total = np.sum(x, axis=axis, keepdims=keepdims)
            full = rt.expand_reduced(total, x, axis, keepdims)
            kept = np.sum(x, axis=axis, keepdims=True)
            np.testing.assert_array_equal(full, np.broadcast_to(kept, x.shape))


def test_zeros_like_mirrors_containers() -> None:
    zeros = rt.zeros_like({"a": 1.5, "b": [np.ones(2, np.float32), (3, 4.0)], "c": Pair(1.0, 1j)})
    assert zeros["a"] == 0.0
    assert type(zeros["a"]) is float
    assert zeros["b"][0].dtype == np.float32
    assert zeros["b"][1] == [0.0, 0.0]
    assert zeros["c"] == [0.0, 0j]
    assert rt.zeros_like(np.arange(3)).dtype == np.float64
    assert rt.zeros_like(np.float32(2)) == 0.0
    assert rt.zeros_like("text") is None
    assert rt.zeros_like((range(2), 1.0)) == [[0.0, 0.0], 0.0]


@pytest.mark.parametrize(
    "value", [1.0, np.float32(2), np.float64(3), np.array(4.0), 5, np.array(6)]
)
def test_one_real_number_is_a_seed(value: Any) -> None:
    assert rt.scalar_seed(value) == 1.0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones(3), r"shape \(3,\)"),
        (np.ones((1,)), r"shape \(1,\)"),
        (1j, "complex"),
        (np.array(1j), "complex128"),
        ("x", "str"),
        ([1.0], "list"),
        (True, "bool"),
    ],
)
def test_anything_else_is_refused_with_its_kind_and_a_way_out(value: Any, words: str) -> None:
    with pytest.raises(NonScalarOutputError, match=words) as caught:
        rt.scalar_seed(value)
    assert ".sum()" in caught.value.hint


def test_nothing_is_refused_with_a_way_out() -> None:
    with pytest.raises(NonScalarOutputError, match="NoneType") as caught:
        rt.scalar_seed(None)
    assert "without `return`" in caught.value.hint


def test_add_at_adds_to_an_element_once_for_each_time_it_is_selected() -> None:
    buffer = np.zeros(4)
    rt.add_at(buffer, [0, 0, 2], np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(buffer, [3, 0, 3, 0])
    rt.add_at(buffer, np.array([True, False, False, True]), 10.0)
    np.testing.assert_array_equal(buffer, [13, 0, 3, 10])
    rt.add_at(buffer, slice(1, 3), 1.0)
    rt.add_at(buffer, 0, 1.0)
    np.testing.assert_array_equal(buffer, [14, 1, 4, 10])


def test_add_at_takes_mixed_indices() -> None:
    buffer = np.zeros((2, 3))
    rt.add_at(buffer, (slice(None), np.array([1, 1])), np.ones((2, 2)))
    np.testing.assert_array_equal(buffer, [[0, 2, 0], [0, 2, 0]])


def test_add_at_adds_to_items_of_lists_and_dicts() -> None:
    shadow: Any = [0.0, np.zeros(2), {"k": [0.0, 0.0]}]
    inner = shadow[1]
    rt.add_at(shadow, 0, 2.0)
    rt.add_at(shadow, 1, np.ones(2))
    rt.add_at(shadow[2], "k", [1.0, 3.0])
    assert shadow[0] == 2.0
    np.testing.assert_array_equal(shadow[1], [1, 1])
    assert shadow[2] == {"k": [1.0, 3.0]}
    assert inner is not None


@pytest.mark.parametrize(
    ("index", "repeats"),
    [
        (0, False),
        (slice(2), False),
        (None, False),
        (Ellipsis, False),
        ((0, slice(1)), False),
        ([True, False], False),
        (np.array([True, False]), False),
        (np.int64(1), False),
        ([0, 0], True),
        (np.array([1]), True),
        ((slice(None), [0, 0]), True),
    ],
)
def test_only_arrays_of_integers_may_repeat(index: Any, repeats: bool) -> None:
    assert rt.may_repeat(index) is repeats


@pytest.mark.parametrize(
    "index", [1, slice(None, None, -1), [0, 0, 1], (0, [1, 1]), (..., None, 0)]
)
def test_scatter_is_the_adjoint_of_getitem(index: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 4))
    grad = rng.normal(size=np.shape(x[index]))
    back = rt.scatter(grad, index, x)
    np.testing.assert_allclose(np.sum(back * x), np.sum(grad * rt.getitem(x, index)))


def test_predicates_answer_truly_at_run_time() -> None:
    assert rt.is_matrix(np.ones((2, 2)))
    assert not rt.is_matrix(np.ones(2))
    assert rt.is_number(2)
    assert rt.is_number(2.0, 2)
    assert rt.is_number(3, at_least=1)
    assert not rt.is_number(0.5, at_least=1)
    assert not rt.is_number(np.float64(2), 2)
    assert not rt.is_number(np.ones(2), 2)
    assert rt.shortcut(1) is True
    assert all(hasattr(rt, name) for name in rt.SHORTCUTS | rt.COMPLEX_ONLY)


def test_the_parts_of_real_numbers_are_the_numbers() -> None:
    x = np.ones(3)
    assert rt.conj(x) is x
    assert rt.real_part(x) is x
    assert rt.conj(1j) == -1j
    assert rt.real_part(np.array([1 + 2j])) == 1


def test_slopes_of_powers_of_floats_do_not_raise() -> None:
    assert rt.power_slope(0.0, 0.5) == np.inf
    assert rt.power_slope(0.0, 0) == 0.0
    assert rt.power_slope(-2.0, 2) == -4.0
    assert np.isnan(rt.power_log_slope(-1.0, 2.0, 1.0))


class Recorder:
    """Answers to functions as a tensor does, and notes them."""

    shape = (2, 3)
    ndim = 2

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function, args


def test_values_that_record_get_runtime_functions_as_one_step() -> None:
    value = Recorder()
    for call in (
        lambda: rt.unbroadcast(value, (3,)),
        lambda: rt.expand_reduced(value, (2, 3), 0),
        lambda: rt.scatter(value, 0, (4, 2, 3)),
        lambda: rt.matmul_left(value, np.ones((2, 2)), np.ones((2, 3))),
    ):
        function, args = call()
        assert getattr(rt, function.__name__) is function
        assert args[0] is value


def test_a_value_that_does_not_record_is_a_number_or_an_array() -> None:
    assert not rt.records(np.float32(1))
    assert not rt.records(np.ones(2))
    assert not rt.records("text")
    assert rt.records(Recorder())


class Part:
    def __init__(self, inner: Any) -> None:
        self.inner = inner


WRAPPERS = {
    "an object": Part,
    "a list": lambda item: [2.0, item],
    "a tuple": lambda item: (item, "a"),
    "a dict": lambda item: {"a": item, "b": 1.0},
    "a named pair": lambda item: Pair(1.0, item),
}


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_an_outline_says_what_an_object_holds_four_levels_deep(wrapper: Any) -> None:
    def outlines(levels: int) -> list[Any]:
        made = []
        for _ in range(2):
            value: Any = Part(1.0)
            for _ in range(levels):
                value = wrapper(value)
            made.append((value, outline(value)))
        assert made[0][0] is not made[1][0]
        return [found for _, found in made]

    for levels in range(7):
        one, other = outlines(levels)
        assert (one == other) is (levels < 4), levels
    functions = [outline(wrapper(wrapper(function))) for function in (len, len, max)]
    assert functions[0] == functions[1] != functions[2]
