"""Runs the near tests with every Python and NumPy that is at hand, and says which there are not.

An environment for each pair is made below `build/interpreters` and kept. Free-threaded
interpreters run with the global lock off, as they are.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "build/interpreters"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t")
NUMPYS: Final = ("2.2.0", "2.3.0", "")  # the oldest that is promised; the newest
NEAR: Final = (
    *("tests/text/test_golden.py", "tests/tape/test_engine.py", "tests/tape/test_protocols.py"),
    *("tests/traps", "tests/unit/codegen", "tests/unit/runtime/test_runtime.py"),
    *("tests/unit/api/test_first_calls.py", "tests/unit/api/test_names.py"),
)
_NEEDED: Final = ("gast>=0.7,<0.8", "astunparse>=1.6.3", "scipy>=1.15", "pytest>=8.2", "hypothesis")


@dataclass(frozen=True, slots=True)
class Pair:
    """An interpreter, and the version of NumPy to run with; the newest if it is empty."""

    python: Path
    version: str
    numpy: str

    @property
    def folder(self) -> Path:
        """Return where its environment is."""
        return FOLDER / f"{self.version}-numpy-{self.numpy or 'newest'}"

    def __str__(self) -> str:
        return f"Python {self.version} with NumPy {self.numpy or 'the newest'}"


def found() -> dict[str, Path]:
    """Return the interpreters that are at hand, by version."""
    paths: dict[str, Path] = {}
    for version in PYTHONS:
        names = [Path(p) for p in [shutil.which(f"python{version}")] if p]
        names += sorted(Path.home().glob(f".pyenv/versions/*/bin/python{version}"))
        for path in names:
            if _version_of(path) == version:
                paths.setdefault(version, path)
    return paths


def _version_of(path: Path) -> str:
    """Return the version that an interpreter gives itself, with a `t` without a global lock."""
    asked = "import sys, sysconfig as s; print('%d.%d' % sys.version_info[:2] + 't' * bool("
    asked += "s.get_config_var('Py_GIL_DISABLED')))"
    done = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def pairs(pythons: dict[str, Path], numpys: tuple[str, ...]) -> Iterator[Pair]:
    """Yield the oldest Python with every NumPy, and each other one with the newest."""
    for number, (version, path) in enumerate(pythons.items()):
        for numpy in numpys if number == 0 else numpys[-1:]:
            yield Pair(path, version, numpy)


def run(pair: Pair, tests: list[str]) -> str:
    """Return how the tests ended."""
    python = pair.folder / "bin/python"
    if not python.exists():
        subprocess.run([pair.python, "-m", "venv", pair.folder], check=True)
    wanted = f"numpy=={pair.numpy}" if pair.numpy else "numpy"
    install: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
    ]
    made = subprocess.run([*install, wanted, *_NEEDED], check=False, capture_output=True, text=True)
    if made.returncode:
        return f"not tested: {_last_line(made.stderr)}"
    command: list[str | Path] = [
        python,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=known, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-3000:])
    return re.sub("=+", "", _last_line(done.stdout)).strip()


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def main() -> int:
    """Run all pairs, and return 1 if a test failed in any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="these versions alone: 3.13")
    parser.add_argument("--numpy", action="append", help="these versions alone: 2.2.0")
    parser.add_argument("tests", nargs="*", default=list(NEAR))
    given = parser.parse_args()
    known = {v: p for v, p in found().items() if not given.python or v in given.python}
    failed = False
    for pair in pairs(known, tuple(given.numpy or NUMPYS)):
        start = time.perf_counter()
        said = run(pair, given.tests)
        failed = failed or "failed" in said or "error" in said
        print(f"{pair}: {said} ({time.perf_counter() - start:.0f} s)", flush=True)
    missing = [version for version in PYTHONS if version not in found()]
    if missing:
        print(f"not tested, as they are not here: {', '.join(missing)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
