"""What programs tell objects outside: run as it is, unless they read it back for their results."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg


class Record:
    def __init__(self) -> None:
        self.history: Any = [1.5]
        self.best = 100.0
        self.table: Any = {"a": [1.0]}
        self.count = 0


RECORD = Record()
SHARED: list[float] = []
SORTED: list[Any] = []
KEPT: list[float] = []
LISTS: list[Any] = []
TABLE: dict[str, Any] = {}
OF_HISTORY = operator.attrgetter("history")


def last() -> Any:
    return RECORD.history[-1]


def last_of(record: Any) -> Any:
    return record.history[-1]


def keep(value: float) -> None:
    KEPT.append(value)


class Model(Record):
    @property
    def latest(self) -> Any:
        return self.history[-1]

    def mean(self) -> Any:
        return self.history[-1] * 2.0

    def __getitem__(self, place: int) -> Any:
        return self.history[place]


MODEL = Model()


def started() -> None:
    """Put the objects back to how they begin."""
    SHARED[:] = [1.5]
    SORTED.clear()
    TABLE.clear()
    LISTS.clear()
    RECORD.__init__()  # type: ignore[misc]
    MODEL.__init__()  # type: ignore[misc]


def told(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    RECORD.table["a"].append({"value": float(y)})
    RECORD.count += 1
    if y < RECORD.best:
        RECORD.best = float(y)
    return y


def told_in_a_loop(x: Any) -> Any:
    for _ in range(3):
        x = np.sin(x)
        MODEL.history.append(x.copy())
        MODEL.best = min(MODEL.best, float(x[0]))
    return np.sum(x * x)


def told_and_counted(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * len(RECORD.history)


def read_back(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * RECORD.history[-1]


def read_back_by_another(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * last()


def read_back_by_one_that_is_given_it(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * last_of(RECORD)


def read_back_by_another_name(x: Any) -> Any:
    RECORD.history = SHARED
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * SHARED[-1]


def read_back_by_a_variable(x: Any) -> Any:
    history = RECORD.history
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * history[-1]


def read_back_by_a_text(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * getattr(RECORD, "history")[-1]  # noqa: B009


def read_back_by_a_getter(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * OF_HISTORY(RECORD)[-1]


def read_back_among_all(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * vars(RECORD)["history"][-1]


def read_back_as_a_sum(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(float(y))
    return y * functools.reduce(lambda a, b: b, RECORD.history)


def read_back_in_a_table(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.table["a"].append(float(y))
    return y * RECORD.table["a"][-1]


def read_back_as_a_number(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.best = float(y)
    return y * abs(RECORD.best)


def read_back_by_a_property(x: Any) -> Any:
    y = np.sum(x**2)
    MODEL.history.append(float(y))
    return y * MODEL.latest


def read_back_by_a_method(x: Any) -> Any:
    y = np.sum(x**2)
    MODEL.history.append(float(y))
    return y * MODEL.mean()


def read_back_by_an_index(x: Any) -> Any:
    y = np.sum(x**2)
    MODEL.history.append(float(y))
    return y * MODEL[-1]


def array_that_is_written_later(x: Any) -> Any:
    u = x * 2.0
    RECORD.history.append(u)
    u[0] = 3.0
    return np.sum(u**2)


def note(y: Any) -> None:
    SHARED.append(float(y))


def note_and_return(y: Any) -> Any:
    SHARED.append(float(y))
    return SHARED[-1]


def noted(x: Any) -> Any:
    y = np.sum(x**2)
    note(y)
    return y


def noted_by_a_nested_function(x: Any) -> Any:
    def keep(value: Any) -> None:
        SHARED.append(float(value))

    y = np.sum(x**2)
    keep(y)
    return y


def noted_and_read(x: Any) -> Any:
    y = np.sum(x**2)
    note(y)
    return y * SHARED[-1]


def noted_and_read_by_a_default(x: Any, shared: Any = SHARED) -> Any:
    y = np.sum(x**2)
    note(y)
    return y * shared[-1]


def noted_by_what_returns_it_elsewhere(x: Any) -> Any:
    y = np.sum(x**2)
    note_and_return(y)
    return y * note_and_return(y)


def noted_array_that_is_written_later(x: Any) -> Any:
    u = x * 2.0
    note(u[1])
    u[0] = 3.0
    return np.sum(u**2)


def written_in_what_was_put_there(x: Any) -> Any:
    SORTED.append(np.sort(x))
    SORTED[-1][0] *= 2.0
    return np.sum(SORTED[-1] ** 2)


def written_in_a_table(x: Any) -> Any:
    TABLE["a"] = x * 2.0
    TABLE["a"][0] *= 3.0
    return np.sum(TABLE["a"] ** 2)


def read_back_where_it_is_asked_for(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.best = float(y)
    if (best := RECORD.best) > 0.0:
        return y * best
    return y


def read_back_by_a_pattern(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.best = float(y)
    match RECORD:
        case Record(best=best):
            return y * best
    return y


def is_kept(value: Any) -> bool:
    SORTED.append(value)
    return True


def read_back_from_what_was_asked(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.best = float(y)
    return y * SORTED[-1] if is_kept(RECORD.best) else y


def read_back_from_what_is_named_as_pythons(x: Any) -> Any:
    kept = 0.0

    def abs(value: Any) -> Any:  # noqa: A001 - what it is about
        nonlocal kept
        kept = value
        return value

    y = np.sum(x**2)
    RECORD.best = y
    RECORD.best = abs(RECORD.best)
    return y * kept


def read_back_from_what_a_table_holds(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.table = {"a": SHARED}
    RECORD.table["a"].append(float(y))
    return y * SHARED[-1]


def read_back_from_what_was_put_in(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.append(SHARED)
    RECORD.history[-1].append(float(y))
    return y * SHARED[-1]


def read_back_from_what_was_put_in_first(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history.insert(0, SHARED)
    RECORD.history[0].append(float(y))
    return y * SHARED[-1]


def read_back_by_the_other_of_two_names(x: Any) -> Any:
    y = np.sum(x**2)
    history = RECORD.history = []
    RECORD.history.append(float(y))
    return y * history[-1]


def read_back_from_one_of_a_tuple(x: Any) -> Any:
    y = np.sum(x**2)
    RECORD.history, factor = SHARED, 2.0
    RECORD.history.append(float(y))
    return y * SHARED[-1] * factor


def read_back_from_a_loop_over_lists(x: Any) -> Any:
    y = np.sum(x**2)
    for RECORD.history in (SHARED,):
        RECORD.history.append(float(y))
    return y * SHARED[-1]


def read_back_from_the_last_of_a_list(x: Any) -> Any:
    y = np.sum(x**2)
    LISTS.append(SHARED)
    LISTS[-1].append(float(y))
    return y * SHARED[-1]


def read_back_from_what_a_list_was_extended_with(x: Any) -> Any:
    y = np.sum(x**2)
    LISTS.extend([SHARED])
    LISTS[-1].append(float(y))
    return y * SHARED[-1]


def read_back_from_what_was_made_for_a_list(x: Any) -> Any:
    y = np.sum(x**2)
    made = [1.0]
    LISTS.append(made)
    LISTS[-1].append(float(y))
    return y * made[-1]


TOLD: list[Callable[[Any], Any]] = [*(told, told_and_counted, noted, noted_by_a_nested_function)]
READ: list[Callable[[Any], Any]] = [
    *(told_in_a_loop, read_back, read_back_by_another, read_back_by_one_that_is_given_it),
    *(read_back_by_another_name, read_back_by_a_variable, read_back_by_a_text),
    *(read_back_by_a_getter, read_back_among_all, read_back_as_a_sum, read_back_in_a_table),
    *(read_back_as_a_number, read_back_by_a_property, read_back_by_a_method),
    *(read_back_by_an_index, array_that_is_written_later, noted_and_read),
    *(noted_by_what_returns_it_elsewhere, noted_array_that_is_written_later),
    *(written_in_what_was_put_there, written_in_a_table, read_back_where_it_is_asked_for),
    *(read_back_by_a_pattern, read_back_from_what_was_asked),
    *(read_back_from_what_is_named_as_pythons, read_back_from_what_a_table_holds),
    *(read_back_from_what_was_put_in, read_back_from_what_was_put_in_first),
    *(read_back_by_the_other_of_two_names, read_back_from_one_of_a_tuple),
    *(read_back_from_a_loop_over_lists, read_back_from_the_last_of_a_list),
    *(read_back_from_what_a_list_was_extended_with, read_back_from_what_was_made_for_a_list),
]
X = np.array([0.3, 1.2, -0.7])


def differences(function: Callable[[Any], Any]) -> Any:
    """Return the gradient by differences, each value from how the objects begin."""

    def value(x: Any) -> float:
        started()
        return float(function(x))

    step = 1e-6
    units = np.eye(len(X)) * step
    return np.array([(value(X + unit) - value(X - unit)) / (2 * step) for unit in units])


@pytest.mark.parametrize("function", [*TOLD, *READ], ids=lambda f: f.__name__)
def test_gradients_and_tangents_agree_with_differences(
    function: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_PROVE", "0")  # the checker would find what is wrong here
    expected = differences(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            started()
            np.testing.assert_allclose(sg.grad(function)(X.copy()), expected, 1e-5, 1e-8)
        started()
        _, tangent = sg.jvp(function, (X.copy(),), (np.ones(3),))
    np.testing.assert_allclose(tangent, expected.sum(), 1e-5, 1e-8)


@pytest.mark.parametrize("function", TOLD, ids=lambda f: f.__name__)
def test_what_is_told_goes_by_source_and_is_kept(function: Callable[[Any], Any]) -> None:
    started()
    function(X)
    kept = [*RECORD.history], dict(RECORD.table), RECORD.count, RECORD.best
    started()
    sg.grad(function, fallback="error")(X)
    assert ([*RECORD.history], dict(RECORD.table), RECORD.count, RECORD.best) == kept


class Holder:
    __slots__ = ("held",)

    def last(self) -> Any:
        return self.held[-1]


HOLDER = Holder()
LAST = HOLDER.last
NEXT = functools.partial(Holder.last, HOLDER)


@pytest.mark.parametrize("ask", [lambda: HOLDER.held[-1], LAST, NEXT])
def test_what_slots_and_bound_methods_hold_is_another_name(
    ask: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_PROVE", "0")
    started()
    HOLDER.held = [2.0]

    def function(x: Any) -> Any:
        y = np.sum(x**2)
        RECORD.history.append(float(y))
        return y * ask()

    gradient = sg.grad(function, fallback="tape")
    np.testing.assert_allclose(gradient(X), 4 * X)
    HOLDER.held = RECORD.history
    np.testing.assert_allclose(gradient(X), 4 * np.sum(X**2) * X)


@pytest.mark.parametrize("is_read", [False, True])
@pytest.mark.parametrize("name", ["history", "SHARED", "KEPT"])
def test_what_gets_a_second_name_later_is_told_no_more(
    name: str, is_read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_PROVE", "0")
    started()

    def told_one(x: Any) -> Any:
        y = np.sum(x**2)
        RECORD.history.append(float(y))
        return y * SHARED[-1]

    def told_by_a_function(x: Any) -> Any:
        y = np.sum(x**2)
        keep(float(y))
        return y * SHARED[-1]

    function = told_by_a_function if name == "KEPT" else told_one
    gradient = sg.grad(function)
    if is_read:
        assert "tell" in gradient.source
    np.testing.assert_allclose(gradient(X), 3 * X)
    if name == "history":
        RECORD.history = SHARED
    else:
        monkeypatch.setitem(globals(), name, RECORD.history if name == "SHARED" else SHARED)
    with pytest.warns(sg.FallbackWarning):
        found = gradient(X)
    np.testing.assert_allclose(found, 4 * np.sum(X**2) * X)


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_what_is_noted_is_no_argument(fallback: Any) -> None:
    def scaled(x: Any, shared: Any) -> Any:
        y = np.sum(x**2)
        note(y)
        return y * shared[-1]

    started()
    np.testing.assert_allclose(sg.grad(scaled, fallback=fallback)(X, [2.0]), 4 * X)
    with pytest.raises(sg.MutationError, match=r"kept in|another name"):
        sg.grad(scaled, fallback=fallback)(X, SHARED)


def test_an_argument_may_be_kept_and_given_again() -> None:
    started()

    def kept(x: Any) -> Any:
        RECORD.history.append(x)
        return np.sum(x**2)

    gradient, x = sg.grad(kept, fallback="error"), X.copy()
    for count in (1, 2, 3):
        x -= 0.1
        np.testing.assert_allclose(gradient(x), 2 * x)
        assert len(RECORD.history) == count + 1
        assert RECORD.history[-1] is x


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_what_is_kept_further_inside_is_no_argument(fallback: Any) -> None:
    def scaled(x: Any, row: Any) -> Any:
        y = np.sum(x**2)
        RECORD.table["a"].append(float(y))
        return y * row[0]

    started()
    np.testing.assert_allclose(sg.grad(scaled, fallback=fallback)(X, [2.0]), 4 * X)
    with pytest.raises(sg.MutationError, match=r"kept in|another name"):
        sg.grad(scaled, fallback=fallback)(X, RECORD.table["a"])


@pytest.mark.filterwarnings("ignore")
def test_a_list_with_two_names_is_one_list_on_the_tape() -> None:
    started()
    found = sg.grad(noted_and_read_by_a_default)(X)
    np.testing.assert_allclose(found, 4 * X * np.sum(X**2))
    assert [1.5, np.sum(X**2)] == SHARED
