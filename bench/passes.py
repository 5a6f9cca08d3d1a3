"""Tells where compile time goes: the time in each pass, with what it calls.

`python -m bench passes` prints it for the ten lines of `compile_time` and for 300 statements.
"""

from __future__ import annotations

import cProfile
import pstats
import tempfile
from collections import Counter
from pathlib import Path

from bench.compile_time import TEN_LINES, compiled_in, statements
from bench.timing import in_words

_ROW = "/srcgrad/compiler/"
_MOST = 40


def by_pass(profile: cProfile.Profile) -> list[tuple[str, float, int]]:
    """Return what the row of passes calls: its name, the seconds in it, and how often.

    A pass is whatever `srcgrad/compiler` calls in another folder.
    """
    seconds: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for (file, _, name), found in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if _ROW in file or "/srcgrad/" not in file:
            continue
        for (caller, _, _), (_, count, _, cumulative) in found[4].items():
            if _ROW in caller:
                label = f"{file.partition('/srcgrad/')[2].removesuffix('.py')}.{name}"
                seconds[label] += cumulative
                calls[label] += count
    return [(label, spent, calls[label]) for label, spent in seconds.most_common(_MOST)]


def main() -> None:
    """Print the time by pass, of short functions and of a long one."""
    cases = {"10 lines, ten times": (TEN_LINES, "loss", 10), "300 statements": ("", "long", 1)}
    with tempfile.TemporaryDirectory() as folder:
        compiled_in(TEN_LINES.format(number=99), "loss", 99, Path(folder))
        for number, (title, (text, name, repeats)) in enumerate(cases.items()):
            profile = cProfile.Profile()
            for turn in range(repeats):
                source = text.format(number=turn) if text else statements(300, turn)
                profile.enable()
                compiled_in(source, name, 1000 * (number + 1) + turn, Path(folder))
                profile.disable()
            print(f"Time by pass, under a profiler: {title}")
            for label, spent, calls in by_pass(profile):
                print(f"  {label:66}{in_words(spent / repeats):>10}{calls // repeats:>8}")
            print(flush=True)


if __name__ == "__main__":
    main()
