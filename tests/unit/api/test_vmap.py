"""Tests `vmap`: its axes, its refusals, its texts, and derivatives on both sides of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg

RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(5, 3))


def dense(x, b):
    return np.tanh(WEIGHTS @ x + b)


def branching(x):
    if x.sum() > 0:
        x = x + 1
        y = x * 2
    else:
        y = -x
    return y.sum()


def until_small(x):
    while x > 1.0:
        x = x / 2
    return x


def first_above(xs, bound):
    total = 0.0
    for x in xs:
        total = total + x
        if total > bound:
            return 2 * total
    return -total


def largest(x):
    return np.max(x[x > 0])


def test_a_matrix_product_becomes_one_of_all_examples():
    xs, b = RNG.normal(size=(4, 3)), RNG.normal(size=5)
    batched = sg.vmap(dense, in_axes=(0, None), fallback="error")
    np.testing.assert_allclose(batched(xs, b), [dense(x, b) for x in xs])
    assert "np.tanh(x @ WEIGHTS.T + b)" in batched.source


def test_examples_may_lie_along_any_axis():
    xs, b = RNG.normal(size=(3, 4)), RNG.normal(size=5)
    batched = sg.vmap(dense, in_axes=(1, None), out_axes=1, fallback="error")
    np.testing.assert_allclose(batched(xs, b), np.stack([dense(x, b) for x in xs.T], axis=1))


def test_axes_may_be_told_by_name_and_for_parts():
    def affine(p, x):
        return p["w"] * x + p["b"]

    p = {"w": RNG.normal(size=4), "b": 2.0}
    batched = sg.vmap(affine, in_axes={"p": {"w": 0, "b": None}, "x": None}, fallback="error")
    np.testing.assert_allclose(batched(p, x=3.0), p["w"] * 3.0 + 2.0)


def test_batches_may_be_nested():
    xs, bs = RNG.normal(size=(2, 4, 3)), RNG.normal(size=(2, 5))
    batched = sg.vmap(sg.vmap(dense, (0, None), fallback="error"), fallback="error")
    wanted = [[dense(x, b) for x in rows] for rows, b in zip(xs, bs, strict=True)]
    np.testing.assert_allclose(batched(xs, bs), wanted)


def joined_lists(x):
    own, shared = [x * 1.0], [np.full(x.shape[0], 2.0)]
    w = own + shared
    return np.sum(np.sin(w[-1])) + np.sum(w[0])


def added_up(x):
    total = 0.0
    for v in [np.ones(3)] * 2 + [x]:
        total = total + np.sum(v * x)
    numbers = [0.5]
    return total + sum(numbers + [x[0]] * 2)


@pytest.mark.parametrize("function", [joined_lists, added_up])
def test_lists_that_are_joined_hold_one_of_each_example(function):
    xs = RNG.normal(size=(4, 3))
    batched = sg.vmap(function, fallback="error")
    np.testing.assert_allclose(batched(xs), [function(x) for x in xs])


def raised(a, v):
    a += v
    return a[1]


def read_before_a_call_writes(x):
    y = x * 1.0
    return y[0] * raised(y, x[1]) * y[0] + y[1] * raised(y, y[1])


def given_beside_a_call_that_writes(x):
    y = x * 1.0
    return np.hypot(y[0], raised(y, y[0])) + y[0]


def a_number_of_its_own_before_a_write(x):
    y = np.array(x[0], dtype=float)
    before = y.item()
    y += 0.3 * (y + before)
    return before * y


READ_BEFORE = [
    read_before_a_call_writes,
    given_beside_a_call_that_writes,
    a_number_of_its_own_before_a_write,
]


@pytest.mark.parametrize("function", READ_BEFORE)
def test_numbers_do_not_change_with_the_arrays_that_they_were_read_from(function):
    x = np.arange(6.0).reshape(3, 2) / 5 + 0.3
    found = sg.vmap(function, fallback="error")(x)
    np.testing.assert_allclose(found, [function(row) for row in x])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: max(x[0], raised(x * 1.0, x[1])),
        lambda x: x[0] * (x[0] < raised(x * 1.0, x[1]) < 3.0),
        lambda x: sum([raised(y, v) * v for y in [x * 1.0] for v in y]),
    ],
)
def test_what_a_call_writes_is_not_written_twice(function):
    x = np.arange(6.0).reshape(3, 2) / 5 + 0.3
    found = sg.vmap(function, fallback="error")(x)
    np.testing.assert_allclose(found, [function(row) for row in x])


def matched(x, n):
    match {"kind": n, "gain": 0.7}, [n, 2.0]:
        case {"kind": 0, "gain": gain}, _:
            return np.sin(x) * gain
        case {"kind": 1 | 2}, [_, *rest]:
            return np.cos(x) * rest[0]
        case _:
            return x


@pytest.mark.parametrize("n", [0, 1, 3])
def test_patterns_of_dicts_and_lists_name_their_classes(n):
    xs = RNG.normal(size=(4, 3))
    batched = sg.vmap(matched, (0, None), fallback="error")
    np.testing.assert_allclose(batched(xs, n), [matched(x, n) for x in xs])


def returned_early(x, n):
    for w in range(3):
        if w == n:
            return 0.1 * w
    return np.sum(x)


def left_early(x, n):
    y = x
    for w in range(3):
        if w == n:
            y = np.ones(3) * w
            break
        y = y * 2
    return y


def gone_on_early(x, n):
    y = np.zeros(3)
    for w in range(3):
        if w == n:
            y = np.ones(3) * w
            continue
        y = y + x
    return y


@pytest.mark.parametrize("function", [returned_early, left_early, gone_on_early])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_what_all_examples_share_where_they_leave_a_trip_is_each_ones_own(function, n):
    xs = RNG.normal(size=(4, 3))
    batched = sg.vmap(function, (0, None), fallback="error")
    np.testing.assert_allclose(batched(xs, n), [function(x, n) for x in xs])


def test_a_branch_selects_for_each_example():
    xs = RNG.normal(size=(6, 3))
    batched = sg.vmap(branching, fallback="error")
    np.testing.assert_allclose(batched(xs), [branching(x) for x in xs])


def test_a_loop_runs_on_for_the_examples_that_need_more_trips():
    xs = np.array([1.0, 9.0, 0.2, 100.0])
    batched = sg.vmap(until_small, fallback="error")
    np.testing.assert_allclose(batched(xs), [until_small(x) for x in xs])
    assert "while np.any(going):" in batched.source


def test_a_loop_that_some_examples_leave_early():
    xs = RNG.normal(size=(20, 5))
    batched = sg.vmap(first_above, in_axes=(0, None), fallback="error")
    np.testing.assert_allclose(batched(xs, 0.5), [first_above(x, 0.5) for x in xs])


def test_a_count_in_a_branch_is_kept_for_each_example():
    def counted(x):
        n = 0
        if x > 0:
            n += 1
        return n * x

    xs = RNG.normal(size=10)
    found = sg.vmap(counted, fallback="error")(xs)
    np.testing.assert_allclose(found, [counted(x) for x in xs])


def test_a_test_that_its_own_branch_binds_anew():
    def stopped(x):
        on = x > 0
        total = x
        for _ in range(3):
            if on:
                total = total - 0.4
                on = total > 0
        return total

    xs = 2 * RNG.normal(size=10)
    found = sg.vmap(stopped, fallback="error")(xs)
    np.testing.assert_allclose(found, [stopped(x) for x in xs])


def test_rows_that_are_exchanged_are_views_of_each_other():
    def exchanged(a):
        b = a * 1.0
        b[0], b[1] = b[1], b[0]
        return b

    found = sg.vmap(exchanged, fallback="error")(np.arange(12.0).reshape(2, 3, 2))
    np.testing.assert_allclose(found, [exchanged(a) for a in np.arange(12.0).reshape(2, 3, 2)])


def test_a_function_that_takes_no_batch_is_called_for_each_example():
    def value(p, x):
        return np.polyval(p, x) + np.sum(np.arange(3.0) * p)

    ps, x = RNG.normal(size=(4, 3)), RNG.normal(size=5)
    batched = sg.vmap(value, in_axes=(0, None), fallback="error")
    np.testing.assert_allclose(batched(ps, x), [value(p, x) for p in ps])
    assert "np.stack([np.polyval(one_p, x) for one_p in p])" in batched.source


def test_results_whose_lengths_the_values_tell_are_refused():
    with pytest.raises(sg.NotBatchedError, match="`compress`"):
        sg.vmap(lambda x: np.sum(np.compress(x > 0, x)), fallback="error")(np.ones((2, 3)))


def test_what_is_refused_is_refused_with_its_line():
    with pytest.raises(sg.NotBatchedError, match=r"by a mask of each .*\n.*test_vmap.py"):
        sg.vmap(largest, fallback="error")(np.array([[1.0, 9.0]]))


def test_what_is_refused_runs_as_a_loop_with_a_warning():
    with pytest.warns(sg.FallbackWarning, match="called for each example"):
        found = sg.vmap(largest)(np.array([[1.0, 9.0], [-1.0, 2.0]]))
    np.testing.assert_allclose(found, [9.0, 2.0])


def test_gradients_of_each_example():
    def loss(w, x, y):
        return np.sum((np.tanh(w @ x) - y) ** 2)

    w, xs, ys = RNG.normal(size=(2, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(4, 2))
    g = sg.grad(loss)
    found = sg.vmap(g, in_axes=(None, 0, 0), fallback="error")(w, xs, ys)
    np.testing.assert_allclose(found, [g(w, x, y) for x, y in zip(xs, ys, strict=True)])


def test_gradients_of_each_example_by_parameters_that_all_share():
    def loss(params, x, y):
        hidden = np.tanh(params["layers"][0] @ x + params["b"])
        return np.sum((params["layers"][1] @ hidden - y) ** 2)

    params = {
        "layers": (RNG.normal(size=(4, 3)), RNG.normal(size=(2, 4))),
        "b": RNG.normal(size=4),
    }
    xs, ys = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
    g = sg.grad(loss)
    found = sg.vmap(g, in_axes=(None, 0, 0), fallback="tape")(params, xs, ys)
    wanted = [g(params, x, y) for x, y in zip(xs, ys, strict=True)]
    assert type(found["layers"]) is tuple
    np.testing.assert_allclose(found["b"], [w["b"] for w in wanted])
    for i in range(2):
        np.testing.assert_allclose(found["layers"][i], [w["layers"][i] for w in wanted])


def test_gradients_of_each_example_by_a_dict_are_one_program():
    def loss(params, x):
        return np.sum(np.tanh(params["w"] @ x + params["b"]) ** 2)

    params, xs = {"w": RNG.normal(size=(4, 3)), "b": RNG.normal(size=4)}, RNG.normal(size=(5, 3))
    g = sg.grad(loss)
    found = sg.vmap(g, in_axes=(None, 0), fallback="error")(params, xs)
    for key, rows in found.items():
        np.testing.assert_allclose(rows, [g(params, x)[key] for x in xs])


def test_a_derivative_of_a_batch():
    xs = RNG.normal(size=(4, 3))
    batched = sg.vmap(dense, in_axes=(0, None), fallback="error")

    def total(b):
        return batched(xs, b).sum()

    def by_loop(b):
        return sum(dense(x, b).sum() for x in xs)

    b = RNG.normal(size=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        np.testing.assert_allclose(sg.grad(total)(b), sg.grad(by_loop)(b))


def test_data_of_other_axes_get_another_text(monkeypatch):
    xs, b = RNG.normal(size=(4, 3)), RNG.normal(size=5)
    batched = sg.vmap(dense, in_axes=(0, None), fallback="error")
    batched(xs, b)
    monkeypatch.setitem(globals(), "WEIGHTS", RNG.normal(size=3))
    np.testing.assert_allclose(batched(xs, b), [dense(x, b) for x in xs])


def test_what_all_examples_share_is_not_written():
    def counted(x, counts):
        counts[0] += 1.0
        return x * 2

    with pytest.raises(sg.NotBatchedError, match="which all examples share"):
        sg.vmap(counted, in_axes=(0, None), fallback="error")(np.ones(3), np.zeros(2))


def test_axes_that_are_not_there_are_refused():
    with pytest.raises(sg.ArgumentError, match="no axis 0"):
        sg.vmap(dense)(np.ones((2, 3)), 1.0)
    with pytest.raises(sg.ArgumentError, match="has 2 examples and `b` has 3"):
        sg.vmap(dense)(np.ones((2, 3)), np.ones((3, 5)))


def squared_error(params, x, y):
    hidden = np.tanh(params["w"] @ x + params["b"])
    return np.sum((hidden - y) ** 2)


def exported_functions(text):
    space = {"__name__": "exported"}
    exec(compile(text, "exported", "exec"), space)
    assert "import srcgrad" not in text
    assert "from srcgrad" not in text
    return space


def test_a_program_over_a_batch_is_exported():
    xs = np.array([1.0, 9.0, 70.0])
    text = sg.vmap(until_small, fallback="error").export(example=(xs,))
    run = exported_functions(text)["until_small_batch"]
    np.testing.assert_allclose(run(xs), [until_small(x) for x in xs])
    with pytest.raises(ValueError, match="exported for"):
        run(np.ones((2, 2)))


def test_gradients_of_each_example_are_exported():
    params = {"w": RNG.normal(size=(4, 3)), "b": RNG.normal(size=4)}
    xs, ys = RNG.normal(size=(5, 3)), RNG.normal(size=(4, 5))
    g = sg.value_and_grad(squared_error)
    batched = sg.vmap(g, (None, 0, 1), fallback="error")
    run = exported_functions(batched.export(example=(params, xs, ys)))
    values, grads = run["squared_error_value_and_grad_batch"](params, xs, ys)
    wanted = [g(params, x, y) for x, y in zip(xs, ys.T, strict=True)]
    np.testing.assert_allclose(values, [value for value, _ in wanted])
    for key, rows in grads.items():
        np.testing.assert_allclose(rows, [grad[key] for _, grad in wanted])
    with pytest.raises(ValueError, match="exported for"):
        run["squared_error_value_and_grad_batch"](params, np.ones((5, 1)), ys)


def test_what_a_batch_is_made_of_is_said():
    xs = np.array([1.0, 9.0])
    batched = sg.vmap(until_small)
    batched(xs)
    assert batched.stages()["source"] == batched.source
    assert "for each example" not in batched.stages()["parse"]
    assert batched.explain().engine == "source"
    assert "takes for granted: x.ndim == 1" in batched.explain(xs).text()
    refused = sg.vmap(largest).explain(np.ones((2, 3)))
    assert refused.engine == "loop"
    assert "as a loop over examples" in refused.text()
    assert refused.refusals[0].code == "SG195"


BY_NAME = {
    "transpose": lambda x: np.transpose(a=np.outer(a=x, b=x))[0],
    "dot": lambda x: np.dot(b=x, a=2.0 * x),
    "clip": lambda x: np.clip(a=x, a_min=0.0, a_max=1.5),
    "expand_dims": lambda x: np.expand_dims(a=x, axis=0),
    "roll": lambda x: np.roll(a=x, shift=1),
    "repeat": lambda x: np.repeat(a=x, repeats=2),
    "flip": lambda x: np.flip(m=x),
    "cumsum": lambda x: np.cumsum(a=x),
    "broadcast_to": lambda x: np.broadcast_to(array=x, shape=(2, 3)),
    "moveaxis": lambda x: np.moveaxis(a=np.outer(x, x), source=0, destination=1),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_operands_may_be_given_by_name(name):
    function, xs = BY_NAME[name], RNG.normal(size=(2, 3))
    batched = sg.vmap(function, fallback="error")(xs)
    np.testing.assert_allclose(batched, np.stack([function(x) for x in xs]), rtol=1e-12)


KINDS = {
    "zeros of integers": lambda x: np.zeros(3, int) + np.zeros(3, dtype=bool),
    "integers by position": lambda x: np.full(2, x[0], int),
    "integers by name": lambda x: np.full(2, x[0], dtype=int),
    "as the value": lambda x: np.full(2, x[0]),
    "an array of single floats": lambda x: np.asarray(x, np.float32),
    "like another": lambda x: np.zeros_like(x, int) + 1,
    "like itself": lambda x: np.ones_like(x) * 2,
    "a sum of truth values": lambda x: np.sum(x > 0, dtype=float) * x[0],
    "single floats": lambda x: x.astype(np.float32),
    "integers from floats": lambda x: x.astype(int) * 2,
}


@pytest.mark.parametrize("name", KINDS)
def test_elements_have_the_kind_that_they_have_alone(name):
    function, xs = KINDS[name], RNG.normal(size=(4, 3)) * 3
    batched = sg.vmap(function, fallback="error")(xs)
    wanted = np.stack([function(x) for x in xs])
    np.testing.assert_array_equal(batched, np.broadcast_to(wanted, np.shape(batched)))
    assert np.asarray(batched).dtype == wanted.dtype


JOINED = {
    "hstack of vectors": lambda x: np.hstack([x[0], 2 * x[1]]) + 1,
    "hstack of matrices": lambda x: np.hstack([x, -x]).sum(axis=1),
    "vstack of vectors": lambda x: np.vstack([x[0], x[1]]).T @ x,
    "vstack of matrices": lambda x: np.vstack([x, x + 1]).sum(axis=0),
    "column_stack of vectors": lambda x: np.column_stack([x[0], x[1]]) * x[0, 0],
    "column_stack of matrices": lambda x: np.column_stack([x, x]).T,
    "concatenate": lambda x: np.concatenate([x, x]).sum(axis=1),
    "concatenate along the last": lambda x: np.concatenate([x, x], -1).sum(axis=0),
    "ravel": lambda x: np.ravel(x) * 2,
    "ravel of a row": lambda x: x[0].ravel() @ x[1],
    "ravel of a number": lambda x: np.ravel(x[0, 0]) * x[1],
    "flatten of a number": lambda x: np.concatenate([x[0, 0].flatten(), x[1]]),
    "max of a list": lambda x: np.max([x[0, 0], x[1, 1]]),
    "T": lambda x: x.T @ x,
    "transpose": lambda x: np.transpose(x) * x[0, 0],
    "transpose by axes": lambda x: np.transpose(x, (1, 0)) @ x,
    "transpose by its method": lambda x: x.transpose(1, 0) @ x,
    "transpose that does nothing": lambda x: x.transpose((0, 1)) + x,
    "three axes": lambda x: np.transpose(x[:, None] * x[None], (2, 0, 1)).sum(axis=2),
    "of a dict": lambda x: {"a": x[0], "b": x[1]}.get("b") * x,
    "concatenate along the second": lambda x: np.concatenate((x, x), axis=1)[1],
}


@pytest.mark.parametrize("name", JOINED)
def test_what_is_joined_has_the_axes_that_it_has_alone(name):
    function, xs = JOINED[name], RNG.normal(size=(4, 2, 3))
    batched = sg.vmap(function, fallback="error")(xs)
    np.testing.assert_allclose(batched, np.stack([function(x) for x in xs]))
