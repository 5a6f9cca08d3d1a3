"""Runs the near tests over mutants, each in a process of its own."""

from __future__ import annotations

import json
import os
import random
import resource
import select
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from tools.mutation.breaking import Loaded, watch_loaded
from tools.mutation.near import Map, in_turns, is_near
from tools.mutation.sites import LAYERS, Mutant

_LONGER: Final = 3.0  # than asked for, or than it takes, by the processor, is without end
_GRACE: Final = 10.0  # seconds more of it, for a test as for all of them
_SLOWER: Final = 20.0  # than its own time a busy machine may be
_EVERY: Final = 500
_FAILED: Final = 70  # the status of a child whose work has raised


@dataclass(slots=True)
class Options:
    """What is asked for."""

    mutants: Sequence[Mutant]
    seconds: float
    map: Path
    recording: float = 3600.0
    equivalent: frozenset[tuple[str, str, str]] = frozenset()


@dataclass(slots=True)
class Verdict:
    """How a mutant fared: the test that failed, if any, and how many were run."""

    killer: str = ""
    tests: int = 0


@dataclass(slots=True, eq=False)  # pytest keeps plugins in sets
class Campaign:
    """A plugin of pytest that runs mutants in the place of the tests that were collected."""

    options: Options
    rng: random.Random
    near: Map = field(default_factory=Map)
    verdicts: list[tuple[Mutant, Verdict]] = field(default_factory=list)
    _items: dict[str, pytest.Item] = field(default_factory=dict)
    _failed: str = ""
    _run_blocks: set[str] = field(default_factory=set)
    _seen: tuple[float, list[str]] = (0.0, [])
    _loaded: Loaded | None = None
    _sound: set[str] = field(default_factory=set)
    _unsound: set[str] = field(default_factory=set)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep all tests by name: the near ones are recorded."""
        self._items = {item.nodeid: item for item in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first test that fails."""
        if report.failed and not self._failed:
            self._failed = report.nodeid

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Keep what a test has run, and how long, whatever else the machine does."""
        self._run_blocks.clear()
        start = time.process_time()
        try:
            return (yield)
        finally:
            self._seen = time.process_time() - start, list(self._run_blocks)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the mutants."""
        self.near = Map.read(self.options.map)
        self._record_new()
        for number, mutant in enumerate(self.options.mutants, 1):
            verdict = self._verdict(mutant)
            while not self._is_sound(verdict.killer):
                verdict = self._verdict(mutant)
            self.verdicts.append((mutant, verdict))
            self._tell(number, mutant, verdict)
            if verdict.killer in self._items:
                self.near.found[verdict.killer] += 1
        self.near.write(self.options.map)
        return True

    # -- the map

    def _record_new(self) -> None:
        """Find out what the tests run that are not in the map."""
        new = [n for n in self._items if is_near(n) and n not in self.near.seconds]
        self.rng.shuffle(new)
        known = {name.partition("::")[0] for name in self.near.seconds}
        new = in_turns(new)  # where time runs out, something of each kind is known
        new.sort(key=lambda name: name.partition("::")[0] in known)
        end = time.monotonic() + self.options.recording
        for start in range(0, len(new), _EVERY):
            if time.monotonic() >= end:
                break
            part = new[start : start + _EVERY]
            print(f"recording what tests run: {start} of {len(new)}", flush=True)
            again = set(part)
            self.near.failing = [name for name in self.near.failing if name not in again]
            path = self.options.map.with_suffix(".part")
            self._in_a_child(lambda _, part=part, path=path: self._record(part, path), 1800.0)
            if path.exists():
                self.near = Map.read(path)
                path.unlink()
                self.near.write(self.options.map)
        self._unsound.update(self.near.failing)

    def _record(self, names: list[str], path: Path) -> None:
        watch_loaded(self._run_blocks.add)
        for name in names:
            self._failed, self._seen = "", (0.0, [])
            self._run(name)
            if self._failed:
                self.near.failing.append(name)
            else:
                self.near.add(name, *self._seen)
        self.near.write(path)

    def _run(self, name: str) -> None:
        item = self._items[name]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    # -- mutants

    def _verdict(self, mutant: Mutant) -> Verdict:
        near = self.near.near(mutant, self.rng, self._items)
        tests = [test for test in near if test in self._items and test not in self._unsound]
        if not tests:
            return Verdict()
        loaded = self._loaded = self._loaded or Loaded()
        limit = int(_LONGER * self.options.seconds + _GRACE)

        def work(pipe: int) -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            loaded.break_loaded(mutant)
            end, done = time.process_time() + self.options.seconds, 0
            signal.signal(signal.SIGPROF, lambda *_: os._exit(1))
            for test in tests:
                known = self.near.seconds.get(test, self.options.seconds)
                signal.setitimer(signal.ITIMER_PROF, _LONGER * known + _GRACE)
                self._run(test)
                done += 1
                if self._failed or time.process_time() > end:
                    break
            os.write(pipe, json.dumps([self._failed, done]).encode())

        told = self._in_a_child(work, _SLOWER * limit)
        return Verdict(*json.loads(told)) if told else Verdict("it did not come to an end", 1)

    def _is_sound(self, killer: str) -> bool:
        """Say whether a test passes without a mutant, if nobody has seen that yet."""
        if killer not in self._items or killer in self.near.seconds or killer in self._sound:
            return True

        def work(pipe: int) -> None:
            self._run(killer)
            os.write(pipe, b"failed" if self._failed else b"passed")

        known = self._sound if self._in_a_child(work, 600.0) == b"passed" else self._unsound
        known.add(killer)
        return killer in self._sound

    def _in_a_child(self, work: Any, limit: float) -> bytes:
        """Return what some work in a forked process wrote, nothing if it took too long.

        Raises:
            RuntimeError: The work has failed, which says nothing of a mutant.
        """
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            _work_as_child(work, writing)
        os.close(writing)
        told = b""
        if select.select([reading], [], [], limit)[0]:
            told = os.read(reading, 1 << 16)
        status = _end(child)
        os.close(reading)
        if not told and os.WIFEXITED(status) and os.WEXITSTATUS(status) == _FAILED:
            raise RuntimeError("what runs the tests has failed itself")
        return told

    # -- what is told

    def _tell(self, number: int, mutant: Mutant, verdict: Verdict) -> None:
        said = f"found by {verdict.killer}" if verdict.killer else "NOT FOUND"
        if not verdict.killer and not verdict.tests:
            said = "RUN BY NO NEAR TEST"
        if not verdict.killer and self.is_equivalent(mutant):
            said = "the same in meaning"
        if verdict.killer:
            print(f"{number:4} {mutant.module}:{mutant.lines()[0]} {said}", flush=True)
        else:
            print(f"{number:4} {mutant}\n    {said} ({verdict.tests} tests)", flush=True)

    def is_equivalent(self, mutant: Mutant) -> bool:
        """Say whether a mutant is listed as one that means the same."""
        _, before, after = mutant.lines()
        return (mutant.module, before, after) in self.options.equivalent

    def summary(self) -> tuple[int, int]:
        """Print how many mutants were found in each layer; return how many were found, and of."""
        found: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for mutant, verdict in self.verdicts:
            if verdict.killer or not self.is_equivalent(mutant):
                layer = mutant.module.split("/")[1]
                total[layer] += 1
                found[layer] += bool(verdict.killer)
        for layer in LAYERS:
            if total[layer]:
                print(f"{found[layer]:5} of {total[layer]:4}  {layer}")
        print(f"{found.total():5} of {total.total():4}  in all")
        return found.total(), total.total()


def _work_as_child(work: Any, writing: int) -> None:
    """Do the work in a process that is its own group, and leave without a trace."""
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nowhere, handle)
    code = 1
    try:
        work(writing)
        code = 0
    except Exception:  # noqa: BLE001 - who waits is told
        code = _FAILED
    finally:
        os._exit(code)


def _end(child: int) -> int:
    """End a process and what it has started; return how it has ended."""
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]
