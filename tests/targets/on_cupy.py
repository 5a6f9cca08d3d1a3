"""Counts which programs of the corpus run on arrays of CuPy, and why others do not.

`python -m tests.targets.on_cupy 10` takes one program in ten; a letter after it begins their names.
A third argument, "device", asks for a device in the place of the double.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import re
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.doubles.cupy_module import installed
from tests.programs.corpus import Program, programs_by, sample


def there(value: Any, cupy: Any) -> Any:
    """Return containers with their arrays on the device."""
    if isinstance(value, np.ndarray):
        return cupy.asarray(value)
    if isinstance(value, (list, tuple)):
        items = [there(item, cupy) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: there(item, cupy) for key, item in value.items()}
    return value


def back(value: Any, cupy: Any) -> Any:
    """Return containers with their arrays back."""
    if isinstance(value, cupy.ndarray):
        host = value.get()
        return host if host.ndim else host[()]
    if isinstance(value, (list, tuple)):
        items = [back(item, cupy) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: back(item, cupy) for key, item in value.items()}
    return value


@contextlib.contextmanager
def data_there(function: Any, cupy: Any) -> Iterator[None]:
    """Let the arrays that a function reads outside be on the device as well."""
    names = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    arrays = {name: item for name, item in names.items() if isinstance(item, np.ndarray)}
    function.__globals__.update(there(arrays, cupy))
    try:
        yield
    finally:
        function.__globals__.update(arrays)


def outcome(program: Program, cupy: Any, backend: Any = "cupy") -> tuple[str, str]:
    """Return "right", "refused" or "wrong" with why, for the value and gradient of a program."""
    made: Any = sg.value_and_grad(
        program.function, program.argnums, backend=backend, fallback="error"
    )
    by_numpy: Any = sg.value_and_grad(program.function, program.argnums, fallback="error")
    told = []
    for seed in (0, 1):
        others = program.arguments(seed)
        told.append((seed, others, by_numpy(*others)))
    for seed, others, expected in told:
        moved = there(program.arguments(seed), cupy)
        try:
            with data_there(program.function, cupy):
                found = made(*moved)
        except (sg.UnsupportedError, sg.MixedLibrariesError) as refusal:
            return "refused", refusal.diagnostics[0].message
        found = back(found, cupy)
        if _differs(found, expected):
            return "wrong", f"{found} for {expected}"
        if _differs(back(moved, cupy), others):
            return "wrong", f"left {back(moved, cupy)} for {others}"
    return "right", ""


def _differs(found: Any, expected: Any) -> bool:
    return bool(differs(_plain(found), _plain(expected)))


def _plain(value: Any) -> Any:
    """Return numbers as Python's, whatever they are numbers of: an element is none on a device."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def counted(
    programs: Sequence[Program], cupy: Any
) -> tuple[collections.Counter[str], dict[str, list[str]]]:
    """Return how many programs have which outcome, and the names by the reasons."""
    kinds: collections.Counter[str] = collections.Counter()
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    for program in programs:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                kind, why = outcome(program, cupy)
        except Exception as error:  # noqa: BLE001 - it counts them
            kind, why = "broken", repr(error)[:300]
        kinds[kind] += 1
        if kind != "right":
            reasons[f"{kind}: {why}"].append(program.name)
    return kinds, reasons


def main(chosen: list[str]) -> int:
    """Print the counts and the reasons; return how many programs are wrong."""
    one_in = int(chosen[0]) if chosen else 10
    every = [item for name, item in programs_by("source").items() if "scipy" not in name]
    programs = sample(every, one_in) if one_in > 1 else every
    if len(chosen) > 1:
        programs = [item for item in programs if re.match(chosen[1], item.name)]
    start = time.perf_counter()
    if "device" in chosen:
        kinds, reasons = counted(programs, importlib.import_module("cupy"))
    else:
        with installed() as cupy:
            kinds, reasons = counted(programs, cupy)
    for why, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4}  {why}\n      {' '.join(names)}")
    print(dict(kinds), f"{time.perf_counter() - start:.0f} s")
    return kinds["wrong"] + kinds["broken"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
