"""Times the first call of a process: with nothing in the cache folder, and with what another left.

Times are CPU time of the process, without Python's and NumPy's own start. A process before has
compiled the modules of the package, as an installation does.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.compile_time import statements
from bench.timing import in_words

PROGRAM = """\
import time

import numpy as np

start = time.process_time()
import srcgrad as sg

from program import long

gradient = sg.grad(long, fallback="error")
made = time.process_time()
gradient(np.ones(3))
print(made - start, time.process_time() - made)
"""
REPEATS = 5


def times_of(folder: Path, cache: Path) -> tuple[float, float]:
    """Return the seconds until there is a gradient, and those of its first call."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), str(folder)])
    names = {**os.environ, "PYTHONPATH": paths, "SRCGRAD_CACHE_DIR": str(cache)}
    names.pop("PYTHONDONTWRITEBYTECODE", None)
    names["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    command = [sys.executable, str(folder / "run.py")]
    done = subprocess.run(  # noqa: S603 - our own program
        command, env=names, capture_output=True, text=True, check=True
    )
    first, second = map(float, done.stdout.split())
    return first, second


def main() -> None:
    """Print what a first process takes, and a second one."""
    print("First call in a process: imports and `sg.grad(f)`, then the call")
    for count in (10, 100, 1000):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = statements(count, 1)
            (folder / "program.py").write_text(f"import numpy as np\n\n\n{text}")
            (folder / "run.py").write_text(PROGRAM)
            times_of(folder, folder / "other cache")
            first = times_of(folder, folder / "cache")
            later = [times_of(folder, folder / "cache") for _ in range(REPEATS)]
        second = [statistics.median(item) for item in zip(*later, strict=True)]
        for label, found in (("first", first), ("second", second)):
            shown = "".join(f"{in_words(item):>12}" for item in found)
            print(f"  {count:>5,} statements, {label:8}{shown}", flush=True)
    print()


if __name__ == "__main__":
    main()
