"""Programs with `with` blocks."""

from __future__ import annotations

import contextlib
import threading
import warnings

import numpy as np

from tests.programs.corpus import program

LOCK = threading.Lock()


class Counter:
    """Counts how often it was entered and left."""

    entered = 0
    left = 0

    def __enter__(self):
        Counter.entered += 1
        return self

    def __exit__(self, *args):
        Counter.left += 1


@contextlib.contextmanager
def doubled():
    yield 2.0


@program("v")
def errstate_around_a_division(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(np.abs(x) > 0.2, 1.0 / np.where(x == 0.0, 1.0, x), x * 0.0)
    return np.sum(y * x * x)


@program("v")
def managers_of_the_user(x):
    with Counter() as counter, doubled() as factor:
        y = x * factor
        assert counter.entered > counter.left
    return np.sum(y * y)


@program("v")
def values_of_managers_in_a_loop(x):
    total = 1.0
    for i in range(4):
        with contextlib.nullcontext(i + 1.5) as k:
            total = total * k + x[i]
            total = total * total * 0.1 * k
    return total


@program("v")
def lock_in_a_loop(x):
    total = 0.0
    for v in x:
        with LOCK:
            total = total + v * v
            y = total * v
        total = total + y
    return total


@program("v")
def return_out_of_nested_withs(x):
    for v in x:
        with Counter(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = np.sin(v)
            with contextlib.nullcontext(3.0) as k:
                if y > 0.4:
                    return y * k
                if y < -0.9:
                    break
            if y < 0.0:
                continue
            x = x * k
    return np.sum(x)


@program("v")
def loop_inside_a_with(x):
    y = np.zeros(4)
    with np.errstate(over="ignore"):
        for i in range(4):
            y[i] = x[i] * x[i - 1]
            y[i] = y[i] + y[i - 1] * x[0]
    return np.sum(y)


@program("s")
def bound_by_a_with_and_used_after(x):
    out = 0.0
    for _ in range(2):
        with contextlib.nullcontext(3.0) as k:
            y = x * 2
        x = x * k
        out = out + x * y
    return out


class Scaled:
    """Lends itself, and does nothing at the end."""

    def __init__(self, scale):
        self.scale = scale

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        return False

    def applied(self, v):
        return v * self.scale


@program("v")
def entered_with_a_value(x):
    with np.errstate(all="ignore"), Scaled(x[0]) as scaled:
        y = scaled.applied(x)
    return np.sum(y / (1.0 + y * y))


class Nested:
    """Counts how often it is entered, and doubles its sum when it is left."""

    def __init__(self, x):
        self.total, self.depth = x * 0.0, 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind, problem, trace):
        self.depth -= 1
        self.total = self.total * 2.0

    def add(self, v):
        self.total = self.total + v * self.depth


@program("v")
def entered_inside_of_itself(x):
    held = Nested(x)
    with held:
        held.add(x)
        with held as inner:
            inner.add(x * x)
        held.add(x)
    return np.sum(held.total)


@program("v")
def left_by_continue(x):
    held = Nested(x)
    for k in range(3):
        with held as inner:
            if k == 1:
                continue
            inner.add(x * k)
    return np.sum(held.total)


@program("v")
def left_by_an_exception(x):
    held = Nested(x)
    try:
        with held:
            held.add(x)
            if x[0] < 10.0:
                raise ValueError("no")  # noqa: TRY301 - it leaves the block
    except ValueError:
        held.total = held.total + 1.0
    return np.sum(held.total**2)
