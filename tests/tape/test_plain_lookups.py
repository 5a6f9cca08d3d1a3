"""What plain code on the tape finds under names, in caches and on values."""

# ruff: noqa: E721, PLR0124 - programs are written as people write them

from __future__ import annotations

import functools
import inspect
import sys
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.api.fallback import run_on_tape
from srcgrad.autograd import Function, graph
from srcgrad.errors import NotDifferentiableError, UnsupportedError
from srcgrad.tape.loans import is_lent
from srcgrad.tape.plainly import run_call
from tests.differences import assert_same, numerical_gradient

X = np.array([0.5, 1.5])


def on_tape(function: Any, x: Any = X) -> tuple[Any, Any]:
    value, (found,) = run_on_tape(
        function, inspect.signature(function), ("x",), (np.copy(x),), {}, aux=False
    )
    return value, found


# -- caches, types and fields ----------------------------------------------------------------------


class Cached:
    """Methods that remember results."""

    @functools.lru_cache  # noqa: B019 - what is tested
    def twice(self, k: Any) -> Any:
        return k * 2.0

    @functools.lru_cache  # noqa: B019
    def square(self, k: Any) -> Any:
        return np.sum(k**2)


CACHED = Cached()


class Slots:
    """Fields in slots and others."""

    __slots__ = ("__dict__", "factor", "kept")

    def __init__(self) -> None:
        self.factor = 2.0


SLOTS = Slots()


class Asks:
    """Holds a type of numbers that values are compared with."""

    kind = np.float64
    _hidden = np.float32

    def __init__(self) -> None:
        self._dtype = np.float64

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def hidden(self) -> Any:
        return self._hidden


ASKS = Asks()


def with_caches(x: Any) -> Any:
    return CACHED.twice(3.0) * x[0] + Cached.twice(CACHED, 2.0) * x[1] + CACHED.square(float(x[0]))


