"""The traps about calls: what changes between them, side effects, exits, types, options."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient
from tests.traps.checking import checked, right, without_source
from tests.traps.test_programs import A, X, view

STATE = {"scale": 2.0}

# -- 1 again: one gradient, called with every kind of value


def test_an_update_follows_what_the_value_is_from_call_to_call() -> None:
    def doubled(x):
        y = x
        y *= 2.0
        return np.sum(x * y)

    derivative = sg.value_and_grad(doubled, fallback="tape")
    for make in (float, np.float64, np.array, lambda v: np.array([v, 2 * v])):
        for _ in range(2):
            expected = numerical_gradient(doubled, (make(1.3),), 0)
            try:
                value, grad = derivative(make(1.3))
            except sg.SrcgradError:
                assert make is np.array  # arrays without axes may be refused
                continue
            assert_same(value, doubled(make(1.3)), 1e-12)
            assert_same(grad, expected)


def test_a_list_is_extended_not_added_to() -> None:
    def extended(x):
        first = [x[0]]
        second = first
        second += [x[1] * x[2]]
        return np.sum(x) * len(first) + first[-1]

    right(extended, X)


# -- 3 again: what the caller overwrites between the value and its gradient


def test_an_input_overwritten_before_backward_is_noticed() -> None:
    square = sg.compile(lambda u: np.sum(u * u * u))
    x = sg.tensor(X.copy(), requires_grad=True)
    y = x * 1.0
    out = square(y)
    y.add_(1.0)
    with pytest.raises(RuntimeError, match="modified"):
        out.backward()


def test_a_pullback_runs_twice_and_finds_its_values_again() -> None:
    @sg.compile
    def stepped(u):
        v = u * 1.0
        for _ in range(3):
            v *= v
            v += 0.1
        return np.sum(v)

    x = sg.tensor(X.copy(), requires_grad=True)
    out = stepped(x)
    first = sg.autograd.grad(out, x, retain_graph=True)[0].numpy().copy()
    second = sg.autograd.grad(out, x)[0].numpy()
    assert_same(first, second, 0, 0)
    assert_same(first, numerical_gradient(stepped.primal, (X,), 0))


# -- 6. the source that is found is the object's


def test_a_wrapper_is_not_taken_for_what_it_wraps() -> None:
    def plain(x):
        return np.sum(x * x)

    @functools.wraps(plain)
    def tripled(x):
        return 3.0 * plain(x)

    right(tripled, X)


def test_lambdas_on_one_line_are_told_apart() -> None:
    square, cube = (lambda x: np.sum(x**2)), (lambda x: np.sum(x**3))
    checked(square, X)
    checked(cube, X)


def test_functions_defined_twice_under_one_name_are_told_apart() -> None:
    def f(x):
        return np.sum(x**2)

    first = f

    def f(x):
        return np.sum(x**3)

    right(first, X)
    right(f, X)


def test_replaced_code_is_seen() -> None:
    def f(x):
        return np.sum(x**2)

    def g(x):
        return np.sum(x**3)

    derivative = sg.grad(f, fallback="tape")
    assert_same(derivative(X), 2 * X)
    f.__code__ = g.__code__
    assert_same(derivative(X), numerical_gradient(g, (X,), 0))


def test_code_without_a_file_goes_by_the_tape() -> None:
    names: dict[str, Any] = {"np": np}
    exec("def f(x):\n    return np.sum(x ** 3)", names)
    with pytest.warns(sg.FallbackWarning):
        assert_same(sg.grad(names["f"])(X), 3 * X**2)


# -- 7. what changes between calls


def test_closures_globals_defaults_and_callees_are_read_at_every_call() -> None:
    factor = 2.0

    def helper(x):
        return x * x

    holder = [helper]
    settings = type("Settings", (), {"rate": 1.5})

    def f(x, power=2.0):
        return np.sum(helper(x)) * factor * STATE["scale"] * settings.rate * power

    derivative = sg.grad(f, fallback="tape")

    def agrees() -> None:
        assert_same(derivative(X), numerical_gradient(f, (X,), 0))

    agrees()
    factor = 5.0
    agrees()
    STATE["scale"] = 3.0
    agrees()
    settings.rate = -1.0
    agrees()
    f.__defaults__ = (7.0,)
    agrees()

    def helper(x):
        return np.sin(x)

    agrees()
    assert holder


def test_each_instance_keeps_its_own_state() -> None:
    class Model:
        def __init__(self, w):
            self.w = w

        @sg.grad(fallback="tape")
        def loss(self, x):
            return np.sum(self.w * x * x)

    for w in (1.0, 3.0):
        model = Model(w)
        assert_same(model.loss(X), 2 * w * X)
    model.w = 4.0
    assert_same(model.loss(X), 8 * X)


# -- 10. side effects, once


def printing(x):
    print("seen", len(x))
    return np.sum(x * x)


def drawing(x, rng):
    return np.sum(x * rng.normal(size=4))


def consuming(x, numbers):
    return np.sum(x * next(numbers))


def counting(x, log):
    log.append(len(log))
    return np.sum(x * x) * len(log)


@pytest.mark.parametrize("on_tape", [False, True], ids=["source", "tape"])
def test_side_effects_happen_once_a_call(on_tape: bool, capsys: Any) -> None:
    def run(function, *args):
        subject = without_source(function) if on_tape else function
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.FallbackWarning)
            return sg.grad(subject)(*args)

    run(printing, X)
    assert capsys.readouterr().out == "seen 4\n"
    rng, twin = np.random.default_rng(5), np.random.default_rng(5)
    assert_same(run(drawing, X, rng), twin.normal(size=4), 1e-12)
    assert rng.normal() == twin.normal()
    numbers = iter([2.0, 3.0])
    assert_same(run(consuming, X, numbers), 2.0 * np.ones(4))
    assert next(numbers) == 3.0
    log: list[int] = []
    for count in (1, 2):
        assert_same(run(counting, X, log), 2 * X * count)
        assert len(log) == count


# -- 11. arguments that are written into


def writing(x):
    x *= 2.0
    x[0] = x[1] * x[2]
    return np.sum(x * x)


def writing_one_reading_other(x, y):
    x[0] = 5.0
    x *= y
    return np.sum(x * y)


def test_the_gradient_is_at_the_value_on_entry() -> None:
    right(writing, X)
    right(writing_one_reading_other, X, X + 1.0, argnums=(0, 1))


@pytest.mark.parametrize("on_tape", [False, True], ids=["source", "tape"])
def test_one_array_for_two_parameters_is_right_or_refused(on_tape: bool) -> None:
    subject = without_source(writing_one_reading_other) if on_tape else writing_one_reading_other
    shared = X.copy()
    expected = writing_one_reading_other(*[X.copy()] * 2)
    try:
        value, _ = sg.value_and_grad(subject, (0, 1), fallback="tape")(shared, shared)
    except (sg.SrcgradError, RuntimeError):
        return
    assert_same(value, expected, 1e-12)


# -- 12. exits


def test_an_exception_with_a_value_of_the_caller_passes_and_leaves_nothing() -> None:
    def f(x):
        history = []
        for v in x:
            if v > 100.0:
                raise ValueError(v)
            history.append(v * v)
        total = 0.0
        for h in history:
            total = total * 0.5 + h
        return total

    for subject in (f, without_source(f)):
        derivative = sg.grad(subject, fallback="tape")
        expected = numerical_gradient(f, (X,), 0)
        assert_same(derivative(X), expected)
        with pytest.raises(ValueError, match="200"):
            derivative(X + np.array([0.0, 0.0, 197.7, 0.0]))
        assert_same(derivative(X), expected)


def test_a_name_bound_on_one_path_only_is_pythons_own_error() -> None:
    def f(x):
        if x[0] > 0:
            y = x * x
        return np.sum(y)

    right(f, X)
    with pytest.raises(UnboundLocalError):
        sg.value_and_grad(f, fallback="tape")(-X)


# -- 14. types of gradients


def test_a_float32_gradient_stays_one_beside_float64() -> None:
    def f(x, y):
        return np.sum(x * y) * 2.0

    x, y = X.astype(np.float32), X
    gx, gy = sg.grad(f, (0, 1), fallback="error")(x, y)
    assert gx.dtype == np.float32
    assert gy.dtype == np.float64
    assert_same(gx, 2 * X, 1e-6)


@pytest.mark.parametrize("subject", [printing, writing, view], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_the_gradient_has_the_type_and_shape_of_its_input(subject: Any, dtype: Any) -> None:
    for function in (subject, without_source(subject)):
        grad = sg.grad(function, fallback="tape")(X.astype(dtype))
        assert grad.dtype == dtype
        assert grad.shape == X.shape


def test_unused_entries_get_zeros_of_their_shape() -> None:
    def f(p):
        return np.sum(p["a"] ** 2)

    params = {"a": X.copy(), "b": np.ones((2, 3)), "name": "n", "count": 3, "none": None}
    for function in (f, without_source(f)):
        grad = sg.grad(function, fallback="tape")(params)
        assert_same(grad["a"], 2 * X)
        assert grad["b"].shape == (2, 3)
        assert not grad["b"].any()
        assert grad["name"] is None
        assert grad["none"] is None


# -- 15. what grad accepts


def test_argnums_from_the_end_by_keyword_and_at_their_defaults() -> None:
    def f(x, y=2.0, *, z=3.0):
        return np.sum(x) * y * z

    assert sg.grad(f, 1, fallback="error")(X) == pytest.approx(3.0 * X.sum())
    assert sg.grad(f, argnames="z", fallback="error")(X, 5.0) == pytest.approx(5.0 * X.sum())
    assert sg.grad(f, argnames="y", fallback="error")(X, y=1.0) == pytest.approx(3.0 * X.sum())
    with pytest.raises(sg.ArgumentError):
        sg.grad(f, (0, 0))


def test_one_triangle_is_read() -> None:
    def f(a):
        b = a[:, :3] @ a[:, :3].T + 3.0 * np.eye(3)
        return np.sum(np.linalg.cholesky(b)) + np.sum(np.linalg.eigvalsh(b)[:2])

    right(f, A)


def test_a_label_is_refused_by_numbers_and_arrays_and_the_handler_computes() -> None:
    def labelled(x):
        y = x * x
        try:
            y.name = "squares"
            y = y * 2.0
        except AttributeError:
            y = y * 3.0
        return np.sum(y)

    def unlabelled(x):
        y = x * x
        y.name = "squares"
        return np.sum(y)

    for value in (1.3, np.array([0.5, -1.2])):
        gradient = sg.grad(labelled, fallback="error")
        assert_same(gradient(value), numerical_gradient(labelled, (value,), 0))
        with pytest.raises(AttributeError, match="has no attribute 'name'"):
            sg.grad(unlabelled, fallback="error")(value)
