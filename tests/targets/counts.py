"""Counts which programs of the corpus are compiled, and why others are not.

`python -m tests.targets.counts 10` takes one program in ten; a letter after it begins their names,
and a mode after that (`grad`, `jvp` or `hvp`) is another derivative than the value with gradient;
with 32 behind it (`grad32`), arguments are of `float32`.
"""

from __future__ import annotations

import collections
import contextlib
import re
import sys
import time
import unittest.mock
import warnings
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.cutting import Cut
from srcgrad.targets.loops.parts import Parts
from tests.differences import copied
from tests.programs.corpus import Program, programs_by, sample
from tests.programs.test_forward import drawn

MODES: Final = ("grad", "jvp", "hvp")


def outcome(program: Program, mode: str = "grad") -> tuple[str, str]:
    """Return "compiled", "in parts", "refused" or "wrong" with why, for a derivative."""
    in_parts = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for seed in (0, 1):
            given, others = _drawn(program, seed, mode), _drawn(program, seed, mode)
            expected = _derived(program, mode, others, fallback="error")
            with counted() as made:
                found = _derived(program, mode, given, backend="numba")
            in_parts = in_parts or bool(made)
            if differs(found, expected, narrow=mode.endswith("32")) or not _alike(found, expected):
                return "wrong", f"{found} for {expected}"
            if differs(given[0], others[0]):
                return "wrong", f"left {copied(given[0])} for {others[0]}"
    said = [str(item.message) for item in caught if item.category is sg.CompileWarning]
    if said:
        return "refused", _reason(said[0]) + (" (the rest in parts)" if in_parts else "")
    return "in parts" if in_parts else "compiled", ""


@contextlib.contextmanager
def counted() -> Iterator[list[int]]:
    """Collect how many parts each text has that is cut."""
    made: list[int] = []
    init = Parts.__init__

    def noted(self: Parts, subject: Any, found: Cut, make: Any) -> None:
        made.append(len(found.pieces))
        init(self, subject, found, make)

    with unittest.mock.patch.object(Parts, "__init__", noted):
        yield made


def _derived(program: Program, mode: str, drawn: tuple[Any, Any], **how: Any) -> Any:
    args, tangents = drawn
    if mode.startswith("grad"):
        return sg.value_and_grad(program.function, program.argnums, **how)(*args)
    return getattr(sg, mode.removesuffix("32"))(program.function, args, tangents, **how)


def _drawn(program: Program, seed: int, mode: str) -> tuple[Any, Any]:
    args, tangents = drawn(program, seed)
    return (narrowed(args), narrowed(tangents)) if mode.endswith("32") else (args, tangents)


def narrowed(value: Any) -> Any:
    """Return nested containers with arrays of `float32` for those of `float64`."""
    if isinstance(value, (np.ndarray, np.float64)) and value.dtype == np.float64:
        return value.astype(np.float32)
    if type(value) in (list, tuple):
        return type(value)(map(narrowed, value))
    return {k: narrowed(v) for k, v in value.items()} if type(value) is dict else value


def _alike(found: Any, expected: Any) -> bool:
    """Say whether numbers have the types that the text for NumPy gives."""
    if isinstance(expected, (list, tuple)):
        return all(map(_alike, found, expected))
    if type(expected) is dict:
        return all(_alike(found[key], item) for key, item in expected.items())
    if type(found) is float and type(expected) is np.float64:
        return True  # what a step of a checkpointed loop returned was a number of Python first
    return not hasattr(expected, "dtype") or found.dtype == expected.dtype


def _reason(message: str) -> str:
    found = re.search(r"\[SG190\] (.*)", message)
    return found[1].removeprefix("Numba does not compile this: ") if found else message


def main(chosen: list[str]) -> int:
    """Print the counts and the reasons; return how many programs are wrong."""
    one_in = int(chosen[0]) if chosen else 10
    every = [item for name, item in programs_by("source").items() if "scipy" not in name]
    programs = sample(every, one_in) if one_in > 1 else every
    mode = chosen[2] if len(chosen) > 2 else "grad"
    if len(chosen) > 1 and chosen[1] != "-":
        programs = [item for item in every if item.name.startswith(chosen[1])]
    kinds: collections.Counter[str] = collections.Counter()
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    start = time.perf_counter()
    for program in programs:
        try:
            kind, why = outcome(program, mode)
        except sg.SrcgradError as refusal:  # by source it has none
            kind, why = "none by source", str(refusal).partition("\n")[0]
        except Exception as error:  # noqa: BLE001 - it counts them
            kind, why = "broken", repr(error)[:200]
        kinds[kind] += 1
        if kind not in ("compiled", "in parts"):
            reasons[f"{kind}: {why}"].append(program.name)
    for why, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4}  {why}\n      {' '.join(names)}")
    print(dict(kinds), f"{time.perf_counter() - start:.0f} s")
    return kinds["wrong"] + kinds["broken"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
