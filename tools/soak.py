"""Runs derivatives for minutes: threads, processes, closures, shapes and errors all at once.

At the end memory, open files and modules must be as they were after the first rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import gc
import importlib
import itertools
import linecache
import multiprocessing
import os
import pkgutil
import sys
import tempfile
import threading
import time
import traceback
import unicodedata  # noqa: F401 - tracebacks import it, the first time that one is written
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.testing  # at once: a fork while a thread imports it would wait for that thread

_THREADS: Final = 4
_MEGABYTES: Final = 24.0  # that memory may be larger at the end: allocators keep some
_PATIENCE: Final = 240.0  # seconds that a process may take on a busy machine
_PROCESS_EVERY: Final = 10.0  # seconds
_CLOSE: Final = 1e-9

sg: Any = None  # srcgrad, once the folder of its cache is set


def enclosed(batch: Any) -> Callable[[Any], Any]:
    """Return a new closure over data."""

    def loss(w: Any) -> Any:
        return np.sum((np.tanh(w) * batch) ** 2)

    return loss


def looped(w: Any, steps: int) -> Any:
    """Return a number by a loop that writes."""
    kept = np.zeros(steps)
    for i in range(steps):
        kept[i] = np.sum(w * w) * 0.5**i
    return np.sum(kept)


def failing(w: Any) -> Any:
    """Raise for some arguments."""
    if w[0] > 0:
        raise ValueError("as it should")
    return np.sum(w)


def matrix(rows: int) -> Callable[[Any], Any]:
    """Return a closure over a matrix that fits some arguments."""
    data = np.ones((rows, rows))
    return lambda w: np.sum(np.exp(-w) @ data)


def _closure(rng: np.random.Generator, n: int) -> None:
    w, batch = rng.normal(size=n), rng.normal(size=n)
    expected = 2 * np.tanh(w) * batch**2 * (1 - np.tanh(w) ** 2)
    _check(sg.grad(enclosed(batch))(w), expected)


def _loop(rng: np.random.Generator, n: int) -> None:
    w, steps = rng.normal(size=n), int(rng.integers(1, 9))
    _check(sg.grad(looped)(w, steps), 2 * w * (2 - 2 * 0.5**steps))


def _error(rng: np.random.Generator, n: int) -> None:
    w = np.abs(rng.normal(size=n)) + 0.1
    _raises(ValueError, lambda: sg.grad(failing)(w))
    _check(sg.grad(failing)(-w), np.ones(n))
    _raises(ValueError, lambda: sg.grad(matrix(n + 1))(w))
    _raises(sg.IntegerInputError, lambda: sg.grad(looped)(np.arange(n), 2))


def _others(rng: np.random.Generator, n: int) -> None:
    w, batch = rng.normal(size=n), rng.normal(size=n)
    loss = enclosed(batch)
    gradient = sg.grad(loss)(w)
    _check(sg.vjp(loss, w)[1](1.0)[0], gradient)
    _check(sg.jvp(loss, (w,), (w,))[1], np.sum(gradient * w))
    _check(sg.grad(loss, backend="tape")(w), gradient)
    if n < 6:
        _check(sg.hessian(loss)(w), np.diag(np.diag(sg.hessian(loss)(w))))


def _tensors(rng: np.random.Generator, n: int) -> None:
    x = sg.tensor(rng.normal(size=n), requires_grad=True)
    with sg.no_grad():
        assert not (x * x).requires_grad
    (x * x).sum().backward()
    _check(x.grad.numpy(), 2 * x.detach().numpy())


def _tasks(rng: np.random.Generator, n: int) -> None:
    async def one() -> None:
        with sg.no_grad():
            await asyncio.sleep(0)
            assert not sg.is_grad_enabled()

    async def two() -> None:
        await asyncio.sleep(0)
        assert sg.is_grad_enabled()
        _closure(rng, n)

    async def both() -> None:
        await asyncio.gather(one(), two())

    asyncio.run(both())


def _check(found: Any, expected: Any) -> None:
    numpy.testing.assert_allclose(found, expected, rtol=1e-7, atol=_CLOSE)


def _raises(kind: type[Exception], call: Callable[[], Any]) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


WORK: Final = (_closure, _loop, _error, _others, _tensors, _tasks)


def _child(seed: int) -> None:
    """Do some of everything in a process of its own."""
    faulthandler.dump_traceback_later(_PATIENCE - 10, exit=True)
    rng = np.random.default_rng(seed)
    for work in WORK:
        work(rng, int(rng.integers(2, 12)))
    faulthandler.cancel_dump_traceback_later()


@dataclass(frozen=True, slots=True)
class State:
    """What must be at the end as it was."""

    megabytes: float
    files: int
    modules: int
    threads: int
    lines: int

    @classmethod
    def now(cls) -> State:
        """Look, after all garbage is collected."""
        for _ in range(3):
            gc.collect()
        files = Path("/proc/self/fd")
        return cls(
            _memory(),
            len(list(files.iterdir())) if files.exists() else 0,
            len(sys.modules),
            threading.active_count(),
            sum("_generated" in name or name.startswith("<") for name in linecache.cache),
        )

    def __str__(self) -> str:
        shown = [f"{getattr(self, item.name):g} {item.name}" for item in fields(self)]
        return ", ".join(shown)


def _memory() -> float:
    """Return the megabytes that the process has in memory, where the system tells them."""
    file = Path("/proc/self/statm")
    if not file.exists():
        return 0.0
    return int(file.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Soak:
    """Threads that work until an end, and processes beside them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []

    def begin(self) -> None:
        """Use everything once, so that it is imported."""
        _child(self._seed)
        rng = np.random.default_rng(self._seed)
        for work in WORK:
            for size in (2, 11, 39):  # what a work imports may hang on its draws
                work(rng, size)
        for method in multiprocessing.get_all_start_methods():
            self._process(method)

    def run(self, seconds: float) -> None:
        """Work for some seconds."""
        end = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._work, args=(self._seed + i, end)) for i in range(_THREADS)
        ]
        for thread in threads:
            thread.start()
        for method in itertools.cycle(multiprocessing.get_all_start_methods()):
            if time.monotonic() >= end:
                break
            self._process(method)
            time.sleep(max(0.0, min(_PROCESS_EVERY, end - time.monotonic())))
        for thread in threads:
            thread.join()

    def _work(self, seed: int, end: float) -> None:
        rng = np.random.default_rng(seed)
        while time.monotonic() < end and not self.failures:
            work = WORK[int(rng.integers(len(WORK)))]
            try:
                work(rng, int(rng.integers(2, 40)))
            except Exception:  # noqa: BLE001 - it is shown at the end
                self.failures.append(traceback.format_exc())
            self.done[work.__name__] += 1

    def _process(self, method: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads, on purpose
            context: Any = multiprocessing.get_context(method)
            child = context.Process(target=_child, args=(self._seed,))
            child.start()
        child.join(_PATIENCE)
        if child.exitcode != 0:
            self.failures.append(f"a process by {method} ended with {child.exitcode}")
            child.kill()
            child.join()
        child.close()
        self.done[f"process by {method}"] += 1


def _begin() -> None:
    """Import srcgrad with a cache of its own, also in processes that are spawned."""
    global sg  # noqa: PLW0603 - the folder is set first
    if "SRCGRAD_CACHE_DIR" not in os.environ:
        os.environ["SRCGRAD_CACHE_DIR"] = tempfile.mkdtemp(prefix="srcgrad-soak-")
    warnings.simplefilter("ignore", RuntimeWarning)
    import srcgrad  # noqa: PLC0415

    sg = srcgrad
    warnings.simplefilter("ignore", sg.FallbackWarning)


def main() -> int:
    """Run, and return 1 if anything failed or grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for part in ("api", "frontend", "insight"):  # modules that are imported when they are needed
        folder = importlib.import_module(f"srcgrad.{part}")
        for module in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}."):
            importlib.import_module(module.name)
    soak = Soak(given.seed)
    soak.begin()
    soak.run(given.seconds * 0.2)
    before, known = State.now(), set(sys.modules)
    print(f"after the first fifth: {before}", flush=True)
    soak.run(given.seconds * 0.8)
    after = State.now()
    print(f"at the end:            {after}")
    print(f"imported since: {', '.join(sorted(set(sys.modules) - known)) or 'nothing'}")
    print(", ".join(f"{number} {name.strip('_')}" for name, number in sorted(soak.done.items())))
    for failure in soak.failures[:3]:
        print(failure)
    grown = [
        item.name
        for item in fields(State)
        if getattr(after, item.name)
        > getattr(before, item.name) + (_MEGABYTES if item.name == "megabytes" else 0)
    ]
    print(f"grown: {', '.join(grown)}" if grown else "nothing has grown")
    return 1 if grown or soak.failures else 0


_begin()
if __name__ == "__main__":
    sys.exit(main())
