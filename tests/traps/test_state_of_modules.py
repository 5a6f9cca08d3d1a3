"""Functions that keep their state in the module, with names that hide, alias and change it."""

import contextlib
import copy
import sys
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests import traps
from tests.differences import numerical_gradient
from tests.traps import another_name, kept_table  # noqa: F401 - reached by the package

N = 5
u = np.zeros(N)
v = np.ones(N)
w: Any = np.zeros(N)
q: Any = 0.0
grid = np.zeros((N, N))
table = [0.0] * N
levels = [np.zeros(N), np.zeros(N)]
parts: dict[str, Any] = {"h": np.ones(N)}
second_name = u
edge = u[::2]
holder = SimpleNamespace(h=u)
held = {"u": u}
START = {"v": np.ones(N), "w": np.zeros(N), "q": 0.7}


def _reset() -> None:
    global v, w, q
    v, w, q = START["v"].copy(), START["w"].copy(), START["q"]
    globals().pop("appeared", None)
    u[:], grid[:], table[:] = 0.3, 0.0, [0.0] * N
    parts["h"] = np.full(N, 1.1)


def _state() -> list[Any]:
    return copy.deepcopy([u, v, w, q, grid, table, parts["h"]])


def total():
    return np.sum(u**2)


def fill_all(values):
    u[:] = values


def put(values, into=None):
    if into is None:
        into = u
    into[:] = values


def set_to(target, values):
    target[...] = values


def halve():
    global v
    v = v * 0.5


def add(value):
    global q
    q += value


def one_at_a_time():
    for i in range(N):
        yield u[i]


def early(x):
    global w
    if x[0] < 10:
        w = x * 2
        return 1.0
    w = x * 3
    return 2.0


class Reader:
    def scaled(self):
        return u[0] * u


READER = Reader()


def name_that_appears(x):
    global appeared
    if x[0] > 0.0:
        appeared = x * x
    return np.sum(appeared * x)


def local_of_the_same_name(x):
    u = x * 2
    fill_all(x * x)
    return np.sum(u) + total()


def parameter_of_the_same_name(x):
    fill_all(x)
    tripled = lambda u: 3 * u  # noqa: E731 - as scripts are written
    return np.sum(tripled(x) * u)


def method_that_reads_it(x):
    u[:] = x
    return np.sum(READER.scaled() * x)


def generator_that_reads_it(x):
    u[:] = x
    s = 0.0
    for a in one_at_a_time():
        s = s + a * a
    return s


def state_from_before(x):
    u[:] = u * 0.5 + x
    return total()


def sum_that_goes_on(x):
    global q
    q = q + np.sum(x)
    return q * q


def sum_in_a_helper(x):
    global q
    q = 0.0
    for i in range(N):
        add(x[i] * x[i])
    return q * 2


def numbers_bound_by_several(x):
    global v
    halve()
    v = v * x
    halve()
    return np.sum(v * v)


def value_of_an_early_return(x):
    r = early(x)
    return r * np.sum(w * x)


def array_that_is_the_argument(x):
    global w
    w = x
    w[0] = 5.0
    return np.sum(w * x)


def name_of_another_array(x):
    global w
    u[:] = x
    w = u
    u[0] = x[1]
    return np.sum(w * x)


def update_in_place_by_the_name(x):
    global v
    v *= 0.5
    v += x
    return np.sum(v * v)


def swapped_contents(x):
    u[:] = x
    v[:] = x * x
    u[:], v[:] = v.copy(), u.copy()
    return np.sum(u * np.sin(v))


def carried_from_trip_to_trip(x):
    s = 0.0
    for t in range(3):
        u[:] = x * (t + 1)
        s = s + np.sum(u * v)
        v[:] = u
    return s


def array_by_default(x):
    put(x)
    return total()


def array_handed_on(x):
    set_to(u, x)
    set_to(v, u * x)
    return np.sum(u * v)


def views_of_views(x):
    a = u
    a[:] = x
    b = a[2:]
    b *= x[2:]
    u.reshape(-1)[0] = x[1] ** 2
    return np.sum(u)


def rows_by_a_loop(x):
    for row in grid:
        row[:] = x
    return np.sum(grid @ x)


def numbers_in_a_list(x):
    table[0] = x[0]
    for i in range(1, N):
        table[i] = table[i - 1] * x[i]
    return table[-1] + sum(table)


def array_in_a_dict(x):
    h = parts["h"]
    h[1:] += x[:-1] * h[:-1]
    return np.sum(parts["h"] ** 2)


