"""What a call on the tape leaves behind, writes, answers and refuses, besides the gradient."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import statistics
import threading
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.tape_pull import pull_on_tape
from srcgrad.api.tape_push import push_on_tape
from srcgrad.api.values import conform, leaves
from srcgrad.tape import Tensor
from tests.differences import assert_same, numerical_gradient
from tests.tape.programs import aliases, codes, methods, pieces, values  # noqa: F401 - they fill the corpus
from tests.tape.programs.corpus import PROGRAMS

X = np.array([0.5, 1.5, 2.5])
CONSTANT = np.array([1.0, 2.0, 3.0])
HALF = CONSTANT[1:]
HISTORY: list[Any] = []
LAST: Any = None


def gradients(function: Any, *args: Any, wrt: tuple[str, ...] = ("x",)) -> tuple[Any, Any]:
    return run_on_tape(function, inspect.signature(function), wrt, args, {}, aux=False)


# -- arguments that are written into ---------------------------------------------------------------


def writes(x: Any, out: Any) -> Any:
    x *= 2.0
    x[0] = x[1] * x[2]
    for i in range(3):
        out[i] += x[i] ** 2
    return out.sum()


def test_written_arguments_end_as_after_the_plain_function() -> None:
    x, out = X.copy(), np.ones(3)
    plain_x, plain_out = X.copy(), np.ones(3)
    expected = writes(plain_x, plain_out)
    value, (grad,) = gradients(writes, x, out)
    assert value == expected
    assert_same((x, out), (plain_x, plain_out), 0, 0)
    assert_same(grad, numerical_gradient(writes, (X, np.ones(3)), 0))


def test_an_exception_leaves_what_was_written_until_then_and_nothing_else() -> None:
    def fails(x: Any, log: Any) -> Any:
        log.append(x[0] * 2)
        x[0] = x[1] * 3
        HISTORY.append(x.sum())
        raise KeyError(x[1] * 2)

    x, log = X.copy(), [1.0]
    HISTORY.clear()
    with pytest.raises(KeyError) as caught:
        gradients(fails, x, log)
    assert x.tolist() == [4.5, 1.5, 2.5]
    assert log == [1.0, 1.0]
    assert type(log[1]) is np.float64
    assert type(HISTORY[0]) is np.float64
    assert type(caught.value.args[0]) is np.float64
    assert globals()["np"] is np
    assert "float" not in globals()


def test_lists_and_dicts_of_the_caller_change_as_by_the_plain_function() -> None:
    def changes(x: Any, state: Any) -> Any:
        state["seen"].append(x.sum())
        state["u"][1] = x[0]
        state["new"] = x * 2
        state["u"] = state["u"] * 1.0
        return state["new"].sum() * state["u"][1]

    u = np.ones(3)
    state = {"seen": [], "u": u}
    _, (grad,) = gradients(changes, X.copy(), state)
    assert u.tolist() == [1.0, 0.5, 1.0]
    assert type(state["u"]) is np.ndarray
    assert state["u"] is not u
    assert type(state["seen"][0]) is np.float64
    assert_same(state["new"], X * 2, 0, 0)
    plain = {"seen": [], "u": np.ones(3)}
    assert_same(grad, numerical_gradient(lambda x: changes(x, plain), (X,), 0))


def test_a_list_that_the_function_changes_has_a_gradient_of_its_old_shape() -> None:
    def pops(x: Any) -> Any:
        last = x.pop()
        x.insert(0, last * x[0])
        return x[0] * last

    parameters = [2.0, 3.0]
    _, (grad,) = gradients(pops, parameters)
    assert_same(grad, [9.0, 12.0])
    assert parameters == [6.0, 2.0]


def test_an_argument_that_is_read_only_stays_so() -> None:
    def write(x: Any) -> Any:
        x[0] = 1.0
        return x.sum()

    x = X.copy()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gradients(write, x)


def test_a_copy_of_an_array_with_gaps_stays_one() -> None:
    def reshaped(x: Any) -> Any:
        row = x.reshape(-1)  # a copy, for the memory has gaps
        row *= 2.0
        return (x * x).sum() + row.sum()

    matrix = np.arange(12.0).reshape(3, 4)
    _, (grad,) = gradients(reshaped, matrix[:, :3].copy())  # a view
    assert_same(grad, 8 * matrix[:, :3] + 2)
    _, (grad,) = gradients(reshaped, matrix[:, :3])
    assert_same(grad, 2 * matrix[:, :3] + 2)
    _, (grad,) = gradients(reshaped, matrix[::-1, 2::-1])
    assert_same(grad, 2 * matrix[::-1, 2::-1] + 2)


def test_the_same_array_twice_has_a_gradient_for_each_place() -> None:
    def product(x: Any, y: Any) -> Any:
        return (x * x * y).sum()

    _, grads = gradients(product, X, X, wrt=("x", "y"))
    assert_same(grads, (2 * X * X, X * X))


@pytest.mark.parametrize("second", [lambda x: x, lambda x: x[1:]])
def test_writing_into_one_of_two_arguments_on_the_same_memory_is_refused(second: Any) -> None:
    def overlapping(x: Any, y: Any) -> Any:
        x[1] = 7.0
        return (x[1:] * y[: len(x) - 1]).sum() + x.sum()

    x = X.copy()
    with pytest.raises(sg.MutationError, match="shares its memory") as caught:
        gradients(overlapping, x, second(x))
    assert "x[1] = 7.0" in str(caught.value)
    assert_same(x, X, 0, 0)


def test_one_constant_array_twice_is_one_array() -> None:
    def twice(x: Any, a: Any, b: Any) -> Any:
        a[0] = x[0]
        return b.sum() * x[1] if a is b else x[2]

    a = np.ones(3)
    _, (grad,) = gradients(twice, X.copy(), a, a)
    assert_same(grad, np.array([1.5, 2.5, 0.0]))
    assert a[0] == 0.5


# -- arrays that the function finds by itself ------------------------------------------------------


def test_arrays_among_globals_and_closures_may_be_written_into() -> None:
    work = np.zeros(3)

    def fills(x: Any) -> Any:
        work[:] = x * CONSTANT
        other = CONSTANT.copy()
        other[0] = x[1]
        return work.prod() + CONSTANT.dot(x) * other.sum()

    _, (grad,) = gradients(fills, X.copy())
    assert_same(work, X * CONSTANT, 0, 0)
    assert type(work) is np.ndarray
    assert type(CONSTANT) is np.ndarray
    assert_same(grad, numerical_gradient(fills, (X,), 0))


def test_writing_into_globals_on_the_same_memory_is_refused() -> None:
    def overlapping(x: Any) -> Any:
        CONSTANT[1] = x[0]
        return HALF.sum() * x[1]

    with pytest.raises(sg.MutationError):
        gradients(overlapping, X)
    assert CONSTANT.tolist() == [1.0, 2.0, 3.0]


class Simulation:
    def __init__(self) -> None:
        self.u = np.array([1.0, 2.0, 3.0])
        self.energy: list[Any] = []

    def step(self, rate: Any) -> None:
        self.u[1:] += rate * self.u[:-1]
        self.last = self.u.sum()
        self.energy.append(self.last)


def test_objects_hold_plain_values_after_the_call() -> None:
    simulation, plain = Simulation(), Simulation()

    def run(x: Any, system: Any) -> Any:
        for rate in x:
            system.step(rate)
        return system.energy[-1] * system.u[1]

    kept = simulation.u
    value, (grad,) = gradients(run, X, simulation)
    assert value == run(X, plain)
    assert simulation.u is kept
    assert_same(kept, plain.u, 0, 0)
    assert all(type(item) is np.float64 for item in [*simulation.energy, simulation.last])
    assert_same(grad, numerical_gradient(lambda x: run(x, Simulation()), (X,), 0))


def test_globals_and_cells_hold_plain_values_after_the_call() -> None:
    count, best = 0, None

    def counts(x: Any) -> Any:
        global LAST
        nonlocal count, best
        count += 1
        LAST = best = x.max() * 2
        return LAST * x[0]

    gradients(counts, X)
    assert count == 1
    assert type(LAST) is np.float64
    assert type(best) is np.float64


def test_a_tensor_of_the_users_own_stays_one() -> None:
    weight = sg.tensor(2.0, requires_grad=True)

    def scaled(x: Any) -> Any:
        return (x * weight).sum()

    gradients(scaled, X)
    assert isinstance(weight, Tensor)


# -- refusals --------------------------------------------------------------------------------------


def test_a_refusal_is_raised_though_the_function_catches_it() -> None:
    def catches(x: Any) -> Any:
        try:
            root = np.histogram_bin_edges(x)[0]
        except Exception:  # noqa: BLE001 - what a user may write
            root = 1.0
        return x.sum() * root

    with pytest.raises(sg.MissingRuleError, match="histogram_bin_edges") as caught:
        gradients(catches, X)
    assert "root = np.histogram_bin_edges(x)[0]" in str(caught.value)
    assert "test_plainly.py" in str(caught.value)


def percent(value: Any) -> str:
    """Write in the old style."""
    return "%.9f" % value  # noqa: UP031


@pytest.mark.parametrize("write", ["{:.12f}".format, str, repr, percent])
def test_reading_back_the_text_of_a_value_is_refused(write: Any) -> None:
    def parsed(x: Any) -> Any:
        return float(write(x[0])) * x[1]

    with pytest.raises(sg.NotDifferentiableError, match="text"):
        gradients(parsed, X)


def test_other_texts_may_be_read() -> None:
    def reads(x: Any) -> Any:
        return float("2.5") * x[0] if f"{x[0]:.1f}" == "0.5" else x[1]

    _, (grad,) = gradients(reads, X)
    assert_same(grad, np.array([2.5, 0.0, 0.0]))


def test_threads_are_refused_before_anything_has_run() -> None:
    started = []

    def threaded(x: Any) -> Any:
        started.append(1)
        thread = threading.Thread(target=lambda: None)
        thread.start()
        return x.sum()

    with pytest.raises(sg.UnsupportedError, match="Thread"):
        gradients(threaded, X)
    assert not started


def test_an_array_of_another_kind_is_refused() -> None:
    with pytest.raises(sg.UnsupportedError, match="MaskedArray"):
        gradients(lambda x: x.sum(), np.ma.masked_array(X, [True, False, False]))


# -- errors, caches, nesting -----------------------------------------------------------------------


def test_python_numbers_fail_as_python_numbers_do() -> None:
    with pytest.raises(ZeroDivisionError):
        gradients(lambda x: 1 / (x - 2.0), 2.0)
    with pytest.raises(ZeroDivisionError):
        gradients(lambda x: x**-1, 0.0)
    with pytest.raises(OverflowError):
        gradients(lambda x: x**1000, 10.0)
    with pytest.raises(ValueError, match="domain"):
        gradients(lambda x: math.log(x) * 2, -1.0)
    with pytest.raises(TypeError, match="integer"):
        gradients(lambda x: [1, 2][x], 1.0)
    with pytest.raises(AttributeError):
        gradients(lambda x: x.shape, 1.0)


@functools.cache
def power(x: Any, n: int) -> Any:
    """Be cached by the values of the arguments."""
    return 1.0 if n == 0 else x * power(x, n - 1)


def test_a_cache_holds_nothing_of_the_tape() -> None:
    def cubes(x: Any) -> Any:
        return power(x, 3) + power(x, 3)

    for point in (1.5, 1.5, 2.0):
        value, (grad,) = gradients(cubes, point)
        assert value == 2 * point**3
        assert grad == pytest.approx(6 * point**2)
    assert type(power(1.5, 3)) is float
    assert power.cache_info().currsize == 4


def test_side_effects_happen_once() -> None:
    calls: list[int] = []

    def counted(x: Any) -> Any:
        calls.append(1)
        match x.ndim:
            case 1:
                return x.sum()
        return x

    with pytest.warns(sg.FallbackWarning) if _refused(counted) else _nothing():
        sg.grad(counted)(X)
    assert calls == [1]


def _refused(function: Any) -> bool:
    try:
        _ = sg.grad(function, fallback="error").source
    except sg.UnsupportedError:
        return True
    return False


def _nothing() -> Any:
    import contextlib

    return contextlib.nullcontext()


def test_a_gradient_inside_a_call_on_the_tape_is_differentiated_again() -> None:
    def inner(y: Any) -> Any:
        total = 0.0
        for part in y:
            total += part**3
        return total

    def outer(x: Any) -> Any:
        (slope,) = gradients(inner, x, wrt=("y",))[1]
        return (slope * x).sum()

    _, (grad,) = gradients(outer, X)
    assert_same(grad, 9 * X**2)


def test_names_lent_to_several_threads_are_given_back_once() -> None:
    def slow(x: Any) -> Any:
        out = np.zeros(3)
        for i in range(300):
            out[i % 3] += x[i % 3] * math.sin(float(x[0]))
        return out.sum()

    results: list[Any] = []

    def work() -> None:
        results.append(gradients(slow, X.copy())[1][0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for found in results:
        assert_same(found, numerical_gradient(slow, (X,), 0))
    assert globals()["np"] is np
    assert globals()["math"] is math


def test_integers_have_gradients_and_stay_integers() -> None:
    def counted(x: Any) -> Any:
        return sum(x * k for k in range(x)) / 2 if isinstance(x, int) else 0.0

    _, (grad,) = gradients(counted, 3)
    assert grad == pytest.approx(1.5)


def test_second_derivatives_of_math_are_right() -> None:
    def inner(y: Any) -> Any:
        return math.sin(y) * math.exp(y) + math.log(y) * math.sqrt(y) + math.atan(y) * y**3

    def outer(x: Any) -> Any:
        return gradients(inner, x, wrt=("y",))[1][0] * x

    _, (grad,) = gradients(outer, 1.3)
    assert_same(grad, numerical_gradient(outer, (1.3,), 0), 1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents_are_those_of_the_gradient(name: str) -> None:
    program = PROGRAMS[name]
    function: Any = program.function
    signature = inspect.signature(function)
    names = list(signature.parameters)[: len(program.args)]
    bound = signature.bind(*copy.deepcopy(program.args))
    bound.apply_defaults()
    _, grads = run_on_tape(function, signature, names, copy.deepcopy(program.args), {}, aux=False)
    directions = copy.deepcopy(program.args)
    _, tangent = push_on_tape(function, signature, names, bound.arguments, directions)
    pairs = zip(program.args, grads, strict=True)
    slopes = leaves([conform(grad, arg) for arg, grad in pairs])
    terms = zip(leaves(list(program.args)), slopes, strict=True)
    expected = sum(np.sum(np.multiply(arg, grad)) for arg, grad in terms)
    np.testing.assert_allclose(0.0 if tangent is None else tangent, expected, rtol=1e-9)


def test_a_pullback_may_come_after_others_have_written_into_their_arrays() -> None:
    weights = np.array([1.0, 2.0, 3.0])

    def scaled(x: Any) -> Any:
        y = np.zeros(3)
        for i in range(3):
            y[i] = x[i] * weights[i] * x[0]
        return np.exp(y) * weights

    signature = inspect.signature(scaled)
    x = X.copy()
    value, pull = pull_on_tape(scaled, signature, ["x"], {"x": x})
    (expected,) = pull(np.ones(3))
    for array in (weights, x, value):
        array[:] = 7.0
    assert_same(pull(np.ones(3)), (expected,), 0, 0)
    weights[:] = 1.0, 2.0, 3.0
    assert_same(expected, numerical_gradient(lambda x: scaled(x).sum(), (X,), 0))


@pytest.mark.parametrize(
    "escape",
    [
        lambda x: x.tobytes(),
        np.frombuffer,
        memoryview,
        lambda x: x.ctypes,
        lambda x: setattr(x, "shape", (3, 1)),
        lambda x: getattr(x, "tofile", None),
    ],
)
def test_other_ways_out_of_an_array_are_errors(escape: Any) -> None:
    def escapes(x: Any) -> Any:
        escape(x * 1.0)
        return x.sum()

    with pytest.raises((sg.NotDifferentiableError, TypeError)):
        gradients(escapes, X)


def shuffled(x):
    rows = eval("x * 1.0", {"x": x})
    np.random.default_rng(3).shuffle(rows)
    return np.sum(rows * np.arange(len(rows)))


def test_rows_of_a_tensor_are_not_shuffled():
    """NumPy swaps them as if they were no views, and warns of it."""
    x = np.array([1.0, 2.0, 4.0])
    with pytest.raises(sg.MissingRuleError, match=r"`shuffle` of a value .*(\n.*)*permutation"):
        sg.grad(shuffled, fallback="tape")(x)


def takes_out(parts):
    return np.sum(parts[0].pop() * 2.0) + np.sum(parts[0][0] * parts[1])


def test_a_gradient_is_like_the_argument_before_the_function_took_something_out():
    x = np.array([1.0, 2.0])
    expected = [[x + 1.0, np.full(2, 2.0)], x]
    assert_same(sg.grad(takes_out, fallback="tape")([[x, x], x + 1.0]), expected)
    with pytest.warns(sg.FallbackWarning):
        _, pull = sg.vjp(takes_out, [[x, x], x + 1.0])
    assert_same(pull(1.0)[0], expected)


@pytest.mark.parametrize("call", ["np.ndarray.reshape(t, (1, -1))", "memoryview(t)[0] * t"])
def test_what_takes_nothing_but_an_array_is_refused_by_its_line(call):
    def f(x):
        t = eval("x * 2.0", {"x": x})
        return np.sum(eval(call, {"t": t, "np": np}))

    with pytest.raises(sg.NotDifferentiableError, match="nothing but an array"):
        sg.grad(f, fallback="tape")(np.array([1.0, 2.0]))


def chosen_parts(x):
    whole = np.empty_like(x)
    rest = np.empty_like(x)
    whole[...], rest[...] = 0.0, x
    eval("np.divmod(x, 0.75, out=(whole, rest), where=x > 1.0)", {**globals(), **locals()})
    return np.sum(rest * x) + np.sum(whole)


def test_functions_of_several_results_write_where_they_are_asked_to():
    x = np.array([0.5, 1.1, 1.7, 2.0])
    expected = numerical_gradient(chosen_parts, (x,), 0)
    np.testing.assert_allclose(sg.grad(chosen_parts, fallback="tape")(x), expected, rtol=1e-6)


def _by_a_spline(x):
    from scipy.interpolate import splint

    return splint(x[0], x[1], (np.arange(8.0), np.ones(4), 3))


def _by_a_distribution(x):
    return statistics.NormalDist(x[0], x[1]).mean


def _by_fractions(x):
    return float(statistics.mean([np.sum(x), 1.0]))


@pytest.mark.parametrize("inner", [_by_a_spline, _by_a_distribution, _by_fractions])
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_what_a_library_refuses_is_shown_at_the_line_of_the_user(inner) -> None:
    with pytest.raises(sg.NotDifferentiableError) as caught:
        sg.grad(lambda x: np.sum(inner(x)) * x[0])(np.array([0.5, 1.5, 2.5]))
    span = caught.value.span
    code = inner.__code__
    assert span is not None
    assert span.file == code.co_filename
    assert code.co_firstlineno < span.line <= max(line or 0 for *_, line in code.co_lines())
    assert "inside, in a library: " in str(caught.value)


def _reduced(x, by=np.sum):
    return np.sum(x * x) if by is np.sum else np.mean(x)


@pytest.mark.parametrize("given", [(), (np.sum,), (np.mean,)])
def test_a_function_of_numpy_that_is_passed_is_the_one_of_the_module(given) -> None:
    x = np.array([0.5, 1.5, 2.5])
    expected = np.full(3, 1 / 3) if given == (np.mean,) else 2.0 * x
    np.testing.assert_allclose(sg.grad(_reduced, backend="tape")(x, *given), expected)


def _list_over_its_norm(x):
    y = x / np.linalg.norm(x)
    return y[0] * y[1] + np.where(y[0] > 0.0, y, -y)[1]


def test_a_list_as_an_operand_beside_a_choice_of_elements() -> None:
    x = np.array([0.5, 1.5])
    expected = numerical_gradient(_list_over_its_norm, (x,), 0)
    found = sg.grad(_list_over_its_norm, backend="tape")([0.5, 1.5])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
