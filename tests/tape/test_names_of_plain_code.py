"""Plain code on the tape that reaches something by two names, or asks for what arrays have not."""

from __future__ import annotations

import builtins
import contextlib
import functools
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])

# -- arrays that are written by one name and read by another ---------------------------------------

ROOM, ALIKE = np.ones(3), np.ones(3)
QUEUE = deque([ROOM])
PAIR = (ALIKE, "a")
PART = functools.partial(np.dot, ALIKE)
DOT = ALIKE.dot


class Slotted:
    __slots__ = ("room",)

    def __init__(self) -> None:
        self.room = ROOM


SLOTTED = Slotted()


def default_read(x, room=ROOM):
    ROOM[:] = x * x
    return room @ x


def default_written(x, *, room=ROOM):
    room[:] = x * x
    return ROOM @ x


def by_default(x):
    return default_read(x)


def by_keyword_default(x):
    return default_written(x)


def in_a_queue(x):
    ROOM[:] = x * x
    return QUEUE[0] @ x


def in_a_slot(x):
    ROOM[:] = x * x
    return SLOTTED.room @ x


def in_a_tuple(x):
    ALIKE[:] = x * x
    return PAIR[0] @ x


def in_a_partial(x):
    ALIKE[:] = x * x
    return PART(x)


def in_a_bound_method(x):
    ALIKE[:] = x * x
    return DOT(x)


def written_in_a_tuple(x):
    PAIR[0][:] = 2.0
    y = ALIKE @ (x * x)
    PAIR[0][:] = 5.0
    return y


def given_and_written_in_a_tuple(x, room):
    PAIR[0][:] = 7.0
    return room @ x


def on_the_tape(function: Callable[..., Any], *args: Any) -> Any:
    ROOM[:] = ALIKE[:] = 1.0
    return sg.grad(function, backend="tape")(X, *args)


@pytest.mark.parametrize("function", [by_default, by_keyword_default, in_a_queue, in_a_slot])
def test_an_array_with_two_names_is_one_array(function):
    np.testing.assert_allclose(on_the_tape(function), 3 * X**2)
    assert type(ROOM) is type(default_read.__defaults__[0]) is type(QUEUE[0]) is np.ndarray
    assert ROOM is default_read.__defaults__[0] is default_written.__kwdefaults__["room"]
    np.testing.assert_array_equal(ROOM, X**2)


@pytest.mark.parametrize("function", [in_a_tuple, in_a_partial, in_a_bound_method])
def test_what_no_tensor_can_be_put_into_is_refused(function):
    with pytest.raises(sg.SrcgradError):
        on_the_tape(function)


def test_numbers_are_written_there_all_the_same():
    np.testing.assert_allclose(on_the_tape(written_in_a_tuple), 4 * X)
    np.testing.assert_array_equal(ALIKE, 5.0)


def test_an_argument_is_not_written_there():
    with pytest.raises(sg.MutationError, match="another name"):
        on_the_tape(given_and_written_in_a_tuple, ALIKE)


# -- lists that are changed by one name and read by another ----------------------------------------

NUMBERS = [1.0, 2.0]
TABLE = {"numbers": NUMBERS}
HIDDEN = (NUMBERS,)


def changed_and_back(x, numbers):
    numbers[0] = x[0] * x[0]
    y = NUMBERS[0] * x[1]
    numbers[0] = 1.0
    return y


def changed_in_a_dict_and_back(x, numbers):
    TABLE["numbers"].append(x[0] * x[0])
    y = numbers[-1] * x[1]
    numbers.pop()
    return y


def changed_by_a_default_and_back(x, numbers, again=NUMBERS):
    again[0] = x[0] * x[0]
    y = numbers[0] * x[1]
    numbers[0] = 1.0
    return y


def changed_in_a_tuple_and_back(x, numbers):
    HIDDEN[0][0] = x[0] * x[0]
    y = numbers[0] * x[1]
    HIDDEN[0][0] = 1.0
    return y


def read_in_a_tuple(x, numbers):
    return HIDDEN[0][1] * x[0] * numbers[1]


LISTS = [changed_and_back, changed_in_a_dict_and_back, changed_by_a_default_and_back]