def out_of_functions(x):
    np.multiply(x, x, out=u)
    np.add(u, x, out=u[:])
    np.copyto(v, u)
    v.fill(0.5)
    v[1:] *= u[1:]
    return np.sum(v) * u[0]


def as_long_as_it_is_small(x):
    u[:] = x
    i = 0
    while u[i] < 1.0 and i < N - 1:
        u[i + 1] = u[i + 1] * u[i] + 0.1
        i += 1
    return np.sum(u)


def in_a_function_inside(x):
    def scaled(s):
        u[:] = x * s
        return np.sum(u * x)

    return scaled(2.0) + scaled(3.0)


def _made() -> Callable[..., Any]:
    buffer = np.zeros(N)

    def energy():
        return np.sum(buffer * buffer)

    def of_a_closure(x):
        buffer[:] = x
        buffer[1:] += buffer[:-1]
        return energy()

    return of_a_closure


of_a_closure = _made()

BY_SOURCE = [
    *(name_that_appears, local_of_the_same_name, parameter_of_the_same_name, method_that_reads_it),
    *(generator_that_reads_it, state_from_before, sum_that_goes_on, sum_in_a_helper),
    *(numbers_bound_by_several, value_of_an_early_return, array_that_is_the_argument),
    *(name_of_another_array, update_in_place_by_the_name, swapped_contents),
    *(carried_from_trip_to_trip, array_by_default, array_handed_on, views_of_views),
    *(rows_by_a_loop, numbers_in_a_list, array_in_a_dict, out_of_functions),
    *(as_long_as_it_is_small, in_a_function_inside, of_a_closure),
]


def name_outside(x):
    u[:] = x
    return np.sum(second_name * x)


def view_outside(x):
    u[:] = x
    return np.sum(edge * x[::2])


def field_of_an_object(x):
    u[:] = x
    return np.sum(holder.h * x)


def entry_of_a_dict(x):
    u[:] = x
    return np.sum(held["u"] * x)


def all_of_the_module(x):
    u[:] = x
    return np.sum(globals()["u"] * x)


def recursive(i):
    return u[0] * 1.0 if i == 0 else recursive(i - 1) + u[i] ** 2


def read_by_the_name_of_the_module():
    return np.sum(sys.modules[__name__].u ** 2)


def module_found_by_its_name(x):
    u[:] = x
    return read_by_the_name_of_the_module()


class Answering:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return globals()[name]


ANSWERING = Answering()


def object_that_hands_on(x):
    u[:] = x
    return np.sum(ANSWERING.u * x)


def read_by_an_import():
    from tests.traps import test_state_of_modules as own

    return np.sum(own.u**2) + np.sum(own.v.T)


def imported_by_a_helper(x):
    u[:] = x
    v[:] = x * x
    return read_by_an_import()


def name_of_another_module(x):
    traps.kept_table.TABLE[:] = x[:3]
    return traps.another_name.total()


def helper_that_calls_itself(x):
    u[:] = x
    return recursive(3)


def part(name):
    return parts[name]


def array_that_a_helper_returns(x):
    h = part("h")
    h[:] = x
    h[1:] += h[:-1]
    return np.sum(part("h") ** 2)


def arrays_that_a_loop_takes(x):
    for array in levels:
        array[:] = x
    return np.sum(levels[0] * levels[1])


ALIASED = [name_outside, view_outside, field_of_an_object, entry_of_a_dict]
ALIASED += [all_of_the_module, helper_that_calls_itself, array_that_a_helper_returns]
ALIASED += [module_found_by_its_name, object_that_hands_on, name_of_another_module]
BY_SOURCE.append(imported_by_a_helper)
X = np.linspace(0.3, 1.2, N)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    _reset()
    yield
    _reset()


