"""Modes belong to the thread or task that switched them, also where tasks take turns."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.insight.switch import CHECKS
from srcgrad.tape.anomaly import is_anomaly_enabled


async def _turns(hold, look):
    """Let one task hold a mode while another looks; return what each of them saw."""
    held, looked = asyncio.Event(), asyncio.Event()
    seen = {}

    async def holder():
        with hold():
            held.set()
            await looked.wait()
            seen["inside"] = look()
        seen["after"] = look()

    async def other():
        await held.wait()
        seen["beside"] = look()
        looked.set()

    await asyncio.gather(holder(), other())
    return seen


@pytest.mark.parametrize(
    ("hold", "look"),
    [
        (sg.no_grad, lambda: not sg.is_grad_enabled()),
        (lambda: sg.set_grad_enabled(False), lambda: not sg.is_grad_enabled()),
        (sg.inference_mode, sg.is_inference_mode_enabled),
        (lambda: sg.autograd.set_detect_anomaly(True), is_anomaly_enabled),
        (sg.debug_nans, lambda: CHECKS.nans),
    ],
)
def test_a_mode_around_an_await_is_the_tasks_own(hold, look):
    assert asyncio.run(_turns(hold, look)) == {"inside": True, "beside": False, "after": False}


def test_tasks_that_record_and_tasks_that_do_not_take_turns():
    async def recording(x):
        y = x * 2.0
        for _ in range(5):
            await asyncio.sleep(0)
            y = y * x
        y.backward()
        return float(x.grad)

    async def plain(x):
        with sg.no_grad():
            y = x * 2.0
            for _ in range(5):
                await asyncio.sleep(0)
                y = y * x
        return y.requires_grad

    async def all_of_them():
        tensors = [sg.tensor(1.0 + 0.1 * i, requires_grad=True) for i in range(6)]
        jobs = [(plain if i % 2 else recording)(x) for i, x in enumerate(tensors)]
        return await asyncio.gather(*jobs)

    found = asyncio.run(all_of_them())
    assert found[1::2] == [False] * 3
    step = 1e-6
    for index, slope in zip((0, 2, 4), found[::2], strict=True):
        ends = [2.0 * (1.0 + 0.1 * index + shift) ** 6 for shift in (step, -step)]
        np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * step), rtol=1e-6)


def test_a_task_starts_with_the_modes_of_who_made_it_and_changes_its_own():
    async def child():
        seen = sg.is_grad_enabled()
        sg.set_grad_enabled(True)
        await asyncio.sleep(0)
        return seen, sg.is_grad_enabled()

    async def parent():
        with sg.no_grad():
            return await asyncio.create_task(child()), sg.is_grad_enabled()

    assert asyncio.run(parent()) == ((False, True), False)


def test_a_new_thread_has_the_defaults():
    seen = []
    with sg.no_grad():
        thread = threading.Thread(target=lambda: seen.append(sg.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_a_decorated_coroutine_holds_the_mode_while_it_runs():
    @sg.no_grad()
    async def looking():
        before = sg.is_grad_enabled()
        await asyncio.sleep(0)
        return before, sg.is_grad_enabled()

    async def run():
        made = looking()
        return sg.is_grad_enabled(), await made, sg.is_grad_enabled()

    assert asyncio.run(run()) == (True, (False, False), True)


def test_a_decorated_asynchronous_generator_holds_the_mode_inside_each_step():
    seen = []

    @sg.no_grad()
    async def steps():
        given = None
        with contextlib.suppress(asyncio.CancelledError):
            while True:
                try:
                    given = yield sg.is_grad_enabled(), given
                except KeyError as error:
                    given = error.args[0]
        seen.append(sg.is_grad_enabled())

    async def run():
        running = steps()
        first = await anext(running)
        between = sg.is_grad_enabled()
        second = await running.asend("sent")
        third = await running.athrow(KeyError("thrown"))
        with pytest.raises(StopAsyncIteration):
            await running.athrow(asyncio.CancelledError())
        return first, between, second, third

    assert asyncio.run(run()) == ((False, None), True, (False, "sent"), (False, "thrown"))
    assert seen == [False]


def test_leaving_an_asynchronous_generator_closes_it_in_its_mode():
    seen = []

    @sg.no_grad()
    async def steps():
        try:
            yield 1
        finally:
            seen.append(sg.is_grad_enabled())

    async def run():
        running = steps()
        await anext(running)
        await running.aclose()

    asyncio.run(run())
    assert seen == [False]
