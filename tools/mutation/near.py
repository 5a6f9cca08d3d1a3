"""Knows which tests run which blocks of our functions, and which have found mutants before.

A test that runs a function and never comes to the branch that is broken finds nothing; so blocks
are what is looked up, as `tools/mutation/blocks.py` parts functions into them.
"""

from __future__ import annotations

import ast
import base64
import functools
import json
import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final, Self

from tools.mutation.sites import LAYERS, ROOT, Mutant

NEAR: Final = {
    "tests/unit/analyses": {},
    "tests/unit/optimizations": {},
    "tests/unit/runtime": {},
    "srcgrad": {},
    "tests/unit/rules/test_rules.py": {"backward_matches": 1, "single_precision": 9, "layout": 0},
    "tests/unit/rules/test_equivalents.py": {"reverse_mode_agrees": 1, "": 4},
    "tests/text/test_ledger.py": {},
    "tests/text/test_kernels.py": {},
    "tests/text/test_golden.py": {"is_current": 1, "": 0},
    "tests/tape": {},
    "tests/peers/torch": {},
    "tests/unit/rules/test_conventions.py": {},
    "tests/unit/rules/test_degenerate.py": {},
    "tests/unit/rules/test_rare_options.py": {},
    "tests/unit/rules/test_rare_scipy_options.py": {},
    "tests/unit/rules/test_parameters.py": {},
    "tests/programs/test_agreement.py": {"source_agrees_with_differences": 1, "": 0},
    "tests/unit/rules/test_tangents.py": {},
    "tests/programs/test_forward.py": {"agree_with_differences": 2, "": 0},
    "tests/traps": {},
    "tests/unit/checker": {},
    "tests/unit/primitives": {},
    "tests/properties": {},
    "tests/unit/frontend": {},
    "tests/unit/transforms": {},
    "tests/fuzz/test_fuzz.py": {"failed_once": 1, "": 0},
    "tests/unit/rules/test_laws.py": {},
    "tests/unit/rules/test_pushforward.py": {},
    "tests/unit/rules/test_options.py": {},
    "tests/unit/rules/test_variants.py": {"other_shapes_and_kinds": 1, "": 0},
    "tests/unit/rules/test_batched_calls.py": {},
    "tests/unit/rules/test_called_rules.py": {},
    "tests/unit/rules/test_tables.py": {},
    "tests/unit/rules/test_written_values.py": {},
    "tests/unit/rules": {"": 4},
    "tests/programs/test_second_orders.py": {"": 4},
    "tests/programs/test_stacks.py": {"": 2},
    "tests/programs/test_verified.py": {"": 12},
    "tests/programs/test_batched.py": {},
    "tests/programs": {"": 2},
    "tests/checklist": {"": 4},
    "tests/targets/test_cupy.py": {},
    "tests/targets/test_jitted_helpers.py": {},
    "tests/targets/test_kernels.py": {},
    "tests/targets/test_new_library.py": {},
    "tests/doubles": {},
    "tests/unit/backends": {},
    "tests/unit/exporting/test_ties.py": {},
    "tests/unit/insight": {},
    "tests/unit/api/test_vmap.py": {},
    "tests/unit/api/test_implicit_twice.py": {},
    "tests/unit/api/test_surgery.py": {},
    "tests/unit/api": {"": 2},
}
"""Files of near tests, with how many of a kind are one that is taken: 4 is every fourth, 0 none."""
CASES: Final = {
    "SRCGRAD_ALL_CASES": "1",  # a run of so many tests would leave half of them out
    "SRCGRAD_BATCHED_PROGRAMS_STEP": "2",
    "SRCGRAD_BATCHED_CALLS_STEP": "5",
    "SRCGRAD_BATCHED_FACTS_STEP": "2",
    "SRCGRAD_BATCHED_FORMS_STEP": "1",
    "SRCGRAD_FACTS_STEP": "1",
    "SRCGRAD_STACKED_PROGRAMS_STEP": "13",
}
"""How many cases the tests draw: more than in the suite, since few run what a mutant breaks."""
_UNWATCHED: Final = 40
_NAMESAKES: Final = 24
_OWN: Final = 100
_DEEP: Final = 3  # folders: srcgrad/runtime/stacks/core
_SHORTEST: Final = 4  # letters of a name that says something
_LONG: Final = 6  # letters of a word of it that does
_AFFIXES: Final = frozenset(("", "push", "back", "slope", "slopes", "forward", "general"))
_COMMON: Final = frozenset(
    ("backward", "init", "call", "visit", "operation", "source", "program", "values", "gradient")
)
_PROVEN: Final = 10
_BLOCKS: Final = 64  # of a function that tell ways through it
_EACH_WAY: Final = 60  # tests for which a condition goes one way
_UNKNOWN_COST: Final = 0.5  # seconds
_LEAST_COST: Final = 0.01