class Typed:
    """Holds a type of numbers under a property."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    @property
    def kind(self) -> Any:
        return self._kind


ONE, OTHER, SHORT = Typed(np.float64), Typed(np.float64), Typed(np.float32)


def with_fields_compared(x: Any) -> Any:
    found = x[0] * 2.0 if ONE.kind is OTHER.kind else x[1]
    found = found * (x[0] * 2.0 if ONE._kind is SHORT._kind else x[1])
    return found + (x[0] * 3.0 if ONE._kind is not SHORT.kind else x[1])


class Listed:
    """Holds other things than types of numbers in fields that are compared."""

    def __init__(self, *held: Any) -> None:
        self.first, self.second = held


THESE = Listed(list, [1])


def with_other_fields_compared(x: Any) -> Any:
    same = THESE.first is LISTED.first and THESE.second is not LISTED.second
    return np.float64(x[0]) * 2.0 if same else x[1]


LISTED = Listed(list, [1])


def with_types_and_fields(x: Any) -> Any:
    return x[0] * 2.0 if OTHER._kind is ONE.kind and type(x[0]) is ONE.kind else x[1]


class Masked:
    """Holds a masked array beside one that is not."""

    def __init__(self) -> None:
        self.masked = np.ma.array([1.0, 2.0], mask=[True, False])
        self.usual = np.ones(2)


MASKED = Masked()


def beside_what_is_masked(x: Any) -> Any:
    return np.sum(MASKED.usual * x)


def by_a_computed_name(x: Any) -> Any:
    return np.sum(getattr(MASKED, "mas" + "ked") * x)


def by_its_name(x: Any) -> Any:
    return np.sum(MASKED.masked * x)


def among_all_fields(x: Any) -> Any:
    return np.sum(vars(MASKED)["usual"] * x)


def with_sums_at_places(x: Any) -> Any:
    counts = np.zeros(2)
    np.add.at(counts, [1, 1, 0], 1.5)
    np.subtract.at(counts, [0], x[0])
    number = np.zeros(())
    np.add.at(number, (), 1.5)
    return np.sum(counts * x) * number


def with_slots(x: Any) -> Any:
    SLOTS.kept = x[0] * SLOTS.factor
    return SLOTS.kept * x[1]


def with_types(x: Any) -> Any:
    one = x[0] * 2.0 if type(x[0]) is ASKS.kind else x[1]
    other = x[0] * 3.0 if ASKS.dtype is type(x[0]) else x[1]
    return one * other * (x[0] if type(x[0]) is ASKS.hidden else x[1])


def with_metaclasses(x: Any) -> Any:
    class Meta(type):
        pass

    class Made(metaclass=Meta):
        pass

    told = type("Told", (), {"factor": 2.0})
    return (
        x[0] * told.factor * (type(Made) is Meta)
        + 3.0 * x[1] * isinstance(Made, type) * issubclass(Meta, type)
        + 5.0 * x[0] * (type == type(np.ndarray))
        + 7.0 * x[1] * (type == type)
        + 11.0 * x[0] * (type == float)
        + {type: 13.0}[type(int)] * x[1]
        + len(type.__name__) * x[0]
    )


def with_names_of_tensors(x: Any) -> Any:
    y = x * 2.0
    found = getattr(y, "backward", x[0] * 3.0)
    try:
        y.relu = 3.0
    except AttributeError:
        found = found + x[1]
    try:
        del y.sigmoid
    except AttributeError:
        found = found * x[0]
    number = float(x[0])
    try:
        return number.relu
    except AttributeError:
        return found * number


@pytest.mark.parametrize(
    "function",
    [
        with_caches,
        with_slots,
        with_types,
        with_fields_compared,
        with_other_fields_compared,
        with_types_and_fields,
        with_metaclasses,
        with_names_of_tensors,
        with_sums_at_places,
        beside_what_is_masked,
    ],
)
def test_plain_code_finds_what_it_finds_without_a_tape(function: Any) -> None:
    for x in (X, X * 3.0):
        value, found = on_tape(function, x)
        np.testing.assert_allclose(value, function(np.copy(x)), 1e-12)
        assert_same(found, numerical_gradient(function, (np.copy(x),), 0))


@pytest.mark.parametrize("function", [by_a_computed_name, by_its_name, among_all_fields])
def test_fields_that_may_be_masked_are_refused(function: Any) -> None:
    with pytest.raises(UnsupportedError, match="MaskedArray"):
        on_tape(function)


def test_names_are_known_to_be_lent_while_code_runs() -> None:
    def asks(x: Any) -> Any:
        seen.append((is_lent(globals(), "np"), is_lent(globals(), "Typed"), is_lent({}, "np")))
        return np.sum(x * x)

    seen: list[Any] = []
    asks(X)
    on_tape(asks)
    asks(X)
    assert seen == [(False,) * 3, (True, False, False), (False,) * 3]


def test_what_plain_code_does_not_find_other_code_finds_and_sets() -> None:
    on_tape(with_names_of_tensors)  # from now on the class hides the names
    x = tape.tensor([-1.0, 2.0])
    assert x.relu().tolist() == [0.0, 2.0]
    assert callable(tape.Tensor.relu)
    x.relu = 5.0
    assert x.relu == 5.0
    assert tape.tensor([-1.0]).relu().tolist() == [0.0]
    del x.relu
    assert x.relu().tolist() == [0.0, 2.0]
    with pytest.raises(AttributeError, match="relu"):
        del x.relu

    def asks_for_grad(x: Any) -> Any:
        return np.sum(x * x) + (getattr(x, "grad", None) is None) + getattr(x, "unknown", 1.0)

    on_tape(asks_for_grad)
    x.grad = held = tape.tensor([1.0, 2.0])
    assert x.grad is held
    del x.grad
    assert x.grad is None
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'unknown'"):
        _ = x.unknown
    x.unknown = 3.0
    assert x.unknown == 3.0
    del x.unknown
    with pytest.raises(AttributeError, match="unknown"):
        del x.unknown


# -- what is refused, and where --------------------------------------------------------------------


def converts(x: Any) -> Any:
    return np.asarray(memoryview(x))[0]


def without_columns(code: CodeType) -> CodeType:
    """Return code of one line that knows no columns, as where Python is told to keep none."""
    count, entries = len(code.co_code) // 2, []
    for start in range(0, count, 8):
        length = min(8, count - start)
        entries += [0x80 | 13 << 3 | length - 1, 2 if start == 0 else 0]  # 13: a line, no columns
    return code.replace(co_linetable=bytes(entries))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no columns there")
def test_a_refusal_without_columns_shows_the_line() -> None:
    bare = FunctionType(without_columns(converts.__code__), globals())
    spans = []
    for function in (converts, bare):
        with pytest.raises(NotDifferentiableError) as refused:
            on_tape(function)
        spans.append(refused.value.diagnostics[0].span)
    known, told = spans
    assert (told.file, told.line, told.text) == (known.file, known.line, known.text)
    assert told.column == 4
    assert told.end_column is None
    assert known.column > told.column


class Pair:
    """An object of the user's."""

    def __init__(self, one: Any) -> None:
        self.one = one


