"""Draws programs until a time or a count is over, judges each, and shrinks what fails.

    python -m tests.fuzz --seconds 600 --jobs 2
    python -m tests.fuzz --seconds 600 --numba
    python -m tests.fuzz --seconds 600 --only lists --unchecked
    python -m tests.fuzz --replay build/fuzz/wrong-1234-grad.txt

What fails is written to `build/fuzz`, small, with the seed and what was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from tests.fuzz.campaign import Campaign, Tally, replay  # noqa: E402 - after the threads are set
from tests.fuzz.weights import WEIGHTS  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run, print what was found, and return 1 if anything failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    parser.add_argument("--programs", type=int, default=20_000, help="how many to draw")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--shrink", type=float, default=30.0, help="seconds to shrink a failure")
    parser.add_argument(
        "--coverage", action="store_true", help="say which lines of the compiler ran"
    )
    parser.add_argument("--numba", action="store_true", help="let Numba run all, and nothing else")
    parser.add_argument("--only", choices=sorted(WEIGHTS["program"]), default="", help="one kind")
    parser.add_argument(
        "--unchecked", action="store_true", help="show what the check of derivatives would refuse"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--replay", type=Path, nargs="*", help="judge written programs again")
    options = parser.parse_args()
    if options.numba:
        os.environ.setdefault("NUMBA_OPT", "0")  # read where Numba is first imported
    if options.unchecked:
        os.environ["SRCGRAD_PROVE"] = "0"
    if options.replay:
        return max(replay(path) for path in options.replay)
    print("weights:")
    for table, weights in WEIGHTS.items():
        print(f"  {table}: {json.dumps(weights)[1:-1]}")
    begin = time.perf_counter()
    modes = ("numba", "numba_vjp") if options.numba else ()
    campaign = Campaign(
        options.folder, options.jobs, options.shrink, options.coverage, modes, options.only
    )
    tally = campaign.run(options.seed, options.programs, options.seconds)
    return report(tally, time.perf_counter() - begin, options.coverage)


def report(tally: Tally, seconds: float, coverage: bool) -> int:
    """Print the counts, and return 1 if anything failed."""
    print(
        f"\n{tally.programs} programs in {seconds:.0f} s: {tally.programs / seconds:.1f} a second"
    )
    for mode in sorted({mode for mode, _ in tally.verdicts}):
        counts = {k: n for (m, k), n in sorted(tally.verdicts.items()) if m == mode}
        print(f"  {mode}: {', '.join(f'{n} {kind}' for kind, n in counts.items())}")
    print(f"  no judgement (kinks, not finite): {tally.unusable}")
    print(f"by source: {100 * tally.by_source():.1f} % of those that return a value")
    if tally.reasons:
        print("refused, most often:")
        for reason, count in tally.reasons.most_common(15):
            print(f"  {count:5} {reason}")
    if coverage:
        print(tally.reach())
    for signature, files in tally.failures.items():
        print(f"FAILED {len(files)} times: {signature}\n    {files[0]}")
    print("nothing failed" if not tally.failures else f"{len(tally.failures)} kinds of failure")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