@pytest.mark.parametrize("function", LISTS)
def test_a_list_with_two_names_is_one_list(function):
    np.testing.assert_allclose(on_the_tape(function, NUMBERS), [4.0, 1.0, 0.0])
    assert NUMBERS == [1.0, 2.0]
    assert TABLE["numbers"] is NUMBERS


def test_a_list_that_a_tuple_holds_is_read_and_not_changed():
    np.testing.assert_allclose(on_the_tape(read_in_a_tuple, NUMBERS), [4.0, 0.0, 0.0])
    with pytest.raises(sg.MutationError, match="may be changed"):
        on_the_tape(changed_in_a_tuple_and_back, NUMBERS)


# -- attributes of tensors that arrays and numbers have not ----------------------------------------


def named(y):
    y.name = "a"


def named_by_text(y):
    setattr(y, "title", "a")  # noqa: B010


def pulled(y):
    y.backward()


def recorded(y):
    return y.requires_grad


def forgotten(y):
    del y.grad


def got(y):
    return operator.attrgetter("grad_fn")(y)


def got_by_parts(y):
    return getattr(y, "un" + "squeeze")


def copied_in(y):
    y.copy_(y)


ASKED = [named, named_by_text, pulled, recorded, forgotten, got, got_by_parts, copied_in]


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("start", [X, 1.5])
def test_what_an_array_has_not_is_no_attribute(ask, start):
    def tried(x):
        y = x * x
        try:
            ask(y)
        except AttributeError:
            return np.sum(y)
        return 5.0 * np.sum(y)

    def suppressed(x):
        y = x * x
        with contextlib.suppress(AttributeError):
            ask(y)
            y = 5.0 * y
        return np.sum(y)

    for function in (tried, suppressed):
        np.testing.assert_allclose(sg.grad(function, backend="tape")(start), 2 * start)


def test_getattr_hasattr_and_patterns_find_none_either():
    def asked(x):
        y = x * x
        assert getattr(y, "requires_grad", None) is None
        assert not hasattr(y, "backward")
        assert not hasattr(y, "__name__")
        match y:
            case object(grad_fn=_):
                return 5.0 * np.sum(y)
        return np.sum(y)

    np.testing.assert_allclose(sg.grad(asked, backend="tape")(X), 2 * X)


def test_whoever_speaks_of_tensors_has_them():
    def with_tensors(x):
        t = sg.tensor([1.0, 2.0], requires_grad=True)
        (t * t).sum().backward()
        return np.sum(x * x) * t.grad.numpy()[1]

    np.testing.assert_allclose(sg.grad(with_tensors, backend="tape")(X), 8 * X)
    tensor = sg.tensor([1.0], requires_grad=True)
    tensor.name = "a"
    assert tensor.name == "a"
    assert tensor.requires_grad
    del tensor.name
    with pytest.raises(AttributeError):
        tensor.name  # noqa: B018


# -- the row of the elements -----------------------------------------------------------------------


def test_the_row_of_elements_knows_its_place():
    def by_place(x):
        row, total = (x * x).flat, 0.0
        for value in row:
            total += row.index * value
            if row.index == 2:
                break
        return total + 10 * sum(row) + row.index

    def by_axes(x):
        row = (x * x).reshape(3, 1).flat
        next(row)
        return row.coords[0] * row[2] + row.index + len(row)

    np.testing.assert_allclose(sg.grad(by_place, backend="tape")(X), [2.0, 8.0, 60.0])
    np.testing.assert_allclose(sg.grad(by_axes, backend="tape")(X), [0.0, 0.0, 6.0])


class WithNames:
    """An object that holds the names of Python itself, as templates and registries do."""

    names = vars(builtins)

    def __init__(self):
        self.known = vars(builtins)


WITH_NAMES = WithNames()


def asks_an_object_with_names(x):
    factor = float(getattr(WITH_NAMES, "missing", 2.0))
    return factor * x * x * len(WITH_NAMES.known) / len(WITH_NAMES.names)


def test_the_names_of_python_stay_what_they_are_where_an_object_holds_them():
    before = dict(vars(builtins))
    assert sg.grad(asks_an_object_with_names, fallback="tape")(3.0) == 12.0
    assert all(before[name] is value for name, value in vars(builtins).items() if name in before)
