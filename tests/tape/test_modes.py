"""Switches of recording, as contexts and as decorators of functions, generators and classes."""

import numpy as np
import pytest

from srcgrad import autograd, tape
from srcgrad.autograd import Function
from srcgrad.tape import engine, modes


def records():
    return (tape.tensor([1.0], requires_grad=True) * 2.0).requires_grad


def leaf(*data):
    return tape.tensor(np.array(data, dtype=float), requires_grad=True)


# -- decorators ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decorate", "inside"),
    [
        (autograd.no_grad, False),
        (autograd.no_grad(), False),
        (autograd.enable_grad, True),
        (autograd.inference_mode, False),
        (autograd.inference_mode(), False),
        (autograd.inference_mode(False), True),
    ],
)
@pytest.mark.parametrize("outside", [True, False])
def test_a_decorated_function_runs_in_its_mode(decorate, inside, outside):
    decorated = decorate(records)
    with autograd.set_grad_enabled(outside):
        assert decorated() is inside
        assert decorated() is inside
        assert records() is outside


@pytest.mark.parametrize("mode", [True, False])
def test_recording_switched_by_a_decorator_is_switched_nowhere_else(mode):
    before = autograd.is_grad_enabled()
    decorated = autograd.set_grad_enabled(mode)(records)
    assert autograd.is_grad_enabled() is before
    assert decorated() is mode
    assert autograd.is_grad_enabled() is before
    switch = autograd.set_grad_enabled(mode)
    assert autograd.is_grad_enabled() is mode
    assert str(switch) == repr(switch) == f"set_grad_enabled(mode={mode})"
    assert str(switch.clone()) == str(switch)
    switch.__exit__(None, None, None)
    assert autograd.is_grad_enabled() is before


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("set_multithreading_enabled", modes.is_multithreading_enabled),
        ("enforce_grad_layout_policy", lambda: modes.STATE.strided_grads),
    ],
)
def test_switches_that_change_no_result_are_remembered(name, asked):
    switch = getattr(autograd, name)
    before = asked()
    for mode in (not before, before):
        made = switch(mode)
        assert asked() is mode
        made.__exit__(None, None, None)
        assert asked() is before
        with switch(mode):
            with made.clone():
                assert asked() is mode
            assert asked() is mode
        assert asked() is before
        switched = switch(mode)
        assert switched(asked)() is mode
        switched.__exit__()
    assert asked() is before


def test_a_mode_has_to_say_how_it_is_switched():
    class Unfinished(modes.ModeContext):
        pass

    for call in (Unfinished().__enter__, Unfinished().__exit__):
        with pytest.raises(NotImplementedError, match="a mode needs"):
            call()


def test_anomaly_mode_says_what_it_looks_for():
    assert not modes.STATE.anomaly
    with pytest.warns(UserWarning, match="increase the runtime") as warned:
        context = autograd.detect_anomaly(check_nan=False)
    assert warned[0].filename == __file__
    with context:
        assert modes.STATE.anomaly
        assert not modes.STATE.check_nan
        with autograd.set_detect_anomaly(True):
            assert modes.STATE.check_nan
        assert not modes.STATE.check_nan
    assert modes.STATE.check_nan


# -- generators ------------------------------------------------------------------------------------


def steps(log):
    try:
        while True:
            try:
                log.append((yield records()))
            except ValueError:
                log.append(records())
    finally:
        log.append(("closed", records()))


def test_a_decorated_generator_holds_its_mode_in_each_of_its_steps():
    log = []
    made = autograd.no_grad(steps)(log)
    assert next(made) is False
    assert records() is True
    assert made.send("sent") is False
    assert made.throw(ValueError) is False
    assert records() is True
    made.close()
    assert log == ["sent", False, ("closed", False)]
    assert records() is True


def test_a_decorated_generator_returns_and_raises():
    @autograd.no_grad()
    def returning():
        yield 1
        return records()

    @autograd.no_grad()
    def raising():
        yield 1
        raise KeyError(records())

    made = returning()
    assert next(made) == 1
    with pytest.raises(StopIteration) as stopped:
        next(made)
    assert stopped.value.value is False
    made = raising()
    assert next(made) == 1
    with pytest.raises(KeyError) as raised:
        next(made)
    assert raised.value.args == (False,)
    assert records() is True


# -- strict mode -----------------------------------------------------------------------------------


def test_strict_mode_may_be_switched_off_inside():
    def is_plain(t):
        return isinstance(t, np.ndarray)

    t = tape.tensor([1.0, 2.0], requires_grad=True)
    strict, loose = tape.strict_fallback(), tape.strict_fallback(enabled=False)
    assert strict(is_plain)(t)
    assert not loose(is_plain)(t)
    with strict:
        assert is_plain(t)
        with loose:
            assert not is_plain(t)
            assert modes.STATE.mutation is None
            assert modes.STATE.refusals is None
            assert modes.STATE.spoken is None
        assert is_plain(t)
        assert not loose.clone()(is_plain)(t)
        assert modes.STATE.refusals == []
    assert not is_plain(t)


