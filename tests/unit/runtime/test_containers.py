"""What the runtime does with containers, objects and numbers: each part has what is its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import (
    add_entries,
    add_to_shadows,
    as_complex,
    complex_shadow_of,
    complex_zeros_like,
    gathered,
    keep_apart,
    refuse_array,
    regathered,
    shadow_of,
    shadow_of_view,
    stop_gradient,
)
from srcgrad.runtime.batches import chosen_for_each, of_all
from srcgrad.runtime.containers import fields_in_order
from srcgrad.runtime.copies import same_layout
from srcgrad.runtime.long_loops import _arrays
from srcgrad.runtime.objects import field_names, held_by, is_plain_object


class Pair(NamedTuple):
    """A tuple with names."""

    one: Any
    other: Any


class Row(tuple):
    """A tuple of a class of its own."""

    __slots__ = ()


@dataclass
class Plain:
    """An object with fields."""

    w: Any
    b: Any = 0.0


class Slotted:
    """An object whose fields are no dict."""

    __slots__ = "held"  # noqa: PLC0205 - as some write it

    def __init__(self, held: Any) -> None:
        self.held = held


def closed_by_attrs(*converters: Any) -> Any:
    """Return an object of a class as attrs makes it, where it is installed."""
    space: dict[str, Any] = {}
    text = "def __setattr__(self, name, value):\n    raise AttributeError(name)"
    exec(compile(text, "/packages/attr/_make.py", "exec"), space)
    fields = [SimpleNamespace(converter=item) for item in converters]
    kept = {"__attrs_attrs__": fields, "__setattr__": space["__setattr__"]}
    return type("Closed", (), {**kept, "__module__": __name__})()


class Closing:
    """One that a method of its own closes, beside what attrs has made of it."""

    __attrs_attrs__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(name)


def test_zeros_and_shadows_mirror_containers() -> None:
    x = {"a": [2.0, np.ones(2, np.float32)], "b": (1, None)}
    zeros = complex_zeros_like(x)
    assert zeros["a"][0] == 0j
    assert type(zeros["a"][0]) is complex
    assert zeros["a"][1].dtype == np.complex64
    assert complex_zeros_like("text") is None
    assert as_complex({"k": np.ones(2, np.float32)})["k"].dtype == np.complex64
    shadow = shadow_of({"a": [2.0, np.ones(2)], "b": None})
    assert shadow["b"] is None
    assert shadow["a"][0].shape == ()
    np.testing.assert_array_equal(shadow["a"][1], np.zeros(2))
    wide = complex_shadow_of({"a": [np.ones(2, np.float32)], "b": None})
    assert wide["b"] is None
    assert wide["a"][0].dtype == np.complex64


def test_the_shadow_of_an_item_of_a_list_is_that_of_the_list() -> None:
    shadow, x = np.zeros(2), [np.ones(2)]
    assert shadow_of_view(shadow, x[0], x) is shadow
    assert shadow_of_view(shadow, x[0][::2], x[0]) is shadow
    fresh = shadow_of_view(shadow, np.ones(2), x[0])
    assert fresh is not shadow
    assert shadow_of_view(shadow * 1j, np.ones(2), x[0]).dtype == complex


def test_adjoints_of_entries_are_added_by_their_keys() -> None:
    shadows = {"a": np.zeros(2), "b": 1.0, "c": [np.zeros(1), 2.0], "d": 3.0}
    add_to_shadows(shadows, {"a": np.ones(2), "b": 2.0, "c": [np.ones(1), 5.0], "d": None})
    assert shadows["b"] == 3.0
    assert shadows["c"][1] == 7.0
    assert shadows["d"] == 3.0
    np.testing.assert_array_equal(shadows["a"], np.ones(2))
    total = {"a": [1.0, {"k": 2.0}], "b": 4.0, "c": [1.0]}
    add_entries(total, {"a": [2.0, {"k": None}], "b": 1.0, "c": None})
    assert total == {"a": [3.0, {"k": 2.0}], "b": 5.0, "c": [1.0]}


def test_a_stopped_value_is_a_copy_of_the_same_kind() -> None:
    x = Pair(np.ones(2), {"k": [np.zeros(1), 2.0], "t": (1.0,)})
    stopped = stop_gradient(x)
    assert type(stopped) is Pair
    assert type(stopped.other["t"]) is tuple
    assert stopped.other["k"][1] == 2.0
    assert not np.shares_memory(stopped.one, x.one)
    np.testing.assert_array_equal(stopped.one, x.one)


def test_items_are_gathered_and_given_back() -> None:
    rng = np.random.default_rng(0)
    like = [np.ones((2, 3)), np.ones(2), [1.0, 2.0], np.ones(2), np.zeros((0, 2))]
    parts = [list(rng.normal(size=(2, 3))), [0.5, 2.0], [3.0, 4.0], None, []]
    joined = gathered(parts, like)
    assert [np.shape(item) for item in joined] == [(2, 3), (2,), (2,), (), (0, 2)]
    assert joined[3] is None
    grad = [rng.normal(size=(2, 3)), rng.normal(size=2), [1.0, 2.0], None, np.zeros((0, 2))]
    back = regathered(grad, parts, like)
    assert type(back[0]) is list
    np.testing.assert_array_equal(np.stack(back[0]), grad[0])
    np.testing.assert_array_equal(back[1], grad[1])
    assert back[2] == [1.0, 2.0]
    assert back[3] is None
    assert back[4] == []
    assert regathered([None, 1.0], None, [1.0, 2.0]) is None
    (alone,) = regathered(np.ones((1, 3)), [np.zeros(3)], np.ones((1, 3)))
    np.testing.assert_array_equal(alone, np.ones(3))
    stacked = regathered([1.0, 2.0], np.ones(2), [1.0, 2.0])
    assert type(stacked) is np.ndarray
    np.testing.assert_array_equal(regathered(np.ones(2), np.ones(2), np.ones(2)), np.ones(2))


def test_a_layout_between_the_items_of_a_type_is_packed() -> None:
    wide = np.zeros(4, dtype=[("a", "i4"), ("b", "f8")])
    wide["b"] = np.arange(4.0)
    made = same_layout(wide["b"])
    np.testing.assert_array_equal(made, np.arange(4.0))
    assert made.flags.c_contiguous
    assert same_layout(np.arange(8.0)[::-2]).strides == (-16,)


def test_each_example_has_the_array_of_its_side() -> None:
    one, other = np.ones((2, 3)), np.zeros((2, 3))
    found = chosen_for_each(np.array([True, False]), one, other)
    np.testing.assert_array_equal(found, [[1.0] * 3, [0.0] * 3])
    with pytest.raises(
        ValueError, match=r"\(3,\) on one side of a branch, and \(4,\) on the other"
    ):
        chosen_for_each(np.array([True, False]), one, np.zeros((2, 4)))


def test_what_examples_share_is_repeated() -> None:
    shared = {"p": Pair(np.ones((3, 2)), 1), "l": [np.arange(2)]}
    found = of_all(shared, {"p": (1, None), "l": None}, 2)
    assert type(found["p"]) is Pair
    assert found["p"].one.shape == (2, 3)
    assert found["p"].other.dtype == float
    np.testing.assert_array_equal(found["p"].other, [1.0, 1.0])
    assert found["l"][0].dtype == int
    np.testing.assert_array_equal(found["l"][0], [[0, 1], [0, 1]])
    with pytest.raises(TypeError):
        of_all("text", None, 2)


def test_arrays_are_found_in_containers_of_a_state() -> None:
    a, b = np.ones(2), np.ones(3)
    assert [id(x) for x in _arrays({"k": [a, (b, 2.0)], "n": 1})] == [id(a), id(b)]
    refuse_array(2.0, "y")
    with pytest.raises(sg.MutationError, match="the array `y` in place"):
        refuse_array(a, "y")


PLAIN: list[tuple[Any, bool]] = [
    (Row((1.0,)), False),
    (Pair(1.0, 2.0), True),
    (Plain(1.0), True),
    (Slotted(1.0), True),
    (closed_by_attrs(None, None), True),
    (closed_by_attrs(None, float), False),
    (Closing(), False),
]


@pytest.mark.parametrize(("value", "plain"), PLAIN, ids=lambda v: type(v).__name__)
def test_objects_are_plain_whose_fields_are_all_there_is(value: Any, plain: bool) -> None:
    assert is_plain_object(value) is plain


def test_what_objects_hold_is_told() -> None:
    array, objects = np.ones(2), np.array([{"a": 1}, None], dtype=object)
    assert field_names(Slotted(1.0)) == ["held"]
    assert list(held_by(array)) == []
    assert list(held_by(objects)) == [{"a": 1}, None]


REGISTERED: dict[str, tuple[Callable[[Any], Any], list[str] | None]] = {
    "fields": (lambda v: ([v.b, v.w], None), ["b", "w"]),
    "one of them": (lambda v: ([v.w], v.b), ["w"]),
    "something else": (lambda v: ([v.w, 2.0], None), None),
    "what is computed": (lambda v: ([v.w * 2.0], v.b), None),
    "copies of arrays alone": (
        lambda v: ([v.w.copy() if hasattr(v.w, "copy") else v.w, v.b], None),
        None,
    ),
    "copies": (lambda v: ([np.copy(v.w)], v.b), None),
}


@pytest.mark.parametrize("name", REGISTERED)
def test_parts_that_are_fields_are_told_in_their_order(name: str) -> None:
    flatten, order = REGISTERED[name]

    @dataclass
    class Held:
        w: Any
        b: Any

    def built(rest: Any, parts: Any) -> Any:
        return Held(*parts, rest)

    sg.register_container(Held, flatten, built)
    assert fields_in_order(Held(np.ones(2), 1.0)) == order
    assert fields_in_order(2.0) is None


def test_what_keeps_values_is_found_wherever_it_is_held() -> None:
    history, array = [1.0], np.zeros(3)

    def outer(value: float) -> None:
        def inner() -> None:
            history.append(value)

        inner()

    def early() -> Any:
        return later

    for kept, given in (
        (outer, [history]),
        (outer, {"k": {"deep": history}}),
        (history, Slotted(history)),
        (history, Plain(history)),
        (array, array[1:]),
        ((1.0, array), [array[:2]]),
    ):
        with pytest.raises(sg.MutationError, match="values are kept in"):
            keep_apart(kept, given)
    keep_apart(early, [array])  # `later` is not bound yet
    later = history
    with pytest.raises(sg.MutationError, match="values are kept in"):
        keep_apart(early, [later])
    for given in (2.0, array.copy(), [1.0], Slotted(array), "text"):
        keep_apart(history, given)
    keep_apart(history)
    with pytest.raises(sg.MutationError, match="values are kept in"):
        keep_apart([Plain(array)], array, deep=True)