@dataclass(slots=True)
class Map:
    """The seconds each test takes, the tests of each block, and what each test has found.

    The tests of a block are the bits of a number: bit 3 is the fourth of those with seconds. Tests
    that fail by themselves have none.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[str, int] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    failing: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return what was recorded before, or nothing."""
        if not path.is_file():
            return cls()
        kept = json.loads(path.read_text(encoding="utf-8"))
        tests = {block: _number(text) for block, text in kept["tests"].items()}
        found = Counter(kept["found"])
        return cls(kept["seconds"], tests, found, kept.get("failing", []))

    def write(self, path: Path) -> None:
        """Keep the map for the next time."""
        path.parent.mkdir(parents=True, exist_ok=True)
        tests = {block: _text(number) for block, number in self.tests.items()}
        kept = {"seconds": self.seconds, "tests": tests, "found": self.found}
        kept["failing"] = self.failing
        path.write_text(json.dumps(kept), encoding="utf-8")

    def near(self, mutant: Mutant, rng: random.Random, known: Iterable[str] = ()) -> list[str]:
        """Return the tests that run what a mutant breaks, of each kind of nearness in turns.

        Near are tests that have found other mutants, that are named like the function, that import
        its module, for which a broken condition goes the rare way, and whose kind costs little
        and has found much; each has the same share of the time. Tests that are not known to
        run the block come after all that are: those of its function, then some that nobody has
        watched yet.
        """
        names = list(known)
        around = self.tests_of(first_block(mutant.block))
        runs = self.tests_of(mutant.block) or around.copy()  # of what is read the parts are unknown
        for tests in (names, runs, around):
            rng.shuffle(tests)
        files = importers(mutant.module)
        whole = _bare(mutant.function)  # before those of a word of it

        def nearest(tests: list[str]) -> list[list[str]]:
            proven = sorted((t for t in tests if self.found[t]), key=lambda t: -self.found[t])
            like = [test for test in tests if is_named_like(test, mutant.function)]
            like.sort(key=lambda test: (whole not in _bare(test), self._cost(test)))
            own = sorted((t for t in tests if t.partition("::")[0] in files), key=self._cost)
            return [proven[:_PROVEN], like[:_NAMESAKES], own[:_OWN]]

        worth = self._by_worth(runs, self._ways(mutant.block))
        first = self._shared_out([*nearest(runs), self._deciding(mutant), worth])
        new = [name for name in names if name not in self.seconds and is_near(name)]
        others = [n for n in names if is_near(n) or n.partition("::")[0] in files]
        rest = self._shared_out([*nearest(others), self._by_worth(around), new[:_UNWATCHED]])
        return list(dict.fromkeys(first + rest))

    def _shared_out(self, queues: list[list[str]]) -> list[str]:
        """Return tests of several queues so that each has had the same time at any time.

        >>> Map({"a": 2.0, "b": 1.0, "c": 0.1, "d": 0.1})._shared_out([["a", "b"], ["c", "d"]])
        ['a', 'c', 'd', 'b']
        """
        spent = [0.0] * len(queues)
        waiting = [iter(queue) for queue in queues]
        taken: dict[str, None] = {}
        while waiting:
            turn = spent.index(min(spent))
            test = next((test for test in waiting[turn] if test not in taken), None)
            if test is None:
                del spent[turn], waiting[turn]
            else:
                taken[test] = None
                spent[turn] += self._cost(test)
        return list(taken)

    def _ways(self, block: str) -> dict[str, int]:
        """Return which blocks of a function a test runs, as a number, of tests that run a block."""
        function = block.rpartition(":")[0]
        ways: dict[str, int] = dict.fromkeys(self.tests_of(block), 0)
        for number in range(_BLOCKS):
            for test in self.tests_of(f"{function}:{number}"):
                if test in ways:
                    ways[test] |= 1 << number
        return ways

    def _deciding(self, mutant: Mutant) -> list[str]:
        """Return tests for which a broken condition holds, or does not, where few are such.

        Nine of ten tests may go one way, and it is the other that tells.
        """
        own, found = self.tests.get(mutant.block, 0), []
        for block in mutant.decides:
            taken = self.tests.get(block, 0)
            found += [own & taken, own & ~taken]
        rare = sorted((f for f in found if 2 * f.bit_count() < own.bit_count()), key=int.bit_count)
        return [test for some in rare for test in self._by_worth(self._named(some))[:_EACH_WAY]]

    def tests_of(self, block: str) -> list[str]:
        """Return the tests that run a block."""
        return self._named(self.tests.get(block, 0))

    def _named(self, number: int) -> list[str]:
        bits = reversed(f"{number:b}")
        return [test for test, bit in zip(self.seconds, bits, strict=False) if bit == "1"]

    def add(self, test: str, seconds: float, blocks: Iterable[str]) -> None:
        """Add what a test takes, and runs."""
        bit = 1 << len(self.seconds)
        self.seconds[test] = seconds
        for block in blocks:
            self.tests[block] = self.tests.get(block, 0) | bit

    def _cost(self, test: str) -> float:
        return self.seconds.get(test, _UNKNOWN_COST) + _LEAST_COST

    def _by_worth(self, tests: list[str], ways: dict[str, int] | None = None) -> list[str]:
        """Return tests in order: kinds that are quick and have found much have more turns.

        Tests of a kind that go the same way through a function wait for those that go another.
        """
        found: Counter[str] = Counter()
        for test, times in self.found.items():
            found[kind_of(test)] += times
        taken: Counter[tuple[str, int]] = Counter()
        waits = {}
        for test in tests:
            kind = kind_of(test)
            way = kind, ways.get(test, 0) if ways else 0
            taken[way] += 1
            waits[test] = taken[way] * self._cost(test) / (1 + found[kind])
        return sorted(tests, key=waits.__getitem__)


