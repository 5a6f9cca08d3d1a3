"""Counts which programs of the corpus are compiled, and why others are not.

`python -m tests.targets.counts 10` takes one program in ten; a letter after it begins their names.
"""

from __future__ import annotations

import collections
import re
import sys
import time
import warnings
from typing import Any

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.differences import copied
from tests.programs.corpus import Program, programs_by, sample


def outcome(program: Program) -> tuple[str, str]:
    """Return "compiled", "refused" or "wrong" with why, for the value and gradient of a program."""
    compiled: Any = sg.value_and_grad(program.function, program.argnums, backend="numba")
    by_numpy: Any = sg.value_and_grad(program.function, program.argnums, fallback="error")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for seed in (0, 1):
            given, others = program.arguments(seed), program.arguments(seed)
            found, expected = compiled(*given), by_numpy(*others)
            if differs(found, expected):
                return "wrong", f"{found} for {expected}"
            if differs(given, others):
                return "wrong", f"left {copied(given)} for {others}"
    said = [str(item.message) for item in caught if item.category is sg.CompileWarning]
    return ("refused", _reason(said[0])) if said else ("compiled", "")


def _reason(message: str) -> str:
    found = re.search(r"\[SG190\] (.*)", message)
    return found[1].removeprefix("Numba does not compile this: ") if found else message


def main(chosen: list[str]) -> int:
    """Print the counts and the reasons; return how many programs are wrong."""
    one_in = int(chosen[0]) if chosen else 10
    every = [item for name, item in programs_by("source").items() if "scipy" not in name]
    programs = sample(every, one_in) if one_in > 1 else every
    if len(chosen) > 1:
        programs = [item for item in every if item.name.startswith(chosen[1])]
    kinds: collections.Counter[str] = collections.Counter()
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    start = time.perf_counter()
    for program in programs:
        try:
            kind, why = outcome(program)
        except Exception as error:  # noqa: BLE001 - it counts them
            kind, why = "broken", repr(error)[:200]
        kinds[kind] += 1
        if kind != "compiled":
            reasons[f"{kind}: {why}"].append(program.name)
    for why, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4}  {why}\n      {' '.join(names)}")
    print(dict(kinds), f"{time.perf_counter() - start:.0f} s")
    return kinds["wrong"] + kinds["broken"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
