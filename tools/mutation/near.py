"""Knows which tests run which functions of ours, and which of them have found mutants before."""

from __future__ import annotations

import cProfile
import json
import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from types import CodeType
from typing import Any, Final, Self

from tools.mutation.sites import ROOT, Mutant

NEAR: Final = {
    "tests/unit/rules/test_rules.py": {"backward_matches": 1, "single_precision": 9, "layout": 0},
    "tests/unit/rules/test_tangents.py": {"agrees_with_differences": 8},
    "tests/unit/rules/test_equivalents.py": {"": 2},
    "tests/unit/rules/test_conventions.py": {},
    "tests/unit/rules/test_degenerate.py": {},
    "tests/unit/rules/test_parameters.py": {},
    "tests/unit/runtime": {},
    "tests/tape": {},
    "tests/text/test_golden.py": {},
    "tests/programs/test_agreement.py": {
        "source_agrees_with_differences": 2,
        "tape_agrees": 8,
        "": 0,
    },
    "tests/programs/test_forward.py": {"agree_with_differences": 6, "": 0},
    "tests/programs/test_second_orders.py": {"": 3},
    "tests/programs/test_engines.py": {"": 3},
    "tests/traps": {},
    "tests/unit/api": {"": 4},
}
"""Files of near tests, with how many of a kind are one that is taken: 4 is every fourth, 0 none."""
_KEPT: Final = 400  # of the tests that run a function, at random


@dataclass(slots=True)
class Map:
    """The seconds each test takes, the tests of each function, and what each test has found."""

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

    def near(self, mutant: Mutant, rng: random.Random) -> list[str]:
        """Return the tests that run what a mutant breaks; first those that have found others.

        Of the rest, one of each kind comes before the second of any.
        """
        tests = list(self.tests.get(f"{mutant.module}:{mutant.function}", ()))
        rng.shuffle(tests)
        tests.sort(key=lambda test: self.seconds[test] > 1.0)
        first = sorted((t for t in tests if self.found[t]), key=lambda t: -self.found[t])[:10]
        kinds: defaultdict[str, list[str]] = defaultdict(list)
        for test in tests:
            if test not in first:
                kinds[test.partition("[")[0]].append(test)
        turns = chain.from_iterable(zip_longest(*kinds.values()))
        return first + [test for test in turns if test is not None]


class Recorder:
    """Notes which functions of ours each test runs."""

    def __init__(self) -> None:
        self._all: defaultdict[str, list[str]] = defaultdict(list)
        self._profile: Any = None

    def start(self) -> None:
        """Begin to watch."""
        self._profile = cProfile.Profile(builtins=False)
        self._profile.enable()

    def stop(self, test: str) -> None:
        """Note what was run since the start."""
        self._profile.disable()
        codes = (entry.code for entry in self._profile.getstats())
        for name in {_name_of(code) for code in codes if isinstance(code, CodeType)}:
            if name:
                self._all[name].append(test)

    def into(self, near: Map, rng: random.Random) -> None:
        """Add what was noted to a map."""
        for name, tests in self._all.items():
            known = [*near.tests.get(name, ()), *tests]
            near.tests[name] = rng.sample(known, _KEPT) if len(known) > _KEPT else known


def _name_of(code: CodeType) -> str:
    """Return the module and outermost function of a code, if it is one of ours."""
    path = code.co_filename
    below = str(ROOT / "srcgrad") + "/"
    if not path.startswith(below):
        return ""
    return f"{path[len(str(ROOT)) + 1 :]}:{code.co_qualname.partition('.<locals>')[0]}"


def is_near(test: str) -> bool:
    """Say whether a test is among the near ones."""
    kind, _, case = test.partition("[")
    parts = next((p for name, p in NEAR.items() if kind.startswith(name)), {"": 0})
    share = next((share for part, share in parts.items() if part in kind), 1)
    return bool(share) and zlib.crc32(case.encode()) % share == 0


def folders() -> Iterable[str]:
    """Return the files and folders of the near tests."""
    return NEAR
