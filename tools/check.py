"""Runs everything that must hold before a change is kept, one line of progress for each step."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ["conftest.py", "srcgrad", "tests", "examples", "bench", "tools", "docs"]
LINT = [
    ("format", [sys.executable, "-m", "ruff", "format", "--check", *CODE]),
    ("lint", [sys.executable, "-m", "ruff", "check", *CODE]),
    ("layers", [str(Path(sys.executable).parent / "lint-imports"), "--no-logo"]),
    ("structure", [sys.executable, "-m", "pytest", "-q", "tests/structure"]),
]
TYPES = ("types", [sys.executable, "-m", "mypy"])  # a minute on one core, so beside the others
SITE = (
    "documentation",
    [sys.executable, *"-m sphinx -q -W --keep-going -d build/doctrees docs build/docs".split()],
)
ORDER = f"--randomly-seed={os.environ.get('SEED', '1')}"  # shuffled, the same way each time
TESTS = ("tests", [sys.executable, "-m", "pytest", "-q", "--ignore=tests/structure", ORDER])
PROCESSES = min(os.cpu_count() or 1, 8)
"""So many share the tests, each of which is run by the one that comes to it first."""


def run(label: str, command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run one step, show its output as it comes, and say how it ended."""
    print(f"==> {label}", flush=True)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    passed = done.returncode == 0
    verdict = "ok" if passed else "FAILED"
    print(f"    {verdict}: {label} ({time.perf_counter() - start:.1f} s)", flush=True)
    return passed


class Beside:
    """A step that runs while others do, and shows its output when it is waited for."""

    def __init__(
        self, name: str, command: list[str], environment: dict[str, str] | None = None
    ) -> None:
        self.name = name
        self._output = tempfile.TemporaryFile("w+")  # noqa: SIM115 - as long as the step runs
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=self._output, stderr=subprocess.STDOUT
        )

    def wait(self) -> bool:
        """Wait for its end, and say how it ended."""
        print(f"==> {self.name}", flush=True)
        passed = self._process.wait() == 0
        self._output.seek(0)
        print(f"{self._output.read()}    {'ok' if passed else 'FAILED'}: {self.name}", flush=True)
        return passed


def run_tests(label: str, command: list[str]) -> bool:
    """Run the tests in several processes, of which the first one's output is shown as it comes."""
    with tempfile.TemporaryDirectory() as folder:
        shared = {**os.environ, "SRCGRAD_TESTS_SHARED_IN": folder}
        others = [
            Beside(f"{label}, process {number}", command, shared)
            for number in range(2, PROCESSES + 1)
        ]
        first = run(f"{label}, process 1 of {PROCESSES}", command, shared)
        return all([first, *(other.wait() for other in others)])


def keep_bytecode() -> None:
    """Let all that is started keep what Python compiles, in a folder of its own.

    The tests start hundreds of processes, each of which imports the package.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # it is meant for the folders of the sources
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / "build" / "bytecode"))


def main() -> int:
    """Run all steps, also after one fails, and return 1 if any did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-tests", action="store_true", help="only the checks that read code")
    only_lint = parser.parse_args().no_tests
    keep_bytecode()
    types = Beside(*TYPES)
    steps = LINT if only_lint else [*LINT, SITE, TESTS]
    total = len(steps) + 1
    failed = []
    for number, (name, command) in enumerate(steps, 1):
        how = run_tests if name == TESTS[0] else run
        failed += [] if how(f"[{number}/{total}] {name}", command) else [name]
    types.name = f"[{total}/{total}] {types.name}"  # the tests do not wait for it
    failed += [] if types.wait() else [TYPES[0]]
    print(f"failed: {', '.join(failed)}" if failed else "everything holds")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