# -- functions of the user, and what fails in them -------------------------------------------------


class Halves(Function):
    """Returns a view of its argument, the argument itself, and a constant."""

    @staticmethod
    def forward(ctx, x, held):
        ctx.mark_non_differentiable(held)
        return x[1:], x, held

    @staticmethod
    def backward(ctx, part, whole, _):
        return np.concatenate([[0.0], part.numpy()]) + whole, None


def test_a_users_function_may_return_its_arguments():
    x, held = leaf(1.0, 2.0, 3.0), leaf(5.0)
    for create in (False, True):
        part, whole, other = Halves.apply(x * 2.0, held)
        assert whole.tolist() == [2.0, 4.0, 6.0]
        assert not other.requires_grad
        (found,) = autograd.grad((part.sum(), whole.sum()), x, create_graph=create)
        assert found.tolist() == [2.0, 4.0, 4.0]
    with autograd.no_grad():
        part, whole, other = Halves.apply(x, held)
    assert not (part * 2.0).requires_grad
    assert not whole.requires_grad
    assert whole.tolist() == x.tolist()
    with autograd.no_grad():
        x.mul_(2.0)
    assert whole.tolist() == [2.0, 4.0, 6.0]  # it is the same memory


def test_a_tensor_from_elsewhere_keeps_its_own_history():
    outer = leaf(3.0)
    kept = outer * 2.0

    class Elsewhere(Function):
        @staticmethod
        def forward(ctx, x):
            return kept, x * 1.0

        @staticmethod
        def backward(ctx, one, other):
            return 10.0 * one + other

    x = leaf(1.0)
    one, other = Elsewhere.apply(x)
    assert [g.tolist() for g in autograd.grad(one + other, x)] == [[11.0]]
    assert autograd.grad(kept, outer, retain_graph=True)[0].tolist() == [2.0]
    with autograd.no_grad():
        one, other = Elsewhere.apply(x)
    assert not one.requires_grad
    assert one.tolist() == [6.0]


@pytest.mark.parametrize("several", [False, True])
def test_what_may_be_differentiated_once_may_return_none_and_arrays(several):
    class Once(Function):
        @staticmethod
        def forward(ctx, *given):
            ctx.save_for_backward(given[0])
            return given[0] * given[0]

        @staticmethod
        @autograd.function.once_differentiable
        def backward(ctx, grad):
            found = 2.0 * (grad * ctx.saved_tensors[0]).detach().numpy()
            return (found, None) if several else found

    x, y, seed = leaf(3.0), leaf(1.0), leaf(1.0)
    given = (x, y) if several else (x,)
    found = autograd.grad(Once.apply(*given), given, seed, create_graph=True, allow_unused=True)
    assert found[0].tolist() == [6.0]
    assert found[1:] == (None,) * several
    with pytest.raises(RuntimeError, match="differentiate twice"):
        found[0].backward()


class Failing(Function):
    """Fails on the way back."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("fails here")


@pytest.mark.parametrize("recorded", [False, True])
def test_anomaly_mode_tells_of_a_failing_node(recorded):
    x = leaf(1.0)
    with autograd.set_detect_anomaly(recorded):
        y = Failing.apply(x)
    told = "Traceback of forward call" if recorded else "No forward pass information"
    with (
        autograd.set_detect_anomaly(True),
        pytest.warns(UserWarning, match=told) as warned,
        pytest.raises(ValueError, match="fails here"),
    ):
        y.backward()
    assert [warning.filename for warning in warned] == [engine.__file__]


def test_anomaly_mode_tells_of_a_pass_of_which_it_knows_no_line():
    class Outer(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, grad):
            return Failing.apply(grad)

    x, seed = leaf(1.0), leaf(1.0)
    y = Outer.apply(x)
    with autograd.set_detect_anomaly(True):
        (found,) = autograd.grad(y, x, seed, create_graph=True)
        with (
            pytest.warns(UserWarning, match="forward call") as warned,
            pytest.raises(ValueError, match="fails here"),
        ):
            autograd.grad(found, seed)
    first, second = (str(warning.message) for warning in warned)
    assert "in FailingBackward. Traceback of forward call" in first
    assert "induced by OuterBackward" in second
    assert {warning.filename for warning in warned} == {engine.__file__}
    assert second.endswith("No forward pass information available.\n")


# -- what need not be looked for ------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        {"grad": False},
        {"inference": True},
        {"strict": True},
        {"saved_hooks": ((len, len),)},
        {"anomaly": True},
        *({name: object()} for name in ("profiler", "dual_level", "mutation", "selective")),
    ],
    ids=lambda other: next(iter(other)),
)
def test_modes_are_plain_as_long_as_nothing_else_is_asked_for(other):
    plain = modes.Modes()
    assert plain.but({}).plain
    made = plain.but(other)
    assert not made.plain
    assert made.but({name: getattr(plain, name) for name in other}).plain
    assert not made.but({"choosing": "turned"}).plain
