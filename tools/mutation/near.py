"""Knows which tests run which blocks of our functions, and which have found mutants before.

A block is what stands behind one colon: the body of a function, of a branch, of a loop. A test that
runs a function and never comes to the branch that is broken finds nothing.
"""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final, Self

from tools.mutation.breaking import watch_loaded
from tools.mutation.sites import Mutant

NEAR: Final = {
    "tests/unit/rules/test_rules.py": {"backward_matches": 1, "single_precision": 9, "layout": 0},
    "tests/unit/rules/test_tangents.py": {"agrees_with_differences": 8},
    "tests/unit/rules/test_equivalents.py": {"": 2},
    "tests/unit/rules/test_conventions.py": {},
    "tests/unit/rules/test_degenerate.py": {},
    "tests/unit/rules/test_parameters.py": {},
    "srcgrad": {},
    "tests/unit/rules": {"": 8},
    "tests/unit/analyses": {},
    "tests/unit/backends": {},
    "tests/unit/runtime": {},
    "tests/unit/checker": {},
    "tests/unit/frontend": {},
    "tests/unit/insight": {},
    "tests/tape": {},
    "tests/text/test_golden.py": {},
    "tests/programs/test_agreement.py": {
        "source_agrees_with_differences": 2,
        "tape_agrees": 8,
        "": 0,
    },
    "tests/programs/test_forward.py": {"agree_with_differences": 6, "": 0},
    "tests/programs/test_second_orders.py": {"": 2},
    "tests/programs/test_stacks.py": {"": 6},
    "tests/programs/test_verified.py": {"": 12},
    "tests/programs": {},
    "tests/checklist": {"": 2},
    "tests/fuzz/test_fuzz.py": {"failed_once": 1, "": 0},
    "tests/traps": {},
    "tests/unit/api": {"": 2},
}
"""Files of near tests, with how many of a kind are one that is taken: 4 is every fourth, 0 none."""
_UNWATCHED: Final = 40
_NAMESAKES: Final = 12
_SHORTEST: Final = 4  # letters of a name that says something
_AFFIXES: Final = frozenset(("", "push", "back", "slope", "slopes", "forward", "general"))
_COMMON: Final = frozenset(("backward", "init", "call", "visit", "operation"))
_KEPT: Final = 120  # of the tests that run a block, at random


@dataclass(slots=True)
class Map:
    """The seconds each test takes, the tests of each block, and what each test has found."""

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[str, list[str]] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return what was recorded before, or nothing."""
        if not path.is_file():
            return cls()
        kept = json.loads(path.read_text(encoding="utf-8"))
        names = list(kept["seconds"])
        tests = {f: [names[place] for place in places] for f, places in kept["tests"].items()}
        return cls(kept["seconds"], tests, Counter(kept["found"]))

    def write(self, path: Path) -> None:
        """Keep the map for the next time."""
        path.parent.mkdir(parents=True, exist_ok=True)
        place = {name: number for number, name in enumerate(self.seconds)}
        tests = {f: [place[t] for t in names if t in place] for f, names in self.tests.items()}
        kept = {"seconds": self.seconds, "tests": tests, "found": self.found}
        path.write_text(json.dumps(kept), encoding="utf-8")

    def near(self, mutant: Mutant, rng: random.Random, known: Iterable[str] = ()) -> list[str]:
        """Return the tests that run what a mutant breaks; first those that have found others.

        Then those that are named like it, then one of each kind before the second of any. If none
        is known to run the block, others of the function have to do, and some that nobody has
        watched yet.
        """
        names = list(known)
        tests = list(self.tests.get(mutant.block, ()))
        if not tests:
            tests = list(self.tests.get(f"{mutant.block.rpartition(':')[0]}:0", ()))
            new = [name for name in names if name not in self.seconds and is_near(name)]
            tests += rng.sample(new, min(_UNWATCHED, len(new)))
        rng.shuffle(tests)
        tests.sort(key=lambda test: self.seconds.get(test, 0.5) > 1.0)
        first = sorted((t for t in tests if self.found[t]), key=lambda t: -self.found[t])[:10]
        namesakes = [name for name in names if is_named_like(name, mutant.function)]
        first += rng.sample(namesakes, min(_NAMESAKES, len(namesakes)))
        kinds: defaultdict[str, list[str]] = defaultdict(list)
        for test in tests:
            if test not in first:
                kinds[test.partition("[")[0]].append(test)
        turns = chain.from_iterable(zip_longest(*kinds.values()))
        return first + [test for test in turns if test is not None]


class Recorder:
    """Notes which blocks of our functions each test runs."""

    def __init__(self) -> None:
        self._all: defaultdict[str, list[str]] = defaultdict(list)
        self._run: set[str] = set()
        watch_loaded(self._run.add)

    def start(self) -> None:
        """Begin to watch."""
        self._run.clear()

    def stop(self, test: str) -> None:
        """Note what was run since the start."""
        for name in list(self._run):
            self._all[name].append(test)

    def into(self, near: Map, rng: random.Random) -> None:
        """Add what was noted to a map."""
        for name, tests in self._all.items():
            known = [*near.tests.get(name, ()), *tests]
            near.tests[name] = rng.sample(known, _KEPT) if len(known) > _KEPT else known


def is_named_like(test: str, function: str) -> bool:
    """Say whether a test speaks of what a function of ours differentiates.

    >>> is_named_like("a.py::test_rules[scipy.stats.norm.pdf(3x1)]", "norm_pdf")
    True
    >>> is_named_like("a.py::test_tangents[numpy.linalg.eigh(3x3)]", "general_eigh_push")
    True
    """
    said = _bare(test.partition("::")[2])
    for part in function.split("."):
        words = [word for word in part.split("_") if word not in _AFFIXES]
        name = _bare("".join(words))
        if len(name) >= _SHORTEST and name not in _COMMON and name in said:
            return True
    return False


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def is_near(test: str) -> bool:
    """Say whether a test is among the near ones."""
    kind, _, case = test.partition("[")
    parts = next((p for name, p in NEAR.items() if kind.startswith(name)), {"": 0})
    share = next((share for part, share in parts.items() if part in kind), 1)
    return bool(share) and zlib.crc32(case.encode()) % share == 0


def folders() -> Iterable[str]:
    """Return the files and folders of the near tests."""
    return NEAR
