"""Sums by parts are the sums: values, gradients, weights, what is split, what is refused."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.distributed import Parts
from tests.unit.distributed import losses


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(3) as executor:
        yield executor


def close(found, expected, tolerance=1e-12):
    """Compare values and gradients, to the bit if there is no tolerance."""
    for left, right in zip(leaves(found), leaves(expected), strict=True):
        assert np.shape(left) == np.shape(right)
        assert np.allclose(left, right, rtol=tolerance, atol=tolerance)


def leaves(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


@pytest.mark.parametrize(
    ("loss", "reduction"), [(losses.squares, "sum"), (losses.mean_squares, "mean")]
)
def test_parts_give_what_the_whole_gives(loss, reduction):
    whole = sg.value_and_grad(loss, argnums=(0, 1))
    for parts in (1, 2, 3, 7, 20):
        by_parts = sg.distributed.value_and_grad(
            loss, over="batch", argnums=(0, 1), reduction=reduction, parts=parts
        )
        for length in (1, 2, 5, 11):
            args = losses.params(), losses.batch(length)
            close(by_parts(*args), whole(*args))


@pytest.mark.parametrize("engine", ["pool", "threads", None])
def test_every_engine_gives_the_same_bits(engine, request):
    engine = engine and request.getfixturevalue(engine)
    args = losses.params(), losses.batch(13)
    options = {"argnums": (0, 1), "reduction": "mean", "parts": 5}
    here = sg.distributed.value_and_grad(losses.mean_squares, **options)(*args)
    there = sg.distributed.value_and_grad(losses.mean_squares, engine=engine, **options)
    for _ in range(2):
        close(there(*args), here, tolerance=0)


def test_functions_of_no_module_go_by_their_text(pool):
    w, batch = np.array([1.0, -2.0]), np.arange(8.0).reshape(4, 2)
    for factor in (2.0, 3.0):
        loss = losses.scaled_by(factor)
        found = sg.distributed.value_and_grad(loss, engine=pool)(w, batch)
        close(found, sg.value_and_grad(loss)(w, batch))


def test_data_that_changed_are_sent_anew(pool):
    data = np.array([1.0, 2.0])

    def loss(w, batch):
        return np.sum(batch @ (w * data))

    derivative = sg.distributed.grad(loss, engine=pool)
    w, batch = np.ones(2), np.ones((3, 2))
    assert derivative(w, batch).tolist() == [3.0, 6.0]
    data *= 10  # in place: the same object, other numbers
    assert derivative(w, batch).tolist() == [30.0, 60.0]


class Counting(ThreadPoolExecutor):
    """Counts the calls that carry the derivative."""

    sent = 0

    def submit(self, function, key, content, *rest):
        self.sent += content is not None
        return super().submit(function, key, content, *rest)


def test_the_text_goes_to_each_worker_once():
    with Counting(2) as executor:
        derivative = sg.distributed.grad(losses.scaled_by(7.0), engine=executor, parts=6)
        for _ in range(3):
            derivative(np.ones(2), np.ones((6, 2)))
        assert 1 <= executor.sent <= 2


@pytest.mark.parametrize("fallback", ["warn", "tape"])
def test_what_is_no_text_is_sent_whole(pool, fallback):
    model, w, batch = losses.Model(2.0), np.array([1.0, -2.0]), np.arange(8.0).reshape(4, 2)
    found = sg.distributed.value_and_grad(model.loss, engine=pool, fallback=fallback)(w, batch)
    close(found, sg.value_and_grad(model.loss)(w, batch))


def test_arguments_stay_as_they_are(threads):
    batch = np.arange(1.0, 7.0)
    found = sg.distributed.grad(losses.writing, engine=threads, parts=2)(2.0, batch)
    assert batch.tolist() == np.arange(1.0, 7.0).tolist()
    assert np.isclose(found, 2 * 2.0 * np.sum(batch**2))


def test_aux_comes_in_a_list_in_order(threads):
    args = losses.params(), losses.batch(7)
    derivative = sg.distributed.value_and_grad(
        losses.with_aux, has_aux=True, engine=threads, parts=3
    )
    (value, aux), gradient = derivative(*args)
    assert aux == [3, 2, 2]
    close((value, gradient), sg.value_and_grad(losses.squares)(*args))
    assert sg.distributed.grad(losses.with_aux, has_aux=True, parts=2)(*args)[1] == [4, 3]


def test_several_arguments_by_keyword_and_parts_that_are_ready():
    def loss(w, x, *, y, power=2):
        return np.mean((x @ w - y) ** power)

    w, x, y = np.ones(2), np.arange(10.0).reshape(5, 2), np.arange(5.0)
    options = {"over": ("x", "y"), "reduction": "mean", "argnames": ("w", "y")}
    derivative = sg.distributed.value_and_grad(loss, **options, parts=2)
    expected = sg.value_and_grad(loss, argnames=("w", "y"))(w, x, y=y)
    close(derivative(w, y=y, x=x), expected)
    ready = sg.distributed.value_and_grad(loss, **options)
    close(ready(w, Parts([x[:1], x[1:]]), y=Parts([y[:1], y[1:]])), expected)


def test_parts_without_examples_weigh_nothing():
    batch = losses.batch(4)
    empty = {name: value[:0] for name, value in batch.items()}
    derivative = sg.distributed.value_and_grad(losses.mean_squares, reduction="mean")
    found = derivative(losses.params(), Parts([empty, batch, empty]))
    close(found, sg.value_and_grad(losses.mean_squares)(losses.params(), batch))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_keep_their_types(dtype):
    def loss(w, batch):
        return np.mean(batch @ w)

    w, batch = np.ones(2, dtype), np.arange(10, dtype=dtype).reshape(5, 2)
    value, gradient = sg.distributed.value_and_grad(loss, reduction="mean", parts=2)(w, batch)
    assert value.dtype == gradient.dtype == dtype


# -- refused


def penalised(w, batch):
    return np.sum((batch @ w) ** 2) + np.sum(w * w)


def coupled(w, batch):
    return np.sum(batch[1:] * batch[:-1] @ w)


@pytest.mark.parametrize("loss", [penalised, coupled, losses.mean_squares])
def test_a_loss_that_is_no_sum_is_refused(loss):
    args = (losses.params(), losses.batch(6))
    if loss is not losses.mean_squares:
        args = (np.ones(3), args[1]["x"])
    with pytest.raises(sg.ArgumentError, match="not the sum over its examples"):
        sg.distributed.grad(loss, parts=2)(*args)
    if loss is not coupled:
        sg.distributed.grad(loss, parts=2, check=False)(*args)


def test_the_check_leaves_random_numbers_and_arguments_alone():
    def noisy(w, batch):
        return np.sum(batch * w) + np.random.normal()  # noqa: NPY002 - as users draw

    expected = np.random.get_state()[1].copy()  # noqa: NPY002
    derivative = sg.distributed.grad(noisy, parts=2)
    derivative._check({"w": 1.0, "batch": np.arange(4.0)})
    assert (np.random.get_state()[1] == expected).all()  # noqa: NPY002


@pytest.mark.parametrize(
    ("batch", "match"),
    [
        (3.0, "a float"),
        (np.array(3.0), "without axes"),
        ({"x": np.ones(3), "y": np.ones(2)}, "different lengths: 3, 2"),
        ({}, "no array"),
        ([1.0, 2.0], "a float"),
    ],
)
def test_what_cannot_be_split_is_refused(batch, match):
    with pytest.raises(sg.ArgumentError, match=match):
        sg.distributed.grad(losses.squares)(losses.params(), batch)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"over": "nothing"}, "no parameter"),
        ({"over": ()}, "names no argument"),
        ({"reduction": "max"}, "'sum' and 'mean'"),
        ({"parts": 0}, "no number of parts"),
        ({"engine": 3}, "runs no parts"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, match):
    with pytest.raises(sg.ArgumentError, match=match):
        sg.distributed.grad(losses.squares, **options)


# -- errors of workers


def failing(w, batch):
    if batch[0] > 3.0:
        raise sg.ArgumentError("no such batch", hint="another")
    return np.sum(batch * w)


@pytest.mark.parametrize("engine", ["pool", "threads", None])
def test_errors_of_a_part_are_raised_and_there_is_no_sum(engine, request):
    engine = engine and request.getfixturevalue(engine)
    derivative = sg.distributed.grad(failing, engine=engine, parts=3)
    with pytest.raises(sg.ArgumentError, match="no such batch") as caught:
        derivative(1.0, np.arange(9.0))
    assert caught.value.hint == "another"
    assert "in part 2 of 3, counted from 0" in caught.value.__notes__
    assert np.isclose(derivative(1.0, np.arange(3.0)), 3.0)


def test_a_worker_that_dies_is_an_error(tmp_path):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        derivative = sg.distributed.grad(
            losses.beside_a_mark, engine=executor, parts=2, fallback="tape"
        )
        with pytest.raises(sg.WorkerError, match="a worker was lost before part"):
            derivative(1.0, np.array([1.0, 2.0, 3.0, 101.0]), str(tmp_path / "mark"))


@pytest.mark.parametrize("error", [sg.ArgumentError("a", hint="b"), sg.MutationError("c")])
def test_errors_are_pickled_with_what_they_know(error):
    error.add_note("here")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.diagnostics == error.diagnostics
    assert again.__notes__ == ["here"]


# -- ranks


class Ranks:
    """A communicator whose ranks are threads; it reduces as mpi4py does."""

    def __init__(self, size):
        self.size, self.given = size, [None] * size
        self.meeting = threading.Barrier(size)
        self.own = threading.local()

    def Get_rank(self):
        return self.own.rank

    def allreduce(self, value, op):
        self.given[self.own.rank] = pickle.dumps(value)
        self.meeting.wait()
        found = [pickle.loads(item) for item in self.given]
        self.meeting.wait()
        while len(found) > 1:
            pairs = [found[place : place + 2] for place in range(0, len(found), 2)]
            found = [op(*pair) if len(pair) > 1 else pair[0] for pair in pairs]
        return found[0]

    def run(self, function):
        def at(rank):
            self.own.rank = rank
            try:
                return function(rank)
            except Exception as error:  # noqa: BLE001 - each rank's own
                return error

        with ThreadPoolExecutor(self.size) as executor:
            return list(executor.map(at, range(self.size)))


@pytest.mark.parametrize("size", [1, 2, 4])
def test_ranks_agree_on_the_whole_and_keep_their_own(size):
    ranks, batch = Ranks(size), losses.batch(5)
    derivative = sg.distributed.value_and_grad(
        losses.mean_squares, argnums=(0, 1), reduction="mean", engine=ranks
    )
    ends = [*[0, 3, 5, 5, 5][:size], 5]
    found = ranks.run(
        lambda rank: derivative(
            losses.params(), {k: v[ends[rank] : ends[rank + 1]] for k, v in batch.items()}
        )
    )
    value, (by_params, by_batch) = sg.value_and_grad(losses.mean_squares, (0, 1))(
        losses.params(), batch
    )
    for item in found:
        close((item[0], item[1][0]), (value, by_params))
    own = np.concatenate([item[1][1]["x"] for item in found])
    assert np.allclose(own, by_batch["x"])


def test_when_a_rank_fails_all_do():
    ranks = Ranks(3)
    derivative = sg.distributed.grad(failing, engine=ranks)
    found = ranks.run(lambda rank: derivative(1.0, np.arange(3.0) + 3 * rank))
    assert isinstance(found[2], sg.ArgumentError)
    assert all(isinstance(item, sg.WorkerError) for item in found[:2])
    assert "rank 2 has failed" in str(found[0])


def test_no_rank_with_an_example_is_an_error():
    ranks = Ranks(2)
    derivative = sg.distributed.grad(failing, engine=ranks)
    found = ranks.run(lambda rank: derivative(1.0, np.zeros(0)))
    assert all("no rank has an example" in str(item) for item in found)