def _from_the_start(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        _reset()
        return function(x.copy())

    return run


@pytest.mark.parametrize("function", BY_SOURCE, ids=lambda item: item.__name__)
def test_every_derivative_goes_by_source_and_leaves_the_module_as_the_function_does(
    function: Callable[..., Any],
) -> None:
    expected = numerical_gradient(_from_the_start(function), (X,), 0)
    _reset()
    value = function(X.copy())
    after = _state()
    direction = np.cos(np.arange(N))

    gradient = sg.grad(function, fallback="error")
    mode = (
        "error" if function is not array_in_a_dict else "tape"
    )  # halves assume nothing of entries
    for derivative in (
        gradient,
        gradient,
        lambda x: sg.vjp(function, x, fallback=mode)[1](1.0)[0],
        sg.jacobian(function, fallback=mode),
    ):
        _reset()
        assert np.allclose(derivative(X.copy()), expected, atol=1e-5)
        for mine, theirs in zip(_state(), after, strict=True):
            assert np.allclose(np.asarray(mine), np.asarray(theirs))
    _reset()
    with contextlib.suppress(sg.MissingRuleError):  # of what is written through a reshape
        got = sg.jvp(function, (X.copy(),), (direction,), fallback="error")
        assert np.allclose(got[0], value)
        assert np.allclose(got[1], expected @ direction, atol=1e-5)


@pytest.mark.parametrize("function", ALIASED, ids=lambda item: item.__name__)
def test_what_is_reached_otherwise_is_left_to_the_tape(function: Callable[..., Any]) -> None:
    expected = numerical_gradient(_from_the_start(function), (X,), 0)
    for take in (
        lambda: sg.grad(function, fallback="error")(X.copy()),
        lambda: sg.jvp(function, (X.copy(),), (np.ones(N),), fallback="error"),
    ):
        _reset()
        with pytest.raises(sg.UnsupportedError):
            take()
    _reset()
    with warnings.catch_warnings(), contextlib.suppress(sg.SrcgradError):
        warnings.simplefilter("ignore", sg.FallbackWarning)
        assert np.allclose(sg.grad(function)(X.copy()), expected, atol=1e-5)


def test_arrays_that_a_loop_takes_from_a_list_have_tangents() -> None:
    expected = numerical_gradient(_from_the_start(arrays_that_a_loop_takes), (X,), 0)
    gradient = sg.grad(arrays_that_a_loop_takes, fallback="error")(X)
    tangent = sg.jvp(arrays_that_a_loop_takes, (X,), (X,), fallback="error")[1]
    assert np.allclose(gradient, expected, atol=1e-6)
    assert np.allclose(tangent, expected @ X, atol=1e-6)


def weighted(x, weights):
    u[:] = x
    return np.sum(u * weights)


def test_an_argument_that_is_what_is_written_is_refused() -> None:
    gradient = sg.grad(weighted, fallback="error")
    assert np.allclose(gradient(X, X.copy()), X)
    for given in (u, u[:], u[::-1]):
        with pytest.raises(sg.MutationError, match="shares memory"):
            gradient(X, given)


class Keeping:
    """Holds an array, as a class."""

    array = np.ones(N)


def beside_a_class(x):
    u[:] = x
    return np.sum(Keeping.array * x)


def beside_an_object(x):
    u[:] = x
    return np.sum(kept_beside.h * x)


kept_beside = SimpleNamespace(h=np.ones(N))


@pytest.mark.parametrize(
    ("function", "owner", "name"),
    [(beside_a_class, Keeping, "array"), (beside_an_object, kept_beside, "h")],
)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_memory_that_comes_to_be_reached_otherwise_is_not_passed_over(
    function: Callable[..., Any], owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradient, push = sg.grad(function), sg.pushforward(function)
    assert np.allclose(gradient(X), 1.0)
    assert np.allclose(push(X, x_dot=X)[1], np.sum(X))
    monkeypatch.setattr(owner, name, u[:])
    for call in (lambda: gradient(X), lambda: push(X, x_dot=X)[1]):
        with contextlib.suppress(sg.MutationError):
            found = call()
            assert np.allclose(found, 2 * X if np.ndim(found) else 2 * np.sum(X * X))


def test_a_name_that_means_another_kind_of_array_is_compiled_anew() -> None:
    global w
    w = np.zeros(N)

    def function(x):
        w[...] = x * x
        return np.sum(w * x)

    gradient = sg.grad(function, fallback="error")
    assert np.allclose(gradient(X), 3 * X**2)
    w = np.zeros((2, N))
    assert np.allclose(gradient(X), 6 * X**2)
    w = np.zeros(N, dtype=np.float32)
    assert np.allclose(gradient(X), 3 * X**2, atol=1e-5)


def test_another_module_of_the_same_text_has_its_own_state(tmp_path: Any) -> None:
    file = tmp_path / "stateful.py"
    file.write_text("import numpy as np\nu = np.zeros(5)\n\n\ndef f(x):\n    u[:] = u + x\n")
    file.write_text(file.read_text() + "    return np.sum(u * x)\n")
    spaces = [{"__name__": name} for name in ("one", "other")]
    for space in spaces:
        exec(compile(file.read_text(), str(file), "exec"), space)
    spaces[1]["u"] = np.full(5, 2.0)
    found = [sg.grad(space["f"], fallback="error")(X) for space in spaces]
    assert np.allclose(found[0], 2 * X)
    assert np.allclose(found[1], 2.0 + 2 * X)