class Makes:
    """A function without a name."""

    def __call__(self, x: Any) -> Any:
        return {"a": [x * 2.0, Pair(x)]}


def makes(x: Any) -> Any:
    return (x, Pair(x))


@pytest.mark.parametrize(
    ("function", "name"),
    [(Makes(), "`Makes`"), (makes, "`makes`"), (functools.partial(makes), "`partial`")],
)
def test_an_object_that_comes_of_a_call_is_refused_by_the_name_of_what_made_it(
    function: Any, name: str
) -> None:
    with pytest.raises(UnsupportedError, match=f"{name}.* class Pair"):
        run_call(function, (True,), X)
    value, pullback = run_call(lambda x: {"a": [x * x, 3]}, (True,), X)
    assert_same(value["a"][0], X * X)
    assert_same(pullback({"a": [np.ones(2), None]}), 2.0 * X)


# -- saved values that are overwritten -------------------------------------------------------------


class Product(Function):
    """Saves both of its arguments, nothing and a constant."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, None, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, _, y = ctx.saved_tensors
        return grad * y, grad * x


def writes_what_was_saved(x: Any) -> Any:
    y, z = x * 1.0, x + 1.0
    first = Product.apply(y, z)
    y *= 3.0
    y[0] = 7.0
    second = Product.apply(y, z)
    z[:] = 5.0
    return (first * second).sum() + y.sum()


def test_a_users_function_keeps_what_it_saved_where_plain_code_overwrites_it() -> None:
    def plain(x: Any) -> Any:
        y, z = x * 1.0, x + 1.0
        first = y * z
        y = y * 3.0
        y[0] = 7.0
        second = y * z
        return (first * second).sum() + y.sum()

    value, found = on_tape(writes_what_was_saved)
    np.testing.assert_allclose(value, plain(X), 1e-12)
    assert_same(found, numerical_gradient(plain, (X,), 0))


def test_a_users_function_keeps_what_it_saved_where_that_may_be_changed() -> None:
    def slopes(x: Any, w: Any, *, write: bool) -> Any:
        y = Product.apply(x, w) * 2.0
        if write:
            with autograd.no_grad():
                x.mul_(10.0)
                w.add_(1.0)
        with autograd.no_grad():
            seen = y.sum()
        return [g.tolist() for g in autograd.grad(y.sum(), (x, w), create_graph=True)], seen.item()

    def leaves() -> tuple[Any, Any]:
        return tape.tensor(X, requires_grad=True), tape.tensor(X + 1.0, requires_grad=True)

    wanted = slopes(*leaves(), write=False)
    with graph.allow_mutation_on_saved_tensors():
        assert slopes(*leaves(), write=True) == wanted
        x, w = leaves()
        y = Product.apply(x, w)
        with graph.save_on_cpu():  # of which no copies are made
            z = Product.apply(x, y)
            packed = Product.apply(x, w)
        with autograd.no_grad():
            w.zero_()
        (second,) = autograd.grad(autograd.grad(y.sum(), x, create_graph=True)[0].sum(), w)
        assert second.tolist() == [1.0, 1.0]  # what was saved still leads to the leaf
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            autograd.grad(packed.sum(), x)
        assert_same(autograd.grad(z.sum(), x)[0].numpy(), 2.0 * X * (X + 1.0))
    x, w = leaves()
    y = Product.apply(x, w)
    with autograd.no_grad():
        w.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        autograd.grad(y.sum(), x)
