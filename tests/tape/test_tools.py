"""Anomaly mode, profiler, gradcheck, checkpoint, hooks: what is not compared with PyTorch."""

# ruff: noqa: NPY002 - NumPy's global random numbers are what a checkpoint repeats

import json

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.autograd import Function, GradcheckError, gradcheck, graph, profiler
from srcgrad.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)


def leaf(*data):
    return tape.tensor(np.array(data, dtype=float), requires_grad=True)


class NanBackward(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad * float("nan")


def test_anomaly_mode_shows_the_line_of_the_forward_call():
    with autograd.set_detect_anomaly(True):
        y = NanBackward.apply(leaf(1.0))  # this line
        with (
            pytest.warns(UserWarning, match="this line"),
            pytest.raises(RuntimeError, match="nan values in its 0th output"),
        ):
            y.sum().backward()


def test_anomaly_mode_shows_the_line_of_an_induced_call():
    with autograd.set_detect_anomaly(True):
        x = leaf(1.0)
        (g,) = autograd.grad(NanBackwardLater.apply(x).sum(), x, create_graph=True)
        with (
            pytest.warns(UserWarning, match="induced"),
            pytest.raises(RuntimeError, match="nan"),
        ):
            g.sum().backward()


class NanBackwardLater(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return NanBackward.apply(x) * grad


def test_gradcheck_names_the_worst_entry():
    class AlmostRight(Function):
        @staticmethod
        def forward(ctx, x):
            return x * np.array([2.0, 3.0])

        @staticmethod
        def backward(ctx, grad):
            return grad * np.array([2.0, 3.01])

    with pytest.raises(GradcheckError, match=r"element 1 of the input, element 1 of the output"):
        gradcheck(AlmostRight.apply, (leaf(1.0, 2.0),))


def test_gradcheck_notices_a_gradient_that_is_not_deterministic():
    rng = np.random.default_rng(0)

    class Noisy(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, grad):
            return grad * (2.0 + 1e-9 * rng.random())

    with pytest.raises(GradcheckError, match="not reentrant"):
        gradcheck(Noisy.apply, (leaf(1.0),))


def test_gradcheck_notices_a_backward_that_fails_on_undefined_gradients():
    class NeedsBoth(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1.0, x * 2.0

        @staticmethod
        def backward(ctx, p, q):
            if p is None and q is None:
                raise RuntimeError("none")
            return (0.0 if p is None else p) + (0.0 if q is None else 2.0 * q)

    with (
        pytest.warns(UserWarning, match="undefined"),
        pytest.raises(GradcheckError, match="undefined"),
    ):
        gradcheck(NeedsBoth.apply, (leaf(1.0),))


def test_a_profile_is_a_trace_that_viewers_read(tmp_path):
    x = leaf(1.0, 2.0)
    with profiler.profile(record_shapes=True, with_stack=True) as profile:
        with profiler.record_function("outer"):
            y = np.exp(x) * x
        y.sum().backward()
    profile.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {e["ph"] for e in events} == {"X"}
    assert {"outer", "numpy.exp", "ExpBackward0"} <= {e["name"] for e in events}
    by_name = {e.name: e for e in profile.function_events}
    assert by_name["numpy.exp"].cpu_parent is by_name["outer"]
    assert by_name["numpy.exp"].input_shapes == [[2]]
    assert by_name["outer"].cpu_time_total >= by_name["numpy.exp"].cpu_time_total
    profile.export_stacks(str(tmp_path / "stacks.txt"))
    stacks = (tmp_path / "stacks.txt").read_text()
    assert "test_tools.py" in stacks
    assert "/srcgrad/tape/" not in stacks
    sums = {e.key: e.count for e in profile.key_averages()}
    assert sums["numpy.exp"] == 1
    assert profile.total_average().count == len(profile.function_events)
    assert profile.table(sort_by="count", row_limit=1).count("\n") == 6
    with pytest.raises(ValueError, match="cannot sort"):
        profile.table(sort_by="colour")


def test_cuda_tools_say_that_there_is_no_cuda():
    for tool in (profiler.emit_nvtx, profiler.emit_itt):
        with tool(enabled=False) as nothing:
            assert nothing is None
        with pytest.raises(RuntimeError), tool():
            pass
    with pytest.raises(RuntimeError, match="nvprof"):
        profiler.load_nvprof("trace.nvvp")


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_draws_the_same_random_numbers_again(reentrant):
    def noisy(x):
        return np.sin(x) * tape.tensor(np.random.rand(3))

    x = leaf(1.0, 2.0, 3.0)
    np.random.seed(0)
    y = checkpoint(noisy, x, use_reentrant=reentrant)
    after = np.random.rand()
    y.sum().backward()
    np.random.seed(0)
    z = noisy(x)
    assert np.random.rand() == after
    (expected,) = autograd.grad(z.sum(), x)
    np.testing.assert_allclose(x.grad.numpy(), expected.numpy())


def test_a_checkpoint_keeps_nothing_but_its_inputs():
    kept = []
    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        y = checkpoint(lambda a: np.sin(np.exp(a) * a).sum(), x, use_reentrant=False)
    assert len(kept) == 1
    assert y.requires_grad


def test_a_checkpoint_that_reads_changed_shapes_is_refused():
    sizes = iter([2, 1])
    x = leaf(1.0, 2.0)
    y = checkpoint(lambda a: np.exp(a[: next(sizes)]), x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="different metadata"):
        y.sum().backward()


def test_hooks_on_saved_tensors_serve_second_derivatives():
    x = leaf(0.3, 0.7)
    with graph.saved_tensors_hooks(lambda t: t.numpy().copy(), tape.tensor):
        y = (np.exp(x) * x).sum()
        (g,) = autograd.grad(y, x, create_graph=True)
        (h,) = autograd.grad(g.sum(), x)
    (g2,) = autograd.grad((np.exp(x) * x).sum(), x, create_graph=True)
    np.testing.assert_allclose(h.numpy(), autograd.grad(g2.sum(), x)[0].numpy())


def test_a_post_accumulate_hook_may_drop_the_gradient():
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", None))
    (x * 2.0).backward()
    assert x.grad is None


def test_threads_have_profilers_of_their_own():
    with profiler.profile() as profile:
        pass
    assert len(profile.function_events) == 0
    assert profile.table() == ""


def matrices():
    rng = np.random.default_rng(3)
    return [tape.tensor(rng.normal(size=(3, 3)), requires_grad=True) for _ in range(2)]


def layers(x, w):
    h = np.tanh(x @ w)
    h = np.sin(h @ w) * h
    return (h @ w.T).sum()


def counted(**options):
    x, w = matrices()
    with autograd.profiler.profile() as profile:
        y = checkpoint(layers, x, w, use_reentrant=False, **options)
        grads = autograd.grad(y, (x, w))
    calls = {event.key: event.count for event in profile.key_averages()}
    return grads, [calls[f"numpy.{name}"] for name in ("matmul", "tanh", "sin")]


def save_tanh(context, function, *args, **kwargs):
    keeps = function is np.tanh
    return CheckpointPolicy.PREFER_SAVE if keeps else CheckpointPolicy.MUST_RECOMPUTE


@pytest.mark.parametrize(
    ("policy", "calls"),
    [
        ([], [6, 2, 2]),
        ([np.matmul], [3, 2, 2]),
        (save_tanh, [6, 1, 2]),
        ([np.matmul, np.tanh, np.sin, np.multiply, np.sum, np.transpose], [3, 1, 1]),
    ],
)
def test_a_selective_checkpoint_runs_again_what_it_has_not_kept(policy, calls):
    expected, _ = counted()
    grads, found = counted(context_fn=lambda: create_selective_checkpoint_contexts(policy))
    assert found == calls
    for mine, other in zip(grads, expected, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy())


def test_a_kept_result_that_was_written_into_is_refused():
    def writes(x):
        y = np.exp(x)
        z = y * 2.0
        y.add_(1.0)
        return np.sin(z).sum()

    x = tape.tensor([0.5, 1.5], requires_grad=True)
    y = checkpoint(
        writes,
        x,
        use_reentrant=False,
        context_fn=lambda: create_selective_checkpoint_contexts([np.exp]),
    )
    with pytest.raises(RuntimeError, match="mutated"):
        y.backward()


def test_a_function_that_does_more_when_it_is_run_again_is_refused():
    functions = iter([np.sin, np.exp])
    x = tape.tensor([0.5, 1.5], requires_grad=True)
    y = checkpoint(
        lambda t: np.cos(next(functions)(t)),
        x,
        use_reentrant=False,
        context_fn=lambda: create_selective_checkpoint_contexts([np.sin]),
    )
    with pytest.raises(RuntimeError, match="not found in storage"):
        y.sum().backward()


def test_a_policy_is_told_the_result_and_kept_results_are_used_once():
    seen = []

    def policy(context, function, *args, **kwargs):
        seen.append((function, context.op_output.shape))
        return True

    x = tape.tensor([0.5, 1.5], requires_grad=True)
    y = checkpoint(
        lambda t: np.sin(np.exp(t) * t).sum(),
        x,
        use_reentrant=False,
        context_fn=lambda: create_selective_checkpoint_contexts(policy),
    )
    y.backward(retain_graph=True)
    assert [function for function, _ in seen] == [np.exp, np.multiply, np.sin, np.sum]
    plain = tape.tensor([0.5, 1.5], requires_grad=True)
    np.sin(np.exp(plain) * plain).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), plain.grad.numpy())


def test_debug_says_where_values_were_saved():
    x = tape.tensor([1.0, 2.0, 3.0], requires_grad=True)
    sizes = iter([3, 2])
    y = checkpoint(
        lambda a: np.exp(a[: next(sizes)]), x, use_reentrant=False, debug=True, early_stop=False
    )
    with pytest.raises(CheckpointError, match=r"saved at:[\s\S]*test_tools.py[\s\S]*recomputed at"):
        y.sum().backward()


def test_a_profile_counts_memory_and_operations():
    x, w = tape.tensor(np.ones((4, 5)), requires_grad=True), tape.tensor(np.ones((5, 3)))
    with autograd.profiler.profile(profile_memory=True, with_flops=True) as profile:
        with autograd.profiler.record_function("block"):
            y = (x @ w * 2.0).T.sum()
        y.backward()
    sums = {event.key: event for event in profile.key_averages()}
    assert sums["numpy.matmul"].flops == 2 * 4 * 5 * 3
    assert sums["numpy.multiply"].flops == 12
    assert sums["numpy.matmul"].cpu_memory_usage == 4 * 3 * 8
    assert sums["numpy.transpose"].cpu_memory_usage == 0
    assert sums["block"].cpu_memory_usage == (12 + 12 + 1) * 8
    assert sums["block"].self_cpu_memory_usage == 0
    assert sums["MmBackward0"].cpu_memory_usage == 4 * 5 * 8
    assert "CPU Mem" in profile.table()
    assert "Total FLOPs" in profile.key_averages().table(sort_by="flops")


@pytest.mark.parametrize("option", ["use_kineto", "with_modules", "use_cuda"])
def test_a_profile_refuses_what_it_cannot_see(option):
    with pytest.raises(RuntimeError, match=option):
        autograd.profiler.profile(**{option: True})
    with pytest.raises(TypeError, match="unknown"):
        autograd.profiler.profile(unknown=1)


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_a_retained_gradient_is_added_to_at_every_pass(create):
    x = tape.tensor(np.array([0.5, 2.0]), requires_grad=True)
    y = x * 3.0
    with pytest.warns(UserWarning, match="not a leaf") as warned:
        assert y.grad is None
    assert warned[0].filename == __file__  # the line that asked
    y.retain_grad()
    loss = (y * y * y).sum()
    loss.backward(retain_graph=True, create_graph=create)
    once = y.grad.numpy(force=True).copy()
    loss.backward(create_graph=create)
    np.testing.assert_array_equal(y.grad.numpy(force=True), 2 * once)
    np.testing.assert_allclose(3.0 * 2 * once, x.grad.numpy(force=True))


def test_inference_mode_switches_recording_off_and_back_on():
    with tape.inference_mode():
        assert not tape.is_grad_enabled()
        with tape.inference_mode(False):
            assert tape.is_grad_enabled()
        assert not tape.is_grad_enabled()
    assert tape.is_grad_enabled()
