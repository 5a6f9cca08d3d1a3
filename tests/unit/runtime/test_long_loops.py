"""Tests which states checkpointed loops keep, and how often their steps are run."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import reverse_steps, run_steps
from srcgrad.runtime.long_loops import observed_loops
from srcgrad.runtime.schedules import affordable, fewest_steps, repeats, states_for


@cache
def best(trips, kept):
    """Return the fewest steps that are run again, by trying every place for the next state."""
    if trips < 2:
        return 0
    if kept == 1:
        return trips * (trips - 1) // 2
    return min(m + best(trips - m, kept - 1) + best(m, kept) for m in range(1, trips))


@pytest.mark.parametrize(("trips", "kept"), [*itertools.product(range(1, 16), range(1, 6))])
def test_no_schedule_runs_fewer_steps(trips, kept):
    assert fewest_steps(trips, kept) == best(trips, kept)


def _doubled(i, x):
    return x + i * np.sin(x)


def _doubled_back(i, x, grad_x):
    return grad_x + i * grad_x * np.cos(x)


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 10, 57])
@pytest.mark.parametrize("budget", [1, 2, 3, 8, 100, None])
def test_a_loop_keeps_what_it_may_and_runs_what_it_must(trips, budget):
    with observed_loops() as reports:
        _, steps = run_steps(_doubled, range(trips), (0.3,), (), budget)
        forward = reports[0].steps_run
        reverse_steps(steps, _doubled_back, (1.0,))
    (report,) = reports
    assert forward == trips
    assert report.most_kept <= max(1, report.kept)
    again = report.steps_run - trips
    # the state before the last step is at hand, so that its stretch is not run again
    assert again <= fewest_steps(trips, report.kept)
    assert report.repeats == repeats(trips, report.kept)
    assert budget is not None or again <= 2 * trips


@pytest.mark.parametrize("trips", [0, 1, 5, 40, 333])
@pytest.mark.parametrize("budget", [1, 2, 5, 16, None])
def test_a_loop_of_unknown_length_keeps_to_its_budget(trips, budget):
    def step(i, x):
        return (x, True) if i == trips else (x + np.sin(x), False)

    def back(i, x, grad_x):
        return grad_x if i == trips else grad_x + grad_x * np.cos(x)

    with observed_loops() as reports:
        _, steps = run_steps(step, range(10**15), (0.3,), (), budget, stops=True)
        (grad,) = [reverse_steps(steps, back, (1.0,))]
    x, expected = 0.3, 1.0
    for _ in range(trips):
        x, expected = x + np.sin(x), expected * (1 + np.cos(x))
    np.testing.assert_allclose(grad, expected, rtol=1e-9)
    (report,) = reports
    if budget is not None:
        assert report.most_kept <= budget
    else:
        assert report.most_kept <= max(8, 5 * trips**0.5)
        assert report.steps_run <= 2.2 * trips + 8


def test_steps_can_be_taken_back_twice():
    _, steps = run_steps(_doubled, range(20), (0.3,), (), 3)
    first = reverse_steps(steps, _doubled_back, (1.0,))
    assert reverse_steps(steps, _doubled_back, (1.0,)) == first


def test_the_states_of_a_long_loop_are_few():
    assert states_for(100_000) < 450
    assert repeats(100_000, states_for(100_000)) == 2


@pytest.mark.parametrize("budget", [0, -1, 2.5, "much", "64", "3 QB", None, [1]])
def test_a_budget_that_is_none_is_refused(budget):
    with pytest.raises(sg.ArgumentError, match="budget"):
        affordable(budget, 8)


@pytest.mark.parametrize(
    ("budget", "kept"),
    [("64 MB", 64_000), ("1KiB", 1), ("1 b", 1), (np.int64(7), 7), ("0.5GB", 500_000)],
)
def test_budgets_of_bytes(budget, kept):
    assert affordable(budget, 1000) == kept


def _simulated(rate, start, n):
    u = start
    for _ in sg.checkpointed(range(n)):
        u = u + 0.01 * rate * np.cos(u)
    return np.sum(u * u)


def test_a_gradient_takes_the_memory_of_few_states():
    derivative = sg.grad(_simulated, argnums=(0, 1), fallback="error")
    with observed_loops() as reports:
        derivative(0.7, np.linspace(0.0, 1.0, 3), 5000)
    (report,) = reports
    assert report.trips == 5000
    assert report.most_kept <= 100
    assert report.steps_run <= 3 * 5000


def test_a_budget_that_is_wrong_is_refused_at_the_call():
    def f(x, budget):
        for _ in sg.checkpointed(range(3), budget=budget):
            x = np.sin(x)
        return x

    with pytest.raises(sg.ArgumentError, match="budget"):
        sg.grad(f, fallback="error")(1.0, "much")


def test_arrays_that_share_memory_are_refused_where_one_is_written():
    def f(x, late):
        u = x * 1.0
        previous = u * 0.0
        for i in sg.checkpointed(range(3)):
            u[0] = u[0] * u[1]
            previous = u if i >= late else u.copy()
        return np.sum(previous * u)

    derivative = sg.grad(f, fallback="error")
    np.testing.assert_allclose(
        derivative(np.ones(2), 3), sg.grad(f, fallback="tape")(np.ones(2), 3)
    )
    with pytest.raises(sg.MutationError, match="share memory"):
        derivative(np.ones(2), 0)


def test_an_error_inside_a_step_leaves_as_it_is():
    def f(x):
        for i in sg.checkpointed(range(5)):
            if i == 3:
                raise KeyError("three")
            x = np.sin(x)
        return x

    with pytest.raises(KeyError, match="three"):
        sg.grad(f, fallback="error")(1.0)


def test_second_derivatives_take_the_loop_as_it_is():
    def f(x):
        for i in sg.checkpointed(range(6), budget=2):
            x = x + np.sin(x * i)
        return x

    def plain(x):
        for i in range(6):
            x = x + np.sin(x * i)
        return x

    np.testing.assert_allclose(sg.hessian(f)(0.4), sg.hessian(plain)(0.4), rtol=1e-12)
    _, second = sg.jvp(sg.grad(f, fallback="error"), (0.4,), (1.0,))
    np.testing.assert_allclose(second, sg.hessian(plain)(0.4), rtol=1e-12)
    _, tangent = sg.jvp(f, (0.4,), (1.0,))
    np.testing.assert_allclose(tangent, sg.grad(f)(0.4), rtol=1e-12)