def first_block(block: str) -> str:
    """Return the block that is run whenever a function is.

    >>> first_block("srcgrad/tape/tensor.py:Tensor.data:3")
    'srcgrad/tape/tensor.py:Tensor.data:0'
    """
    return f"{block.rpartition(':')[0]}:0"


def _text(number: int) -> str:
    """Return a number as a short text.

    >>> _number(_text(3 << 5000)) == 3 << 5000
    True
    """
    size = number.bit_length() // 8 + 1
    return base64.b64encode(zlib.compress(number.to_bytes(size, "little"), 1)).decode("ascii")


def _number(text: str) -> int:
    return int.from_bytes(zlib.decompress(base64.b64decode(text)), "little")


def kind_of(test: str) -> str:
    """Return the function of a test without its case.

    >>> kind_of("a.py::test_x[basics.square]")
    'a.py::test_x'
    """
    return test.partition("[")[0]


@functools.cache
def importers(module: str) -> frozenset[str]:
    """Return the files of tests that import a module of ours, or the small package it is in.

    >>> sorted(importers("srcgrad/analyses/shifts.py"))[-1]
    'tests/unit/analyses/test_shifts.py'
    >>> "tests/tape/test_named_functions.py" in importers("srcgrad/tape/functions.py")
    True
    """
    path = PurePath(module).with_suffix("")
    wanted = {".".join(path.parts)}
    if len(path.parts) > _DEEP:
        wanted.add(".".join(path.parts[:-1]))
    return frozenset(file for file, names in _imports().items() if not wanted.isdisjoint(names))


@functools.cache
def _imports() -> dict[str, set[str]]:
    """Return what each file of tests imports, and the file itself of each module with doctests."""
    found: dict[str, set[str]] = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        whole = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
        parts = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        inner = {f"{node.module}.{a.name}" for node in parts for a in node.names}
        whole |= inner | {node.module or "" for node in parts}
        found[file.relative_to(ROOT).as_posix()] = whole
    for layer in LAYERS:
        for file in (ROOT / "srcgrad" / layer).rglob("*.py"):
            name = file.relative_to(ROOT).with_suffix("")
            found[name.with_suffix(".py").as_posix()] = {".".join(name.parts)}
    return found


def is_named_like(test: str, function: str) -> bool:
    """Say whether a test speaks of what a function of ours differentiates.

    >>> is_named_like("a.py::test_rules[scipy.stats.norm.pdf(3x1)]", "norm_pdf")
    True
    >>> is_named_like("a.py::test_tangents[numpy.linalg.eigh(3x3)]", "general_eigh_push")
    True
    >>> is_named_like("a.py::test_tangents[numpy.dstack([2, 2])]", "split_dstack")
    True
    """
    said = _said(test)
    for part in function.split("."):
        words = [word for word in part.split("_") if word not in _AFFIXES]
        names = [_bare("".join(words)), *(word for word in words if len(word) >= _LONG)]
        if any(len(n) >= _SHORTEST and n not in _COMMON and n in said for n in names):
            return True
    return False


@functools.cache
def _said(test: str) -> str:
    return _bare(test.partition("::")[2])


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


@functools.cache
def is_near(test: str) -> bool:
    """Say whether a test is among the near ones."""
    kind, _, case = test.partition("[")
    parts = next((p for name, p in NEAR.items() if kind.startswith(name)), {"": 0})
    share = next((share for part, share in parts.items() if part in kind), 1)
    return bool(share) and zlib.crc32(case.encode()) % share == 0


def folders() -> Iterable[str]:
    """Return the files and folders of the near tests."""
    return NEAR


def in_turns(tests: Iterable[str]) -> list[str]:
    """Return tests so that each beginning of them has about the same share of each folder.

    >>> in_turns(["srcgrad/a", "srcgrad/b", "srcgrad/c", "tests/tape/d"])
    ['srcgrad/a', 'srcgrad/b', 'tests/tape/d', 'srcgrad/c']
    """
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for test in tests:
        folders[next((name for name in NEAR if test.startswith(name)), "")].append(test)
    shares = {t: (n + 0.5) / len(part) for part in folders.values() for n, t in enumerate(part)}
    return sorted(shares, key=shares.__getitem__)
