"""A forked process does what it likes, whatever other threads of its parent were busy with."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.codegen.loader import load
from srcgrad.locks import Lock

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def in_a_child(work):
    """Return whether `work` is done within 60 seconds in a forked process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python: there are other threads
        child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            work()
        except BaseException:  # noqa: BLE001 - the child must never come back into pytest
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


@contextmanager
def busy(work):
    """Run `work(started, end)` in another thread; the body runs between its start and its end."""
    started, end = threading.Event(), threading.Event()
    thread = threading.Thread(target=work, args=(started, end))
    thread.start()
    assert started.wait(60)
    try:
        yield
    finally:
        end.set()
        thread.join()


def test_a_child_takes_a_lock_that_another_thread_held():
    lock = Lock()

    def hold(started, end):
        with lock:
            started.set()
            end.wait(60)

    def take():
        with lock, lock:
            pass

    with busy(hold):
        assert in_a_child(take)


def test_a_child_keeps_a_lock_that_its_own_thread_held():
    lock = Lock()
    with lock:

        def leave():
            lock.__exit__()
            with lock:
                pass

        assert in_a_child(leave)


def test_a_child_loads_and_differentiates_while_a_thread_of_the_parent_loads():
    def slow(started, end):
        def wait():
            started.set()
            end.wait(60)

        load("wait()\n", "slow", {"wait": wait})

    def work():
        gradient = sg.grad(lambda x: np.sum(np.sin(x) * x))
        assert gradient(np.ones(3)).shape == (3,)

    with busy(slow):
        assert in_a_child(work)


def test_a_child_calls_a_derivative_that_a_thread_of_the_parent_compiles():
    turns = []

    def loss(x):
        return np.sum(x * x)

    gradient = sg.grad(loss)
    make = gradient._make_plan

    def slow(started, end):
        def made(*args, **kwargs):
            if not turns:
                turns.append(1)
                started.set()
                end.wait(60)
            return make(*args, **kwargs)

        gradient._make_plan = made
        gradient(np.ones(2))

    def work():
        assert gradient(np.ones(2)).tolist() == [2.0, 2.0]

    with busy(slow):
        assert in_a_child(work)
