"""Runs drawn programs over a batch, and compares with a loop over the examples.

    python -m tests.fuzz.batched --programs 3000 --seed 7

A branch that an example does not take is computed for it nevertheless, so that what raises there
(an index outside, say) is nothing to complain of; neither is a refusal.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad as sg
from tests.differences import copied
from tests.fuzz.loading import Copy, Source
from tests.fuzz.modules import draw_program
from tests.fuzz.running import HangError, limited
from tests.fuzz.weights import WEIGHTS
from tests.programs.test_batched import assert_alike, one, together

LENGTHS = 3, 2
FACTORS = 1.0, 0.9  # of the numbers of the examples
SECONDS = 8.0
LARGE = 1e6
BY_VALUES = (IndexError, ValueError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError)


class WrongError(AssertionError):
    """A program over a batch is not what the loop is."""


def judge_batched(seed: int, folder: Path) -> str:
    """Say what became of a drawn program: right, refused, raises, or of no use here.

    Raises:
        WrongError: It differs from the loop, or raises what is none of the program's.
    """
    source = Source(draw_program(seed, WEIGHTS), folder)
    try:
        with limited(SECONDS), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _judged(source.load(), source.load(), seed)
    except HangError:
        return "hangs"
    finally:
        source.remove()


def _judged(ours: Copy, theirs: Copy, seed: int) -> str:
    args = ours.arguments(0, LENGTHS)
    axes = tuple(0 if _can_vary(value) else None for value in args)
    if 0 not in axes:
        return "no arrays"
    batch = [
        together([_scaled(value, factor) for factor in FACTORS]) if axis == 0 else value
        for value, axis in zip(args, axes, strict=True)
    ]
    given, kept = copied(batch), copied(batch)
    try:
        results = together([_example(theirs, kept, axes, i) for i in range(len(FACTORS))])
    except Exception:
        return "own"
    if not all(np.all(np.abs(leaf) < LARGE) for leaf in _leaves([results, kept])):
        return "large"  # sums of such numbers have no digits in common
    try:
        found = sg.vmap(ours.main.program, axes, fallback="error")(*given)
    except (sg.NotBatchedError, sg.UnsupportedError):
        return "refused"
    except np.exceptions.AxisError as error:
        raise WrongError(f"seed {seed}: {error!r}") from error
    except BY_VALUES:
        return "raises"
    except Exception as error:
        raise WrongError(f"seed {seed}: {error!r}") from error
    varied = [place for place, axis in enumerate(axes) if axis == 0]
    try:
        _compare(found, results)
        _compare([given[place] for place in varied], [kept[place] for place in varied])
    except AssertionError as error:
        raise WrongError(f"seed {seed}: {error}") from error
    return "right"


def _example(copy: Copy, batch: list[Any], axes: tuple[int | None, ...], number: int) -> Any:
    """Run the program for one example of a batch."""
    pairs = zip(batch, axes, strict=True)
    return copy.main.program(*[v if axis is None else one(v, number) for v, axis in pairs])


def _can_vary(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_can_vary, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_can_vary, value))
    return isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind in "fc"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    elif isinstance(value, (float, complex, np.ndarray)) and np.asarray(value).dtype.kind in "fc":
        yield value


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, dict):
        return {key: _scaled(item, factor) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_scaled(item, factor) for item in value])
    return value * factor


def _compare(found: Any, wanted: Any) -> None:
    """Compare, as exactly as numbers of single precision allow, of which a sum may be made."""
    with suppress(AssertionError):
        assert_alike(found, wanted)
        return
    if isinstance(wanted, (dict, list, tuple)):
        assert len(found) == len(wanted)
        for key in wanted if isinstance(wanted, dict) else range(len(wanted)):
            _compare(found[key], wanted[key])
        return
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def main() -> int:
    """Judge programs, print what became of them, and return 1 if one was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="how many to draw")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first program")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for seed in range(options.seed, options.seed + options.programs):
            try:
                counts[judge_batched(seed, Path(folder))] += 1
            except WrongError as error:
                counts["wrong"] += 1
                print(error)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
