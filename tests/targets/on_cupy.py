"""Counts which programs of the corpus run on arrays of CuPy, and why others do not.

`python -m tests.targets.on_cupy 10` takes one program in ten; what is after it their names begin
with. The word "device" asks for a device in the place of the double.
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
    how = "right"
    for seed, others, expected in told:
        moved = there(program.arguments(seed), cupy)
        try:
            with data_there(program.function, cupy):
                found = made(*moved)
        except (sg.UnsupportedError, sg.MixedLibrariesError) as refusal:
            return "refused", refusal.diagnostics[0].message
        except Exception as error:
            if type(_own(program, seed, cupy)) is type(error):
                return "own", f"the function raises {error!r} there, too"
            raise
        found = back(found, cupy)
        if _differs(found, expected) or _differs(back(moved, cupy), others):
            drawn = "random" in made.source
            why = "" if drawn else _unlike_its_own(program, seed, found, cupy)
            if why:
                return "wrong", f"{found} for {expected}: {why}"
            how = "own"
    return how, "" if how == "right" else "the function does something else there than with NumPy"


def _own(program: Program, seed: int, cupy: Any, along: Any = None) -> Any:
    """Return the value of the function itself on the device, or the exception that it raises.

    `along` are steps that are added to the arguments.
    """
    moved = list(there(program.arguments(seed), cupy))
    if along is not None:
        for k, step in zip(program.argnums, along, strict=True):
            moved[k] = moved[k] + there(step, cupy)
    try:
        with data_there(program.function, cupy):
            return back(program.function(*moved), cupy)
    except Exception as error:  # noqa: BLE001 - it is compared
        return error


def _unlike_its_own(program: Program, seed: int, found: Any, cupy: Any) -> str:
    """Say what is wrong about a value and gradient beside the function on the device itself."""
    value, gradient = found
    own = _own(program, seed, cupy)
    if isinstance(own, Exception) or _differs(value, own):
        return f"the function itself gives {own!r}"
    parts = gradient if isinstance(gradient, tuple) else (gradient,)
    if not all(isinstance(part, (float, np.ndarray)) for part in parts):
        return "nobody compares such arguments"
    rng = np.random.default_rng(seed)
    along = [rng.normal(size=np.shape(part)) for part in parts]
    ends = [_own(program, seed, cupy, [h * v for v in along]) for h in (1e-6, -1e-6)]
    slope = (ends[0] - ends[1]) / 2e-6
    said = sum(float(np.sum(part * v)) for part, v in zip(parts, along, strict=True))
    return "" if np.isclose(said, slope, rtol=1e-5, atol=1e-6) else f"differences give {slope}"


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
    on_device = "device" in chosen
    chosen = [item for item in chosen if item != "device"]
    one_in = int(chosen[0]) if chosen else 10
    every = [item for name, item in programs_by("source").items() if "scipy" not in name]
    programs = sample(every, one_in) if one_in > 1 else every
    if len(chosen) > 1:
        programs = [item for item in programs if re.match(chosen[1], item.name)]
    start = time.perf_counter()
    if on_device:
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
