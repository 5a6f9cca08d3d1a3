"""The engine: depth, lifetimes, threads, ownership of gradients, what runs and what does not."""

import gc
import threading
import weakref

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.autograd import Function
from tests.differences import numerical_gradient


def by_differences(function, point):
    return numerical_gradient(function, (np.array(point, dtype=float),), 0)


def leaf(*data):
    return tape.tensor(np.array(data, dtype=float), requires_grad=True)


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_long_chain_runs_and_is_deleted_without_recursion():
    x = leaf(1.0)
    y = x
    for _ in range(200_000):  # far deeper than a stack
        y = y + 1.0
    y.backward()
    assert x.grad.tolist() == [1.0]
    del y


def test_a_graph_dies_by_reference_count_alone(no_collector):
    x = leaf(1.0, 2.0)
    y = np.exp(x * 2).sum()
    z = np.concatenate([x, x])[1:] * y
    z[0] = y
    nodes = [weakref.ref(t.grad_fn) for t in (y, z)] + [weakref.ref(y), weakref.ref(z)]
    z.sum().backward()
    del y, z
    assert [ref() for ref in nodes] == [None] * 4


def test_a_graph_of_a_users_function_dies_by_reference_count_alone(no_collector):
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = np.exp(x)
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[1]

    x = leaf(1.0)
    y = Exp.apply(x * 1)
    refs = weakref.ref(y), weakref.ref(y.grad_fn)
    del y
    assert refs[0]() is None
    assert refs[1]() is None


def test_saved_arrays_are_freed_by_the_pass(no_collector):
    x = leaf(1.0)
    inner = x * 2
    y = inner * inner
    held = weakref.ref(inner)
    total = y.sum()
    del inner, y
    total.backward()
    assert held() is None


def test_several_threads_run_backward_through_one_graph():
    x = tape.tensor(np.linspace(0.1, 1, 2000), requires_grad=True)
    shared = np.sin(x) * x
    failures = []

    def work(k):
        try:
            for _ in range(20):
                (shared * k).sum().backward(retain_graph=True)
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in (1.0, 2.0, 3.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    point = x.detach().numpy()[:3]
    expected = 20 * 6 * by_differences(lambda v: (np.sin(v) * v).sum(), point)
    np.testing.assert_allclose(x.grad.numpy()[:3], expected, rtol=1e-6)


def test_modes_belong_to_their_thread():
    seen = []
    with tape.no_grad():
        thread = threading.Thread(target=lambda: seen.append(tape.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_gradients_given_back_never_share_memory():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = tape.tensor(np.ones(2))
    a, b = autograd.grad(x + y, (x, y), seed)
    a[0] = 7.0
    assert b.tolist() == [1.0, 1.0]
    assert seed.tolist() == [1.0, 1.0]


def test_grad_runs_only_the_nodes_that_lead_to_its_inputs():
    ran = []

    class Note(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            ran.append(1)
            return grad

    x, y = leaf(1.0), leaf(2.0)
    autograd.grad((Note.apply(x) * y).sum(), y)
    assert not ran


def test_a_diamond_sums_before_it_goes_on():
    calls = []
    x = leaf(2.0)
    y = x * 3
    y.register_hook(lambda g: calls.append(g.tolist()))
    (np.sin(y) + y * y + y).sum().backward()
    assert len(calls) == 1
    expected = by_differences(lambda v: (np.sin(3 * v) + 9 * v * v + 3 * v).sum(), [2.0])
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_agree_with_differences(seed):
    rng = np.random.default_rng(seed)

    def program(v):
        pick = np.random.default_rng(seed)
        pool = [v, v * 2.0]
        for _ in range(12):
            i, j = pick.integers(len(pool), size=2)
            kind = pick.integers(5)
            if kind == 0:
                pool.append(pool[i] * pool[j])
            elif kind == 1:
                pool.append(np.sin(pool[i]))
            elif kind == 2:
                pool.append(pool[i] + pool[j].sum())
            elif kind == 3:
                pool.append(np.tanh(pool[i] - pool[j]))
            else:
                a, b = np.split(np.concatenate([pool[i], pool[j]]), 2)
                pool.append(a / (1.0 + b * b))
        return sum((p * 0.1).sum() for p in pool[-3:])

    point = rng.uniform(-1, 1, 3)
    x = tape.tensor(point, requires_grad=True)
    program(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), by_differences(program, point), rtol=1e-5, atol=1e-7)


def test_an_error_in_backward_leaves_the_modes_as_they_were():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("mine")

    with pytest.raises(KeyError):
        Fails.apply(leaf(1.0)).backward()
    assert tape.is_grad_enabled()
    assert autograd._is_checkpoint_valid()


def test_float32_leaves_get_float32_gradients():
    x = tape.tensor(np.ones(3, np.float32), requires_grad=True)
    (x * np.ones(3)).sum().backward()
    assert x.grad.dtype == np.float32
    (g,) = autograd.grad((x * np.ones(3)).sum(), x)
    assert g.dtype == np.float32


def test_create_graph_in_backward_warns_of_the_cycle():
    with pytest.warns(UserWarning, match="reference cycle"):
        (leaf(1.0) ** 3).sum().backward(create_graph=True)


@pytest.mark.parametrize("recorded", [0, 1])
def test_what_may_be_differentiated_once_fails_if_any_gradient_was_recorded(recorded):
    class Both(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2.0, a * 3.0

        @staticmethod
        @autograd.function.once_differentiable
        def backward(ctx, *grads):
            return 2.0 * grads[0] + 3.0 * grads[1]

    x, w = leaf(1.0, 2.0), [tape.tensor(np.ones(2)), tape.tensor(np.ones(2))]
    w[recorded] = leaf(1.0, 1.0)
    parts = Both.apply(x)
    total = sum(np.sum(part * weight) for part, weight in zip(parts, w, strict=True))
    (slope,) = autograd.grad(total, x, create_graph=True)
    assert slope.tolist() == [5.0, 5.0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()
