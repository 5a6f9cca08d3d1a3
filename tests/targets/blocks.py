"""Counts which programs of the corpus run at arrays of Dask, and why others do not.

`python -m tests.targets.blocks 10` takes one program in ten; a letter after it begins their names.
"""

from __future__ import annotations

import collections
import re
import sys
import time
import warnings
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.programs.corpus import Program, programs_by, sample


def in_blocks(value: Any) -> Any:
    """Return containers with arrays of Dask, of two blocks along each axis, for those of NumPy."""
    import dask.array

    if type(value) is np.ndarray and value.ndim:
        chunks = tuple(max(1, (length + 1) // 2) for length in value.shape)
        return dask.array.from_array(value, chunks=chunks)
    return each(value, in_blocks)


def computed(value: Any) -> Any:
    """Return containers with arrays of NumPy for those of Dask."""
    if hasattr(value, "compute"):
        return value.compute()
    return each(value, computed)


def each(value: Any, function: Any) -> Any:
    if type(value) is dict:
        return {key: function(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(function, value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(function, value))
    return value


def holds_blocks(values: Any) -> bool:
    if isinstance(values, dict):
        values = values.values()
    return any(
        hasattr(value, "chunks") or (isinstance(value, (dict, list, tuple)) and holds_blocks(value))
        for value in values
    )


def outcome(program: Program) -> tuple[str, str]:
    """Return "right", "refused", "wrong" or "none" (no array is given), with why."""
    gradient: Any = sg.value_and_grad(program.function, program.argnums)
    by_numpy: Any = sg.value_and_grad(program.function, program.argnums, fallback="tape")
    expected_of = [by_numpy(*program.arguments(seed)) for seed in (0, 1)]
    for seed, expected in enumerate(expected_of):
        given = in_blocks(program.arguments(seed))
        if not holds_blocks(given):
            return "none", ""
        try:
            found = gradient(*given)
        except sg.SrcgradError as error:
            return "refused", _reason(error)
        try:
            numbers = computed(found)
        except Exception as error:
            if not _fails_itself(program, seed):
                raise
            return "refused", f"Dask fails to compute the function itself: {error!r}"
        if differs(plain(numbers), plain(expected)):
            return "wrong", f"{numbers} for {expected}"
        if not _same_chunks(found[1], tuple(given[i] for i in program.argnums)):
            return "wrong", "other chunks"
    return "right", ""


def _fails_itself(program: Program, seed: int) -> bool:
    try:
        computed(program.function(*in_blocks(program.arguments(seed))))
    except Exception:  # noqa: BLE001 - whatever it is
        return True
    return False


def plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic, float)) and np.ndim(value) == 0:
        return np.float64(value) if np.isrealobj(value) else np.complex128(value)
    return each(value, plain)


def _same_chunks(found: Any, given: Any) -> bool:
    if hasattr(given, "chunks") and given.dtype.kind in "fc":
        return bool(found.chunks == given.chunks)
    if isinstance(given, dict):
        return all(_same_chunks(found[key], given[key]) for key in given)
    if isinstance(given, (list, tuple)):
        return all(map(_same_chunks, found, given))
    return True


def _reason(error: Exception) -> str:
    found = re.search(r"\[(SG\d+)\] (.*)", str(error))
    text = found[0] if found else repr(error)
    return re.sub(r"`\w+`", "`...`", text)[:110]


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
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kind, why = outcome(program)
        except Exception as error:  # noqa: BLE001 - it counts them
            kind, why = "broken", repr(error)[:200]
        kinds[kind] += 1
        if kind not in ("right", "none"):
            reasons[f"{kind}: {why}"].append(program.name)
    for why, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4}  {why}\n      {' '.join(names)}")
    print(dict(kinds), f"{time.perf_counter() - start:.0f} s")
    return kinds["wrong"] + kinds["broken"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
