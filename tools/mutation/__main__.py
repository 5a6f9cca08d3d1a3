"""Draws mutants of our own code, and says which of them the near tests do not find.

The first run finds out which tests run which blocks, which takes minutes; it is kept in
`build/mutation`. No file of the project is written: functions are broken where they are loaded.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path
from typing import Final

import pytest

from tools.mutation.campaign import Campaign, Options
from tools.mutation.near import CASES, folders
from tools.mutation.sites import ROOT, draw

_BAR: Final = 0.95
_MAP: Final = ROOT / "build/mutation/near.json"
_EQUIVALENT: Final = Path(__file__).with_name("equivalent.txt")


def equivalent() -> frozenset[tuple[str, str, str]]:
    """Return the mutants that mean the same, as they are listed by hand."""
    text = _EQUIVALENT.read_text(encoding="utf-8")
    found = set()
    for block in text.split("\n\n"):
        lines = [line.strip() for line in block.splitlines() if not line.startswith("#")]
        if len(lines) >= 3:
            found.add((lines[0], lines[1].removeprefix("- "), lines[2].removeprefix("+ ")))
    return frozenset(found)


def main() -> int:
    """Run the mutants that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="mutants to draw (300)")
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="of tests for a mutant, by the processor (20)"
    )
    parser.add_argument("--seed", type=int, default=None, help="draw the same ones again")
    parser.add_argument("--only", default="", help="the modules below a path: srcgrad/tape")
    parser.add_argument(
        "--recording", type=float, default=3600.0, help="seconds to record new tests (3600)"
    )
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    rng = random.Random(seed)  # noqa: S311 - a draw of mutants
    mutants = draw(given.count, rng, given.only)
    print(f"{len(mutants)} mutants, --seed {seed}", flush=True)
    options = Options(mutants, given.seconds, _MAP, given.recording, equivalent())
    campaign = Campaign(options, rng)
    os.environ.update(CASES)
    quiet = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
    pytest.main([*quiet, "--rootdir", str(ROOT), *folders()], plugins=[campaign])
    found, total = campaign.summary()
    return 0 if total and found >= _BAR * total else 1


if __name__ == "__main__":
    sys.exit(main())
